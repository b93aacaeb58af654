//! Outward rounding without changes of the processor's rounding mode: a result of a few rounded
//! operations is moved by [`SLACK`] in the safe direction.

use crate::Rational;
use std::cmp::Ordering;

/// Sixteen times the unit roundoff: exceeds the rounding error of every chain of operations between
/// two uses.
pub(crate) const SLACK: f64 = 16.0 * UNIT;

/// Unit roundoff of doubles.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

/// The least double with full relative precision. An operation with a smaller result loses less
/// than this. Two or three such operations and [`nearest`] lose less than [`TINY`].
const LEAST: f64 = f64::MIN_POSITIVE;

/// Exceeds the loss by underflow in a product of a few numbers of at most 1.
pub(crate) const TINY: f64 = 4.0 * LEAST;

/// The double nearest to an exact number. A nonzero number stays nonzero: its absolute value is at
/// least the least double of full precision, an error of at most that.
pub(crate) fn nearest(exact: &Rational) -> f64 {
    let value = exact.to_f64().value();
    match exact.cmp(&Rational::ZERO) {
        Ordering::Greater => value.max(LEAST),
        Ordering::Equal => 0.0,
        Ordering::Less => value.min(-LEAST),
    }
}

/// A nonnegative `value` moved outward by a bound on underflow; zero stays zero. Numbers above
/// 1e-290 are unchanged.
pub(crate) fn eased<const UPPER: bool>(value: f64) -> f64 {
    match (value == 0.0, UPPER) {
        (true, _) => 0.0,
        (_, true) => value + TINY,
        (_, false) => (value - TINY).max(0.0),
    }
}

/// `value` moved up or down by a bound on rounding errors of a few units of `magnitude`.
pub(crate) fn outward<const UPPER: bool>(value: f64, magnitude: f64) -> f64 {
    let margin = SLACK * magnitude.abs();
    if UPPER { value + margin } else { value - margin }
}

/// A nonnegative `value` moved outward by a relative [`SLACK`]; zero stays zero.
pub(crate) fn scaled<const UPPER: bool>(value: f64) -> f64 {
    outward::<UPPER>(value, value)
}

/// A coarser set of floating-point numbers to round to. A sequence that has converged up to
/// rounding errors then converges to the last bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grain {
    /// Mask of the low bits of the significand that are dropped.
    mask: u64,
}

impl Grain {
    /// No rounding.
    pub(crate) const FINE: Grain = Grain { mask: 0 };

    /// Relative spacing at most `relative`.
    pub(crate) fn of(relative: f64) -> Grain {
        let bits = (relative / f64::EPSILON).max(1.0).log2().floor().min(40.0) as u32;
        Grain { mask: (1u64 << bits) - 1 }
    }

    /// The neighbor of a nonnegative `value`, above or below.
    pub(crate) fn round<const UPPER: bool>(self, value: f64) -> f64 {
        let bits = value.to_bits();
        let bits = if UPPER { bits + self.mask } else { bits };
        f64::from_bits(bits & !self.mask)
    }
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
