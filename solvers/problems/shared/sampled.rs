//! Bounds from sample paths: their simulation, and how documents state them.

use crate::document::Bounds;
use crate::document::rule::Threshold;
use crate::problems::load_drift::answer::{Both, Curve, Mean};
use crate::problems::together::{Together, on_any};
use crate::run::Watch;
use crate::text::digits::up;
use remapping::load_drift;
use remapping::load_drift::many::{Goal, Measured, SamplePaths, Spread};
use remapping::{Communicator, Halt, Observer, Status};
use std::ops::ControlFlow;

/// Simulates paths; several ranks share them. Returns the rule of few thresholds, what was
/// measured, and the status.
pub fn simulate(
    sampler: Result<impl SamplePaths, Halt>,
    goal: Goal,
    (watch, communicator): (&Watch, Option<&dyn Communicator>),
    warnings: &mut Vec<String>,
) -> (load_drift::Curve, Option<Measured>, Status) {
    let halted = on_any(communicator, sampler.is_err());
    let Some(sampler) = sampler.ok().filter(|_| !halted) else {
        return (load_drift::Curve::default(), None, stopped(watch));
    };
    let measured = match communicator {
        Some(others) => {
            sampler.measure_together(goal, (&Together::new(watch, others), watch), others)
        }
        None => sampler.measure(goal, watch),
    };
    let status = match &measured {
        None => stopped(watch),
        Some(measured) => reached(measured, goal, warnings),
    };
    (sampler.curve().clone(), measured, status)
}

/// The status that the measurement reached.
fn reached(measured: &Measured, goal: Goal, warnings: &mut Vec<String>) -> Status {
    if interval(measured, measured.gap).is_none() {
        let what = match measured.gap.mean {
            0.0 => "the policy pays what hindsight does",
            _ => "the gap is the same",
        };
        warnings.push(format!(
            "{what} on each of {} paths, which gives no interval: what is so rare that none of them shows it is not \
             counted; costs have the least that any policy costs as their low end",
            measured.paths
        ));
    }
    match measured {
        Measured { halted: Some(halt), .. } => (*halt).into(),
        Measured { reached: true, .. } => Status::Converged,
        _ => {
            warnings.push(format!(
                "the gap of {:e} was not reached after {} paths: {}; the bounds are wider apart, and hold with the \
                 confidence that is stated",
                goal.gap,
                measured.paths,
                limit(measured, goal)
            ));
            Status::IterationLimit
        }
    }
}

/// Which limit ended the measurement above the goal, and what would help.
fn limit(measured: &Measured, goal: Goal) -> String {
    let Measured { gap, lower, inner, .. } = measured;
    let relative = |end: f64| if lower.mean > 0.0 { end / lower.mean } else { f64::INFINITY };
    let asks = format!("--tolerance {} asks for what they reach", up(relative(gap.high)));
    match relative(gap.low) > goal.gap {
        true => format!(
            "policy and lower bound are {} apart at least with {inner} inner samples, the most that are taken, so \
             that neither time nor paths would help; {asks}",
            down(relative(gap.low))
        ),
        false => format!(
            "these are the most that are drawn, and they leave a gap of up to {}; {asks}",
            up(relative(gap.high))
        ),
    }
}

/// Rounds down to two digits.
fn down(number: f64) -> String {
    let digit = 10_f64.powf(number.abs().log10().floor() - 1.0);
    format!("{:.1e}", (number / digit).floor() * digit)
}

/// The status where nothing was finished.
pub fn stopped(watch: &Watch) -> Status {
    match watch.check() {
        ControlFlow::Break(halt) => halt.into(),
        ControlFlow::Continue(()) => Halt::TimeLimit.into(),
    }
}

/// An expected cost for a document. Costs are not negative, and the estimate of a rare large cost
/// lies in its interval.
fn mean(spread: Spread) -> Mean {
    let Spread { mean, low, high } = spread;
    let low = low.max(0.0);
    Mean { mean: mean.max(low), low, high }
}

/// Bounds on the optimum from paths, where a policy is known to cost `known` exactly. Where the
/// paths do not bound the gap, the lower bound is at most `least`, and the upper one is that
/// policy's cost.
pub fn outer(found: &Measured, known: f64, least: f64) -> Bounds {
    let (outer, most) = (found.outer(), known * (1.0 + KNOWN));
    let is_told = interval(found, found.gap).is_some();
    let lower = if is_told { outer.lower } else { outer.lower.min(least) };
    let upper = match is_told {
        _ if !most.is_finite() || most < lower => outer.upper,
        true => outer.upper.min(most),
        false => most,
    };
    Bounds { lower, upper }
}

/// The costs of both sides. Where paths do not bound the gap, the lower end is at most `least`.
pub fn both(found: &Measured, least: f64) -> Both {
    let side = |side| cost(found, side, (found.gap, least));
    Both { lower: side(found.lower), upper: side(found.upper) }
}

/// A cost with its interval. Where paths do not bound the gap, its lower end is at most `least`.
fn cost(found: &Measured, cost: Spread, (gap, least): (Spread, f64)) -> Mean {
    let told = mean(cost);
    match interval(found, gap) {
        Some(_) => told,
        None => Mean { low: told.low.min(least), ..told },
    }
}

/// Whether paths bound the gap of the policy and that of the rule. Equal paths are no evidence that
/// other paths are equal.
pub fn are_told(found: &Measured) -> bool {
    [found.gap, found.ruled_gap].into_iter().all(|gap| interval(found, gap).is_some())
}

/// The relative error of exact costs of policies.
pub const KNOWN: f64 = 1e-9;

/// An excess over the lower bound, in percent of it.
pub fn percent(found: &Measured, above: f64) -> f64 {
    if above == 0.0 { 0.0 } else { 100.0 * above / found.lower.mean }
}

/// The interval of a gap in percent; `None` where the paths do not differ, which is no evidence
/// about others.
pub fn interval(found: &Measured, gap: Spread) -> Option<[f64; 2]> {
    (gap.low < gap.high).then(|| [gap.low, gap.high].map(|end| percent(found, end)))
}

/// A rule for a document, with its cost on the paths. The cost is exactly `never` if the rule never
/// remaps and that cost is known. Where paths do not bound the gap, its lower end is at most
/// `least`.
pub fn curve(
    rule: &load_drift::Curve,
    found: &Measured,
    (least, never): (f64, Option<f64>),
) -> Curve {
    let list = |list: &[(u64, f64)]| {
        list.iter().map(|&(from, threshold)| Threshold { from, threshold }).collect()
    };
    let gap = found.ruled_gap;
    let never = never.filter(|_| rule.is_never());
    let never = never.map(|cost| Mean { mean: cost, low: cost, high: cost });
    Curve {
        by_steps_since: list(&rule.since),
        by_step: list(&rule.step),
        cost: Some(never.unwrap_or_else(|| cost(found, found.ruled, (gap, least)))),
        gap_percent: Some(percent(found, gap.mean)),
        gap_interval: interval(found, gap),
        remaps: found.ruled_remaps,
    }
}
