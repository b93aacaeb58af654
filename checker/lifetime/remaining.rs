//! The number of cycles that a program still has, step by step backward; and the beliefs of a
//! certificate.

use super::Lifetime;
use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::{Listed, Number, is_one};
use crate::core::span::{Span, UNIT, WEIGHT};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// The distribution of the number N of cycles, followed backward from the last step.
#[derive(Clone, Default)]
pub(crate) struct Remaining {
    /// The first and the last value of N.
    pub first: u64,
    pub last: u64,
    /// `tail` is P(N >= n) in units of tilt^n. In this unit P(N = n) is 1, or as listed.
    tilt: Span,
    tail: Span,
    /// s_n, the probability that the program continues after step n.
    pub survival: Span,
}

impl Remaining {
    /// The state after the last step.
    pub fn new(lifetime: &Lifetime) -> Result<Remaining, Refusal> {
        let one = BigRational::one();
        let (first, last, tilt) = match lifetime {
            Lifetime::Fixed(last) => (*last, *last, one.clone()),
            Lifetime::Uniform { first, last } => (*first, *last, one.clone()),
            Lifetime::Geometric { rate, first, .. } if rate.0.is_one() => {
                (*first, *first, one.clone())
            }
            Lifetime::Geometric { rate, first, last } => (*first, *last, &one - &rate.0),
            Lifetime::Pmf(Listed(law)) => {
                let mut listed = law.iter().filter(|(_, p)| !p.0.is_zero()).map(|(n, _)| *n);
                let first = listed.next().unwrap_or(u64::MAX);
                (first, listed.next_back().unwrap_or(first), one.clone())
            }
        };
        let listed: Vec<&Number> = match lifetime {
            Lifetime::Pmf(Listed(law)) => law.values().collect(),
            _ => Vec::new(),
        };
        let law = listed.is_empty() || is_one(&listed.iter().map(|p| &p.0).sum());
        let out = tilt.is_negative() || listed.iter().any(|p| p.0 > one);
        if first > last || last == u64::MAX || !law || out {
            return model_error("a probability or a number of steps is out of range");
        }
        Ok(Remaining { first, last, tilt: Span::from(&tilt), ..Remaining::default() })
    }

    /// Moves from step n + 1 to step n.
    pub fn step_back(&mut self, lifetime: &Lifetime, n: u64) {
        let weight = match lifetime {
            Lifetime::Pmf(Listed(law)) => {
                law.get(&n).map_or_else(Span::default, |p| Span::from(&p.0))
            }
            _ => Span::whole(u64::from(n >= self.first)),
        };
        self.survival = Span::whole(1);
        if weight != Span::default() {
            let later = self.tail.times(&self.tilt);
            self.survival = later.share(&weight);
            self.tail = later.plus(&weight);
        }
    }
}

/// Fraction bits of the beliefs of a certificate.
pub const BELIEF_BITS: u32 = 44;

/// The beliefs that these differences list, with 0 and 1 added, in units of 2^-62. They must
/// ascend.
pub fn beliefs(differences: &[u64]) -> Result<Vec<u64>, Refusal> {
    let next = |last: &mut u64, difference: &u64| {
        *last = last.saturating_add(*difference).min(1 << BELIEF_BITS);
        Some(*last << (WEIGHT - BELIEF_BITS))
    };
    let inner = differences.iter().scan(0, next);
    let all: Vec<u64> = [0].into_iter().chain(inner).chain([UNIT]).collect();
    if all.is_sorted_by(|a, b| a < b) { Ok(all) } else { Err(Refusal::Malformed) }
}

/// l^n, and 1 + l + ... + l^(n-1).
pub fn powers(l: &Span, n: u64) -> (Span, Span) {
    let (mut power, mut sum) = (Span::whole(1), Span::default());
    for bit in (0..64).rev() {
        sum = sum.plus(&sum.times(&power));
        power = power.times(&power);
        if n >> bit & 1 == 1 {
            sum = sum.times(l).plus(&Span::whole(1));
            power = power.times(l);
        }
    }
    (power, sum)
}
