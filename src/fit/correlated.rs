//! Means of successive times with first-order autoregressive correlation. O(values).

use crate::estimate::{Estimate, student};

/// The means of two stretches of one series, and their effective sample size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Means {
    /// Mean of each stretch.
    pub means: [Estimate; 2],
    /// Effective number of independent values, relative to the number of values.
    pub independent: f64,
}

/// Largest autocorrelation assumed for the intervals.
const MOST_CORRELATION: f64 = 0.97;

/// The means of two nonempty stretches with a common variance and correlation. The estimated
/// correlation is corrected for its bias (M. G. Kendall, Biometrika 41, 1954), once for each mean
/// that was subtracted.
pub fn means(stretches: [&[f64]; 2]) -> Means {
    let count = (stretches[0].len() + stretches[1].len()) as f64;
    let centres = stretches.map(|values| values.iter().sum::<f64>() / values.len() as f64);
    let (mut squares, mut products) = (0.0, 0.0);
    for (values, centre) in stretches.iter().zip(centres) {
        squares += values.iter().map(|value| (value - centre).powi(2)).sum::<f64>();
        let pairs = values.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre));
        products += pairs.sum::<f64>();
    }
    // Rounding residuals of constant values carry no information on correlation.
    let largest = centres.iter().fold(0.0, |most: f64, centre| most.max(centre.abs()));
    let rounding = count * (count * f64::EPSILON * largest).powi(2);
    let seen = if squares > rounding { (products / squares).max(0.0) } else { 0.0 };
    let correlation = (seen + 2.0 * (1.0 + 3.0 * seen) / count).min(MOST_CORRELATION);
    let independent = (1.0 - correlation) / (1.0 + correlation);
    let effective = count * independent;
    let variance = squares / count / (1.0 - 2.0 / effective).max(0.2);
    let quantile = student((0.5 * effective - 1.0).max(1.0));
    let mean = |at: usize| {
        let n = stretches[at].len() as f64;
        let left = 1.0 - correlation;
        let neighbours =
            correlation / left - correlation * (1.0 - correlation.powf(n)) / (n * left * left);
        Estimate::around(centres[at], quantile * (variance / n * (1.0 + 2.0 * neighbours)).sqrt())
    };
    Means { means: [mean(0), mean(1)], independent }
}
