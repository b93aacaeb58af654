//! The results of checking the papers' claims on a model, as a document.

use super::verify;
use crate::problems::registry::Loaded;
use crate::proving::{Effort, Finding};
use crate::run::is_interrupted;
use remapping::Status;
use serde::Serialize;
use std::time::Instant;

/// All results.
#[derive(Debug, Serialize)]
pub struct Verification {
    /// The model's title.
    pub title: String,
    /// The name of its problem.
    pub problem: &'static str,
    /// How the examination ended.
    pub status: Status,
    /// Whether every theorem holds and every false claim is refuted.
    pub as_expected: bool,
    /// The number of random models for each claim.
    pub cases: u32,
    /// The seed of the random models.
    pub seed: u64,
    /// The result for each claim.
    pub claims: Vec<Finding>,
    /// Version of `remap`.
    pub version: &'static str,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Suspicious parts of the model.
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
            problem: loaded.problem.kind().name(),
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
