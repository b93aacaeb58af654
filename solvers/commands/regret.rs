//! `remap regret`: what a wrong parameter costs.

use super::axes::{Axis, axes, decimal};
use super::{Exit, report};
use crate::cli::Regret as Arguments;
use crate::complaint::Complaint;
use crate::model::phase_change::MAX_PER_STEP;
use crate::model::{Loaded, Problem};
use crate::output::{check_free, print, say, write_file};
use crate::plot::chart::Chart;
use crate::plot::{Format, picture};
use crate::problems::phase_change::evaluation::{Rule, expected, optimal_thresholds};
use crate::render::digits::proved;
use crate::run::Watch;
use crate::solution::to_json;
use remapping::threshold::evaluation::EvaluationError;
use remapping::threshold::{self, Accuracy, Bounds, PhaseChange};
use remapping::{Rational, Status};
use serde::Serialize;
use std::fmt::Write;

/// What is printed.
#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    problem: &'static str,
    /// The cost of the optimal policy, and of never remapping.
    optimum: Bounds,
    never: Bounds,
    curves: Vec<Curve>,
    status: Status,
    tolerance: f64,
    version: &'static str,
    seconds: f64,
    warnings: &'a [String],
}

/// The regrets over one parameter.
#[derive(Serialize)]
struct Curve {
    path: String,
    /// The true value, if it is a number.
    #[serde(rename = "true")]
    truth: Option<f64>,
    points: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    /// What the parameter is taken for.
    value: String,
    /// By which factor it (for the cycle time after the change: the gain) is off.
    factor: Option<f64>,
    /// The threshold of step 0 that follows.
    threshold: f64,
    cost: Bounds,
    /// Above the optimum.
    regret: Bounds,
    /// That, as a percentage of what the optimal policy gains over never remapping.
    lost: Option<Bounds>,
}

/// Accuracy of the thresholds.
const TOLERANCE: f64 = 1e-9;

/// How exactly costs are wanted, as a share of the possible gain.
const AIM: f64 = 1e-4;

/// What a parameter is off by without `--set`.
const FACTORS: [(u64, u64); 11] =
    [(1, 10), (1, 5), (3, 10), (1, 2), (7, 10), (1, 1), (7, 5), (2, 1), (3, 1), (5, 1), (10, 1)];

pub(super) fn run(arguments: &Arguments) -> Exit {
    let set = axes(&arguments.set).and_then(|set| match &arguments.plot {
        Some(plot) => Format::of(plot).map(|_| set),
        None => Ok(set),
    });
    let set = match set {
        Ok(set) => set,
        Err(complaint) => {
            report(&[complaint]);
            return Exit::Usage;
        }
    };
    match regret(arguments, set) {
        Ok(exit) => exit,
        Err(complaints) => report(&complaints),
    }
}

/// The model a policy believes in, with its thresholds as far as the true model goes.
struct Believed {
    problem: PhaseChange,
    thresholds: Vec<f64>,
}

fn regret(arguments: &Arguments, set: Vec<Axis>) -> Result<Exit, Vec<Complaint>> {
    let one = |complaint| vec![complaint];
    if let Some(plot) = &arguments.plot {
        check_free(plot, arguments.force).map_err(one)?;
    }
    let loaded = Loaded::read(&arguments.model)?;
    let problem = phase_change(&loaded)?;
    let set = if arguments.set.is_empty() { usual(&loaded, &problem) } else { set };
    for axis in &set {
        let first = axis.values.first().map_or("", String::as_str);
        loaded.check_places(&[(&axis.path, first)]).map_err(one)?;
    }
    let watch = Watch::start(&loaded.model.title, arguments.time_limit);
    let wrong = |error: String| vec![loaded.complain("problem", &error, "", "")];
    let solution =
        threshold::solve(&problem, accuracy(), &watch).map_err(|error| wrong(error.to_string()))?;
    let (Some(optimum), Some(0)) = (solution.value, solution.curve.first_step()) else {
        return Ok(solution.status.into());
    };
    let optimum = Bounds::from(optimum);
    let never = Rule::Never.cost(&problem, &solution, None, &watch);
    let never = never.map_err(|error| wrong(error.to_string()))?;
    let possible =
        Bounds { lower: never.lower - optimum.upper, upper: never.upper - optimum.lower };
    let aim = (possible.lower > 0.0).then_some(AIM * possible.lower);
    let mut status = solution.status;
    let mut curves = Vec::new();
    'axes: for axis in &set {
        let mut points = Vec::new();
        for value in &axis.values {
            let assumed = loaded.with(&[(&axis.path, value)])?;
            let believed = phase_change(&assumed)?;
            let cost = believe(&believed, problem.last_step(), &watch).and_then(|believed| {
                let Believed { problem: assumed, thresholds } = &believed;
                let cost = expected(&problem, assumed, thresholds, aim, &watch)?;
                Ok((cost, thresholds[0]))
            });
            let (cost, threshold) = match cost {
                Ok(found) => found,
                Err(EvaluationError::Stopped(halt)) => {
                    status = halt.into();
                    curves.push(curve(&loaded, axis, points));
                    break 'axes;
                }
                Err(error) => return Err(wrong(error.to_string())),
            };
            let regret = cost.above(optimum);
            points.push(Point {
                value: value.clone(),
                factor: factor(&loaded, &axis.path, &problem, &believed, value),
                threshold,
                cost,
                regret,
                lost: (possible.lower > 0.0).then(|| regret.percent_of(possible)),
            });
        }
        curves.push(curve(&loaded, axis, points));
    }
    for warning in &loaded.warnings {
        say(&format!("warning: {}: {warning}", arguments.model.display()));
    }
    let document = Document {
        title: &loaded.model.title,
        problem: "phase_change",
        optimum,
        never,
        curves,
        status,
        tolerance: TOLERANCE,
        version: env!("CARGO_PKG_VERSION"),
        seconds: watch.seconds(),
        warnings: &loaded.warnings,
    };
    print(&if arguments.json { to_json(&document) } else { table(&document) });
    if let Some(plot) = &arguments.plot {
        draw(&document)
            .and_then(|lines| picture(Format::of(plot)?, &lines))
            .and_then(|bytes| write_file(plot, &bytes, arguments.force))
            .map_err(one)?;
    }
    Ok(status.into())
}

fn accuracy() -> Accuracy {
    Accuracy { tolerance: TOLERANCE, segments: None }
}

fn phase_change(loaded: &Loaded) -> Result<PhaseChange, Vec<Complaint>> {
    let Problem::PhaseChange(model) = &loaded.model.problem else {
        let help = "give a model with problem: PhaseChange(...)";
        let message = "regrets are computed for changes of phase";
        return Err(vec![loaded.complain("problem", message, "", help)]);
    };
    let problem = model.problem();
    let last = problem.last_step();
    if last > MAX_PER_STEP {
        let label = format!("M = {last}");
        let help = format!("policies are evaluated step by step: take M <= {MAX_PER_STEP}");
        let message = "the horizon is too long to evaluate policies";
        return Err(vec![loaded.complain("problem.lifetime", message, &label, &help)]);
    }
    Ok(problem)
}

/// Solves the believed problem; past its end it never remaps.
fn believe(problem: &PhaseChange, last: u64, watch: &Watch) -> Result<Believed, EvaluationError> {
    let solution = threshold::solve(problem, accuracy(), watch)?;
    match solution.status {
        Status::TimeLimit => return Err(EvaluationError::Stopped(remapping::Halt::TimeLimit)),
        Status::Interrupted => return Err(EvaluationError::Stopped(remapping::Halt::Interrupted)),
        Status::Converged | Status::IterationLimit => {}
    }
    let mut thresholds = optimal_thresholds(&solution, problem.last_step().min(last));
    thresholds.resize(last as usize + 1, 1.0);
    Ok(Believed { problem: problem.clone(), thresholds })
}

fn curve(loaded: &Loaded, axis: &Axis, points: Vec<Point>) -> Curve {
    let truth = loaded.number(&axis.path).map(|number| number.value);
    Curve { path: axis.path.clone(), truth, points }
}

const AFTER: &str = "problem.cycle.after";

fn factor(
    loaded: &Loaded,
    path: &str,
    truth: &PhaseChange,
    believed: &PhaseChange,
    value: &str,
) -> Option<f64> {
    let ratio = |a: f64, b: f64| Some(a / b).filter(|ratio| ratio.is_finite());
    if path == AFTER {
        let gain = |problem: &PhaseChange| problem.gain().to_f64().value();
        return ratio(gain(believed), gain(truth));
    }
    ratio(value.parse().ok()?, loaded.number(path)?.value)
}

/// The parameters nobody knows exactly, each off by [`FACTORS`] as far as that leaves a model of the same kind.
fn usual(loaded: &Loaded, problem: &PhaseChange) -> Vec<Axis> {
    let paths = [
        "problem.hazard",
        "problem.detector.false_alarm",
        "problem.detector.missed",
        AFTER,
        "problem.remap.test",
    ];
    let useful = |problem: &PhaseChange| problem.detector.likelihoods()[0].ratio() > 1.0;
    let axis = |path: &str| {
        let truth = loaded.number(path)?.exact;
        let (base, rest) = match path {
            AFTER => (problem.gain(), problem.remapped.clone()),
            _ => (truth, Rational::ZERO),
        };
        if base <= Rational::ZERO {
            return None;
        }
        let value = |(up, down): &(u64, u64)| {
            let value = decimal(&(&rest + &base * Rational::from(*up) / Rational::from(*down)));
            let changed = loaded.with(&[(path, &value)]).ok()?;
            let Problem::PhaseChange(model) = &changed.model.problem else { return None };
            // A detector that points the other way is another question.
            let errors = model.says_yes_or_no() && path.starts_with("problem.detector");
            let reversed = errors && !points_as_before(problem, &model.problem());
            (!reversed && useful(&model.problem())).then_some(value)
        };
        let values: Vec<String> = FACTORS.iter().filter_map(value).collect();
        Some(Axis { path: path.to_owned(), values })
    };
    paths.into_iter().filter_map(axis).collect()
}

/// Whether a report of a change still speaks for one, if it did.
fn points_as_before(truth: &PhaseChange, other: &PhaseChange) -> bool {
    let speaks_for = |problem: &PhaseChange| {
        let levels = problem.detector.levels();
        levels[0].after.cmp(&levels[0].before)
    };
    speaks_for(truth) == speaks_for(other)
}

fn table(document: &Document<'_>) -> String {
    let mut text = format!("{}\n", document.title);
    let (optimum, never) = (document.optimum.middle(), document.never.middle());
    let _ = writeln!(
        text,
        "the optimal policy costs {optimum:.6}, never remapping {never:.6}: {:.6} to gain",
        never - optimum
    );
    for curve in &document.curves {
        let truth = curve.truth.map_or(String::new(), |truth| format!(" = {truth}"));
        let _ = writeln!(text, "{}{truth}, taken for", curve.path);
        let _ = writeln!(
            text,
            "{:>16}{:>10}{:>12}{:>30}{:>12}",
            "value", "factor", "pi_0", "costs more by (proved)", "% of gain"
        );
        for point in &curve.points {
            let factor = point.factor.map_or(String::new(), |factor| format!("{factor:.3}"));
            let regret = proved(point.regret).joined("±");
            let lost = point.lost.map_or(String::new(), |lost| format!("{:.3}", lost.middle()));
            let (value, threshold) = (&point.value, point.threshold);
            let _ =
                writeln!(text, "{value:>16}{factor:>10}{threshold:>12.6}{regret:>30}{lost:>12}");
        }
    }
    text
}

fn draw<'a>(document: &'a Document<'_>) -> Result<Chart<'a>, Complaint> {
    let mut lines = Vec::new();
    for curve in &document.curves {
        let points = curve.points.iter().filter_map(|point| {
            let factor = point.factor.filter(|factor| *factor > 0.0)?;
            Some((factor, point.lost?.middle()))
        });
        let mut points: Vec<(f64, f64)> = points.collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        if points.len() < 2 {
            let message = format!("{} has no curve to draw", curve.path);
            let help = "the picture shows positive numbers that are off by a factor, where there is something to gain";
            return Err(Complaint::elsewhere(message, help));
        }
        let name = match curve.path.strip_prefix("problem.").unwrap_or(&curve.path) {
            "cycle.after" => "the gain of a cycle".to_owned(),
            name => name.replace(['.', '_'], " "),
        };
        lines.push((name, points, Vec::new()));
    }
    let x = ("factor by which the parameter is off", true);
    Ok(Chart::of_curves(document.title, x, "% of the possible gain that is lost", lines))
}
