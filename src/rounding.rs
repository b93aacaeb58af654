//! Outward rounding without changing the processor's rounding mode: a result that has gone through a
//! few rounded operations is moved by [`SLACK`] in the safe direction.

use crate::Rational;

/// Sixteen times the unit roundoff: more than any chain of operations between two uses of it loses.
pub(crate) const SLACK: f64 = 16.0 * UNIT;

/// Unit roundoff of doubles.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// The double nearest to an exact number.
pub(crate) fn nearest(exact: &Rational) -> f64 {
    exact.to_f64().value()
}

/// `value`, which carries errors of a few units of `magnitude`, moved up or down past them.
pub(crate) fn outward<const UPPER: bool>(value: f64, magnitude: f64) -> f64 {
    let margin = SLACK * magnitude.abs();
    if UPPER { value + margin } else { value - margin }
}

/// A nonnegative `value` moved outward by a relative [`SLACK`]; zero stays zero.
pub(crate) fn scaled<const UPPER: bool>(value: f64) -> f64 {
    outward::<UPPER>(value, value)
}

/// An unevaluated sum of two doubles, for a constant that collects many small increments.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct DoubleDouble {
    high: f64,
    low: f64,
}

impl DoubleDouble {
    /// The sum with `increment`, exact to the square of the unit roundoff.
    pub(crate) fn plus(self, increment: f64) -> DoubleDouble {
        let sum = self.high + increment;
        let back = sum - self.high;
        let error = (self.high - (sum - back)) + (increment - back);
        let low = self.low + error;
        let high = sum + low;
        DoubleDouble { high, low: low - (high - sum) }
    }

    /// The difference of two close numbers, to relative precision of the difference.
    pub(crate) fn minus(self, other: DoubleDouble) -> f64 {
        (self.high - other.high) + (self.low - other.low)
    }

    /// The nearest double.
    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> Self {
        DoubleDouble { high: value, low: 0.0 }
    }
}
