//! Solves the `PhaseSwitching` problem: from the model to two threshold curves.

use super::super::phase_change::solve::{EXACT_SEGMENTS, MOST_STEPS_SUMMED, or_warned};
use super::super::shared::thresholds::Thresholds;
use super::super::{Found, Settings};
use super::answer::{Answer, Exact};
use super::model::PhaseSwitching;
use crate::complaint::Complaint;
use crate::document::Bounds;
use crate::document::rule::Filter;
use crate::model::file::ModelFile;
use crate::problems::registry::Body;
use crate::run::Watch;
use remapping::lifetime::Lifetime;
use remapping::phase_switching::{self, PhaseSwitching as Problem, exact};
use remapping::{Rational, Status};

/// Solves the model.
pub fn solve(
    loaded: &ModelFile,
    model: &PhaseSwitching,
    settings: &Settings,
    watch: &Watch,
) -> Result<Found, Vec<Complaint>> {
    let problem = model.problem();
    let refuse = |message: String| {
        let help = "correct the parameter";
        vec![loaded.complain("problem", "this model cannot be solved", &message, help)]
    };
    let solved = match model.lifetime() {
        Some(lifetime) => finite(&problem, &lifetime, settings, watch),
        None => endless(&problem, settings, watch),
    };
    let (answer, status, [warnings, missed]) = solved.map_err(|error| refuse(error.to_string()))?;
    let found = Found::new(Body::PhaseSwitching(Box::new(answer)), status, warnings);
    Ok(Found { missed, ..found })
}

/// An answer, its status, warnings, and the widths that missed the tolerance.
type Solved = Result<(Answer, Status, [Vec<String>; 2]), phase_switching::SwitchingError>;

/// Messages about the widths that missed the tolerance.
fn missed(tolerance: f64, widths: [(&str, f64); 2]) -> Vec<String> {
    let wide = widths.into_iter().filter(|(_, width)| *width > tolerance);
    wide.map(|(what, width)| match width.is_finite() {
        true => format!("the tolerance was not reached: {what} is {width:.2e} wide"),
        false => format!("the tolerance was not reached: {what} could not be bounded"),
    })
    .collect()
}

fn finite(problem: &Problem, lifetime: &Lifetime, settings: &Settings, watch: &Watch) -> Solved {
    let solution = phase_switching::solve(problem, lifetime, settings.tolerance, watch)?;
    let mut status = solution.status;
    let [mut warnings, mut wide] = [Vec::new(), Vec::new()];
    if status == Status::IterationLimit {
        let thresholds = ("the widest threshold interval", solution.threshold_width());
        let value = ("the value's interval, relative to it,", solution.value_width());
        wide.extend(missed(settings.tolerance, [thresholds, value]));
    }
    let exact = settings.exact.then(|| exact::solve(problem, lifetime, EXACT_SEGMENTS, watch));
    let exact = exact.and_then(|found| or_warned(found, &mut warnings, &mut status));
    let written = |all: &[Rational]| all.iter().map(Rational::to_string).collect();
    let exact = exact.map(|exact| Exact {
        to_second: written(&exact.to_second),
        to_first: written(&exact.to_first),
        value: exact.value.to_string(),
    });
    let first = solution.to_second.first_step();
    let answer = Answer {
        last_step: Some(lifetime.last()),
        to_second: Thresholds::of(&solution.to_second),
        to_first: Thresholds::of(&solution.to_first),
        value: solution.value,
        never: without_switches(problem, lifetime),
        segments: solution.segments,
        first_step: first.filter(|first| *first > 0),
        belief: Some(filter(problem)),
        exact,
        ..Answer::default()
    };
    Ok((answer, status, [warnings, wide]))
}

fn endless(problem: &Problem, settings: &Settings, watch: &Watch) -> Solved {
    let solution = phase_switching::long_run(problem, settings.tolerance, watch)?;
    let mut status = solution.status;
    let [mut warnings, mut wide] = [Vec::new(), Vec::new()];
    let Bounds { lower, upper } = solution.average;
    if status == Status::IterationLimit {
        let width = solution.to_second.width().max(solution.to_first.width());
        let average = (upper - lower) / lower.abs().max(1.0);
        let thresholds = ("the wider threshold interval", width);
        let average = ("the average's interval, relative to it,", average);
        wide.extend(missed(settings.tolerance, [thresholds, average]));
    }
    if settings.exact {
        warnings.push("--exact is for short horizons: give the model a lifetime".to_owned());
        if status == Status::Converged {
            status = Status::IterationLimit;
        }
    }
    let answer = Answer {
        to_second: always(solution.to_second),
        to_first: always(solution.to_first),
        average: Some(solution.average),
        never: problem.average_under(0).map(|average| average.to_f64().value()),
        segments: solution.segments,
        belief: Some(filter(problem)),
        ..Answer::default()
    };
    Ok((answer, status, [warnings, wide]))
}

/// The probabilities of both phases, from that of the second.
fn chances(second: &Rational) -> [f64; 2] {
    [Rational::ONE - second, second.clone()].map(|chance| chance.to_f64().value())
}

/// The mean time of a cycle under the first mapping, with these probabilities of the phases.
fn under_first(problem: &Problem, chances: [f64; 2]) -> f64 {
    let [first, second] = [0, 1].map(|phase| problem.cycle[phase][0].to_f64().value());
    chances[0] * first + chances[1] * second
}

/// The expected time of a program that never switches.
fn without_switches(problem: &Problem, lifetime: &Lifetime) -> Option<f64> {
    if lifetime.last() > MOST_STEPS_SUMMED {
        return None;
    }
    let [to_second, to_first] = problem.rates.each_ref().map(chances);
    let [mut first, mut second] = chances(&problem.initial);
    Some(lifetime.expected_sum(|n| {
        if n > 0 {
            [first, second] = [
                first * to_second[0] + second * to_first[1],
                second * to_first[0] + first * to_second[1],
            ];
        }
        under_first(problem, [first, second])
    }))
}

/// The parameters for updating the belief.
fn filter(problem: &Problem) -> Filter {
    let double = |value: &Rational| value.to_f64().value();
    let levels = problem.detector.levels();
    Filter {
        initial: double(&problem.initial),
        to_second: double(&problem.rates[0]),
        to_first: double(&problem.rates[1]),
        first: levels.iter().map(|level| double(&level.before)).collect(),
        second: levels.iter().map(|level| double(&level.after)).collect(),
    }
}

/// The same threshold at every step, listed once.
fn always(bounds: Bounds) -> Thresholds {
    let mut one = Thresholds::default();
    one.push(bounds);
    one
}
