//! `Stopping` where a remap may move any number of units.

use super::varying::by_state;
use super::{states, unlisted};
use crate::complaint::Complaint;
use crate::model::cost::Cost;
use crate::model::file::ModelFile;
use crate::problems::registry::Body;
use crate::problems::stopping::answer::PartialRemaps;
use crate::problems::stopping::maps::decision_map::Outcome;
use crate::problems::stopping::model::Stopping;
use crate::problems::stopping::solve::{refuse, start_from};
use crate::problems::{Asked, Found, Settings};
use remapping::Status;
use remapping::imbalance::Imbalance;
use remapping::stopping::{AfterRemap, Problem, States, long_run_partial, partial_targets};

/// The most states, and the most sweeps.
const MOST_STATES: usize = 100_000;
pub(in crate::problems::stopping) const SWEEPS: u64 = 1_000_000;

/// The fixed part of the remap cost, and the cost of each unit.
pub(in crate::problems::stopping) fn costs(model: &Stopping) -> [f64; 2] {
    match model.cost() {
        Cost::Moved { fixed, per_unit_moved } => [fixed.value, per_unit_moved.value],
        Cost::Constant(cost) => [cost.value, 0.0],
        Cost::PerState(_) => unreachable!("reviewed"),
    }
}

/// The states that remaps of one unit, two, ... lead to from every state.
pub(in crate::problems::stopping) fn targets(
    loaded: &ModelFile,
    states: &States,
    imbalance: &Imbalance,
) -> Result<Vec<Vec<usize>>, Vec<Complaint>> {
    partial_targets(states, imbalance).map_err(|loads| {
        let message =
            format!("a remap of some units of the loads {loads:?} leads out of the states");
        refuse(loaded, &message, "list the loads on the way to balance, too")
    })
}

/// Solves the model.
pub(in crate::problems::stopping) fn solve(
    asked: &Asked<'_, Settings>,
    model: &Stopping,
) -> Result<Found, Vec<Complaint>> {
    let Asked { loaded, settings, watch, .. } = *asked;
    let refuse = |message: &str, help: &str| refuse(loaded, message, help);
    let (states, operator) = states(asked, model)?;
    if states.vectors().is_none_or(|vectors| vectors > MOST_STATES) {
        let lacking = format!("partial remaps take {MOST_STATES} load vectors at most");
        return unlisted::solve(asked, model, &lacking, Status::IterationLimit);
    }
    let imbalance = model.imbalance().map_err(|error| refuse(&error, "round the capacities"))?;
    let costs = costs(model);
    let targets = targets(loaded, &states, &imbalance)?;
    let problem = Problem::new(&states, operator, &imbalance, costs[0], AfterRemap::Stop)
        .map_err(|error| refuse(&error.to_string(), "correct the model"))?;
    let limits = (settings.tolerance, SWEEPS);
    let best = long_run_partial(&problem, &targets, (costs, false), limits, watch);
    let whole = long_run_partial(&problem, &targets, (costs, true), limits, watch);
    let mut answer = start_from(model, &states);
    let most = targets.iter().map(Vec::len).max().unwrap_or(0);
    answer.remap_cost = costs[0] + costs[1] * most as f64;
    (answer.remap_value, answer.remap_bounds) = (answer.remap_cost, [answer.remap_cost; 2]);
    answer.cost_by_state = by_state(model);
    answer.average = Some(best.average);
    answer.value_gap = best.average.width() / best.average.upper.max(1.0);
    answer.iterations = best.iterations;
    let outcome = Outcome {
        letters: (0..states.count())
            .map(|s| match (targets[s].is_empty(), best.units[s]) {
                (true, _) => b'B',
                (false, 0) => b'C',
                (false, _) => b'R',
            })
            .collect(),
        ties: match best.status.is_halted() {
            // The error of the relative costs is unknown.
            true => targets.iter().map(|targets| !targets.is_empty()).collect(),
            false => best.ties,
        },
        value: best.value,
    };
    outcome.lay_out(&mut answer, &states, settings.values, None);
    let classes = states.by_place().into_iter().flatten();
    let units = classes.map(|class| best.units[class] as u64).collect();
    let average_of_whole = whole.average;
    answer.partial_remaps = Some(PartialRemaps { units, average_of_whole });
    let status = match best.status {
        Status::Converged => whole.status,
        status => status,
    };
    Ok(Found::new(Body::Stopping(Box::new(answer)), status, Vec::new()))
}
