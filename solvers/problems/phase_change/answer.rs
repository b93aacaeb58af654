//! The answer to a change of phase: a threshold for every step.

use crate::document::{Bounds, Curve};
use crate::problems::shared::thresholds::Thresholds;
use serde::{Deserialize, Serialize};

/// The threshold curve of a phase-change problem.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// M.
    pub last_step: u64,
    /// The least n from which on remapping never pays: M + 1 if there is none, 0 if it never does.
    /// `null` if that is not known.
    pub n0: Option<u64>,
    /// Bounds on n0, where costs are too close to each other to decide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n0_between: Option<[u64; 2]>,
    /// pi_n for n = 0..=M; for M > 10^6 only for the steps after `stationary_through`.
    pub threshold: Vec<f64>,
    /// Certified lower bounds, step by step.
    pub threshold_lower: Vec<f64>,
    /// Certified upper bounds, step by step.
    pub threshold_upper: Vec<f64>,
    /// V at p = 0, n = 0; absent if the computation was stopped before step 0.
    pub value: Option<Bounds>,
    /// The expected time of a program that never remaps, in doubles; absent beyond 10^5 steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<f64>,
    /// The most linear segments a cost function had.
    pub segments: usize,
    /// The parameters for updating the belief p. Absent if the detector has more observations than
    /// yes and no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub belief: Option<Filter>,
    /// The effect of a remap before the change; absent in documents of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub premature: Option<Premature>,
    /// For M > 10^6: the threshold of every step 0..=`stationary_through`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_stationary: Option<f64>,
    /// Its certified lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_stationary_lower: Option<f64>,
    /// Its certified upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_stationary_upper: Option<f64>,
    /// For M > 10^6: the last step with the stationary threshold; the arrays start after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stationary_through: Option<u64>,
    /// The bounds [lower, upper] of the first steps, where they differ from the stationary ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_head: Option<Vec<[f64; 2]>>,
    /// The first step with a threshold, if the computation was stopped before step 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_step: Option<u64>,
    /// With `--exact`: the same thresholds as fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Exact>,
}

/// The parameters of Bayes' rule: the error probabilities of the detector, and the hazard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// alpha.
    pub false_alarm: f64,
    /// beta.
    pub missed: f64,
    /// phi: one number, or h_n for n = 1..=M.
    pub hazard: Hazard,
}

/// The effect of a remap before the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Premature {
    /// It is noticed at once and undone, and the program continues to watch.
    Revert,
    /// It is kept: there is one remap.
    Keep,
}

impl From<&remapping::phase_change::Premature> for Premature {
    fn from(premature: &remapping::phase_change::Premature) -> Self {
        match premature {
            remapping::phase_change::Premature::Revert => Premature::Revert,
            remapping::phase_change::Premature::Keep { .. } => Premature::Keep,
        }
    }
}

/// The probability of the change of phase per step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Hazard {
    /// The same at every step.
    Constant(f64),
    /// Between step n - 1 and step n, from n = 1.
    PerStep(Vec<f64>),
}

/// The exact solution, for short horizons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exact {
    /// pi_n as fractions.
    pub threshold: Vec<String>,
    /// pi_n as decimals.
    pub threshold_decimal: Vec<f64>,
    /// n0.
    pub n0: u64,
    /// V at p = 0, n = 0, as a fraction.
    pub value: String,
}

impl Answer {
    /// The thresholds with their bounds.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds {
            threshold: self.threshold.clone(),
            lower: self.threshold_lower.clone(),
            upper: self.threshold_upper.clone(),
            stationary: self.threshold_stationary,
            stationary_lower: self.threshold_stationary_lower,
            stationary_upper: self.threshold_stationary_upper,
            stationary_through: self.stationary_through,
            head: self.threshold_head.clone().unwrap_or_default(),
        }
    }

    /// The thresholds step by step; equal ones form runs.
    pub fn curve(&self) -> Curve {
        self.thresholds().curve(self.first_step.unwrap_or(0))
    }
}
