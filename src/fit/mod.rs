//! What a recorded run says about the parameters of a model, and how surely.
//!
//! [`chain`] takes the loads as levels and counts moves up and down, [`transitions`] moves from any level
//! to any other, [`increments`] looks at changes per step as
//! numbers, [`change`] looks for a change of phase, [`growth`] compares what a model predicts with what
//! was recorded, and [`level`] tells drifts from noise.

pub mod chain;
pub mod change;
pub mod growth;
pub mod increments;
pub mod level;
pub mod transitions;

/// An estimate with a 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimated {
    /// The estimate.
    pub value: f64,
    /// The interval.
    pub low: f64,
    /// Its other end.
    pub high: f64,
}

impl Estimated {
    /// Whether the interval contains `value`.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// A mean of `count` independent numbers with this sum and sum of squared distances from it, by
    /// the normal law.
    pub fn mean(sum: f64, squares: f64, count: f64) -> Estimated {
        let value = sum / count;
        let error =
            if count > 1.0 { (squares / (count - 1.0) / count).sqrt() } else { f64::INFINITY };
        Estimated { value, low: value - NORMAL_95 * error, high: value + NORMAL_95 * error }
    }

    /// A probability from `hits` of `count` independent trials: relative frequency smoothed by half a
    /// hit (Jeffreys' prior), and Wilson's interval.
    pub fn probability(hits: u64, count: u64) -> Estimated {
        let (hits, n) = (hits as f64, count as f64);
        let value = (hits + 0.5) / (n + 1.0);
        if count == 0 {
            return Estimated { value, low: 0.0, high: 1.0 };
        }
        let (z, share) = (NORMAL_95, hits / n);
        let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let half =
            z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let low = if hits > 0.0 { (centre - half).max(0.0) } else { 0.0 };
        let high = if hits < n { (centre + half).min(1.0) } else { 1.0 };
        Estimated { value, low, high }
    }
}

/// The 97.5 % quantile of the standard normal law.
const NORMAL_95: f64 = 1.959_963_984_540_054;
