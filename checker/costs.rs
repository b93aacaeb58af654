//! What a remap costs where loads are given: one number, by the units that it moves, or one for each listed state.

use crate::imbalance::Imbalance;
use crate::loads::{After, Processes, Stopping};
use crate::model::{Number, written};
use crate::space::Space;
use crate::{Refusal, model_error};
use num_bigint::BigInt;
use num_rational::BigRational;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

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

/// Steps at most.
const MOST_STEPS: u64 = 10_000_000;

impl Stopping {
    /// Whether what a remap costs, and the number of steps, go with the rest.
    pub fn review(&self) -> Result<(), Refusal> {
        let listed = match (&self.remap_cost, &self.processes) {
            (Cost::Listed(list), Processes::Joint { loads, .. }) => list.len() == loads.len(),
            (Cost::Listed(_), _) => false,
            _ => true,
        };
        let varied = self.steps.is_some() || self.constant().is_none();
        let steps = self.steps.is_none_or(|steps| (1..=MOST_STEPS).contains(&steps));
        if listed && steps && !(varied && self.after_remap == After::Uniform) {
            return Ok(());
        }
        model_error("the cost of a remap, or the number of steps, does not go with the rest")
    }

    /// All that a remap may cost, and for each state which of that it does; nothing for one cost.
    pub fn costs(
        &self,
        imbalance: &Imbalance,
        space: &Space,
    ) -> Result<(Vec<BigRational>, Vec<usize>), Refusal> {
        match &self.remap_cost {
            Cost::Constant(cost) => Ok((vec![cost.0.clone()], Vec::new())),
            Cost::Listed(list) => {
                Ok((list.iter().map(|cost| cost.0.clone()).collect(), (0..list.len()).collect()))
            }
            Cost::Moved([fixed, each]) => {
                let (totals, own) = space.totals()?;
                let to = space.targets(imbalance, &totals);
                let moved = space.each(|s, loads| Ok(imbalance.moved(loads, &to[own[s]])))?;
                let mut places = BTreeMap::from_iter(moved.iter().map(|units| (*units, 0)));
                (0..).zip(places.values_mut()).for_each(|(i, place)| *place = i);
                let cost = |units: &i64| &fixed.0 + &each.0 * BigInt::from(*units);
                let own = moved.iter().map(|units| places[units]).collect();
                Ok((places.keys().map(cost).collect(), own))
            }
        }
    }
}

impl Imbalance {
    /// The least number of units that lie elsewhere in `to` than in `loads`, where equal processes may exchange
    /// their shares.
    pub fn moved(&self, loads: &[i64], to: &[i64]) -> i64 {
        let sorted = |loads: &[i64]| {
            let mut pairs =
                Vec::from_iter(self.capacities.iter().copied().zip(loads.iter().copied()));
            pairs.sort_unstable();
            pairs
        };
        let pairs = sorted(loads).into_iter().zip(sorted(to));
        pairs.map(|((_, load), (_, share))| (load - share).max(0)).sum()
    }
}
