//! Search for the longest interval, with few evaluations of the imbalance that nevertheless prove
//! every step.

use std::ops::ControlFlow;

use super::deviation::lead::{Decided, Lead};
use super::{Approximation, Crossing, Processors};
use crate::decimal::written;
use crate::observer::{Observer, Status};

/// Outcome of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// The interval; where the search was stopped, the steps proved so far.
    pub interval: Crossing,
    /// Converged, or why the search ended before.
    pub status: Status,
    /// The bound was met so closely at some step that the error could hide a crossing.
    pub tie: bool,
    /// Largest numerical error, relative to the mean load, of the values on which the result rests.
    pub error: f64,
}

/// Errors above this share of what is allowed are not rounding.
pub(super) const ROUNDING: f64 = 1e-10;

/// Longest interval that is searched for.
const LONGEST: f64 = 1e15;

/// Uncertainty of a real crossing that does not affect six decimal places.
const SHOWN: f64 = 1e-6;

/// Meaning of a value within its error of the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The bound holds.
    Keep,
    /// Undecided; the search stops.
    Stop,
}

/// Finds the largest `T` with `excess(t) <= bound * (load + mean * t)` for `t = 1..=T`, and the
/// mean load above zero.
///
/// Let `excess(t) = E f(S_t)` for a sum `S_t` of `t` independent, identically distributed vectors
/// and a convex, positively homogeneous `f`, such as the expected largest deviation. Then `E f(S_t)
/// / t` does not increase, by `E[S_t | S_u] = (t/u) S_u` for `t <= u` and Jensen's inequality. One
/// value at `t` therefore proves all times up to that where `excess(t) / t` would reach the bound,
/// or all times if it never would. About `log log T` evaluations lead up to the crossing, and a few
/// more cross it.
///
/// A value within its own error of the bound is a tie. Where errors are rounding, ties satisfy the
/// bound (`Ties::Keep`). Otherwise (`Ties::Stop`, or a larger share of what is allowed) the search
/// ends there, with [`Status::IterationLimit`].
///
/// A halt, `limit` evaluations or an interval beyond 10^15 steps end the search with its status and
/// the steps proved so far.
pub fn longest(
    processors: &Processors,
    bound: f64,
    limits: (u64, Ties),
    observer: &dyn Observer,
    excess: impl FnMut(u64) -> Approximation,
) -> Search {
    longest_with(processors, bound, limits, None, observer, excess)
}

/// The same with an optional lead (see the module on leads). Once the other deviations are far
/// enough behind, `excess` is known without evaluation; so is an interval too long to evaluate.
pub(super) fn longest_with(
    processors: &Processors,
    bound: f64,
    (limit, ties): (u64, Ties),
    lead: Option<&Lead>,
    observer: &dyn Observer,
    mut excess: impl FnMut(u64) -> Approximation,
) -> Search {
    let interval = Crossing { steps: Some(0), real: None };
    let mut search = Search { interval, status: Status::Converged, tie: false, error: 0.0 };
    let (load, mean) = (processors.load(), processors.mean());
    let exact_bound = written(bound);
    let last = processors.moments().last_positive();
    let mut proved = 0_u64;
    let mut before = Approximation { value: 0.0, error: 0.0 };
    for evaluation in 0..limit {
        if let ControlFlow::Break(halt) = observer.progress(evaluation, evaluation + 2) {
            return search.stopped(proved, halt.into());
        }
        if last == Some(proved) {
            search.interval = Crossing { steps: last, real: Some(load / -mean) };
            return search;
        }
        let time = proved + 1;
        match lead.and_then(|lead| lead.decides(processors, &exact_bound, time)) {
            // The number of steps exceeds the range of `u64`.
            Some(Decided::Interval(Crossing { steps: Some(u64::MAX), .. })) => {
                return search.stopped(u64::MAX, Status::IterationLimit);
            }
            Some(Decided::Interval(interval)) => return Search { interval, ..search },
            Some(Decided::Tie(interval)) => {
                let found = Search { interval, tie: true, ..search };
                let before = interval.steps.unwrap_or(u64::MAX) - 1;
                return match ties {
                    Ties::Keep => found,
                    Ties::Stop => found.stopped(before, Status::IterationLimit),
                };
            }
            None => {}
        }
        let average = processors.mean_load_after(time);
        let found = excess(time);
        // The evaluation may have been halted.
        if let ControlFlow::Break(halt) = observer.check() {
            return search.stopped(proved, halt.into());
        }
        let allowed = bound * average;
        search.error = search.error.max(found.error / average);
        let tie = (found.value - allowed).abs() <= found.error;
        search.tie |= tie;
        if tie && (ties == Ties::Stop || found.error > ROUNDING * allowed) {
            return search.stopped(proved, Status::IterationLimit);
        }
        let ratio = Approximation { value: found.value / average, error: found.error / average };
        if found.value - found.error > allowed {
            let real = part(bound, before, ratio).map(|part| proved as f64 + part);
            search.interval = Crossing { steps: Some(proved), real };
            return search;
        }
        proved = time;
        before = ratio;
        // Times u >= t with (u/t) excess(t) <= bound (load + mean u).
        let rate = (found.value + found.error) / time as f64 - bound * mean;
        let far = if rate <= 0.0 { f64::INFINITY } else { bound * load / rate };
        let end = last.map_or(f64::INFINITY, |last| last as f64);
        if far == f64::INFINITY && end == f64::INFINITY {
            search.interval = Crossing::NEVER;
            return search;
        }
        // One step less than the bound allows, so that the value next to the crossing is known.
        let far = far.min(end);
        if far >= LONGEST {
            return search.stopped(LONGEST as u64, Status::IterationLimit);
        }
        if far > (time + 3) as f64 {
            proved = far as u64 - 2;
            before = Approximation { value: f64::NAN, error: f64::NAN };
        }
    }
    search.stopped(proved, Status::IterationLimit)
}

/// Position of the bound between two steps, if the errors leave it certain.
fn part(bound: f64, before: Approximation, after: Approximation) -> Option<f64> {
    let between = |sign: f64| {
        let (low, high) = (before.value + sign * before.error, after.value + sign * after.error);
        ((bound - low) / (high - low)).clamp(0.0, 1.0)
    };
    let known = (between(1.0) - between(-1.0)).abs() < SHOWN;
    known.then(|| between(0.0))
}

impl Search {
    pub(super) fn stopped(mut self, proved: u64, status: Status) -> Self {
        self.interval = Crossing { steps: Some(proved), real: None };
        self.status = status;
        self
    }
}
