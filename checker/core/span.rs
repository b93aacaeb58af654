//! Fixed-point integers (an integer stands for itself over a power of two), and intervals between
//! two of them. Results of the arithmetic of intervals enclose all results of members.

use super::budget::Refusal;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::ToPrimitive;

/// Fraction bits of weights and beliefs.
pub const WEIGHT: u32 = 62;

/// The weight 1. A number that is multiplied by a weight is at most this, too.
pub const UNIT: u64 = 1 << WEIGHT;

/// The exact product of two numbers.
pub fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// `value * weight`, rounded down.
pub fn down(value: u64, weight: u64) -> u64 {
    (wide(value, weight) >> WEIGHT) as u64
}

/// `value * weight`, rounded up.
pub fn up(value: u64, weight: u64) -> u64 {
    ((wide(value, weight) + u128::from(UNIT - 1)) >> WEIGHT) as u64
}

/// Fraction bits of the ends of intervals.
pub(crate) const FINE: u32 = 256;

/// An interval with ends in units of 2^-`FINE`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Span {
    pub(crate) low: BigInt,
    pub(crate) high: BigInt,
}

/// `x / 2^bits`, rounded up.
pub(crate) fn ceil(x: &BigInt, bits: u32) -> BigInt {
    -(-x >> bits)
}

impl Span {
    /// The interval between two numbers in units of 2^-bits.
    pub fn between(low: impl Into<BigInt>, high: impl Into<BigInt>, bits: u32) -> Span {
        Span { low: low.into() << (FINE - bits), high: high.into() << (FINE - bits) }
    }

    /// The integers that enclose the interval in units of 2^-bits. They can be multiplied by
    /// weights; larger ones are refused.
    pub fn units(&self, bits: u32) -> Result<[u64; 2], Refusal> {
        let small = |x: BigInt| x.to_u64().filter(|x| *x <= UNIT).ok_or(Refusal::TooLarge);
        Ok([small(&self.low >> (FINE - bits))?, small(ceil(&self.high, FINE - bits))?])
    }

    /// Doubles that enclose the interval.
    pub fn reals(&self) -> (f64, f64) {
        let near = |x: &BigInt| {
            let more = x.bits().saturating_sub(900);
            (x >> more).to_f64().unwrap_or(f64::NAN) * 2f64.powi(more as i32 - FINE as i32)
        };
        (near(&self.low).next_down(), near(&self.high).next_up())
    }

    pub fn whole(x: impl Into<BigInt>) -> Span {
        let x = x.into();
        Span::between(x.clone(), x, 0)
    }

    pub fn plus(&self, other: &Span) -> Span {
        Span { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    pub fn minus(&self, other: &Span) -> Span {
        Span { low: &self.low - &other.high, high: &self.high - &other.low }
    }

    pub fn times(&self, other: &Span) -> Span {
        let by = |x: &BigInt| [x * &other.low, x * &other.high];
        let mut ends = [by(&self.low), by(&self.high)].concat();
        ends.sort();
        Span { low: &ends[0] >> FINE, high: ceil(&ends[3], FINE) }
    }

    /// `self / (self + other)`, where both are at least 0 and `other` is positive.
    pub fn share(&self, other: &Span) -> Span {
        let (most, least) = (&self.low + &other.high, &self.high + &other.low);
        let high = (&self.high << FINE).div_ceil(&least.max(1.into()));
        Span { low: (&self.low << FINE).div_floor(&most), high }
    }
}

impl From<&BigRational> for Span {
    fn from(exact: &BigRational) -> Span {
        let (numerator, denominator) = (exact.numer() << FINE, exact.denom());
        let low = numerator.div_floor(denominator);
        Span { high: numerator.div_ceil(denominator), low }
    }
}
