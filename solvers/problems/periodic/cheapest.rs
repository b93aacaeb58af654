//! The interval of least cost where the model gives no bound on the imbalance.

use super::super::Found;
use super::answer::Answer;
use super::curve::deviations;
use super::lines::cost_line;
use super::model::Periodic;
use super::solve::{NEEDS_LAWS, warn_of_falling};
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
        warnings.push(NEEDS_LAWS.to_owned());
        status = Status::IterationLimit;
    }
    let interval = line.as_ref().and_then(|line| line.interval.number());
    let last = interval.map_or(20, |interval| interval.saturating_add(1)).min(MAX_CURVE);
    let last = last.min(processors.moments().last_positive().unwrap_or(last));
    let (deviation, error) = match ExpectedImbalance::new(&processors) {
        Some(imbalance) => deviations(imbalance.watched(watch), &processors, last, u64::MAX),
        None => (vec![0.0], 0.0),
    };
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
