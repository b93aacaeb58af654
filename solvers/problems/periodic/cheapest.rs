//! The interval of least cost where the model gives no bound on the imbalance.

use super::super::Found;
use super::answer::Answer;
use super::lines::cost_line;
use super::model::Periodic;
use super::solve::warn_of_falling;
use crate::problems::registry::Body;
use crate::run::Watch;
use remapping::periodic::{ExpectedImbalance, cost_aware};
use remapping::{Observer, Status};
use std::ops::ControlFlow;

/// The most entries of the curve.
const MAX_CURVE: u64 = 200;

/// Solves a model that has passed review: it has a remap cost.
pub fn solve(problem: &Periodic, watch: &Watch) -> Found {
    let processors = problem.processors();
    let cost = problem.remap_cost().unwrap_or(0.0);
    let (mut status, mut warnings) = (Status::Converged, Vec::new());
    warn_of_falling(&processors, &mut warnings);
    let found = cost_aware(&processors, cost, watch);
    let line = found.map(|found| {
        status = found.status;
        cost_line(&processors, cost, &found, watch)
    });
    if line.is_none() {
        warnings.push("the interval of least cost needs laws, not only moments".to_owned());
        status = Status::IterationLimit;
    }
    let interval = line.as_ref().and_then(|line| line.interval.number());
    let last = interval.map_or(20, |interval| interval.saturating_add(1)).min(MAX_CURVE);
    let last = last.min(processors.moments().last_positive().unwrap_or(last));
    let mut imbalance =
        ExpectedImbalance::new(&processors).map(|imbalance| imbalance.watched(watch));
    let (mut deviation, mut error) = (vec![0.0], 0.0_f64);
    for step in 1..=last {
        let average = processors.mean_load_after(step);
        let Some(imbalance) = imbalance.as_mut() else { break };
        let found = imbalance.max_deviation(step);
        if watch.check().is_break() || !found.value.is_finite() {
            break;
        }
        error = error.max(found.error / average);
        deviation.push(found.value / average);
    }
    if let ControlFlow::Break(halt) = watch.check() {
        status = halt.into();
    }
    let through = deviation.len() as u64 - 1;
    let answer = Answer {
        quantity: "cost_per_step".to_owned(),
        processors: processors.count(),
        initial_load: processors.load(),
        interval,
        interval_by: "cost_aware".to_owned(),
        at_least: (status.is_halted() && interval.is_none()).then_some(0),
        deviation,
        deviation_is: "d(t)".to_owned(),
        deviation_error: error,
        deviation_through: interval.is_some_and(|interval| interval > through).then_some(through),
        nonnegative_through: processors.steps_without_negative_load(),
        cost_aware: line,
        ..Answer::default()
    };
    Found::new(Body::Periodic(Box::new(answer)), status, warnings)
}
