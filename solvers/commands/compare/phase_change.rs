//! `remap compare` for a change of phase: what threshold policies cost, exactly up to certified bounds.

use super::super::solve::to_json;
use super::{Asked, Exit, Row, report};
use crate::evaluation::{AIM, Bounds, Rule, expected};
use crate::model::Loaded;
use crate::model::complaint::Complaint;
use crate::model::phase_change::{MAX_PER_STEP, PhaseChange};
use crate::output::{say, write_file};
use crate::render::bars::Bars;
use crate::render::plot::{Format, picture};
use crate::run::Watch;
use remapping::threshold::evaluation::EvaluationError;
use remapping::threshold::{self, Accuracy, PhaseChange as Problem, Premature, Solution};
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
    lower: f64,
    upper: f64,
    /// The bounds are proved.
    level: f64,
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
    /// How much of what the optimal policy gains over never remapping, in per cent; absent if it may gain
    /// nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    gain_kept: Option<Bounds>,
}

pub(super) fn run(arguments: &Asked<'_>, loaded: &Loaded, model: &PhaseChange) -> Exit {
    match compare(arguments, loaded, model) {
        Ok(exit) => exit,
        Err(complaints) => report(&complaints),
    }
}

fn compare(
    arguments: &Asked<'_>,
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
    arguments.show(&text, || table(&document));
    arguments.write_document(&text).map_err(|complaint| vec![complaint])?;
    if let Some(plot) = &arguments.plot {
        let bars = document.policies.iter().map(|line| {
            let regret = line.per_metric.regret_optimal;
            (line.policy.as_str(), regret.middle(), regret.half_width())
        });
        let bars = Bars {
            title: document.title,
            axis: "expected time above the optimum",
            bars: bars.collect(),
        };
        let drawn = Format::of(plot).and_then(|format| picture(format, &bars));
        drawn
            .and_then(|bytes| write_file(plot, &bytes, arguments.force))
            .map_err(|complaint| vec![complaint])?;
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
        let never = Rule::Never.cost(problem, &solution, None, watch);
        for (name, rule) in names.iter().zip(rules) {
            let evaluated = never.clone().and_then(|never| {
                line(name, rule, problem, &solution, (optimum.into(), never), watch)
            });
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
        proved: true,
        remaps: line.per_metric.remaps.map(Bounds::middle),
    };
    found.map_or_else(|_| Vec::new(), |(lines, _)| lines.into_iter().map(row).collect())
}

fn wrong(name: &str, why: &str) -> Complaint {
    Complaint::elsewhere(
        format!("--policies {name}: {why}"),
        "policies: optimal, fixed:tau, guarded:tau (the same while D <= T G, T the mean number of cycles \
         left, the present one included), heuristic_1986 (or :factor, by which it misjudges the gain), never",
    )
}

/// Costs nothing but remapping: `test` for every attempt, `install` for those after the change.
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
    if let Some(thresholds) = rule.thresholds(problem, solution) {
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
    let possible =
        Bounds { lower: never.lower - optimum.upper, upper: never.upper - optimum.lower };
    let gained = Bounds { lower: never.lower - cost.upper, upper: never.upper - cost.lower };
    Ok(Line {
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
            gain_kept: (possible.lower > 0.0).then(|| gained.percent_of(possible)),
        },
    })
}

fn table(document: &Document<'_>) -> String {
    let mut text = format!("{}\n± half of the proved bounds\n", document.title);
    let _ = writeln!(
        text,
        "{:<20}{:>26}{:>10}{:>11}{:>22}{:>10}",
        "policy", "expected time", "remaps", "premature", "above optimal", "kept %"
    );
    for line in &document.policies {
        let metrics = &line.per_metric;
        let cost = format!("{:.6} ± {:.1e}", line.mean, line.half_width);
        let number = |count: Option<Bounds>| {
            count.map_or(String::new(), |bounds| format!("{:.4}", bounds.middle()))
        };
        let (remaps, premature) = (number(metrics.remaps), number(metrics.premature_remaps));
        let regret = metrics.regret_optimal;
        let kept = metrics.gain_kept.map_or(String::new(), |kept| format!("{:.2}", kept.middle()));
        let _ = writeln!(
            text,
            "{:<20}{cost:>26}{remaps:>10}{premature:>11}{:>22}{kept:>10}",
            line.policy,
            format!("{:.6} ± {:.1e}", regret.middle(), regret.half_width()),
        );
    }
    text
}
