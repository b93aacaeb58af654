//! The `Periodic` problem: from model to intervals.

use super::super::{Found, Settings};
use super::chain;
use crate::model::periodic::Periodic;
use crate::run::Watch;
use crate::solution::Body;
use crate::solution::periodic::{Answer, BestSoFar, CostLine, Line, Period, Simulated, Steps};
use remapping::estimate::Estimate;
use remapping::interval::{
    Approximation, Bound, CostAware, Crossing, ExpectedImbalance, Guarantee, Kind, Method,
    Processors, cost_aware, first_passage, methods, negative_load, negative_load_of_dependent,
    sampled_max_deviation,
};
use remapping::{Observer, Status};
use std::ops::{ControlFlow, RangeInclusive};

/// Most entries of the deviation curve.
pub(super) const MAX_CURVE: u64 = 1_000;

/// Terms summed at most for the deviation curve, a few seconds on one core.
pub(super) const CURVE_TERMS: u64 = 200_000_000;

/// Sample paths of the simulated deviation, and the most changes drawn for them.
const PATHS: u64 = 400;
const MAX_DRAWS: u64 = 40_000_000;

/// Steps after which sample paths that have not violated the bound are given up.
const MAX_STEPS: u64 = 100_000;

/// Seed of the simulated deviation that stands in where nothing exact exists.
const SEED: u64 = 1;

/// The name of a method in solutions and tables.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Exact => "exact",
        Kind::OrderStatistics => "order_statistics",
        Kind::OrderStatisticsOneSided => "order_statistics_one_sided",
        Kind::DistributionFree => "distribution_free",
        Kind::NormalExtremes => "normal_extremes",
        Kind::GaussianAbs => "gaussian_abs",
        Kind::RmsBound => "rms_bound",
        Kind::ClosedForm => "closed_form",
    }
}

/// What a method promises, in words.
fn promise(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Exact => "the longest interval",
        Guarantee::Safe => "safe for any law; longer intervals may be",
        Guarantee::OneSided => "bounds E max - mean only",
        Guarantee::TwoSided => "bounds E max - mean and mean - E min",
        Guarantee::TwoSidedAnyLaw => "bounds E max - mean and mean - E min for any law",
        Guarantee::Approximate => "approximation for long intervals",
    }
}

/// The answer of one method.
pub(super) fn line(method: &Method) -> Line {
    let interval = told(method);
    let guarantee = match interval {
        Steps::AtLeast(_) => "at least: the search for the longest was stopped",
        Steps::NotComputed => "the search was stopped before it had decided a step",
        Steps::Known(_) | Steps::Never => promise(method.kind.guarantee()),
    };
    Line {
        name: name(method.kind).to_owned(),
        interval,
        at_least: interval.at_least(),
        real: method.interval.real,
        guarantee: guarantee.to_owned(),
        error: method.error,
        confidence: None,
    }
}

/// What a method found, as it is told.
fn told(method: &Method) -> Steps {
    match method.interval.steps {
        _ if method.is_missing() => Steps::NotComputed,
        None => Steps::Never,
        Some(steps) if method.status == Status::Converged => Steps::Known(steps),
        Some(steps) => Steps::AtLeast(steps),
    }
}

/// Solves a periodic problem.
pub fn solve(problem: &Periodic, bound: Bound, settings: &Settings, watch: &Watch) -> Found {
    if let Some(loads) = problem.chain_loads() {
        return chain::solve(problem, &loads, bound, settings, watch);
    }
    let processors = problem.processors();
    let found = methods(&processors, bound, watch);
    let mut warnings = Vec::new();
    let mut status = Status::Converged;
    for method in &found {
        if method.status != Status::Converged {
            status = method.status;
        }
        warnings.extend(tie(method));
    }
    let first = &found[0];
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
    // What is finished when the time is up is not made less by it.
    let dependent = problem.has_covariance();
    let mut cut = warn_of_loads(&processors, dependent, interval, &mut warnings, watch);
    let cost_aware = problem.remap_cost().and_then(|cost| {
        if dependent {
            warnings.push(
                "the interval of least cost is of independent changes: with `covariance` there is none"
                    .to_owned(),
            );
            return None;
        }
        let found = cost_aware(&processors, cost, watch);
        match found {
            Some(found) => {
                if found.status != Status::Converged {
                    status = found.status;
                }
                let line = cost_line(&processors, cost, &found, watch);
                cut |= line.interval.number().is_some() && line.tolerance_max_deviation.is_none();
                Some(line)
            }
            None => {
                warnings.push("the interval of least cost needs laws, not only moments".to_owned());
                None
            }
        }
    });
    let simulated = settings.simulate.and_then(|runs| {
        let runs = runs.max(2);
        let last = interval.map_or(MAX_CURVE, |steps| steps.saturating_mul(4).saturating_add(100));
        let last = last.min(MAX_STEPS);
        match first_passage(&processors, bound, runs, settings.seed, last, watch) {
            Some(passage) => {
                if passage.censored > 0 {
                    warnings.push(format!(
                        "{} of {runs} sample paths stayed within the bound for {last} steps: their mean \
                         first passage is too small",
                        passage.censored
                    ));
                }
                Some(Simulated {
                    runs,
                    seed: settings.seed,
                    steps: passage.steps,
                    censored: passage.censored,
                })
            }
            None if watch.check().is_break() => {
                cut = true;
                None
            }
            None => {
                warnings.push("sample paths need independent changes of known laws".to_owned());
                None
            }
        }
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
    // Last: it may take longer than all else.
    let curve = curve(&processors, bound, &found, watch);
    cut |= curve.cut;
    if let (true, ControlFlow::Break(halt)) = (cut, watch.check()) {
        status = halt.into();
    }
    let (quantity, limit) = match bound {
        Bound::MaxDeviation(limit) => ("max_deviation", limit),
        Bound::RmsDeviation(limit, _) => ("rms_deviation", limit),
    };
    let answer = Answer {
        quantity: quantity.to_owned(),
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

/// One period after the other: each starts from the mean load that is expected at the end of the one before. Ends where
/// a period never does, where none can be, and, with a status that says so, where the search for one is stopped, or there
/// are no numbers for its steps. The first is that of the answer.
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
        let Some(own) = problem.processors_at(&load) else { break };
        processors = own;
        method = methods(&processors, bound, watch)[0];
    }
    (found, method.status)
}

/// What to say where a bound is met as closely as can be computed.
pub(super) fn tie(method: &Method) -> Option<String> {
    let name = name(method.kind);
    if !method.tie {
        None
    } else if method.status == Status::Converged {
        Some(format!("{name}: the bound is met exactly, up to rounding; a tie keeps it"))
    } else {
        let next = method.interval.steps.map_or(0, |steps| steps + 1);
        let error = method.error;
        Some(format!(
            "{name}: after {next} steps the imbalance is within {error:.1e} of the bound, too near to tell \
             whether it is kept"
        ))
    }
}

/// The last step of a curve that ends before the interval.
pub(super) fn ends_early(curve: &[f64], interval: Option<u64>) -> Option<u64> {
    let last = curve.len().saturating_sub(1) as u64;
    interval.is_some_and(|steps| steps > last).then_some(last)
}

struct DeviationCurve {
    values: Vec<f64>,
    error: f64,
    kind: &'static str,
    /// The time was up before it was finished.
    cut: bool,
}

/// The imbalance step by step, past the ends of the methods' intervals (of those at most twice as
/// long as the best one's), or past its maximum if that never ends.
fn curve(
    processors: &Processors,
    bound: Bound,
    methods: &[Method],
    watch: &Watch,
) -> DeviationCurve {
    let interval = methods[0].interval.steps;
    let shown = |steps: u64| {
        let ends = methods.iter().filter_map(|method| method.interval.steps);
        ends.filter(|end| *end / 2 <= steps).max().unwrap_or(steps).saturating_add(1)
    };
    let peak =
        if processors.mean() > 0.0 { 2.0 * processors.load() / processors.mean() } else { 100.0 };
    let mut last = interval.map_or(peak as u64, shown).min(MAX_CURVE);
    last = last.min(processors.moments().last_positive().unwrap_or(last));
    let times = 0..=last;
    if let Bound::RmsDeviation(_, variance) = bound {
        return root_mean_square(processors, variance, "v(t)", times);
    }
    let Some(imbalance) = ExpectedImbalance::new(processors) else {
        return root_mean_square(processors, None, "v(t), not below d(t)", times);
    };
    let mut error = 0.0_f64;
    let values = imbalance.watched(watch).curve(last, CURVE_TERMS);
    let values = values.iter().enumerate().map(|(time, found)| {
        let average = processors.mean_load(time as f64);
        error = error.max(found.error / average);
        found.value / average
    });
    let values: Vec<f64> = values.collect();
    let cut = values.len() as u64 <= last && watch.check().is_break();
    DeviationCurve { values, error, kind: "d(t)", cut }
}

/// What rounding does to a relative deviation that is not worth saying.
const ROUNDED: f64 = 1e-12;

/// v(t) at these times. Where the mean load is all but 0, what its own rounding does to it.
fn root_mean_square(
    processors: &Processors,
    variance: Option<f64>,
    kind: &'static str,
    times: RangeInclusive<u64>,
) -> DeviationCurve {
    let mut error = 0.0_f64;
    let values = times.map(|step| {
        let time = step as f64;
        let value = processors.rms_deviation(time, variance);
        let lost = processors.rounding_of_mean_load(time) / processors.mean_load(time);
        if lost > ROUNDED {
            error = error.max(value * lost).min(f64::MAX);
        }
        value
    });
    DeviationCurve { values: values.collect(), error, kind, cut: false }
}

/// The interval of the simulated d(t), with its confidence interval, about as far as it may matter.
fn simulated_deviation(processors: &Processors, limit: f64, near: &Crossing) -> Option<Line> {
    let last = near.steps.map_or(MAX_CURVE, |steps| steps.saturating_mul(2).saturating_add(20));
    if last.saturating_mul(PATHS * processors.count() as u64) > MAX_DRAWS {
        return None;
    }
    let sampled = sampled_max_deviation(processors, PATHS, SEED, last)?;
    let crossing = |read: fn(&Estimate) -> f64| {
        let exceeds = |(index, found): (usize, &Estimate)| {
            let average = processors.mean_load((index + 1) as f64);
            average <= 0.0 || read(found) > limit * average
        };
        sampled.iter().enumerate().position(exceeds).map(|index| index as u64)
    };
    let interval = crossing(|found| found.value);
    Some(Line {
        name: "simulation".to_owned(),
        interval: interval.map_or(Steps::AtLeast(last), Steps::Known),
        at_least: interval.is_none().then_some(last),
        real: None,
        guarantee: "sample mean of d(t); 95 % confidence interval, sampled".to_owned(),
        error: 0.0,
        confidence: Some((
            crossing(|found| found.upper).unwrap_or(last),
            crossing(|found| found.lower),
        )),
    })
}

/// Says when a mean load that falls reaches zero.
pub(super) fn warn_of_falling(processors: &Processors, warnings: &mut Vec<String>) {
    if processors.mean() < 0.0 {
        let end = processors.load() / -processors.mean();
        warnings.push(format!(
            "the mean load falls and reaches zero after {end:.6} steps: the relative imbalance has no \
             meaning from there, and every interval ends before"
        ));
    }
}

/// Says how likely loads are to fall below zero, and whether the time was up before that was known.
fn warn_of_loads(
    processors: &Processors,
    dependent: bool,
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
    let chance = if dependent { negative_load_of_dependent } else { negative_load };
    let found = chance(processors, within, watch);
    // Smaller ones are lost in the ends of the laws that are cut off.
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

/// What an interval of least cost comes to.
pub(super) fn cost_line(
    processors: &Processors,
    remap_cost: f64,
    found: &CostAware,
    watch: &Watch,
) -> CostLine {
    let average = found.steps.map(|steps| processors.mean_load(steps as f64));
    let mut imbalance =
        ExpectedImbalance::new(processors).map(|imbalance| imbalance.watched(watch));
    let deviation = found.steps.and_then(|steps| Some(imbalance.as_mut()?.max_deviation(steps)));
    cheapest(remap_cost, found, average, deviation.filter(|found| found.value.is_finite()))
}

/// From the search's outcome, the mean load at the end of the interval, and the largest deviation there with its
/// numerical error.
pub(super) fn cheapest(
    remap_cost: f64,
    found: &CostAware,
    average: Option<f64>,
    deviation: Option<Approximation>,
) -> CostLine {
    // Where no load is left nothing is a part of it.
    let average = average.filter(|average| *average > 0.0);
    let line = CostLine {
        remap_cost,
        interval: Steps::NotComputed,
        cost_per_step: None,
        best_so_far: None,
        tolerance_max_over_mean: None,
        tolerance_max_deviation: None,
        tolerance_max_deviation_error: None,
    };
    if found.status != Status::Converged {
        let best = |interval| BestSoFar {
            interval,
            cost_per_step: found.cost_per_step,
            looked_through: found.looked_through,
        };
        return CostLine { best_so_far: found.steps.map(best), ..line };
    }
    CostLine {
        interval: found.steps.map_or(Steps::Never, Steps::Known),
        cost_per_step: Some(found.cost_per_step),
        tolerance_max_over_mean: average.map(|average| found.imbalance / average),
        tolerance_max_deviation: average.zip(deviation).map(|(average, d)| d.value / average),
        tolerance_max_deviation_error: average.zip(deviation).map(|(average, d)| d.error / average),
        ..line
    }
}
