//! Change-point detection: the step at which the mean of a series changes.
//!
//! Least squares over all split points, accepted by Akaike's criterion against a constant and a
//! line. O(values).

use crate::estimate::{Estimate, LEVEL};

/// The most likely change of the mean of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Index of the first value after the change.
    pub at: usize,
    /// Mean before.
    pub before: f64,
    /// Mean after.
    pub after: f64,
    /// Standard deviation around the two means.
    pub deviation: f64,
    /// Difference of Akaike's criterion between two means and the better of one mean and a line.
    pub preference: f64,
}

/// Least number of values on either side.
const FEWEST: usize = 5;

/// The hazard (probability per step) of a change that happened once, after `at` of `steps` values.
/// The interval contains the constant hazards for which a first change that early or that late has
/// at least 2.5 % probability, given that [`change`] can detect it. A single change determines
/// little more: the lower end is mostly 0.
pub fn hazard(at: usize, steps: usize) -> Estimate {
    let tail = 0.5 * (1.0 - LEVEL);
    let early = (at + 1).saturating_sub(FEWEST).max(1) as f64;
    let all = (steps + 1).saturating_sub(2 * FEWEST).max(1) as f64;
    // ln(1 - hazard) for which P(at most `early` of `all` steps, given one) is the tail.
    let share = |log: f64| (early * log).exp_m1() / (all * log).exp_m1();
    let lower = if early / all >= tail {
        0.0
    } else {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if share(f64::ln_1p(-middle)) < tail {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    };
    let late = at.saturating_sub(FEWEST) as f64;
    let upper = if late > 0.0 { 1.0 - tail.powf(1.0 / late) } else { 1.0 };
    Estimate { value: 1.0 / (at as f64 + 1.0), lower, upper }
}

/// The most likely change of the mean of `values`, if Akaike's criterion prefers two levels to a
/// constant and to a straight line [NR86, section II, compares means in the same way]. Work:
/// proportional to the number of values.
pub fn change(values: &[f64]) -> Option<Change> {
    let n = values.len();
    if n < 2 * FEWEST {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let mut best: Option<(f64, usize)> = None;
    let mut sum: f64 = values[..FEWEST].iter().map(|value| value - mean).sum();
    for (at, value) in (FEWEST..=n - FEWEST).zip(&values[FEWEST..]) {
        let (a, b) = (at as f64, (n - at) as f64);
        // Sum of squares explained by two means; the deviations sum to 0.
        let explained = sum * sum / a + sum * sum / b;
        if best.is_none_or(|(most, _)| explained > most) {
            best = Some((explained, at));
        }
        sum += value - mean;
    }
    let (explained, at) = best?;
    let middle = (n as f64 - 1.0) / 2.0;
    let mut line = 0.0;
    let mut spread = 0.0;
    for (i, value) in values.iter().enumerate() {
        line += (i as f64 - middle) * (value - mean);
        spread += (i as f64 - middle).powi(2);
    }
    let line = line * line / spread;
    // Rounding leaves some spread in every series.
    let floor = 1e-12 * (total + n as f64 * mean * mean) + f64::MIN_POSITIVE;
    let akaike = |rest: f64, parameters: f64| {
        n as f64 * (rest.max(floor) / n as f64).ln() + 2.0 * parameters
    };
    let two = akaike(total - explained, 4.0);
    let preference = akaike(total, 2.0).min(akaike(total - line, 3.0)) - two;
    let side = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let change = Change {
        at,
        before: side(&values[..at]),
        after: side(&values[at..]),
        deviation: ((total - explained).max(0.0) / (n - 2) as f64).sqrt(),
        preference,
    };
    // Far above what random variation produces.
    (preference > 10.0).then_some(change)
}
