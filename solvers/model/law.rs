//! The distribution of the change of a load in one step, in a model file.

use super::number::Decimal;
use super::review::Review;
use super::weights::Weights;
use remapping::Rational;
use remapping::distribution::{Law as EngineLaw, Steps};
use remapping::periodic::Moments;
use serde::Deserialize;

/// The distribution of the change of a load in one step.
#[derive(Debug, Clone, Deserialize)]
pub(crate) enum Law {
    Steps(Weights<Decimal>),
    Exponential { mean: Decimal },
    Gamma { shape: Decimal, mean: Decimal },
    Normal { mean: Decimal, deviation: Decimal },
    Moments { mean: Decimal, variance: Decimal },
}

/// The largest power of ten of loads and costs; its negative is the smallest.
pub(crate) const SIZES: i32 = 40;

impl Law {
    pub(crate) fn review(&self, review: &mut Review<'_>, path: &str) {
        let at = |field: &str| format!("{path}.{field}");
        match self {
            Law::Steps(Weights(entries)) => review_steps(entries, review, path),
            Law::Exponential { mean } => {
                positive(review, &at("mean"), mean, "the mean of an exponential law");
                review.moderate(&at("mean"), mean.value, SIZES);
            }
            Law::Gamma { shape, mean } => {
                positive(review, &at("shape"), shape, "the shape of a gamma law");
                positive(review, &at("mean"), mean, "the mean of a gamma law");
                review.moderate(&at("shape"), shape.value, SIZES);
                review.moderate(&at("mean"), mean.value, SIZES);
            }
            Law::Normal { mean, deviation } => {
                review.exact_nonnegative(&at("deviation"), deviation, "a standard deviation");
                review.moderate(&at("mean"), mean.value, SIZES);
                review.moderate(&at("deviation"), deviation.value, SIZES);
            }
            Law::Moments { mean, variance } => {
                review.exact_nonnegative(&at("variance"), variance, "a variance");
                review.moderate(&at("mean"), mean.value, SIZES);
                review.moderate(&at("variance"), variance.value, 2 * SIZES);
            }
        }
    }

    /// Exact mean and variance of a distribution that has passed review.
    pub(crate) fn moments(&self) -> [Rational; 2] {
        let square = |x: &Decimal| &x.exact * &x.exact;
        match self {
            Law::Steps(Weights(entries)) => {
                let exact = |(step, weight): &(Decimal, Decimal)| {
                    (step.exact.clone(), weight.exact.clone())
                };
                Moments::of_steps(entries.iter().map(exact))
            }
            Law::Exponential { mean } => [mean.exact.clone(), square(mean)],
            Law::Gamma { shape, mean } => [mean.exact.clone(), square(mean) / &shape.exact],
            Law::Normal { mean, deviation } => [mean.exact.clone(), square(deviation)],
            Law::Moments { mean, variance } => [mean.exact.clone(), variance.exact.clone()],
        }
    }

    /// The engine's distribution; `None` if it is not valid.
    pub(crate) fn engine(&self) -> Option<EngineLaw> {
        let law = match self {
            Law::Steps(Weights(entries)) => {
                let pairs = entries.iter().map(|(step, weight)| (step.value, weight.value));
                EngineLaw::Steps(Steps::new(pairs.collect()).ok()?)
            }
            Law::Exponential { mean } => EngineLaw::Exponential { mean: mean.value },
            Law::Gamma { shape, mean } => EngineLaw::Gamma { shape: shape.value, mean: mean.value },
            Law::Normal { mean, deviation } => {
                EngineLaw::Normal { mean: mean.value, deviation: deviation.value }
            }
            Law::Moments { mean, variance } => {
                EngineLaw::Moments { mean: mean.value, variance: variance.value }
            }
        };
        law.check().ok().map(|()| law)
    }
}

/// Records a fault if a number is not positive.
pub(crate) fn positive(review: &mut Review<'_>, path: &str, value: &Decimal, what: &str) {
    if value.value <= 0.0 {
        let label = format!("{} is not above zero", value.value);
        review.fault(path, &format!("{what} must be positive"), &label, "give a value above 0");
    }
}

fn review_steps(entries: &[(Decimal, Decimal)], review: &mut Review<'_>, path: &str) {
    if entries.is_empty() {
        let help = "give at least one step, such as {-1: 0.5, 1: 0.5}";
        review.fault(path, "a law of steps needs a step", "no step here", help);
        return;
    }
    let mut sum = Rational::ZERO;
    for (index, (step, weight)) in entries.iter().enumerate() {
        review.exact_probability(&format!("{path}[{index}]"), weight);
        review.moderate(&format!("{path}[{index}]"), step.value, SIZES);
        if entries[..index].iter().any(|(other, _)| other.exact == step.exact) {
            let label = format!("the step {} is given twice", step.value);
            review.fault(
                &format!("{path}[{index}]"),
                "a step is repeated",
                &label,
                "keep one of them",
            );
        }
        sum += &weight.exact;
    }
    let miss = (&sum - Rational::ONE).to_f64().value();
    review.nearly_sums_to_one(path, &sum, "the weights of the steps");
    if miss != 0.0 && miss.abs() <= 1e-9 {
        let side = if miss > 0.0 { "above" } else { "below" };
        review.warn(format!(
            "{path}: the weights sum to {:e} {side} 1; the law used has them divided by their sum",
            miss.abs()
        ));
    }
}
