//! Confidence intervals of both bounds and of the gap between them.

use super::Many;
use super::hindsight::Path;
use super::played::play_together;
use crate::Bounds;
use crate::communicator::Communicator;
use crate::estimate::student_at;
use crate::observer::{Halt, Observer};
use std::ops::{ControlFlow, Range};

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// The gap relative to the lower bound, by the upper end of its interval.
    pub gap: f64,
    /// Inner samples of a penalty, at first and at most.
    pub inner: [usize; 2],
    /// The paths in a batch, and at most.
    pub paths: [u64; 2],
}

impl Goal {
    /// The gap that is aimed at unless another is asked for.
    pub const GAP: f64 = 2.5e-3;

    /// The usual effort for a gap: few samples and paths at first where it is a wide one.
    pub fn of(gap: f64) -> Goal {
        let (inner, batch) = if gap >= WIDE { (4, 2) } else { (16, 4) };
        Goal { gap, inner: [inner, 64], paths: [batch, 64] }
    }
}

/// A gap of so much is a wide one.
const WIDE: f64 = 0.1;

/// An expectation as paths show it: their mean, and the ends of an interval by Student's t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Spread {
    /// Of independent numbers of one law, at this level of confidence; boundless for a single one.
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

    /// The same, but of no width where the numbers differ no more than rounding in costs of this size may, and zero where
    /// their mean is no more than that.
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

/// What sums over the steps of a path may be off by, relative to a cost.
const ROUNDING: f64 = 1e-11;

/// What paths say of the optimal cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The lower bound, with its 99 % interval.
    pub lower: Spread,
    /// What the policy costs, with its 99 % interval: the penalties taken off.
    pub upper: Spread,
    /// Upper less lower on the same paths, with its 95 % interval.
    pub gap: Spread,
    /// What the policy paid, penalties aside, with its 99 % interval.
    pub paid: Spread,
    /// Sum of the mean levels under the policy, and number of remaps, on average.
    pub work: f64,
    /// Remaps of the policy, on average.
    pub remaps: f64,
    /// What the rule of few numbers costs, with its 99 % interval: the penalties taken off.
    pub ruled: Spread,
    /// That less the lower bound on the same paths, with its 95 % interval.
    pub ruled_gap: Spread,
    /// Remaps of the rule, on average.
    pub ruled_remaps: f64,
    /// Number of paths.
    pub paths: u64,
    /// Inner samples of a penalty.
    pub inner: usize,
    /// Whether the goal was reached.
    pub reached: bool,
    /// Whether the caller stopped before.
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

/// So many stretches between remaps in the first batch tell how the gap is spread, or so many batches of paths: on most stretches
/// there is none, and the few that have one are missing from a small sample. How many batches there are must not follow those
/// played so far: programs that remapped often, and cost more, would be counted with fewer others.
const STRETCHES: f64 = 64.0;
const BATCHES: u64 = 4;

impl Measured {
    /// The outer ends of the intervals of both bounds; of one without width rounded outward.
    pub fn outer(&self) -> Bounds {
        let off = |spread: Spread| match spread.low < spread.high {
            true => 0.0,
            false => ROUNDING * spread.mean.abs(),
        };
        let (lower, upper) = (self.lower.low - off(self.lower), self.upper.high + off(self.upper));
        Bounds { lower: lower.max(0.0), upper }
    }
}

impl Many {
    /// Plays batches of paths until the goal or the observer ends it; `None` if not even two paths were
    /// finished by then. Where the goal would take more than half of the most paths, by the square root of their number, twice
    /// the inner samples are taken, and the paths before are left out.
    pub fn measure(&self, goal: Goal, observer: &dyn Observer) -> Option<Measured> {
        play(goal, observer, |inner, runs| self.paths(inner, runs, observer))
    }

    /// The same on ranks that all have computed it; `together` stops all of them when it stops one.
    pub fn measure_together(
        &self,
        goal: Goal,
        (together, observer): (&dyn Observer, &dyn Observer),
        communicator: &dyn Communicator,
    ) -> Option<Measured> {
        let paths = |inner, runs| self.paths(inner, runs, observer);
        play_together(goal, together, communicator, paths)
    }
}

/// The same of whoever plays paths, with so many inner samples.
pub fn play(
    goal: Goal,
    observer: &dyn Observer,
    paths_of: impl Fn(usize, Range<u64>) -> Result<Vec<Path>, Halt>,
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
        // By the square root of their number.
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

    /// Inner samples double while the gap needs too many paths or cannot be reached; what was played with fewer is left out.
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
        // A mean of .8 that varies a lot from path to path, then one of .5 that does not.
        let (asked, found) = played(
            |inner, run| match (inner, run % 2) {
                (16, even) => 0.2 + 1.2 * even as f64,
                (_, even) => 0.45 + 0.1 * even as f64,
            },
            20,
        );
        assert_eq!((asked, found.inner, found.paths), (vec![16, 32], 32, 4));
        assert!(found.reached && (found.gap.mean - 0.5).abs() < 1e-9, "{found:?}");
        // More paths are no help: two batches with the most samples, and it ends.
        let (asked, found) = played(|_, _| 1.2, 20);
        assert_eq!((asked, found.inner, found.paths), (vec![16, 32, 64, 64], 64, 8));
        assert!(!found.reached && (found.gap.mean - 1.2).abs() < 1e-9, "{found:?}");
        // Few stretches between remaps say little of those that are rare, and four batches have to do.
        for (remaps, paths) in [(0, 16), (7, 16), (15, 4)] {
            let (_, found) = played(|_, run| 0.4 + 0.01 * (run % 2) as f64, remaps);
            assert!(found.reached && found.paths == paths, "{found:?}");
        }
    }

    /// Sums of the same steps in another order are the same cost; smaller costs that differ are not.
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
