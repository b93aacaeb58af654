//! The settings of a solver.

use super::kind::Answer;
use super::registry::read;
use crate::model::file::ModelFile;
use std::path::{Path, PathBuf};

/// How models are solved, and which parts of the answer are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Largest certified width of a threshold, and of a value relative to max(1, |value|).
    pub tolerance: f64,
    /// Whether the value function is wanted.
    pub values: bool,
    /// Seconds after which a computation stops with the bounds it has by then.
    pub time_limit: Option<f64>,
    /// Drifting loads: the step whose decisions are wanted for every state.
    pub step: Option<u64>,
    /// Changes of phase: the most linear segments kept.
    pub segments: Option<u32>,
    /// Drifting loads: the relative gap of statistical bounds to reach, if given.
    pub gap: Option<f64>,
    /// The method, where there are several.
    pub method: Method,
    /// Stopping: whether to compute the remap costs at which decisions switch.
    pub critical_costs: bool,
    /// Phase change and recurring phases: whether to compute fractions, too.
    pub exact: bool,
    /// Periodic: the number of sample paths to simulate, if any.
    pub simulate: Option<u64>,
    /// The seed of random numbers.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            tolerance: 1e-9,
            values: false,
            time_limit: None,
            step: None,
            segments: None,
            gap: None,
            method: Method::Auto,
            critical_costs: false,
            exact: false,
            simulate: None,
            seed: 1,
        }
    }
}

impl Settings {
    /// All settings that an answer depends on, without time limits.
    pub fn written(&self) -> String {
        let text = format!("{:?}", Settings { time_limit: None, ..self.clone() });
        text.trim_start_matches("Settings ").to_owned()
    }

    /// The settings that make no difference to this answer, one sentence each.
    pub fn ignored(&self, answer: &dyn Answer) -> Vec<String> {
        let chosen = [
            (self.step.is_some(), Choice::Step),
            (self.values, Choice::Values),
            (self.segments.is_some(), Choice::Segments),
            (self.critical_costs, Choice::CriticalCosts),
            (self.exact, Choice::Exact),
            (self.simulate.is_some(), Choice::Simulate),
        ];
        let told = |(chosen, option): (bool, Choice)| {
            let reason = answer.ignores(option).filter(|_| chosen)?;
            Some(format!("{} makes no difference here: {reason}", option.name()))
        };
        chosen.into_iter().filter_map(told).collect()
    }
}

/// An option that matters only to some kinds of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The step whose decisions are wanted.
    Step,
    /// The value function.
    Values,
    /// The most segments kept.
    Segments,
    /// The remap costs at which decisions switch.
    CriticalCosts,
    /// Fractions.
    Exact,
    /// Sample paths.
    Simulate,
}

impl Choice {
    /// The option on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Choice::Step => "--step",
            Choice::Values => "--values",
            Choice::Segments => "--segments",
            Choice::CriticalCosts => "--critical-costs",
            Choice::Exact => "--exact",
            Choice::Simulate => "--simulate",
        }
    }

    /// The kinds of problem it applies to.
    pub fn is_for(self) -> &'static str {
        match self {
            Choice::Step => "it is for LoadDrift",
            Choice::Values => "it is for Stopping and LoadDrift",
            Choice::Segments => "it is for PhaseChange",
            Choice::CriticalCosts => "it is for Stopping",
            Choice::Exact => "it is for PhaseChange and PhaseSwitching",
            Choice::Simulate => "it is for Periodic; remap compare plays policies",
        }
    }
}

/// Why a seed makes no difference to the others.
pub const UNSAMPLED: &str = "nothing of this answer is drawn at random";

/// The methods of solving a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The best method that fits.
    Auto,
    /// Stopping: value iteration from below and above.
    Value,
    /// Stopping: policy iteration.
    Policy,
    /// Drifting loads: all states.
    Exact,
    /// Drifting loads: a policy and a lower bound by sampling.
    Bounds,
}

impl Method {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Value => "value",
            Method::Policy => "policy",
            Method::Exact => "exact",
            Method::Bounds => "bounds",
        }
    }
}

/// Where a solver may write intermediate results.
#[derive(Debug, Clone, Copy, Default)]
pub struct Files<'a> {
    /// The folder of the results, if they are written.
    pub folder: Option<&'a Path>,
    /// Whether existing files may be overwritten, and computations start anew.
    pub force: bool,
}

impl Files<'_> {
    /// The path of the document of the model at `model`, in `folder`.
    pub fn document(folder: &Path, model: &Path) -> PathBuf {
        let mut name = model.file_stem().unwrap_or_default().to_owned();
        name.push(".json");
        folder.join(name)
    }

    /// Whether the folder has the document of a stopped run of this model. The same command
    /// continues that run, or starts anew where nothing was saved, and may replace the document.
    pub fn is_begun(folder: &Path, loaded: &ModelFile, problem: &str) -> bool {
        let document = Files::document(folder, &loaded.path);
        let is_file = document.symlink_metadata().is_ok_and(|facts| facts.is_file());
        is_file
            && read(&document).is_ok_and(|found| {
                let same = found.title == loaded.title && found.body.problem() == problem;
                same && found.status.is_halted()
            })
    }
}
