//! Thresholds and value over a finite number of cycles.

use super::equal_gains;
use super::problem::{PhaseSwitching, SwitchingError};
use super::recursion::Recursion;
use super::sweep::{Aim, Sweep};
use crate::lifetime::Lifetime;
use crate::phase_change::Curve;
use crate::{Bounds, Rational};
use crate::{Observer, Status};

/// The thresholds of recurring phases over a finite horizon.
#[derive(Debug, Clone)]
pub struct Solution {
    /// By step: under the first mapping, switch iff p exceeds it; 1 is never.
    pub to_second: Curve,
    /// By step: under the second mapping, switch back iff p is below it; 0 is never.
    pub to_first: Curve,
    /// Certified bounds on the least expected time from step 0; `None` if stopped before.
    pub value: Option<Bounds>,
    /// The most linear pieces a function had.
    pub segments: usize,
    /// Backward steps computed one by one in the last sweep.
    pub steps: u64,
    /// Nodes at which values were computed, in all sweeps and on all meshes: what the time follows.
    pub work: u64,
    /// Converged: every width is within the tolerance.
    pub status: Status,
}

impl Solution {
    fn of(sweep: Sweep<'_>, status: Status) -> Solution {
        let whole = sweep.to_second.first_step() == Some(0);
        let finished = whole && !status.is_halted();
        let (lower, upper) = sweep.bounds();
        // No time is negative, and where nothing takes any there is none.
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

    /// With the thresholds of a pass over the last steps.
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

    /// The widest certificate of a threshold.
    pub fn threshold_width(&self) -> f64 {
        self.to_second.width().max(self.to_first.width())
    }

    /// The width of the value's certificate, relative to max(1, |V|); infinite if there is no value.
    pub fn value_width(&self) -> f64 {
        self.value
            .map_or(f64::INFINITY, |value| (value.upper - value.lower) / value.lower.abs().max(1.0))
    }

    /// If all else is as close as asked: the first step with a threshold that is not, which is not step 0.
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

/// Sweeps tried before the tolerance is declared out of the reach of doubles, and those hardly better than
/// the best before that end the search; both of sweeps that take next to no time.
const MAX_SWEEPS: [usize; 2] = [6, 12];
const MAX_STALLS: [usize; 2] = [1, 4];
const STALLED: f64 = 0.8;

/// Steps times pieces of a sweep that takes next to no time, and how much finer one is that follows one which was hardly better:
/// functions of few pieces do not become better little by little.
const QUICK: u64 = 100_000;
const LEAP: f64 = 0.1;

/// How wide the value may be that is not looked at.
const ANY: f64 = 1e-2;

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
/// (`fixed_mesh/`). Thresholds of the last steps that come out too wide are computed once more, without the steps before.
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
    let exact = equal_gains::thresholds(problem, lifetime);
    let mut aim = Aim { threshold: tolerance, value: tolerance };
    let mut best: Option<Solution> = None;
    let mut stalls = 0;
    for sweeps in 1.. {
        // Where only thresholds of the last steps are too wide the others stand.
        let missed = best.as_ref().and_then(|best| best.missed(tolerance));
        let mut sweep = match missed {
            Some(step) => {
                let aim = Aim { value: ANY, ..aim };
                Sweep::new(problem, &recursion, lifetime, aim, tolerance).only_to(step)
            }
            None => Sweep::new(problem, &recursion, lifetime, aim, tolerance),
        };
        sweep = sweep.knowing(exact.as_ref());
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
            // What switches gain is as wide as the difference is, which thresholds may hardly show.
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
