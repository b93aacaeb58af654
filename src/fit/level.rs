//! Levels, trends and means under noise.
//!
//! Each series is followed by several filters, and the one is used that has forecast it best lately:
//! exponential smoothing, optimal for a random walk seen through noise (J. F. Muth, "Optimal properties
//! of exponentially weighted forecasts", J. Amer. Statist. Assoc. 55, 1960), critically damped
//! smoothing of level and trend (C. C. Holt 1957), for drifts that come and go, and levels that return
//! to the mean by a fixed share of the distance a step, for loads that rise and fall again.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Gains of level and trend, and the share of the distance from the mean that is left after a step.
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
    // 1 - t^2 and (1 - t)^2 for t = .3, .6, .8, .9.
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

/// Which filters are chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Levels and trends, each series by its own filter.
    Trends,
    /// Levels, and levels that return to the mean, all series by one filter: a return is seldom seen
    /// in a single one.
    Means,
}

impl Family {
    /// The places of its filters.
    pub(crate) fn filters(self) -> Range<usize> {
        match self {
            Family::Trends => 0..8,
            Family::Means => 4..FILTERS.len(),
        }
    }

    /// Steps after which a forecast counts 1/e as much.
    pub fn memory(self) -> f64 {
        match self {
            Family::Trends => 100.0,
            Family::Means => 24.0,
        }
    }
}

/// Lags whose forecasts are compared.
const LAGS: [usize; 3] = [1, 3, 9];

/// One series under every filter. A value far off is not believed before the next one confirms it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Followed {
    levels: [f64; FILTERS.len()],
    trends: [f64; FILTERS.len()],
    /// Of all values so far.
    mean: f64,
    count: u32,
    /// Usual distance of successive values, from so many of them.
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

    /// Takes in the next value.
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
            // It came to stay.
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

    /// What one of the filters says.
    pub fn by(&self, filter: usize) -> State {
        State { level: self.levels[filter], trend: self.trends[filter], mean: self.mean }
    }
}

/// The filter whose level is the last value.
const LAST_VALUE: usize = 4;

/// What a filter says of a series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Where it is.
    pub level: f64,
    /// What it gains a step.
    pub trend: f64,
    /// Its mean so far.
    pub mean: f64,
}

/// The factors of a forecast.
#[derive(Debug, Clone, Copy)]
pub struct Ahead {
    /// Share of the distance from the mean that is left.
    left: f64,
    /// Steps ahead.
    pub steps: f64,
}

impl Ahead {
    /// Of a filter, so many steps ahead.
    pub fn new(filter: usize, steps: usize) -> Ahead {
        Ahead { left: FILTERS[filter].left.powi(steps as i32), steps: steps as f64 }
    }
}

impl State {
    /// Where the series will be.
    pub fn forecast(&self, ahead: Ahead) -> f64 {
        self.mean + ahead.left * (self.level - self.mean) + ahead.steps * self.trend
    }
}

/// A series with its states at every step, by the filter that forecasts best.
#[derive(Debug, Clone)]
pub struct Smoothed {
    /// The filter chosen.
    pub filter: usize,
    /// What it says after each step.
    pub states: Vec<State>,
    /// All filters after the last step.
    pub last: Followed,
}

impl Smoothed {
    /// Follows series of at least one value each.
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

/// How badly a filter forecasts.
fn score(values: &[f64], all: &[Followed], filter: usize, memory: f64) -> f64 {
    let spread = |lag: usize| spread(values, all, filter, lag, memory);
    LAGS.iter().map(|lag| spread(*lag).max(f64::MIN_POSITIVE).ln()).sum()
}

/// Variance of the errors of forecasts `lag` steps ahead, the latest counting most. A constant error
/// does not count: whoever uses the forecasts knows it too.
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

/// How many times the usual distance of successive values a value is away that is doubted.
const OUTLYING: f64 = 8.0;

/// How many times the usual turn of a series an outlier is away from the median of five. Steps of a walk that are normal, or
/// Student's t with five degrees, go and come back that far less than once in ten thousand steps.
const FAR: f64 = 5.0;

/// Replaces values far off the median of the five around them by that median (F. R. Hampel's
/// identifier): an excursion of one or two steps goes, a lasting change stays. "Far" is measured by how
/// sharply the same column of `path`, which has `ranks` columns, usually turns in a step, which drifts do not
/// change: of a series that mostly rises most values are the median themselves. Returns how many were replaced.
pub fn without_outliers(path: &mut [f64], ranks: usize) -> usize {
    let steps = path.len() / ranks;
    if steps < 5 {
        return 0;
    }
    let mut replaced = 0;
    for rank in 0..ranks {
        let column: Vec<f64> = (0..steps).map(|step| path[step * ranks + rank]).collect();
        let limit = outlying(&column);
        for (step, five) in column.windows(5).enumerate() {
            if let Some(middle) = excursion([five[0], five[1], five[2], five[3], five[4]], limit) {
                path[(step + 2) * ranks + rank] = middle;
                replaced += 1;
            }
        }
    }
    replaced
}

/// The distance from the median of the five values around it beyond which a value of this series of five or
/// more counts as an outlier; infinite if none does.
pub(super) fn outlying(column: &[f64]) -> f64 {
    let turn = |three: &[f64]| (three[0] - 2.0 * three[1] + three[2]).abs();
    let mut turns: Vec<f64> = column.windows(3).map(turn).collect();
    let middle = turns.len() / 2;
    let usual = *turns.select_nth_unstable_by(middle, f64::total_cmp).1;
    if usual > 0.0 { FAR * usual } else { f64::INFINITY }
}

/// The median of five successive values, if the middle one is further from it than `limit` and comes back there: at least three
/// are less than half as far. A step up and another one down somewhere else is no excursion.
pub(super) fn excursion(five: [f64; 5], limit: f64) -> Option<f64> {
    let [_, before, here, after, _] = five;
    // Where both neighbours are near, the median of the five is.
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
