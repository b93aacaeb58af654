//! `remap regret`: what a wrong parameter costs.

use super::axes::{Axis, axes};
use super::{Exit, report};
use crate::cli::Regret as Arguments;
use crate::complaint::Complaint;
use crate::model::Loaded;
use crate::output::{check_free, print, say, write_file};
use crate::plot::chart::Chart;
use crate::plot::{Format, picture};
use crate::problems::{
    self,
    regret::{Failure, Judged},
};
use crate::render::digits::proved;
use crate::run::Watch;
use crate::solution::to_json;
use remapping::Status;
use remapping::threshold::Bounds;
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
    /// The first threshold that follows; of drifting loads the closest one after step 1.
    threshold: f64,
    cost: Bounds,
    /// Above the optimum.
    regret: Bounds,
    /// That, as a percentage of what the optimal policy gains over never remapping.
    lost: Option<Bounds>,
}

/// Tolerance of the optimal policies.
const TOLERANCE: f64 = 1e-9;

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

fn regret(arguments: &Arguments, set: Vec<Axis>) -> Result<Exit, Vec<Complaint>> {
    let one = |complaint| vec![complaint];
    if let Some(plot) = &arguments.plot {
        check_free(plot, arguments.force).map_err(one)?;
    }
    let loaded = Loaded::read(&arguments.model)?;
    let watch = Watch::start(&loaded.model.title, arguments.time_limit);
    let truth = match problems::truth(&loaded, &watch)? {
        Ok(truth) => truth,
        Err(status) => return Ok(status.into()),
    };
    let usual = || truth.usual().into_iter().map(|(path, values)| Axis { path, values });
    let set = if arguments.set.is_empty() { usual().collect() } else { set };
    for axis in &set {
        let first = axis.values.first().map_or("", String::as_str);
        loaded.check_places(&[(&axis.path, first)]).map_err(one)?;
    }
    let (optimum, never) = (truth.optimum(), truth.never());
    let possible =
        Bounds { lower: never.lower - optimum.upper, upper: never.upper - optimum.lower };
    let mut status = truth.status();
    let mut curves = Vec::new();
    'axes: for axis in &set {
        let mut points = Vec::new();
        for value in &axis.values {
            let assumed = loaded.with(&[(&axis.path, value)])?;
            let Judged { cost, threshold, factor } =
                match truth.judge(&assumed, (&axis.path, value), &watch) {
                    Ok(judged) => judged,
                    Err(Failure::Halted(halt)) => {
                        status = halt.into();
                        curves.push(curve(&loaded, axis, points));
                        break 'axes;
                    }
                    Err(Failure::Wrong(complaints)) => return Err(complaints),
                };
            let regret = cost.above(optimum);
            let lost = (possible.lower > 0.0).then(|| regret.percent_of(possible));
            points.push(Point { value: value.clone(), factor, threshold, cost, regret, lost });
        }
        curves.push(curve(&loaded, axis, points));
    }
    for warning in &loaded.warnings {
        say(&format!("warning: {}: {warning}", arguments.model.display()));
    }
    let document = Document {
        title: &loaded.model.title,
        problem: truth.problem(),
        optimum,
        never,
        curves,
        status,
        tolerance: TOLERANCE,
        version: env!("CARGO_PKG_VERSION"),
        seconds: watch.seconds(),
        warnings: &loaded.warnings,
    };
    print(&if arguments.json { to_json(&document) } else { table(&document, truth.threshold()) });
    if let Some(plot) = &arguments.plot {
        draw(&document)
            .and_then(|lines| picture(Format::of(plot)?, &lines))
            .and_then(|bytes| write_file(plot, &bytes, arguments.force))
            .map_err(one)?;
    }
    Ok(status.into())
}

fn curve(loaded: &Loaded, axis: &Axis, points: Vec<Point>) -> Curve {
    let truth = loaded.number(&axis.path).map(|number| number.value);
    Curve { path: axis.path.clone(), truth, points }
}

fn table(document: &Document<'_>, threshold: &str) -> String {
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
            "value", "factor", threshold, "costs more by (proved)", "% of gain"
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
