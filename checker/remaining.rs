//! How many cycles a program still has, step by step.

use crate::model::{Number, is_one};
use crate::number::Span;
use crate::phases::{Lifetime, Weights};
use crate::{Refusal, model_error};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// How many cycles there may still be, backwards.
#[derive(Clone, Default)]
pub(crate) struct Remaining {
    /// The first and the last value of N.
    pub first: u64,
    pub last: u64,
    /// P(N >= n) in units of this power n, for which those listed are P(N = n), and others 1.
    tilt: Span,
    tail: Span,
    /// s_n.
    pub survival: Span,
}

impl Remaining {
    /// After the last step.
    pub fn new(lifetime: &Lifetime) -> Result<Remaining, Refusal> {
        let one = BigRational::one();
        let (first, last, tilt) = match lifetime {
            Lifetime::Fixed(last) => (*last, *last, one.clone()),
            Lifetime::Uniform { first, last } => (*first, *last, one.clone()),
            Lifetime::Geometric { rate, first, .. } if rate.0.is_one() => {
                (*first, *first, one.clone())
            }
            Lifetime::Geometric { rate, first, last } => (*first, *last, &one - &rate.0),
            Lifetime::Pmf(Weights(law)) => {
                let mut listed = law.iter().filter(|(_, p)| !p.0.is_zero()).map(|(n, _)| *n);
                let first = listed.next().unwrap_or(u64::MAX);
                (first, listed.next_back().unwrap_or(first), one.clone())
            }
        };
        let listed: Vec<&Number> = match lifetime {
            Lifetime::Pmf(Weights(law)) => law.values().collect(),
            _ => Vec::new(),
        };
        let law = listed.is_empty() || is_one(&listed.iter().map(|p| &p.0).sum());
        let out = tilt.is_negative() || listed.iter().any(|p| p.0 > one);
        if first > last || last == u64::MAX || !law || out {
            return model_error("a probability or a number of steps is out of range");
        }
        Ok(Remaining { first, last, tilt: Span::from(&tilt), ..Remaining::default() })
    }

    /// Goes to step n, from the one after it.
    pub fn step_back(&mut self, lifetime: &Lifetime, n: u64) {
        let weight = match lifetime {
            Lifetime::Pmf(Weights(law)) => {
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
