//! How often the change test errs, for a user's own noise: by seeded simulation, or on a recorded trace.

use super::{ChangeTest, Clusters, MonitorError};
use crate::belief::Report;
use crate::simulate::{Estimate, stream};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};
use rayon::prelude::*;

/// The law of measurements about their mean, with deviation 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Independent and normal: what the test assumes.
    Normal,
    /// Stationary, normal, with this correlation of neighbours, in (-1, 1).
    Autoregressive(f64),
    /// Independent, Student's t with more than two degrees of freedom: heavy tails.
    Student(f64),
}

impl Noise {
    /// Whether the parameter is in its domain.
    pub fn is_valid(&self) -> bool {
        match self {
            Noise::Normal => true,
            Noise::Autoregressive(correlation) => correlation.abs() < 1.0,
            Noise::Student(degrees) => *degrees > 2.0 && degrees.is_finite(),
        }
    }
}

/// Draws one measurement after the other.
struct Source {
    noise: Noise,
    previous: Option<f64>,
}

impl Source {
    fn next(&mut self, random: &mut impl Rng) -> f64 {
        let normal = |random: &mut _| -> f64 { StandardNormal.sample(random) };
        match self.noise {
            Noise::Normal => normal(random),
            Noise::Autoregressive(correlation) => {
                let fresh = normal(random);
                let value = self.previous.map_or(fresh, |previous| {
                    correlation * previous + (1.0 - correlation * correlation).sqrt() * fresh
                });
                self.previous = Some(value);
                value
            }
            Noise::Student(degrees) => {
                let law = StudentT::new(degrees).expect("more than two degrees");
                law.sample(random) * ((degrees - 2.0) / degrees).sqrt()
            }
        }
    }
}

/// What a change of phase does to the measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// By how many deviations the mean moves.
    pub shift: f64,
    /// By which factor the deviation grows, > 0.
    pub scale: f64,
}

/// How often the change test errs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRates {
    /// alpha: share of clusters before the change that were reported as changed.
    pub false_alarm: Estimate,
    /// beta: share of clusters after it that were not.
    pub missed: Estimate,
}

/// Estimates the error probabilities of the change test from `runs` >= 2 independent pairs of a base
/// and a test cluster, with and without the change. The same seed gives the same numbers on any number
/// of threads. `None` if the noise or the change is out of its domain. O(runs x measurements).
pub fn simulate(
    clusters: Clusters,
    noise: Noise,
    change: Change,
    runs: u32,
    seed: u64,
) -> Option<ErrorRates> {
    let valid = noise.is_valid() && change.scale > 0.0 && change.scale.is_finite();
    if !valid || !change.shift.is_finite() || runs < 2 {
        return None;
    }
    let errs = |run: u64, change: Option<Change>| {
        let mut random = stream(seed, 2 * run + u64::from(change.is_some()));
        let mut source = Source { noise, previous: None };
        let mut test = ChangeTest::new(clusters);
        loop {
            let value = source.next(&mut random);
            let value = match change {
                Some(Change { shift, scale }) if test.has_base() => shift + scale * value,
                _ => value,
            };
            // Continuous noise is never constant.
            if let Ok(Some(report)) = test.observe(value) {
                let reported = report == Report::Change;
                return f64::from(u8::from(reported != change.is_some()));
            }
        }
    };
    let share = |change: Option<Change>| {
        let errors: Vec<f64> =
            (0..u64::from(runs)).into_par_iter().map(|run| errs(run, change)).collect();
        Estimate::of(&errors)
    };
    Some(ErrorRates { false_alarm: share(None), missed: share(Some(change)) })
}

/// The reports of the change test on a recorded trace, as pairs of the number of measurements taken
/// and the report. The first cluster is the base.
///
/// # Errors
/// At the measurement (counted from 0) that cannot be taken.
pub fn replay(
    clusters: Clusters,
    trace: &[f64],
) -> Result<Vec<(usize, Report)>, (usize, MonitorError)> {
    let mut test = ChangeTest::new(clusters);
    let mut reports = Vec::new();
    for (k, value) in trace.iter().enumerate() {
        if let Some(report) = test.observe(*value).map_err(|error| (k, error))? {
            reports.push((k + 1, report));
        }
    }
    Ok(reports)
}
