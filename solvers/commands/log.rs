//! The log that `fit`, `replay` and `advise` work on.

use crate::cli::{Log, Reading};
use crate::complaint::Complaint;
use crate::fitting::short;
use crate::output::say;
use crate::replaying::check::{places, suspected};
use crate::solution::advised::overlapping;
use crate::trace::{self, Trace};
use remapping::overlap::Overlap;
use remapping::record::{Record, Remap};
use std::path::Path;

/// A log that was read, and what a remap costs in it.
pub(super) struct Opened {
    /// Its file.
    pub name: String,
    /// The log.
    pub trace: Trace,
    /// Cost of a remap in seconds.
    pub remap_cost: f64,
    /// Whether it was recorded.
    pub cost_recorded: bool,
    /// Steps before which the run seems to have been remapped although nothing is recorded.
    pub suspected: Vec<usize>,
}

/// Reads the log and says what was repaired in it, and what is strange.
pub(super) fn open(log: &Log) -> Result<Opened, Complaint> {
    read(&log.trace, &log.reading)
}

/// The same for a log that is named elsewhere.
pub(super) fn read(path: &Path, log: &Reading) -> Result<Opened, Complaint> {
    let name = path.display().to_string();
    let mut trace = trace::read(path, log.form())?;
    if let Some(unit) = log.log_unit {
        trace.in_units_of(unit);
    }
    let mut found = suspected(&trace.record);
    if !found.is_empty() {
        let places = places(&found);
        trace.repairs.push(match log.suspected {
            true => format!("the sudden falls of the imbalance before step {places} are taken for remaps"),
            false => format!(
                "the imbalance falls at once before step {places}, where no remap is recorded: take these \
                 falls for remaps with --suspected"
            ),
        });
    }
    if log.suspected && !found.is_empty() {
        trace.record = with_remaps(&trace.record, &found);
        trace.knows_remaps = true;
        found.clear();
    }
    for repair in &trace.repairs {
        say(&format!("note: {name}: {repair}"));
    }
    let recorded = trace.record.mean_remap_cost();
    let cost_recorded = log.remap_cost.is_none();
    let remap_cost = remap_cost(log.remap_cost, recorded, &name)?;
    Ok(Opened { name, trace, remap_cost, cost_recorded, suspected: found })
}

/// The same record with remaps before these steps too.
fn with_remaps(record: &Record, before: &[usize]) -> Record {
    let seconds = (0..record.steps()).flat_map(|step| record.row(step).to_vec()).collect();
    let mut remaps = record.remaps().to_vec();
    remaps.extend(before.iter().map(|before| Remap { before: *before, seconds: None }));
    Record::new(record.ranks(), seconds, remaps).expect("a record and steps of it")
}

/// The cost of a remap: as given, otherwise as recorded.
fn remap_cost(given: Option<f64>, recorded: Option<f64>, name: &str) -> Result<f64, Complaint> {
    given.or(recorded).ok_or_else(|| {
        let message = format!("{name}: no cost of a remap is recorded");
        Complaint::elsewhere(message, "give it in seconds: --remap-cost C")
    })
}

/// `a remap costs 6 seconds and comes into force 3 steps after its decision, which are 5 % slower`.
pub(super) fn priced(remap_cost: f64, overlap: Overlap) -> String {
    let cost = short(remap_cost);
    match overlap.is_none() {
        true => format!("a remap costs {cost} seconds"),
        false => {
            format!("a remap costs {cost} seconds and comes into force {}", overlapping(overlap))
        }
    }
}

/// `3 remaps recorded`.
pub(super) fn remaps_recorded(known: bool, remaps: usize) -> String {
    match (known, remaps) {
        (false, _) => "not said when it was remapped".to_owned(),
        (true, 1) => "1 remap recorded".to_owned(),
        (true, many) => format!("{many} remaps recorded"),
    }
}
