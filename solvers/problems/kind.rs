//! The interface of a problem kind: what the program does with its models, and what it needs from
//! an answer.

use super::claims::Claim;
use super::registry::Body;
use super::settings::Choice;
use super::shared::recommended::Recommended;
use super::stopping::table::Table;
use super::{Contest, Files, Method, Policies, Settings};
use crate::complaint::Complaint;
use crate::document::log::Log;
use crate::model::file::ModelFile;
use crate::plot::Format;
use crate::run::Watch;
use crate::text::Row;
use crate::text::numbers::Numbers;
use remapping::Status;
use serde_json::Value;
use std::sync::Arc;

/// Takes a file name and its content.
pub type Write<'a> = dyn FnMut(&str, &[u8]) -> Result<(), Complaint> + 'a;

/// Facts about a model, by name.
pub type Facts = Vec<(&'static str, Value)>;

/// A result, or the faults of the model that only solving reveals.
pub type Outcome<T> = Result<T, Vec<Complaint>>;

/// A request: a model and how to process it.
pub struct Asked<'a, S> {
    /// The model with its source text.
    pub loaded: &'a ModelFile,
    /// The settings of the solution, or the policies to evaluate.
    pub settings: &'a S,
    /// Where long computations save checkpoints.
    pub files: Files<'a>,
    /// The clock.
    pub watch: &'a Watch,
}

/// The operations on models of one kind of problem.
pub trait Kind {
    /// The problem's name in documents.
    fn name(&self) -> &'static str;

    /// Checks whether the model can be solved, as far as that is known without solving it.
    ///
    /// # Errors
    /// The errors that solving would return.
    fn check(&self, _loaded: &ModelFile) -> Outcome<()> {
        Ok(())
    }

    /// The facts that are known without solving.
    fn facts(&self, loaded: &ModelFile) -> Facts;

    /// The methods that solve it, in addition to the usual one.
    fn methods(&self) -> &'static [Method] {
        &[]
    }

    /// Why this model has no choice of methods, where other models of its problem have one.
    fn has_no_methods(&self) -> Option<&'static str> {
        None
    }

    /// Solves the model.
    fn solve(&self, asked: &Asked<'_, Settings>) -> Outcome<Found>;

    /// Evaluates policies on the model.
    fn compare(&self, asked: &Asked<'_, Contest>) -> Outcome<(Policies, Status)> {
        let message = "policies cannot be played on this problem";
        let help = "compare takes PhaseChange, PhaseSwitching, LoadDrift, ContinuousDrift, ActivityMesh, Stopping, Fluids and LandBattle models";
        let label = "a problem without sample paths";
        Err(vec![asked.loaded.complain("problem", message, label, help)])
    }

    /// The policies that a report shows; `None` if it shows none.
    fn usual_policies(&self) -> Option<Vec<String>> {
        None
    }

    /// The names of the recorded costs that [`Kind::record`] writes.
    fn recordings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Passes recorded costs, per step and processor as CSV, to `write` with their names.
    ///
    /// # Errors
    /// The first error of `write`.
    fn record(&self, _seed: u64, _write: &mut Write<'_>) -> Result<(), Complaint> {
        Ok(())
    }
}

/// The result of solving a problem.
pub struct Found {
    /// The answer.
    pub body: Body,
    /// How the computation ended.
    pub status: Status,
    /// Warnings that only solving reveals.
    pub warnings: Vec<String>,
    /// Why the tolerance was missed, where the solver states it better than the claims of the
    /// answer.
    pub missed: Vec<String>,
    /// Every class of states of a decision map.
    pub table: Option<Arc<Table>>,
}

impl Found {
    pub(crate) fn new(body: Body, status: Status, warnings: Vec<String>) -> Found {
        Found { body, status, warnings, missed: Vec::new(), table: None }
    }
}

/// The first sentence of an answer.
pub enum Headline {
    /// None: the summary begins with the answer.
    InSummary,
    /// The recommendation and its value, in a sentence. A stopped answer adds that it is not final.
    Sentence(String),
    /// The same, where the sentence itself says how final it is.
    Final(String),
}

/// The kind of bounds of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// Proved, to the tolerance.
    Proved,
    /// Each number states its own accuracy.
    Told,
    /// Confidence intervals; there is none where the paths do not differ.
    Statistical {
        /// Whether the paths differ, so that they bound the error of their mean.
        interval: bool,
        /// The gap, or the upper end of its interval, relative to the lower bound; infinite if
        /// unknown.
        gap: f64,
    },
}

impl Accuracy {
    /// The accuracy of an answer whose gap and interval are in percent.
    pub fn sampled(percent: Option<f64>, interval: Option<[f64; 2]>) -> Accuracy {
        let upper = interval.map(|[_, upper]| upper).or(percent);
        Accuracy::Statistical {
            interval: interval.is_some(),
            gap: upper.unwrap_or(f64::INFINITY) / 100.0,
        }
    }

    /// Whether the bounds are confidence intervals.
    pub fn is_statistical(self) -> bool {
        matches!(self, Accuracy::Statistical { .. })
    }
}

/// The answer to one kind of problem.
pub trait Answer {
    /// The first inconsistency in an answer that was read from a file.
    fn fault(&self) -> Option<String> {
        None
    }

    /// The kind of its bounds.
    fn accuracy(&self) -> Accuracy {
        Accuracy::Proved
    }

    /// The intervals that it claims to contain a number. The answer is certified only if all of
    /// them are within the tolerance. Confidence intervals are not claims.
    fn claims(&self) -> Vec<Claim> {
        Vec::new()
    }

    /// Any other contradiction in it.
    fn contradiction(&self) -> Option<String> {
        None
    }

    /// Whether it depends on random numbers, and so has a seed.
    fn is_sampled(&self) -> bool {
        self.accuracy().is_statistical()
    }

    /// Why an option makes no difference to it; `None` if it makes one.
    fn ignores(&self, option: Choice) -> Option<&'static str> {
        Some(option.is_for())
    }

    /// The recommendation and its value.
    fn headline(&self) -> Headline {
        Headline::InSummary
    }

    /// The rule to follow, of an answer that has several. The sentence, the exports and the picture
    /// state it.
    fn recommended(&self) -> Option<Recommended> {
        None
    }

    /// The answer in the units and steps of the program whose log the model was fitted to.
    fn of_the_program(&self, _log: &Log) -> Option<String> {
        None
    }

    /// Adds its important numbers to the list of a report.
    fn numbers(&self, _numbers: &mut Numbers) {}

    /// Writes the readable summary.
    fn summary(&self, text: &mut String);

    /// The cells of its row in the table of a sweep.
    fn cells(&self) -> Row;

    /// Its picture, as the bytes of a file.
    ///
    /// # Errors
    /// The picture cannot be drawn.
    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint>;
}
