//! The lemmas and theorems of the papers, checked on a model and on similar random models.

mod document;

pub use document::Verification;

use crate::problems::load_drift::lemmas as load_drift;
use crate::problems::periodic::lemmas as periodic;
use crate::problems::phase_change::lemmas as phase_change;
use crate::problems::phase_switching::lemmas as phase_switching;
use crate::problems::registry::{Loaded, Problem};
use crate::problems::stopping::lemmas as stopping;
use crate::proving::{Effort, Finding};

/// The results for the claims about this kind of model.
pub fn verify(loaded: &Loaded, effort: Effort) -> Vec<Finding> {
    match &loaded.problem {
        Problem::PhaseChange(_) => phase_change::verify(loaded, effort),
        Problem::PhaseSwitching(_) => phase_switching::verify(loaded, effort),
        Problem::Stopping(_) => stopping::verify(loaded, effort),
        Problem::LoadDrift(_) => load_drift::verify(loaded, effort),
        Problem::Periodic(_) => periodic::verify(loaded, effort),
        _ => Vec::new(),
    }
}
