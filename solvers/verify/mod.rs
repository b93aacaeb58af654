//! The lemmas and theorems of the papers, checked on a model and on similar random models.

use crate::problems::load_drift::lemmas as load_drift;
use crate::problems::periodic::lemmas as periodic;
use crate::problems::phase_change::lemmas as phase_change;
use crate::problems::phase_switching::lemmas as phase_switching;
use crate::problems::registry::{Loaded, Problem};
use crate::problems::stopping::lemmas as stopping;
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

/// The results for the claims about this kind of model.
fn verify(loaded: &Loaded, effort: Effort) -> Vec<Finding> {
    match &loaded.problem {
        Problem::PhaseChange(_) => phase_change::verify(loaded, effort),
        Problem::PhaseSwitching(_) => phase_switching::verify(loaded, effort),
        Problem::Stopping(_) => stopping::verify(loaded, effort),
        Problem::LoadDrift(_) => load_drift::verify(loaded, effort),
        Problem::Periodic(_) => periodic::verify(loaded, effort),
        _ => Vec::new(),
    }
}
