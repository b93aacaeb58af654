//! Arithmetic of intervals: the result encloses all results of members.

use super::span::{FINE, Span, ceil};
use num_bigint::BigInt;
use num_integer::Integer;

impl Span {
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
