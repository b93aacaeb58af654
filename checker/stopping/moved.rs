//! What a remap costs by the units that it moves.

use crate::Refusal;
use crate::loads::imbalance::Imbalance;
use crate::loads::space::Space;
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::BTreeMap;

/// All that a remap may cost, with a fixed part and one for each unit, and which of that it does in each state.
pub fn costs(
    (imbalance, space): &(Imbalance, Space),
    [fixed, each]: [&BigRational; 2],
) -> Result<(Vec<BigRational>, Vec<usize>), Refusal> {
    let (totals, own) = space.totals()?;
    let to = space.targets(imbalance, &totals);
    let moved = space.each(|s, loads| Ok(imbalance.moved(loads, &to[own[s]])))?;
    let mut places = BTreeMap::from_iter(moved.iter().map(|units| (*units, 0)));
    (0..).zip(places.values_mut()).for_each(|(i, place)| *place = i);
    let cost = |units: &i64| fixed + each * BigInt::from(*units);
    let own = moved.iter().map(|units| places[units]).collect();
    Ok((places.keys().map(cost).collect(), own))
}

impl Imbalance {
    /// The least number of units that lie elsewhere in `to` than in `loads`, where equal processes may exchange
    /// their shares.
    fn moved(&self, loads: &[i64], to: &[i64]) -> i64 {
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
