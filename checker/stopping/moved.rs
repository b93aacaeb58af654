//! What a remap costs by the units that it moves.

use crate::core::budget::Refusal;
use crate::loads::exchange::extra;
use crate::stopping::problem::{After, Stopping};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::BTreeSet;

/// All that a remap may cost, with a fixed part and one for each unit, and which of that it does in each state.
/// Equal processors exchange their shares if nothing follows, and otherwise processes that move alike.
pub fn costs(
    model: &Stopping,
    [fixed, each]: [&BigRational; 2],
) -> Result<(Vec<BigRational>, Vec<usize>), Refusal> {
    let (imbalance, space) = model.parts()?;
    let ends = model.model.after_remap == After::Stop;
    let (totals, own) = space.totals()?;
    let to = space.targets(imbalance, &totals);
    let kinds = if ends { imbalance.capacities.clone() } else { space.alike(imbalance) };
    let units =
        |s: usize, loads: &[i64]| extra(&kinds, loads, &to[own[s]]).iter().map(|x| x.max(&0)).sum();
    let moved: Vec<i64> = space.each(|s, loads| Ok(units(s, loads)))?;
    let all = Vec::from_iter(BTreeSet::from_iter(moved.iter().copied()));
    let own = moved.iter().map(|units| all.partition_point(|other| other < units)).collect();
    Ok((all.iter().map(|units| fixed + each * BigInt::from(*units)).collect(), own))
}
