//! Thresholds and value over a finite number of cycles.

use super::problem::{PhaseSwitching, SwitchingError};
use super::recursion::Recursion;
use super::sweep::{Aim, Sweep};
use crate::lifetime::Lifetime;
use crate::threshold::Curve;
use crate::{Observer, Status};

/// The thresholds of recurring phases over a finite horizon.
#[derive(Debug, Clone)]
pub struct Solution {
    /// By step: under the first mapping, switch iff p exceeds it; 1 is never.
    pub to_second: Curve,
    /// By step: under the second mapping, switch back iff p is below it; 0 is never.
    pub to_first: Curve,
    /// Certified bounds on the least expected time from step 0; `None` if stopped before.
    pub value: Option<(f64, f64)>,
    /// The most linear pieces a function had.
    pub segments: usize,
    /// Backward steps computed one by one in the last sweep.
    pub steps: u64,
    /// Converged: every width is within the tolerance.
    pub status: Status,
}

impl Solution {
    fn of(sweep: Sweep<'_>, status: Status) -> Solution {
        let whole = sweep.to_second.first_step() == Some(0);
        let finished = whole && !matches!(status, Status::TimeLimit | Status::Interrupted);
        let bounds = sweep.value.bounds();
        let sound = bounds.0.is_finite() && bounds.1.is_finite() && bounds.0 <= bounds.1;
        Solution {
            to_second: sweep.to_second,
            to_first: sweep.to_first,
            value: (finished && sound).then_some(bounds),
            segments: sweep.segments,
            steps: sweep.steps,
            status,
        }
    }

    /// The widest certificate of a threshold.
    pub fn threshold_width(&self) -> f64 {
        self.to_second.width().max(self.to_first.width())
    }

    /// The width of the value's certificate, relative to max(1, |V|); infinite if there is no value.
    pub fn value_width(&self) -> f64 {
        self.value.map_or(f64::INFINITY, |(lower, upper)| (upper - lower) / lower.abs().max(1.0))
    }

    fn width(&self) -> f64 {
        self.threshold_width().max(self.value_width())
    }
}

/// Sweeps tried before the tolerance is declared out of the reach of doubles, and those hardly better than
/// the best before that end the search.
const MAX_SWEEPS: usize = 6;
const MAX_STALLS: usize = 1;
const STALLED: f64 = 0.8;

/// How much finer than in proportion to what it missed by the next sweep is, within limits.
fn finer(aim: f64, tolerance: f64, width: f64) -> f64 {
    if width <= tolerance {
        return aim;
    }
    let room = if width < NEARLY * tolerance { 0.75 } else { 0.3 };
    aim * room * (tolerance / width).clamp(1e-2, 1.0)
}

/// A width that is hardly missed, as a multiple.
const NEARLY: f64 = 1.6;

/// Computes all thresholds of `problem` for a program that runs N + 1 cycles, N distributed as
/// `lifetime`, each to `tolerance` absolutely and the value relative to max(1, |V|).
///
/// Every bound is proved, rounding included: two functions enclose the difference of the mappings, each
/// reduced in its own safe direction, and their distance is what is certified. How much reducing may move
/// them follows that distance from step to step. Where the steps to come are all alike, what one still changes
/// bounds them all (`rest.rs`). Functions with too many pieces go on at nodes that stay where they are
/// (`fixed_mesh/`).
/// Memory O(distinct thresholds + pieces), pieces being limited; time O(distinct steps x levels x pieces).
///
/// # Errors
/// If the parameters are out of range; see [`PhaseSwitching::validate`].
pub fn solve(
    problem: &PhaseSwitching,
    lifetime: &Lifetime,
    tolerance: f64,
    observer: &dyn Observer,
) -> Result<Solution, SwitchingError> {
    problem.validate()?;
    let recursion = Recursion::new(problem);
    let mut aim = Aim { threshold: tolerance, value: tolerance };
    let mut best: Option<Solution> = None;
    let mut stalls = 0;
    for _ in 0..MAX_SWEEPS {
        let mut sweep = Sweep::new(problem, &recursion, lifetime, aim, tolerance);
        let status = sweep.run(observer);
        let full = sweep.segments >= recursion.most_nodes;
        let mut found = Solution::of(sweep, status);
        let (stopped, width) = (status != Status::Converged, found.width());
        if width > tolerance && !stopped {
            found.status = Status::IterationLimit;
        }
        aim.threshold = finer(aim.threshold, tolerance, found.threshold_width());
        aim.value = finer(aim.value, tolerance, found.value_width());
        let before = best.as_ref().map_or(f64::INFINITY, Solution::width);
        if let Some(best) = best.as_mut().filter(|_| stopped) {
            best.status = status;
        } else if width < before || best.is_none() {
            best = Some(found);
        }
        stalls += usize::from(width > STALLED * before);
        if stopped || full || width <= tolerance || stalls > MAX_STALLS {
            break;
        }
    }
    Ok(best.expect("at least one sweep ran"))
}
