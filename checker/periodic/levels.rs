//! Loads on a chain of levels: proves how long a bound on the imbalance is kept.

use crate::core::budget::{Budget, Refusal, model_error};
use crate::core::decimal::Number;
use crate::core::proof::Proof;
use crate::core::span::WEIGHT;
use crate::loads::Chain;
use crate::periodic::windows::{MOST, Place, largest};
use crate::periodic::{Bound, Periodic};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// The most levels of a chain.
const LONGEST: usize = 10_000;

/// Checks that loads move on a chain of few levels and start on one of them.
pub fn review(initial: &BigRational, chain: &Chain) -> Result<(), Refusal> {
    if chain.levels() > LONGEST || matches!(chain, Chain::Matrix { .. }) {
        return model_error("loads must move on a birth-death chain of few levels");
    }
    let (lowest, rows) = chain.rows()?;
    let load = initial - BigInt::from(lowest);
    let level = load.to_integer().to_usize().filter(|level| *level < rows.len());
    if lowest < 0 || !load.is_integer() || load.is_negative() || level.is_none() {
        return model_error("the initial load is none of the chain");
    }
    Ok(())
}

/// Computes the distribution after every step, until all starts have almost the same distribution.
pub fn of_chain(
    model: &Periodic,
    count: u64,
    chain: &Chain,
    budget: &Budget,
) -> Result<Proof, Refusal> {
    let Some(Bound::MaxDeviation(Number(bound)) | Bound::RmsDeviation(Number(bound))) =
        &model.bound
    else {
        return Err(Refusal::Malformed);
    };
    let largest_of = matches!(model.bound, Some(Bound::MaxDeviation(_)));
    let (lowest, rows) = chain.rows()?;
    let levels = rows.len();
    if levels.saturating_mul(levels) > MOST {
        return Err(Refusal::TooLarge);
    }
    if !rows.iter().all(|row| row.iter().map(|(_, p)| p).sum::<BigRational>().is_one()) {
        return Err(Refusal::Unproved("the rows of the chain do not sum to 1"));
    }
    let weight = |p: &BigRational| ((p.numer() << WEIGHT) / p.denom()).to_u64().unwrap_or(0);
    let rows: Vec<Vec<(usize, u64)>> =
        rows.iter().map(|row| row.iter().map(|(to, p)| (*to, weight(p))).collect()).collect();
    let unit = BigInt::one() << WEIGHT;
    let (start, most) = (&model.initial_load.0 - BigInt::from(lowest), BigInt::from(levels - 1));
    let start =
        start.to_integer().to_usize().filter(|start| *start < levels).ok_or(Refusal::Malformed)?;
    // The distribution from each starting level, rounded down.
    let mut laws: Vec<Vec<u64>> = (0..levels)
        .map(|from| (0..levels).map(|to| u64::from(from == to) << WEIGHT).collect())
        .collect();
    let mut time = 0u64;
    // The distribution at the last power of two: once it returns, so do all bounds since then.
    let mut earlier: Vec<u64> = Vec::new();
    loop {
        if time.is_power_of_two() {
            earlier.clone_from(&laws[start]);
        }
        time += 1;
        budget.spend((levels * levels * 4) as u64 + 1000)?;
        for law in &mut laws {
            let mut next = vec![0u128; levels];
            for (p, row) in law.iter().zip(&rows) {
                row.iter()
                    .for_each(|(to, weight)| next[*to] += u128::from(*p) * u128::from(*weight));
            }
            *law = next.into_iter().map(|p| (p >> WEIGHT) as u64).collect();
        }
        let mass = |law: &[u64]| law.iter().map(|p| BigInt::from(*p)).sum::<BigInt>();
        // The mass that rounding, and rows that do not sum to 1, leave undecided; and the mass that
        // all distributions have in common.
        let missing = &unit - mass(&laws[start]);
        let common: Vec<u64> =
            (0..levels).map(|to| laws.iter().map(|law| law[to]).min().unwrap_or(0)).collect();
        let apart = &unit - mass(&common);
        let moment = |law: &[u64], power: u32| -> BigInt {
            (0u64..).zip(law).map(|(level, p)| BigInt::from(level).pow(power) * *p).sum()
        };
        // Bounds on moments if at least this much of the distribution is known.
        let bounds = |law: &[u64], missing: &BigInt| -> Result<[[BigRational; 2]; 2], Refusal> {
            let real = |x: BigInt| BigRational::new(x, unit.clone());
            let low = moment(law, 1);
            let high = &low + missing * &most;
            let load = [low.clone(), high.clone()].map(|x| real(x) + BigInt::from(lowest));
            if largest_of {
                let place = Place { first: 0, weights: law.to_vec(), moved: BigInt::zero() };
                return Ok([largest(&[(count, place)], budget)?, load]);
            }
            // (N-1) times the variance; the bound is on its root.
            let square = moment(law, 2);
            let most = &square + missing * &most * &most;
            let times = BigInt::from(count - 1);
            let least = (real(square) - real(high).pow(2)) * &times;
            Ok([[least, (real(most) - real(low).pow(2)) * &times], load])
        };
        let allowed = |load: &BigRational| {
            let allowed = bound * load;
            if largest_of { allowed } else { allowed.pow(2) }
        };
        let [[low, high], [least, most_load]] = bounds(&laws[start], &missing)?;
        if low > allowed(&most_load) || !most_load.is_positive() {
            return Ok(Proof::Longest { kept: Some(time - 1), broken: Some(time) });
        }
        if high > allowed(&least) || !least.is_positive() {
            return Ok(Proof::Longest { kept: Some(time - 1), broken: None });
        }
        if laws[start] == earlier {
            return Ok(Proof::Longest { kept: None, broken: None });
        }
        // From now on every distribution is a mixture of these.
        if &apart << 8 < unit {
            let [[_, high], [least, _]] = bounds(&common, &apart)?;
            if high <= allowed(&least) && least.is_positive() {
                return Ok(Proof::Longest { kept: None, broken: None });
            }
        }
    }
}
