//! The `PhaseSwitching` problem: from model to two threshold curves.

use super::super::{Found, Settings};
use crate::complaint::Complaint;
use crate::model::Loaded;
use crate::model::phase_switching::PhaseSwitching;
use crate::run::Watch;
use crate::solution::Body;
use crate::solution::phase_switching::{Answer, Exact, Thresholds};
use remapping::lifetime::Lifetime;
use remapping::switching::exact::{self, ExactError};
use remapping::switching::{self, PhaseSwitching as Problem};
use remapping::{Rational, Status};

/// Most segments an exact value function may have.
const EXACT_SEGMENTS: usize = 20_000;

/// Solves the model.
pub fn solve(
    loaded: &Loaded,
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
    let (answer, status, warnings) = solved.map_err(|error| refuse(error.to_string()))?;
    Ok(Found::new(Body::PhaseSwitching(Box::new(answer)), status, warnings))
}

type Solved = Result<(Answer, Status, Vec<String>), switching::SwitchingError>;

const TOO_WIDE: &str = "the tolerance was not reached";

fn finite(problem: &Problem, lifetime: &Lifetime, settings: &Settings, watch: &Watch) -> Solved {
    let solution = switching::solve(problem, lifetime, settings.tolerance, watch)?;
    let mut status = solution.status;
    let mut warnings = Vec::new();
    if status == Status::IterationLimit {
        let width = solution.to_second.width().max(solution.to_first.width());
        warnings.push(format!("{TOO_WIDE}: the widest threshold interval is {width:.2e}"));
    }
    let mut found = None;
    if settings.exact {
        match exact::solve(problem, lifetime, EXACT_SEGMENTS, watch) {
            Ok(exact) => {
                let written = |all: &[Rational]| all.iter().map(Rational::to_string).collect();
                found = Some(Exact {
                    to_second: written(&exact.to_second),
                    to_first: written(&exact.to_first),
                    value: exact.value.to_string(),
                });
            }
            Err(error) => {
                warnings.push(format!("{error}: --exact is for short horizons, take a smaller M"));
                if status == Status::Converged {
                    status = match error {
                        ExactError::Stopped { halt, .. } => halt.into(),
                        _ => Status::IterationLimit,
                    };
                }
            }
        }
    }
    let first = solution.to_second.first_step();
    let answer = Answer {
        last_step: Some(lifetime.last()),
        to_second: Thresholds::of(&solution.to_second),
        to_first: Thresholds::of(&solution.to_first),
        value: solution.value.map(Into::into),
        average: None,
        segments: solution.segments,
        first_step: first.filter(|first| *first > 0),
        exact: found,
    };
    Ok((answer, status, warnings))
}

fn endless(problem: &Problem, settings: &Settings, watch: &Watch) -> Solved {
    let solution = switching::long_run(problem, settings.tolerance, watch)?;
    let mut status = solution.status;
    let mut warnings = Vec::new();
    if status == Status::IterationLimit {
        let width = solution.to_second.width().max(solution.to_first.width());
        warnings.push(format!("{TOO_WIDE}: the wider threshold interval is {width:.2e}"));
    }
    if settings.exact {
        warnings.push("--exact is for short horizons: give the model a lifetime".to_owned());
        if status == Status::Converged {
            status = Status::IterationLimit;
        }
    }
    let answer = Answer {
        last_step: None,
        to_second: Thresholds::always(solution.to_second),
        to_first: Thresholds::always(solution.to_first),
        value: None,
        average: Some(solution.average.into()),
        segments: solution.segments,
        first_step: None,
        exact: None,
    };
    Ok((answer, status, warnings))
}
