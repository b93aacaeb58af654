//! Finds the stationary difference function by iterating one piecewise-linear approximation F; the
//! residual D - F then has few pieces.
//!
//! Let T be the step, the same from here on, F a function with fall <= T F - F <= rise everywhere,
//! and w as in `rest.rs`. If D lies between F - y and F + y, all earlier differences lie within y +
//! max(rise, -fall) w of F. The residuals add up to at most y w over all those steps. F is made by
//! value iteration with ever smaller reductions. Then only the residual Y = D - F is iterated:
//!
//! ```text
//! Y' = s P (cut(F + Y) - cut(F)) + T F - F
//! ```
//!
//! Time O(steps x pieces x levels), memory O(pieces).

use super::enclosure::Pair;
use super::recursion::Recursion;
use super::stationarity::Room;
use crate::phase_change::Bounds;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::residual::{cut_beside, near};
use crate::rounding::outward;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// F has settled when a step moves it by at most this multiple of the reduction. Until then a
/// reduction moves F by at most a fraction of the step's change. Afterwards it shrinks by a factor
/// from step to step.
const SETTLED: f64 = 4.0;
const COARSE: f64 = 0.02;
const SHARPER: f64 = 0.5;

/// Steps at the finest reduction, the limit on iterations of the residual, and the tolerance of
/// those in units of the finest reduction.
const SHARP_STEPS: u32 = 3;
const MOST_STEPS: u32 = 1000;
const ROUGHLY: f64 = 4.0;

/// Steps without progress after which the iteration counts as divergent.
const MOST_STEPS_IN_VAIN: u32 = 256;
const PROGRESS: f64 = 0.01;

/// Node limit of F, as a multiple of the usual one.
const MORE_NODES: usize = 4;

/// Reduction of the residual, as a fraction of the reduction of F or of rise - fall.
const SHARP: f64 = 0.5;

/// An approximately stationary difference function F.
pub(in crate::phase_switching) struct AtRest {
    survival: f64,
    /// F, which increases.
    difference: Polyline,
    fall: f64,
    rise: f64,
    room: Room,
}

impl AtRest {
    /// Iterates from the difference `raw`; reductions start at `start` and end at `finest`. `None`
    /// if the iteration does not converge.
    pub(in crate::phase_switching) fn of(
        recursion: &Recursion,
        raw: &Polyline,
        survival: f64,
        [start, finest]: [f64; 2],
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<AtRest>> {
        let Recursion { filter, difference: line, low, high, most_nodes, .. } = recursion;
        let most = MORE_NODES * most_nodes;
        let step = |now: &Polyline, merge: f64| {
            let mut short = now.cut_and_reduced::<true>([*low, *high], merge, most);
            short.value.iter_mut().for_each(|value| *value -= 0.5 * merge);
            filter.back::<true>(&short, survival, *line, None).rising::<true>()
        };
        let moved = |new: &Polyline, old: &Polyline| {
            let change = new.less::<true>(old);
            change.most().max(-change.least())
        };
        let mut now = raw.clone();
        let start = start.max(finest);
        let mut merge = start;
        let (mut least, mut idle) = (f64::INFINITY, 0);
        loop {
            observer.check()?;
            let next = step(&now, merge);
            let change = moved(&next, &now);
            now = next;
            let progress = change < least * (1.0 - PROGRESS);
            (least, idle) = if progress { (change, 0) } else { (least, idle + 1) };
            if idle > MOST_STEPS_IN_VAIN || !change.is_finite() {
                return ControlFlow::Continue(None);
            }
            if change <= SETTLED * start {
                break;
            }
            merge = start.max(COARSE * change);
        }
        let mut sharp = 0;
        while sharp < SHARP_STEPS {
            observer.check()?;
            merge = finest.max(SHARPER * merge);
            sharp += u32::from(merge <= finest);
            now = step(&now, merge);
        }
        let now = now.reduced_to::<true>(finest, most).rising::<true>();
        let drift = |now: &Polyline| {
            let up = filter.back::<true>(&now.cut::<true>(*low, *high), survival, *line, None);
            let down = filter.back::<false>(&now.cut::<false>(*low, *high), survival, *line, None);
            [down.less::<false>(now), up.less::<true>(now)]
        };
        // T F - F is smooth apart from the reductions, and so is the sum of its iterates.
        let [_, up] = drift(&now);
        let left = up.reduced::<true>(ROUGHLY * finest);
        let mut beside = Polyline::constant(0.0);
        for _ in 0..MOST_STEPS {
            observer.check()?;
            let cut = cut_beside::<true>(&now, &beside, *low, *high);
            let next = filter.back::<true>(&cut, survival, [0.0; 2], None);
            let next = next.with(&left, |own, its, _| own + its - 0.5 * ROUGHLY * finest);
            let next = next.reduced::<true>(SHARP * finest);
            let moved = moved(&next, &beside);
            beside = next;
            if moved <= finest {
                break;
            }
        }
        let difference = now.with(&beside, |own, its, _| own + its).rising::<true>();
        let [down, up] = drift(&difference);
        let rise = up.most().max(0.0);
        let fall = down.least().min(0.0);
        let both = Pair { upper: difference.clone(), lower: difference.clone() };
        let room = Room::of(recursion, &both, survival, f64::MAX, observer)?;
        ControlFlow::Continue(Some(AtRest { survival, difference, fall, rise, room }))
    }

    /// Enclosure of all earlier differences, apart from the residual of the difference they start
    /// from.
    pub(in crate::phase_switching) fn around(&self) -> Pair {
        let moved = |by: f64, steps: f64, size: f64| outward::<true>(by * steps, size + by * steps);
        let (difference, steps) = (&self.difference, self.room.steps());
        Pair {
            upper: difference
                .with(steps, |own, steps, size| own + moved(self.rise, steps, size))
                .rising::<true>(),
            lower: difference
                .with(steps, |own, steps, size| own - moved(-self.fall, steps, size))
                .rising::<false>(),
        }
    }

    /// The residual D - F of a difference enclosed by `raw`.
    pub(in crate::phase_switching) fn beside(&self, raw: &Pair) -> Pair {
        Pair {
            upper: raw.upper.less::<true>(&self.difference),
            lower: raw.lower.less::<false>(&self.difference),
        }
    }

    /// The most by which F + residual lies above and below the enclosure of `around`. First over
    /// all beliefs, then where the program may switch to the second mapping.
    pub(in crate::phase_switching) fn excess(
        &self,
        recursion: &Recursion,
        beside: &Pair,
    ) -> [[f64; 2]; 2] {
        let steps = self.room.steps();
        let above = |by: f64| {
            move |own: f64, steps: f64, size: f64| {
                outward::<true>(own - by * steps, size + by * steps)
            }
        };
        let up = beside.upper.with(steps, above(self.rise));
        let down =
            Polyline::constant(0.0).less::<true>(&beside.lower).with(steps, above(-self.fall));
        let switched = self.difference.first_above::<false>(recursion.high - beside.upper.size());
        let from = |line: &Polyline, from: f64| {
            let later = line.at.iter().zip(&line.value).filter(|(at, _)| **at >= from);
            later.map(|(_, value)| *value).fold(line.at(from).max(0.0), f64::max)
        };
        [[up.most().max(0.0), down.most().max(0.0)], [from(&up, switched), from(&down, switched)]]
    }

    /// The greatest value of w: a bound on the number of steps during which the residual matters.
    pub(in crate::phase_switching) fn steps(&self) -> f64 {
        self.room.most()
    }

    /// One step back of the residual.
    pub(in crate::phase_switching) fn step(&self, recursion: &Recursion, beside: &Pair) -> Pair {
        let Recursion { filter, low, high, most_nodes, .. } = recursion;
        let merge = (SHARP * (self.rise - self.fall), *most_nodes);
        Pair::of(
            beside.nodes(),
            || {
                let cut = cut_beside::<true>(&self.difference, &beside.upper, *low, *high);
                filter.back_reduced::<true>(&cut, self.survival, [self.rise; 2], None, merge)
            },
            || {
                let cut = cut_beside::<false>(&self.difference, &beside.lower, *low, *high);
                filter.back_reduced::<false>(&cut, self.survival, [self.fall; 2], None, merge)
            },
        )
    }

    /// The thresholds of the difference F + residual.
    pub(in crate::phase_switching) fn thresholds(
        &self,
        recursion: &Recursion,
        beside: &Pair,
    ) -> [Bounds; 2] {
        let Recursion { low, high, .. } = *recursion;
        let near_up = |level| near::<true>(&self.difference, &beside.upper, level);
        let near_down = |level| near::<false>(&self.difference, &beside.lower, level);
        let to_second = if high == f64::INFINITY {
            Bounds { lower: 1.0, upper: 1.0 }
        } else {
            let [up, down] = [near_up(high), near_down(high)];
            Bounds { lower: up.first_above::<false>(high), upper: down.first_above::<true>(high) }
        };
        let to_first = if low == f64::NEG_INFINITY {
            Bounds { lower: 0.0, upper: 0.0 }
        } else {
            let [up, down] = [near_up(low), near_down(low)];
            Bounds { lower: up.last_below::<false>(low), upper: down.last_below::<true>(low) }
        };
        [to_second, to_first]
    }

    /// Constant bounds on the residuals of all earlier steps, if w is valid for them.
    pub(in crate::phase_switching) fn lasting(
        &self,
        recursion: &Recursion,
        [over, under]: [f64; 2],
    ) -> Option<Pair> {
        let far = |left: f64, by: f64| {
            let far = left + by * self.room.most();
            outward::<true>(far, far)
        };
        let (above, below) = (far(over, self.rise), far(under, -self.fall));
        let pair = || Pair { upper: Polyline::constant(above), lower: Polyline::constant(-below) };
        self.room.holds(recursion, &self.difference, above, below).then(pair)
    }

    /// Bounds on the difference F + residual.
    pub(in crate::phase_switching) fn whole(&self, beside: &Pair) -> Pair {
        let sum = |up: bool| {
            move |own: f64, its: f64, size: f64| {
                let sum = own + its;
                if up { outward::<true>(sum, size) } else { outward::<false>(sum, size) }
            }
        };
        Pair {
            upper: self.difference.with(&beside.upper, sum(true)).rising::<true>(),
            lower: self.difference.with(&beside.lower, sum(false)).rising::<false>(),
        }
    }
}
