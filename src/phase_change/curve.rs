//! Threshold curves: one certified interval per step, with equal consecutive steps stored as one
//! run.
//!
//! Memory O(runs); lookup O(log runs).

use crate::Bounds;
use crate::rounding::scaled;
use serde::{Deserialize, Serialize};

impl Bounds {
    /// The threshold of a step at which remapping never pays.
    pub const NEVER: Bounds = Bounds { lower: 1.0, upper: 1.0 };

    /// Whether the bounds are ordered and lie within \[0, 1\].
    pub(crate) fn is_of_probability(&self) -> bool {
        0.0 <= self.lower && self.lower <= self.upper && self.upper <= 1.0
    }

    /// Bounds on a threshold, from bounds on its odds.
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

/// Steps `first..=last` have the threshold `bounds`.
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

/// Thresholds pi_n for a range of steps that ends at M.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// In descending order of steps, without gaps.
    runs: Vec<Run>,
}

/// From runs in ascending order of steps, without gaps. Equal neighbors are joined.
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
    /// Whether all bounds are probabilities and the runs have no gaps; checked for curves that were
    /// read.
    pub(crate) fn is_valid(&self) -> bool {
        let sound = |run: &Run| run.first <= run.last && run.bounds.is_of_probability();
        let joined = |pair: &[Run]| pair[1].last.checked_add(1) == Some(pair[0].first);
        self.runs.iter().all(sound) && self.runs.windows(2).all(joined)
    }

    /// Adds the steps `first..=last`, which must end just below the first step covered.
    pub(crate) fn extend_down(&mut self, first: u64, last: u64, bounds: Bounds) {
        match self.runs.last_mut() {
            Some(run) if run.bounds == bounds => run.first = first,
            _ => self.runs.push(Run { first, last, bounds }),
        }
    }

    /// Adds the steps below the first one covered from `other`.
    pub(super) fn complete(&mut self, other: &Curve) {
        let covered = self.first_step().unwrap_or(u64::MAX);
        for run in other.runs.iter().filter(|run| run.first < covered) {
            self.extend_down(run.first, run.last.min(covered - 1), run.bounds);
        }
    }

    /// For each step the narrower bounds of the two curves. `other` must enclose the same
    /// thresholds, from the last step on.
    pub(crate) fn closer(&self, other: &Curve) -> Curve {
        let mut all = Curve::default();
        let mut k = 0;
        for run in &self.runs {
            let mut last = Some(run.last);
            while let Some(n) = last {
                while other.runs.get(k).is_some_and(|its| its.first > n) {
                    k += 1;
                }
                let (first, bounds) = match other.runs.get(k) {
                    Some(its) if its.bounds.width() < run.bounds.width() => (its.first, its.bounds),
                    Some(its) => (its.first, run.bounds),
                    None => (0, run.bounds),
                };
                let first = first.max(run.first);
                all.extend_down(first, n, bounds);
                last = (first > run.first).then(|| first - 1);
            }
        }
        all
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

    /// The greatest width of a threshold's bounds.
    pub fn width(&self) -> f64 {
        self.runs.iter().map(|run| run.bounds.width()).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Stream, stream};
    use rand::RngExt;

    /// Runs of all lengths, with equal thresholds in several runs.
    fn curve(random: &mut Stream, first: u64, last: u64) -> Curve {
        let mut curve = Curve::default();
        let mut end = Some(last);
        while let Some(last) = end.filter(|last| *last >= first) {
            let start = random.random_range(first..=last);
            let lower = random.random_range(0..3) as f64 / 10.0;
            let upper = lower + random.random_range(0..3) as f64 / 10.0;
            curve.extend_down(start, last, Bounds { lower, upper });
            end = start.checked_sub(1);
        }
        curve
    }

    #[test]
    fn the_closer_of_two_curves_is_so_at_every_step() {
        for seed in 0..500 {
            let random = &mut stream(35, seed);
            let last = random.random_range(0..30);
            let from = random.random_range(0..=last);
            let (own, other) = (curve(random, 0, last), curve(random, from, last));
            let closer = own.closer(&other);
            assert_eq!(closer.first_step(), Some(0), "seed {seed}");
            assert_eq!(closer.at(last + 1), None, "seed {seed}");
            for n in 0..=last {
                let (own, its) = (own.at(n).unwrap(), other.at(n));
                let expected = its.filter(|its| its.width() < own.width()).unwrap_or(own);
                assert_eq!(closer.at(n), Some(expected), "seed {seed}, step {n}");
            }
        }
    }
}
