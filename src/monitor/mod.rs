//! Online detection of a change of phase in a running program [NR86, secs. II, III]: from
//! measurements to decisions.
//!
//! Measurements are grouped into clusters, and each cluster is tested against the first
//! ([`ChangeTest`]). The resulting observations update the belief that the phase has changed (Bayes
//! filter). The belief is compared with the threshold of the step. Constant memory, O(1) time per
//! measurement; intended for run-time systems.
//!
//! ```
//! use remapping::belief::Report;
//! use remapping::monitor::{ChangeTest, Clusters};
//!
//! // Clusters of two batches of four measurements.
//! let mut test = ChangeTest::new(Clusters::new(4, 2).expect("clusters need measurements"));
//! let mut reports = Vec::new();
//! for cycle in 0..24u32 {
//!     let seconds = if cycle < 16 { 1.0 } else { 3.0 } + 0.01 * f64::from(cycle * 7 % 5);
//!     reports.extend(test.observe(seconds)?);
//! }
//! assert_eq!(reports.last(), Some(&Report::Change));
//! # Ok::<(), remapping::monitor::MonitorError>(())
//! ```

pub mod calibrate;
mod cluster;
mod reports;

pub use cluster::{ChangeTest, Clusters, MonitorError};
pub use reports::{NoSuchLevel, ReportMonitor, Reported, SwitchingMonitor};

use crate::belief::{Belief, Detector, Report};
use crate::phase_change::{Bounds, Curve, Hazard, PhaseChange};
use crate::rounding::nearest;
use serde::{Deserialize, Serialize};

/// Result of a complete cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Decision step n, from 1 on.
    pub step: u64,
    /// Observation of the change test.
    pub report: Report,
    /// The belief p_n after the observation.
    pub belief: f64,
    /// The threshold pi_n; after the last step, never remap.
    pub threshold: Bounds,
    /// Whether to remap now.
    pub remap: bool,
}

/// The monitor: change test, belief and thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Monitor {
    test: ChangeTest,
    detector: Detector,
    hazard: Hazard<f64>,
    curve: Curve,
    belief: Belief,
    /// The step of the last complete cluster; none before the first.
    step: Option<u64>,
}

/// Why a deserialized monitor is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a monitor: {0}")]
pub struct Unsound(&'static str);

/// Upper bound on step numbers; counting continues without overflow from there.
const MOST_STEPS: u64 = u64::MAX / 2;

/// The first violated condition, as an error.
fn checked<const MANY: usize>(held: [(bool, &'static str); MANY]) -> Result<(), Unsound> {
    held.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, fault)| Err(Unsound(fault)))
}

fn is_probability(chance: &f64) -> bool {
    (0.0..=1.0).contains(chance)
}

/// Messages for violated conditions shared by several monitors.
const BELIEF: &str = "its belief is not a probability";
const CURVE: &str = "its thresholds are not probabilities, step by step";
const CHANCES: &str = "its chances are not probabilities";
const STEP: &str = "its step is too late";

/// The hazard before step `n` >= 1; 0 after the last step.
fn chance(hazard: &Hazard<f64>, n: u64) -> f64 {
    hazard.at(n).copied().unwrap_or(0.0)
}

impl Monitor {
    /// A monitor that decides by `curve`, the thresholds of `problem`. `None` if the problem's
    /// detector does not have two levels: the change test is binary.
    ///
    /// A step of the problem is a cluster of measurements. The error probabilities of the problem
    /// should be those of the change test with these clusters.
    pub fn new(problem: &PhaseChange, curve: Curve, clusters: Clusters) -> Option<Monitor> {
        let detector = problem.detector.as_binary()?;
        let (hazard, test) = (problem.hazard.map(nearest), ChangeTest::new(clusters));
        Some(Monitor { test, detector, hazard, curve, belief: Belief::UNCHANGED, step: None })
    }

    /// Checks a deserialized monitor.
    ///
    /// # Errors
    /// If it is inconsistent.
    pub fn check(self) -> Result<Monitor, Unsound> {
        let chances = self.detector.is_valid() && self.hazard.all().iter().all(is_probability);
        checked([
            (self.test.is_valid(), "its clusters do not fit together"),
            (chances, CHANCES),
            (self.curve.is_valid(), CURVE),
            (self.belief.is_valid(), BELIEF),
            (self.step.is_none_or(|step| step <= MOST_STEPS), STEP),
        ])?;
        Ok(self)
    }

    /// Whether the base cluster is complete, so that changes can be detected.
    pub fn has_base(&self) -> bool {
        self.test.has_base()
    }

    /// The belief that the phase has changed.
    pub fn belief(&self) -> f64 {
        self.belief.probability()
    }

    /// Processes the measurement of a cycle. Every cluster is a step, the first one step 0. A base
    /// cluster, of which there is one after each remap, has no observation and no decision; the
    /// phase may still have changed meanwhile.
    ///
    /// # Errors
    /// See [`ChangeTest::observe`]. A cluster without variance counts as a step too.
    pub fn observe(&mut self, measurement: f64) -> Result<Option<Decision>, MonitorError> {
        let had_base = self.test.has_base();
        let report = match self.test.observe(measurement) {
            Ok(Some(report)) => report,
            Ok(None) => {
                if self.test.has_base() && !had_base {
                    self.pass();
                }
                return Ok(None);
            }
            Err(error) => {
                if matches!(error, MonitorError::Constant(_)) {
                    self.pass();
                }
                return Err(error);
            }
        };
        // An observation that is impossible under the model carries no information.
        let (n, prior) = self.pass();
        self.belief = prior.after(report, &self.detector).unwrap_or(prior);
        let threshold = self.curve.at(n).unwrap_or(Bounds::NEVER);
        let remap = self.belief.probability() > threshold.middle();
        Ok(Some(Decision { step: n, report, belief: self.belief(), threshold, remap }))
    }

    /// Advances to the next step and returns the belief before its observation.
    fn pass(&mut self) -> (u64, Belief) {
        let n = self.step.map_or(0, |last| last + 1);
        self.step = Some(n);
        if n > 0 {
            self.belief = self.belief.prior(chance(&self.hazard, n));
        }
        (n, self.belief)
    }

    /// Records a remap: the belief is reset, and a new base cluster comes first [NR86, sec. IX].
    /// Measurements after the last complete cluster belong to no step.
    pub fn remapped(&mut self) {
        self.belief = Belief::UNCHANGED;
        self.test.restart();
    }
}
