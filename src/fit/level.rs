//! Levels under noise: outliers that come and go, and exponential smoothing.
//!
//! A series that is a random walk seen through independent noise has increments with lag-one
//! correlation rho in [-1/2, 0]; the best filter of its level is exponential smoothing with gain
//! 1 - theta, theta / (1 + theta^2) = -rho (J. F. Muth, "Optimal properties of exponentially weighted
//! forecasts", J. Amer. Statist. Assoc. 55, 1960).

/// The smallest gain used: less would hardly ever learn.
const LEAST_GAIN: f64 = 0.05;

/// The gain of the filter for the columns of `path`, pooled, their drifts taken off. 1 where there is
/// no noise to filter.
pub fn gain(path: &[f64], ranks: usize) -> f64 {
    let steps = path.len() / ranks;
    if steps < 4 {
        return 1.0;
    }
    let (mut squares, mut products) = (0.0, 0.0);
    for rank in 0..ranks {
        let at = |step: usize| path[step * ranks + rank];
        let drift = (at(steps - 1) - at(0)) / (steps - 1) as f64;
        let mut before = None;
        for step in 1..steps {
            let change = at(step) - at(step - 1) - drift;
            squares += change * change;
            products += before.map_or(0.0, |before: f64| before * change);
            before = Some(change);
        }
    }
    if squares == 0.0 {
        return 1.0;
    }
    let rho = (products / squares).clamp(-0.5, 0.0);
    if rho == 0.0 {
        return 1.0;
    }
    let theta = (1.0 - (1.0 - 4.0 * rho * rho).max(0.0).sqrt()) / (-2.0 * rho);
    (1.0 - theta).max(LEAST_GAIN)
}

/// Exponential smoothing of several series.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    level: Vec<f64>,
    gain: f64,
}

impl Filter {
    /// From a known level, without filtering.
    pub fn new(level: &[f64]) -> Filter {
        Filter { level: level.to_vec(), gain: 1.0 }
    }

    /// From a level with this gain in (0, 1].
    pub fn resume(level: &[f64], gain: f64) -> Filter {
        Filter { level: level.to_vec(), gain }
    }

    /// Takes in a step.
    pub fn observe(&mut self, values: &[f64]) {
        for (level, value) in self.level.iter_mut().zip(values) {
            *level += self.gain * (value - *level);
        }
    }

    /// The level of each series.
    pub fn level(&self) -> &[f64] {
        &self.level
    }
}

/// The filtered levels of all steps of `path`, in its layout.
pub fn levels(path: &[f64], ranks: usize) -> Vec<f64> {
    let mut filter = Filter::resume(&path[..ranks.min(path.len())], gain(path, ranks));
    let mut levels = Vec::with_capacity(path.len());
    for row in path.chunks(ranks) {
        filter.observe(row);
        levels.extend_from_slice(filter.level());
    }
    levels
}

/// How many times the usual distance from the median of five an outlier is away.
const OUTLYING: f64 = 8.0;

/// Replaces values far off the median of the five around them by that median (F. R. Hampel's
/// identifier): an excursion of one or two steps goes, a lasting change stays. "Far" is measured by
/// the median of all such distances in the same column. Returns how many were replaced.
pub fn without_outliers(path: &mut [f64], ranks: usize) -> usize {
    let steps = path.len() / ranks;
    if steps < 5 {
        return 0;
    }
    let mut replaced = 0;
    for rank in 0..ranks {
        let column: Vec<f64> = (0..steps).map(|step| path[step * ranks + rank]).collect();
        let median = |step: usize| {
            let first = step.saturating_sub(2).min(steps - 5);
            let mut five = [0.0; 5];
            five.copy_from_slice(&column[first..first + 5]);
            five.sort_by(f64::total_cmp);
            five[2]
        };
        let medians: Vec<f64> = (0..steps).map(median).collect();
        let mut distances: Vec<f64> =
            column.iter().zip(&medians).map(|(value, median)| (value - median).abs()).collect();
        distances.sort_by(f64::total_cmp);
        // Of five values one is the median itself.
        let usual = distances[(steps * 3 / 5).min(steps - 1)];
        for step in 2..steps - 2 {
            if usual > 0.0 && (column[step] - medians[step]).abs() > OUTLYING * usual {
                path[step * ranks + rank] = medians[step];
                replaced += 1;
            }
        }
    }
    replaced
}
