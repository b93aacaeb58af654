//! Solves the `PhaseChange` problem: from the model to the threshold curve.

use super::super::shared::thresholds::Thresholds;
use super::super::{Asked, Found, Outcome, Settings};
use super::answer::{Answer, Exact, Filter, Hazard};
use super::model::{MAX_PER_STEP, PhaseChange};
use crate::problems::registry::Body;
use remapping::belief::{Level, Levels};
use remapping::concave::ExactError;
use remapping::phase_change::{self, Accuracy, exact};
use remapping::{Rational, Status};
use std::fmt::Display;

/// The most segments of an exact value function: some seconds of work.
pub const EXACT_SEGMENTS: usize = 20_000;

/// The most steps for adding up the cost of never remapping.
pub const MOST_STEPS_SUMMED: u64 = 100_000;

/// Solves the model.
pub fn solve(asked: &Asked<'_, Settings>, model: &PhaseChange) -> Outcome<Found> {
    let Asked { loaded, settings, watch, .. } = *asked;
    let problem = model.problem();
    let refuse = |message: String, help: &str| {
        vec![loaded.complain("problem", "this model cannot be solved", &message, help)]
    };
    let accuracy = Accuracy {
        tolerance: settings.tolerance,
        segments: settings.segments.map(|count| count as usize),
    };
    let solution = phase_change::solve(&problem, accuracy, watch)
        .map_err(|error| refuse(error.to_string(), "correct the parameter"))?;
    let mut warnings = Vec::new();
    let last = problem.last_step();
    let stopped_at = solution.curve.first_step();
    if solution.status == Status::IterationLimit && stopped_at.is_some_and(|first| first > 0) {
        warnings.push(format!(
            "the thresholds of the last {MAX_PER_STEP} steps are all distinct; the earlier ones are left out"
        ));
    }
    let mut status = solution.status;
    let exact = settings.exact.then(|| exact::solve(&problem, EXACT_SEGMENTS, watch));
    let exact = exact.and_then(|found| or_warned(found, &mut warnings, &mut status));
    let exact = exact.map(|exact| Exact {
        threshold: exact.steps.iter().map(|step| step.threshold.to_string()).collect(),
        threshold_decimal: exact.steps.iter().map(|step| decimal(&step.threshold)).collect(),
        n0: exact.onset,
        value: exact.value().to_string(),
    });
    let between = [solution.onset_least, solution.onset];
    let seen = stopped_at.is_some_and(|n| n == 0 || n < between[0]);
    let told = between[0] == between[1];
    let list = Thresholds::of(&solution.curve);
    let answer = Answer {
        last_step: last,
        n0: Some(solution.onset).filter(|_| seen && told),
        n0_between: Some(between).filter(|_| seen && !told),
        value: solution.value,
        never: without_remaps(&problem),
        segments: solution.segments,
        threshold: list.threshold,
        threshold_lower: list.lower,
        threshold_upper: list.upper,
        threshold_stationary: list.stationary,
        threshold_stationary_lower: list.stationary_lower,
        threshold_stationary_upper: list.stationary_upper,
        stationary_through: list.stationary_through,
        threshold_head: Some(list.head).filter(|head| !head.is_empty()),
        first_step: stopped_at.filter(|first| *first > 0),
        belief: two_levels(&problem.detector).filter(|_| model.says_yes_or_no()).map(
            |[alarm, quiet]| Filter {
                false_alarm: decimal(&alarm.before),
                missed: decimal(&quiet.after),
                hazard: match &problem.hazard {
                    phase_change::Hazard::Constant(h) => Hazard::Constant(decimal(h)),
                    phase_change::Hazard::PerStep(list) => {
                        Hazard::PerStep(list.iter().map(decimal).collect())
                    }
                },
            },
        ),
        premature: Some((&problem.premature).into()),
        exact,
    };
    Ok(Found::new(Body::PhaseChange(Box::new(answer)), status, warnings))
}

/// The exact solution. Without one, a warning says why; the certified bounds are valid.
pub fn or_warned<T, P: Display>(
    found: Result<T, ExactError<P>>,
    warnings: &mut Vec<String>,
    status: &mut Status,
) -> Option<T> {
    let error = match found {
        Ok(exact) => return Some(exact),
        Err(error) => error,
    };
    warnings.push(format!("{error}: --exact is for short horizons, take a smaller M"));
    if *status == Status::Converged {
        *status = match error {
            ExactError::Stopped { halt, .. } => halt.into(),
            _ => Status::IterationLimit,
        };
    }
    None
}

/// The expected time of a program that never remaps.
fn without_remaps(problem: &phase_change::PhaseChange) -> Option<f64> {
    if problem.last_step() > MOST_STEPS_SUMMED {
        return None;
    }
    let hazard = |n: u64| problem.hazard.at(n).map_or(0.0, decimal);
    let (before, after) = (decimal(&problem.before), decimal(&problem.after));
    let mut changed = 0.0;
    Some(problem.lifetime.expected_sum(|n| {
        if n > 0 {
            changed += (1.0 - changed) * hazard(n);
        }
        (1.0 - changed) * before + changed * after
    }))
}

/// The two levels of a detector that has exactly two: the one that indicates a change, and the
/// other.
fn two_levels(detector: &Levels) -> Option<[&Level; 2]> {
    match detector.levels() {
        [alarm, quiet] => Some([alarm, quiet]),
        _ => None,
    }
}

fn decimal(value: &Rational) -> f64 {
    value.to_f64().value()
}
