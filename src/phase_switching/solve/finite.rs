//! Thresholds and value over a finite horizon, by backward induction with certified bounds.

use super::equal_gains;
use crate::lifetime::Lifetime;
use crate::phase_change::Curve;
use crate::phase_switching::difference::recursion::Recursion;
use crate::phase_switching::problem::{PhaseSwitching, SwitchingError};
use crate::phase_switching::sweep::{Aim, Sweep};
use crate::{Bounds, Rational};
use crate::{Observer, Status};

/// The thresholds of recurring phases over a finite horizon.
#[derive(Debug, Clone)]
pub struct Solution {
    /// By step: under the first mapping, switch iff p exceeds the threshold; 1 means never.
    pub to_second: Curve,
    /// By step: under the second mapping, switch back iff p is below the threshold; 0 means never.
    pub to_first: Curve,
    /// Certified bounds on the least expected time from step 0; `None` if the computation was
    /// stopped before.
    pub value: Option<Bounds>,
    /// The greatest number of linear pieces of any function.
    pub segments: usize,
    /// Backward steps computed one by one in the last sweep.
    pub steps: u64,
    /// Nodes evaluated in all sweeps: proportional to the running time.
    pub work: u64,
    /// Converged iff every width is within the tolerance.
    pub status: Status,
}

impl Solution {
    fn of(sweep: Sweep<'_>, status: Status) -> Solution {
        let whole = sweep.to_second.first_step() == Some(0);
        let finished = whole && !status.is_halted();
        let (lower, upper) = sweep.bounds();
        // If no cycle has a negative time the value is >= 0; if all times are 0 it is 0.
        let all = sweep.problem.cycle.iter().flatten();
        let least = all.clone().all(|time| *time >= Rational::ZERO);
        let nothing = all.clone().all(|time| *time == Rational::ZERO);
        let lower = if least { lower.max(0.0) } else { lower };
        let bounds = (lower, if nothing { upper.min(0.0) } else { upper });
        let sound = bounds.0.is_finite() && bounds.1.is_finite() && bounds.0 <= bounds.1;
        Solution {
            to_second: sweep.to_second,
            to_first: sweep.to_first,
            value: (finished && sound).then_some(bounds.into()),
            segments: sweep.segments,
            steps: sweep.steps,
            work: 0,
            status,
        }
    }

    /// This solution with the thresholds of `sweep`, a pass over the last steps, intersected.
    fn completed(&self, sweep: &Sweep<'_>, status: Status) -> Solution {
        Solution {
            to_second: self.to_second.closer(&sweep.to_second),
            to_first: self.to_first.closer(&sweep.to_first),
            value: self.value,
            segments: self.segments.max(sweep.segments),
            steps: self.steps,
            work: 0,
            status,
        }
    }

    /// The greatest width of a threshold's bounds.
    pub fn threshold_width(&self) -> f64 {
        self.to_second.width().max(self.to_first.width())
    }

    /// The width of the value's bounds, relative to max(1, |V|); infinite if there is no value.
    pub fn value_width(&self) -> f64 {
        self.value
            .map_or(f64::INFINITY, |value| (value.upper - value.lower) / value.lower.abs().max(1.0))
    }

    /// The first step with a threshold wider than `tolerance`, if that is not step 0 and the value
    /// is close enough.
    fn missed(&self, tolerance: f64) -> Option<u64> {
        let curves = [&self.to_second, &self.to_first];
        let wide = curves.map(|curve| curve.runs().find(|run| run.bounds.width() > tolerance));
        let first = wide.into_iter().flatten().map(|run| run.first).min();
        first.filter(|first| *first > 0 && self.value_width() <= tolerance)
    }

    fn width(&self) -> f64 {
        self.threshold_width().max(self.value_width())
    }
}

/// Sweeps tried before the tolerance counts as unreachable in doubles, and the number of sweeps
/// with little progress that end the search. The second entries are for quick sweeps.
const MAX_SWEEPS: [usize; 2] = [6, 12];
const MAX_STALLS: [usize; 2] = [1, 4];
const STALLED: f64 = 0.8;

/// Steps times pieces below which a sweep is quick, and the factor by which a quick sweep without
/// progress is refined. With few pieces the width does not fall gradually.
const QUICK: u64 = 100_000;
const LEAP: f64 = 0.1;

/// Relative width of the value in a pass that computes thresholds only.
const ANY: f64 = 1e-2;

/// The accuracy aimed at by the next sweep: reduced by more than the ratio of tolerance and width,
/// within limits.
fn finer(aim: f64, tolerance: f64, width: f64) -> f64 {
    if width <= tolerance {
        return aim;
    }
    let room = if width < NEARLY * tolerance { 0.75 } else { 0.3 };
    aim * room * (tolerance / width).clamp(1e-2, 1.0)
}

/// Ratio of width and tolerance that counts as a near miss.
const NEARLY: f64 = 1.6;

/// Computes all thresholds of `problem` for a program that runs N + 1 cycles, N distributed as
/// `lifetime`. Each threshold is bounded to `tolerance`, the value to `tolerance` relative to
/// max(1, |V|).
///
/// All bounds hold in exact arithmetic: two functions enclose the difference D, each reduced and
/// rounded in its own safe direction. The reduction adapts to the observed width from step to step.
/// Where the remaining steps are all alike, the change of one step bounds them all (`resting.rs`).
/// If only thresholds of the last steps are too wide, those steps are computed once more alone.
///
/// Memory O(distinct thresholds + pieces), with a limit on pieces; time O(distinct steps x levels x
/// pieces).
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
    let exact = equal_gains::thresholds(problem, lifetime);
    let mut aim = Aim { threshold: tolerance, value: tolerance };
    let mut best: Option<Solution> = None;
    let mut stalls = 0;
    for sweeps in 1.. {
        // If only thresholds of the last steps are too wide, the other bounds are kept.
        let missed = best.as_ref().and_then(|best| best.missed(tolerance));
        let value = if missed.is_some() { ANY } else { aim.value };
        let widths = (Aim { value, ..aim }, tolerance);
        let mut sweep = Sweep::new(problem, &recursion, lifetime, widths, exact.as_ref());
        if let Some(step) = missed {
            sweep = sweep.only_to(step);
        }
        let status = sweep.run(observer);
        let full = sweep.segments >= recursion.most_nodes;
        let mut found = match best.as_ref().filter(|_| missed.is_some()) {
            Some(best) => best.completed(&sweep, status),
            None => Solution::of(sweep, status),
        };
        let (stopped, width) = (status != Status::Converged, found.width());
        if width > tolerance && !stopped {
            found.status = Status::IterationLimit;
        }
        aim.threshold = finer(aim.threshold, tolerance, found.threshold_width());
        aim.value = finer(aim.value, tolerance, found.value_width());
        let before = best.as_ref().map_or(f64::INFINITY, Solution::width);
        let stalled = width > STALLED * before;
        let quick = usize::from(found.steps * found.segments as u64 <= QUICK);
        if stalled && width > tolerance {
            // The width of the gains equals that of the difference, which the thresholds may not
            // show.
            if width == found.value_width() {
                aim.threshold = finer(aim.threshold, tolerance, width);
            }
            aim.threshold *= if quick == 1 { LEAP } else { 1.0 };
        }
        if let Some(best) = best.as_mut().filter(|_| stopped) {
            best.status = status;
        } else if width < before || best.is_none() {
            best = Some(found);
        }
        stalls += usize::from(stalled);
        let hopeless = full && best.as_ref().and_then(|best| best.missed(tolerance)).is_none();
        let in_vain = stalls > MAX_STALLS[quick] || sweeps >= MAX_SWEEPS[quick];
        if stopped || hopeless || width <= tolerance || in_vain {
            break;
        }
    }
    let best = best.expect("at least one sweep ran");
    Ok(Solution { work: recursion.filter.work(), ..best })
}
