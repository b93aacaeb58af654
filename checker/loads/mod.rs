//! Loads that move: processes, the chains of their levels, and the cost of a remap, as model files
//! state them.
//!
//! - `chains`, `signed`: one process.
//! - `states`, `imbalance`: several processes and what their loads cost.
//! - `remaps`: what a remap leads to.

pub mod chains;
pub mod imbalance;
pub mod remaps;
pub mod signed;
pub mod states;

use crate::core::decimal::Number;
use crate::core::written;
use crate::loads::chains::affine::Affine;
use crate::loads::chains::unbounded::Unbounded;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

written! {
    pub enum Processes {
        Identical { count: usize, chain: Chain },
        Distinct(Vec<Chain>),
        Joint { loads: Vec<Vec<i64>>, transition: Transition },
        Unbounded(Unbounded)
    }
    pub enum Transition { Dense(Vec<Vec<Number>>), File(String) }

    pub enum Chain {
        Walk { #[serde(default)] lowest: i64, levels: usize, up: Number, down: Number, edge: Edge },
        BirthDeath { #[serde(default)] lowest: i64, up: Vec<Number>, down: Vec<Number> },
        Matrix { #[serde(default)] lowest: i64, rows: Vec<Vec<Number>> },
        Affine(Affine)
    }
    pub enum Edge { Reflect, Hold }

    struct Moved { fixed: Number, per_unit_moved: Number }
    enum Listed { PerState(Vec<Number>) }
}

/// The cost of a remap.
#[derive(Clone, PartialEq)]
pub enum Cost {
    /// The same cost in every state.
    Constant(Number),
    /// A fixed part, and a part for each unit of load that changes its processor.
    Moved([Number; 2]),
    /// A cost for each listed state.
    Listed(Vec<Number>),
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
