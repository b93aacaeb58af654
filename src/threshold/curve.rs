//! The threshold curve: one certified interval per step, runs of equal steps kept as one.

use crate::Bounds;
use crate::rounding::scaled;
use serde::{Deserialize, Serialize};

impl Bounds {
    /// Remapping never pays.
    pub const NEVER: Bounds = Bounds { lower: 1.0, upper: 1.0 };

    /// Of a threshold between these odds.
    pub(super) fn of_odds(lower: f64, upper: f64) -> Bounds {
        Bounds { lower: probability::<false>(lower), upper: probability::<true>(upper) }
    }
}

/// p = o / (1 + o), rounded outward within \[0, 1\].
fn probability<const UPPER: bool>(odds: f64) -> f64 {
    let p = if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 };
    scaled::<UPPER>(p).clamp(0.0, 1.0)
}

impl From<(f64, f64)> for Bounds {
    fn from((lower, upper): (f64, f64)) -> Bounds {
        Bounds { lower, upper }
    }
}

impl From<[f64; 2]> for Bounds {
    fn from([lower, upper]: [f64; 2]) -> Bounds {
        Bounds { lower, upper }
    }
}

/// Steps `first..=last` share `bounds`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// First step.
    pub first: u64,
    /// Last step.
    pub last: u64,
    /// Their threshold.
    pub bounds: Bounds,
}

/// pi_n for a range of steps ending at M.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// In descending order of steps, without gaps.
    runs: Vec<Run>,
}

/// Of runs in ascending order of steps, without gaps. Equal neighbours become one.
impl FromIterator<Run> for Curve {
    fn from_iter<I: IntoIterator<Item = Run>>(runs: I) -> Curve {
        let mut joined: Vec<Run> = Vec::new();
        for run in runs {
            match joined.last_mut() {
                Some(last) if last.bounds == run.bounds => last.last = run.last,
                _ => joined.push(run),
            }
        }
        joined.reverse();
        Curve { runs: joined }
    }
}

impl Curve {
    /// Adds the steps `first..=last`, just below those already there.
    pub(crate) fn extend_down(&mut self, first: u64, last: u64, bounds: Bounds) {
        match self.runs.last_mut() {
            Some(run) if run.bounds == bounds => run.first = first,
            _ => self.runs.push(Run { first, last, bounds }),
        }
    }

    /// The steps below those already there as `other` has them.
    pub(super) fn complete(&mut self, other: &Curve) {
        let covered = self.first_step().unwrap_or(u64::MAX);
        for run in other.runs.iter().filter(|run| run.first < covered) {
            self.extend_down(run.first, run.last.min(covered - 1), run.bounds);
        }
    }

    /// Drops the steps below `first`.
    pub(crate) fn forget_below(&mut self, first: u64) {
        while self.runs.last().is_some_and(|run| run.last < first) {
            self.runs.pop();
        }
        if let Some(run) = self.runs.last_mut() {
            run.first = run.first.max(first);
        }
    }

    /// The runs, from step 0 (or the first step reached) up to M.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = &Run> + ExactSizeIterator {
        self.runs.iter().rev()
    }

    /// The first step covered: 0 for a finished solve; `None` for an empty curve.
    pub fn first_step(&self) -> Option<u64> {
        self.runs.last().map(|run| run.first)
    }

    /// The threshold of step `n`, if covered. O(log runs).
    pub fn at(&self, n: u64) -> Option<Bounds> {
        let from = self.runs.partition_point(|run| run.first > n);
        self.runs.get(from).filter(|run| run.last >= n).map(|run| run.bounds)
    }

    /// The widest certificate on the curve.
    pub fn width(&self) -> f64 {
        self.runs.iter().map(|run| run.bounds.width()).fold(0.0, f64::max)
    }
}
