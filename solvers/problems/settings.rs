//! What may be asked of a solver.

use super::registry::Body;
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
    /// What was asked for that solving this problem knows nothing of, a sentence each.
    pub fn ignored(&self, body: &Body) -> Vec<String> {
        let levels = matches!(body, Body::LoadDrift(_));
        let stopping = matches!(body, Body::Stopping(_));
        let changes = matches!(body, Body::PhaseChange(_));
        let periodic = matches!(body, Body::Periodic(_));
        let (no_map, no_list) = match body {
            Body::ContinuousDrift(_) => (
                "loads without levels have no map of states",
                "loads without levels have no list of states",
            ),
            _ => ("it is for LoadDrift", "it is for Stopping and LoadDrift"),
        };
        let (fractions, no_fractions) = match body {
            Body::PhaseChange(_) | Body::PhaseSwitching(_) => (true, ""),
            Body::ManyPhases(_) => (false, "a short life has its fraction without it"),
            _ => (false, "it is for PhaseChange and PhaseSwitching"),
        };
        let asked = [
            (self.step.is_some() && !levels, "--step", no_map),
            (self.values && !levels && !stopping, "--values", no_list),
            (self.segments.is_some() && !changes, "--segments", "it is for PhaseChange"),
            (self.critical_costs && !stopping, "--critical-costs", "it is for Stopping"),
            (self.exact && !fractions, "--exact", no_fractions),
            (
                self.simulate.is_some() && !periodic,
                "--simulate",
                "it is for Periodic; remap compare plays policies",
            ),
        ];
        let told = asked.into_iter().filter(|(asked, ..)| *asked);
        told.map(|(_, option, reason)| format!("{option} makes no difference here: {reason}"))
            .collect()
    }
}

/// Whether something of an answer is drawn at random, so that it has a seed.
pub fn is_sampled(body: &Body) -> bool {
    match body {
        Body::LoadDrift(answer) => answer.statistical,
        Body::ContinuousDrift(answer) => answer.statistical,
        Body::Periodic(answer) => answer.simulated.is_some(),
        _ => false,
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
}
