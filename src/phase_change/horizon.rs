//! All thresholds to a requested width, by repeated backward sweeps, each finer if the previous one
//! was too coarse.

use super::problem::{InDoubles, PhaseChange, ProblemError, Unit};
use super::stationarity::stationary::amplification;
use super::sweep::{Coarseness, Solution, sweep};
use crate::{Halt, Observer, Status};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Requested accuracy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// Greatest certified width: of a threshold absolutely, of the value relative to max(1, |V|).
    pub tolerance: f64,
    /// Most linear segments of a function; if given, the width may exceed the tolerance.
    pub segments: Option<usize>,
}

/// Sweeps tried before the tolerance counts as unreachable in doubles.
const MAX_SWEEPS: usize = 12;

/// Sweeps with little progress that end the search, and the refinement after one of them.
const MAX_STALLS: u32 = 2;
const MUCH_FINER: f64 = 1.0 / 64.0;

/// Computes all thresholds of `problem` to `accuracy`.
///
/// Works for any distribution of N and any hazards [NR90, Theorem 1, without its assumptions]. All
/// bounds hold in exact arithmetic: two functions enclose the value function, each reduced and
/// rounded in its own safe direction. Their distance is certified, not a sum of step errors.
/// Once the recursion is stationary within the tolerance, all remaining steps are bounded at once.
/// Memory O(distinct thresholds + segments); time O(distinct steps x segments).
///
/// # Errors
/// If the parameters are out of range; see [`PhaseChange::validate`].
pub fn solve(
    problem: &PhaseChange,
    accuracy: Accuracy,
    observer: &dyn Observer,
) -> Result<Solution, ProblemError> {
    refine(problem, accuracy, false, observer)
}

/// As [`solve`], with the spans of every step that was computed one by one. Memory O(distinct steps
/// x segments).
///
/// # Errors
/// If the parameters are out of range; see [`PhaseChange::validate`].
pub fn solve_recorded(
    problem: &PhaseChange,
    accuracy: Accuracy,
    observer: &dyn Observer,
) -> Result<Solution, ProblemError> {
    refine(problem, accuracy, true, observer)
}

fn refine(
    problem: &PhaseChange,
    accuracy: Accuracy,
    record: bool,
    observer: &dyn Observer,
) -> Result<Solution, ProblemError> {
    problem.validate()?;
    let unit = Unit::of(problem);
    let parameters = InDoubles::measured(problem, unit);
    let scale = parameters.gain.abs().max(f64::MIN_POSITIVE);
    let mut rest = accuracy.tolerance;
    rest *= spare(problem, (&parameters, unit), accuracy, scale, observer);
    let mut best: Option<(f64, Solution)> = None;
    let mut stalls = 0;
    for _ in 0..MAX_SWEEPS {
        let coarseness = Coarseness {
            budget: accuracy.segments,
            may_refine: accuracy.segments.is_none(),
            ..coarseness(accuracy.tolerance, rest, scale)
        };
        // Inside the rayon pool, where a second task does not suspend this thread.
        let measured = (&parameters, unit);
        let result = rayon::scope(|_| sweep(problem, measured, coarseness, record, observer));
        let width = width(&result);
        let stopped = result.status != Status::Converged;
        let before = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
        if best.is_none() || (width < before && !stopped) {
            best = Some((width, result));
        }
        if width <= accuracy.tolerance || accuracy.segments.is_some() || stopped {
            break;
        }
        rest *= 0.5 * (accuracy.tolerance / width).clamp(1e-3, 1.0);
        // With few atoms the reduction may not change. A sweep that is much finer and no better has
        // reached the limits of doubles.
        if width > 0.8 * before {
            stalls += 1;
            rest *= MUCH_FINER;
            if stalls > MAX_STALLS {
                break;
            }
        }
    }
    let (width, mut result) = best.expect("at least one sweep ran");
    if result.value.is_none() && accuracy.segments.is_none() {
        let rough = roughly(problem, (&parameters, unit), scale);
        if rough.value.is_some() {
            result.curve.complete(&rough.curve);
            result.value = rough.value;
            (result.onset, result.onset_least) = (rough.onset, rough.onset_least);
        }
    }
    if result.status == Status::Converged && width > accuracy.tolerance {
        result.status = Status::IterationLimit;
    }
    Ok(result)
}

/// Number of distinct steps from which a trial on the last steps determines the reduction.
const MANY_STEPS: u64 = 4_000;

/// Observer queries of the trial (one in 64 steps): at most, and one per so many steps of the
/// horizon. The fraction of the unused width that is spent, and the greatest factor on the
/// reduction.
const TRIAL: u64 = 64;
const LEAST_TRIAL: u64 = 640;
const USED: f64 = 0.5;
const MOST_SPARE: f64 = 1e4;

/// Factor by which a sweep may be coarser than usual.
fn spare(
    problem: &PhaseChange,
    measured: (&InDoubles, Unit),
    accuracy: Accuracy,
    scale: f64,
    observer: &dyn Observer,
) -> f64 {
    let last = problem.last_step();
    let middle = last / 2;
    let alike = measured.0.constant_from(&problem.lifetime, middle) < middle;
    if last < MANY_STEPS || alike || accuracy.segments.is_some() {
        return 1.0;
    }
    let tolerance = accuracy.tolerance;
    let trial = TRIAL.min(last / LEAST_TRIAL);
    let killed = measured.0.cycle(&problem.lifetime, middle).killed();
    let room = |coarser: f64| {
        let rest = coarser * tolerance;
        let coarseness = Coarseness { may_refine: false, ..coarseness(tolerance, rest, scale) };
        let most = 2 * trial / measured.0.reports.len().max(2) as u64;
        let observer = Shortly { observer, asked: AtomicU64::new(0), most };
        let found = sweep(problem, measured, coarseness, false, &observer);
        // Reductions accumulate until the phase changes or the run ends.
        let growth = amplification(killed, last) / amplification(killed, found.steps);
        let width = growth * found.curve.width();
        (coarser * USED * tolerance / width).clamp(1.0, MOST_SPARE)
    };
    // For few segments the width is not proportional to the reduction, so the trial is repeated
    // with the factor found.
    match room(1.0) {
        1.0 => 1.0,
        coarser => room(coarser).min(coarser),
    }
}

/// Approximate width of the thresholds in the rough sweep after a stop.
const ROUGH: f64 = 1e-3;

/// Observer queries of a rough sweep with two observations, one in 64 steps: about 0.1 s. The
/// number falls in proportion to the observations.
const ASKED: u64 = 100;

/// Halts after a number of queries, or when its observer does.
struct Shortly<'a> {
    observer: &'a dyn Observer,
    asked: AtomicU64,
    most: u64,
}

impl Observer for Shortly<'_> {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        self.observer.check()?;
        match self.asked.fetch_add(1, Ordering::Relaxed) < self.most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Halt::TimeLimit),
        }
    }

    fn check(&self) -> ControlFlow<Halt> {
        self.observer.check()
    }
}

/// Reduction of a function, as a fraction of gain times tolerance.
const MERGE: f64 = 0.1;

/// All steps to [`ROUGH`]; without a value if that takes long.
fn roughly(problem: &PhaseChange, measured: (&InDoubles, Unit), scale: f64) -> Solution {
    let most = 2 * ASKED / measured.0.reports.len().max(2) as u64;
    let observer = Shortly { observer: &(), asked: AtomicU64::new(0), most };
    sweep(problem, measured, coarseness(ROUGH, ROUGH, scale), false, &observer)
}

fn coarseness(tolerance: f64, rest: f64, scale: f64) -> Coarseness {
    let merge = MERGE * rest * scale;
    Coarseness { merge, budget: None, tolerance, rest, may_refine: true }
}

/// The greatest width; the value's is relative to max(1, |V|).
fn width(solution: &Solution) -> f64 {
    let value = solution.value.map_or(0.0, |value| match value.width() {
        f64::INFINITY => f64::INFINITY,
        width => width / value.lower.abs().max(1.0),
    });
    solution.curve.width().max(value)
}
