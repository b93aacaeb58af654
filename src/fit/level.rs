//! Levels, trends and means under noise.
//!
//! Each series is processed by several filters, and the one with the best recent forecasts is used:
//!
//! * exponential smoothing, optimal for a random walk observed with noise (J. F. Muth, "Optimal
//!   properties of exponentially weighted forecasts", J. Amer. Statist. Assoc. 55, 1960);
//! * critically damped smoothing of level and trend (C. C. Holt 1957), for drifts that come and go;
//! * levels that revert to the mean by a fixed share of the distance per step, for loads that rise
//!   and fall again.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Gains of level and trend, and the share of the distance from the mean that remains after a step.
#[derive(Debug, Clone, Copy)]
struct Filter {
    level: f64,
    trend: f64,
    left: f64,
}

const fn trend(level: f64, trend: f64) -> Filter {
    Filter { level, trend, left: 1.0 }
}

const fn level(level: f64) -> Filter {
    trend(level, 0.0)
}

const fn mean(level: f64, left: f64) -> Filter {
    Filter { level, trend: 0.0, left }
}

const FILTERS: [Filter; 14] = [
    // 1 - t^2 and (1 - t)^2 for t = 0.3, 0.6, 0.8, 0.9.
    trend(0.91, 0.49),
    trend(0.64, 0.16),
    trend(0.36, 0.04),
    trend(0.19, 0.01),
    level(1.0),
    level(0.5),
    level(0.2),
    level(0.07),
    mean(1.0, 0.97),
    mean(1.0, 0.9),
    mean(1.0, 0.7),
    mean(0.5, 0.95),
    mean(0.3, 0.9),
    mean(1.0, 0.0),
];

/// The family of filters to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Levels and trends, with a filter for each series.
    Trends,
    /// Levels, and mean-reverting levels, with one filter for all series: reversion is hard to
    /// detect in a single one.
    Means,
}

impl Family {
    /// Indices of its filters.
    pub(crate) fn filters(self) -> Range<usize> {
        match self {
            Family::Trends => 0..8,
            Family::Means => 4..FILTERS.len(),
        }
    }

    /// Number of steps after which the weight of a forecast falls to 1/e.
    pub fn memory(self) -> f64 {
        match self {
            Family::Trends => 100.0,
            Family::Means => 24.0,
        }
    }
}

/// Lags of the forecasts that are compared.
const LAGS: [usize; 3] = [1, 3, 9];

/// One series under every filter. An outlier is ignored until the next value confirms it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Followed {
    levels: [f64; FILTERS.len()],
    trends: [f64; FILTERS.len()],
    /// Mean of all values so far.
    mean: f64,
    count: u32,
    /// Typical distance of successive values, and number of values it is based on.
    usual: f64,
    seen: u32,
    doubted: f64,
}

impl Followed {
    /// From a first value.
    pub fn new(value: f64) -> Followed {
        Followed {
            levels: [value; FILTERS.len()],
            trends: [0.0; FILTERS.len()],
            mean: value,
            count: 1,
            usual: 0.0,
            seen: 0,
            doubted: 0.0,
        }
    }

    /// Processes the next value.
    pub fn observe(&mut self, value: f64) {
        let change = value - self.levels[LAST_VALUE];
        self.count += 1;
        self.mean += (value - self.mean) / f64::from(self.count);
        let far = self.seen >= 8 && change.abs() > OUTLYING * self.usual;
        if far && self.doubted * change <= 0.0 {
            self.doubted = change;
            self.levels.iter_mut().zip(&self.trends).for_each(|(level, trend)| *level += trend);
            return;
        }
        if far {
            // A lasting change.
            self.levels = [value; FILTERS.len()];
            self.doubted = 0.0;
            return;
        }
        self.doubted = 0.0;
        self.seen += 1;
        let share = (1.0 / f64::from(self.seen)).max(0.05);
        self.usual += share * (change.abs() - self.usual);
        for ((level, trend), filter) in self.levels.iter_mut().zip(&mut self.trends).zip(FILTERS) {
            let forecast = self.mean + filter.left * (*level - self.mean) + *trend;
            let miss = value - forecast;
            *level = forecast + filter.level * miss;
            *trend += filter.trend * miss;
        }
    }

    /// The state of one of the filters.
    pub fn by(&self, filter: usize) -> State {
        State { level: self.levels[filter], trend: self.trends[filter], mean: self.mean }
    }
}

/// Index of the filter whose level is the last value.
const LAST_VALUE: usize = 4;

/// State of a filter for a series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Level.
    pub level: f64,
    /// Gain per step.
    pub trend: f64,
    /// Its mean so far.
    pub mean: f64,
}

/// The coefficients of a forecast.
#[derive(Debug, Clone, Copy)]
pub struct Ahead {
    /// Remaining share of the distance from the mean.
    left: f64,
    /// Forecast horizon in steps.
    pub steps: f64,
}

impl Ahead {
    /// For a filter and horizon.
    pub fn new(filter: usize, steps: usize) -> Ahead {
        Ahead { left: FILTERS[filter].left.powi(steps as i32), steps: steps as f64 }
    }
}

impl State {
    /// The forecast of the series.
    pub fn forecast(&self, ahead: Ahead) -> f64 {
        self.mean + ahead.left * (self.level - self.mean) + ahead.steps * self.trend
    }
}

/// A series with its states at every step, by the filter that forecasts best.
#[derive(Debug, Clone)]
pub struct Smoothed {
    /// The filter chosen.
    pub filter: usize,
    /// Its state after each step.
    pub states: Vec<State>,
    /// All filters after the last step.
    pub last: Followed,
}

impl Smoothed {
    /// Smooths series of at least one value each.
    pub fn of(series: &[Vec<f64>], family: Family) -> Vec<Smoothed> {
        let all: Vec<Vec<Followed>> = series.iter().map(|values| follow(values)).collect();
        let scores = |(values, all): (&Vec<f64>, &Vec<Followed>)| -> Vec<f64> {
            family.filters().map(|filter| score(values, all, filter, family.memory())).collect()
        };
        let mut scores: Vec<Vec<f64>> = series.iter().zip(&all).map(scores).collect();
        if family == Family::Means {
            let total = |at: usize| scores.iter().map(|scores| scores[at]).sum();
            let totals: Vec<f64> = (0..family.filters().len()).map(total).collect();
            scores = vec![totals; series.len()];
        }
        let smoothed = |(scores, all): (&Vec<f64>, &Vec<Followed>)| {
            let least = scores.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            let filter = family.filters().start + least.map_or(0, |(at, _)| at);
            let states = all.iter().map(|followed| followed.by(filter)).collect();
            Smoothed { filter, states, last: all[all.len() - 1] }
        };
        scores.iter().zip(&all).map(smoothed).collect()
    }
}

/// All filters after each value.
fn follow(values: &[f64]) -> Vec<Followed> {
    let mut followed = Followed::new(values[0]);
    let mut all = vec![followed];
    for value in &values[1..] {
        followed.observe(*value);
        all.push(followed);
    }
    all
}

/// Forecast error of a filter: sum of log variances over the lags.
fn score(values: &[f64], all: &[Followed], filter: usize, memory: f64) -> f64 {
    let spread = |lag: usize| spread(values, all, filter, lag, memory);
    LAGS.iter().map(|lag| spread(*lag).max(f64::MIN_POSITIVE).ln()).sum()
}

/// Variance of the forecast errors at horizon `lag`, with exponential weights. A constant error is
/// ignored, since users of the forecasts know it, too.
fn spread(values: &[f64], all: &[Followed], filter: usize, lag: usize, memory: f64) -> f64 {
    let steps = values.len();
    let (mut weights, mut mean, mut squares) = (0.0, 0.0, 0.0);
    let step = Ahead::new(filter, lag);
    for from in (0..steps.saturating_sub(lag)).rev() {
        let weight = (-((steps - 1 - lag - from) as f64) / memory).exp();
        if weight < 1e-4 {
            break;
        }
        let error = values[from + lag] - all[from].by(filter).forecast(step);
        weights += weight;
        let change = error - mean;
        mean += change * weight / weights;
        squares += weight * change * (error - mean);
    }
    if weights > 0.0 { squares / weights } else { 0.0 }
}

/// A value this many typical distances away is treated as an outlier until confirmed.
const OUTLYING: f64 = 8.0;

/// Outlier limit in typical second differences of a series. Steps of a walk that are normal, or
/// Student's t with five degrees, exceed it and return far less than once in ten thousand steps.
const FAR: f64 = 5.0;

/// Replaces values far from the median of the five around them by that median (F. R. Hampel's
/// identifier). An excursion of one or two steps is removed, a lasting change stays. "Far" is
/// relative to the typical second difference of the same column of `path`, which drifts do not
/// change; `path` has `ranks` columns. Returns the number of replaced values.
pub fn without_outliers(path: &mut [f64], ranks: usize) -> usize {
    let steps = path.len() / ranks;
    if steps < 5 {
        return 0;
    }
    let mut replaced = 0;
    let (mut column, mut turns) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
    for rank in 0..ranks {
        column.clear();
        column.extend(path.iter().skip(rank).step_by(ranks));
        let limit = outlying(&column, &mut turns);
        for (step, five) in column.windows(5).enumerate() {
            if let Some(middle) = excursion([five[0], five[1], five[2], five[3], five[4]], limit) {
                path[(step + 2) * ranks + rank] = middle;
                replaced += 1;
            }
        }
    }
    replaced
}

/// Outlier limit of this series of at least five values: distance from the median of the five
/// values around it. Infinite if there is none. `turns` is memory for it.
pub(super) fn outlying(column: &[f64], turns: &mut Vec<f64>) -> f64 {
    let turn = |three: &[f64]| (three[0] - 2.0 * three[1] + three[2]).abs();
    turns.clear();
    turns.extend(column.windows(3).map(turn));
    let middle = turns.len() / 2;
    let usual = *turns.select_nth_unstable_by(middle, f64::total_cmp).1;
    if usual > 0.0 { FAR * usual } else { f64::INFINITY }
}

/// The median of five successive values, if the middle one differs from it by more than `limit` and
/// the series returns: at least three values are less than half as far. A step up and another one
/// down elsewhere is no excursion.
pub(super) fn excursion(five: [f64; 5], limit: f64) -> Option<f64> {
    let [_, before, here, after, _] = five;
    // If both neighbors are near, so is the median of the five.
    if (before - here).abs() <= limit && (after - here).abs() <= limit {
        return None;
    }
    let mut sorted = five;
    sorted.sort_by(f64::total_cmp);
    let middle = sorted[2];
    let far = (here - middle).abs();
    let there = five.into_iter().filter(|value| (value - middle).abs() < 0.5 * far).count();
    (far > limit && there >= 3).then_some(middle)
}
