//! Policies side by side, as a document.

use super::sampling::Report;
use super::{Asked, Files, Outcome, phase_change, two_phase};
use crate::model::Loaded;
use crate::run::Watch;
use remapping::Status;
use serde::Serialize;

/// Which policies are played, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct Contest {
    /// Their names; all that apply if there are none.
    pub policies: Vec<String>,
    /// Runs to average over.
    pub runs: u32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Seconds after which what is finished is shown.
    pub time_limit: Option<f64>,
}

/// Policies compared on one model.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The model's title.
    pub title: String,
    /// Its problem.
    pub problem: &'static str,
    /// What the policies came to.
    #[serde(flatten)]
    pub policies: Policies,
    /// How the computation ended.
    pub status: Status,
    /// Accuracy of what is computed.
    pub tolerance: f64,
    /// Version of `remap`.
    pub version: &'static str,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// What is legal in the model but suspicious.
    pub warnings: Vec<String>,
}

/// What policies came to, by how they were judged.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Policies {
    /// Between certified bounds.
    Certified(phase_change::compare::Costs),
    /// On sample paths.
    Sampled(Report),
    /// In the scenarios of a model problem.
    Scenarios(Box<two_phase::compare::Played>),
}

/// What a policy costs, for a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name.
    pub policy: String,
    /// Its expected cost, or the mean of sample paths.
    pub cost: f64,
    /// Half the width of the bounds on it, or of the 95 % confidence interval.
    pub half_width: f64,
    /// Whether they are proved bounds, not a confidence interval.
    pub proved: bool,
    /// Expected number of remaps.
    pub remaps: Option<f64>,
}

impl Policies {
    /// Accuracy of what is computed.
    fn tolerance(&self) -> f64 {
        match self {
            Policies::Certified(_) => phase_change::evaluation::AIM,
            Policies::Sampled(_) | Policies::Scenarios(_) => 1e-9,
        }
    }

    fn rows(self) -> Vec<Row> {
        match self {
            Policies::Certified(costs) => {
                let row = |line: phase_change::compare::Line| Row {
                    policy: line.policy,
                    cost: line.mean,
                    half_width: line.half_width,
                    proved: true,
                    remaps: line.per_metric.remaps.map(|remaps| remaps.middle()),
                };
                costs.policies.into_iter().map(row).collect()
            }
            Policies::Sampled(report) => {
                let row = |line: super::sampling::Line| Row {
                    policy: line.policy,
                    cost: line.cost.value,
                    half_width: line.cost.half_width(),
                    proved: false,
                    remaps: Some(line.per_metric.remaps.value),
                };
                report.policies.into_iter().map(row).collect()
            }
            Policies::Scenarios(_) => Vec::new(),
        }
    }
}

/// Plays policies on a model.
pub fn compare(loaded: &Loaded, contest: &Contest) -> Outcome<Comparison> {
    let watch = Watch::start(&loaded.model.title, contest.time_limit);
    let problem = super::of(&loaded.model.problem);
    let asked = Asked { loaded, settings: contest, files: Files::default(), watch: &watch };
    let (policies, status) = problem.compare(&asked)?;
    Ok(Comparison {
        title: loaded.model.title.clone(),
        problem: problem.name(),
        tolerance: policies.tolerance(),
        policies,
        status,
        version: env!("CARGO_PKG_VERSION"),
        seconds: watch.seconds(),
        warnings: loaded.warnings.clone(),
    })
}

/// The usual policies on a model, within `time_limit` seconds; none where policies cannot be played.
pub fn usual(loaded: &Loaded, time_limit: f64) -> Vec<Row> {
    let Some(policies) = super::of(&loaded.model.problem).usual_policies() else {
        return Vec::new();
    };
    let contest = Contest { policies, runs: 100, seed: 1, time_limit: Some(time_limit) };
    compare(loaded, &contest).map_or_else(|_| Vec::new(), |found| found.policies.rows())
}
