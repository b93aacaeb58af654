//! The distribution of the number of cycles in a model file.

use super::number::Decimal;
use super::review::Review;
use super::syntax_tree::explain::Shape;
use super::weights::Weights;
use remapping::Rational;
use remapping::lifetime::{Lifetime, LifetimeError};
use serde::Deserialize;

/// The distribution of the number of cycles N.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Law {
    Fixed(u64),
    Uniform { first: u64, last: u64 },
    Geometric { rate: Decimal, first: u64, last: u64 },
    Pmf(Weights<u64>),
}

/// The forms of the distribution, for messages.
pub(crate) const SHAPE: Shape = (
    "problem.lifetime",
    "Fixed(1000), Uniform(first: 1, last: 200), Geometric(rate: 0.02, first: 1, last: 150) or \
     Pmf({0: 0.9, 6: 0.1})",
);

impl Law {
    /// Records a fault for numbers that are out of range.
    pub(crate) fn review(&self, review: &mut Review<'_>) {
        match self {
            Law::Fixed(_) => {}
            Law::Uniform { first, last } | Law::Geometric { first, last, .. } if first > last => {
                let label = format!("first = {first} is after last = {last}");
                review.fault(
                    "problem.lifetime",
                    "the range of N is empty",
                    &label,
                    "give first <= last",
                );
            }
            Law::Uniform { .. } => {}
            Law::Geometric { rate, .. } => review.exact_probability("problem.lifetime.rate", rate),
            Law::Pmf(Weights(entries)) => {
                for (at, (_, weight)) in entries.iter().enumerate() {
                    if !weight.is_probability() {
                        review.exact_probability(&format!("problem.lifetime[{at}]"), weight);
                    }
                }
                let sum = entries.iter().fold(Rational::ZERO, |sum, (_, w)| sum + &w.exact);
                review.exact_sum_to_one("problem.lifetime", &sum, "the probabilities of N");
            }
        }
    }

    /// The distribution, or a fault. Call it if [`review`](Law::review) found none.
    pub(crate) fn reviewed(&self, review: &mut Review<'_>) -> Option<Lifetime> {
        match self.law() {
            Err(error) => {
                let help = "give at least one value with positive probability";
                let message = "this is not a law of N";
                review.fault("problem.lifetime", message, &error.to_string(), help);
                None
            }
            Ok(lifetime) if lifetime.last() == u64::MAX => {
                let label = "this is 2^64 - 1 or more";
                review.fault("problem.lifetime", "N is too large", label, "take a smaller N");
                None
            }
            Ok(lifetime) => Some(lifetime),
        }
    }

    /// The engine's form.
    pub(crate) fn law(&self) -> Result<Lifetime, LifetimeError> {
        match self {
            Law::Fixed(last) => Ok(Lifetime::fixed(*last)),
            Law::Uniform { first, last } => Lifetime::uniform(*first, *last),
            Law::Geometric { rate, first, last } => {
                Lifetime::geometric(rate.exact.clone(), *first, *last)
            }
            Law::Pmf(Weights(entries)) => {
                Lifetime::pmf(entries.iter().map(|(value, w)| (*value, w.exact.clone())).collect())
            }
        }
    }
}
