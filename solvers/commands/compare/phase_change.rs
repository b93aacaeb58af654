//! `remap compare` for a change of phase: what threshold policies cost, exactly up to certified bounds.

use super::super::solve::to_json;
use super::{Exit, Row, report};
use crate::cli::Compare;
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::model::phase_change::{MAX_PER_STEP, PhaseChange};
use crate::output::{make_folder, print, say, write_file};
use crate::run::Watch;
use remapping::threshold::evaluation::{
    Estimating, EvaluationError, ThresholdPolicy, evaluate, evaluate_estimating,
};
use remapping::threshold::{self, Accuracy, PhaseChange as Problem, Premature};
use remapping::{Rational, Status};
use serde::Serialize;
use std::fmt::Write;

/// What is printed and written.
#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    problem: &'static str,
    policies: Vec<Line>,
    status: Status,
    tolerance: f64,
    version: &'static str,
    seconds: f64,
    warnings: &'a [String],
}

/// What one policy costs.
#[derive(Serialize)]
struct Line {
    policy: String,
    /// The middle of the certified bounds, and half their distance.
    mean: f64,
    half_width: f64,
    per_metric: Metrics,
}

#[derive(Serialize)]
struct Metrics {
    lower: f64,
    upper: f64,
    /// Expected number of remappings; absent for the heuristic of 1986.
    #[serde(skip_serializing_if = "Option::is_none")]
    remaps: Option<Bounds>,
    /// Of those, before the change; absent where a premature remapping is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    premature_remaps: Option<Bounds>,
    /// Above the optimum.
    regret_optimal: Bounds,
}

#[derive(Clone, Copy, Serialize)]
struct Bounds {
    lower: f64,
    upper: f64,
}

impl Bounds {
    fn middle(self) -> f64 {
        0.5 * (self.lower + self.upper)
    }
}

impl Line {
    fn new(
        name: &str,
        cost: Bounds,
        remaps: Option<Bounds>,
        premature_remaps: Option<Bounds>,
        (least, most): (f64, f64),
    ) -> Line {
        let regret_optimal =
            Bounds { lower: (cost.lower - most).max(0.0), upper: (cost.upper - least).max(0.0) };
        Line {
            policy: name.trim().to_owned(),
            mean: cost.middle(),
            half_width: 0.5 * (cost.upper - cost.lower),
            per_metric: Metrics {
                lower: cost.lower,
                upper: cost.upper,
                remaps,
                premature_remaps,
                regret_optimal,
            },
        }
    }
}

/// Width of the bounds that is aimed at, relative to max(1, |cost|).
const AIM: f64 = 1e-6;

/// Joining pieces may widen a value by so many gains at first; by less if that is too coarse.
const MERGES: [f64; 5] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7];

/// An evaluation that has taken so many seconds is not repeated ten times as fine.
const LONG: f64 = 3.0;

pub(super) fn run(arguments: &Compare, loaded: &Loaded, model: &PhaseChange) -> Exit {
    match compare(arguments, loaded, model) {
        Ok(exit) => exit,
        Err(complaints) => report(&complaints),
    }
}

fn compare(
    arguments: &Compare,
    loaded: &Loaded,
    model: &PhaseChange,
) -> Result<Exit, Vec<Complaint>> {
    let problem = model.problem();
    let last = problem.last_step();
    if last > MAX_PER_STEP {
        let label = format!("M = {last}");
        let help = format!("policies are evaluated step by step: take M <= {MAX_PER_STEP}");
        let message = "the horizon is too long to evaluate policies";
        return Err(vec![loaded.complain("problem.lifetime", message, &label, &help)]);
    }
    if arguments.plot.is_some() {
        let help = "draw the thresholds: remap solve MODEL.ron --plot FILE";
        return Err(vec![Complaint::elsewhere("this comparison has no picture", help)]);
    }
    let named =
        ["optimal", "heuristic_1986", "fixed:0.7", "guarded:0.7", "never"].map(str::to_owned);
    let names =
        if arguments.policies.is_empty() { named.to_vec() } else { arguments.policies.clone() };
    let rules =
        names.iter().map(|name| name.parse::<Rule>().map_err(|why| vec![wrong(name, &why)]));
    let rules = rules.collect::<Result<Vec<_>, _>>()?;
    let watch = Watch::start(&loaded.model.title, arguments.time_limit);
    let (policies, status) = played(&names, rules, loaded, &problem, &watch)?;
    for warning in &loaded.warnings {
        say(&format!("warning: {}: {warning}", arguments.model.display()));
    }
    let document = Document {
        title: &loaded.model.title,
        problem: "phase_change",
        policies,
        status,
        tolerance: AIM,
        version: env!("CARGO_PKG_VERSION"),
        seconds: watch.seconds(),
        warnings: &loaded.warnings,
    };
    let text = to_json(&document);
    print(&if arguments.json { text.clone() } else { table(&document) });
    if let Some(folder) = &arguments.out {
        make_folder(folder).map_err(|complaint| vec![complaint])?;
        let name = arguments.model.file_stem().unwrap_or_default();
        let path = folder.join(name).with_extension("json");
        write_file(&path, text.as_bytes(), arguments.force).map_err(|complaint| vec![complaint])?;
    }
    Ok(status.into())
}

/// What the policies cost, as far as the watch lets it be computed.
fn played(
    names: &[String],
    rules: Vec<Rule>,
    loaded: &Loaded,
    problem: &Problem,
    watch: &Watch,
) -> Result<(Vec<Line>, Status), Vec<Complaint>> {
    let accuracy = Accuracy { tolerance: 1e-9, segments: None };
    let solution = threshold::solve(problem, accuracy, watch)
        .map_err(|error| vec![loaded.complain("problem", &error.to_string(), "", "")])?;
    let mut status = solution.status;
    let mut policies = Vec::new();
    if let (Some(optimum), Some(0)) = (solution.value, solution.curve.first_step()) {
        for (name, rule) in names.iter().zip(rules) {
            let evaluated = match rule {
                Rule::Heuristic1986(factor) => estimating(name, problem, factor, optimum, watch),
                _ => {
                    let thresholds = rule.thresholds(problem, &solution);
                    line(name, problem, &thresholds, optimum, watch)
                }
            };
            match evaluated {
                Ok(line) => policies.push(line),
                Err(EvaluationError::Stopped(halt)) => {
                    status = halt.into();
                    break;
                }
                Err(error) => {
                    return Err(vec![loaded.complain("problem", &error.to_string(), "", "")]);
                }
            }
        }
    }
    Ok((policies, status))
}

/// The usual policies for a report.
pub(super) fn rows(loaded: &Loaded, model: &PhaseChange, time_limit: f64) -> Vec<Row> {
    let problem = model.problem();
    if problem.last_step() > MAX_PER_STEP {
        return Vec::new();
    }
    let names = ["optimal", "fixed:0.7", "guarded:0.7", "never"].map(str::to_owned);
    let rules = names.iter().filter_map(|name| name.parse::<Rule>().ok()).collect();
    let watch = Watch::start(&loaded.model.title, Some(time_limit));
    let found = played(&names, rules, loaded, &problem, &watch);
    let row = |line: Line| Row {
        policy: line.policy,
        cost: line.mean,
        half_width: line.half_width,
        remaps: line.per_metric.remaps.map(Bounds::middle),
    };
    found.map_or_else(|_| Vec::new(), |(lines, _)| lines.into_iter().map(row).collect())
}

/// How thresholds are chosen.
enum Rule {
    Optimal,
    /// The same at every step [NR90, sec. IV].
    Fixed(f64),
    /// The same as long as remapping can still pay for itself.
    Guarded(f64),
    /// Estimate first, with the gain off by this factor [NR86, sec. VIII].
    Heuristic1986(f64),
    Never,
}

impl std::str::FromStr for Rule {
    type Err = String;
    fn from_str(name: &str) -> Result<Rule, String> {
        let threshold = |text: &str| match text.parse::<f64>() {
            Ok(tau) if (0.0..=1.0).contains(&tau) => Ok(tau),
            _ => Err(format!("{text:?} is not a probability")),
        };
        match name.trim().split_once(':') {
            None if name.trim() == "optimal" => Ok(Rule::Optimal),
            None if name.trim() == "never" => Ok(Rule::Never),
            None if name.trim() == "heuristic_1986" => Ok(Rule::Heuristic1986(1.0)),
            Some(("heuristic_1986", factor)) => match factor.parse::<f64>() {
                Ok(factor) if factor > 0.0 && factor.is_finite() => Ok(Rule::Heuristic1986(factor)),
                _ => Err(format!("{factor:?} is not a factor above 0")),
            },
            Some(("fixed", tau)) => threshold(tau).map(Rule::Fixed),
            Some(("guarded", tau)) => threshold(tau).map(Rule::Guarded),
            _ => Err("there is no such policy".to_owned()),
        }
    }
}

impl Rule {
    fn thresholds(&self, problem: &Problem, solution: &threshold::Solution) -> Vec<f64> {
        let steps = 0..=problem.last_step();
        let double = |value: Rational| value.to_f64().value();
        let (delay, gain) = (double(&problem.test + &problem.install), double(problem.gain()));
        let at = |n: u64| match self {
            Rule::Optimal => solution.curve.at(n).map_or(1.0, |bounds| bounds.middle()),
            Rule::Fixed(tau) => *tau,
            Rule::Guarded(tau) if delay <= problem.lifetime.residual_mean(n) * gain => *tau,
            Rule::Guarded(_) | Rule::Heuristic1986(_) | Rule::Never => 1.0,
        };
        steps.map(at).collect()
    }
}

fn wrong(name: &str, why: &str) -> Complaint {
    Complaint::elsewhere(
        format!("--policies {name}: {why}"),
        "policies: optimal, fixed:tau, guarded:tau (never where it cannot pay any more), \
         heuristic_1986 (or :factor, by which it misjudges the gain), never",
    )
}

fn line(
    name: &str,
    problem: &Problem,
    thresholds: &[f64],
    (least, most): (f64, f64),
    watch: &Watch,
) -> Result<Line, EvaluationError> {
    let cost = expected(problem, problem, thresholds, watch)?;
    let free = |test: Rational, install: Rational| Problem {
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
    };
    let remaps = expected(&free(Rational::ONE, Rational::ZERO), problem, thresholds, watch)?;
    let premature_remaps = match problem.premature {
        Premature::Keep { .. } => None,
        Premature::Revert => {
            let right = free(Rational::ZERO, Rational::ONE);
            let right = expected(&right, problem, thresholds, watch)?;
            let (lower, upper) = (remaps.lower - right.upper, remaps.upper - right.lower);
            Some(Bounds { lower: lower.max(0.0), upper })
        }
    };
    Ok(Line::new(name, cost, Some(remaps), premature_remaps, (least, most)))
}

/// The heuristic of 1986, whose estimate of the gain is off by `factor`.
fn estimating(
    name: &str,
    problem: &Problem,
    factor: f64,
    optimum: (f64, f64),
    watch: &Watch,
) -> Result<Line, EvaluationError> {
    let factor = Rational::try_from(factor).expect("finite");
    let misjudged =
        Problem { after: &problem.remapped + factor * problem.gain(), ..problem.clone() };
    let accuracy = Accuracy { tolerance: 1e-2, segments: None };
    let pays_until = threshold::solve(&misjudged, accuracy, watch)?.onset;
    let policy = Estimating { assumed: problem, certainty: CERTAINTY, pays_until };
    let cost = finer(problem, watch, |merge| evaluate_estimating(problem, policy, merge, watch))?;
    Ok(Line::new(name, cost, None, None, optimum))
}

/// rho of [NR86, sec. VIII].
const CERTAINTY: f64 = 0.8;

/// The expected cost, as exactly as is worth the time.
fn expected(
    problem: &Problem,
    assumed: &Problem,
    thresholds: &[f64],
    watch: &Watch,
) -> Result<Bounds, EvaluationError> {
    let policy = ThresholdPolicy { assumed, thresholds };
    finer(problem, watch, |merge| evaluate(problem, policy, merge, watch))
}

/// Evaluates more and more finely.
fn finer(
    problem: &Problem,
    watch: &Watch,
    evaluate: impl Fn(f64) -> Result<(f64, f64), EvaluationError>,
) -> Result<Bounds, EvaluationError> {
    let scale = problem.gain().to_f64().value().abs();
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let mut best = Bounds { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
    for merge in MERGES {
        let started = watch.seconds();
        let (lower, upper) = evaluate(merge * scale)?;
        // Every run's bounds hold, so their intersection does.
        best = Bounds { lower: best.lower.max(lower), upper: best.upper.min(upper) };
        let close = best.upper - best.lower <= AIM * best.lower.abs().max(1.0);
        if close || watch.seconds() - started > LONG {
            break;
        }
    }
    Ok(best)
}

fn table(document: &Document<'_>) -> String {
    let mut text = format!("{}\n", document.title);
    let _ = writeln!(
        text,
        "{:<20}{:>26}{:>12}{:>12}{:>22}",
        "policy", "expected time", "remaps", "premature", "above optimal"
    );
    for line in &document.policies {
        let metrics = &line.per_metric;
        let cost = format!("{:.6} ± {:.1e}", line.mean, line.half_width);
        let number = |count: Option<Bounds>| {
            count.map_or(String::new(), |bounds| format!("{:.4}", bounds.middle()))
        };
        let (remaps, premature) = (number(metrics.remaps), number(metrics.premature_remaps));
        let regret = metrics.regret_optimal;
        let _ = writeln!(
            text,
            "{:<20}{cost:>26}{remaps:>12}{premature:>12}{:>22}",
            line.policy,
            format!("{:.6} ± {:.1e}", regret.middle(), 0.5 * (regret.upper - regret.lower)),
        );
    }
    text
}
