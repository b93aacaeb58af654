//! The document and the picture of `regret`, and joining its parts.

use super::axes::{Axis, axes, written};
use super::parts::Parts;
use crate::cli::Join;
use crate::commands::Exit;
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::output::{check_free, print, write_file};
use crate::plot::chart::Chart;
use crate::plot::{Format, picture};
use crate::problems::registry::sweep::Part;
use crate::text::digits::proved;
use remapping::Status;
use remapping::phase_change::Bounds;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

/// The printed document.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub title: String,
    pub problem: String,
    /// With `--part`, the part that this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The cost of the optimal policy, and of never remapping; `null` where a limit came first.
    pub optimum: Option<Bounds>,
    pub never: Option<Bounds>,
    pub curves: Vec<Curve>,
    pub status: Status,
    pub tolerance: f64,
    pub version: String,
    pub seconds: f64,
    pub warnings: Vec<String>,
}

/// The regrets for one parameter.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Curve {
    pub path: String,
    /// The true value, if it is a number.
    #[serde(rename = "true")]
    pub truth: Option<f64>,
    pub points: Vec<Point>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Point {
    /// Its index among all, where this is a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The assumed value of the parameter.
    pub value: String,
    /// The factor by which it is wrong; for the cycle time after the change, the factor of the
    /// gain.
    pub factor: Option<f64>,
    /// The first threshold that follows; for drifting loads, the closest one after step 1.
    #[serde(deserialize_with = "number")]
    pub threshold: f64,
    pub cost: Bounds,
    /// The excess over the optimum.
    pub regret: Bounds,
    /// The same in percent of the optimal policy's gain over never remapping.
    pub lost: Option<Bounds>,
}

/// A threshold; one that is not finite is written as null.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::INFINITY))
}

/// The name of the first threshold.
fn threshold_on(problem: &str) -> &'static str {
    match problem {
        "load_drift" => "closest",
        _ => "pi_0",
    }
}

/// Whether a text is a document of `regret --json`.
pub(super) fn is_regret(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.get("curves").is_some())
}

/// Prints and draws a document.
pub(super) fn show(
    document: &Document,
    json: bool,
    plot: Option<&Path>,
    force: bool,
) -> Result<(), Complaint> {
    print(&if json { to_json(document) } else { table(document) });
    let Some(plot) = plot else { return Ok(()) };
    let bytes = picture(Format::of(plot)?, &draw(document)?)?;
    write_file(plot, &bytes, force)
}

/// Adds the part in a file.
fn add(parts: &mut Parts<Document>, path: &Path) -> Result<(), Complaint> {
    let wrong = |what: String| parts.wrong(path, &what);
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let mut document: Document = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("not a part of a regret: {error}")))?;
    let part = document.part.take().ok_or_else(|| wrong("not a part of a regret".to_owned()))?;
    if part.number == 0 || part.number > part.of {
        return Err(wrong(format!("part {} of {}", part.number, part.of)));
    }
    let points = || document.curves.iter().flat_map(|curve| &curve.points);
    let own = |place: usize| place < part.models && part.holds(place);
    if points().any(|point| !point.place.is_some_and(own)) {
        return Err(wrong("a point is not one of the part's".to_owned()));
    }
    parts.add(path, part, document, |one, other| {
        let paths = |document: &Document| {
            document.curves.iter().map(|curve| curve.path.clone()).collect::<Vec<_>>()
        };
        one.title == other.title && paths(one) == paths(other)
    })
}

/// Joins the parts, as if there had been none.
pub(super) fn join(arguments: &Join) -> Result<Exit, Complaint> {
    if let Some(plot) = &arguments.plot {
        check_free(plot, arguments.force)?;
    }
    let mut parts = Parts::of("regret");
    for path in &arguments.parts {
        add(&mut parts, path)?;
    }
    let Some((_, whole, _)) = parts.read.values().next() else { return Ok(Exit::Done) };
    let points = parts.read.values().flat_map(|(_, _, part)| &part.curves);
    let judged: HashSet<usize> =
        points.flat_map(|curve| &curve.points).filter_map(|point| point.place).collect();
    let names = names(&whole.set);
    let exit = parts.missing(
        whole,
        |place| judged.contains(place),
        |place| names.get(*place).cloned().unwrap_or_default(),
        |many, names| format!("{many} values of the parts that are there are missing: {names}"),
    );
    let joined = parts.read.into_values().map(|(_, _, document)| document).reduce(joined);
    let Some(mut all) = joined else { return Ok(Exit::Done) };
    for curve in &mut all.curves {
        curve.points.sort_by_key(|point| point.place);
        curve.points.iter_mut().for_each(|point| point.place = None);
    }
    show(&all, arguments.json, arguments.plot.as_deref(), arguments.force)?;
    Ok(exit.worst(all.status.into()))
}

/// One part with the points of another.
fn joined(mut all: Document, next: Document) -> Document {
    for (curve, more) in all.curves.iter_mut().zip(next.curves) {
        curve.points.extend(more.points);
    }
    (all.optimum, all.never) = (all.optimum.or(next.optimum), all.never.or(next.never));
    all.seconds += next.seconds;
    if all.status == Status::Converged {
        all.status = next.status;
    }
    let new: Vec<String> =
        next.warnings.into_iter().filter(|warning| !all.warnings.contains(warning)).collect();
    all.warnings.extend(new);
    all
}

/// The values of all indices in order, as `PATH=VALUE`.
fn names(set: &[String]) -> Vec<String> {
    let axis = |text| axes(std::slice::from_ref(text)).unwrap_or_default();
    let of_axis = |Axis { path, values }| {
        values.into_iter().map(move |value| written(&[(&path, &value)])).collect::<Vec<_>>()
    };
    set.iter().flat_map(axis).flat_map(of_axis).collect()
}

pub(super) fn table(document: &Document) -> String {
    let threshold = threshold_on(&document.problem);
    let mut text = format!("{}\n", document.title);
    let known = document.optimum.zip(document.never);
    let _ = match known.map(|(optimum, never)| (optimum.middle(), never.middle())) {
        Some((optimum, never)) => writeln!(
            text,
            "the optimal policy costs {optimum:.6}, never remapping {never:.6}: {:.6} to gain",
            never - optimum
        ),
        None => writeln!(text, "what the optimal policy costs was not computed"),
    };
    for curve in &document.curves {
        let truth = curve.truth.map_or(String::new(), |truth| format!(" = {truth}"));
        let _ = writeln!(text, "{}{truth}, taken for", curve.path);
        let _ = writeln!(
            text,
            "{:>16} {:>9} {:>11} {:>29} {:>11}",
            "value", "factor", threshold, "costs more by (proved)", "% of gain"
        );
        for point in &curve.points {
            let factor = point.factor.map_or(String::new(), |factor| format!("{factor:.3}"));
            let regret = proved(point.regret).joined("±");
            let lost = point.lost.map_or(String::new(), |lost| format!("{:.3}", lost.middle()));
            let (value, threshold) = (&point.value, point.threshold);
            let _ =
                writeln!(text, "{value:>16} {factor:>9} {threshold:>11.6} {regret:>29} {lost:>11}");
        }
    }
    text
}

pub(super) fn draw(document: &Document) -> Result<Chart<'_>, Complaint> {
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
    Ok(Chart::of_curves(&document.title, x, "% of the possible gain that is lost", lines))
}
