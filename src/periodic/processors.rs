//! The processors of a periodic problem.

use super::Moments;
use super::moments::float;
use crate::Rational;
use crate::decimal::written;
use crate::distribution::{Class, Law, LawError, Steps};

/// At least two processors with equal loads. Changes are independent unless declared
/// [dependent](Processors::dependent).
#[derive(Debug, Clone, PartialEq)]
pub struct Processors {
    load: f64,
    classes: Vec<Class>,
    /// Exact means and variances; the fields below are rounded to doubles.
    moments: Moments,
    /// Distances of the largest and the smallest mean change from the average.
    farthest: [Rational; 2],
    mean: f64,
    variance: f64,
    drift: f64,
    dependent: bool,
}

/// Why processors do not form a problem.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessorsError {
    /// Fewer than two: there is nothing to balance.
    #[error("balance needs two processors, and there are {0}")]
    TooFew(usize),
    /// The initial load is not a positive number.
    #[error("the initial load must be positive, and is {0}")]
    Load(f64),
    /// The parameters of one class do not describe a distribution.
    #[error("class {0}: {1}")]
    Law(usize, LawError),
}

impl Processors {
    /// Processors with initial load `load > 0` each. Classes of equal distributions are merged, and
    /// distributions without variance become deterministic steps.
    ///
    /// # Errors
    /// If the load, the number of processors or a distribution is outside its domain.
    pub fn new(load: f64, classes: Vec<Class>) -> Result<Self, ProcessorsError> {
        let count = classes.iter().map(|class| class.count).sum();
        if count < 2 {
            return Err(ProcessorsError::TooFew(count));
        }
        if !(load.is_finite() && load > 0.0) {
            return Err(ProcessorsError::Load(load));
        }
        let mut merged: Vec<Class> = Vec::new();
        for (index, class) in classes.into_iter().enumerate() {
            let fault = |error| ProcessorsError::Law(index, error);
            class.law.check().map_err(fault)?;
            let law = match class.law {
                Law::Normal { mean, deviation: 0.0 } | Law::Moments { mean, variance: 0.0 } => {
                    Law::Steps(Steps::new(vec![(mean, 1.0)]).map_err(fault)?)
                }
                law => law,
            };
            match merged.iter_mut().find(|other| other.law == law) {
                Some(other) => other.count += class.count,
                None if class.count > 0 => merged.push(Class { count: class.count, law }),
                None => {}
            }
        }
        let changes: Vec<_> = merged.iter().map(|class| (class.count, exact(&class.law))).collect();
        Ok(Self::of(merged, written(load), &changes))
    }

    fn of(classes: Vec<Class>, load: Rational, changes: &[(usize, [Rational; 2])]) -> Self {
        let moments = Moments::of(load, changes.iter().cloned());
        let [load, mean, variance, drift] =
            [&moments.load, &moments.mean, &moments.variance, &moments.drift].map(float);
        let means = || changes.iter().filter(|(count, _)| *count > 0).map(|(_, [mean, _])| mean);
        let above = means().max().map_or(Rational::ZERO, |most| most - &moments.mean);
        let below = means().min().map_or(Rational::ZERO, |least| &moments.mean - least);
        let farthest = [above, below];
        Self { load, mean, variance, drift, farthest, moments, classes, dependent: false }
    }

    /// The same with exact means and variances, for so many processors each, and an exact load. By
    /// default these are taken from the decimals by which doubles are written.
    #[must_use]
    pub fn with_changes(self, load: Rational, changes: &[(usize, [Rational; 2])]) -> Self {
        Self::of(self.classes, load, changes)
    }

    /// The same with dependent changes within a step. `spread` is `trace(S) - 1'S1/N` of their
    /// covariance matrix `S`: the growth per step of the expected sum of squared deviations,
    /// without the means. Only bounds on this sum
    /// ([`Bound::RmsDeviation`](super::Bound::RmsDeviation)) apply.
    #[must_use]
    pub fn dependent(mut self, spread: Rational) -> Self {
        self.variance = float(&spread);
        self.moments.variance = spread;
        self.dependent = true;
        self
    }

    /// Whether changes of one step depend on each other.
    pub fn are_dependent(&self) -> bool {
        self.dependent
    }

    /// The same from another load; `None` if that is not a positive number.
    pub fn at_load(&self, load: Rational) -> Option<Self> {
        let rounded = float(&load);
        let moments = Moments { load, ..self.moments.clone() };
        (rounded.is_finite() && rounded > 0.0).then(|| Self {
            load: rounded,
            moments,
            ..self.clone()
        })
    }

    /// Distances of the largest and the smallest mean change from the average, exact.
    pub(super) fn farthest(&self) -> &[Rational; 2] {
        &self.farthest
    }

    /// Exact means and variances.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Initial load of each processor.
    pub fn load(&self) -> f64 {
        self.load
    }

    /// The distinct distributions, with how many processors follow each.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Number of processors.
    pub fn count(&self) -> usize {
        self.classes.iter().map(|class| class.count).sum()
    }

    /// The common distribution, if there is one.
    pub fn common(&self) -> Option<&Law> {
        if self.classes.len() == 1 { Some(&self.classes[0].law) } else { None }
    }

    fn average(&self, f: impl Fn(&Law) -> f64) -> f64 {
        let sum: f64 = self.classes.iter().map(|class| class.count as f64 * f(&class.law)).sum();
        sum / self.count() as f64
    }

    /// Mean change of the average load per step.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Mean load after `time` steps.
    pub fn mean_load(&self, time: f64) -> f64 {
        self.load + time * self.mean()
    }

    /// The same after integer steps, rounded once: a mean load that has nearly vanished is a small
    /// difference.
    pub fn mean_load_after(&self, steps: u64) -> f64 {
        float(&self.moments.mean_load(steps))
    }

    /// Mean variance of the changes of one processor.
    pub fn mean_variance(&self) -> f64 {
        self.average(Law::variance)
    }

    /// The growth per step of the sum of squared deviations, without the means: `(N-1)` times the
    /// mean variance of independent changes.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// `sum mu_i^2 - N mubar^2`: contribution of unequal means; zero where they are equal.
    pub fn drift(&self) -> f64 {
        self.drift
    }

    /// `v(t)` [FXW03, (20)].
    pub fn rms_deviation(&self, time: f64) -> f64 {
        (self.variance() * time + self.drift() * time * time).sqrt() / self.mean_load(time)
    }

    /// Rounding bound of [`mean_load`](Self::mean_load): of the sum over the distributions, and of
    /// cancellation.
    pub fn rounding_of_mean_load(&self, time: f64) -> f64 {
        let size = self.load + time * self.average(|law| law.mean().abs());
        (4.0 + self.classes.len() as f64) * f64::EPSILON * size
    }

    /// Number of steps during which no load can become negative; `None` if none ever can.
    pub fn steps_without_negative_load(&self) -> Option<u64> {
        let least = self.classes.iter().map(|class| class.law.least()).fold(0.0, f64::min);
        (least < 0.0).then(|| (self.load / -least * (1.0 + 1e-15)).floor() as u64)
    }
}

/// Mean and variance of a distribution whose parameters are the decimals by which they are written.
fn exact(law: &Law) -> [Rational; 2] {
    match *law {
        Law::Steps(ref steps) => {
            let pairs = steps.values().iter().zip(steps.weights());
            Moments::of_steps(pairs.map(|(value, weight)| (written(*value), written(*weight))))
        }
        Law::Exponential { mean } => {
            let mean = written(mean);
            [mean.clone(), &mean * &mean]
        }
        Law::Gamma { shape, mean } => {
            let mean = written(mean);
            [mean.clone(), &mean * &mean / written(shape)]
        }
        Law::Normal { mean, deviation } => {
            let deviation = written(deviation);
            [written(mean), &deviation * &deviation]
        }
        Law::Moments { mean, variance } => [written(mean), written(variance)],
    }
}
