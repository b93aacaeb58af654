//! What may be asked of a solver.

use super::kind::Answer;
use super::registry::read;
use crate::model::file::ModelFile;
use std::path::{Path, PathBuf};

/// How models are solved, and what of the answer is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Largest certified width of a threshold, and of a value relative to max(1, |value|).
    pub tolerance: f64,
    /// Whether the value function is wanted.
    pub values: bool,
    /// Seconds after which a computation stops with the bounds it has by then.
    pub time_limit: Option<f64>,
    /// Drifting loads: the step after which the decision is wanted for every state.
    pub step: Option<u64>,
    /// Changes of phase: the most linear segments kept.
    pub segments: Option<u32>,
    /// Drifting loads: the relative gap of statistical bounds to reach, if one is asked for.
    pub gap: Option<f64>,
    /// How it is solved, where there are several ways.
    pub method: Method,
    /// Stopping: whether the remap costs are wanted at which decisions switch.
    pub critical_costs: bool,
    /// Changes of phase and phases that come back: whether fractions are wanted too.
    pub exact: bool,
    /// Periodic: how many sample paths are simulated, if any.
    pub simulate: Option<u64>,
    /// Seed of what is simulated.
    pub seed: u64,
}

impl Settings {
    /// All that an answer depends on, but for limits of time.
    pub fn written(&self) -> String {
        let text = format!("{:?}", Settings { time_limit: None, ..self.clone() });
        text.trim_start_matches("Settings ").to_owned()
    }
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
    /// What was asked for that makes no difference to this answer, a sentence each.
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

/// An option that matters to some kinds of problem only.
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

    /// The kinds of problem that it is for.
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

/// Ways to solve a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The best that fits.
    Auto,
    /// Stopping: value iteration from below and above.
    Value,
    /// Stopping: policy iteration.
    Policy,
    /// Drifting loads: over all states.
    Exact,
    /// Drifting loads: a policy and a lower bound, both by sampling.
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

/// Where a solver may leave what it has so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Files<'a> {
    /// The folder of the results, if they are written.
    pub folder: Option<&'a Path>,
    /// Whether files that are there may be overwritten, and computations are started anew.
    pub force: bool,
}

impl Files<'_> {
    /// The document of the model at `model`, in `folder`.
    pub fn document(folder: &Path, model: &Path) -> PathBuf {
        let mut name = model.file_stem().unwrap_or_default().to_owned();
        name.push(".json");
        folder.join(name)
    }

    /// Whether the folder has a document of this model of a problem that a run left when it was
    /// stopped: the same command goes on with that run, or begins it anew where nothing of it was
    /// saved, and may replace what was known.
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
