//! Fixed-point numbers: an integer `n` stands for `n / 2^q`.

use crate::Refusal;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Fraction bits of a weight in \[0, 1\].
pub(crate) const WEIGHT: u32 = 62;

/// The weight 1.
pub(crate) const UNIT: u64 = 1 << WEIGHT;

/// `exact` in units of 2^-q, rounded down.
pub(crate) fn floor(exact: &BigRational, q: u32) -> Result<i128, Refusal> {
    let scaled: BigInt = exact.numer() << q;
    scaled.div_floor(exact.denom()).to_i128().ok_or(Refusal::TooLarge)
}

/// The same, rounded up.
pub(crate) fn ceil(exact: &BigRational, q: u32) -> Result<i128, Refusal> {
    Ok(-floor(&-exact, q)?)
}

/// A probability as a weight rounded down, and as one rounded up.
pub(crate) fn weights(p: &BigRational) -> Result<(u64, u64), Refusal> {
    if p.is_negative() || *p > BigRational::one() {
        return Err(Refusal::Model(format!("{p} is not a probability")));
    }
    Ok((floor(p, WEIGHT)? as u64, ceil(p, WEIGHT)? as u64))
}

/// `value * weight`, rounded down. `weight` <= 1.
pub(crate) const fn times(value: i128, weight: u64) -> i128 {
    let (high, low) = (value >> 64, value as u64);
    let low = (low as u128 * weight as u128) >> WEIGHT;
    ((high * weight as i128) << (64 - WEIGHT)) + low as i128
}

/// `value * weight`, rounded up.
pub(crate) fn times_up(value: i128, weight: u64) -> i128 {
    -times(-value, weight)
}

/// `num / den` as a multiple of 2^-62, rounded up, between 0 and 1. `den` > 0.
pub(crate) fn ratio_up(num: i128, den: i128) -> i128 {
    if num <= 0 {
        return 0;
    }
    if num >= den {
        return i128::from(UNIT);
    }
    let shift = 65u32.saturating_sub(num.leading_zeros());
    Integer::div_ceil(&(((num >> shift) + i128::from(shift > 0)) << WEIGHT), &(den >> shift).max(1))
        .min(i128::from(UNIT))
}

/// `value * weight`, rounded down. Both at most 1 in units of 2^-62.
pub(crate) fn down(value: u64, weight: u64) -> u64 {
    ((u128::from(value) * u128::from(weight)) >> WEIGHT) as u64
}

/// The same, rounded up.
pub(crate) fn up(value: u64, weight: u64) -> u64 {
    ((u128::from(value) * u128::from(weight) + u128::from(UNIT - 1)) >> WEIGHT) as u64
}

/// A rational interval whose ends are kept to a few hundred bits.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub low: BigRational,
    pub high: BigRational,
}

/// Bits beyond which an end is rounded, and to which.
const LONG: u64 = 4096;
const KEPT: u32 = 512;

impl Span {
    pub fn point(exact: BigRational) -> Span {
        Span { low: exact.clone(), high: exact }
    }

    /// Rounded outward if its ends have become long.
    pub fn shortened(self) -> Span {
        let long = |x: &BigRational| x.denom().bits() > LONG;
        if !(long(&self.low) || long(&self.high)) {
            return self;
        }
        let unit = BigInt::one() << KEPT;
        let low = (self.low.numer() * &unit).div_floor(self.low.denom());
        let high = -(-self.high.numer() * &unit).div_floor(self.high.denom());
        let over = |n: BigInt| BigRational::new(n, unit.clone());
        Span { low: over(low), high: over(high) }
    }

    /// `factor * self + shift`; all numbers nonnegative.
    pub fn affine(&self, factor: &Span, shift: &BigRational) -> Span {
        Span { low: &factor.low * &self.low + shift, high: &factor.high * &self.high + shift }
            .shortened()
    }

    /// Its ends as weights rounded outward.
    pub fn weights(&self) -> Result<(u64, u64), Refusal> {
        Ok((
            weights(&self.low.clone().max(BigRational::zero()))?.0,
            weights(&self.high.clone().min(BigRational::one()))?.1,
        ))
    }
}
