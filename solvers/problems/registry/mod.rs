//! The answer as a document: a header common to all problems, and the problem's own part. It has
//! the same form in memory and in a file.

mod loaded;
mod read;
pub mod stated;
pub mod sweep;

pub use loaded::{Loaded, Problem};
pub use read::{Document, of_text, read};

use crate::document::log;
use crate::problems::claims::{Verdict, examine};
use crate::problems::continuous_drift::answer as continuous_drift;
use crate::problems::kind::Answer;
use crate::problems::load_drift::answer as load_drift;
use crate::problems::many_phases::answer as many_phases;
use crate::problems::periodic::answer as periodic;
use crate::problems::phase_change::answer as phase_change;
use crate::problems::phase_switching::answer as phase_switching;
use crate::problems::shared::recommended::Recommended;
use crate::problems::shared::two_phase::answer as two_phase;
use crate::problems::stopping::answer as stopping;
use remapping::Status;
use serde::{Deserialize, Serialize};

/// One solved model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Solution {
    /// The model's title.
    pub title: String,
    /// For a model fitted to a log: its units and steps, and how it fits.
    #[serde(flatten)]
    pub log: Option<log::Log>,
    /// The answer.
    #[serde(flatten)]
    pub body: Body,
    /// The rule to follow, where the answer has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended: Option<Recommended>,
    /// How the computation ended.
    pub status: Status,
    /// The tolerance asked for.
    pub tolerance: f64,
    /// Version of `remap`.
    pub version: String,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// With `--certificate`: the files of the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certified>,
    /// Legal but suspicious parts of the model, and what the answer does not guarantee.
    pub warnings: Vec<String>,
    /// Claims that cannot all be true: a bug.
    #[serde(skip)]
    pub contradiction: Option<String>,
}

impl Solution {
    /// Withdraws the certified status, since something in the answer cannot be true.
    pub fn refute(&mut self, contradiction: String) {
        if self.status == Status::Converged {
            self.status = Status::IterationLimit;
        }
        self.contradiction = Some(contradiction);
    }
}

/// The files from which `remap verify` proves a solution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certified {
    /// The certificate.
    pub file: std::path::PathBuf,
    /// The model file it belongs to.
    pub model: std::path::PathBuf,
}

/// The answer, by problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum Body {
    /// Threshold curve.
    PhaseChange(Box<phase_change::Answer>),
    /// Two threshold curves.
    PhaseSwitching(Box<phase_switching::Answer>),
    /// Bounds, and a mapping for each belief of a grid.
    ManyPhases(Box<many_phases::Answer>),
    /// Optimal control of drifting loads.
    LoadDrift(Box<load_drift::Answer>),
    /// Bounds and a rule for loads without levels.
    ContinuousDrift(Box<continuous_drift::Answer>),
    /// Decision map.
    Stopping(Box<stopping::Answer>),
    /// Thresholds of the scenarios of the fluids code.
    Fluids(two_phase::Answer),
    /// Thresholds of the scenarios of the land battle.
    LandBattle(two_phase::Answer),
    /// Intervals.
    Periodic(Box<periodic::Answer>),
}

impl Body {
    /// The rule to follow, of answers that have several. `None` where there is only one, or none
    /// yet.
    pub fn recommended(&self) -> Option<Recommended> {
        self.answer().recommended()
    }

    /// The interface that all answers have.
    pub fn answer(&self) -> &dyn Answer {
        match self {
            Body::PhaseChange(answer) => answer.as_ref(),
            Body::PhaseSwitching(answer) => answer.as_ref(),
            Body::ManyPhases(answer) => answer.as_ref(),
            Body::LoadDrift(answer) => answer.as_ref(),
            Body::ContinuousDrift(answer) => answer.as_ref(),
            Body::Stopping(answer) => answer.as_ref(),
            Body::Fluids(answer) | Body::LandBattle(answer) => answer,
            Body::Periodic(answer) => answer.as_ref(),
        }
    }

    /// Examines the claims of an answer that was computed to `tolerance` and ended with `status`.
    pub fn examine(&self, status: Status, tolerance: f64) -> Verdict {
        let answer = self.answer();
        examine(&answer.claims(), answer.contradiction(), status, tolerance)
    }

    /// The problem's name in documents.
    pub fn problem(&self) -> &'static str {
        match self {
            Body::PhaseChange(_) => "phase_change",
            Body::PhaseSwitching(_) => "phase_switching",
            Body::ManyPhases(_) => "many_phases",
            Body::LoadDrift(_) => "load_drift",
            Body::ContinuousDrift(_) => "continuous_drift",
            Body::Stopping(_) => "stopping",
            Body::Fluids(_) => "fluids",
            Body::LandBattle(_) => "land_battle",
            Body::Periodic(_) => "periodic",
        }
    }
}
