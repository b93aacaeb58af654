//! The optimal thresholds of a workload's scenarios, for parameters estimated from its runs.

use super::compare::{Workload, run_all};
use super::estimate::{Parameters, optimal_thresholds};
use super::trace::Cycles;
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
    pub scenarios: Vec<Solved>,
}

/// Parameters and thresholds of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Solved {
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
    observer: &dyn Observer,
) -> Result<(Answer, Status), ProblemError> {
    let setting = workload.setting(RUNS, SEED);
    let (scenarios, status) = run_all(workload, &setting, observer);
    let everywhere: Vec<Cycles> = scenarios.iter().flat_map(|s| s.runs.iter().cloned()).collect();
    let solved = (scenarios.par_iter())
        .map(|scenario| {
            let parameters = Parameters::estimate(&scenario.runs, &everywhere);
            let cycles = scenario.runs[0].len();
            let threshold = match &parameters {
                Some(parameters) => {
                    optimal_thresholds(parameters, &setting.beliefs, setting.premature, cycles)?
                }
                None => vec![1.0; cycles],
            };
            Ok(Solved { at: scenario.at, parameters, threshold })
        })
        .collect::<Result<Vec<Solved>, ProblemError>>()?;
    Ok((Answer { axis: workload.axis(), scenarios: solved }, status))
}
