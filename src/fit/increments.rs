//! Changes per step as numbers: drifts of the ranks, and their spread.

use super::level;
use super::spread::Spread;
use crate::estimate::Estimate;
use crate::record::Record;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// Changes per step of a record, remaps left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Increments {
    /// Mean change per step of every rank.
    pub drifts: Vec<f64>,
    /// Mean change per step over all ranks, which are taken to drift independently of each other.
    pub drift: Estimate,
    /// Standard deviation of what a step adds to the load for good, around the rank's drift; steps are
    /// taken to be independent of each other. What all ranks have in common does not count, and what is left is scaled
    /// to that of ranks which are independent.
    pub deviation: Estimate,
    /// Standard deviation of what a step adds and the next takes back: noise of the measurement.
    pub noise: f64,
    /// Probability of drifts that differ at least as much between ranks, if they do not really.
    pub same_drift: f64,
    /// Values that were far off their neighbours for a step or two, and left out.
    pub outliers: usize,
    /// Changes looked at, of all ranks.
    pub count: usize,
}

impl Increments {
    /// From a record of at least four steps; `None` if it is shorter.
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
        let remaps: Vec<usize> = record.remaps().iter().map(|remap| remap.before).collect();
        let filled = |step: usize| record.filled(step);
        let spread = Spread::of(&at, &filled, &drifts, steps, &remaps);
        Some(Increments::judged(drifts, spread, outliers, steps, record.remaps().len()))
    }

    /// From drifts and spread.
    pub(super) fn judged(
        drifts: Vec<f64>,
        spread: Spread,
        outliers: usize,
        steps: usize,
        remaps: usize,
    ) -> Increments {
        let Spread { deviation, noise, independent } = spread;
        let (ranks, length) = (drifts.len(), (steps - 1) as f64);
        let mean = drifts.iter().sum::<f64>() / ranks as f64;
        let between: f64 = drifts.iter().map(|drift| (drift - mean).powi(2)).sum();
        let drift = Estimate::from_moments(mean, between, ranks as f64);
        // The drift of a rank is known to within (s^2 + 2 n^2 / length) / length; under much noise s is hardly
        // known, and as large as it may be.
        let expected = (deviation.upper.powi(2) + 2.0 * noise * noise / length) / length;
        let same_drift = match FisherSnedecor::new(ranks as f64 - 1.0, independent) {
            Ok(law) if expected > 0.0 => law.sf(between / (ranks as f64 - 1.0) / expected),
            _ if between > 0.0 => 0.0,
            _ => 1.0,
        };
        let count = (steps - 1 - remaps.min(steps - 1)) * ranks;
        Increments { drifts, drift, deviation, noise, same_drift, outliers, count }
    }
}
