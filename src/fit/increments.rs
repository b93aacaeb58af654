//! Changes per step as numbers: drifts of the ranks, and their spread.

use super::{Estimated, level};
use crate::record::Record;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// Changes per step of a record, remaps left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Increments {
    /// Mean change per step of every rank.
    pub drifts: Vec<f64>,
    /// Mean change per step over all ranks.
    pub drift: Estimated,
    /// Standard deviation of what a step adds to the load for good, around the rank's drift.
    pub deviation: Estimated,
    /// Standard deviation of what a step adds and the next takes back: noise of the measurement.
    pub noise: f64,
    /// Probability of drifts that differ at least as much between ranks, if they do not really.
    pub same_drift: f64,
    /// Values that were far off their neighbours for a step or two, and left out.
    pub outliers: usize,
    /// Changes looked at, of all ranks.
    pub count: usize,
}

/// Lags between which the growth of the variance is measured.
const LAGS: [usize; 2] = [4, 8];

impl Increments {
    /// From a record of at least three steps; `None` if it is shorter.
    ///
    /// The variance of a change over j steps is j s^2 + 2 n^2 where s is the deviation and n the
    /// noise: both from the lags 4 and 8 (1 and 2 for short records), around each rank's own drift.
    pub fn of(record: &Record) -> Option<Increments> {
        let (steps, ranks) = (record.steps(), record.ranks());
        if steps < 4 {
            return None;
        }
        let mut path: Vec<f64> = (0..steps).flat_map(|step| record.path(step).to_vec()).collect();
        let outliers = level::without_outliers(&mut path, ranks);
        let at = |step: usize, rank: usize| path[step * ranks + rank];
        let length = (steps - 1) as f64;
        let drifts: Vec<f64> =
            (0..ranks).map(|rank| (at(steps - 1, rank) - at(0, rank)) / length).collect();
        let scale = if steps > 4 * LAGS[1] { 1 } else { 4 };
        let [near, far] = LAGS.map(|lag| (lag / scale).min(steps - 2).max(1));
        let spread = |lag: usize| {
            let mut squares = 0.0;
            for (rank, drift) in drifts.iter().enumerate() {
                for step in lag..steps {
                    let change = at(step, rank) - at(step - lag, rank) - lag as f64 * drift;
                    squares += change * change;
                }
            }
            // The drift was taken from the same changes.
            let free = 1.0 - lag as f64 / length;
            squares / ((steps - lag) * ranks) as f64 / free.max(0.1)
        };
        let (a, b) = (spread(near), spread(far));
        let variance = if far > near { (b - a) / (far - near) as f64 } else { a };
        let noise = ((a - near as f64 * variance) / 2.0).max(0.0).sqrt();
        let variance = variance.max(0.0);
        // Overlapping changes over `far` steps: about as many independent ones as fit side by side.
        let independent = (ranks as f64 * length / far as f64).max(2.0);
        let relative =
            1.96 * (2.0 / independent).sqrt() * (b / (far as f64 * variance).max(1e-300)).min(1e3);
        let deviation = Estimated {
            value: variance.sqrt(),
            low: (variance * (1.0 - relative).max(0.0)).sqrt(),
            high: (variance * (1.0 + relative)).sqrt(),
        };
        let mean = drifts.iter().sum::<f64>() / ranks as f64;
        let between: f64 = drifts.iter().map(|drift| (drift - mean).powi(2)).sum();
        let drift = Estimated::mean(mean * ranks as f64, between, ranks as f64);
        // The drift of a rank is known to within (s^2 + 2 n^2 / length) / length.
        let expected = (variance + 2.0 * noise * noise / length) / length;
        let same_drift = match FisherSnedecor::new(ranks as f64 - 1.0, independent) {
            Ok(law) if expected > 0.0 => 1.0 - law.cdf(between / (ranks as f64 - 1.0) / expected),
            _ if between > 0.0 => 0.0,
            _ => 1.0,
        };
        let count = (steps - 1 - record.remaps().len().min(steps - 1)) * ranks;
        Some(Increments { drifts, drift, deviation, noise, same_drift, outliers, count })
    }
}
