//! `remap join`: joins the parts of a sweep or of a regret.

use super::axes::{Axis, MAX_RUNS, axes, choose, written};
use super::output::Output;
use super::parts::Parts;
use super::regretted;
use crate::cli::Join;
use crate::commands::Exit;
use crate::complaint::Complaint;
use crate::problems::registry::sweep::{Run, Sweep};
use crate::problems::registry::{Body, Document};
use std::collections::BTreeMap;
use std::path::Path;

pub(in crate::commands) fn run(arguments: &Join) -> Result<Exit, Complaint> {
    let text = arguments.parts.first().and_then(|path| std::fs::read_to_string(path).ok());
    if text.is_some_and(|text| regretted::is_regret(&text)) {
        return regretted::join(arguments);
    }
    let (mut parts, mut runs) = (Parts::of("sweep"), BTreeMap::new());
    for path in &arguments.parts {
        add(&mut parts, &mut runs, path)?;
    }
    let Some((_, whole, ())) = parts.read.values().next() else { return Ok(Exit::Done) };
    let axes = axes(&whole.set)?;
    let first = runs.first_key_value().map(|(_, run): (_, &Run)| &run.solution);
    let title = first.map_or_else(String::new, |solution| solution.title.clone());
    let stops = first.is_some_and(|solution| matches!(solution.body, Body::Stopping(_)));
    let mut output = Output::new(&title, stops, &axes, arguments.json)
        .drawn(arguments.plot.as_deref(), arguments.force)?;
    let mut exit = parts.missing(
        whole,
        |place| runs.contains_key(place),
        |place| written(&choose(&axes, *place)),
        |many, names| {
            format!("{many} models of the parts that are there have no solution: {names}")
        },
    );
    output.begin(None);
    for run in runs.into_values() {
        exit = exit.worst(run.solution.status.into());
        output.add(Run { place: None, set: ordered(run.set, &axes), ..run });
    }
    output.end()?;
    Ok(exit)
}

/// Adds the part in a file, and its runs by their places.
fn add(
    parts: &mut Parts<()>,
    runs: &mut BTreeMap<usize, Run>,
    path: &Path,
) -> Result<(), Complaint> {
    let Document::Sweep(Sweep { part: Some(part), runs: own }) = Document::read(path)? else {
        return Err(parts.wrong(path, "not a part of a sweep"));
    };
    if part.models > MAX_RUNS || part.of > MAX_RUNS {
        return Err(parts.wrong(path, &format!("a part of more than {MAX_RUNS}")));
    }
    parts.add(path, part.clone(), (), |(), ()| true)?;
    for run in own {
        let place = run.place.filter(|place| *place < part.models && part.holds(*place));
        let place = place.ok_or_else(|| parts.wrong(path, "a run is not one of the part's"))?;
        if runs.insert(place, run).is_some() {
            return Err(parts.wrong(path, &format!("place {place} stands there twice")));
        }
    }
    Ok(())
}

/// The values in the order of the command line.
fn ordered(
    mut set: Vec<(String, serde_json::Value)>,
    axes: &[Axis],
) -> Vec<(String, serde_json::Value)> {
    set.sort_by_key(|(path, _)| axes.iter().position(|axis| axis.path == *path));
    set
}
