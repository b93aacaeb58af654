//! `remap regret`: the cost of a wrong parameter.

use super::axes::{Axis, axes};
use super::regretted::{Curve, Document, Point, show};
use crate::cli::Regret as Arguments;
use crate::commands::{Exit, check_plot, report, warn};
use crate::complaint::Complaint;
use crate::output::say;
use crate::problems::registry::Loaded;
use crate::problems::registry::sweep::Part;
use crate::problems::{
    self,
    comparison::ended_by,
    regret::{Failure, Judged, Known},
};
use crate::run::Watch;
use remapping::Status;
use remapping::phase_change::Bounds;

/// The tolerance of the optimal policies.
const TOLERANCE: f64 = 1e-9;

pub(in crate::commands) fn run(arguments: &Arguments) -> Result<Exit, Vec<Complaint>> {
    let set = axes(&arguments.set).map_err(Complaint::usage)?;
    if let Some(plot) = &arguments.plot {
        check_plot(plot, arguments.force)?;
    }
    let loaded = Loaded::read(&arguments.model)?;
    let watch = Watch::start(&loaded.title, arguments.time_limit);
    let truth = match problems::truth(&loaded, &watch)? {
        Ok(truth) => truth,
        Err(status) => {
            let what =
                format!("{}: the optimum is not known: no regret was computed", ended_by(status));
            warn(&arguments.model, [&what]);
            let mut warnings = loaded.warnings.clone();
            warnings.push(what);
            let part = arguments.part.map(|number| part(number, &set, &loaded));
            let document = Document {
                part,
                curves: set.iter().map(|axis| curve(&loaded, axis, Vec::new())).collect(),
                ..Document::new(&loaded, status, &watch, warnings)
            };
            show(&document, arguments.json, None, arguments.force)?;
            return Ok(status.into());
        }
    };
    let usual = || truth.usual().into_iter().map(|(path, values)| Axis { path, values });
    let set = if arguments.set.is_empty() { usual().collect() } else { set };
    for axis in &set {
        let first = axis.values.first().map_or("", String::as_str);
        loaded.check_places(&[(&axis.path, first)])?;
    }
    let Known { optimum, never, mut status } = truth.known();
    let possible =
        Bounds { lower: never.lower - optimum.upper, upper: never.upper - optimum.lower };
    let part = arguments.part.map(|number| part(number, &set, &loaded));
    let mut curves = Vec::new();
    let mut places = 0..;
    // The worst exit code of the values that give no valid model.
    let mut wrong: Option<Exit> = None;
    'axes: for axis in &set {
        let mut points = Vec::new();
        for value in &axis.values {
            let place = places.next().filter(|_| part.is_some());
            if part.as_ref().zip(place).is_some_and(|(part, place)| !part.holds(place)) {
                continue;
            }
            let judged = loaded
                .with(&[(&axis.path, value)])
                .map_err(Failure::Wrong)
                .and_then(|assumed| truth.judge(&assumed, (&axis.path, value), &watch));
            let Judged { cost, threshold, factor } = match judged {
                Ok(judged) => judged,
                Err(Failure::Halted(halt)) => {
                    status = halt.into();
                    curves.push(curve(&loaded, axis, points));
                    break 'axes;
                }
                Err(Failure::Wrong(complaints)) => {
                    say(&format!("at {}={value}:", axis.path));
                    wrong = Some(wrong.unwrap_or(Exit::Input).worst(report(&complaints)));
                    continue;
                }
            };
            let regret = cost.above(optimum);
            let lost = (possible.lower > 0.0).then(|| regret.percent_of(possible));
            points.push(Point {
                place,
                value: value.clone(),
                factor,
                threshold,
                cost,
                regret,
                lost,
            });
        }
        curves.push(curve(&loaded, axis, points));
    }
    if let Some(exit) = wrong.filter(|_| curves.iter().all(|curve| curve.points.is_empty())) {
        return Ok(exit);
    }
    let mut warnings = loaded.warnings.clone();
    if wrong.is_some() {
        warnings.push("values that are wrong are left out".to_owned());
    }
    if status.is_halted() {
        warnings.push(format!("{}: what the table lacks was not computed", ended_by(status)));
    } else if status != Status::Converged {
        warnings.push(ended_by(status).to_owned());
    }
    warn(&arguments.model, &warnings);
    let document = Document {
        part,
        optimum: Some(optimum),
        never: Some(never),
        curves,
        ..Document::new(&loaded, status, &watch, warnings)
    };
    let plot = arguments.plot.as_deref();
    show(&document, arguments.json, plot, arguments.force)?;
    Ok(wrong.unwrap_or(Exit::Done).worst(status.into()))
}

impl Document {
    /// A document without results.
    fn new(loaded: &Loaded, status: Status, watch: &Watch, warnings: Vec<String>) -> Document {
        Document {
            title: loaded.title.clone(),
            problem: loaded.problem.kind().name().to_owned(),
            part: None,
            optimum: None,
            never: None,
            curves: Vec::new(),
            status,
            tolerance: TOLERANCE,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seconds: watch.seconds(),
            warnings,
        }
    }
}

/// Part `number` of `of` of all values.
fn part((number, of): (usize, usize), set: &[Axis], loaded: &Loaded) -> Part {
    let models = set.iter().map(|axis| axis.values.len()).sum();
    let set = set.iter().map(written).collect();
    Part { number, of, models, set, model: Some(loaded.checksum()), settings: None }
}

fn curve(loaded: &Loaded, axis: &Axis, points: Vec<Point>) -> Curve {
    let truth = loaded.number(&axis.path).map(|number| number.value);
    Curve { path: axis.path.clone(), truth, points }
}

/// An axis as on the command line.
fn written(axis: &Axis) -> String {
    format!("{}={}", axis.path, axis.values.join(","))
}
