//! What an examination of a model came to, as a document.

use super::verify;
use crate::problems;
use crate::problems::registry::Loaded;
use crate::proving::{Effort, Finding};
use crate::run::is_interrupted;
use remapping::Status;
use serde::Serialize;
use std::time::Instant;

/// All that was found.
#[derive(Debug, Serialize)]
pub struct Verification {
    /// Of the model.
    pub title: String,
    /// Its problem.
    pub problem: &'static str,
    /// Whether it came to its end.
    pub status: Status,
    /// Whether every theorem holds and every false claim is refuted.
    pub as_expected: bool,
    /// Random models for each lemma.
    pub cases: u32,
    /// Seed of their choice.
    pub seed: u64,
    /// What was found of each claim.
    pub claims: Vec<Finding>,
    /// Of this program.
    pub version: &'static str,
    /// How long it took.
    pub seconds: f64,
    /// What may be wrong with the model.
    pub warnings: Vec<String>,
}

impl Verification {
    /// Examines a model.
    pub fn of(loaded: &Loaded, effort: Effort) -> Verification {
        let started = Instant::now();
        let claims = verify(loaded, effort);
        let Effort { cases, seed } = effort;
        Verification {
            title: loaded.title.clone(),
            problem: problems::of(&loaded.problem).name(),
            status: if is_interrupted() { Status::Interrupted } else { Status::Converged },
            as_expected: claims.iter().all(Finding::is_as_expected),
            cases,
            seed,
            claims,
            version: env!("CARGO_PKG_VERSION"),
            seconds: started.elapsed().as_secs_f64(),
            warnings: loaded.warnings.clone(),
        }
    }
}
