//! Drifting loads of many processors: a policy and a lower bound from sample paths.

use super::super::{Asked, Found, Method, Outcome, Settings};
use super::answer::{Answer, Fixed, Representation};
use super::least::at_least;
use super::model::LoadDrift;
use super::solve::{of_outcome, posed};
use crate::memory;
use crate::problems::registry::Body;
use crate::problems::shared::sampled::{
    KNOWN, are_told, both, curve, interval, outer, percent, simulate,
};
use crate::run::Watch;
use remapping::Communicator;
use remapping::load_drift::many::{Goal, Many, Measured, NoBounds};
use remapping::load_drift::{self, Intervals, ProcessChain, Unremapped};
use remapping::overlap::Overlap;
use remapping::phase_change::Bounds;

/// The number of states times steps beyond which a solution over all states takes about a quarter
/// of an hour or more.
const LONG: u64 = 50_000_000_000;

/// Whether this model is solved by sampling.
pub(super) fn are_wanted(model: &LoadDrift, settings: &Settings) -> bool {
    match settings.method {
        Method::Bounds => true,
        Method::Exact => false,
        // A map or the values of all states need all states.
        _ if settings.step.is_some() || settings.values => false,
        _ => {
            let problem = model.problem();
            // Delayed remaps add their steps of look-ahead to each step.
            let each = problem.steps.saturating_mul(1 + model.overlap().steps);
            let quick = |states: u64| states.saturating_mul(each) <= LONG;
            let fits = memory::available().is_none_or(|there| model.memory() <= there);
            let small = model.states().is_some_and(quick) && fits;
            !small && are_not_there(model).is_none()
        }
    }
}

/// Why sampling gives no bounds for this model, if so.
pub(super) fn are_not_there(model: &LoadDrift) -> Option<NoBounds> {
    NoBounds::of(&model.problem(), Overlap::NONE)
}

/// Solves the model by sampling. Several ranks share the paths.
pub(super) fn solve(
    asked: &Asked<'_, Settings>,
    model: &LoadDrift,
    communicator: Option<&dyn Communicator>,
) -> Outcome<Found> {
    let Asked { loaded, settings, watch, .. } = *asked;
    let problem = model.problem();
    let goal = Goal::of(settings.gap.unwrap_or(Goal::GAP));
    let mut warnings = Vec::new();
    if settings.step.is_some() || settings.values {
        warnings.push("no map and no values of single states: that takes all states".to_owned());
    }
    let overlap = model.overlap();
    if let Some(reason) = NoBounds::of(&problem, overlap) {
        let help = "take a smaller model, or --method exact where that fits";
        let message = "there are no bounds for this model";
        return Err(vec![loaded.complain("problem", message, &reason.to_string(), help)]);
    }
    let many = Many::new(&problem, overlap, settings.seed, watch);
    let (rule, measured, status) = simulate(many, goal, (watch, communicator), &mut warnings);
    // With no more steps than sampling takes.
    let unremapped = Unremapped::of(&problem, &()).expect("nobody stops it");
    let mut answer = lay_out(model, (&problem, unremapped), &rule, measured.as_ref(), watch);
    compare_an_interval(&mut answer, model, &problem, QUICK);
    Ok(Found::new(Body::LoadDrift(Box::new(answer)), status, warnings))
}

/// An upper bound on the optimum, where remapping at this interval costs `known`. The proved
/// rounding error of long programs with many processors is far larger than that of sums of doubles.
pub(super) fn at_most(problem: &load_drift::LoadDrift, interval: u64, known: f64) -> f64 {
    let proved = Intervals::upper_bound(problem, interval, known);
    match problem.chain {
        ProcessChain::BirthDeath(_) => proved.min(known * (1.0 + KNOWN)),
        // Rows that miss 1 by a billionth define another program.
        ProcessChain::Dense(_) => proved,
    }
}

/// The most units that a remap can move: half of the processors are at either end.
fn most_moved(problem: &load_drift::LoadDrift) -> f64 {
    if problem.per_unit_moved == 0.0 {
        return 0.0;
    }
    let highest = problem.chain.levels() - 1;
    let half = problem.processors / 2;
    let moved = |high: usize| {
        let mut levels = vec![0; problem.processors];
        levels[..high].fill(highest);
        problem.units_moved(&levels)
    };
    [half, half + problem.processors % 2].into_iter().map(moved).max().unwrap_or(0) as f64
}

/// The most products of probabilities (about 30 ns each), and of totals times steps, for evaluating
/// an interval.
const QUICK: u64 = 30_000_000;

/// Evaluates the interval of least average cost if that takes at most `quick` products. Remaps must
/// cost the same everywhere and take effect at once. Otherwise the answer says that none was
/// evaluated.
pub(super) fn compare_an_interval(
    answer: &mut Answer,
    model: &LoadDrift,
    problem: &load_drift::LoadDrift,
    quick: u64,
) {
    let interval = answer.least_average_cost;
    let levels = problem.chain.levels() as u64;
    let totals = levels.saturating_mul(problem.processors as u64);
    // Distributions of totals are convolved.
    let each = levels.saturating_pow(3).saturating_add(totals.saturating_mul(totals));
    let work = each.saturating_mul(interval).saturating_add(totals.saturating_mul(problem.steps));
    if problem.per_unit_moved > 0.0 || !model.stops() || work > quick {
        answer.intervals_evaluated = Some(0);
    } else if interval < problem.steps {
        let outcome = Intervals::only(problem, interval);
        if outcome.value < answer.never.value {
            answer.best_fixed = of_outcome(Some(interval), &outcome);
        }
    }
}

pub(super) fn lay_out(
    model: &LoadDrift,
    (problem, unremapped): (&load_drift::LoadDrift, Unremapped),
    rule: &load_drift::Curve,
    found: Option<&Measured>,
    watch: &Watch,
) -> Answer {
    let Unremapped { never, least_average_cost } = unremapped;
    let fixed = Fixed { interval: None, value: never.value, utilization: never.utilization() };
    // Paths that bound every gap need no other bound.
    let told = found.is_none_or(are_told);
    let least = if told { f64::INFINITY } else { at_least(problem, watch) };
    // Costs are not negative, and never remapping is a policy.
    let none = Bounds { lower: 0.0, upper: never.value };
    Answer {
        remap_cost: problem.remap_cost + problem.per_unit_moved * most_moved(problem),
        states: model.states(),
        representation: Representation::Bounds,
        statistical: true,
        remaps: found.map(|found| found.remaps),
        value_bounds: found.map_or(none, |found| outer(found, never.value, least)),
        bounds: found.map(|found| both(found, least)),
        gap_percent: found.map(|found| percent(found, found.gap.mean)),
        gap_interval: found.and_then(|found| interval(found, found.gap)),
        paths: found.map(|found| found.paths),
        best_fixed: fixed,
        never: fixed,
        least_average_cost,
        threshold_curve: found.map(|found| curve(rule, found, (least, Some(never.value)))),
        ..posed(problem, model.overlap())
    }
}
