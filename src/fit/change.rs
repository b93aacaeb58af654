//! A change of phase: one step from which on the times are others.

/// The most likely change of the mean of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The first value after it.
    pub at: usize,
    /// Mean before.
    pub before: f64,
    /// Mean after.
    pub after: f64,
    /// Standard deviation around the two means.
    pub deviation: f64,
    /// By how much Akaike's criterion prefers two means to one, and to a line.
    pub preference: f64,
}

/// Values on either side at least.
const FEWEST: usize = 5;

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
        // Sum of squares that two means explain: the deviations sum to 0.
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
    // Rounding leaves no series without any spread.
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
    // Far above what chance prefers.
    (preference > 10.0).then_some(change)
}
