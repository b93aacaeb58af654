//! The results for documents: a line for each method, and one for the interval of least cost.

use super::answer::{BestSoFar, CostLine, Line, Steps};
use super::curve::MAX_CURVE;
use crate::run::Watch;
use remapping::Status;
use remapping::estimate::Estimate;
use remapping::periodic::{
    Approximation, Bound, CostAware, Crossing, ExpectedImbalance, Guarantee, Kind, Method,
    Processors, sampled_max_deviation,
};

/// The number of sample paths of the simulated deviation, and the most changes drawn for them.
const PATHS: u64 = 400;
const MAX_DRAWS: u64 = 40_000_000;

/// The seed of the simulated deviation, which is used where no exact one exists.
const SEED: u64 = 1;

/// The name of the bounded quantity in documents, and the bound.
pub(super) fn quantity(bound: Bound) -> (String, f64) {
    match bound {
        Bound::MaxDeviation(limit) => ("max_deviation".to_owned(), limit),
        Bound::RmsDeviation(limit) => ("rms_deviation".to_owned(), limit),
    }
}

/// The name of a method in documents and tables.
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

/// The guarantee of a method, in words.
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

/// The line of one method.
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
        error: (interval != Steps::NotComputed).then_some(method.error),
        confidence: None,
    }
}

/// The interval of a method as the document states it.
fn told(method: &Method) -> Steps {
    match method.interval.steps {
        _ if method.is_missing() => Steps::NotComputed,
        None => Steps::Never,
        Some(steps) if method.status == Status::Converged => Steps::Known(steps),
        Some(steps) => Steps::AtLeast(steps),
    }
}

/// A warning where the bound is met as closely as numbers can be computed.
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

/// The interval of the simulated d(t) with its confidence interval, near the exact crossing.
pub(super) fn simulated_deviation(
    processors: &Processors,
    limit: f64,
    near: &Crossing,
) -> Option<Line> {
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
        error: None,
        confidence: Some((
            crossing(|found| found.upper).unwrap_or(last),
            crossing(|found| found.lower),
        )),
    })
}

/// The line for the interval of least cost.
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

/// The line from the result of the search, the mean load at the end of the interval, and the
/// largest deviation there with its numerical error.
pub(super) fn cheapest(
    remap_cost: f64,
    found: &CostAware,
    average: Option<f64>,
    deviation: Option<Approximation>,
) -> CostLine {
    // Ratios need a positive mean load.
    let average = average.filter(|average| *average > 0.0);
    let line = CostLine { remap_cost, ..CostLine::default() };
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
