//! Solves the `Periodic` problem: from the model to intervals.

use super::super::{Found, Settings};
use super::answer::{Answer, Line, Period, Simulated};
use super::chain;
use super::curve::{MAX_CURVE, curve, ends_early};
use super::lines::{cost_line, line, quantity, simulated_deviation, tie};
use super::model::Periodic;
use crate::problems::registry::Body;
use crate::run::Watch;
use remapping::periodic::{
    Bound, Kind, Method, Passage, Processors, cost_aware, first_passage, methods, negative_load,
};
use remapping::{Observer, Status};
use std::ops::ControlFlow;

/// The steps after which sample paths within the bound end.
const MAX_STEPS: u64 = 100_000;

/// A warning where there are no laws.
pub(super) const NEEDS_LAWS: &str = "the interval of least cost needs laws, not only moments";

/// Solves a periodic problem.
pub fn solve(problem: &Periodic, bound: Bound, settings: &Settings, watch: &Watch) -> Found {
    if let Some(loads) = problem.chain_loads() {
        return chain::solve(problem, &loads, bound, settings, watch);
    }
    let processors = problem.processors();
    let found = methods(&processors, bound, watch);
    let mut warnings = Vec::new();
    let mut status = Status::Converged;
    let first = &found[0];
    let is_known = first.kind == Kind::Exact && first.status == Status::Converged;
    for method in &found {
        // Where the longest interval is known, the lines of the other methods state their own
        // status.
        if !(method.status == Status::Converged
            || is_known && method.status == Status::IterationLimit)
        {
            status = method.status;
        }
        warnings.extend(tie(method));
    }
    let stopped = found.iter().any(|method| {
        matches!(method.kind, Kind::Exact | Kind::ClosedForm) && method.status != Status::Converged
    });
    let mut lines: Vec<Line> = found.iter().map(line).collect();
    if let (Bound::MaxDeviation(limit), false) = (bound, first.kind == Kind::Exact)
        && watch.check().is_continue()
    {
        lines.extend(simulated_deviation(&processors, limit, &first.interval));
    }
    let interval = first.interval.steps;
    // The results up to the time limit remain valid.
    let mut cut = warn_of_loads(&processors, interval, &mut warnings, watch);
    let cost_aware = problem.remap_cost().and_then(|cost| {
        if problem.has_covariance() {
            let none = "the interval of least cost is of independent changes: with `covariance` there is none";
            warnings.push(none.to_owned());
            return None;
        }
        let Some(found) = cost_aware(&processors, cost, watch) else {
            warnings.push(NEEDS_LAWS.to_owned());
            return None;
        };
        if found.status != Status::Converged {
            status = found.status;
        }
        let line = cost_line(&processors, cost, &found, watch);
        cut |= line.interval.number().is_some() && line.tolerance_max_deviation.is_none();
        Some(line)
    });
    let simulated = settings.simulate.and_then(|runs| {
        let runs = runs.max(2);
        let last = interval.map_or(MAX_CURVE, |steps| steps.saturating_mul(4).saturating_add(100));
        let last = last.min(MAX_STEPS);
        let seed = settings.seed;
        let found = first_passage(&processors, bound, runs, seed, last, watch);
        let Some(Passage { steps, censored }) = found else {
            if watch.check().is_break() {
                cut = true;
            } else {
                warnings.push("sample paths need independent changes of known laws".to_owned());
            }
            return None;
        };
        if censored > 0 {
            warnings.push(format!(
                "{censored} of {runs} sample paths stayed within the bound for {last} steps: their mean first \
                 passage is too small"
            ));
        }
        Some(Simulated { runs, seed, steps, censored })
    });
    let (sequence, ended) = match problem.periods() {
        Some(periods) => sequence(problem, bound, periods, first, watch),
        None => (Vec::new(), Status::Converged),
    };
    if let (Some(periods), false) = (problem.periods(), ended == Status::Converged) {
        status = ended;
        warnings.push(format!("periods: {} of {periods} are known", sequence.len()));
    }
    cut |= sequence.len() < problem.periods().unwrap_or(0) as usize;
    // The curve comes last: it may take longer than all else.
    let curve = curve(&processors, bound, &found, watch);
    cut |= curve.cut;
    if let (true, ControlFlow::Break(halt)) = (cut, watch.check()) {
        status = halt.into();
    }
    let (quantity, limit) = quantity(bound);
    let answer = Answer {
        quantity,
        bound: Some(limit),
        processors: processors.count(),
        initial_load: processors.load(),
        interval,
        interval_by: lines[0].name.clone(),
        at_least: interval.filter(|_| stopped),
        methods: lines,
        deviation_through: ends_early(&curve.values, interval),
        deviation: curve.values,
        deviation_is: curve.kind.to_owned(),
        deviation_error: curve.error,
        nonnegative_through: processors.steps_without_negative_load(),
        cost_aware,
        sequence,
        simulated,
    };
    Found::new(Body::Periodic(Box::new(answer)), status, warnings)
}

/// Consecutive periods: each starts from the expected mean load at the end of the one before; the
/// first is that of the answer. The list ends where a period never ends or is not possible. It also
/// ends, with a status that says so, where the search was stopped or steps cannot be counted.
fn sequence(
    problem: &Periodic,
    bound: Bound,
    periods: u32,
    first: &Method,
    watch: &Watch,
) -> (Vec<Period>, Status) {
    let (mut from, mut processors) = (0_u64, problem.processors());
    let mut found = Vec::new();
    let mut method = *first;
    while method.status == Status::Converged {
        let interval = method.interval.steps;
        found.push(Period { from, initial_load: processors.load(), interval });
        let Some(steps) = interval.filter(|steps| *steps > 0) else { break };
        if found.len() == periods as usize {
            break;
        }
        let Some(next) = from.checked_add(steps) else {
            return (found, Status::IterationLimit);
        };
        from = next;
        let load = processors.moments().mean_load(steps);
        let Some(own) = processors.at_load(load) else { break };
        processors = own;
        method = methods(&processors, bound, watch)[0];
    }
    (found, method.status)
}

/// Warns when a decreasing mean load reaches zero.
pub(super) fn warn_of_falling(processors: &Processors, warnings: &mut Vec<String>) {
    if processors.mean() < 0.0 {
        let end = processors.load() / -processors.mean();
        warnings.push(format!(
            "the mean load falls and reaches zero after {end:.6} steps: the relative imbalance has no \
             meaning from there, and every interval ends before"
        ));
    }
}

/// Warns of the probability that loads become negative. Returns whether the time limit ended that
/// early.
fn warn_of_loads(
    processors: &Processors,
    interval: Option<u64>,
    warnings: &mut Vec<String>,
    watch: &Watch,
) -> bool {
    warn_of_falling(processors, warnings);
    let Some(safe) = processors.steps_without_negative_load() else { return false };
    let within = interval.unwrap_or(MAX_CURVE);
    if interval.is_some_and(|steps| steps <= safe) {
        return false;
    }
    let found = negative_load(processors, within, watch);
    // Smaller probabilities are below those of the tails that are cut off.
    let relation = match found.exact {
        true if found.probability < 1e-20 => "is below 1e-20".to_owned(),
        true => format!("is {:.3e}", found.probability),
        false => format!("is at most {:.3e}", found.probability),
    };
    let unless =
        if safe == 0 { String::new() } else { format!(" (impossible in the first {safe})") };
    warnings.push(format!(
        "nothing keeps the loads above zero: the probability that one is negative within {within} steps \
         {relation}{unless}"
    ));
    !found.exact && watch.check().is_break()
}
