//! The `PhaseSwitching` problem: from model to two threshold curves.

use crate::cli::Settings;
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::model::phase_change::MAX_PER_STEP;
use crate::model::phase_switching::PhaseSwitching;
use crate::phase_change::Interval;
use crate::run::Watch;
use crate::solution::{Body, Solved};
use remapping::lifetime::Lifetime;
use remapping::switching::exact::{self, ExactError};
use remapping::switching::{self, PhaseSwitching as Problem};
use remapping::threshold::{Bounds, Curve};
use remapping::{Rational, Status};
use serde::Serialize;

/// Both threshold curves of recurring phases.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// M; absent for a program that never ends, whose arrays have one entry.
    pub last_step: Option<u64>,
    /// Under the first mapping, switch if p exceeds it: for n = 0..=M.
    pub to_second: Thresholds,
    /// Under the second mapping, switch back if p is below it.
    pub to_first: Thresholds,
    /// The least expected time, from step 0, the first mapping and the initial belief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Interval>,
    /// The least average time of a cycle, for a program that never ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<Interval>,
    /// The most linear pieces a function had.
    pub segments: usize,
    /// The step the arrays start at, if the computation was stopped before step 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_step: Option<u64>,
    /// With `--exact`: the same as fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Exact>,
    /// The curves, for drawing: to the second mapping, and back.
    #[serde(skip)]
    pub curves: [Curve; 2],
}

/// A curve with its certified bounds.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Thresholds {
    /// The middle of the bounds; for M > 10^6 only for the steps after `stationary_through`.
    pub threshold: Vec<f64>,
    /// Certified lower bounds, step by step.
    pub lower: Vec<f64>,
    /// Certified upper bounds, step by step.
    pub upper: Vec<f64>,
    /// For M > 10^6: what most steps share.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub stationary: Option<Stationary>,
}

/// The threshold that more than 10^6 steps share.
#[derive(Debug, Clone, Serialize)]
pub struct Stationary {
    /// The middle of its bounds.
    pub stationary: f64,
    /// Its certified lower bound.
    pub stationary_lower: f64,
    /// Its certified upper bound.
    pub stationary_upper: f64,
    /// The last step that has it; the arrays start after it.
    pub stationary_through: u64,
    /// The bounds [lower, upper] of the first steps, where they differ from the stationary ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub head: Vec<[f64; 2]>,
}

impl Thresholds {
    fn push(&mut self, bounds: Bounds) {
        self.threshold.push(bounds.middle());
        self.lower.push(bounds.lower);
        self.upper.push(bounds.upper);
    }

    fn of(curve: &Curve) -> Thresholds {
        let mut all = Thresholds::default();
        let longest = curve.runs().max_by_key(|run| run.last - run.first);
        let long = longest.filter(|run| run.last - run.first >= MAX_PER_STEP);
        all.stationary = long.map(|run| {
            let first = curve.first_step().unwrap_or(run.first);
            let head = (first..run.first).filter_map(|n| curve.at(n));
            Stationary {
                stationary: run.bounds.middle(),
                stationary_lower: run.bounds.lower,
                stationary_upper: run.bounds.upper,
                stationary_through: run.last,
                head: head.map(|bounds| [bounds.lower, bounds.upper]).collect(),
            }
        });
        let from = long.map_or(0, |run| run.last + 1);
        for run in curve.runs().filter(|run| run.last >= from) {
            (run.first..=run.last).for_each(|_| all.push(run.bounds));
        }
        all
    }

    fn always(bounds: Bounds) -> Thresholds {
        let mut one = Thresholds::default();
        one.push(bounds);
        one
    }
}

/// The exact solution, for short horizons.
#[derive(Debug, Clone, Serialize)]
pub struct Exact {
    /// Thresholds to the second mapping as fractions.
    pub to_second: Vec<String>,
    /// Thresholds back as fractions.
    pub to_first: Vec<String>,
    /// The value as a fraction.
    pub value: String,
}

/// Most segments an exact value function may have.
const EXACT_SEGMENTS: usize = 20_000;

/// Solves the model.
pub fn solve(
    loaded: &Loaded,
    model: &PhaseSwitching,
    settings: &Settings,
    watch: &Watch,
) -> Result<Solved, Vec<Complaint>> {
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
    Ok(Solved { body: Body::PhaseSwitching(Box::new(answer)), status, warnings })
}

type Found = Result<(Answer, Status, Vec<String>), switching::SwitchingError>;

/// Says which widths missed the tolerance, and by how much.
fn missed(tolerance: f64, widths: [(&str, f64); 2]) -> Vec<String> {
    let wide = widths.into_iter().filter(|(_, width)| *width > tolerance);
    wide.map(|(what, width)| match width.is_finite() {
        true => format!("the tolerance was not reached: {what} is {width:.2e} wide"),
        false => format!("the tolerance was not reached: {what} could not be bounded"),
    })
    .collect()
}

fn finite(problem: &Problem, lifetime: &Lifetime, settings: &Settings, watch: &Watch) -> Found {
    let solution = switching::solve(problem, lifetime, settings.tolerance, watch)?;
    let mut status = solution.status;
    let mut warnings = Vec::new();
    if status == Status::IterationLimit {
        let thresholds = ("the widest threshold interval", solution.threshold_width());
        let value = ("the value's interval, relative to it,", solution.value_width());
        warnings.extend(missed(settings.tolerance, [thresholds, value]));
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
        value: solution.value.map(|(lower, upper)| Interval { lower, upper }),
        average: None,
        segments: solution.segments,
        first_step: first.filter(|first| *first > 0),
        exact: found,
        curves: [solution.to_second, solution.to_first],
    };
    Ok((answer, status, warnings))
}

fn endless(problem: &Problem, settings: &Settings, watch: &Watch) -> Found {
    let solution = switching::long_run(problem, settings.tolerance, watch)?;
    let mut status = solution.status;
    let mut warnings = Vec::new();
    let (lower, upper) = solution.average;
    if status == Status::IterationLimit {
        let width = solution.to_second.width().max(solution.to_first.width());
        let average = (upper - lower) / lower.abs().max(1.0);
        let thresholds = ("the wider threshold interval", width);
        let average = ("the average's interval, relative to it,", average);
        warnings.extend(missed(settings.tolerance, [thresholds, average]));
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
        average: Some(Interval { lower, upper }),
        segments: solution.segments,
        first_step: None,
        exact: None,
        curves: Default::default(),
    };
    Ok((answer, status, warnings))
}
