//! The optimal thresholds of a workload's scenarios, for parameters estimated from its runs.

use super::answer::{Answer, ScenarioSolved};
use crate::problems::registry::Body;
use crate::problems::{Asked, Found, Outcome, Settings};
use remapping::Status;
use remapping::parallel;
use remapping::phase_change::ProblemError;
use remapping::two_phase::estimate::{estimate, optimal_thresholds};
use remapping::two_phase::trace::Cycles;
use remapping::two_phase::workload::{Workload, run_all};

/// The runs per scenario for the estimates (one where a workload is deterministic).
pub const RUNS: u32 = 24;

/// Seed of those runs.
pub const SEED: u64 = 1990;

/// Runs every scenario and solves for its thresholds.
pub fn solve(
    asked: &Asked<'_, Settings>,
    workload: &dyn Workload,
    body: fn(Box<Answer>) -> Body,
) -> Outcome<Found> {
    let Asked { loaded, settings, watch, .. } = *asked;
    let setting = workload.setting(RUNS, SEED);
    let (scenarios, mut status) = run_all(workload, &setting, watch);
    let everywhere: Vec<Cycles> = scenarios.iter().flat_map(|s| s.runs.iter().cloned()).collect();
    let solved = parallel::map_all(&scenarios, &|scenario| {
        let parameters = estimate(&scenario.runs, &everywhere);
        let cycles = scenario.runs[0].len();
        let (belief, premature) = (&setting.belief, setting.premature);
        let (threshold, reached) = match &parameters {
            Some(found) => {
                optimal_thresholds(found, belief, premature, cycles, settings.tolerance, watch)?
            }
            None => (vec![1.0; cycles], Status::Converged),
        };
        Ok((ScenarioSolved { at: scenario.at, parameters, threshold }, reached))
    });
    let solved =
        solved.into_iter().collect::<Result<Vec<(ScenarioSolved, Status)>, ProblemError>>();
    let solved = solved.map_err(|error| {
        let message = "this model cannot be solved";
        vec![loaded.complain("problem", message, &error.to_string(), "correct the parameter")]
    })?;
    if status == Status::Converged {
        let short = solved.iter().map(|(_, reached)| *reached).find(|s| *s != Status::Converged);
        status = short.unwrap_or(Status::Converged);
    }
    // A scenario that was stopped lacks the thresholds of early steps.
    let whole = |reached| matches!(reached, Status::Converged | Status::IterationLimit);
    let solved = solved.into_iter().filter(|(_, reached)| whole(*reached));
    let scenarios = solved.map(|(scenario, _)| scenario).collect();
    let answer = Answer { axis: workload.axis().to_owned(), scenarios };
    let mut found = Found::new(body(Box::new(answer)), status, Vec::new());
    if status == Status::IterationLimit {
        found.missed.push("the tolerance was not reached for every threshold".to_owned());
    }
    Ok(found)
}
