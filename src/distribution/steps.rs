//! Distributions with finitely many values.

use super::{LawError, finite, not_negative};

/// Largest deviation from one of the sum of the weights.
const SUM_TOLERANCE: f64 = 1e-9;

/// Finitely many values in increasing order, with probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl Steps {
    /// A distribution from pairs (value, probability), in any order. Values of probability zero are
    /// dropped. The probabilities may miss one by at most `1e-9`; they are divided by their sum.
    ///
    /// # Errors
    /// If a number is not finite, a weight is negative, a value is repeated, or the weights do not
    /// sum to one.
    pub fn new(mut pairs: Vec<(f64, f64)>) -> Result<Self, LawError> {
        for &(value, weight) in &pairs {
            finite("step", value)?;
            not_negative("weight", weight)?;
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(pair) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(LawError::Repeated(pair[0].0));
        }
        if pairs.is_empty() {
            return Err(LawError::Empty);
        }
        let sum: f64 = pairs.iter().map(|pair| pair.1).sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE * (1.0 + 1e-6) {
            return Err(LawError::WeightSum(sum));
        }
        pairs.retain(|pair| pair.1 > 0.0);
        let (values, weights): (Vec<_>, Vec<_>) =
            pairs.into_iter().map(|(value, weight)| (value, weight / sum)).unzip();
        Ok(Self { values, weights })
    }

    /// The values, increasing.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The probabilities of the values; they sum to one.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Mean value.
    pub fn mean(&self) -> f64 {
        self.values.iter().zip(&self.weights).map(|(value, weight)| value * weight).sum()
    }

    /// Variance of the value.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let square = |value: &f64| (value - mean) * (value - mean);
        self.values.iter().zip(&self.weights).map(|(value, weight)| square(value) * weight).sum()
    }

    /// `ln E exp(theta X)` of the value `X`.
    pub(super) fn cumulant(&self, theta: f64) -> f64 {
        // Relative to the largest exponent, to avoid overflow.
        let most = self.values.iter().map(|value| theta * value).fold(f64::NEG_INFINITY, f64::max);
        let terms = self.values.iter().zip(&self.weights);
        most + terms.map(|(value, weight)| weight * (theta * value - most).exp()).sum::<f64>().ln()
    }

    /// The smallest value.
    pub fn least(&self) -> f64 {
        self.values[0]
    }

    /// The distribution of a multiple of the value, `factor > 0`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let values = self.values.iter().map(|value| value * factor).collect();
        Self { values, weights: self.weights.clone() }
    }
}
