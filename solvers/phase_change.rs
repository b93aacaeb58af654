//! The `PhaseChange` problem: from model to threshold curve.

use crate::cli::Settings;
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::model::phase_change::{MAX_PER_STEP, PhaseChange};
use crate::run::Watch;
use crate::solution::{Body, Solved};
use remapping::threshold::exact::{self, ExactError};
use remapping::threshold::{self, Accuracy, Curve};
use remapping::{Rational, Status};
use serde::Serialize;

/// Threshold curve of a phase-change problem.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    /// M.
    pub last_step: u64,
    /// Least n from which on remapping never pays; M + 1 if there is none, 0 if it never does. `null` if
    /// the computation was stopped before that was known.
    pub n0: Option<u64>,
    /// pi_n for n = 0..=M; for M > 10^6 only for the steps after `stationary_through`.
    pub threshold: Vec<f64>,
    /// Certified lower bounds, step by step.
    pub threshold_lower: Vec<f64>,
    /// Certified upper bounds, step by step.
    pub threshold_upper: Vec<f64>,
    /// V at p = 0, n = 0; absent if the computation was stopped before step 0.
    pub value: Option<Interval>,
    /// The most linear segments a cost function had.
    pub segments: usize,
    /// What keeping up the belief p takes.
    /// Absent if the detector says more than yes or no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub belief: Option<Filter>,
    /// For M > 10^6: the threshold of every step 0..=`stationary_through`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_stationary: Option<f64>,
    /// Its certified lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_stationary_lower: Option<f64>,
    /// Its certified upper bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_stationary_upper: Option<f64>,
    /// For M > 10^6: the last step with the stationary threshold; the arrays start after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stationary_through: Option<u64>,
    /// The bounds [lower, upper] of the first steps, where they differ from the stationary ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_head: Option<Vec<[f64; 2]>>,
    /// The step the arrays start at, if the computation was stopped before step 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_step: Option<u64>,
    /// With `--exact`: the same thresholds as fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Exact>,
    /// The curve itself, for drawing.
    #[serde(skip)]
    pub curve: Curve,
}

/// The parameters of Bayes' rule: how often the detector errs and how often the phase changes.
#[derive(Debug, Clone, Serialize)]
pub struct Filter {
    /// alpha.
    pub false_alarm: f64,
    /// beta.
    pub missed: f64,
    /// phi: one number, or h_n for n = 1..=M.
    pub hazard: Hazard,
}

/// The chance of the change of phase per step.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Hazard {
    /// The same at every step.
    Constant(f64),
    /// Between step n - 1 and step n, from n = 1.
    PerStep(Vec<f64>),
}

/// A certified interval.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Interval {
    /// Not above the true value.
    pub lower: f64,
    /// Not below the true value.
    pub upper: f64,
}

/// The exact solution, for short horizons.
#[derive(Debug, Clone, Serialize)]
pub struct Exact {
    /// pi_n as fractions.
    pub threshold: Vec<String>,
    /// pi_n as decimals.
    pub threshold_decimal: Vec<f64>,
    /// n0.
    pub n0: u64,
    /// V at p = 0, n = 0, as a fraction.
    pub value: String,
}

/// Most segments an exact value function may have: some seconds of work.
const EXACT_SEGMENTS: usize = 20_000;

/// Solves the model.
pub fn solve(
    loaded: &Loaded,
    model: &PhaseChange,
    settings: &Settings,
    watch: &Watch,
) -> Result<Solved, Vec<Complaint>> {
    let problem = model.problem();
    let refuse = |message: String, help: &str| {
        vec![loaded.complain("problem", "this model cannot be solved", &message, help)]
    };
    let accuracy = Accuracy {
        tolerance: settings.tolerance,
        segments: settings.segments.map(|count| count as usize),
    };
    let solution = threshold::solve(&problem, accuracy, watch)
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
            // The certified bounds stand; only the fractions are missing.
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
    let value = solution.value.map(|(lower, upper)| Interval { lower, upper });
    let mut answer = Answer {
        last_step: last,
        n0: Some(solution.onset).filter(|n0| stopped_at.is_some_and(|n| n == 0 || n < *n0)),
        threshold: Vec::new(),
        threshold_lower: Vec::new(),
        threshold_upper: Vec::new(),
        value,
        segments: solution.segments,
        belief: problem.detector.as_binary().filter(|_| model.says_yes_or_no()).map(|detector| {
            Filter {
                false_alarm: detector.false_alarm(),
                missed: detector.missed(),
                hazard: match &problem.hazard {
                    threshold::Hazard::Constant(h) => Hazard::Constant(decimal(h)),
                    threshold::Hazard::PerStep(list) => {
                        Hazard::PerStep(list.iter().map(decimal).collect())
                    }
                },
            }
        }),
        threshold_stationary: None,
        threshold_stationary_lower: None,
        threshold_stationary_upper: None,
        stationary_through: None,
        threshold_head: None,
        first_step: None,
        exact,
        curve: solution.curve,
    };
    answer.lay_out();
    Ok(Solved { body: Body::PhaseChange(Box::new(answer)), status, warnings })
}

fn decimal(value: &Rational) -> f64 {
    value.to_f64().value()
}

impl Answer {
    /// Fills the arrays from the curve.
    fn lay_out(&mut self) {
        let curve = std::mem::take(&mut self.curve);
        let Some(first) = curve.first_step() else { return };
        let mut from = first;
        if self.last_step > MAX_PER_STEP {
            let longest = curve.runs().max_by_key(|run| run.last - run.first);
            if let Some(run) = longest.filter(|run| run.last - run.first >= MAX_PER_STEP) {
                self.threshold_stationary = Some(run.bounds.middle());
                self.threshold_stationary_lower = Some(run.bounds.lower);
                self.threshold_stationary_upper = Some(run.bounds.upper);
                self.stationary_through = Some(run.last);
                from = run.last + 1;
                if run.first > 0 {
                    let head = (0..run.first).filter_map(|n| curve.at(n));
                    self.threshold_head =
                        Some(head.map(|bounds| [bounds.lower, bounds.upper]).collect());
                }
            }
        }
        if from == first && first > 0 {
            self.first_step = Some(first);
        }
        for run in curve.runs().filter(|run| run.last >= from) {
            for _ in run.first.max(from)..=run.last {
                self.threshold.push(run.bounds.middle());
                self.threshold_lower.push(run.bounds.lower);
                self.threshold_upper.push(run.bounds.upper);
            }
        }
        self.curve = curve;
    }
}
