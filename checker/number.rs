//! Integers that stand for themselves over a power of two, and intervals of fractions.

use crate::Refusal;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

/// Fraction bits of weights and beliefs.
pub const WEIGHT: u32 = 62;

/// The weight 1; what is multiplied by weights is at most that, too.
pub const UNIT: u64 = 1 << WEIGHT;

/// `exact` in units of 2^-bits, rounded down.
pub fn floor(exact: &BigRational, bits: u32) -> Result<i128, Refusal> {
    Integer::div_floor(&(exact.numer() << bits), exact.denom()).to_i128().ok_or(Refusal::TooLarge)
}

/// The same, rounded up.
pub fn ceil(exact: &BigRational, bits: u32) -> Result<i128, Refusal> {
    Ok(-floor(&-exact, bits)?)
}

/// A number that can be multiplied by weights.
pub fn small(value: i128) -> Result<u64, Refusal> {
    u64::try_from(value).ok().filter(|value| *value <= UNIT).ok_or(Refusal::TooLarge)
}

/// A product in units of 2^-62.
pub fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// `value * weight`, rounded down.
pub fn down(value: u64, weight: u64) -> u64 {
    (wide(value, weight) >> WEIGHT) as u64
}

/// The same, rounded up.
pub fn up(value: u64, weight: u64) -> u64 {
    ((wide(value, weight) + u128::from(UNIT - 1)) >> WEIGHT) as u64
}

/// `value` units of 2^-bits.
pub fn over(value: i128, bits: u32) -> BigRational {
    BigRational::new(value.into(), BigInt::one() << bits)
}

pub fn one() -> BigRational {
    BigRational::one()
}

/// Doubles around an interval.
pub fn reals(low: &BigRational, high: &BigRational) -> (f64, f64) {
    let near = |x: &BigRational| x.to_f64().unwrap_or(f64::NAN);
    (near(low).next_down(), near(high).next_up())
}

/// An interval of nonnegative numbers, exact as long as its ends are short.
#[derive(Debug, Clone, Default)]
pub struct Span {
    pub low: BigRational,
    pub high: BigRational,
}

/// Bits of a denominator beyond which an end is rounded outward, and to which.
const LONG: u64 = 1024;
const KEPT: u32 = 512;

impl Span {
    pub fn new(low: BigRational, high: BigRational) -> Span {
        if low.denom().bits().max(high.denom().bits()) <= LONG {
            return Span { low, high };
        }
        let floor = |x: BigRational| {
            let units = Integer::div_floor(&(x.numer() << KEPT), x.denom());
            BigRational::new(units, BigInt::one() << KEPT)
        };
        Span { low: floor(low), high: -floor(-high) }
    }

    pub fn times(&self, factor: &Span) -> Span {
        Span::new(&self.low * &factor.low, &self.high * &factor.high)
    }

    pub fn plus(&self, more: &Span) -> Span {
        Span::new(&self.low + &more.low, &self.high + &more.high)
    }
}

impl From<BigRational> for Span {
    fn from(exact: BigRational) -> Span {
        Span { low: exact.clone(), high: exact }
    }
}
