//! A model file that has been read: its problem, and the places of its parts in the text.

use super::Problem;
use crate::complaint::{Complaint, ReadText, Source};
use crate::document::log::{Fits, Log};
use crate::model::file::ModelFile;
use crate::model::review::Review;
use crate::model::syntax::Node;
use crate::model::{
    decode, explain, folder_of, packed, places, read_bytes, values, warn_of_what_vanishes,
};
use crate::problems::stopping::model as stopping;
use serde::Deserialize;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The content of a model file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    /// The subject of the model, in a line.
    pub title: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// For a model fitted to a log: the seconds in a unit of load.
    unit_seconds: Option<f64>,
    /// The number of the program's steps in a step of the model.
    stride: Option<u64>,
    /// Whether the model fits the log.
    fits: Option<Fits>,
    /// The length of the job in steps of the program, where it was stated.
    job_steps: Option<u64>,
    /// The problem to solve.
    pub problem: Problem,
}

impl Model {
    /// The parts of the log that the model keeps.
    fn log(&self) -> Option<Log> {
        Log::of(self.unit_seconds, self.stride, self.fits.clone(), self.job_steps)
    }

    fn review_log(&self, review: &mut Review<'_>) {
        if let Some(unit) = self.unit_seconds.filter(|unit| *unit <= 0.0) {
            let help = "give the seconds in a unit of load, such as 0.25";
            review.fault("unit_seconds", "a unit has a length", &format!("{unit} seconds"), help);
        }
        if self.stride == Some(0) {
            let help = "give the steps of the program in a step of the model, 1 or more";
            review.fault("stride", "a step has a length", "0 steps of the program", help);
        }
    }
}

/// A model that has been read and has passed review.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its file.
    pub file: ModelFile,
    /// The problem that it states.
    pub problem: Problem,
}

impl Deref for Loaded {
    type Target = ModelFile;

    fn deref(&self) -> &ModelFile {
        &self.file
    }
}

impl Loaded {
    /// Reads and checks the model file at `path`.
    pub fn read(path: &Path) -> Result<Loaded, Vec<Complaint>> {
        let bytes = read_bytes(path)?;
        Loaded::from_bytes(path, bytes)
    }

    /// Checks `bytes` as the content of the file at `path`.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Loaded, Vec<Complaint>> {
        let text = decode(path, bytes)?;
        Loaded::from_text(path, text)
    }

    /// Checks `text` as the content of the file at `path`.
    pub fn from_text(path: &Path, text: String) -> Result<Loaded, Vec<Complaint>> {
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        let read: Source = Arc::new(ReadText::new(path.display().to_string(), text));
        let tree = places(&read)?;
        let (rest, loads) = packed::set_aside(read.text(), &tree, stopping::LOADS);
        let mut model: Model = values(&read, &tree, &rest, shapes(read.text(), &tree))?;
        if let (Some(loads), Problem::Stopping(problem)) = (loads, &mut model.problem) {
            problem.set_loads(loads);
        }
        let mut review = Review::new(&read, &tree, folder_of(path));
        model.review_log(&mut review);
        model.problem.review(&mut review);
        warn_of_what_vanishes(read.text(), &tree, &mut review);
        match review.finish() {
            (faults, warnings) if faults.is_empty() => {
                let log = model.log();
                let Model { title, source, problem, .. } = model;
                let path = path.to_owned();
                Ok(Loaded {
                    file: ModelFile { title, source, log, path, warnings, read, tree },
                    problem,
                })
            }
            (faults, _) => Err(faults),
        }
    }

    /// The same model with other values, all set at once: only the result must be a valid model.
    ///
    /// # Errors
    /// A path that is not in the model, or the faults of the result.
    pub fn with(&self, settings: &[(&str, &str)]) -> Result<Loaded, Vec<Complaint>> {
        let text = self.replaced(settings)?;
        Loaded::from_text(&self.path, text)
    }

    /// The model with this text, in the folder of this one; `None` if it is wrong.
    pub fn another(&self, deck: &str) -> Option<Loaded> {
        let path = self.path.with_file_name("counterexample.ron");
        Loaded::from_text(&path, deck.to_owned()).ok()
    }

    /// The file that the model names, if it names one.
    pub fn named_file(&self) -> Option<PathBuf> {
        match &self.problem {
            Problem::Stopping(problem) => Some(self.folder().join(problem.file()?)),
            _ => None,
        }
    }
}

/// Examples of the parts of the problem that the model seems to state.
fn shapes(text: &str, tree: &Node) -> &'static [explain::Shape] {
    let problem = &text[tree.locate("problem")];
    let name = problem.split(|c: char| !c.is_alphanumeric()).next();
    Problem::shapes(name.unwrap_or_default())
}
