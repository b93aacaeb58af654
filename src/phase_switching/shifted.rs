//! Functions of the belief with a large constant, which is held apart from their shape.

use super::around::Pair;
use super::operator::Line;
use super::polyline::Polyline;
use super::recursion::{Chances, Recursion};
use crate::rounding::{DoubleDouble, outward};

/// How many times the usual nodes the change of a step at rest may keep: only the first are that rough.
pub(super) const MORE_NODES: usize = 4;

/// A function and the constant taken out of it.
#[derive(Debug, Clone)]
pub(super) struct Shifted {
    pub(super) shape: Polyline,
    pub(super) offset: DoubleDouble,
}

impl Shifted {
    /// Takes in a new shape, made of the old one without its constant.
    pub(super) fn settle<const UPPER: bool>(&mut self, shape: Polyline, failure: f64) {
        let offset = self.offset.value();
        let lost = outward::<UPPER>(-failure * offset, failure * offset);
        self.offset = self.offset.plus(lost);
        self.shape = shape;
        self.center();
    }

    /// Takes the value at 0 out of the shape.
    pub(super) fn center(&mut self) {
        let start = self.shape.value[0];
        self.shape.value.iter_mut().for_each(|value| *value -= start);
        self.offset = self.offset.plus(start);
    }

    /// The value at `p`, rounded up (`UPPER`) or down.
    pub(super) fn value<const UPPER: bool>(&self, p: f64) -> f64 {
        let offset = self.offset.value();
        outward::<UPPER>(self.shape.at(p) + offset, 8.0 * (self.shape.size() + offset.abs()))
    }

    /// Adds a linear function.
    pub(super) fn raise<const UPPER: bool>(&mut self, line: [DoubleDouble; 2]) {
        let tilt = line[1].minus(line[0]);
        for (at, value) in self.shape.at.iter().zip(&mut self.shape.value) {
            *value = outward::<UPPER>(*value + at * tilt, value.abs() + (at * tilt).abs());
        }
        self.offset = self.offset.plus(line[0].value());
    }

    /// The linear function above this one (`UPPER`, else below) that is parallel to the chord of its ends.
    pub(super) fn beside<const UPPER: bool>(&self) -> Line {
        let offset = self.offset.value();
        self.shape
            .beside::<UPPER>()
            .map(|end| outward::<UPPER>(end + offset, end.abs() + offset.abs()))
    }

    /// This function less another, rounded up (`UPPER`) or down.
    pub(super) fn less<const UPPER: bool>(&self, other: &Polyline) -> Shifted {
        Shifted { shape: self.shape.less::<UPPER>(other), offset: self.offset }
    }

    /// This function and another together, rounded up (`UPPER`) or down.
    pub(super) fn over<const UPPER: bool>(&self, other: &Polyline) -> Shifted {
        let both = |own: f64, its: f64, size: f64| outward::<UPPER>(own + its, size);
        Shifted { shape: self.shape.with(other, both), offset: self.offset }
    }
}

/// Bounds on what a step adds to a function.
pub(super) struct Change {
    pub(super) upper: Shifted,
    pub(super) lower: Shifted,
}

impl Change {
    /// Between two functions.
    pub(super) fn of(upper: Polyline, lower: Polyline) -> Change {
        let [upper, lower] = [upper, lower].map(|shape| Shifted { shape, offset: 0.0.into() });
        let mut change = Change { upper, lower };
        change.upper.center();
        change.lower.center();
        change
    }

    /// The bound from above but for a constant.
    pub(super) fn upper(&self) -> &Polyline {
        &self.upper.shape
    }

    /// Linear functions above and below.
    pub(super) fn lines(&self) -> [Line; 2] {
        [self.upper.beside::<true>(), self.lower.beside::<false>()]
    }

    /// P of the change and what is left of the program, reduced by `merge`.
    pub(super) fn step(&mut self, recursion: &Recursion, chances: Chances, merge: f64) {
        let (filter, survival) = (&recursion.filter, chances.survival);
        let most = MORE_NODES * recursion.most_nodes;
        let (upper, lower) = (&self.upper.shape, &self.lower.shape);
        let new = Pair::of(
            upper.nodes().max(lower.nodes()),
            || filter.back_reduced::<true>(upper, survival, [0.0; 2], None, (merge, most)),
            || filter.back_reduced::<false>(lower, survival, [0.0; 2], None, (merge, most)),
        );
        self.upper.settle::<true>(new.upper, chances.failure);
        self.lower.settle::<false>(new.lower, chances.failure);
    }
}
