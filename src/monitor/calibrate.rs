//! Error probabilities of the change test for a given noise: by seeded simulation, or on a recorded
//! trace.

use super::{ChangeTest, Clusters, MonitorError};
use crate::belief::Report;
use crate::estimate::Estimate;
use crate::parallel;
use crate::simulate::stream;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};

/// The distribution of measurements around their mean, with deviation 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Independent and normal, as the test assumes.
    Normal,
    /// Stationary, normal, first-order autoregressive, with this correlation in (-1, 1).
    Autoregressive(f64),
    /// Independent, Student's t with more than two degrees of freedom: heavy tails.
    Student(f64),
}

impl Noise {
    /// Whether the parameter is within its domain.
    pub fn is_valid(&self) -> bool {
        match self {
            Noise::Normal => true,
            Noise::Autoregressive(correlation) => correlation.abs() < 1.0,
            Noise::Student(degrees) => *degrees > 2.0 && degrees.is_finite(),
        }
    }
}

/// Generates measurements one by one.
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

/// Effect of a change of phase on the measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Shift of the mean, in deviations.
    pub shift: f64,
    /// Factor on the deviation, > 0.
    pub scale: f64,
}

/// Error probabilities of the change test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRates {
    /// alpha: share of clusters before the change that are reported as changed.
    pub false_alarm: Share,
    /// beta: share of clusters after the change that are not.
    pub missed: Share,
}

/// Errors among independent pairs of a base and a test cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Pairs whose observation was wrong.
    pub errors: u64,
    /// All pairs.
    pub pairs: u64,
}

impl Share {
    fn of(errors: &[bool]) -> Share {
        let wrong = errors.iter().filter(|wrong| **wrong).count();
        Share { errors: wrong as u64, pairs: errors.len() as u64 }
    }

    /// The probability of an error, with its exact interval.
    pub fn estimate(&self) -> Estimate {
        Estimate::probability(self.errors, self.pairs)
    }

    /// The probability to use: the share of errors, or the end of its interval if none or all were
    /// errors. Zero observed errors do not prove that a detector makes none.
    pub fn believed(&self) -> f64 {
        let Estimate { value, lower, upper } = self.estimate();
        match self.errors {
            0 => upper,
            all if all == self.pairs => lower,
            _ => value,
        }
    }
}

/// Estimates the error probabilities of the change test from `runs` >= 2 independent pairs of a
/// base and a test cluster, with and without the change. The same seed gives the same numbers on
/// any number of threads. `None` if the noise or the change is outside its domain. O(runs x
/// measurements).
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
                return reported != change.is_some();
            }
        }
    };
    let share = |change: Option<Change>| {
        let errors = parallel::map(runs as usize, &|run| errs(run as u64, change));
        Share::of(&errors)
    };
    Some(ErrorRates { false_alarm: share(None), missed: share(Some(change)) })
}

/// Why a recorded trace gives no error rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TraceError {
    /// The measurement (counted from 0) that is invalid, and why.
    Measurement(usize, MonitorError),
    /// There are fewer than two complete clusters before the change.
    Before,
    /// There is no complete cluster after it.
    After,
}

/// The error probabilities of the change test on a recorded trace whose phase changes after
/// `change_at` measurements. Every test has its own base cluster, so the tests are independent if
/// the clusters are. Clusters of the first half before the change are tested against those of the
/// second, and clusters before it against clusters after it. Tests with a common base would err
/// together, and their number would say little about the error probability.
///
/// # Errors
/// See [`TraceError`].
pub fn recorded(
    clusters: Clusters,
    trace: &[f64],
    change_at: usize,
) -> Result<ErrorRates, TraceError> {
    let length = clusters.measurements() as usize;
    let at = change_at.min(trace.len());
    let starts = |from: usize, to: usize| -> Vec<usize> {
        (0..(to - from) / length).map(|cluster| from + cluster * length).collect()
    };
    let (before, after) = (starts(0, at), starts(at, trace.len()));
    let (first, second) = before.split_at(before.len() / 2);
    if first.is_empty() {
        return Err(TraceError::Before);
    }
    if after.is_empty() {
        return Err(TraceError::After);
    }
    let reported = |(base, test): (&usize, &usize)| {
        let mut change = ChangeTest::new(clusters);
        let mut report = None;
        for k in (*base..base + length).chain(*test..test + length) {
            let taken = change.observe(trace[k]);
            report = taken.map_err(|error| TraceError::Measurement(k, error))?;
        }
        Ok(report == Some(Report::Change))
    };
    let alarms: Vec<bool> = first.iter().zip(second).map(reported).collect::<Result<_, _>>()?;
    let seen: Vec<bool> = before.iter().zip(&after).map(reported).collect::<Result<_, _>>()?;
    let missed: Vec<bool> = seen.into_iter().map(|seen| !seen).collect();
    Ok(ErrorRates { false_alarm: Share::of(&alarms), missed: Share::of(&missed) })
}
