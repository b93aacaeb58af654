//! Drifting loads: the backward recursion over the whole horizon, in integers rounded down. What the
//! rounding takes away in all is bounded, so the value lies between what is found and that much more.

use crate::imbalance::Imbalance;
use crate::model::{Decide, LoadDrift, Objective, Processes, Rebalance, RunningCost};
use crate::number::{Span, WEIGHT, down};
use crate::proof::Proof;
use crate::space::Space;
use crate::{Budget, Refusal, model_error};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use std::path::Path;

impl LoadDrift {
    /// What each number of a model must be by itself has been seen to when it was read.
    pub fn review(&self) -> Result<(), Refusal> {
        let levels = self.chain.levels();
        let (lowest, rows) = match levels {
            0..=LONGEST => self.chain.rows()?,
            _ => return Err(Refusal::TooLarge),
        };
        let highest = lowest.saturating_add(rows.len() as i64 - 1);
        if self.remap_cost.0 > BigRational::from(BigInt::from(10).pow(DEAREST)) {
            return model_error("the cost of a remap is too large");
        }
        let within = lowest >= 0 && (lowest..=highest).contains(&self.initial_load);
        if within && self.steps > 0 && self.processors > 0 {
            return Ok(());
        }
        model_error(
            "a load lies outside the levels or below 0, or there are no steps or processors",
        )
    }
}

/// The largest cost of a remap, as a power of ten.
const DEAREST: u32 = 100;

/// Levels whose rows are listed.
const LONGEST: usize = 1 << 20;

/// Bounds on the least expected objective.
pub fn prove(model: &LoadDrift, budget: &Budget) -> Result<Proof, Refusal> {
    // Loads that hardly move may differ for many steps, and a remap keeps their total.
    match with_room(model, 1, budget) {
        Err(Refusal::TooLarge) => with_room(model, model.steps, budget),
        found => found,
    }
}

/// The same with room for values that differ by what a remap and so many steps cost.
fn with_room(model: &LoadDrift, steps: u64, budget: &Budget) -> Result<Proof, Refusal> {
    let (count, r) = (model.processors, model.processors as i64);
    let processes = Processes::Identical { count, chain: model.chain.clone() };
    let space = Space::new(&processes, &[], Path::new(""))?;
    let even = Imbalance::new(RunningCost::MaxMinusMean, &vec![BigRational::one(); count])?;
    let (totals, own) = space.totals()?;
    budget.spend(space.work().saturating_mul(model.steps))?;
    // Where rows sum to 1, values are kept less the smallest of them: they differ by little more than a
    // remap. Otherwise they are at most what all steps cost.
    let conserves = space.conserves();
    let steps = if conserves { steps } else { model.steps };
    let span = &model.remap_cost.0 + BigInt::from(totals[totals.len() - 1] + 1) * steps;
    let whole = (span * BigInt::from(8)).to_integer().bits() as u32;
    let bits = 60u32.checked_sub(whole).ok_or(Refusal::TooLarge)?;
    let makespan = model.objective == Objective::Makespan;
    let cost = |_, loads: &[i64]| match loads.iter().max() {
        Some(max) if makespan => Ok((*max as u64) << bits),
        _ => even.cost(loads, bits).map(|[low, _]| low),
    };
    let costs: Vec<u64> = space.each(cost)?;
    // What a total becomes: one state or another.
    let target = |total: &i64| {
        let (level, rest) = (total / r, total % r);
        let all = |more: bool| vec![level + i64::from(more); count];
        let [one, other] = match model.rebalance {
            Rebalance::Split => [even.split(*total), even.split(*total)],
            Rebalance::Nearest => [all(2 * rest >= r), all(2 * rest >= r)],
            Rebalance::Stochastic => [all(false), all(rest > 0)],
        };
        let chance =
            |units: i64| Span::from(&BigRational::new(units.into(), r.into())).units(WEIGHT);
        Ok([(space.find(&one)?, chance(r - rest)?[0]), (space.find(&other)?, chance(rest)?[0])])
    };
    let targets = totals.iter().map(target).collect::<Result<Vec<_>, Refusal>>()?;
    let remap = Span::from(&model.remap_cost.0).units(bits)?[0];
    let early = model.decide == Decide::BeforeStep;
    let (mut common, mut lost) = (0i128, 1u64);
    let mut value = if early { costs.clone() } else { vec![0; costs.len()] };
    for _ in u64::from(early)..model.steps {
        let to = |&(state, chance): &(usize, u64)| down(value[state], chance);
        let remapped = |targets: &[_; 2]| remap + targets.iter().map(to).sum::<u64>();
        let remapped: Vec<u64> = targets.iter().map(remapped).collect();
        for ((value, cost), total) in value.iter_mut().zip(&costs).zip(&own) {
            *value = remapped[*total].min(*value) + if early { 0 } else { *cost };
        }
        if value.iter().any(|value| *value >= 1 << 60) {
            return Err(Refusal::TooLarge);
        }
        // A unit for the cost of the step, one for the remap's, four for a random split; and rows above 1
        // enlarge what was lost before.
        lost += space.missed(lost)?[0] + 6;
        lost += space.expect(&mut value);
        if early {
            value.iter_mut().zip(&costs).for_each(|(value, cost)| *value += cost);
        }
        let least = if conserves { value.iter().copied().min().unwrap_or(0) } else { 0 };
        value.iter_mut().for_each(|value| *value -= least);
        common += i128::from(least);
    }
    let found = common + i128::from(value[space.find(&vec![model.initial_load; count])?]);
    Ok(Proof::Value(Span::between(found, found + i128::from(lost), bits).reals().into()))
}
