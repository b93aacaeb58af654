//! Goodness of fit: a Monte Carlo test whether a record resembles those that its fitted model
//! generates (parametric bootstrap; the largest standardized difference over several statistics).
//!
//! O(simulated records x ranks x steps).

use super::growth::{self, Point};
use crate::parallel;
use crate::random::{Stream, stream};
use crate::record::{Record, Remap};

/// Number of simulated records.
const RECORDS: usize = 199;

/// Approximate bound on the numbers drawn for all records: 40,000 times in each tell growth to a
/// few percent, and smaller differences are no misfit.
const NUMBERS: usize = 8_000_000;

/// A statistic by which records are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Trait {
    /// Its name.
    pub name: String,
    /// Its value for the record.
    pub seen: f64,
    /// Mean over the simulated records.
    pub made: f64,
    /// Standard deviation over the simulated records.
    pub spread: f64,
    /// Largest acceptable difference.
    pub slack: f64,
}

impl Trait {
    /// Standardized difference of the record.
    fn off(&self) -> f64 {
        let off = (self.seen - self.made).abs();
        if off <= 1e-12 * self.made.abs() { 0.0 } else { off / self.spread.max(f64::MIN_POSITIVE) }
    }
}

/// The result of the test.
#[derive(Debug, Clone, PartialEq)]
pub struct Goodness {
    /// p-value: probability of a record that differs as much in its worst statistic, under the
    /// model.
    pub probability: f64,
    /// The worst statistic.
    pub worst: Trait,
}

impl Goodness {
    /// Whether the model is rejected, and the difference is not negligible.
    pub fn is_misfit(&self) -> bool {
        let off = (self.worst.seen - self.worst.made).abs();
        self.probability <= 1.0 / (RECORDS as f64 + 1.0) && off > self.worst.slack
    }
}

/// Generates the times of so many steps, ranks adjacent, of a run remapped before the given steps.
pub type Maker<'a> = dyn Fn(&mut Stream, usize, &[usize]) -> Vec<f64> + Sync + 'a;

/// Compares `record` with simulated records of the same length. `make` writes the times of all
/// steps, ranks adjacent, for remaps before the given steps. Of long records only the first part is
/// compared.
pub fn test(record: &Record, lags: &[usize], make: &Maker<'_>) -> Goodness {
    let (ranks, steps) = (record.ranks(), record.steps());
    let most = (NUMBERS / RECORDS / ranks).max(100);
    let part = record.part(0..steps.min(most));
    let remaps: Vec<usize> = part.remaps().iter().map(|remap| remap.before).collect();
    let seen = traits(&part, lags);
    let made = |number: usize| {
        let seconds = make(&mut stream(SEED, number as u64), part.steps(), &remaps);
        // Times of a model that permits negative values are shifted above zero.
        let least = seconds.iter().copied().fold(0.0, f64::min);
        let seconds = seconds.into_iter().map(|time| time - least).collect();
        let remaps = remaps.iter().map(|before| Remap { before: *before, seconds: None });
        let record = Record::new(ranks, seconds, remaps.collect()).expect("times of a model");
        traits(&record, lags)
    };
    let made = parallel::map(RECORDS, &made);
    outcome(&names(lags), &seen, &made)
}

/// Seed of the records.
const SEED: u64 = 1;

/// The test, given the statistics of the record and of the simulated records.
pub fn outcome(names: &[(String, f64)], seen: &[f64], made: &[Vec<f64>]) -> Goodness {
    let all = (made.len() + 1) as f64;
    let place = |at: usize| {
        let values = || made.iter().map(|traits| traits[at]);
        let mean = (values().sum::<f64>() + seen[at]) / all;
        let square = |value: f64| (value - mean).powi(2);
        let variance = (values().map(square).sum::<f64>() + square(seen[at])) / all;
        let (name, slack) = &names[at];
        let middle = values().sum::<f64>() / made.len() as f64;
        let found = Trait {
            name: name.clone(),
            seen: seen[at],
            made: middle,
            spread: variance.sqrt(),
            slack: if *slack < 0.0 { -slack } else { slack * middle.abs() },
        };
        (mean, found)
    };
    let places: Vec<(f64, Trait)> = (0..seen.len()).map(place).collect();
    let far = |values: &[f64]| {
        let off = |((mean, known), value): (&(f64, Trait), &f64)| {
            if known.spread > 0.0 { (value - mean).abs() / known.spread } else { 0.0 }
        };
        places.iter().zip(values).map(off).fold(0.0, f64::max)
    };
    let own = far(seen);
    let larger = made.iter().filter(|values| far(values) >= own * (1.0 - 1e-9)).count();
    let worst = places.into_iter().map(|(_, known)| known);
    let worst = worst.max_by(|a, b| a.off().total_cmp(&b.off())).expect("there are traits");
    Goodness { probability: (larger as f64 + 1.0) / all, worst }
}

/// Relative tolerance of the growth; that of the logarithm of the kurtosis is absolute.
pub const GROWTH: f64 = 0.1;
const TAILS: f64 = -0.5;

fn names(lags: &[usize]) -> Vec<(String, f64)> {
    let growth = lags.iter().map(|lag| match lag {
        1 => "the imbalance gained in a step".to_owned(),
        many => format!("the imbalance gained in {many} steps"),
    });
    let growth = growth.map(|name| (name, GROWTH));
    growth.chain([("how far changes over 8 steps lie out".to_owned(), TAILS)]).collect()
}

/// The growth of the imbalance, and the logarithm of the kurtosis of changes over eight steps.
fn traits(record: &Record, lags: &[usize]) -> Vec<f64> {
    let mut found: Vec<f64> =
        growth::recorded(record, lags).iter().map(|Point { mean, .. }| *mean).collect();
    let lag = 8.min(record.steps() / 4).max(1);
    let (mut count, mut second, mut fourth) = (0.0_f64, 0.0, 0.0);
    let drifts: Vec<f64> = {
        let (first, last) = (record.path(0), record.path(record.steps() - 1));
        let length = (record.steps() - 1).max(1) as f64;
        first.iter().zip(last).map(|(first, last)| (last - first) / length).collect()
    };
    for step in lag..record.steps() {
        let (now, then) = (record.path(step), record.path(step - lag));
        for ((now, then), drift) in now.iter().zip(then).zip(&drifts) {
            let change = now - then - lag as f64 * drift;
            count += 1.0;
            second += change * change;
            fourth += change.powi(4);
        }
    }
    let kurtosis = count * fourth / (second * second).max(f64::MIN_POSITIVE);
    found.push(kurtosis.max(1.0).ln());
    found
}
