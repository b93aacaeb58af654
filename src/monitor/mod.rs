//! Watching a running program for a change of phase [NR86, secs. II, III]: measurements in, decisions
//! out.
//!
//! Measurements are condensed to clusters, each cluster is tested against the first ([`ChangeTest`]),
//! the test's reports update the belief that the phase has changed, and the belief is compared with
//! the threshold of the step. Constant memory, O(1) time a measurement: meant to be built into run-time
//! systems.
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
use crate::rounding::nearest;
use crate::threshold::{Bounds, Curve, Hazard, PhaseChange};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What a complete cluster led to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Decision step n, from 1 on.
    pub step: u64,
    /// What the change test said.
    pub report: Report,
    /// p_n after the report.
    pub belief: f64,
    /// pi_n; never to remap after the last step.
    pub threshold: Bounds,
    /// Whether to remap now.
    pub remap: bool,
}

/// The monitor: change test, belief and thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Monitor<'a> {
    test: ChangeTest,
    detector: Detector,
    hazard: Hazard<f64>,
    curve: Cow<'a, Curve>,
    belief: Belief,
    step: u64,
}

/// The chance of a change before step `n`, from 1 on. Past the last step nothing is known of changes.
fn chance(hazard: &Hazard<f64>, n: u64) -> f64 {
    hazard.at(n).copied().unwrap_or(0.0)
}

impl<'a> Monitor<'a> {
    /// A monitor that decides by `curve`, the thresholds of `problem`. `None` if the problem's detector
    /// has other than two levels: the change test says yes or no.
    ///
    /// A step of the problem is a cluster of measurements; its error probabilities should be those of
    /// the change test with these clusters.
    pub fn new(problem: &PhaseChange, curve: &'a Curve, clusters: Clusters) -> Option<Monitor<'a>> {
        Monitor::with(problem, Cow::Borrowed(curve), clusters)
    }

    /// The same with a curve of its own, to be kept as long as a program runs.
    pub fn owning(
        problem: &PhaseChange,
        curve: Curve,
        clusters: Clusters,
    ) -> Option<Monitor<'static>> {
        Monitor::with(problem, Cow::Owned(curve), clusters)
    }

    fn with<'b>(
        problem: &PhaseChange,
        curve: Cow<'b, Curve>,
        clusters: Clusters,
    ) -> Option<Monitor<'b>> {
        let detector = problem.detector.as_binary()?;
        let (hazard, test) = (problem.hazard.map(nearest), ChangeTest::new(clusters));
        Some(Monitor { test, detector, hazard, curve, belief: Belief::UNCHANGED, step: 0 })
    }

    /// Whether the base cluster is complete, so that changes can be seen.
    pub fn has_base(&self) -> bool {
        self.test.has_base()
    }

    /// The belief that the phase has changed.
    pub fn belief(&self) -> f64 {
        self.belief.probability()
    }

    /// Takes the measurement of a cycle. The base cluster is step 0; every further one is a decision.
    ///
    /// # Errors
    /// See [`ChangeTest::observe`]; the belief is then as it was.
    pub fn observe(&mut self, measurement: f64) -> Result<Option<Decision>, MonitorError> {
        let Some(report) = self.test.observe(measurement)? else { return Ok(None) };
        self.step += 1;
        let n = self.step;
        // A report the model holds impossible says nothing it could understand.
        let prior = self.belief.prior(chance(&self.hazard, n));
        self.belief = prior.after(report, &self.detector).unwrap_or(prior);
        let threshold = self.curve.at(n).unwrap_or(Bounds::NEVER);
        let remap = self.belief.probability() > threshold.middle();
        Ok(Some(Decision { step: n, report, belief: self.belief(), threshold, remap }))
    }

    /// The program has remapped: nothing has changed since, and a new base cluster comes first
    /// [NR86, sec. IX].
    pub fn remapped(&mut self) {
        self.belief = Belief::UNCHANGED;
        self.test.restart();
    }
}
