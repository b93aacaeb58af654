//! The least expected time under the first mapping, as a function of the belief, between bounds.
//!
//! V = min(Q_1, c + Q_2) = Q_1 - (D - c)^+, so that it takes the difference D and one more function.

use super::finite::{Pair, Recursion};
use super::operator::Line;
use super::polyline::Polyline;
use super::problem::PhaseSwitching;
use crate::rounding::{DoubleDouble, SLACK, nearest};
use crate::threshold::amplification;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// A function and the constant taken out of it.
#[derive(Debug, Clone)]
struct Shifted {
    shape: Polyline,
    offset: DoubleDouble,
}

/// Bounds on V as a function of the belief.
pub(super) struct Value {
    upper: Shifted,
    lower: Shifted,
    /// Mean time of a cycle under the first mapping.
    running: Line,
    initial: f64,
    /// How far reducing may move a function.
    merge: f64,
}

impl Value {
    /// `merge` is how far reducing the functions may widen the value, relative to a rough guess of it.
    pub(super) fn new(problem: &PhaseSwitching, merge: f64, cycles: f64) -> Value {
        let running = [nearest(&problem.cycle[0][0]), nearest(&problem.cycle[1][0])];
        let own = running[0].abs().max(nearest(&problem.cycle[1][1]).abs());
        let nothing = Shifted { shape: Polyline::constant(0.0), offset: DoubleDouble::default() };
        Value {
            upper: nothing.clone(),
            lower: nothing,
            running,
            initial: nearest(&problem.initial),
            merge: merge * own.max(1.0 / cycles),
        }
    }

    /// One step back, given the difference of that step.
    pub(super) fn step(&mut self, recursion: &Recursion, raw: &Pair, survival: f64) {
        let gains = self.gains(recursion, raw);
        self.advance(recursion, &gains, survival);
    }

    /// What switching gains at a step, (D - c)^+, not above it and not below it.
    fn gains(&self, recursion: &Recursion, raw: &Pair) -> Pair {
        let above = |side: &Polyline| {
            let mut above = side.cut(recursion.high, f64::INFINITY);
            above.value.iter_mut().for_each(|value| *value -= recursion.high);
            above
        };
        if recursion.high == f64::INFINITY {
            let nothing = Polyline::constant(0.0);
            return Pair { upper: nothing.clone(), lower: nothing };
        }
        let merge = self.merge;
        let (low, high) = (0.0, f64::INFINITY);
        Pair {
            upper: above(&raw.upper).reduced::<true>(merge).confined(low, high),
            lower: above(&raw.lower).reduced::<false>(merge).confined(low, high),
        }
    }

    fn advance(&mut self, recursion: &Recursion, gains: &Pair, survival: f64) {
        let line = self.running;
        let filter = &recursion.filter;
        let upper = filter.back::<true>(&self.upper.shape, survival, line, &gains.lower.at);
        let lower = filter.back::<false>(&self.lower.shape, survival, line, &gains.upper.at);
        let (upper, lower) = (less(upper, &gains.lower), less(lower, &gains.upper));
        self.upper.settle(upper.reduced::<true>(self.merge), survival);
        self.lower.settle(lower.reduced::<false>(self.merge), survival);
    }

    /// `steps` further steps with the same difference. Once a step changes the functions by nearly a
    /// constant, all steps left are settled at once: the operator is monotone, and adding a constant to a
    /// function adds `survival` times as much to its image.
    pub(super) fn repeat(
        &mut self,
        recursion: &Recursion,
        raw: &Pair,
        survival: f64,
        steps: u64,
        tolerance: f64,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt> {
        let gains = self.gains(recursion, raw);
        for done in 0..steps {
            observer.progress(done, steps)?;
            let (upper, lower) = (self.upper.clone(), self.lower.clone());
            self.advance(recursion, &gains, survival);
            let ahead = (steps - done - 1) as f64;
            let times = survival * amplification(1.0 - survival, steps - done - 1);
            let rise = self.upper.above(&upper);
            let fall = -lower.above(&self.lower);
            let (least, most) = self.bounds();
            let wide = (most - least) + (rise - fall) * times;
            let scale = (least + fall * times).abs().max(1.0);
            if ahead > 0.0 && wide <= 0.5 * tolerance * scale {
                let loss = 4.0 * SLACK * times;
                self.upper.offset = self.upper.offset.plus(rise * times + loss * rise.abs());
                self.lower.offset = self.lower.offset.plus(fall * times - loss * fall.abs());
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Bounds on the value at the initial belief.
    pub(super) fn bounds(&self) -> (f64, f64) {
        let at = |side: &Shifted| (side.shape.at(self.initial), side.offset.value());
        let ((lower, low), (upper, high)) = (at(&self.lower), at(&self.upper));
        let margin = |shape: f64, offset: f64| 8.0 * SLACK * (shape.abs() + offset.abs());
        (low + lower - margin(lower, low), high + upper + margin(upper, high))
    }
}

/// `from` less `gain`, whose nodes it has.
fn less(mut from: Polyline, gain: &Polyline) -> Polyline {
    let mut piece = 0;
    for (at, value) in from.at.iter().zip(&mut from.value) {
        *value -= gain.at_from(&mut piece, *at);
    }
    from
}

impl Shifted {
    /// Takes in a new shape, made of the old one without its constant.
    fn settle(&mut self, mut shape: Polyline, survival: f64) {
        let start = shape.value[0];
        shape.value.iter_mut().for_each(|value| *value -= start);
        let lost = (1.0 - survival) * self.offset.value();
        self.offset = self.offset.plus(start).plus(-lost);
        self.shape = shape;
    }

    /// The most by which this function lies above the other, rounded up.
    fn above(&self, other: &Shifted) -> f64 {
        let mut most = f64::NEG_INFINITY;
        let (mut own, mut others) = (0, 0);
        for at in self.shape.at.iter().chain(&other.shape.at) {
            // The second list starts over.
            if *at == 0.0 {
                (own, others) = (0, 0);
            }
            let value = self.shape.at_from(&mut own, *at);
            let reference = other.shape.at_from(&mut others, *at);
            most = most.max(value - reference + SLACK * (value.abs() + reference.abs()));
        }
        most + self.offset.minus(other.offset)
    }
}
