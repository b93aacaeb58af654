//! Thresholds and value over a finite number of cycles.

use super::operator::{Filter, Line};
use super::polyline::Polyline;
use super::problem::{PhaseSwitching, SwitchingError};
use super::value::Value;
use crate::lifetime::Lifetime;
use crate::rounding::nearest;
use crate::threshold::{Bounds, Curve};
use crate::{Observer, Status};
use std::ops::ControlFlow;

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

/// Both functions around the difference of the mappings, cut at the costs of switching.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) upper: Polyline,
    pub(super) lower: Polyline,
}

/// What one step back from a pair shows.
pub(super) struct Step {
    /// The difference, not yet cut.
    pub(super) raw: Pair,
    pub(super) to_second: Bounds,
    pub(super) to_first: Bounds,
}

impl Step {
    pub(super) fn width(&self) -> f64 {
        self.to_second.width().max(self.to_first.width())
    }
}

/// Nodes from which on the two sides are worth two threads.
const MANY_NODES: usize = 2000;

/// The recursion of the difference.
pub(super) struct Recursion {
    pub(super) filter: Filter,
    /// What a cycle loses under the first mapping against the second.
    difference: Line,
    /// -d and c.
    pub(super) low: f64,
    pub(super) high: f64,
    /// The greatest difference of a cycle: the unit of tolerances.
    pub(super) scale: f64,
}

impl Recursion {
    pub(super) fn new(problem: &PhaseSwitching) -> Recursion {
        let cost = |m: usize| problem.switch[m].as_ref().map_or(f64::INFINITY, nearest);
        let difference = [nearest(&problem.gain(0)), nearest(&problem.gain(1))];
        Recursion {
            filter: Filter::new(problem),
            difference,
            low: -cost(1),
            high: cost(0),
            scale: (difference[1] - difference[0]).max(f64::MIN_POSITIVE),
        }
    }

    /// One step back.
    pub(super) fn step(&self, next: &Pair, survival: f64) -> Step {
        let upper = || self.filter.back::<true>(&next.upper, survival, self.difference, &[]);
        let lower = || self.filter.back::<false>(&next.lower, survival, self.difference, &[]);
        let (upper, lower) = if next.upper.nodes() + next.lower.nodes() > MANY_NODES {
            rayon::join(upper, lower)
        } else {
            (upper(), lower())
        };
        let to_second = Bounds {
            lower: upper.first_above::<false>(self.high),
            upper: lower.first_above::<true>(self.high),
        };
        let to_first = Bounds {
            lower: upper.last_below::<false>(self.low),
            upper: lower.last_below::<true>(self.low),
        };
        Step { raw: Pair { upper, lower }, to_second, to_first }
    }

    /// What the next step back needs of this one.
    pub(super) fn keep(&self, raw: &Pair, merge: f64) -> Pair {
        let (low, high) = (self.low, self.high);
        let cut = |side: &Polyline| side.cut(low, high);
        Pair {
            upper: cut(&raw.upper).reduced::<true>(merge).confined(low, high),
            lower: cut(&raw.lower).reduced::<false>(merge).confined(low, high),
        }
    }

    /// Where the recursion may be at worst: the costs of switching themselves, if there are both.
    pub(super) fn extremes(&self) -> Option<Pair> {
        let bounded = self.low.is_finite() && self.high.is_finite();
        let (upper, lower) = (Polyline::constant(self.high), Polyline::constant(self.low));
        bounded.then_some(Pair { upper, lower })
    }
}

/// Sweeps tried before the tolerance is declared out of the reach of doubles.
const MAX_SWEEPS: usize = 6;

/// How far reducing a function may move it, as a fraction of the tolerance, in units of the gain.
pub(super) const MERGE: f64 = 0.02;

/// Steps of the same kind from which on it is worth asking where they come to rest.
const LONG: u64 = 64;

/// Computes all thresholds of `problem` for a program that runs N + 1 cycles, N distributed as
/// `lifetime`, each to `tolerance` absolutely and the value relative to max(1, |V|).
///
/// Every bound is proved, rounding included. Where the steps to come are all alike, two more functions
/// follow what the recursion makes of its extremes; once those agree within the tolerance they bound every
/// step to come. Memory O(distinct thresholds + pieces); time O(distinct steps x levels x pieces), and
/// O(pieces of the value) for every other step.
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
    let mut merge = MERGE * tolerance * recursion.scale;
    let mut best: Option<(f64, Solution)> = None;
    for _ in 0..MAX_SWEEPS {
        let mut sweep = Sweep::new(problem, &recursion, lifetime, merge, tolerance);
        let status = sweep.run(observer);
        let width = sweep.width();
        let stopped = status != Status::Converged;
        if !stopped || best.is_none() {
            let converged = width <= tolerance;
            let status = if stopped || converged { status } else { Status::IterationLimit };
            let found = sweep.into_solution(status);
            if best.as_ref().is_none_or(|(least, _)| width < *least) {
                best = Some((width, found));
            } else {
                break;
            }
        }
        if stopped || width <= tolerance {
            break;
        }
        merge *= 0.3 * (tolerance / width).clamp(1e-3, 1.0);
    }
    Ok(best.expect("at least one sweep ran").1)
}

struct Sweep<'a> {
    recursion: &'a Recursion,
    lifetime: &'a Lifetime,
    merge: f64,
    tolerance: f64,
    pair: Pair,
    /// What the steps since `top` make of the extremes.
    extremes: Option<Pair>,
    value: Value,
    to_second: Curve,
    to_first: Curve,
    segments: usize,
    steps: u64,
}

impl<'a> Sweep<'a> {
    fn new(
        problem: &PhaseSwitching,
        recursion: &'a Recursion,
        lifetime: &'a Lifetime,
        merge: f64,
        tolerance: f64,
    ) -> Sweep<'a> {
        let nothing = Polyline::constant(0.0);
        let cycles = lifetime.residual_mean(0);
        Sweep {
            recursion,
            lifetime,
            merge,
            tolerance,
            pair: Pair { upper: nothing.clone(), lower: nothing },
            extremes: None,
            value: Value::new(problem, 5.0 * merge / recursion.scale, cycles),
            to_second: Curve::default(),
            to_first: Curve::default(),
            segments: 1,
            steps: 0,
        }
    }

    fn run(&mut self, observer: &dyn Observer) -> Status {
        let last = self.lifetime.last();
        let mut next = Some(last);
        let mut alike = 0;
        while let Some(n) = next {
            if let ControlFlow::Break(halt) = observer.progress(last - n, last + 1) {
                return halt.into();
            }
            self.steps += 1;
            let survival = self.lifetime.continuation(n);
            let step = self.recursion.step(&self.pair, survival);
            self.segments =
                self.segments.max(step.raw.upper.nodes().max(step.raw.lower.nodes()) - 1);
            self.to_second.extend_down(n, n, step.to_second);
            self.to_first.extend_down(n, n, step.to_first);
            self.value.step(self.recursion, &step.raw, survival);
            self.pair = self.recursion.keep(&step.raw, self.merge);
            let from = if n < last { self.lifetime.constant_from(n) } else { n };
            if n - from < LONG && self.extremes.is_none() {
                next = n.checked_sub(1);
                continue;
            }
            if self.extremes.is_none() {
                alike = from;
                self.extremes = self.recursion.extremes();
            }
            next = n.checked_sub(1);
            if let Some(extremes) = self.extremes.take() {
                if alike == n {
                    continue;
                }
                let step = self.recursion.step(&extremes, survival);
                let extremes = self.recursion.keep(&step.raw, self.merge);
                if step.width() <= self.tolerance {
                    self.to_second.extend_down(alike, n - 1, step.to_second);
                    self.to_first.extend_down(alike, n - 1, step.to_first);
                    let settled = self.value.repeat(
                        self.recursion,
                        &step.raw,
                        survival,
                        n - alike,
                        self.tolerance,
                        observer,
                    );
                    if let ControlFlow::Break(halt) = settled {
                        return halt.into();
                    }
                    self.pair = extremes;
                    next = alike.checked_sub(1);
                } else {
                    self.extremes = Some(extremes);
                }
            }
        }
        Status::Converged
    }

    /// The widest certificate, the value's in the units of a threshold's.
    fn width(&self) -> f64 {
        let (lower, upper) = self.value.bounds();
        let value = (upper - lower) / lower.abs().max(1.0);
        self.to_second.width().max(self.to_first.width()).max(value)
    }

    fn into_solution(self, status: Status) -> Solution {
        let finished = self.to_second.first_step() == Some(0) && status != Status::TimeLimit;
        let value = (finished && status != Status::Interrupted).then(|| self.value.bounds());
        Solution {
            to_second: self.to_second,
            to_first: self.to_first,
            value,
            segments: self.segments,
            steps: self.steps,
            status,
        }
    }
}
