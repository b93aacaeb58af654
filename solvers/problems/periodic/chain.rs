//! Periodic intervals for loads on the levels of a birth–death chain.

use super::super::{Found, Settings};
use super::solve::{CURVE_TERMS, MAX_CURVE, promise};
use crate::model::periodic::Periodic;
use crate::run::Watch;
use crate::solution::Body;
use crate::solution::periodic::{Answer, CostLine, Line};
use remapping::interval::{Bound, ChainLoads, Guarantee};
use remapping::{Observer, Status};
use std::ops::ControlFlow;

/// Solves for the longest interval and, given a cost, for the cheapest one.
pub fn solve(problem: &Periodic, loads: &ChainLoads, settings: &Settings, watch: &Watch) -> Found {
    let bound = problem.bound();
    let (quantity, limit, symbol) = match bound {
        Bound::MaxDeviation(limit) => ("max_deviation", limit, "d(t)"),
        Bound::RmsDeviation(limit, _) => ("rms_deviation", limit, "v(t)"),
    };
    let found = loads.longest(bound, watch);
    let (mut status, mut warnings) = (found.status, Vec::new());
    if found.tie {
        warnings.push("exact: the bound is met exactly, up to rounding; a tie keeps it".to_owned());
    }
    if settings.simulate.is_some() {
        warnings.push("sample paths of chains are not drawn; `exact` needs none".to_owned());
    }
    let exact = Line {
        name: "exact".to_owned(),
        interval: found.interval.steps,
        real: found.interval.real,
        guarantee: promise(Guarantee::Exact).to_owned(),
        error: found.error,
        confidence: None,
    };
    let cost_aware = problem.remap_cost().map(|cost| {
        let cheapest = loads.cost_aware(cost, watch);
        if cheapest.status != Status::Converged {
            status = cheapest.status;
        }
        let end = cheapest.steps.and_then(|steps| loads.laws().nth(steps as usize));
        let over = |value: f64, law: &Vec<f64>| value / loads.mean_load(law);
        CostLine {
            remap_cost: cost,
            interval: cheapest.steps,
            cost_per_step: cheapest.cost_per_step,
            tolerance_max_over_mean: end.as_ref().map(|law| over(cheapest.imbalance, law)),
            tolerance_max_deviation: end
                .as_ref()
                .map(|law| over(loads.imbalance(law, Bound::MaxDeviation(limit), watch).value, law))
                .filter(|deviation| deviation.is_finite()),
        }
    });
    let ends = [exact.interval, cost_aware.as_ref().and_then(|cost| cost.interval)];
    let last = ends.into_iter().flatten().max().map_or(100, |steps| steps + 1).min(MAX_CURVE);
    let (mut deviation, mut error, mut work) = (Vec::new(), 0.0_f64, 0);
    for law in loads.laws().take(last as usize + 1) {
        let average = loads.mean_load(&law);
        if average <= 0.0 || work > CURVE_TERMS {
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
        quantity: quantity.to_owned(),
        bound: limit,
        processors: loads.count,
        initial_load: problem.initial_load(),
        interval: exact.interval,
        interval_by: exact.name.clone(),
        methods: vec![exact],
        deviation,
        deviation_is: symbol.to_owned(),
        deviation_error: error,
        nonnegative_through: None,
        cost_aware,
        simulated: None,
    };
    Found::new(Body::Periodic(Box::new(answer)), status, warnings)
}
