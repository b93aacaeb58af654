//! What every kind of problem does with its models, and what is asked of it.

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

    /// Whether the model can be solved, as far as that shows without solving it.
    ///
    /// # Errors
    /// What solving would say.
    fn check(&self, _loaded: &ModelFile) -> Outcome<()> {
        Ok(())
    }

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
    /// What missed the tolerance, where the solver says it better than the claims of the answer do.
    pub missed: Vec<String>,
    /// Of a decision map, every class of states.
    pub table: Option<Arc<Table>>,
}

impl Found {
    pub(crate) fn new(body: Body, status: Status, warnings: Vec<String>) -> Found {
        Found { body, status, warnings, missed: Vec::new(), table: None }
    }
}

/// What an answer says first.
pub enum Headline {
    /// Nothing: the summary begins with the answer.
    InSummary,
    /// What to do and what it is worth, in a sentence. Of a stopped answer it needs the remark that it is not final.
    Sentence(String),
    /// The same, where the sentence itself says how final it is.
    Final(String),
}

/// What the bounds of an answer are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// Proved, to the tolerance.
    Proved,
    /// Each number says what is known of it.
    Told,
    /// Confidence intervals; without an interval the paths do not differ.
    Statistical {
        /// Whether the paths differ, so that they tell how far off their mean may be.
        interval: bool,
        /// The gap, or the upper end of its interval, relative to the lower bound; infinite without.
        gap: f64,
    },
}

impl Accuracy {
    /// Of an answer whose gap, and the interval of that, are known in percent.
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
    /// What contradicts itself in an answer that was read from a file.
    fn fault(&self) -> Option<String> {
        None
    }

    /// What its bounds are.
    fn accuracy(&self) -> Accuracy {
        Accuracy::Proved
    }

    /// The intervals that it claims to contain a number; one wider than the tolerance, and the answer is not certified.
    /// Confidence intervals are no claims.
    fn claims(&self) -> Vec<Claim> {
        Vec::new()
    }

    /// What else in it cannot be true.
    fn contradiction(&self) -> Option<String> {
        None
    }

    /// Whether something of it is drawn at random, so that it has a seed.
    fn is_sampled(&self) -> bool {
        self.accuracy().is_statistical()
    }

    /// Why an option makes no difference to it; none where it does.
    fn ignores(&self, option: Choice) -> Option<&'static str> {
        Some(option.is_for())
    }

    /// What to do and what it is worth.
    fn headline(&self) -> Headline {
        Headline::InSummary
    }

    /// The rule to follow, of an answer that knows several: what the sentence, the exports and the picture state.
    fn recommended(&self) -> Option<Recommended> {
        None
    }

    /// What the answer is in the units and steps of the program whose log the model was fitted to.
    fn of_the_program(&self, _log: &Log) -> Option<String> {
        None
    }

    /// Writes the readable summary.
    fn summary(&self, text: &mut String);

    /// The cells of its line in the table of a sweep.
    fn cells(&self) -> Row;

    /// Its picture, as the bytes of a file.
    ///
    /// # Errors
    /// A picture that cannot be drawn.
    fn draw(&self, title: &str, format: Format) -> Result<Vec<u8>, Complaint>;
}
