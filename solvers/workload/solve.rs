//! The optimal thresholds of a workload's scenarios, for parameters estimated from its runs.

use super::compare::{Workload, run_all};
use super::estimate::{Parameters, optimal_thresholds};
use super::trace::Cycles;
use crate::cli::Settings;
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::run::Watch;
use crate::solution::{Body, Solved};
use rayon::prelude::*;
use remapping::threshold::ProblemError;
use remapping::{Observer, Status};
use serde::Serialize;

/// Runs per scenario that the estimates rest on (one where a workload is deterministic).
pub const RUNS: u32 = 24;

/// Seed of those runs.
pub const SEED: u64 = 1990;

/// Parameters and thresholds of every scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// What the scenarios vary.
    pub axis: &'static str,
    /// The scenarios.
    pub scenarios: Vec<ScenarioSolved>,
}

impl Answer {
    /// Of the middle scenario: the gain of a cycle by remapping after the change, and the threshold
    /// of step 0. Not a number where there are none.
    pub fn middle(&self) -> (f64, f64) {
        let middle = self.scenarios.get(self.scenarios.len() / 2);
        let gain = middle.and_then(|scenario| scenario.parameters).map(|found| found.gain());
        let threshold = middle.and_then(|scenario| scenario.threshold.first().copied());
        (gain.unwrap_or(f64::NAN), threshold.unwrap_or(f64::NAN))
    }
}

/// Parameters and thresholds of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScenarioSolved {
    /// Where on the axis.
    pub at: f64,
    /// The parameters estimated from its runs (where they lack a phase, from all scenarios' runs);
    /// none where no run has both phases.
    pub parameters: Option<Parameters>,
    /// pi_n of every cycle; 1 throughout without parameters.
    pub threshold: Vec<f64>,
}

/// Runs every scenario and solves for its thresholds.
///
/// # Errors
/// If a belief is not a probability.
pub fn solve(
    workload: &impl Workload,
    tolerance: f64,
    observer: &dyn Observer,
) -> Result<(Answer, Status), ProblemError> {
    let setting = workload.setting(RUNS, SEED);
    let (scenarios, mut status) = run_all(workload, &setting, observer);
    let everywhere: Vec<Cycles> = scenarios.iter().flat_map(|s| s.runs.iter().cloned()).collect();
    let solved = (scenarios.par_iter())
        .map(|scenario| {
            let parameters = Parameters::estimate(&scenario.runs, &everywhere);
            let cycles = scenario.runs[0].len();
            let (beliefs, premature) = (&setting.beliefs, setting.premature);
            let (threshold, reached) = match &parameters {
                Some(found) => {
                    optimal_thresholds(found, beliefs, premature, cycles, tolerance, observer)?
                }
                None => (vec![1.0; cycles], Status::Converged),
            };
            Ok((ScenarioSolved { at: scenario.at, parameters, threshold }, reached))
        })
        .collect::<Result<Vec<(ScenarioSolved, Status)>, ProblemError>>()?;
    if status == Status::Converged {
        let short = solved.iter().map(|(_, reached)| *reached).find(|s| *s != Status::Converged);
        status = short.unwrap_or(Status::Converged);
    }
    // Of a scenario that was stopped the early thresholds are missing.
    let whole = |reached| matches!(reached, Status::Converged | Status::IterationLimit);
    let solved = solved.into_iter().filter(|(_, reached)| whole(*reached));
    let scenarios = solved.map(|(scenario, _)| scenario).collect();
    Ok((Answer { axis: workload.axis(), scenarios }, status))
}

/// [`solve`] for the `solve` verb.
pub fn solve_scenarios(
    loaded: &Loaded,
    workload: &impl Workload,
    settings: &Settings,
    watch: &Watch,
    body: fn(Answer) -> Body,
) -> Result<Solved, Vec<Complaint>> {
    let (answer, status) = solve(workload, settings.tolerance, watch).map_err(|error| {
        let message = "this model cannot be solved";
        vec![loaded.complain("problem", message, &error.to_string(), "correct the parameter")]
    })?;
    let mut warnings = Vec::new();
    if status == Status::IterationLimit {
        warnings.push("the tolerance was not reached for every threshold".to_owned());
    }
    Ok(Solved { body: body(answer), status, warnings })
}
