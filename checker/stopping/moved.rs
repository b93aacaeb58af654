//! The cost of a remap that depends on the units it moves.

use crate::core::budget::Refusal;
use crate::loads::remaps::extra;
use crate::stopping::problem::{After, Stopping};
use num_bigint::BigInt;
use num_rational::BigRational;
use std::collections::BTreeSet;

/// The distinct costs of a remap with a fixed part and a part for each unit, and the index of the
/// cost of each state. Equal processors may exchange shares if the remap ends the problem;
/// otherwise only processes that move alike may.
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
