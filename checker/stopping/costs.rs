//! What a remap costs, as it is written: one number, by the units that it moves, or one for each listed state.

use crate::model::{Number, written};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// The cost of a remap.
#[derive(Clone, PartialEq)]
pub enum Cost {
    /// The same everywhere.
    Constant(Number),
    /// A fixed part, and one for each unit of load that changes its processor.
    Moved([Number; 2]),
    /// One for each listed state.
    Listed(Vec<Number>),
}

written! {
    struct Moved { fixed: Number, per_unit_moved: Number }
    enum Listed { PerState(Vec<Number>) }
}

impl<'de> Deserialize<'de> for Cost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cost, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let raw = raw.trim();
        let cost = match raw.get_ron() {
            text if text.starts_with('(') => raw
                .into_rust()
                .map(|Moved { fixed, per_unit_moved }| Cost::Moved([fixed, per_unit_moved])),
            text if text.starts_with("PerState") => {
                raw.into_rust().map(|Listed::PerState(list)| Cost::Listed(list))
            }
            _ => raw.into_rust().map(Cost::Constant),
        };
        cost.map_err(|error| D::Error::custom(error.to_string()))
    }
}
