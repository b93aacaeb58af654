//! Solves the `PhaseChange` problem: from the model to the threshold curve.

use super::super::{Asked, Found, Outcome, Settings, shared_stretch};
use super::answer::{Answer, Exact, Filter, Hazard};
use super::model::{MAX_PER_STEP, PhaseChange};
use crate::problems::registry::Body;
use remapping::belief::{Level, Levels};
use remapping::phase_change::exact::{self, ExactError};
use remapping::phase_change::{self, Accuracy, Curve};
use remapping::{Rational, Status};

/// The most segments of an exact value function: some seconds of work.
const EXACT_SEGMENTS: usize = 20_000;

/// The most steps for adding up the cost of never remapping.
const MOST_STEPS_SUMMED: u64 = 100_000;

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
    let exact = exact.and_then(|exact| match exact {
        Ok(exact) => Some(Exact {
            threshold: exact.steps.iter().map(|step| step.threshold.to_string()).collect(),
            threshold_decimal: exact.steps.iter().map(|step| decimal(&step.threshold)).collect(),
            n0: exact.onset,
            value: exact.value().to_string(),
        }),
        Err(error) => {
            // The certified bounds are valid; only the fractions are missing.
            warnings.push(format!("{error}: --exact is for short horizons, take a smaller M"));
            if status == Status::Converged {
                status = match error {
                    ExactError::Stopped { halt, .. } => halt.into(),
                    _ => Status::IterationLimit,
                };
            }
            None
        }
    });
    let between = [solution.onset_least, solution.onset];
    let seen = stopped_at.is_some_and(|n| n == 0 || n < between[0]);
    let told = between[0] == between[1];
    let mut answer = Answer {
        last_step: last,
        n0: Some(solution.onset).filter(|_| seen && told),
        n0_between: Some(between).filter(|_| seen && !told),
        value: solution.value,
        never: without_remaps(&problem),
        segments: solution.segments,
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
        ..Answer::default()
    };
    lay_out(&mut answer, &solution.curve);
    Ok(Found::new(Body::PhaseChange(Box::new(answer)), status, warnings))
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

/// Fills the lists of the answer from the curve.
fn lay_out(answer: &mut Answer, curve: &Curve) {
    answer.first_step = curve.first_step().filter(|first| *first > 0);
    let (head, shared, from) = shared_stretch(curve);
    if let Some(run) = shared {
        answer.threshold_stationary = Some(run.bounds.middle());
        answer.threshold_stationary_lower = Some(run.bounds.lower);
        answer.threshold_stationary_upper = Some(run.bounds.upper);
        answer.stationary_through = Some(run.last);
        answer.threshold_head = Some(head).filter(|head| !head.is_empty());
    }
    for run in curve.runs().filter(|run| run.last >= from) {
        for _ in run.first..=run.last {
            answer.threshold.push(run.bounds.middle());
            answer.threshold_lower.push(run.bounds.lower);
            answer.threshold_upper.push(run.bounds.upper);
        }
    }
}
