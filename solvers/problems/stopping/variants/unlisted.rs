//! The answer for a model with too many states to visit: bounds that need no list of them.

use super::varying::{self, by_state};
use crate::document::Bounds;
use crate::memory;
use crate::model::cost::Cost;
use crate::problems::registry::Body;
use crate::problems::stopping::model::Stopping;
use crate::problems::stopping::solve::{refuse, start_from};
use crate::problems::{Asked, Found, Outcome, Settings};
use crate::run::Watch;
use remapping::Status;
use remapping::imbalance::Imbalance;
use remapping::stopping::{AfterRemap, Anywhere, Blind, ProblemError, States};

/// The help in the diagnostic.
const HELP: &str = "take fewer levels or processes, or a larger machine";

/// Why this many states cannot be visited on this machine.
pub(in crate::problems::stopping) fn short_of(states: usize, needed: u64, there: u64) -> String {
    let (needed, there) = (memory::show(needed), memory::show(there));
    format!("{states} states need about {needed}, this machine has {there} free")
}

/// The answer, which says what is `lacking`, and its status.
pub(in crate::problems::stopping) fn solve(
    &Asked { loaded, settings, watch, .. }: &Asked<'_, Settings>,
    model: &Stopping,
    lacking: &str,
    status: Status,
) -> Outcome<Found> {
    let wrong = |message: &str| refuse(loaded, message, "correct the model");
    if settings.critical_costs {
        let mut complaints = refuse(loaded, lacking, HELP);
        complaints.iter_mut().for_each(|one| one.limit = Some(status));
        return Err(complaints);
    }
    let states = model.space().map_err(|error| wrong(&error))?;
    let imbalance = model.imbalance().map_err(|error| wrong(&error))?;
    let mut answer = start_from(model, &states);
    let [cheapest, dearest] = costs(model, &states, &imbalance);
    answer.remap_cost = dearest;
    answer.cost_by_state = by_state(model);
    answer.steps = model.steps();
    let (lower, upper) = match model.after() {
        AfterRemap::Stop => (dearest, dearest),
        AfterRemap::Uniform => {
            let most = everywhere(&states, &imbalance, dearest);
            (dearest, most.ok_or_else(|| wrong(&ProblemError::NeverBalanced.to_string()))?)
        }
    };
    (answer.remap_value, answer.remap_bounds) = (upper, [lower, upper]);
    // No cost is negative, or more than a remap where that ends it.
    answer.largest_value = match model.steps() {
        None => upper,
        Some(steps) => {
            let all = steps as f64 * dearest_step(&states, &imbalance);
            if model.restarts() {
                all.min(remapping(model, &imbalance, steps, dearest, watch))
            } else {
                all.min(upper)
            }
        }
    };
    answer.value_gap = answer.largest_value / upper.max(1.0);
    if model.restarts() && model.steps().is_none() {
        let average = average(model, (&states, &imbalance), [cheapest, dearest], watch);
        answer.average = Some(average);
        answer.value_gap = average.width() / average.upper.max(1.0);
    }
    let warning = format!("{lacking}: there is no map, and bounds that need no states; {HELP}");
    Ok(Found::new(Body::Stopping(Box::new(answer)), status, vec![warning]))
}

/// Bounds on the cost of any remap.
fn costs(model: &Stopping, states: &States, imbalance: &Imbalance) -> [f64; 2] {
    match model.cost() {
        Cost::Moved { fixed, per_unit_moved } if !model.is_joint() => {
            // The moved units are above one share and below another, so at most half of all.
            let most = states.shape().iter().map(|levels| levels - 1).sum::<usize>() / 2;
            [fixed.value, fixed.value + per_unit_moved.value * most as f64]
        }
        _ => {
            let some = 0..if model.is_joint() { states.count() } else { 1 };
            let all = varying::costs(model, (states, some), imbalance);
            [
                all.iter().copied().fold(f64::INFINITY, f64::min),
                all.iter().copied().fold(0.0, f64::max),
            ]
        }
    }
}

/// The total cost if every unbalanced load vector remaps, where that may lead to any load vector;
/// `None` where none is balanced.
fn everywhere(states: &States, imbalance: &Imbalance, rho: f64) -> Option<f64> {
    let balanced = match states.range() {
        None => (0..states.count()).filter(|s| imbalance.is_balanced(&states.loads(*s))).count(),
        Some((lowest, highest)) => (lowest[0]..=highest[0])
            .filter_map(|load| imbalance.balanced_with(0, load))
            .filter(|loads| states.find(loads).is_some())
            .count(),
    };
    let vectors: f64 = states.shape().iter().map(|levels| *levels as f64).product();
    let slack = (states.processes() + 4) as f64 * f64::EPSILON;
    (balanced > 0).then(|| rho * (vectors / balanced as f64) * (1.0 + slack))
}

/// An upper bound on the cost of any step.
fn dearest_step(states: &States, imbalance: &Imbalance) -> f64 {
    let Some((lowest, highest)) = states.range() else {
        let all = (0..states.count()).map(|s| imbalance.cost(&states.loads(s)));
        return all.fold(0.0, f64::max);
    };
    // The deviation of a process is largest where it has most and the others least, or the reverse.
    let apart = |i: usize| {
        let ends = [(&lowest, &highest), (&highest, &lowest)].map(|(most, own)| {
            let mut loads = most.clone();
            loads[i] = own[i];
            imbalance.cost(&loads)
        });
        ends[0].max(ends[1]).powi(2)
    };
    (0..lowest.len()).map(apart).sum::<f64>().sqrt() * (1.0 + 1e-12)
}

/// An upper bound on the cost of these steps with remaps at the best fixed interval, from the first
/// step on.
fn remapping(model: &Stopping, imbalance: &Imbalance, steps: u64, rho: f64, watch: &Watch) -> f64 {
    let processes = model.independent();
    if processes.is_empty() {
        return f64::INFINITY;
    }
    let (interval, average) = Blind::new(&processes, imbalance).every(rho, watch);
    (steps.div_ceil(interval) * interval) as f64 * average * (1.0 + 4.0 * f64::EPSILON)
}

/// Bounds on the best average cost per step: the least cost of groups of the processes, and the
/// cost of the best rule that does not depend on the loads.
fn average(
    model: &Stopping,
    (states, imbalance): (&States, &Imbalance),
    [cheapest, dearest]: [f64; 2],
    watch: &Watch,
) -> Bounds {
    let processes = model.independent();
    if processes.is_empty() {
        // Remaps in every step, with the dearest remap and the dearest step.
        return Bounds { lower: 0.0, upper: (dearest + dearest_step(states, imbalance)).next_up() };
    }
    let lower = Anywhere::new(&processes, &model.capacities()).average(cheapest, watch);
    let blind = Blind::new(&processes, imbalance);
    let (_, upper) = blind.every(dearest, watch);
    Bounds { lower, upper: blind.never().map_or(upper, |never| never.min(upper)) }
}
