//! Drifting loads of many processors: a policy and a lower bound from sample paths.

use super::super::{Asked, Found, Method, Outcome, Settings};
use super::answer::{Answer, Both, Curve, Fixed, Mean, Representation};
use super::least::at_least;
use super::model::LoadDrift;
use super::solve::{of_outcome, posed};
use crate::document::rule::Threshold;
use crate::memory;
use crate::problems::registry::Body;
use crate::problems::together::{Together, on_any};
use crate::run::Watch;
use crate::text::digits::up;
use remapping::load_drift::many::{Goal, Many, Measured, NoBounds, Spread};
use remapping::load_drift::{self, Intervals, ProcessChain, Unremapped};
use remapping::phase_change::Bounds;
use remapping::{Communicator, Halt, Status};

/// The number of states times steps beyond which a solution over all states takes about a quarter
/// of an hour or more.
const LONG: u64 = 50_000_000_000;

/// Whether this model is solved by sampling.
pub(super) fn are_wanted(model: &LoadDrift, settings: &Settings) -> bool {
    match settings.method {
        Method::Bounds => true,
        Method::Exact => false,
        // A map or the values of all states need all states.
        _ if settings.step.is_some() || settings.values => false,
        _ => {
            let problem = model.problem();
            // Delayed remaps add their steps of look-ahead to each step.
            let each = problem.steps.saturating_mul(1 + model.overlap().steps);
            let quick = |states: u64| states.saturating_mul(each) <= LONG;
            let fits = memory::available().is_none_or(|there| model.memory() <= there);
            let small = model.states().is_some_and(quick) && fits;
            !small && are_not_there(model).is_none()
        }
    }
}

/// Why sampling gives no bounds for this model, if so.
pub(super) fn are_not_there(model: &LoadDrift) -> Option<NoBounds> {
    NoBounds::of(&model.problem())
}

/// Solves the model by sampling. Several ranks share the paths.
pub(super) fn solve(
    asked: &Asked<'_, Settings>,
    model: &LoadDrift,
    communicator: Option<&dyn Communicator>,
) -> Outcome<Found> {
    let Asked { loaded, settings, watch, .. } = *asked;
    let problem = model.problem();
    let goal = Goal::of(settings.gap.unwrap_or(Goal::GAP));
    let mut warnings = Vec::new();
    if settings.step.is_some() || settings.values {
        warnings.push("no map and no values of single states: that takes all states".to_owned());
    }
    let mut rule = load_drift::Curve::default();
    let many = Many::new(&problem, model.overlap(), settings.seed, watch);
    let halted = on_any(communicator, matches!(many, Err(NoBounds::Halted(_))));
    let measured = match many {
        Ok(_) if halted => None,
        Ok(many) => {
            rule = many.curve().clone();
            match communicator {
                Some(others) => {
                    many.measure_together(goal, (&Together::new(watch, others), watch), others)
                }
                None => many.measure(goal, watch),
            }
        }
        Err(NoBounds::Halted(_)) => None,
        Err(reason) => {
            let help = "take a smaller model, or --method exact where that fits";
            let message = "there are no bounds for this model";
            return Err(vec![loaded.complain("problem", message, &reason.to_string(), help)]);
        }
    };
    let status = match &measured {
        None => stopped(watch),
        Some(measured) => reached(measured, goal, &mut warnings),
    };
    // With no more steps than sampling takes.
    let unremapped = Unremapped::of(&problem, &()).expect("nobody stops it");
    let mut answer = lay_out(model, (&problem, unremapped), &rule, measured.as_ref(), watch);
    compare_an_interval(&mut answer, model, &problem, QUICK);
    Ok(Found::new(Body::LoadDrift(Box::new(answer)), status, warnings))
}

/// The status that the measurement reached.
pub(in crate::problems) fn reached(
    measured: &Measured,
    goal: Goal,
    warnings: &mut Vec<String>,
) -> Status {
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
pub(in crate::problems) fn stopped(watch: &Watch) -> Status {
    use remapping::Observer;
    use std::ops::ControlFlow;
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
pub(in crate::problems) fn outer(found: &Measured, known: f64, least: f64) -> Bounds {
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
pub(in crate::problems) fn both(found: &Measured, least: f64) -> Both {
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
fn are_told(found: &Measured) -> bool {
    [found.gap, found.ruled_gap].into_iter().all(|gap| interval(found, gap).is_some())
}

/// The relative error of exact costs of policies.
const KNOWN: f64 = 1e-9;

/// An upper bound on the optimum, where remapping at this interval costs `known`. The proved
/// rounding error of long programs with many processors is far larger than that of sums of doubles.
pub(super) fn at_most(problem: &load_drift::LoadDrift, interval: u64, known: f64) -> f64 {
    let proved = Intervals::upper_bound(problem, interval, known);
    match problem.chain {
        ProcessChain::BirthDeath(_) => proved.min(known * (1.0 + KNOWN)),
        // Rows that miss 1 by a billionth define another program.
        ProcessChain::Dense(_) => proved,
    }
}

/// An excess over the lower bound, in percent of it.
pub(in crate::problems) fn percent(found: &Measured, above: f64) -> f64 {
    if above == 0.0 { 0.0 } else { 100.0 * above / found.lower.mean }
}

/// The interval of a gap in percent; `None` where the paths do not differ, which is no evidence
/// about others.
pub(in crate::problems) fn interval(found: &Measured, gap: Spread) -> Option<[f64; 2]> {
    (gap.low < gap.high).then(|| [gap.low, gap.high].map(|end| percent(found, end)))
}

/// A rule for a document, with its cost on the paths. The cost is exactly `never` if the rule never
/// remaps and that cost is known. Where paths do not bound the gap, its lower end is at most
/// `least`.
pub(in crate::problems) fn curve(
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

/// The most units that a remap can move: half of the processors are at either end.
fn most_moved(problem: &load_drift::LoadDrift) -> f64 {
    if problem.per_unit_moved == 0.0 {
        return 0.0;
    }
    let highest = problem.chain.levels() - 1;
    let half = problem.processors / 2;
    let moved = |high: usize| {
        let mut levels = vec![0; problem.processors];
        levels[..high].fill(highest);
        problem.units_moved(&levels)
    };
    [half, half + problem.processors % 2].into_iter().map(moved).max().unwrap_or(0) as f64
}

/// The most products of probabilities (about 30 ns each), and of totals times steps, for evaluating
/// an interval.
const QUICK: u64 = 30_000_000;

/// Evaluates the interval of least average cost if that takes at most `quick` products. Remaps must
/// cost the same everywhere and take effect at once. Otherwise the answer says that none was
/// evaluated.
pub(super) fn compare_an_interval(
    answer: &mut Answer,
    model: &LoadDrift,
    problem: &load_drift::LoadDrift,
    quick: u64,
) {
    let interval = answer.least_average_cost;
    let levels = problem.chain.levels() as u64;
    let totals = levels.saturating_mul(problem.processors as u64);
    // Distributions of totals are convolved.
    let each = levels.saturating_pow(3).saturating_add(totals.saturating_mul(totals));
    let work = each.saturating_mul(interval).saturating_add(totals.saturating_mul(problem.steps));
    if problem.per_unit_moved > 0.0 || !model.stops() || work > quick {
        answer.intervals_evaluated = Some(0);
    } else if interval < problem.steps {
        let outcome = Intervals::only(problem, interval);
        if outcome.value < answer.never.value {
            answer.best_fixed = of_outcome(Some(interval), &outcome);
        }
    }
}

pub(super) fn lay_out(
    model: &LoadDrift,
    (problem, unremapped): (&load_drift::LoadDrift, Unremapped),
    rule: &load_drift::Curve,
    found: Option<&Measured>,
    watch: &Watch,
) -> Answer {
    let Unremapped { never, least_average_cost } = unremapped;
    let fixed = Fixed { interval: None, value: never.value, utilization: never.utilization() };
    // Paths that bound every gap need no other bound.
    let told = found.is_none_or(are_told);
    let least = if told { f64::INFINITY } else { at_least(problem, watch) };
    // Costs are not negative, and never remapping is a policy.
    let none = Bounds { lower: 0.0, upper: never.value };
    Answer {
        remap_cost: problem.remap_cost + problem.per_unit_moved * most_moved(problem),
        states: model.states(),
        representation: Representation::Bounds,
        statistical: true,
        remaps: found.map(|found| found.remaps),
        value_bounds: found.map_or(none, |found| outer(found, never.value, least)),
        bounds: found.map(|found| both(found, least)),
        gap_percent: found.map(|found| percent(found, found.gap.mean)),
        gap_interval: found.and_then(|found| interval(found, found.gap)),
        paths: found.map(|found| found.paths),
        best_fixed: fixed,
        never: fixed,
        least_average_cost,
        threshold_curve: found.map(|found| curve(rule, found, (least, Some(never.value)))),
        ..posed(problem, model.overlap())
    }
}
