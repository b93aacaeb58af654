//! `remap join`: joins the parts of a sweep or of a regret.

use super::axes::{Axis, MAX_RUNS, axes, choose, some_of, written};
use super::output::Output;
use super::regretted;
use crate::cli::Join;
use crate::commands::Exit;
use crate::complaint::Complaint;
use crate::output::say;
use crate::problems::registry::sweep::{Part, Run, Sweep};
use crate::problems::registry::{Body, Document};
use std::collections::BTreeMap;
use std::path::Path;

pub(in crate::commands) fn run(arguments: &Join) -> Result<Exit, Complaint> {
    let text = arguments.parts.first().and_then(|path| std::fs::read_to_string(path).ok());
    if text.is_some_and(|text| regretted::is_regret(&text)) {
        return regretted::join(arguments);
    }
    let mut parts = Parts::default();
    for path in &arguments.parts {
        parts.add(path)?;
    }
    let Some((_, whole)) = parts.names.first_key_value().map(|(_, first)| first) else {
        return Ok(Exit::Done);
    };
    let axes = axes(&whole.set)?;
    let first = parts.runs.first_key_value().map(|(_, run)| &run.solution);
    let title = first.map_or_else(String::new, |solution| solution.title.clone());
    let stops = first.is_some_and(|solution| matches!(solution.body, Body::Stopping(_)));
    let mut output = Output::new(&title, stops, &axes, arguments.json)
        .drawn(arguments.plot.as_deref(), arguments.force)?;
    let mut exit = missing(&parts, whole, &axes);
    output.begin(None);
    for run in parts.runs.into_values() {
        exit = exit.worst(run.solution.status.into());
        output.add(Run { place: None, set: ordered(run.set, &axes), ..run });
    }
    output.end()?;
    Ok(exit)
}

/// The parts that have been read.
#[derive(Default)]
struct Parts {
    /// The file and the header of each part.
    names: BTreeMap<usize, (String, Part)>,
    runs: BTreeMap<usize, Run>,
}

impl Parts {
    fn add(&mut self, path: &Path) -> Result<(), Complaint> {
        const HELP: &str = "give what `remap sweep --part I/N --json` printed, once for each part";
        let name = path.display().to_string();
        let wrong = |what: String| Complaint::elsewhere(format!("{name}: {what}"), HELP);
        let Document::Sweep(Sweep { part: Some(part), runs }) = Document::read(path)? else {
            return Err(wrong("not a part of a sweep".to_owned()));
        };
        if part.models > MAX_RUNS || part.of > MAX_RUNS {
            return Err(wrong(format!("a part of more than {MAX_RUNS}")));
        }
        if let Some((other, first)) = self.names.values().next() {
            let whole = |part: &Part| (part.of, part.models, part.set.clone());
            if whole(first) != whole(&part) {
                return Err(wrong(format!("a part of another sweep than {other}")));
            }
            if let Some(why) = first.unlike(&part) {
                return Err(wrong(format!("{why} than {other}")));
            }
        }
        if let Some((other, _)) = self.names.get(&part.number) {
            return Err(wrong(format!("part {} of {}, as is {other}", part.number, part.of)));
        }
        for run in runs {
            let place = run.place.filter(|place| *place < part.models && part.holds(*place));
            let place = place.ok_or_else(|| wrong("a run is not one of the part's".to_owned()))?;
            if self.runs.insert(place, run).is_some() {
                return Err(wrong(format!("place {place} stands there twice")));
            }
        }
        self.names.insert(part.number, (name, part));
        Ok(())
    }
}

/// Reports the parts and values that are missing.
fn missing(parts: &Parts, whole: &Part, axes: &[Axis]) -> Exit {
    let numbers = (1..=whole.of).filter(|number| !parts.names.contains_key(number));
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    if !numbers.is_empty() {
        say(&format!("warning: of {} parts these are missing: {}", whole.of, numbers.join(", ")));
    }
    let there = |place: &usize| parts.names.contains_key(&(place % whole.of + 1));
    let unsolved = (0..whole.models).filter(there).filter(|place| !parts.runs.contains_key(place));
    let unsolved: Vec<usize> = unsolved.collect();
    if !unsolved.is_empty() {
        let names = some_of(unsolved.iter().map(|place| written(&choose(axes, *place))));
        let many = unsolved.len();
        say(&format!(
            "warning: {many} models of the parts that are there have no solution: {names}"
        ));
    }
    match numbers.is_empty() && unsolved.is_empty() {
        true => Exit::Done,
        false => Exit::Limit,
    }
}

/// The values in the order of the command line.
fn ordered(
    mut set: Vec<(String, serde_json::Value)>,
    axes: &[Axis],
) -> Vec<(String, serde_json::Value)> {
    set.sort_by_key(|(path, _)| axes.iter().position(|axis| axis.path == *path));
    set
}
