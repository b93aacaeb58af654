//! Functions of the belief with a large constant, stored apart from their shape in double-double
//! arithmetic.

use super::polyline::Polyline;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::operator::Line;
use crate::phase_switching::difference::recursion::{Chances, Recursion};
use crate::rounding::{DoubleDouble, outward};

/// Node limit of the change of a stationary step, as a multiple of the usual one: only the first
/// changes are that rough.
const MORE_NODES: usize = 4;

/// A function: its shape plus a constant.
#[derive(Debug, Clone)]
pub(crate) struct Shifted {
    pub(crate) shape: Polyline,
    pub(crate) offset: DoubleDouble,
}

impl Shifted {
    /// Replaces the shape by `shape`, the image of the old shape. The constant loses the share
    /// `failure`.
    pub(crate) fn settle<const UPPER: bool>(&mut self, shape: Polyline, failure: f64) {
        let offset = self.offset.value();
        let lost = outward::<UPPER>(-failure * offset, failure * offset);
        self.offset = self.offset.plus(lost);
        self.shape = shape;
        self.center();
    }

    /// Moves the value at 0 from the shape to the constant.
    pub(crate) fn center(&mut self) {
        let start = self.shape.value[0];
        self.shape.value.iter_mut().for_each(|value| *value -= start);
        self.offset = self.offset.plus(start);
    }

    /// The value at `p`, rounded up (`UPPER`) or down.
    pub(crate) fn value<const UPPER: bool>(&self, p: f64) -> f64 {
        let offset = self.offset.value();
        outward::<UPPER>(self.shape.at(p) + offset, 8.0 * (self.shape.size() + offset.abs()))
    }

    /// Adds a linear function, given by its values at 0 and 1.
    pub(crate) fn raise<const UPPER: bool>(&mut self, line: [DoubleDouble; 2]) {
        let tilt = line[1].minus(line[0]);
        for (at, value) in self.shape.at.iter().zip(&mut self.shape.value) {
            *value = outward::<UPPER>(*value + at * tilt, value.abs() + (at * tilt).abs());
        }
        self.offset = self.offset.plus(line[0].value());
    }

    /// The lowest linear function above this one (`UPPER`; else the highest below) that is parallel
    /// to the chord of the ends.
    pub(crate) fn beside<const UPPER: bool>(&self) -> Line {
        let offset = self.offset.value();
        self.shape
            .beside::<UPPER>()
            .map(|end| outward::<UPPER>(end + offset, end.abs() + offset.abs()))
    }

    /// This function minus another, rounded up (`UPPER`) or down.
    pub(crate) fn less<const UPPER: bool>(&self, other: &Polyline) -> Shifted {
        Shifted { shape: self.shape.less::<UPPER>(other), offset: self.offset }
    }

    /// The sum of this function and another, rounded up (`UPPER`) or down.
    pub(crate) fn over<const UPPER: bool>(&self, other: &Polyline) -> Shifted {
        let both = |own: f64, its: f64, size: f64| outward::<UPPER>(own + its, size);
        Shifted { shape: self.shape.with(other, both), offset: self.offset }
    }
}

/// Bounds on a function, or on its change in one step.
pub(crate) struct Change {
    pub(crate) upper: Shifted,
    pub(crate) lower: Shifted,
}

impl Change {
    /// From an upper and a lower function.
    pub(crate) fn of(upper: Polyline, lower: Polyline) -> Change {
        let [upper, lower] = [upper, lower].map(|shape| Shifted { shape, offset: 0.0.into() });
        let mut change = Change { upper, lower };
        change.upper.center();
        change.lower.center();
        change
    }

    /// Linear functions above and below.
    pub(crate) fn lines(&self) -> [Line; 2] {
        [self.upper.beside::<true>(), self.lower.beside::<false>()]
    }

    /// Replaces the functions by `line` + s P of them - `gains`, reduced by `merge`.
    pub(crate) fn step(
        &mut self,
        recursion: &Recursion,
        chances: Chances,
        merge: f64,
        line: Line,
        gains: Option<&Pair>,
    ) {
        let (filter, survival) = (&recursion.filter, chances.survival);
        let limits = (merge, MORE_NODES * recursion.most_nodes);
        let (upper, lower) = (&self.upper.shape, &self.lower.shape);
        let [least, most] = [gains.map(|gains| &gains.lower), gains.map(|gains| &gains.upper)];
        let new = Pair::of(
            upper.nodes().max(lower.nodes()) + gains.map_or(0, Pair::nodes),
            || filter.back_reduced::<true>(upper, survival, line, least, limits),
            || filter.back_reduced::<false>(lower, survival, line, most, limits),
        );
        self.upper.settle::<true>(new.upper, chances.failure);
        self.lower.settle::<false>(new.lower, chances.failure);
    }
}
