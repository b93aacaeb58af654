//! Solutions for other programs: source code that decides, tables, and knobs of known codes.
//!
//! A solution is read back from its document ([`read`]) as one of four rules ([`rule::Rule`]); each
//! target has a file that writes rules in its own syntax.

mod c;
mod charm;
mod csv;
mod eplb;
mod fortran;
mod json;
mod knobs;
mod lammps;
mod map;
mod npz;
mod python;
pub mod rule;
mod rust;
mod smilei;
mod swift;
mod warpx;

use crate::model::complaint::Complaint;
use clap::ValueEnum;
use rule::{Document, Export, Rule};
use serde_json::Value;
use std::path::Path;

/// What a solution can be exported to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// A C99 header.
    C,
    /// A Fortran 2008 module.
    Fortran,
    /// A Python module.
    Python,
    /// A Rust module.
    Rust,
    /// A table, comma-separated.
    Csv,
    /// The rule as JSON.
    Json,
    /// NumPy arrays.
    Npz,
    /// LAMMPS: a `fix balance` line.
    Lammps,
    /// WarpX: `algo.load_balance_*`.
    Warpx,
    /// Smilei: a `LoadBalancing` block.
    Smilei,
    /// Charm++: `+LBPeriod`.
    Charm,
    /// SWIFT: the `DomainDecomposition` parameters.
    Swift,
    /// vLLM: the configuration of its expert parallel load balancer.
    Eplb,
}

/// A solution in another form.
pub struct Exported {
    /// What is written.
    pub bytes: Vec<u8>,
    /// Assumptions that the form has no place for.
    pub notes: Vec<String>,
}

/// Reads the solution in `path`.
pub fn read(path: &Path) -> Result<Export, Complaint> {
    let name = path.display().to_string();
    let unreadable = |error: std::io::Error| {
        let help = "give the document that `remap solve MODEL.ron --json` prints";
        Complaint::elsewhere(format!("cannot read {name}: {error}"), help)
    };
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let value = serde_json::from_slice(&bytes);
    let document = |value| Document { value, name: &name };
    let value: Value =
        value.map_err(|error| document(&Value::Null).wrong(&format!("not JSON: {error}")))?;
    of_document(&document(&value), &path.with_extension("npz"))
}

/// Reads a solution; a long map is in `archive`.
pub fn of_document(document: &Document<'_>, archive: &Path) -> Result<Export, Complaint> {
    if document.value.is_array() {
        return Err(document.wrong("a list of several solutions"));
    }
    if document.value.get("problem").is_none() {
        return Err(document.wrong("not a solution: it has no field `problem`"));
    }
    let title = document.text("title")?.to_owned();
    let status = document.text("status")?;
    let mut notes = Vec::new();
    if status != "converged" {
        notes.push(format!("The computation ended early ({status}): the rule is not proved."));
    }
    let rule = match document.text("problem")? {
        "phase_change" => {
            if status == "converged" {
                let width = document.number("tolerance")?;
                notes.push(format!("Every threshold is certified to {width:e}."));
            }
            Rule::Belief(rule::belief(document)?)
        }
        "stopping" => {
            let cost = document.number("remap_cost")?;
            if status == "converged" {
                notes.push(format!("Optimal when a remap costs {cost}, in units of load."));
            }
            let ties = document.value.get("ties").and_then(Value::as_array).map_or(0, Vec::len);
            if ties > 0 {
                notes.push(format!(
                    "In {ties} load vectors the bounds leave open which decision is better."
                ));
            }
            Rule::Map(map::stopping(document, archive)?)
        }
        "load_drift" if document.value.get("decision").is_some() => {
            let (step, steps) = (document.whole("decision_step")?, document.whole("steps")?);
            notes.push(format!("The optimal decision at step {step} of {steps}; near the end"));
            notes.push("of the run fewer remaps pay.".to_owned());
            Rule::Map(map::load_drift(document)?)
        }
        "load_drift" => {
            notes.push("The threshold on max - mean closest to the optimal decision of".to_owned());
            let first = document.value["closest_threshold"].get(0);
            let wrong = first.and_then(|closest| closest["disagreement"].as_f64()).unwrap_or(0.0);
            let share = 100.0 * wrong;
            notes.push(format!("the step; it differs in {share:.2} % of the load vectors."));
            Rule::Imbalance(rule::imbalance(document)?)
        }
        "periodic" => {
            let found = rule::interval(document)?;
            let has = |field: &str| document.value.get(field).is_some_and(|value| !value.is_null());
            let safe = document.value.get("interval_by").is_some_and(|by| by == "rms_bound");
            let note = if has("cost_aware") {
                "The interval of least cost per step, remaps and waiting together."
            } else if has("at_least") {
                "The bound on the imbalance is kept so long at least; the search was stopped."
            } else if safe {
                "The bound on the imbalance is kept so long at least, for any laws of these moments."
            } else {
                "The longest interval within the bound on the imbalance."
            };
            notes.push(note.to_owned());
            Rule::Interval(found)
        }
        other => {
            let message = format!("{}: a solution of `{other}` is not exported", document.name);
            let help = "phase_change, stopping, load_drift and periodic solutions are";
            return Err(Complaint::elsewhere(message, help));
        }
    };
    Ok(Export { title, notes, rule })
}

/// Writes `export` for `target`.
pub fn write(export: &Export, target: Target) -> Result<Exported, Complaint> {
    let text = |text: String| Exported { bytes: text.into_bytes(), notes: Vec::new() };
    Ok(match target {
        Target::C => text(c::write(export)),
        Target::Fortran => text(fortran::write(export)),
        Target::Python => text(python::write(export)),
        Target::Rust => text(rust::write(export)),
        Target::Csv => text(csv::write(export)),
        Target::Json => text(json::write(export)),
        Target::Npz => Exported { bytes: npz::write(export)?, notes: Vec::new() },
        Target::Lammps => text(lammps::write(&knobs::of(export)?)),
        Target::Warpx => text(warpx::write(&knobs::of(export)?)),
        Target::Smilei => text(smilei::write(&knobs::of(export)?)?),
        Target::Charm => text(charm::write(&knobs::of(export)?)?),
        Target::Swift => text(swift::write(&knobs::of(export)?)?),
        Target::Eplb => {
            let knobs = knobs::of(export)?;
            Exported { bytes: eplb::write(&knobs)?.into_bytes(), notes: knobs.notes }
        }
    })
}

/// What every file says of itself at its top, a line each.
fn heading(export: &Export) -> Vec<String> {
    let title: String =
        export.title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let version = env!("CARGO_PKG_VERSION");
    let mut lines =
        vec![format!("{title}"), format!("Optimal remapping, written by remap {version}.")];
    lines.extend(export.notes.iter().cloned());
    lines
}

/// A number as a literal: the shortest that reads back as the same double.
fn literal(value: f64) -> String {
    format!("{value:?}")
}

/// The letters of a map in rows of equal length; the last is filled up with `C`.
fn rows(letters: &[u8], width: usize) -> Vec<String> {
    let row = |row: &[u8]| {
        let mut text: String = row.iter().map(|letter| char::from(*letter)).collect();
        text.extend(std::iter::repeat_n('C', width - row.len()));
        text
    };
    letters.chunks(width).map(row).collect()
}

/// How many letters go into a row: those of one level of the first process, if they fit.
fn row_width(map: &rule::Map) -> usize {
    match (&map.index, map.levels.last()) {
        (rule::Index::RowMajor, Some(levels)) if *levels <= 100 => *levels,
        _ => 64,
    }
}
