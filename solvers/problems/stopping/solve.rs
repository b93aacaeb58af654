//! Solves the `Stopping` problem: from the model to the decision map.

use super::super::{Asked, Found, Method as Way, Settings};
use super::answer::{Answer, Representation, Vectors};
use super::maps::decision_map::{MAX_LISTED, Outcome};
use super::maps::table::Table;
use super::model::Stopping;
use super::variants::unlisted;
use super::{classes, variants::countable, variants::partial};
use crate::complaint::Complaint;
use crate::document::dynamics::Dynamics;
use crate::memory;
use crate::model::file::ModelFile;
use crate::problems::registry::Body;
use crate::text::whole;
use remapping::stopping::{
    self, AfterRemap, LongRun, Method, ModelError, Problem, Solution, States,
};
use remapping::{Bounds, Observer, Status};
use serde_json::Value;
use std::sync::Arc;

/// Whether `--out` writes an archive next to the document of this model.
pub fn is_archived(model: &Stopping) -> bool {
    model.space().is_ok_and(|states| states.vectors().is_none_or(|vectors| vectors > MAX_LISTED))
}

/// The diagnostic that the model cannot be solved.
pub(super) fn refuse(loaded: &ModelFile, message: &str, help: &str) -> Vec<Complaint> {
    vec![loaded.complain("problem", "this model cannot be solved", message, help)]
}

/// The diagnostic that rules cannot be evaluated on a model, which may still be solved.
pub(super) fn unplayed(loaded: &ModelFile, message: &str, help: &str) -> Vec<Complaint> {
    vec![loaded.complain("problem", "rules cannot be played on this model", message, help)]
}

/// The diagnostic that a remap of these loads leads out of the levels.
pub(super) fn astray(loaded: &ModelFile, states: &States, loads: &[i64]) -> Vec<Complaint> {
    let message = format!("a remap of the loads {loads:?} leads out of the levels");
    let help = match states.share_loads() {
        true => {
            "from the k-th state with some loads a remap leads to the k-th with balanced ones: list all loads \
             equally often, in the same order of what else moves"
        }
        false => "Restart needs levels for every even split of a total",
    };
    refuse(loaded, &message, help)
}

/// Solves the model.
pub fn solve(asked: &Asked<'_, Settings>, model: &Stopping) -> Result<Found, Vec<Complaint>> {
    let Asked { loaded, settings, watch, .. } = *asked;
    let refuse = |message: &str, help: &str| refuse(loaded, message, help);
    let rho = model.remap_cost().expect("other costs are solved elsewhere");
    let (states, operator) =
        model.states(loaded.folder()).map_err(|error| refuse(&error, "correct the chain"))?;
    let imbalance = model.imbalance().map_err(|error| refuse(&error, "round the capacities"))?;
    let how = stopping::Settings {
        method: match settings.method {
            Way::Value => Method::Value,
            Way::Policy => Method::Policy,
            _ => Method::Auto,
        },
        tolerance: settings.tolerance,
        regions: !model.restarts() && !settings.critical_costs,
        memory: memory::available().unwrap_or(u64::MAX),
        ..stopping::Settings::default()
    };
    let posed = stopping::Model::on(states, operator, imbalance.clone())
        .remap_cost(rho)
        .after(model.after());
    let unfit = |error| match error {
        ModelError::Memory { states, needed, memory, halt } => {
            let status = halt.map_or(Status::IterationLimit, Status::from);
            let lacking = unlisted::short_of(states, needed, memory);
            unlisted::solve(asked, model, &lacking, status)
        }
        other => Err(refuse(&other.to_string(), "correct the model")),
    };
    // The average comes first: it is what was asked for, and time may run out.
    let (stopping::Solved { states, problem, solution }, restarted) = if model.restarts() {
        let (states, problem) = match posed.pose(&how, watch) {
            Ok(posed) => posed,
            Err(error) => return unfit(error),
        };
        let back = stopping::rebalanced(&states, &imbalance)
            .map_err(|loads| astray(loaded, &states, &loads))?;
        let best = stopping::long_run(&problem, &back, None, &how, watch);
        let solution = stopping::solve(&problem, &how, watch);
        (stopping::Solved { states, problem, solution }, Some((back, best)))
    } else {
        match posed.solve(&how, watch) {
            Ok(solved) => (solved, None),
            Err(error) => return unfit(error),
        }
    };
    // Outside a region one remaps.
    let all = states.count() == states.whole().count();
    let outside = if all { 0.0 } else { solution.remap_value };
    let largest = (0..problem.states()).map(|s| solution.value(s)).fold(outside, f64::max);
    let mut answer = start(model, &states, &solution, largest);
    let mut status = solution.status;
    let mut apart = None;
    let mut outcome = Outcome::new(states.count(), &problem, &solution);
    if let Some((back, mut best)) = restarted {
        apart = classes::apart(&problem, &back, best.status);
        let stop = take_up(&mut outcome, &mut best, (&problem, &back), &how, watch);
        lay_out_averages(&mut answer, &best, &stop, solution.status);
        status = decided(best.status, stop.status);
    }
    let critical = settings.critical_costs.then(|| critical_costs(&states, &problem, model));
    let critical = critical.transpose().map_err(|message| {
        refuse(&message, "drop --critical-costs, or take fewer levels or processes")
    })?;
    outcome.lay_out(&mut answer, &states, settings.values, critical);
    let mut found = finish(answer, states, outcome, solution, status);
    found.warnings.extend(hasty(model, how.method));
    found.warnings.extend(apart);
    Ok(found)
}

/// A warning that value iteration decides before the relative costs are known.
pub(super) fn hasty(model: &Stopping, method: Method) -> Option<String> {
    (method == Method::Value && model.restarts()).then(|| {
        "decisions in loads that are hardly ever met are those that the sweeps of --method value end with, which may \
         be too early: --method policy solves for the costs that decide"
            .to_owned()
    })
}

/// Replaces the outcome for `Stop` by that of the best long run. Returns the long run under the map
/// that is optimal for `Stop`.
pub(super) fn take_up(
    outcome: &mut Outcome,
    best: &mut LongRun,
    (problem, back): (&Problem, &[usize]),
    how: &stopping::Settings,
    observer: &dyn Observer,
) -> LongRun {
    let of_stop: Vec<bool> = outcome.letters.iter().map(|letter| *letter == b'R').collect();
    let stop = stopping::long_run(problem, back, Some(&of_stop), how, observer);
    outcome.take_up(best, how.tolerance, problem.remap_cost());
    stop
}

/// The status of a long run, together with the evaluation of the map of `Stop`. The average of that
/// map may depend on the initial state, and then has no close bounds. It is not what was asked for,
/// so only a halt counts.
pub(super) fn decided(best: Status, stop: Status) -> Status {
    if best == Status::Converged && stop.is_halted() { stop } else { best }
}

/// The most classes whose critical costs are computed: the work grows with the cube.
const MOST_CRITICAL: usize = 3000;

fn critical_costs(
    states: &States,
    problem: &Problem,
    model: &Stopping,
) -> Result<Vec<Option<f64>>, String> {
    let n = states.count();
    if model.restarts() {
        return Err("critical costs are those of Stop and Uniform".to_owned());
    }
    if n > MOST_CRITICAL {
        return Err(format!(
            "critical costs take n^3 work: {n} states are more than {MOST_CRITICAL}"
        ));
    }
    let ones = vec![1.0; n];
    let weights = states.multiplicities().unwrap_or(ones);
    let rows = problem.transition_rows();
    let costs = stopping::critical_costs(problem.running(), &rows, &weights);
    let cost = |cost: stopping::CriticalCost<f64>| match model.after() {
        AfterRemap::Stop => cost.total,
        AfterRemap::Uniform => cost.uniform,
    };
    Ok(costs.into_iter().map(|found| found.map(cost)).collect())
}

/// The average costs of the best map, and of the one that is optimal if a remap ends all. The
/// solution for that ended with `of_stop`.
pub(super) fn lay_out_averages(
    answer: &mut Answer,
    best: &LongRun,
    stop: &LongRun,
    of_stop: Status,
) {
    answer.average = Some(best.average);
    // It is unknown for which problem an unfinished map is optimal.
    answer.average_of_stop = Some(stop.average).filter(|_| !of_stop.is_halted());
    answer.value_gap = best.average.width() / best.average.upper.max(1.0);
    answer.iterations = best.iterations;
}

/// The parts of the answer about the model and the whole solution, whose largest J is given.
pub(super) fn start(
    model: &Stopping,
    states: &States,
    solution: &Solution,
    largest_value: f64,
) -> Answer {
    let Bounds { lower: low, upper: high } = solution.remap_bounds();
    Answer {
        value_gap: solution.gap,
        remap_value: solution.remap_value,
        remap_bounds: [low, high],
        iterations: solution.iterations,
        largest_value,
        ..start_from(model, states)
    }
}

/// The parts of the answer about the model.
pub(super) fn start_from(model: &Stopping, states: &States) -> Answer {
    let shape = states.shape();
    let (mut lowest, mut loads) = (Vec::new(), Vec::new());
    if model.is_joint() {
        loads = (0..states.count()).map(|state| states.loads(state)).collect();
    } else {
        lowest = states.vector(0);
    }
    Answer {
        states: Vectors::of(&shape),
        shape,
        lowest,
        loads,
        remap_cost: model.remap_cost().unwrap_or(0.0),
        classes: states.count(),
        representation: match states {
            states if states.is_active() => Representation::Active,
            states if states.is_lumped() => Representation::Exchangeable,
            _ => Representation::Full,
        },
        dynamics: dynamics(model),
        ..Answer::default()
    }
}

/// The motion of the loads, for models on which other rules can be evaluated. Their costs are known
/// only for a single remap cost and no end.
pub fn dynamics(model: &Stopping) -> Option<Dynamics> {
    let known = model.dynamics().filter(|_| !model.is_partial());
    if model.is_varied() { known.map(Dynamics::unpriced) } else { known }
}

/// Adds the data for archives and certificates, and the warnings.
pub(super) fn finish(
    answer: Answer,
    states: States,
    outcome: Outcome,
    solution: Solution,
    status: Status,
) -> Found {
    let Outcome { letters, ties, value } = outcome;
    let tied = ties.iter().filter(|tie| **tie).count();
    let table = Table { states, decision: letters, ties, value, solution };
    let mut warnings = Vec::new();
    if tied > answer.ties.len() {
        warnings.push(format!(
            "{tied} classes are ties, at places too large to count: see the archive"
        ));
    }
    if answer.representation == Representation::Active && status != Status::Converged {
        warnings.push(
            "stopped: the load vectors outside of the region that was looked at are shown as R, and may be C"
                .to_owned(),
        );
    }
    let body = Body::Stopping(Box::new(answer));
    Found { body, status, warnings, missed: Vec::new(), table: Some(Arc::new(table)) }
}

/// Checks whether the model can be solved, as far as that is known without solving it.
pub(super) fn check(loaded: &ModelFile, model: &Stopping) -> Result<(), Vec<Complaint>> {
    let refuse = |message: &str, help: &str| refuse(loaded, message, help);
    let imbalance = model.imbalance().map_err(|error| refuse(&error, "round the capacities"))?;
    if let Some((walks, _)) = model.unbounded() {
        return countable::fits(loaded, model, &walks);
    }
    let (states, _) =
        model.states(loaded.folder()).map_err(|error| refuse(&error, "correct the chain"))?;
    if states.vectors().is_none_or(|vectors| vectors > MAX_LISTED) {
        return Ok(());
    }
    if model.is_partial() {
        partial::targets(loaded, &states, &imbalance)?;
    } else if model.restarts() {
        stopping::rebalanced(&states, &imbalance)
            .map_err(|loads| astray(loaded, &states, &loads))?;
    }
    Ok(())
}

/// The facts that `check` prints.
pub fn facts(loaded: &ModelFile, model: &Stopping) -> Vec<(&'static str, Value)> {
    let Ok((states, operator)) = model.states(loaded.folder()) else { return Vec::new() };
    let vectors = f64::from(Vectors::of(&states.shape()));
    let mut facts = vec![
        ("shape", Value::from(states.shape())),
        ("states", states.vectors().map_or(Value::from(vectors), Value::from)),
        ("classes", states.count().into()),
        ("representation", if states.is_lumped() { "exchangeable" } else { "full" }.into()),
        ("memory_bytes", whole(stopping::memory_needed(&states, Method::Auto))),
    ];
    if states.count() <= MAX_LISTED {
        facts.push(("reversible", operator.is_reversible().into()));
        if let Ok(imbalance) = model.imbalance() {
            let balanced = (0..states.count()).filter(|&s| imbalance.is_balanced(&states.loads(s)));
            facts.push(("balanced_classes", balanced.count().into()));
        }
    }
    facts
}
