//! The imbalance step by step, for pictures and tables.

use crate::run::Watch;
use remapping::Observer;
use remapping::periodic::{Bound, ExpectedImbalance, Method, Processors};
use std::ops::RangeInclusive;

/// Most entries of the deviation curve.
pub(super) const MAX_CURVE: u64 = 1_000;

/// The most terms that are summed for the deviation curve: a few seconds on one core.
pub(super) const CURVE_TERMS: u64 = 200_000_000;

/// The last step of a curve that ends before the interval.
pub(super) fn ends_early(curve: &[f64], interval: Option<u64>) -> Option<u64> {
    let last = curve.len().saturating_sub(1) as u64;
    interval.is_some_and(|steps| steps > last).then_some(last)
}

/// Relative deviations from time 0 on.
pub(super) struct DeviationCurve {
    pub values: Vec<f64>,
    pub error: f64,
    pub kind: &'static str,
    /// The time limit ended it early.
    pub cut: bool,
}

/// The imbalance step by step. It extends past the ends of the methods' intervals, at most twice as
/// long as the best one's; if that never ends, past its maximum.
pub(super) fn curve(
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
    if let Bound::RmsDeviation(_) = bound {
        return root_mean_square(processors, "v(t)", times);
    }
    let Some(imbalance) = ExpectedImbalance::new(processors) else {
        return root_mean_square(processors, "v(t), not below d(t)", times);
    };
    let (values, error) = deviations(imbalance.watched(watch), processors, last, CURVE_TERMS);
    let cut = values.len() as u64 <= last && watch.check().is_break();
    DeviationCurve { values, error, kind: "d(t)", cut }
}

/// d(t) from time 0 to `last` with a bound on its error. It ends early where about `terms` terms
/// have been summed, or by a halt.
pub(super) fn deviations(
    mut imbalance: ExpectedImbalance<'_>,
    processors: &Processors,
    last: u64,
    terms: u64,
) -> (Vec<f64>, f64) {
    let mut error = 0.0_f64;
    let values = imbalance.curve(last, terms).into_iter().enumerate().map(|(time, found)| {
        let average = processors.mean_load_after(time as u64);
        error = error.max(found.error / average);
        found.value / average
    });
    (values.collect(), error)
}

/// The relative rounding error that is too small to report.
const ROUNDED: f64 = 1e-12;

/// v(t) at these times. Where the mean load is almost 0, the error includes that of its own
/// rounding.
fn root_mean_square(
    processors: &Processors,
    kind: &'static str,
    times: RangeInclusive<u64>,
) -> DeviationCurve {
    let mut error = 0.0_f64;
    let values = times.map(|step| {
        let time = step as f64;
        let value = processors.rms_deviation(time);
        let lost = processors.rounding_of_mean_load(time) / processors.mean_load(time);
        if lost > ROUNDED {
            error = error.max(value * lost).min(f64::MAX);
        }
        value
    });
    DeviationCurve { values: values.collect(), error, kind, cut: false }
}
