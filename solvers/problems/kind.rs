//! What every kind of problem does with its models, and what is asked of it.

use super::registry::Body;
use super::stopping::table::Table;
use super::{Contest, Files, Method, Policies, Settings};
use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::run::Watch;
use remapping::Status;
use serde_json::Value;
use std::sync::Arc;

/// Takes a name and bytes that belong to it.
pub type Write<'a> = dyn FnMut(&str, &[u8]) -> Result<(), Complaint> + 'a;

/// What is said of a model, by name.
pub type Facts = Vec<(&'static str, Value)>;

/// What is found, or what is wrong with the model, as only solving brings to light.
pub type Outcome<T> = Result<T, Vec<Complaint>>;

/// What is asked of a problem: a model, and how it is treated.
pub struct Asked<'a, S> {
    /// The model and the text it stands in.
    pub loaded: &'a ModelFile,
    /// How it is solved, or which policies are played.
    pub settings: &'a S,
    /// Where long computations are saved now and then.
    pub files: Files<'a>,
    /// The clock.
    pub watch: &'a Watch,
}

/// What is done with the models of one kind of problem.
pub trait Kind {
    /// The problem, as documents name it.
    fn name(&self) -> &'static str;

    /// What can be said without solving.
    fn facts(&self, loaded: &ModelFile) -> Facts;

    /// The ways to solve it, besides the usual one.
    fn methods(&self) -> &'static [Method] {
        &[]
    }

    /// Why this model has no methods, where others of its problem have some.
    fn has_no_methods(&self) -> Option<&'static str> {
        None
    }

    /// Solves the model.
    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found>;

    /// Plays policies on the model.
    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let message = "policies cannot be played on this problem";
        let help = "compare takes PhaseChange, PhaseSwitching, LoadDrift, ContinuousDrift, ActivityMesh, Stopping, Fluids and LandBattle models";
        let label = "a problem without sample paths";
        Err(vec![asked.loaded.complain("problem", message, label, help)])
    }

    /// The policies that a report shows; none where it shows none.
    fn usual_policies(&self) -> Option<Vec<String>> {
        None
    }

    /// The names of the recorded costs that [`Kind::record`] writes.
    fn recordings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Hands recorded costs, per step and processor as CSV, to `write` with their names.
    ///
    /// # Errors
    /// The first that `write` returns.
    fn record(&self, _seed: u64, _write: &mut Write<'_>) -> Result<(), Complaint> {
        Ok(())
    }
}

/// What solving a problem finds.
pub struct Found {
    /// The answer.
    pub body: Body,
    /// How the computation ended.
    pub status: Status,
    /// Warnings that only solving brings to light.
    pub warnings: Vec<String>,
    /// Of a decision map, every class of states.
    pub table: Option<Arc<Table>>,
}

impl Found {
    pub(crate) fn new(body: Body, status: Status, warnings: Vec<String>) -> Found {
        Found { body, status, warnings, table: None }
    }
}
