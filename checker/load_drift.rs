//! Drifting loads: the backward recursion over the whole horizon, in integers rounded down. What the
//! rounding takes away in all is bounded, so the value lies between what is found and that much more.

use crate::imbalance::Imbalance;
use crate::model::{self, Decide, Objective, Processes, Rebalance, RunningCost};
use crate::number::{UNIT, WEIGHT, down, floor, over, reals, small};
use crate::space::Space;
use crate::{Proof, Refusal};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use std::path::Path;

/// Bounds on the least expected objective.
pub fn prove(model: &model::LoadDrift) -> Result<Proof, Refusal> {
    let (count, r) = (model.processors, model.processors as i64);
    let processes = Processes::Identical { count, chain: model.chain.clone() };
    let space = Space::new(&processes, None, Path::new(""))?;
    let even = Imbalance::new(RunningCost::MaxMinusMean, &vec![BigRational::one(); count])?;
    let sum = |loads: &[i64]| loads.iter().sum::<i64>();
    let (first, last) = (space.states().map(sum).min(), space.states().map(sum).max());
    let (first, last) = (first.unwrap_or(0), last.unwrap_or(0));
    if first < 0 || model.steps == 0 || matches!(model.chain, model::Chain::Matrix { .. }) {
        return Refusal::model("only nonnegative loads on birth-death chains are checked");
    }
    // Values are kept less the smallest of them: they differ by little more than a remap.
    let span = (&model.remap_cost.0 + BigInt::from(last + 1)) * BigInt::from(8);
    let bits = 60u32.checked_sub(span.to_integer().bits() as u32).ok_or(Refusal::TooLarge)?;
    let makespan = model.objective == Some(Objective::Makespan);
    let cost = |loads: &[i64]| match loads.iter().max() {
        Some(max) if makespan => Ok((*max as u64) << bits),
        _ => even.cost(loads, bits).map(|[low, _]| low),
    };
    let costs: Vec<u64> = space.states().map(cost).collect::<Result<_, _>>()?;
    let totals: Vec<usize> = space.states().map(|loads| (sum(loads) - first) as usize).collect();
    // What a total becomes: states and their probabilities.
    let find = space.finder();
    let target = |total: i64| {
        let (level, rest) = (total / r, total % r);
        let all = |level: i64, chance: i64| {
            let chance = small(floor(&BigRational::new(chance.into(), r.into()), WEIGHT)?)?;
            Ok((find(vec![level; count])?, chance))
        };
        match model.rebalance.as_ref().unwrap_or(&Rebalance::Split) {
            Rebalance::Split => Ok(vec![(find(even.split(total))?, UNIT)]),
            Rebalance::Nearest => Ok(vec![all(level + i64::from(2 * rest >= r), r)?]),
            Rebalance::Stochastic if rest == 0 => Ok(vec![all(level, r)?]),
            Rebalance::Stochastic => Ok(vec![all(level, r - rest)?, all(level + 1, rest)?]),
        }
    };
    let targets: Vec<Vec<(usize, u64)>> =
        (first..=last).map(target).collect::<Result<_, Refusal>>()?;
    let remap = small(floor(&model.remap_cost.0, bits)?)?;
    let early = model.decide == Some(Decide::BeforeStep);
    let (mut base, mut lost) = (0i128, 1);
    let mut value = if early { costs.clone() } else { vec![0; costs.len()] };
    for _ in u64::from(early)..model.steps {
        let remapped = |target: &Vec<(usize, u64)>| {
            remap + target.iter().map(|&(state, chance)| down(value[state], chance)).sum::<u64>()
        };
        let remapped: Vec<u64> = targets.iter().map(remapped).collect();
        for ((value, cost), total) in value.iter_mut().zip(&costs).zip(&totals) {
            *value = (*value).min(remapped[*total]) + if early { 0 } else { *cost };
        }
        if value.iter().any(|value| *value >= 1 << 60) {
            return Err(Refusal::TooLarge);
        }
        // A unit for the cost of the step, one for the remap's, four for a random split.
        lost += 6 + i128::from(space.expect(&mut value));
        if early {
            value.iter_mut().zip(&costs).for_each(|(value, cost)| *value += cost);
        }
        let least = value.iter().copied().min().unwrap_or(0);
        value.iter_mut().for_each(|value| *value -= least);
        base += i128::from(least);
    }
    let found = base + i128::from(value[find(vec![model.initial_load; count])?]);
    let (low, high) = reals(&over(found, bits), &over(found + lost, bits));
    let line = format!("the least expected objective is in [{low}, {high}]");
    Ok(Proof { lines: vec![line], intervals: vec![("value".to_owned(), low, high)] })
}
