//! The answer as a document: a header common to all problems, and the problem's own part. It has
//! the same form in memory and in a file.

mod kinds;
mod loaded;
mod read;
pub mod stated;
pub mod sweep;

pub use kinds::{Body, Problem};
pub use loaded::Loaded;
pub use read::{Document, of_text, read};

use crate::document::log;
use crate::problems::claims::{Verdict, examine};
use crate::problems::shared::recommended::Recommended;
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

impl Body {
    /// Examines the claims of an answer that was computed to `tolerance` and ended with `status`.
    pub fn examine(&self, status: Status, tolerance: f64) -> Verdict {
        let answer = self.answer();
        examine(&answer.claims(), answer.contradiction(), status, tolerance)
    }
}
