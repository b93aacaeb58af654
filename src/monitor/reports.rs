//! Belief of a program whose detector reports by itself, in two or more levels: for one change of
//! phase, or for recurring phases.

use super::{BELIEF, CHANCES, CURVE, MOST_STEPS, STEP, Unsound, chance, checked, is_probability};
use crate::belief::{Belief, Level, Levels, Likelihood};
use crate::phase_change::{Bounds, Curve, Hazard, PhaseChange};
use crate::phase_switching::{PhaseSwitching, exceeded, undercut};
use crate::rounding::nearest;
use serde::{Deserialize, Serialize};

/// Result of an observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reported {
    /// Decision step n, from 1 on.
    pub step: u64,
    /// The belief p_n after the observation.
    pub belief: f64,
    /// The threshold it is compared with.
    pub threshold: Bounds,
    /// Whether to remap now.
    pub remap: bool,
}

/// A level that the detector does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the detector has no level {level}: they are numbered from 0 to {last}")]
pub struct NoSuchLevel {
    /// The level reported.
    pub level: usize,
    /// The last level.
    pub last: usize,
}

/// The probabilities of each level, in the order of the detector.
fn likelihoods(detector: &Levels) -> Vec<Likelihood> {
    detector.levels().iter().map(Level::likelihood).collect()
}

fn likelihood(reports: &[Likelihood], level: usize) -> Result<Likelihood, NoSuchLevel> {
    let last = reports.len().saturating_sub(1);
    reports.get(level).copied().ok_or(NoSuchLevel { level, last })
}

/// Whether there are levels, and all their probabilities are valid.
fn are_valid(reports: &[Likelihood]) -> bool {
    let sound = |level: &Likelihood| is_probability(&level.before) && is_probability(&level.after);
    !reports.is_empty() && reports.iter().all(sound)
}

/// Detects one change of phase by the observations of a detector with any number of levels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportMonitor {
    reports: Vec<Likelihood>,
    hazard: Hazard<f64>,
    curve: Curve,
    belief: Belief,
    step: u64,
}

impl ReportMonitor {
    /// A monitor that decides by `curve`, the thresholds of `problem`. Levels are numbered as in
    /// the problem's detector.
    pub fn new(problem: &PhaseChange, curve: Curve) -> ReportMonitor {
        let levels = likelihoods(&problem.detector);
        let (hazard, belief) = (problem.hazard.map(nearest), Belief::UNCHANGED);
        ReportMonitor { reports: levels, hazard, curve, belief, step: 0 }
    }

    /// Checks a deserialized monitor.
    ///
    /// # Errors
    /// If it is inconsistent.
    pub fn check(self) -> Result<ReportMonitor, Unsound> {
        let chances = are_valid(&self.reports) && self.hazard.all().iter().all(is_probability);
        checked([
            (chances, CHANCES),
            (self.curve.is_valid(), CURVE),
            (self.belief.is_valid(), BELIEF),
            (self.step <= MOST_STEPS, STEP),
        ])?;
        Ok(self)
    }

    /// The belief that the phase has changed.
    pub fn belief(&self) -> f64 {
        self.belief.probability()
    }

    /// Processes the observation of the next step.
    ///
    /// # Errors
    /// If there is no such level; the belief is then unchanged.
    pub fn observe(&mut self, level: usize) -> Result<Reported, NoSuchLevel> {
        let report = likelihood(&self.reports, level)?;
        self.step += 1;
        // An observation that is impossible under the model carries no information.
        let prior = self.belief.prior(chance(&self.hazard, self.step));
        self.belief = prior.given(report).unwrap_or(prior);
        let threshold = self.curve.at(self.step).unwrap_or(Bounds::NEVER);
        let belief = self.belief();
        Ok(Reported { step: self.step, belief, threshold, remap: belief > threshold.middle() })
    }

    /// Records a remap: nothing has changed since.
    pub fn remapped(&mut self) {
        self.belief = Belief::UNCHANGED;
    }
}

/// Thresholds by time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Thresholds {
    /// Stationary: to the second mapping, and back.
    Same([Bounds; 2]),
    /// By step.
    ByStep([Curve; 2]),
}

/// Detects recurring phases by the observations of a detector. There are two mappings and two
/// thresholds; between these the program keeps its mapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchingMonitor {
    reports: Vec<Likelihood>,
    rates: [f64; 2],
    thresholds: Thresholds,
    /// The mapping in use: the first or the second.
    second: bool,
    belief: Belief,
    step: u64,
}

impl SwitchingMonitor {
    fn new(problem: &PhaseSwitching, thresholds: Thresholds) -> Option<SwitchingMonitor> {
        let reports = likelihoods(&problem.detector);
        let rates = [nearest(&problem.rates[0]), nearest(&problem.rates[1])];
        let belief = Belief::new(nearest(&problem.initial))?;
        Some(SwitchingMonitor { reports, rates, thresholds, second: false, belief, step: 0 })
    }

    /// For a program without end: `to_second` and `to_first` are the thresholds of `problem`
    /// computed by [`crate::phase_switching::long_run()`]. `None` if its initial belief is not a
    /// probability.
    pub fn endless(
        problem: &PhaseSwitching,
        to_second: Bounds,
        to_first: Bounds,
    ) -> Option<SwitchingMonitor> {
        SwitchingMonitor::new(problem, Thresholds::Same([to_second, to_first]))
    }

    /// For a program that ends, with the curves computed by [`crate::phase_switching::solve`].
    pub fn by_step(
        problem: &PhaseSwitching,
        to_second: Curve,
        to_first: Curve,
    ) -> Option<SwitchingMonitor> {
        SwitchingMonitor::new(problem, Thresholds::ByStep([to_second, to_first]))
    }

    /// Checks a deserialized monitor.
    ///
    /// # Errors
    /// If it is inconsistent.
    pub fn check(self) -> Result<SwitchingMonitor, Unsound> {
        let thresholds = match &self.thresholds {
            Thresholds::Same(both) => both.iter().all(Bounds::is_of_probability),
            Thresholds::ByStep(both) => both.iter().all(Curve::is_valid),
        };
        let chances = are_valid(&self.reports) && self.rates.iter().all(is_probability);
        checked([
            (chances, CHANCES),
            (thresholds, CURVE),
            (self.belief.is_valid(), BELIEF),
            (self.step <= MOST_STEPS, STEP),
        ])?;
        Ok(self)
    }

    /// The belief that the program is in the second phase.
    pub fn belief(&self) -> f64 {
        self.belief.probability()
    }

    /// Whether the second mapping is in use.
    pub fn is_second(&self) -> bool {
        self.second
    }

    /// The next step has no observation, for instance while reference measurements are collected.
    /// The phase may still have changed.
    pub fn unreported(&mut self) {
        self.step += 1;
        let [a, b] = self.rates;
        let p = self.belief.probability();
        let prior = Belief::new((p * (1.0 - b) + (1.0 - p) * a).clamp(0.0, 1.0));
        self.belief = prior.unwrap_or(self.belief);
    }

    /// Processes the observation of the next step. A remap switches to the other mapping.
    ///
    /// # Errors
    /// If there is no such level; the belief is then unchanged.
    pub fn observe(&mut self, level: usize) -> Result<Reported, NoSuchLevel> {
        let report = likelihood(&self.reports, level)?;
        self.unreported();
        self.belief = self.belief.given(report).unwrap_or(self.belief);
        let never = Bounds::from([f64::from(!self.second); 2]);
        let threshold = match &self.thresholds {
            Thresholds::Same(both) => both[usize::from(self.second)],
            Thresholds::ByStep(both) => {
                both[usize::from(self.second)].at(self.step).unwrap_or(never)
            }
        };
        let belief = self.belief();
        let remap = match self.second {
            false => belief > exceeded(threshold),
            true => belief < undercut(threshold),
        };
        Ok(Reported { step: self.step, belief, threshold, remap })
    }

    /// Records a switch to the other mapping; the belief is unchanged.
    pub fn remapped(&mut self) {
        self.second = !self.second;
    }
}
