//! Levels and trends under noise.
//!
//! Each series is followed by several filters, and the one is used that has forecast it best lately:
//! exponential smoothing, optimal for a random walk seen through noise (J. F. Muth, "Optimal properties
//! of exponentially weighted forecasts", J. Amer. Statist. Assoc. 55, 1960), and critically damped
//! smoothing of level and trend (C. C. Holt 1957), for drifts that come and go.

/// Gains of level and trend.
const GAINS: [(f64, f64); 8] = [
    (1.0, 0.0),
    (0.5, 0.0),
    (0.2, 0.0),
    (0.07, 0.0),
    // 1 - t^2 and (1 - t)^2 for t = .3, .6, .8, .9.
    (0.91, 0.49),
    (0.64, 0.16),
    (0.36, 0.04),
    (0.19, 0.01),
];

/// Lags whose forecasts are compared.
const LAGS: [usize; 3] = [1, 3, 9];

/// Steps after which a forecast counts 1/e as much.
const MEMORY: f64 = 24.0;

/// One series under every filter. A value far off is not believed before the next one confirms it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Followed {
    levels: [f64; GAINS.len()],
    trends: [f64; GAINS.len()],
    /// Usual distance of successive values, from so many of them.
    usual: f64,
    seen: u32,
    doubted: f64,
}

impl Followed {
    /// From a first value.
    pub fn new(value: f64) -> Followed {
        Followed {
            levels: [value; GAINS.len()],
            trends: [0.0; GAINS.len()],
            usual: 0.0,
            seen: 0,
            doubted: 0.0,
        }
    }

    /// Takes in the next value.
    pub fn observe(&mut self, value: f64) {
        let change = value - self.levels[0];
        let far = self.seen >= 8 && change.abs() > OUTLYING * self.usual;
        if far && self.doubted * change <= 0.0 {
            self.doubted = change;
            self.levels.iter_mut().zip(&self.trends).for_each(|(level, trend)| *level += trend);
            return;
        }
        if far {
            // It came to stay.
            self.levels = [value; GAINS.len()];
            self.doubted = 0.0;
            return;
        }
        self.doubted = 0.0;
        self.seen += 1;
        let share = (1.0 / f64::from(self.seen)).max(0.05);
        self.usual += share * (change.abs() - self.usual);
        for ((level, trend), (g, h)) in self.levels.iter_mut().zip(&mut self.trends).zip(GAINS) {
            let forecast = *level + *trend;
            let miss = value - forecast;
            *level = forecast + g * miss;
            *trend += h * miss;
        }
    }

    /// Level and trend by one of the filters.
    pub fn by(&self, filter: usize) -> (f64, f64) {
        (self.levels[filter], self.trends[filter])
    }
}

/// A series with its levels and trends at every step, by the filter that forecasts it best.
#[derive(Debug, Clone)]
pub struct Smoothed {
    /// The filter chosen.
    pub filter: usize,
    /// Level and trend after each step.
    pub states: Vec<(f64, f64)>,
    /// All filters after the last step.
    pub last: Followed,
}

impl Smoothed {
    /// Follows a series of at least one value.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Smoothed {
        let mut series = values.clone();
        let mut followed = Followed::new(series.next().unwrap_or(0.0));
        let mut all = vec![followed];
        for value in series {
            followed.observe(value);
            all.push(followed);
        }
        let values: Vec<f64> = values.collect();
        let score = |filter: usize| -> f64 {
            LAGS.iter()
                .map(|lag| spread(&values, &all, filter, *lag).max(f64::MIN_POSITIVE).ln())
                .sum()
        };
        let mut best = (0, score(0));
        for filter in 1..GAINS.len() {
            let found = score(filter);
            if found < best.1 {
                best = (filter, found);
            }
        }
        let states = all.iter().map(|followed| followed.by(best.0)).collect();
        Smoothed { filter: best.0, states, last: followed }
    }
}

/// Variance of the errors of forecasts `lag` steps ahead, the latest counting most. A constant error
/// does not count: whoever uses the forecasts knows it too.
fn spread(values: &[f64], all: &[Followed], filter: usize, lag: usize) -> f64 {
    let steps = values.len();
    let (mut weights, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for from in (0..steps.saturating_sub(lag)).rev() {
        let weight = (-((steps - 1 - lag - from) as f64) / MEMORY).exp();
        if weight < 1e-4 {
            break;
        }
        let (level, trend) = all[from].by(filter);
        let error = values[from + lag] - level - lag as f64 * trend;
        weights += weight;
        let change = error - mean;
        mean += change * weight / weights;
        squares += weight * change * (error - mean);
    }
    if weights > 0.0 { squares / weights } else { 0.0 }
}

/// How many times the usual distance from the median of five an outlier is away.
const OUTLYING: f64 = 8.0;

/// Replaces values far off the median of the five around them by that median (F. R. Hampel's
/// identifier): an excursion of one or two steps goes, a lasting change stays. "Far" is measured by
/// the median of all such distances in the same column of `path`, which has `ranks` columns. Returns
/// how many were replaced.
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
