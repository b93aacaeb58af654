//! Reads a model file: its title and the problem that it states.

use crate::core::budget::Refusal;
use crate::core::decimal::Number;
use crate::core::written;
use crate::load_drift::LoadDrift;
use crate::many_phases::ManyPhases;
use crate::periodic::Periodic;
use crate::phase_change::horizon::PhaseChange;
use crate::phase_switching::PhaseSwitching;
use crate::stopping::problem::Written;
use ron::extensions::Extensions;

written! {
    // The fields about the log that a model was fitted to do not belong to the problem.
    struct Model {
        title: String, source: Option<String>, unit_seconds: Option<Number>, stride: Option<u64>,
        fits: Option<Fits>, job_steps: Option<u64>, problem: Problem
    }
    struct Fits { verdict: Verdict, why: String }
    enum Verdict { #[serde(rename = "yes")] Yes, #[serde(rename = "no")] No }
    pub enum Problem {
        PhaseChange(Box<PhaseChange>), PhaseSwitching(Box<PhaseSwitching>), Stopping(Written),
        LoadDrift(LoadDrift), Periodic(Box<Periodic>), ManyPhases(Box<ManyPhases>)
    }
}

/// Reads the title and the problem of a model file.
pub fn read(text: &str) -> Result<(String, Problem), Refusal> {
    let extensions = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let options = ron::Options::default().with_default_extension(extensions);
    let model: Result<Model, _> = options.from_str(text);
    model
        .map(|model| (model.title, model.problem))
        .map_err(|error| Refusal::Model(error.to_string()))
}
