//! The computations of `remap study`: one series after the other, with bounds for each point.

mod learning;
mod load_drift;
pub mod model;
mod phase_change;
mod phase_switching;
mod scenario;
mod speedup;

use self::model::{Series, Unremapped};
use crate::complaint::Complaint;
use crate::problems::registry::{Loaded, Problem};
use crate::run::Watch;
use phase_change::Solved;
use remapping::Halt;
use remapping::load_drift::LoadDrift;
use remapping::phase_change::Bounds;
use remapping::phase_change::evaluation::EvaluationError;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A point of a series.
#[derive(Serialize)]
pub struct Found {
    /// The position on the horizontal axis.
    pub at: f64,
    /// Bounds on the value.
    #[serde(flatten)]
    pub bounds: Bounds,
    /// The value that the paper prints.
    pub printed: Option<f64>,
    /// Whether the two agree, as far as the accuracy of the paper is known.
    pub agrees: Option<bool>,
    /// A remark about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<&'static str>,
}

impl Found {
    fn new(at: f64, bounds: Bounds, printed: Option<f64>) -> Found {
        Found { at, bounds, printed, agrees: None, remark: None }
    }

    /// A value that is exact up to rounding, without a printed one.
    fn at(at: f64, value: f64) -> Found {
        Found::new(at, Bounds { lower: value, upper: value }, None)
    }

    /// The same at a step.
    fn at_step(step: usize, value: f64) -> Found {
        Found::at(step as f64, value)
    }

    /// The point compared with what the paper prints, which is off by `within` at most.
    pub fn judged(self, within: f64) -> Found {
        let Bounds { lower, upper } = self.bounds;
        let agrees = |printed| lower - within <= printed && printed <= upper + within;
        Found { agrees: self.printed.map(agrees), ..self }
    }
}

/// Why a series ends early.
pub enum Stop {
    /// A model cannot be read, or is not of the kind that the series needs.
    Model(Vec<Complaint>),
    /// A policy cannot be evaluated.
    Evaluation(EvaluationError),
}

impl Stop {
    /// A model is not what its series needs.
    fn unfit(loaded: &Loaded, message: &str, help: &str) -> Stop {
        loaded.complain("problem", message, "", help).into()
    }
}

impl From<Complaint> for Stop {
    fn from(complaint: Complaint) -> Stop {
        Stop::Model(vec![complaint])
    }
}

impl From<Vec<Complaint>> for Stop {
    fn from(complaints: Vec<Complaint>) -> Stop {
        Stop::Model(complaints)
    }
}

impl From<EvaluationError> for Stop {
    fn from(error: EvaluationError) -> Stop {
        Stop::Evaluation(error)
    }
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Stop {
        Stop::Evaluation(EvaluationError::Stopped(halt))
    }
}

/// Computes series, and keeps the models it has solved.
pub struct Desk<'a> {
    watch: &'a Watch,
    solved: HashMap<PathBuf, Solved>,
}

impl<'a> Desk<'a> {
    /// Without solved models.
    pub fn new(watch: &'a Watch) -> Desk<'a> {
        Desk { watch, solved: HashMap::new() }
    }

    /// Computes a series point by point.
    pub fn compute(&mut self, series: &Series, mut found: impl FnMut(Found)) -> Result<(), Stop> {
        match series {
            Series::Utilization(Unremapped { model, processors, .. }) => {
                load_drift::course(&drifting(model, *processors)?, |step| step.utilization, found);
            }
            Series::MeanImbalance(Unremapped { model, processors, .. }) => {
                let problem = drifting(model, *processors)?;
                load_drift::course(&problem, |step| step.max - step.mean, found);
            }
            Series::SampledUtilization(sampled) => {
                let path = drifting(&sampled.model, sampled.processors)?.path(sampled.seed, 0);
                for (k, step) in path.iter().enumerate() {
                    found(Found::at_step(k + 1, step.utilization()));
                }
            }
            Series::AverageCost(sampled) => {
                let problem = drifting(&sampled.model, sampled.processors)?;
                load_drift::average_cost(&problem, sampled.seed, found);
            }
            Series::Minimum { model, which, runs, seed, points, .. } => {
                for point in points {
                    let Some(processors) = whole(point.at) else {
                        let help = "write (at: 3) for three processors";
                        let message = format!("{} is no number of processors", point.at);
                        return Err(Complaint::elsewhere(message, help).into());
                    };
                    let problem = drifting(model, Some(processors))?;
                    let bounds = load_drift::minimum(&problem, *which, *runs, *seed, self.watch)?;
                    found(Found::new(point.at, bounds, point.printed));
                }
            }
            Series::Scenario { loads, measure, points, .. } => {
                scenario::deviations(*loads, *measure, points, found)?;
            }
            Series::Learning { model, learner, runs, seed, points, .. } => {
                learning::distances(model, *learner, (*runs, *seed), points, self.watch, found)?;
            }
            Series::AboveOptimum { model, policy, points, .. } => {
                phase_switching::above_optimum(model, policy, points, self.watch, found)?;
            }
            Series::Speedup(scaled) => speedup::speedup(scaled, found),
            _ => self.phase_change(series, found)?,
        }
        Ok(())
    }
}

fn whole(at: f64) -> Option<usize> {
    (at >= 1.0 && at.fract() == 0.0 && at <= 1e6).then_some(at as usize)
}

/// The most steps times processors of a sampled path.
const MAX_SIZE: u64 = 10_000_000;

fn drifting(path: &Path, processors: Option<usize>) -> Result<LoadDrift, Stop> {
    let loaded = Loaded::read(path)?;
    let refuse = |message: &str, help: &str| Err(Stop::unfit(&loaded, message, help));
    match &loaded.problem {
        Problem::LoadDrift(model) if !model.stops() => {
            refuse("remaps come into force at once in this series", "leave `overlap` out")
        }
        Problem::LoadDrift(model) => {
            let mut problem = model.problem();
            problem.processors = processors.unwrap_or(problem.processors);
            if problem.processors == 0 {
                return refuse("there is no processor", "take processors: 1 or more");
            }
            match problem.steps.saturating_mul(problem.processors as u64) {
                size if size <= MAX_SIZE => Ok(problem),
                _ => refuse("the horizon is too long to draw it step by step", "take fewer steps"),
            }
        }
        _ => refuse("this series is made of drifting loads", "give a LoadDrift model"),
    }
}
