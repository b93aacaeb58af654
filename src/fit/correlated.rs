//! Means of successive times, which may be correlated as an autoregression of first order is.

use crate::estimate::{Estimate, student};

/// The means of two stretches of one series, and how much its values say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Means {
    /// Mean of each stretch.
    pub means: [Estimate; 2],
    /// Independent values that would say as much, over the number of values.
    pub independent: f64,
}

/// Correlation of neighbours beyond which no interval is narrower.
const MOST_CORRELATION: f64 = 0.97;

/// The means of two stretches, none of them empty, with a common variance and correlation. The estimate
/// of the correlation is raised by its bias (M. G. Kendall, Biometrika 41, 1954) once for each mean that
/// was taken out.
pub fn means(stretches: [&[f64]; 2]) -> Means {
    let count = (stretches[0].len() + stretches[1].len()) as f64;
    let centres = stretches.map(|values| values.iter().sum::<f64>() / values.len() as f64);
    let (mut squares, mut products) = (0.0, 0.0);
    for (values, centre) in stretches.iter().zip(centres) {
        squares += values.iter().map(|value| (value - centre).powi(2)).sum::<f64>();
        let pairs = values.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre));
        products += pairs.sum::<f64>();
    }
    // What sums leave of values that are all the same says nothing of neighbours.
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
