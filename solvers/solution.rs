//! What a solve returns: a header common to all problems, and the problem's own part.

use crate::{load_drift, periodic, phase_change, phase_switching, stopping, workload};
use remapping::Status;
use serde::Serialize;

/// One solved model.
#[derive(Debug, Clone, Serialize)]
pub struct Solution {
    /// The model's title.
    pub title: String,
    /// The answer.
    #[serde(flatten)]
    pub body: Body,
    /// How the computation ended.
    pub status: Status,
    /// The tolerance asked for.
    pub tolerance: f64,
    /// Version of `remap`.
    pub version: &'static str,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// With `--certificate`: where the proof is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certified>,
    /// What is legal in the model but suspicious, and what the answer does not promise.
    pub warnings: Vec<String>,
    /// Claims that cannot all be true: a bug.
    #[serde(skip)]
    pub contradiction: Option<String>,
}

impl Solution {
    /// Takes back that the answer is certified, since something in it cannot be true.
    pub fn refute(&mut self, contradiction: String) {
        if self.status == Status::Converged {
            self.status = Status::IterationLimit;
        }
        self.contradiction = Some(contradiction);
    }
}

/// Files from which `remap verify` proves a solution.
#[derive(Debug, Clone, Serialize)]
pub struct Certified {
    /// The certificate.
    pub file: std::path::PathBuf,
    /// The model file it belongs to.
    pub model: std::path::PathBuf,
}

/// The answer, by problem.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "one is made per solved model")]
pub enum Body {
    /// Threshold curve.
    PhaseChange(Box<phase_change::Answer>),
    /// Two threshold curves.
    PhaseSwitching(Box<phase_switching::Answer>),
    /// Optimal control of drifting loads.
    LoadDrift(Box<load_drift::Answer>),
    /// Decision map.
    Stopping(stopping::Answer),
    /// Thresholds of the scenarios of the fluids code.
    Fluids(workload::solve::Answer),
    /// Thresholds of the scenarios of the land battle.
    LandBattle(workload::solve::Answer),
    /// Intervals.
    Periodic(Box<periodic::Answer>),
}

/// An answer with the status it was reached with.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The answer.
    pub body: Body,
    /// How the computation ended.
    pub status: Status,
    /// Warnings that only solving brings to light.
    pub warnings: Vec<String>,
}
