//! Thresholds and average cost of a program that never ends.

use super::polyline::Polyline;
use super::problem::{PhaseSwitching, SwitchingError};
use super::recursion::{Pair, Recursion, Step};
use crate::Rational;
use crate::rounding::{SLACK, nearest};
use crate::threshold::Bounds;
use crate::{Halt, Observer, Status};
use std::ops::ControlFlow;

/// The thresholds of recurring phases that minimise the average time of a cycle.
#[derive(Debug, Clone)]
pub struct LongRun {
    /// Under the first mapping, switch iff p exceeds it; 1 is never.
    pub to_second: Bounds,
    /// Under the second mapping, switch back iff p is below it; 0 is never.
    pub to_first: Bounds,
    /// Certified bounds on the least average time of a cycle, switches included.
    pub average: (f64, f64),
    /// The most linear pieces a function had.
    pub segments: usize,
    /// Steps of the recursion from its extremes.
    pub steps: u64,
    /// Converged: every width is within the tolerance.
    pub status: Status,
}

/// Steps between two looks at how the widths have shrunk.
const LOOK: u64 = 64;

/// How far reducing a function may move it, as a fraction of the tolerance, in units of the gain.
const MERGE: f64 = 0.05;

/// Finer reductions tried, each by [`FINER`].
const MAX_REFINEMENTS: u32 = 4;
const FINER: f64 = 0.1;

/// The least progress within [`LOOK`] steps, relatively, that does not ask for a finer reduction, and
/// that does not end the iteration.
const PROGRESS: f64 = 0.01;
const LEAST_PROGRESS: f64 = 1e-7;

/// Computes the thresholds and the average cost of `problem` run forever, each threshold to `tolerance`,
/// the average relative to max(1, |average|).
///
/// The recursion of the difference is started from both its extremes. It is monotone, so its iterates
/// enclose every fixed point, reductions included, and the distance is what is certified. For the average,
/// the gain of switching f = (D - c)^+ has to be averaged over the stationary law of the belief, which is
/// not known; but P^k f and P^k f - beta (p - a/(a+b)) have the same average for every k and beta, and with
/// k they come to rest on it. O(pieces x levels) a step.
///
/// # Errors
/// If the parameters are out of range, a switch is impossible, or the phases never change.
pub fn long_run(
    problem: &PhaseSwitching,
    tolerance: f64,
    observer: &dyn Observer,
) -> Result<LongRun, SwitchingError> {
    problem.validate()?;
    let share = problem.share().ok_or(SwitchingError::NoChange)?;
    let recursion = Recursion::new(problem);
    if !(recursion.low.is_finite() && recursion.high.is_finite()) {
        return Err(SwitchingError::NoWayBack);
    }
    let start = recursion.extremes(f64::INFINITY);
    let merge = MERGE * tolerance * recursion.scale;
    let mut search =
        Search { recursion: &recursion, pair: start, merge, refinements: 0, segments: 1, steps: 0 };
    let running =
        nearest(&((Rational::ONE - &share) * &problem.cycle[0][0] + &share * &problem.cycle[1][0]));
    let share = nearest(&share);
    let mut target = tolerance;
    loop {
        let (step, mut status) = search.until(target, observer);
        let gain = mean_gain(&recursion, &step.raw, share, 0.1 * target, observer);
        let (gain, halt) = gain;
        let blur = 8.0 * SLACK * (running.abs() + gain.1.abs());
        let average = (running - gain.1 - blur, running - gain.0 + blur);
        let wide = (average.1 - average.0) / average.0.abs().max(1.0);
        if let Some(halt) = halt {
            status = halt.into();
        }
        let close = wide <= tolerance;
        if close || status != Status::Converged || search.refinements >= MAX_REFINEMENTS {
            if status == Status::Converged && !(close && step.width() <= tolerance) {
                status = Status::IterationLimit;
            }
            return Ok(LongRun {
                to_second: step.to_second,
                to_first: step.to_first,
                average,
                segments: search.segments,
                steps: search.steps,
                status,
            });
        }
        search.refine();
        target *= FINER;
    }
}

/// The iteration from both extremes.
struct Search<'a> {
    recursion: &'a Recursion,
    pair: Pair,
    merge: f64,
    refinements: u32,
    segments: usize,
    steps: u64,
}

impl Search<'_> {
    fn refine(&mut self) {
        self.refinements += 1;
        self.merge *= FINER;
    }

    /// Iterates until both thresholds are known to `target`, or cannot be.
    fn until(&mut self, target: f64, observer: &dyn Observer) -> (Step, Status) {
        let mut before = f64::INFINITY;
        let mut gap_before = f64::INFINITY;
        loop {
            let step = self.recursion.step(&self.pair, 1.0);
            self.pair = self.recursion.keep(&step.raw, self.merge);
            self.steps += 1;
            let nodes = step.raw.upper.nodes().max(step.raw.lower.nodes());
            self.segments = self.segments.max(nodes - 1);
            let width = step.width();
            if width <= target {
                return (step, Status::Converged);
            }
            // How far along it is, as the digits found of those asked for.
            let digits =
                |width: f64| (16.0 * (1.0 - width.max(target).log2() / target.log2())) as u64;
            if let ControlFlow::Break(halt) = observer.progress(16 - digits(width).min(16), 16) {
                return (step, halt.into());
            }
            if self.steps.is_multiple_of(LOOK) {
                let gap = self.pair.gap();
                let progress = 1.0 - (width / before).min(gap / gap_before);
                if progress < PROGRESS {
                    if self.refinements < MAX_REFINEMENTS {
                        self.refine();
                    } else if progress < LEAST_PROGRESS {
                        return (step, Status::IterationLimit);
                    }
                }
                (before, gap_before) = (width, gap);
            }
        }
    }
}

/// Iterations of the gain without progress after which it is given up.
const PATIENCE: u32 = 64;

/// Bounds on the mean of (D - c)^+ over the stationary law of the belief.
fn mean_gain(
    recursion: &Recursion,
    raw: &Pair,
    share: f64,
    tolerance: f64,
    observer: &dyn Observer,
) -> ((f64, f64), Option<Halt>) {
    let merge = MERGE * tolerance * recursion.scale;
    let Pair { mut upper, mut lower } = recursion.gains(raw);
    let mut best = (f64::NEG_INFINITY, f64::INFINITY);
    let mut idle = 0;
    loop {
        let [calm, late] = upper.ends();
        let tilt = late - calm;
        let tilted = |side: &Polyline| -> Vec<f64> {
            let nodes = side.at.iter().zip(&side.value);
            nodes.map(|(at, value)| value - tilt * (at - share)).collect()
        };
        let most = tilted(&upper).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let least = tilted(&lower).into_iter().fold(f64::INFINITY, f64::min);
        let blur = 4.0 * SLACK * (tilt.abs() + most.abs());
        let width = best.1 - best.0;
        best = (best.0.max(least - blur), best.1.min(most + blur));
        let now = best.1 - best.0;
        idle = if now < width * (1.0 - PROGRESS) { 0 } else { idle + 1 };
        if now <= tolerance || idle > PATIENCE {
            return (best, None);
        }
        if let ControlFlow::Break(halt) = observer.progress(0, 1) {
            return (best, Some(halt));
        }
        let (filter, most) = (&recursion.filter, recursion.most_nodes);
        upper = filter.back::<true>(&upper, 1.0, [0.0; 2], &[]).reduced_to::<true>(merge, most);
        lower = filter.back::<false>(&lower, 1.0, [0.0; 2], &[]).reduced_to::<false>(merge, most);
    }
}
