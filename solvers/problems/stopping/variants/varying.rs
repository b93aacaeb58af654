//! `Stopping` where the remap cost depends on the loads, or where there is an end.

use super::{states, unlisted};
use crate::complaint::Complaint;
use crate::memory;
use crate::model::cost::Cost;
use crate::problems::registry::Body;
use crate::problems::stopping::answer::{Answer, CostByState};
use crate::problems::stopping::maps::decision_map::{MAX_LISTED, Outcome, letter, open_up_to};
use crate::problems::stopping::model::Stopping;
use crate::problems::stopping::sharing::gathered;
use crate::problems::stopping::solve::{astray, refuse, start_from};
use crate::problems::together::{Together, on_any};
use crate::problems::{Asked, Found, Settings};
use remapping::chain::{Operator, Shared};
use remapping::imbalance::Imbalance;
use remapping::stopping::{
    self, AfterRemap, Exchange, Limits, LongRun, Problem, States, Varied, Varying, rebalanced_of,
    units_moved_of,
};
use remapping::{Observer, Status};
use std::ops::Range;

/// The most sweeps.
pub(in crate::problems::stopping) const SWEEPS: u64 = 10_000_000;

/// Solves the model.
pub(in crate::problems::stopping) fn solve(
    asked: &Asked<'_, Settings>,
    model: &Stopping,
) -> Result<Found, Vec<Complaint>> {
    let (states, operator) = states(asked, model)?;
    let imbalance =
        model.imbalance().map_err(|error| refuse(asked.loaded, &error, "round the capacities"))?;
    let found = solve_on(asked, model, (&states, &imbalance), Moves::Alone(operator))?;
    Ok(found.expect("there is no other rank"))
}

/// The operator of the moves.
pub(in crate::problems::stopping) enum Moves {
    Alone(Box<dyn Operator>),
    /// Each of several ranks moves its own states.
    Shared(Box<Shared>),
}

/// The same on the ranks of the operator; the first one has the answer.
pub(in crate::problems::stopping) fn solve_on(
    asked: &Asked<'_, Settings>,
    model: &Stopping,
    (states, imbalance): (&States, &Imbalance),
    moves: Moves,
) -> Result<Option<Found>, Vec<Complaint>> {
    let Asked { loaded, settings, watch, .. } = *asked;
    let refuse = |message: &str, help: &str| refuse(loaded, message, help);
    let (own, communicator) = match &moves {
        Moves::Alone(_) => (0..states.count(), None),
        Moves::Shared(operator) => (operator.own(), Some(operator.communicator().clone())),
    };
    let others = communicator.as_deref();
    let together = others.map(|others| Together::new(watch, others));
    let observer = together.as_ref().map_or(watch as &dyn Observer, |together| together);
    let needed = stopping::memory_estimate(states, stopping::Method::Auto);
    let there = memory::available().unwrap_or(u64::MAX);
    let lacking = match states.vectors().filter(|vectors| *vectors <= MAX_LISTED) {
        None => Some(format!(
            "remap costs that depend on the loads, and a number of steps, take {MAX_LISTED} load vectors at most"
        )),
        Some(_) => on_any(others, needed > there)
            .then(|| unlisted::short_of(states.count(), needed, there)),
    };
    if let Some(lacking) = lacking {
        let status = Status::IterationLimit;
        let found = unlisted::solve(asked, model, &lacking, status)?;
        return Ok(others.is_none_or(|others| others.rank() == 0).then_some(found));
    }
    let costs = costs(model, (states, own.clone()), imbalance);
    let back = || match others {
        Some(others) => gathered::targets(loaded, states, (imbalance, own.clone()), others),
        None => rebalanced_of(states, imbalance, own.clone())
            .map_err(|loads| astray(loaded, states, &loads)),
    };
    let back = model.restarts().then(back).transpose()?;
    let mut answer = start_from(model, states);
    let mut dearest = [costs.iter().copied().fold(0.0, f64::max)];
    others.inspect(|others| others.largest(&mut dearest));
    [answer.remap_cost] = dearest;
    (answer.remap_value, answer.remap_bounds) = (answer.remap_cost, [answer.remap_cost; 2]);
    answer.cost_by_state = by_state(model);
    answer.steps = model.steps();
    let (rho, after) = (answer.remap_cost, AfterRemap::Stop);
    let problem = match moves {
        Moves::Alone(operator) => Problem::new(states, operator, imbalance, rho, after),
        Moves::Shared(operator) => Problem::shared(states, *operator, imbalance, rho, after),
    };
    let problem = problem.map_err(|error| refuse(&error.to_string(), "correct the model"))?;
    let found = match (back, model.steps()) {
        (Some(back), None) => {
            let how = stopping::Settings {
                tolerance: settings.tolerance,
                ..stopping::Settings::default()
            };
            let best = stopping::long_run_at(&problem, &costs, &back, None, &how, observer);
            answer.average = Some(best.average);
            answer.value_gap = best.average.width() / best.average.upper.max(1.0);
            answer.iterations = best.iterations;
            let status = best.status;
            let close = open_up_to(&best, settings.tolerance, answer.remap_cost);
            let own = of_average(best, &problem, close);
            let all = match others {
                Some(others) => gathered::collected(others, &own),
                None => Some(own),
            };
            all.map(|outcome| (outcome, status, Vec::new()))
        }
        (back, steps) => {
            let problem = Varying::of(problem, costs, (states, imbalance, back));
            let limits = Limits { tolerance: settings.tolerance, sweeps: SWEEPS };
            let found = match steps {
                Some(steps) => problem.solve_steps(steps, &limits, observer),
                None => problem.solve(&limits, observer),
            };
            let all = match others {
                Some(others) => found.collected(others),
                None => Some(found),
            };
            all.map(|found| {
                answer.value_gap = found.width() / largest(&found).max(answer.remap_cost).max(1.0);
                answer.iterations = found.applications;
                answer.steps_done = found.known;
                (of_found(&found), found.status, found.remaps_from)
            })
        }
    };
    Ok(found.map(|found| lay_out(answer, states, settings, found)))
}

/// The answer with the results of all states.
fn lay_out(
    mut answer: Answer,
    states: &States,
    settings: &Settings,
    (outcome, status, from): (Outcome, Status, Vec<Option<u64>>),
) -> Found {
    answer.largest_value = outcome.value.iter().copied().fold(0.0, f64::max);
    outcome.lay_out(&mut answer, states, settings.values, None);
    if !from.is_empty() {
        let classes = states.by_place();
        answer.remaps_from =
            Some(classes.iter().map(|class| class.and_then(|c| from[c])).collect());
    }
    let mut warnings = Vec::new();
    if let (Some(done), Some(steps)) = (answer.steps_done, answer.steps) {
        warnings.push(format!(
            "stopped after {done} of {steps} steps: the map is that of a program of {done}, the bounds are those of {steps}"
        ));
    }
    let body = Body::Stopping(Box::new(answer));
    Found { body, status, warnings, missed: Vec::new(), table: None }
}

/// The cost of a remap in each of some states.
pub(in crate::problems::stopping) fn costs(
    model: &Stopping,
    (states, some): (&States, Range<usize>),
    imbalance: &Imbalance,
) -> Vec<f64> {
    match model.cost() {
        Cost::Constant(cost) => vec![cost.value; some.len()],
        Cost::Moved { fixed, per_unit_moved } => {
            let exchange = match model.restarts() {
                true => Exchange::of_equal_processes(states, imbalance),
                false => Exchange::of_processors(imbalance),
            };
            let moved = units_moved_of(states, imbalance, &exchange, some).into_iter();
            moved.map(|units| fixed.value + per_unit_moved.value * units as f64).collect()
        }
        Cost::PerState(costs) => costs[some].iter().map(|cost| cost.value).collect(),
    }
}

pub(in crate::problems::stopping) fn by_state(model: &Stopping) -> Option<CostByState> {
    match model.cost() {
        Cost::Constant(_) => None,
        Cost::Moved { fixed, per_unit_moved } => {
            Some(CostByState::Moved { fixed: fixed.value, per_unit_moved: per_unit_moved.value })
        }
        Cost::PerState(costs) => {
            Some(CostByState::Listed(costs.iter().map(|cost| cost.value).collect()))
        }
    }
}

fn largest(found: &Varied) -> f64 {
    found.upper.iter().copied().fold(0.0, f64::max)
}

fn of_found(found: &Varied) -> Outcome {
    let middle = |(low, high): (&f64, &f64)| low + (high - low) / 2.0;
    Outcome {
        letters: found.decision.iter().map(|decision| letter(*decision)).collect(),
        ties: found.ties.clone(),
        value: found.lower.iter().zip(&found.upper).map(middle).collect(),
    }
}

fn of_average(best: LongRun, problem: &Problem, close: f64) -> Outcome {
    let each = best.advantage.iter().zip(problem.running());
    let letters = each.clone().map(|(advantage, psi)| match (*psi == 0.0, *advantage >= 0.0) {
        (true, _) => b'B',
        (false, true) => b'R',
        (false, false) => b'C',
    });
    let ties = each.map(|(advantage, psi)| *psi > 0.0 && advantage.abs() <= close).collect();
    Outcome { letters: letters.collect(), ties, value: best.value }
}
