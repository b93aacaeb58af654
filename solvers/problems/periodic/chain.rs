//! Periodic intervals for loads on the levels of a birth-death chain.

use super::super::{Found, Settings};
use super::answer::Answer;
use super::curve::{CURVE_TERMS, MAX_CURVE, ends_early};
use super::lines::{cheapest, line, quantity, tie};
use super::model::Periodic;
use crate::problems::registry::Body;
use crate::run::Watch;
use remapping::periodic::{Bound, ChainLoads, Kind, Method};
use remapping::{Observer, Status};
use std::ops::ControlFlow;

/// Solves for the longest interval and, given a cost, for the cheapest one.
pub fn solve(
    problem: &Periodic,
    loads: &ChainLoads,
    bound: Bound,
    settings: &Settings,
    watch: &Watch,
) -> Found {
    let (quantity, limit) = quantity(bound);
    let symbol = if matches!(bound, Bound::MaxDeviation(_)) { "d(t)" } else { "v(t)" };
    let found = loads.longest(bound, watch);
    let method = Method::searched(Kind::Exact, found);
    let (mut status, mut warnings) = (found.status, Vec::from_iter(tie(&method)));
    if settings.simulate.is_some() {
        warnings.push("sample paths of chains are not drawn; `exact` needs none".to_owned());
    }
    let exact = line(&method);
    let interval = method.interval.steps;
    let cost_aware = problem.remap_cost().map(|cost| {
        let least = loads.cost_aware(cost, watch);
        if least.status != Status::Converged {
            status = least.status;
        }
        let mut heard = loads.laws().take_while(|_| watch.check().is_continue());
        let end = least.steps.and_then(|steps| heard.nth(steps as usize));
        let deviation = |law: &Vec<f64>| {
            let found = loads.imbalance(law, Bound::MaxDeviation(limit), watch);
            found.value.is_finite().then_some(found)
        };
        let (average, deviation) =
            (end.as_ref().map(|law| loads.mean_load(law)), end.as_ref().and_then(deviation));
        cheapest(cost, &least, average, deviation)
    });
    let ends = [interval, cost_aware.as_ref().and_then(|cost| cost.interval.number())];
    let last = ends.into_iter().flatten().max().map_or(100, |steps| steps.saturating_add(1));
    let last = last.min(MAX_CURVE);
    let (mut deviation, mut error, mut work) = (Vec::new(), 0.0_f64, 0);
    for law in loads.laws().take(last as usize + 1) {
        let average = loads.mean_load(&law);
        if average < ChainLoads::LEAST || work > CURVE_TERMS {
            break;
        }
        let found = loads.imbalance(&law, bound, watch);
        if let ControlFlow::Break(halt) = watch.check() {
            status = halt.into();
            break;
        }
        work += (loads.count * law.len()).pow(2) as u64;
        error = error.max(found.error / average);
        deviation.push(found.value / average);
    }
    if deviation.is_empty() {
        // At the start all loads are equal.
        deviation.push(0.0);
    }
    let answer = Answer {
        quantity,
        bound: Some(limit),
        processors: loads.count,
        initial_load: problem.initial_load(),
        interval,
        interval_by: exact.name.clone(),
        at_least: exact.at_least.or(method.is_missing().then_some(0)),
        methods: vec![exact],
        deviation_through: ends_early(&deviation, interval),
        deviation,
        deviation_is: symbol.to_owned(),
        deviation_error: error,
        cost_aware,
        ..Answer::default()
    };
    Found::new(Body::Periodic(Box::new(answer)), status, warnings)
}
