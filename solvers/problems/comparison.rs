//! The document of `remap compare`: policies on one model.

use super::registry::Loaded;
use super::sampling::Report;
use super::shared::two_phase;
use super::{Asked, Files, Outcome, phase_change};
use crate::run::Watch;
use remapping::Status;
use remapping::estimate::Estimate;
use serde::Serialize;

/// The policies to evaluate, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct Contest {
    /// Their names; empty for all that apply.
    pub policies: Vec<String>,
    /// The number of runs to average over.
    pub runs: u32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Seconds after which the finished part is shown.
    pub time_limit: Option<f64>,
}

/// Policies compared on one model.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The model's title.
    pub title: String,
    /// The name of its problem.
    pub problem: &'static str,
    /// The costs of the policies.
    #[serde(flatten)]
    pub policies: Policies,
    /// How the computation ended.
    pub status: Status,
    /// The accuracy of computed numbers.
    pub tolerance: f64,
    /// Version of `remap`.
    pub version: &'static str,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Legal but suspicious parts of the model.
    pub warnings: Vec<String>,
}

/// The costs of policies, by how they were found.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Policies {
    /// Certified bounds.
    Certified(phase_change::compare::Costs),
    /// Means over sample paths.
    Sampled(Report),
    /// Means over the scenarios of a model problem.
    Scenarios(Box<two_phase::compare::Played>),
}

/// The cost of a policy, for a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name.
    pub policy: String,
    /// The expected cost with proved bounds, or the mean of sample paths with its 95 % interval.
    pub cost: Estimate,
    /// The exact expected cost, where `cost` is a sample mean.
    pub exact: Option<f64>,
    /// The number of remaps, in the same form.
    pub remaps: Option<Estimate>,
}

/// The usual policies on a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usual {
    /// One row for each policy; empty where policies cannot be simulated.
    pub rows: Vec<Row>,
    /// The number of sample paths and their seed; absent where costs are proved.
    pub sample: Option<(u64, u64)>,
    /// Whether the time limit ended the evaluation early.
    pub stopped: bool,
}

impl Policies {
    /// The accuracy of computed numbers.
    fn tolerance(&self) -> f64 {
        match self {
            Policies::Certified(_) => phase_change::evaluation::AIM,
            Policies::Sampled(_) | Policies::Scenarios(_) => 1e-9,
        }
    }

    /// Why the comparison is incomplete, if it is.
    fn unfinished(&self, status: Status) -> Option<String> {
        match (status, self) {
            (Status::Converged, _) => None,
            (Status::IterationLimit, Policies::Certified(costs)) => costs.missed(),
            (Status::IterationLimit, _) => Some(ended_by(status).to_owned()),
            (halted, _) => {
                Some(format!("{}: what the table lacks was not computed", ended_by(halted)))
            }
        }
    }

    /// Why the number of runs and the seed make no difference, where that is so.
    pub fn without_samples(&self) -> Option<&'static str> {
        match self {
            Policies::Certified(_) => Some("the costs are computed between bounds, not sampled"),
            Policies::Scenarios(played) if !played.all.sampled => {
                Some("all runs are the same, and what the detector errs is taken in expectation")
            }
            Policies::Sampled(_) | Policies::Scenarios(_) => None,
        }
    }

    fn usual(self, stopped: bool) -> Usual {
        let proved =
            |lower: f64, upper: f64| Estimate { value: 0.5 * (lower + upper), lower, upper };
        match self {
            Policies::Certified(costs) => {
                let row = |line: phase_change::compare::Line| Row {
                    policy: line.policy,
                    cost: proved(line.lower, line.upper),
                    exact: None,
                    remaps: line.per_metric.remaps.map(|remaps| proved(remaps.lower, remaps.upper)),
                };
                Usual { rows: costs.policies.into_iter().map(row).collect(), sample: None, stopped }
            }
            Policies::Sampled(report) => {
                let row = |line: super::sampling::Line| Row {
                    policy: line.policy,
                    cost: line.cost,
                    exact: line.exact,
                    remaps: Some(line.per_metric.remaps),
                };
                let sample = Some((report.runs, report.seed));
                Usual { rows: report.policies.into_iter().map(row).collect(), sample, stopped }
            }
            Policies::Scenarios(_) => Usual::default(),
        }
    }
}

/// What ended a computation, in words.
pub fn ended_by(status: Status) -> &'static str {
    match status {
        Status::Converged => "complete",
        Status::IterationLimit => "the tolerance was not reached",
        Status::TimeLimit => "stopped by the time limit",
        Status::MemoryLimit => "stopped as memory ran short",
        Status::Interrupted => "interrupted",
    }
}

/// Evaluates policies on a model.
pub fn compare(loaded: &Loaded, contest: &Contest) -> Outcome<Comparison> {
    let watch = Watch::waiting(&loaded.title, contest.time_limit);
    let problem = loaded.problem.kind();
    let asked = Asked { loaded, settings: contest, files: Files::default(), watch: &watch };
    let (policies, status) = problem.compare(&asked)?;
    let mut warnings = loaded.warnings.clone();
    if let Policies::Sampled(report) = &policies {
        warnings.extend(report.left_out.iter().map(|why| format!("left out: {why}")));
    }
    warnings.extend(policies.unfinished(status));
    Ok(Comparison {
        title: loaded.title.clone(),
        problem: problem.name(),
        tolerance: policies.tolerance(),
        policies,
        status,
        version: env!("CARGO_PKG_VERSION"),
        seconds: watch.seconds(),
        warnings,
    })
}

/// Evaluates the usual policies on a model for up to `time_limit` seconds.
pub fn usual(loaded: &Loaded, time_limit: f64) -> Usual {
    let Some(policies) = loaded.problem.kind().usual_policies() else {
        return Usual::default();
    };
    let contest = Contest { policies, runs: 100, seed: 1, time_limit: Some(time_limit) };
    compare(loaded, &contest)
        .map_or_else(|_| Usual::default(), |found| found.policies.usual(found.status.is_halted()))
}
