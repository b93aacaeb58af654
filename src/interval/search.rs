//! The longest interval, by as few evaluations of the imbalance as can prove it.

use std::ops::ControlFlow;

use super::{Approximation, Crossing};
use crate::observer::{Observer, Status};

/// Outcome of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// The interval; where the search was stopped, the steps proved so far.
    pub interval: Crossing,
    /// Converged, or why the search ended before.
    pub status: Status,
    /// The bound was met so closely somewhere that the error could hide a crossing.
    pub tie: bool,
    /// Largest numerical error, relative to the mean load, of the values the answer rests on.
    pub error: f64,
}

/// What a value within its error of the bound means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// That the bound is kept.
    Keep,
    /// That nobody knows.
    Stop,
}

/// Finds the largest `T` with `excess(t) <= bound * (load + mean * t)` for `t = 1..=T`.
///
/// `excess(t) = E f(S_t)` for a sum `S_t` of `t` independent, identically distributed vectors and a
/// convex, positively homogeneous `f`, such as the expected largest deviation. Then `E f(S_t) / t`
/// does not increase, since `E[S_t | S_u] = (t/u) S_u` for `t <= u` and Jensen's inequality: one
/// value at `t` proves all times up to the one where `excess(t) / t` would reach the bound, and all
/// times at once where it never would. About `log log T` evaluations lead up to the crossing, a
/// few more cross it.
///
/// A value within its own error of the bound is a tie. Where errors are of rounding, ties keep the
/// bound (`Ties::Keep`); otherwise (`Ties::Stop`) the search ends there, with
/// [`Status::IterationLimit`].
///
/// A halt or `limit` evaluations end the search with its status and what is proved by then.
pub fn longest(
    load: f64,
    mean: f64,
    bound: f64,
    (limit, ties): (u64, Ties),
    observer: &dyn Observer,
    mut excess: impl FnMut(u64) -> Approximation,
) -> Search {
    let mut search =
        Search { interval: Crossing::at(0.0), status: Status::Converged, tie: false, error: 0.0 };
    let mut proved = 0_u64;
    let mut before = 0.0;
    for evaluation in 0..limit {
        if let ControlFlow::Break(halt) = observer.progress(evaluation, evaluation + 2) {
            return search.stopped(proved, halt.into());
        }
        let time = proved + 1;
        let average = load + mean * time as f64;
        if average <= 0.0 {
            search.interval = Crossing::before(load / -mean);
            return search;
        }
        let found = excess(time);
        // It may have been given up.
        if let ControlFlow::Break(halt) = observer.check() {
            return search.stopped(proved, halt.into());
        }
        let allowed = bound * average;
        search.error = search.error.max(found.error / average);
        let tie = (found.value - allowed).abs() <= found.error;
        search.tie |= tie;
        if tie && ties == Ties::Stop {
            return search.stopped(proved, Status::IterationLimit);
        }
        if found.value - found.error > allowed {
            let ratio = found.value / average;
            let part = if ratio > before {
                ((bound - before) / (ratio - before)).clamp(0.0, 1.0)
            } else {
                0.0
            };
            search.interval = Crossing { steps: Some(proved), real: Some(proved as f64 + part) };
            return search;
        }
        proved = time;
        before = found.value / average;
        // Times u >= t with (u/t) excess(t) <= bound (load + mean u).
        let rate = (found.value + found.error) / time as f64 - bound * mean;
        let far = if rate <= 0.0 { f64::INFINITY } else { bound * load / rate };
        let end = if mean < 0.0 { load / -mean } else { f64::INFINITY };
        if far == f64::INFINITY && end == f64::INFINITY {
            search.interval = Crossing::NEVER;
            return search;
        }
        // One step less than the bound allows, so that the value next to the crossing is known.
        let far = far.min(end).min(1e15);
        if far > (time + 3) as f64 {
            proved = far as u64 - 2;
            before = f64::NAN;
        }
    }
    search.stopped(proved, Status::IterationLimit)
}

impl Search {
    fn stopped(mut self, proved: u64, status: Status) -> Self {
        self.interval = Crossing { steps: Some(proved), real: None };
        self.status = status;
        self
    }
}
