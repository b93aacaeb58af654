//! Thresholds and average cost of an endless program, by value iteration on D = e_1 - e_2 + P
//! cut(D).

use super::one_mapping::OneMapping;
use crate::phase_change::Bounds;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::recursion::{Recursion, Step};
use crate::phase_switching::difference::stationarity::Room;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::problem::{PhaseSwitching, SwitchingError};
use crate::phase_switching::value_function::relative::average;
use crate::rounding::nearest;
use crate::{Halt, Observer, Status};
use std::ops::ControlFlow;

/// The thresholds of recurring phases that minimize the average time of a cycle.
#[derive(Debug, Clone)]
pub struct LongRun {
    /// Under the first mapping, switch iff p exceeds the threshold; 1 means never.
    pub to_second: Bounds,
    /// Under the second mapping, switch back iff p is below the threshold; 0 means never.
    pub to_first: Bounds,
    /// Certified bounds on the least average time of a cycle, switches included.
    pub average: Bounds,
    /// The greatest number of linear pieces of any function.
    pub segments: usize,
    /// Steps of value iteration.
    pub steps: u64,
    /// Converged iff every width is within the tolerance.
    pub status: Status,
}

/// Reduction of the difference in units of the gain: initial, factor from one attempt to the next,
/// and least. Smaller ones drown in rounding.
const ROUGH: f64 = 1e-2;
const FINER: f64 = 0.25;
const FINEST: f64 = 1e-16;

/// The iterate has settled when a step moves it by at most this multiple of the reduction.
const SETTLED: f64 = 2.0;

/// Steps without progress after which the iterate counts as settled.
const MOST_STEPS_IN_VAIN: u32 = 256;
const PROGRESS: f64 = 0.01;

/// Steps without progress after which steps are extrapolated, and the most steps at one level of
/// reduction.
const SLOW: u32 = 32;
const MOST_STEPS: u32 = 1 << 12;

/// Attempts without a bound on the time between the thresholds, after which the search ends.
const MOST_LOST: u32 = 8;

/// Factor by which thresholds are tightened before the average is computed again.
const CLOSER: f64 = 0.1;

/// The most nodes of all steps together: 75 s for a switch at 1000, gains of 0.5, and a phase that
/// lasts forever. The bounds are then those found so far.
const MOST_WORK: u64 = 1 << 30;

/// Bounds on anything.
const UNKNOWN: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Computes the thresholds and the average cost of `problem` over an infinite horizon. Each
/// threshold is bounded to `tolerance`, the average to `tolerance` relative to max(1, |average|).
///
/// Value iteration runs until it converges, with ever smaller reductions. The change of one more
/// step bounds the distance to the limit (`stationarity.rs`). The average is the mean time of a
/// cycle under the stationary distribution of the belief, which has no closed form; `relative.rs`
/// bounds it. If keeping one mapping is optimal, that is decided in exact arithmetic
/// (`one_mapping.rs`). A step takes O(pieces x levels).
///
/// # Errors
/// If the parameters are out of range, a switch is impossible, or the phases never change.
pub fn long_run(
    problem: &PhaseSwitching,
    tolerance: f64,
    observer: &dyn Observer,
) -> Result<LongRun, SwitchingError> {
    problem.validate()?;
    let share = nearest(&problem.share().ok_or(SwitchingError::NoChange)?);
    let one = OneMapping::of(problem).ok_or(SwitchingError::NoWayBack)?;
    let recursion = Recursion::new(problem);
    let mut search = Search::new(&recursion, &one);
    if one.is_decided() {
        return Ok(search.found(one.average(UNKNOWN), Status::Converged));
    }
    if let Some(start) = &one.start {
        let status = search.from(start, tolerance, observer);
        return Ok(search.found(one.average(UNKNOWN), status));
    }
    let running = [nearest(&problem.cycle[0][0]), nearest(&problem.cycle[1][0])];
    let mut target = tolerance;
    let mut best = UNKNOWN;
    loop {
        let mut status = search.until(target, observer);
        let known = one.average(UNKNOWN);
        if one.is_half_decided() || relative(known) <= tolerance {
            return Ok(search.found(known, status));
        }
        let gains = recursion.gains(&search.best.raw);
        let (found, halt) =
            average(&recursion, running, &gains, share, 0.4 * tolerance.max(target), observer);
        let found = one.average(found);
        best = (best.0.max(found.lower), best.1.min(found.upper));
        let wide = relative(best.into());
        if let Some(halt) = halt {
            status = halt.into();
        }
        let close = wide <= tolerance;
        if close || status != Status::Converged || search.merge < FINEST * recursion.scale {
            if status == Status::Converged && !(close && search.best.width() <= tolerance) {
                status = Status::IterationLimit;
            }
            return Ok(search.found(best.into(), status));
        }
        target = CLOSER * target.min(search.best.width());
    }
}

/// The width of bounds on an average, relative to max(1, |average|).
fn relative(average: Bounds) -> f64 {
    (average.upper - average.lower) / average.lower.abs().max(1.0)
}

/// Replaces thresholds that are known exactly.
fn kept(step: Step, one: &OneMapping) -> Step {
    let [to_second, to_first] = one.known([step.to_second, step.to_first]);
    Step { to_second, to_first, ..step }
}

/// Extrapolation where each step moves the difference little: gains of 1e-6 against costs of 1 need
/// a million steps. The stride doubles as long as the change per step does not grow.
struct Stride {
    times: f64,
    moved: f64,
}

impl Default for Stride {
    fn default() -> Stride {
        Stride { times: 1.0, moved: f64::INFINITY }
    }
}

/// Ratio of successive changes above which the stride may grow, and above which it is too long.
const RIGHT: f64 = 0.7;
const LONG: f64 = 1.01;

impl Stride {
    fn after(&mut self, moved: f64) -> f64 {
        self.times = match moved / self.moved {
            part if part > LONG => (0.25 * self.times).max(1.0),
            part if part > RIGHT || self.times < 2.0 => 2.0 * self.times,
            _ => self.times,
        };
        self.moved = moved;
        self.times
    }

    /// Whether the stride has its least length.
    fn fails(&self) -> bool {
        self.times <= 2.0
    }
}

/// The state of value iteration on the difference.
struct Search<'a> {
    recursion: &'a Recursion,
    /// The current iterate, an approximation without bounds.
    now: Polyline,
    /// The current reduction.
    merge: f64,
    /// What is known exactly of the thresholds and the average.
    one: &'a OneMapping,
    /// The closest bounds so far.
    best: Step,
    segments: usize,
    steps: u64,
    /// The nodes of all steps so far.
    work: u64,
    /// Attempts in which no bound on the time between the thresholds was found.
    lost: u32,
}

impl<'a> Search<'a> {
    fn new(recursion: &'a Recursion, one: &'a OneMapping) -> Search<'a> {
        let [low, high] = [recursion.low, recursion.high].map(Polyline::constant);
        Search {
            recursion,
            now: Polyline::constant(0.0),
            merge: ROUGH * recursion.scale,
            one,
            best: kept(recursion.step(&Pair { upper: high, lower: low }, 1.0), one),
            segments: 1,
            steps: 0,
            work: 0,
            lost: 0,
        }
    }

    /// The result at this point.
    fn found(&self, average: Bounds, status: Status) -> LongRun {
        LongRun {
            to_second: self.best.to_second,
            to_first: self.best.to_first,
            average,
            segments: self.segments,
            steps: self.steps,
            status,
        }
    }

    /// Iterates until both thresholds are known to `target`, or until that proves impossible.
    fn until(&mut self, target: f64, observer: &dyn Observer) -> Status {
        let recursion = self.recursion;
        let (mut least, mut idle, mut level) = (f64::INFINITY, 0u32, 0);
        let mut stride = Stride::default();
        while self.best.width() > target {
            let spent = self.lost > MOST_LOST || self.work > MOST_WORK;
            if spent || self.merge < FINEST * recursion.scale {
                return Status::IterationLimit;
            }
            // Progress: binary digits of the width that are found, of those requested.
            let digits =
                |width: f64| (16.0 * (1.0 - width.max(target).log2() / target.log2())) as u64;
            let left = digits(self.best.width()).min(16);
            if let ControlFlow::Break(halt) = observer.progress(16 - left, 16) {
                return halt.into();
            }
            let between = [recursion.low, recursion.high];
            let most = recursion.most_nodes;
            let mut short = self.now.cut_and_reduced::<true>(between, self.merge, most);
            short.value.iter_mut().for_each(|value| *value -= 0.5 * self.merge);
            let next = recursion.filter.back::<true>(&short, 1.0, recursion.difference, None);
            let next = next.rising::<true>();
            self.steps += 1;
            self.segments = self.segments.max(next.nodes() - 1);
            self.work += next.nodes() as u64;
            let change = next.less::<true>(&self.now);
            let moved = change.most().max(-change.least());
            level += 1;
            self.now = if idle > 0 && idle.is_multiple_of(SLOW) {
                let times = stride.after(moved);
                next.with(&change, |value, by, _| value + times * by).rising::<true>()
            } else {
                next
            };
            idle = if moved < least * (1.0 - PROGRESS) { 0 } else { idle + 1 };
            least = least.min(moved);
            let vain = idle > MOST_STEPS_IN_VAIN && stride.fails() || level > MOST_STEPS;
            if moved <= SETTLED * self.merge || vain {
                if let ControlFlow::Break(halt) = self.attempt(observer) {
                    return halt.into();
                }
                (least, idle, level) = (f64::INFINITY, 0, 0);
                stride = Stride::default();
                self.merge *= FINER;
            }
        }
        Status::Converged
    }

    /// Iterates an enclosure of the limit until both thresholds are known to `target`. Every step
    /// preserves the enclosure. Reductions accumulate if the operator does not contract, so a
    /// smaller one needs a new start.
    fn from(&mut self, start: &Pair, target: f64, observer: &dyn Observer) -> Status {
        let recursion = self.recursion;
        self.merge = self.merge.min(target * recursion.scale);
        while self.merge >= FINEST * recursion.scale && self.work <= MOST_WORK {
            let mut pair = recursion.keep(start, 0.0);
            let (mut least, mut idle) = (f64::INFINITY, 0);
            while idle <= MOST_STEPS_IN_VAIN && self.work <= MOST_WORK {
                if let ControlFlow::Break(halt) = observer.check() {
                    return halt.into();
                }
                let step = kept(recursion.step(&pair, 1.0), self.one);
                self.steps += 1;
                self.segments = self.segments.max(step.raw.nodes() - 1);
                self.work += step.raw.nodes() as u64;
                pair = recursion.keep(&step.raw, self.merge);
                let apart = pair.upper.less::<true>(&pair.lower).most();
                idle = if apart < least * (1.0 - PROGRESS) { 0 } else { idle + 1 };
                least = least.min(apart);
                if step.width() < self.best.width() {
                    self.best = step;
                }
                if self.best.width() <= target {
                    return Status::Converged;
                }
            }
            self.merge *= FINER;
        }
        Status::IterationLimit
    }

    /// Bounds the limit by the change of one more step.
    fn attempt(&mut self, observer: &dyn Observer) -> ControlFlow<Halt> {
        let recursion = self.recursion;
        let older = Pair { upper: self.now.clone(), lower: self.now.clone() };
        let newer = recursion.step(&recursion.keep(&older, 0.0), 1.0).raw;
        let room = Room::of(recursion, &older, 1.0, f64::MAX, observer)?;
        self.lost += u32::from(room.most == f64::MAX);
        let found = room.beyond(recursion, &older, &newer);
        if let Some(step) = found.map(|pair| kept(recursion.shown(pair), self.one))
            && step.width() < self.best.width()
        {
            self.best = step;
        }
        ControlFlow::Continue(())
    }
}
