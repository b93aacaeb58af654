//! Changes per step: drifts of the ranks and their spread, with an F test for equal drifts. O(ranks
//! x steps).

use super::spread::Spread;
use crate::estimate::Estimate;
use crate::fit::level;
use crate::record::Record;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// Changes per step of a record, excluding remaps.
#[derive(Debug, Clone, PartialEq)]
pub struct Increments {
    /// Mean change per step of every rank.
    pub drifts: Vec<f64>,
    /// Mean change per step over all ranks, assuming independent drifts.
    pub drift: Estimate,
    /// Standard deviation of what a step adds permanently to a load, around the drift of the rank;
    /// steps are assumed independent. The common component of all ranks is excluded, and the
    /// remainder is scaled to that of independent ranks.
    pub deviation: Estimate,
    /// Standard deviation of the measurement noise: what a step adds and the next removes.
    pub noise: f64,
    /// p-value of the test that all ranks have the same drift.
    pub same_drift: f64,
    /// Number of outliers, which were replaced: values far from their neighbors for one or two
    /// steps.
    pub outliers: usize,
    /// Number of changes evaluated, over all ranks.
    pub count: usize,
}

impl Increments {
    /// From a record of at least four steps; `None` if it is shorter.
    pub fn of(record: &Record) -> Option<Increments> {
        record.computed().of_paths.get(|| Increments::computed(record)).clone()
    }

    fn computed(record: &Record) -> Option<Increments> {
        let (steps, ranks) = (record.steps(), record.ranks());
        if steps < 4 {
            return None;
        }
        let mut path = record.paths().to_vec();
        let outliers = level::without_outliers(&mut path, ranks);
        let at = |step: usize, rank: usize| path[step * ranks + rank];
        let length = (steps - 1) as f64;
        let drifts: Vec<f64> =
            (0..ranks).map(|rank| (at(steps - 1, rank) - at(0, rank)) / length).collect();
        let remaps: Vec<usize> = record.remaps().iter().map(|remap| remap.before).collect();
        let filled = |step: usize| record.filled(step);
        let spread = Spread::of(&path, &filled, &drifts, &remaps);
        Some(Increments::judged(drifts, spread, outliers, steps, record.remaps().len()))
    }

    /// From drifts and spread.
    pub(in crate::fit) fn judged(
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
        // The error of the drift of a rank has variance (s^2 + 2 n^2 / length) / length. Under
        // strong noise s is poorly known, so its upper bound is used.
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
