//! `remap compare` for a change of phase: the costs of threshold policies between certified bounds.

use super::evaluation::{AIM, Rule, expected};
use super::model::{MAX_PER_STEP, PhaseChange};
use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::problems::{Asked, Contest, Outcome};
use crate::run::Watch;
use remapping::phase_change::evaluation::EvaluationError;
use remapping::phase_change::{
    self, Accuracy, Bounds, PhaseChange as Problem, Premature, Solution,
};
use remapping::{Rational, Status};
use serde::Serialize;
use std::fmt::Display;
use std::str::FromStr;

/// The costs of threshold policies.
#[derive(Debug, Clone, Serialize)]
pub struct Costs {
    /// One line per policy, as far as the time limit allowed.
    pub policies: Vec<Line>,
    /// The quantity that is compared.
    #[serde(skip)]
    pub measure: Measure,
}

/// The quantity that policies are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The expected time of the program.
    Time,
    /// The average time of a cycle of a program without an end.
    Average,
}

impl Measure {
    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Time => "expected time",
            Measure::Average => "average time of a cycle",
        }
    }

    /// The excess over the optimum, in words.
    pub fn excess(self) -> &'static str {
        match self {
            Measure::Time => "expected time above the optimum",
            Measure::Average => "average time of a cycle above the optimum",
        }
    }
}

/// The cost of one policy.
#[derive(Debug, Clone, Serialize)]
pub struct Line {
    /// Its name.
    pub policy: String,
    /// The middle of the certified bounds.
    pub mean: f64,
    /// Half their distance.
    pub half_width: f64,
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
    /// The confidence level, 1: the bounds are proved.
    pub level: f64,
    /// The other numbers.
    pub per_metric: Metrics,
}

/// Bounds on the cost and the remaps of a policy.
#[derive(Debug, Clone, Serialize)]
pub struct Metrics {
    /// A lower bound on the expected cost.
    pub lower: f64,
    /// An upper bound on it.
    pub upper: f64,
    /// Expected number of remappings; absent for the heuristic of 1986.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaps: Option<Bounds>,
    /// The number of those before the change; absent where a premature remap is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub premature_remaps: Option<Bounds>,
    /// The excess over the optimum.
    pub regret_optimal: Bounds,
    /// The part of the optimal policy's gain over never remapping that it has, in percent; absent
    /// if the optimum may gain nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_kept: Option<Bounds>,
}

impl Costs {
    /// The status of a comparison whose optimum was found with `status`: it depends on the accuracy
    /// of the costs.
    pub fn ended(&self, status: Status) -> Status {
        match status {
            Status::Converged | Status::IterationLimit if self.missed().is_none() => {
                Status::Converged
            }
            Status::Converged => Status::IterationLimit,
            status => status,
        }
    }

    /// The first cost that is not known to the tolerance, if any.
    pub fn missed(&self) -> Option<String> {
        if self.policies.is_empty() {
            let missed = "the optimum is not known from step 0 on: no policy was evaluated";
            return Some(missed.to_owned());
        }
        let unit = |line: &Line| line.lower.abs().max(1.0);
        let apart = |line: &Line| (line.upper - line.lower) / unit(line);
        if let Some(line) = self.policies.iter().find(|line| !apart(line).is_finite()) {
            return Some(format!("what {} costs has no bounds in doubles", line.policy));
        }
        // The bounds on both costs may each be as wide as the tolerance.
        let above = |line: &Line| line.per_metric.regret_optimal.upper / unit(line);
        let far = |line: &&Line| line.policy == "optimal" && above(line) > 2.0 * AIM;
        if let Some(line) = self.policies.iter().find(far) {
            return Some(format!(
                "the tolerance was not reached: the thresholds of `optimal` may cost {:.2e} of max(1, |cost|) more \
                 than the best ones",
                above(line)
            ));
        }
        let wide = self.policies.iter().find(|line| apart(line) > AIM)?;
        Some(format!(
            "the tolerance was not reached: the bounds of what {} costs are {:.2e} of max(1, |cost|) apart",
            wide.policy,
            apart(wide)
        ))
    }
}

/// Evaluates the named policies; all if there are none.
pub(super) fn compare(asked: &Asked<'_, Contest>, model: &PhaseChange) -> Outcome<(Costs, Status)> {
    let Asked { loaded, settings: Contest { policies, .. }, watch, .. } = *asked;
    let problem = model.problem();
    let last = problem.last_step();
    can_be_evaluated(loaded, last, "")?;
    let rules = parsed(policies, &USUAL, wrong)?;
    let (policies, status) = played(rules, loaded, &problem, watch)?;
    let costs = Costs { policies, measure: Measure::Time };
    let status = costs.ended(status);
    Ok((costs, status))
}

/// The policies that are evaluated by default.
const USUAL: [&str; 5] = ["optimal", "heuristic_1986", "fixed:0.7", "guarded:0.7", "never"];

/// The rules of the named policies, or of the usual ones if there are none, with their names.
pub fn parsed<R: FromStr<Err = String>>(
    named: &[String],
    usual: &[&str],
    wrong: fn(&str, &str) -> Complaint,
) -> Outcome<Vec<(String, R)>> {
    let usual = || usual.iter().map(|name| (*name).to_owned()).collect();
    let names = if named.is_empty() { usual() } else { named.to_vec() };
    let rule = |name: String| match name.parse::<R>() {
        Ok(rule) => Ok((name, rule)),
        Err(why) => Err(vec![wrong(&name, &why)]),
    };
    names.into_iter().map(rule).collect()
}

/// The costs of the policies, until the watch stops the computation.
fn played(
    rules: Vec<(String, Rule)>,
    loaded: &ModelFile,
    problem: &Problem,
    watch: &Watch,
) -> Outcome<(Vec<Line>, Status)> {
    let refuse = |error: &dyn Display| vec![loaded.complain("problem", &error.to_string(), "", "")];
    let accuracy = Accuracy { tolerance: 1e-9, segments: None };
    let solution = phase_change::solve(problem, accuracy, watch).map_err(|error| refuse(&error))?;
    let mut status = solution.status;
    let mut policies = Vec::new();
    let (Some(optimum), Some(0)) = (solution.value, solution.curve.first_step()) else {
        return Ok((policies, status));
    };
    let never = Rule::Never.cost(problem, &solution, None, watch);
    for (name, rule) in rules {
        let line = |never| line(&name, rule, problem, &solution, (optimum, never), watch);
        match never.clone().and_then(line) {
            Ok(line) => policies.push(line),
            Err(EvaluationError::Stopped(halt)) => {
                status = halt.into();
                break;
            }
            Err(error) => return Err(refuse(&error)),
        }
    }
    Ok((policies, status))
}

fn wrong(name: &str, why: &str) -> Complaint {
    Complaint::elsewhere(
        format!("--policies {name}: {why}"),
        "policies: optimal, fixed:tau, guarded:tau (the same while D <= T G, T the mean number of cycles \
         left, the present one included), heuristic_1986 (or :factor, by which it misjudges the gain), never",
    )
}

/// The problem in which only remaps cost something: `test` for every attempt, `install` for those
/// after the change.
fn counting(problem: &Problem, test: Rational, install: Rational) -> Problem {
    Problem {
        before: Rational::ZERO,
        after: Rational::ZERO,
        remapped: Rational::ZERO,
        premature: match problem.premature {
            Premature::Revert => Premature::Revert,
            Premature::Keep { .. } => Premature::Keep { before_remapped: Rational::ZERO },
        },
        test,
        install,
        ..problem.clone()
    }
}

impl Line {
    /// The line of a policy with these bounds on its cost, relative to the optimum and to never
    /// remapping. It includes bounds on the number of its remaps and on that of the premature ones.
    pub fn between(
        name: &str,
        cost: Bounds,
        [optimum, never]: [Bounds; 2],
        [remaps, premature_remaps]: [Option<Bounds>; 2],
    ) -> Line {
        let possible =
            Bounds { lower: never.lower - optimum.upper, upper: never.upper - optimum.lower };
        let gained = Bounds { lower: never.lower - cost.upper, upper: never.upper - cost.lower };
        // Nothing gains more than the optimum.
        let kept = |share: Bounds| Bounds { upper: share.upper.min(100.0), ..share };
        Line {
            policy: name.trim().to_owned(),
            mean: cost.middle(),
            half_width: cost.half_width(),
            lower: cost.lower,
            upper: cost.upper,
            level: 1.0,
            per_metric: Metrics {
                lower: cost.lower,
                upper: cost.upper,
                remaps,
                premature_remaps,
                regret_optimal: cost.above(optimum),
                gain_kept: (possible.lower > 0.0).then(|| kept(gained.percent_of(possible))),
            },
        }
    }
}

/// Refuses programs that are too long for evaluating policies. `or` is appended to the help.
pub fn can_be_evaluated(loaded: &ModelFile, last: u64, or: &str) -> Outcome<()> {
    if last > MAX_PER_STEP {
        let label = format!("M = {last}");
        let help = format!("policies are evaluated step by step: take M <= {MAX_PER_STEP}{or}");
        let message = "the horizon is too long to evaluate policies";
        return Err(vec![loaded.complain("problem.lifetime", message, &label, &help)]);
    }
    Ok(())
}

fn line(
    name: &str,
    rule: Rule,
    problem: &Problem,
    solution: &Solution,
    (optimum, never): (Bounds, Bounds),
    watch: &Watch,
) -> Result<Line, EvaluationError> {
    let cost = rule.cost(problem, solution, None, watch)?;
    let (mut remaps, mut premature_remaps) = (None, None);
    if let Rule::Never = rule {
        let none = Bounds { lower: 0.0, upper: 0.0 };
        remaps = Some(none);
        premature_remaps = (problem.premature == Premature::Revert).then_some(none);
    } else if let Some(thresholds) = rule.thresholds(problem, solution) {
        let count = |test: Rational, install: Rational| {
            let free = counting(problem, test, install);
            expected(&free, problem, &thresholds, None, watch)
        };
        let all = count(Rational::ONE, Rational::ZERO)?;
        remaps = Some(all);
        if problem.premature == Premature::Revert {
            let right = count(Rational::ZERO, Rational::ONE)?;
            let (lower, upper) = (all.lower - right.upper, all.upper - right.lower);
            premature_remaps = Some(Bounds { lower: lower.max(0.0), upper });
        }
    }
    Ok(Line::between(name, cost, [optimum, never], [remaps, premature_remaps]))
}
