//! `remap sweep`: one model, many values.

use super::axes::{Axis, axes};
use super::{Exit, report};
use crate::cli::Sweep;
use crate::complaint::Complaint;
use crate::model::{Loaded, Problem};
use crate::output::{check_free, is_closed, print, say, write_file};
use crate::plot::{self, Format};
use crate::problems::{self, Files, Settings};
use crate::render::{self, curves::Curves, map::Groups, regions::Regions};
use crate::run::is_interrupted;
use crate::solution::sweep::Run;
use serde_json::Value;
use std::collections::HashSet;

pub(super) fn run(arguments: &Sweep) -> Exit {
    let axes = match axes(&arguments.set) {
        Ok(axes) => axes,
        Err(complaint) => {
            report(&[complaint]);
            return Exit::Usage;
        }
    };
    let base = match Loaded::read(&arguments.model) {
        Ok(base) => base,
        Err(complaints) => return report(&complaints),
    };
    if let Err(complaint) = base.check_places(&choose(&axes, 0)) {
        return report(&[complaint]);
    }
    let mut picture = match prepare_plot(arguments, &axes, &base) {
        Ok(picture) => picture,
        Err(complaint) => {
            report(&[complaint]);
            return Exit::Usage;
        }
    };
    let json = arguments.settings.json;
    let settings = Settings::from(&arguments.settings);
    if let Err(complaint) = problems::check_method(&base, settings.method) {
        report(&[complaint]);
        return Exit::Usage;
    }
    let mut exit = Exit::Done;
    let mut shown = 0;
    let mut warned = HashSet::new();
    let mut groups = Groups::default();
    let mut rows = Vec::new();
    if json {
        print("{\"runs\": [");
    }
    for combination in 0..axes.iter().map(|axis| axis.values.len()).product() {
        if is_closed() {
            break;
        }
        if is_interrupted() {
            exit = exit.worst(Exit::Interrupted);
            break;
        }
        let chosen = choose(&axes, combination);
        let solved = base
            .with(&chosen)
            .and_then(|loaded| problems::solve(&loaded, &settings, Files::default()));
        let solution = match solved {
            Ok(solved) => solved.solution,
            Err(complaints) => {
                say(&format!("at {}:", written(&chosen)));
                exit = exit.worst(report(&complaints));
                continue;
            }
        };
        exit = exit.worst(solution.status.into());
        if let Some(contradiction) = &solution.contradiction {
            say(&format!("error: at {}: {contradiction}", written(&chosen)));
            exit = exit.worst(Exit::Bug);
        }
        for warning in &solution.warnings {
            if warned.insert(warning.clone()) {
                say(&format!("warning: first at {}: {warning}", written(&chosen)));
            }
        }
        let set = chosen.iter().map(|(path, value)| (path.to_string(), as_json(value))).collect();
        let run = Run { set, solution };
        groups.add(&run);
        match &mut picture {
            None => {}
            Some((_, Drawn::Regions(regions))) => regions.add(&run),
            Some((_, Drawn::Curves(curves))) => curves.add(&run),
        }
        if json {
            // Printed as soon as it is solved: a long sweep need not fit into memory.
            let text = serde_json::to_string(&run).expect("solutions have string keys only");
            print(&format!("{}\n{text}", if shown == 0 { "" } else { "," }));
        } else {
            rows.push(render::row(&run));
        }
        shown += 1;
    }
    if json {
        print("\n]}\n");
    } else if !rows.is_empty() {
        print(&render::sweep_table(&rows));
        if let Some(line) = groups.line() {
            print(&format!("values with the same map: {line}\n"));
        }
    }
    if let (Some((format, picture)), Some(path)) = (picture, &arguments.plot) {
        let drawn = match &picture {
            Drawn::Regions(regions) => plot::picture(format, regions),
            Drawn::Curves(curves) => plot::picture(format, curves),
        };
        let drawn = drawn.and_then(|bytes| write_file(path, &bytes, arguments.force));
        if let Err(complaint) = drawn {
            exit = exit.worst(report(&[complaint]));
        }
    }
    exit
}

/// How a sweep is drawn.
enum Drawn {
    /// The regions of the decision maps, over one parameter.
    Regions(Regions),
    /// The numbers of the table, over the first parameter.
    Curves(Curves),
}

/// What the sweep will be drawn on, if it is to be drawn and can be.
fn prepare_plot(
    arguments: &Sweep,
    axes: &[Axis],
    base: &Loaded,
) -> Result<Option<(Format, Drawn)>, Complaint> {
    let Some(path) = &arguments.plot else { return Ok(None) };
    let format = Format::of(path)?;
    check_free(path, arguments.force)?;
    let title = &base.model.title;
    let drawn = match (axes, &base.model.problem) {
        ([axis], Problem::Stopping(_)) => Drawn::Regions(Regions::new(title, &axis.path)),
        ([axis, ..], _) if axis.values.iter().all(|value| as_json(value).is_number()) => {
            Drawn::Curves(Curves::new(title, &axis.path))
        }
        _ => {
            let message =
                "--plot draws over the first parameter, which has values that are no numbers";
            return Err(Complaint::elsewhere(message, "name a parameter with numbers first"));
        }
    };
    Ok(Some((format, drawn)))
}

fn written(chosen: &[(&str, &str)]) -> String {
    let set: Vec<_> = chosen.iter().map(|(path, value)| format!("{path}={value}")).collect();
    set.join(", ")
}

/// A number where it is one.
fn as_json(value: &str) -> Value {
    if let Ok(whole) = value.parse::<i64>() {
        return whole.into();
    }
    value.parse::<f64>().ok().filter(|v| v.is_finite()).map_or(value.into(), Value::from)
}

/// The values of combination number `combination`, the last axis fastest.
fn choose(axes: &[Axis], mut combination: usize) -> Vec<(&str, &str)> {
    let mut chosen = Vec::new();
    for axis in axes.iter().rev() {
        let values = axis.values.len();
        chosen.push((axis.path.as_str(), axis.values[combination % values].as_str()));
        combination /= values;
    }
    chosen.reverse();
    chosen
}
