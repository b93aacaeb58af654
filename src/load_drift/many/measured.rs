//! Confidence intervals of both bounds and of the gap between them.

use super::lower_bound::candidates::Path;
use crate::Bounds;
use crate::communicator::{Communicator, Shares};
use crate::estimate::student_at;
use crate::load_drift::Curve;
use crate::observer::{Halt, Observer};
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};

/// Stopping rule of the simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Required gap relative to the lower bound; it is tested at the upper end of the confidence
    /// interval.
    pub gap: f64,
    /// Inner samples of a penalty: initial and largest number.
    pub inner: [usize; 2],
    /// Paths in a batch, and largest number of paths.
    pub paths: [u64; 2],
}

impl Goal {
    /// The default gap.
    pub const GAP: f64 = 2.5e-3;

    /// The default effort for a gap; fewer samples and paths where the gap is wide.
    pub fn of(gap: f64) -> Goal {
        let (inner, batch) = if gap >= WIDE { (4, 2) } else { (16, 4) };
        Goal { gap, inner: [inner, 64], paths: [batch, 64] }
    }
}

/// A gap from this value on is wide.
const WIDE: f64 = 0.1;

/// Estimate of an expectation: sample mean and confidence interval by Student's t.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Spread {
    /// From independent, identically distributed values at this confidence level; unbounded for a
    /// single value.
    pub fn of(values: &[f64], level: f64) -> Spread {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half = match n > 1.0 {
            true => student_at(n - 1.0, level) * (squares / (n - 1.0) / n).sqrt(),
            false => f64::INFINITY,
        };
        Spread { mean, low: mean - half, high: mean + half }
    }

    /// The same, but with zero width where the values differ by no more than rounding at costs of
    /// this size. The mean is then set to zero where it is no larger than that.
    fn unrounded(values: &[f64], level: f64, size: f64) -> Spread {
        let rounding = ROUNDING * size.abs();
        let first = values.first().copied().unwrap_or(0.0);
        if values.len() < 2 || values.iter().any(|value| (value - first).abs() > rounding) {
            return Spread::of(values, level);
        }
        let mean = if first.abs() > rounding { first } else { 0.0 };
        Spread { mean, low: mean, high: mean }
    }
}

/// Rounding error of sums over the steps of a path, relative to a cost.
const ROUNDING: f64 = 1e-11;

/// Statistical estimates of the optimal cost from sample paths.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The lower bound with its 99 % interval.
    pub lower: Spread,
    /// The cost of the policy with its 99 % interval, penalties subtracted (as control variates).
    pub upper: Spread,
    /// Upper minus lower bound on the same paths, with its 95 % interval.
    pub gap: Spread,
    /// The cost of the policy without penalties, with its 99 % interval.
    pub paid: Spread,
    /// Mean over the paths of the sum of the mean levels under the policy.
    pub work: f64,
    /// Mean number of remaps under the policy.
    pub remaps: f64,
    /// The cost of the curve policy with its 99 % interval, penalties subtracted.
    pub ruled: Spread,
    /// Cost of the curve policy minus the lower bound on the same paths, with its 95 % interval.
    pub ruled_gap: Spread,
    /// Mean number of remaps of the curve policy.
    pub ruled_remaps: f64,
    /// Number of paths.
    pub paths: u64,
    /// Inner samples of a penalty.
    pub inner: usize,
    /// Whether the goal was reached.
    pub reached: bool,
    /// Whether the caller stopped the simulation early.
    pub halted: Option<Halt>,
}

impl Measured {
    fn of(paths: &[Path], inner: usize) -> Measured {
        let all = |read: fn(&Path) -> f64| -> Vec<f64> { paths.iter().map(read).collect() };
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let size = mean(all(|path| path.upper.abs()));
        let spread = |read, level| Spread::unrounded(&all(read), level, size);
        Measured {
            lower: spread(|path| path.lower, 0.99),
            upper: spread(|path| path.upper, 0.99),
            gap: spread(|path| path.upper - path.lower, 0.95),
            paid: spread(|path| path.cost, 0.99),
            work: mean(all(|path| path.work)),
            remaps: mean(all(|path| path.remaps as f64)),
            ruled: spread(|path| path.ruled.0, 0.99),
            ruled_gap: spread(|path| path.ruled.0 - path.lower, 0.95),
            ruled_remaps: mean(all(|path| path.ruled.1 as f64)),
            paths: paths.len() as u64,
            inner,
            reached: false,
            halted: None,
        }
    }
}

/// Minimum sample before the gap is trusted: this many intervals between remaps in the first batch,
/// or otherwise this many batches. Most intervals contribute no gap, so a small sample may miss the
/// few that do. The number of batches must not depend on later paths: expensive programs with many
/// remaps would then be combined with fewer others.
const STRETCHES: f64 = 64.0;
const BATCHES: u64 = 4;

impl Measured {
    /// The outer ends of the intervals of both bounds. An interval without width is widened by
    /// rounding.
    pub fn outer(&self) -> Bounds {
        let off = |spread: Spread| match spread.low < spread.high {
            true => 0.0,
            false => ROUNDING * spread.mean.abs(),
        };
        let (lower, upper) = (self.lower.low - off(self.lower), self.upper.high + off(self.upper));
        Bounds { lower: lower.max(0.0), upper }
    }
}

/// A policy and a lower bound that are simulated path by path.
pub trait SamplePaths {
    /// The curve policy that approximates the policy by a few numbers.
    fn curve(&self) -> &Curve;

    /// Simulates some paths, with `inner` inner samples for each penalty.
    ///
    /// # Errors
    /// The halt that the observer requested.
    fn paths(
        &self,
        inner: usize,
        runs: Range<u64>,
        observer: &dyn Observer,
    ) -> Result<Vec<Path>, Halt>;

    /// Simulates batches of paths until the goal or the observer ends it. `None` if fewer than two
    /// paths were finished. The required number of paths is extrapolated from the standard error.
    /// If it exceeds half of the limit, the inner samples are doubled and earlier paths are
    /// discarded.
    fn measure(&self, goal: Goal, observer: &dyn Observer) -> Option<Measured> {
        play(goal, observer, |inner, runs| self.paths(inner, runs, observer))
    }

    /// The same on ranks that all hold the same policy. `together` stops all ranks when it stops
    /// one. Each rank simulates some paths; with many ranks, paths are simulated before they are
    /// requested. The result equals that of one rank.
    fn measure_together(
        &self,
        goal: Goal,
        (together, observer): (&dyn Observer, &dyn Observer),
        communicator: &dyn Communicator,
    ) -> Option<Measured> {
        let (rank, ranks) = (communicator.rank(), communicator.ranks());
        // Number of inner samples, index of the first path, and the paths.
        let mut known: (usize, u64, Vec<Path>) = (0, 0, Vec::new());
        play(goal, together, |inner, runs| {
            let end = known.1 + known.2.len() as u64;
            if known.0 != inner || runs.start < known.1 || runs.end > end {
                let batch = (runs.end - runs.start) as usize;
                let starts = Shares::evenly(ranks.next_multiple_of(batch).max(batch), ranks);
                let run = |rank: usize| runs.start + starts[rank] as u64;
                let own = self.paths(inner, run(rank)..run(rank + 1), observer);
                let mut halted = [Halt::code(own.as_ref().err().copied())];
                communicator.largest(&mut halted);
                if let Some(halt) = Halt::of_code(halted[0]) {
                    return Err(halt);
                }
                let own: Vec<f64> = own?.iter().flat_map(numbers).collect();
                let all = communicator.gather(&own);
                known = (inner, runs.start, all.as_chunks().0.iter().map(path).collect());
            }
            let first = (runs.start - known.1) as usize;
            Ok(known.2[first..first + (runs.end - runs.start) as usize].to_vec())
        })
    }
}

/// Numbers of a path.
const NUMBERS: usize = 7;

fn numbers(path: &Path) -> [f64; NUMBERS] {
    let Path { lower, upper, cost, work, remaps, ruled } = path;
    [*lower, *upper, *cost, *work, *remaps as f64, ruled.0, ruled.1 as f64]
}

fn path(numbers: &[f64; NUMBERS]) -> Path {
    let [lower, upper, cost, work, remaps, ruled, by_rule] = *numbers;
    Path { lower, upper, cost, work, remaps: remaps as u64, ruled: (ruled, by_rule as u64) }
}

/// Measures by any simulator of paths, called with the number of inner samples.
fn play(
    goal: Goal,
    observer: &dyn Observer,
    mut paths_of: impl FnMut(usize, Range<u64>) -> Result<Vec<Path>, Halt>,
) -> Option<Measured> {
    let [batch, most] = goal.paths;
    let [mut inner, last] = goal.inner;
    let mut paths: Vec<Path> = Vec::new();
    let mut best: Option<Measured> = None;
    let (mut run, mut enough) = (0, batch);
    loop {
        let halt = match paths_of(inner, run..run + batch) {
            Ok(more) => {
                paths.extend(more);
                let done = paths.len() as u64;
                match observer.progress(done, most) {
                    ControlFlow::Break(halt) => Some(halt),
                    ControlFlow::Continue(()) => None,
                }
            }
            Err(halt) => Some(halt),
        };
        run += batch;
        if paths.len() > 1 {
            let mut found = Measured::of(&paths, inner);
            if found.paths == batch {
                let told = found.paths as f64 * (found.remaps + 1.0) >= STRETCHES;
                enough = if told { batch } else { BATCHES * batch };
            }
            let is_told = found.paths >= enough;
            found.reached = is_told && found.gap.high <= goal.gap * found.lower.mean;
            if halt.is_none_or(|_| paths.len() as u64 >= batch) {
                best = Some(found);
            }
        }
        if let Some(halt) = halt {
            let reached = best.as_ref().is_some_and(|found| found.reached);
            return best.map(|found| Measured { halted: Some(halt).filter(|_| !reached), ..found });
        }
        let Some(found) = &best else { continue };
        if found.reached {
            return best;
        }
        let (most_gap, half) = (goal.gap * found.lower.mean, found.gap.high - found.gap.mean);
        // The standard error falls with the square root of the number of paths.
        let needed = match found.gap.mean < most_gap {
            true => found.paths as f64 * (half / (most_gap - found.gap.mean)).powi(2),
            false => f64::INFINITY,
        };
        if needed > 0.5 * most as f64 && inner < last {
            inner = (2 * inner).min(last);
            paths.clear();
        } else if found.paths >= most
            || found.gap.low > goal.gap * found.lower.mean && found.paths >= enough.max(2 * batch)
        {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Inner samples double while the gap needs too many paths or cannot be reached; earlier paths
    /// are discarded.
    #[test]
    fn inner_samples_double_and_earlier_paths_are_left_out() {
        let goal = Goal { gap: 0.01, inner: [16, 64], paths: [4, 64] };
        let played = |gap_of: fn(usize, u64) -> f64, remaps: u64| {
            let asked = RefCell::new(Vec::new());
            let found = play(goal, &(), |inner, runs| {
                asked.borrow_mut().push(inner);
                let path = |run| Path {
                    lower: 100.0,
                    upper: 100.0 + gap_of(inner, run),
                    cost: 100.0,
                    work: 0.0,
                    remaps,
                    ruled: (101.0, 0),
                };
                Ok(runs.map(path).collect())
            });
            (asked.into_inner(), found.unwrap())
        };
        // First a mean gap of 0.8 with large variance, then 0.5 with small variance.
        let (asked, found) = played(
            |inner, run| match (inner, run % 2) {
                (16, even) => 0.2 + 1.2 * even as f64,
                (_, even) => 0.45 + 0.1 * even as f64,
            },
            20,
        );
        assert_eq!((asked, found.inner, found.paths), (vec![16, 32], 32, 4));
        assert!(found.reached && (found.gap.mean - 0.5).abs() < 1e-9, "{found:?}");
        // More paths do not help: two batches with the largest number of samples, then it ends.
        let (asked, found) = played(|_, _| 1.2, 20);
        assert_eq!((asked, found.inner, found.paths), (vec![16, 32, 64, 64], 64, 8));
        assert!(!found.reached && (found.gap.mean - 1.2).abs() < 1e-9, "{found:?}");
        // With few intervals between remaps, four batches are required.
        for (remaps, paths) in [(0, 16), (7, 16), (15, 4)] {
            let (_, found) = played(|_, run| 0.4 + 0.01 * (run % 2) as f64, remaps);
            assert!(found.reached && found.paths == paths, "{found:?}");
        }
    }

    /// Sums of the same steps in another order count as equal costs; smaller costs that differ do
    /// not.
    #[test]
    fn costs_that_only_rounding_tells_apart_are_one() {
        let path = |lower: f64, upper: f64| Path {
            lower,
            upper,
            cost: upper,
            work: 0.0,
            remaps: 0,
            ruled: (upper, 0),
        };
        let found = Measured::of(&[path(10.0, 10.0 + 2e-14), path(10.0 + 3e-15, 10.0)], 4);
        assert_eq!([found.gap, found.ruled_gap], [Spread { mean: 0.0, low: 0.0, high: 0.0 }; 2]);
        assert_eq!([found.upper.low, found.upper.high], [found.upper.mean; 2]);
        let outer = found.outer();
        assert!(outer.lower < 10.0 && 10.0 < outer.upper && outer.upper - outer.lower < 1e-9);
        let found = Measured::of(&[path(10.0, 10.5), path(11.0, 11.5 + 1e-14)], 4);
        assert_eq!([found.gap.low, found.gap.high], [found.gap.mean; 2]);
        assert!((found.gap.mean - 0.5).abs() < 1e-12 && found.upper.low < found.upper.high);
        let found = Measured::of(&[path(1e-13, 2e-13), path(1e-13, 3e-13)], 4);
        assert!(found.gap.low < found.gap.high && found.gap.mean > 1e-13, "{found:?}");
    }
}
