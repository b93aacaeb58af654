//! Closed forms: intervals from means and variances alone.

use super::Crossing;
use crate::Rational;

/// `(N-1)/sqrt(2N-1)`: the expected largest of `count` independent, identically distributed values
/// exceeds their mean by at most this many standard deviations, whatever their distribution [FXW03,
/// (7)].
pub fn distribution_free_factor(count: usize) -> f64 {
    let n = count as f64;
    (n - 1.0) / (2.0 * n - 1.0).sqrt()
}

/// Its square, which is a fraction.
pub(super) fn distribution_free_square(count: usize) -> Rational {
    let n = Rational::from(count);
    let less = &n - Rational::ONE;
    &less * &less / (n + less)
}

/// `alpha(N)`: the extreme-value approximation to the expected largest of `count` standard normal
/// values [FXW03, (11)].
pub fn normal_extremes_factor(count: usize) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let log = (count as f64).ln();
    let root = (2.0 * log).sqrt();
    root - (log.ln() + (4.0 * std::f64::consts::PI).ln()) / (2.0 * root) + EULER / root
}

impl Crossing {
    /// The bound is never exceeded.
    pub const NEVER: Self = Self { steps: None, real: None };
}
