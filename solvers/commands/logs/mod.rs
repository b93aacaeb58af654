//! The log that `fit`, `replay`, `advise` and `report` work on.

mod advice_files;
pub(super) mod advise;
pub mod fit;
pub(super) mod replay;
mod replay_text;
mod unpriced;

use super::Exit;
use crate::cli::{Log, Reading};
use crate::complaint::Complaint;
use crate::document::advised::overlapping;
use crate::fitting::{short, three};
use crate::logs::{self, Beginning, Follow, Trace};
use crate::output::say;
use crate::replaying::check::{places, suspected};
use crate::replaying::{Stopped, later};
use crate::run::start_threads;
use remapping::fit::left_over::left_over;
use remapping::fit::slow_steps::{SlowSteps, slow_steps};
use remapping::overlap::Overlap;
use remapping::record::{Record, Remap};
use std::path::PathBuf;

/// The exit of a command on logs: a halt has an exit code of its own, a fault is printed.
pub(super) fn ended(found: Result<Exit, Stopped>) -> Result<Exit, Vec<Complaint>> {
    match found {
        Ok(exit) => Ok(exit),
        Err(Stopped::Halt(halt)) => Ok(remapping::Status::from(halt).into()),
        Err(Stopped::Fault(fault)) => Err(fault.into()),
    }
}

/// A log that was read, and what a remap costs in it.
pub(super) struct Opened {
    /// Its file.
    pub name: String,
    /// The log.
    pub trace: Trace,
    /// Cost of a remap in seconds.
    pub remap_cost: f64,
    /// Where it comes from: `as recorded`.
    pub cost_origin: &'static str,
    /// Whether the log or the user states the cost of a remap; `remap_cost` is 0 if not.
    pub is_priced: bool,
    /// Steps before which the run seems to have been remapped although nothing is recorded.
    pub suspected: Vec<usize>,
}

impl Opened {
    /// The same where simulated remaps leave the imbalance that recorded ones left, if these took
    /// effect at once and all of the log is held.
    pub fn leaving(mut self, overlap: Overlap) -> Opened {
        let is_whole = self.trace.after.steps == 0;
        let left = left_over(&self.trace.record).filter(|_| is_whole && overlap.is_none());
        self.trace.record = match left {
            Some(left) => self.trace.record.with_left(left),
            None => self.trace.record,
        };
        self
    }
}

/// What is held of a log that is fitted, and of one that policies are tried on: what is shorter is
/// held as a whole.
pub(super) const FITTED: Beginning = Beginning { cells: 1 << 18, steps: 1024 };
pub(super) const TRIED: Beginning = Beginning { cells: 1 << 24, steps: 1024 };

/// Reads the log and says what was repaired in it, and what is strange. Of a long one `beginning`
/// is held, and the rest handed to `then`.
pub(super) fn open(
    log: &Log,
    beginning: Beginning,
    then: &mut dyn Follow,
) -> Result<Opened, Complaint> {
    let trace = logs::follow(&log.traces, &log.reading.how(), beginning, then)?;
    looked_at(&log.traces, &log.reading, trace)
}

/// A log that was read: what was repaired in it is said, and what is strange.
pub(super) fn looked_at(
    paths: &[PathBuf],
    log: &Reading,
    trace: Trace,
) -> Result<Opened, Complaint> {
    let opened = priced_or_not(paths, log, trace)?;
    if opened.is_priced { Ok(opened) } else { Err(unpriced(&opened.name)) }
}

/// That it is not known what a remap costs.
pub(super) fn unpriced(name: &str) -> Complaint {
    let message = format!("{name}: no cost of a remap is recorded");
    Complaint::elsewhere(message, "give it in seconds: --remap-cost C")
}

/// The same where what a remap costs need not be known.
fn priced_or_not(paths: &[PathBuf], log: &Reading, mut trace: Trace) -> Result<Opened, Complaint> {
    start_threads(None);
    let name = logs::names(paths);
    let mut found = suspected(&trace.record);
    let long = trace.after.steps > 0;
    if log.suspected && long {
        let message = format!(
            "{name}: falls of the imbalance are looked for in logs that are held in memory, the first {} of \
             these {} steps",
            trace.record.steps(),
            trace.steps()
        );
        let help = "leave out --suspected, or give a part of the log";
        return Err(Complaint::elsewhere(message, help));
    }
    if !found.is_empty() {
        let places = places(&found);
        let said = if log.suspected {
            let mut remaps = trace.record.remaps().to_vec();
            remaps.extend(found.drain(..).map(|before| Remap { before, seconds: None }));
            trace.record = trace.record.with_remaps(remaps).expect("steps of the record");
            trace.knows_remaps = true;
            format!("the sudden falls of the imbalance before step {places} are taken for remaps")
        } else {
            let among = match long {
                true => format!(", of the first {} steps", trace.record.steps()),
                false => String::new(),
            };
            format!(
                "the imbalance falls at once before step {places}{among}, where no remap is recorded: take these \
                 falls for remaps with --suspected"
            )
        };
        trace.repairs.push(said);
    }
    let recorded = trace.mean_remap_cost();
    let given = log.remap_cost.is_some();
    let mut cost_origin = if given { "as given" } else { "as recorded" };
    let known = log.remap_cost.or(recorded);
    let slow = slow_steps(&trace.record, known.unwrap_or(0.0));
    // Without a cost, what steps after remaps take longer is all that is known of it.
    let by_steps = slow.as_ref().filter(|_| !long).map(SlowSteps::seconds);
    let known_cost = known.or(by_steps);
    let mut remap_cost = known_cost.unwrap_or(0.0);
    if let Some(slow) = slow {
        let same = (slow.seconds() - remap_cost).abs() <= SAME * remap_cost;
        let taken = slow.taken_from(&trace.record);
        let said = match known {
            _ if long => {
                "nothing is made of that in a log this long: where it comes from the remap, add it to --remap-cost"
            }
            None => {
                (trace.record, cost_origin) = (taken, "as the steps after it take longer");
                "that is taken for what a remap costs"
            }
            Some(_) if same => {
                let remaps = trace.record.remaps().to_vec();
                trace.record = taken.with_remaps(remaps).expect("remaps of the record");
                "that is about what a remap costs, so it is taken for the same seconds and counted once"
            }
            Some(_) => {
                trace.record = taken;
                remap_cost += slow.seconds();
                cost_origin = match given {
                    true => "as given, and what the steps after it take longer",
                    false => "as recorded, and what the steps after it take longer",
                };
                "that is counted as part of what a remap costs"
            }
        };
        trace.repairs.push(format!("{}; {said}", slower(&slow)));
    }
    for line in trace.account.lines() {
        say(&format!("log: {name}: {line}"));
    }
    for repair in &trace.repairs {
        say(&format!("note: {name}: {repair}"));
    }
    let is_priced = known_cost.is_some();
    Ok(Opened { name, trace, remap_cost, cost_origin, is_priced, suspected: found })
}

/// The share by which the cost of a remap and what the steps after it take longer may differ and be
/// the same seconds: such steps have noise of a tenth or so, and a cost that comes on top of them
/// is seldom equal to it.
const SAME: f64 = 0.2;

/// `the first step after a remap is slower, by 1.49 seconds in all`.
fn slower(slow: &SlowSteps) -> String {
    let seconds = short(three(slow.seconds()));
    let steps = match slow.each.len() {
        1 => "the first step after a remap is".to_owned(),
        many => format!("the first {many} steps after a remap are"),
    };
    format!("{steps} slower, by {seconds} seconds in all")
}

/// A log of which only the beginning is looked at, should it be long: that is said.
pub(super) fn beginning(paths: &[PathBuf], log: &Reading) -> Result<Opened, Complaint> {
    let trace = logs::follow(paths, &log.how(), TRIED, &mut Unheard)?;
    let mut opened = priced_or_not(paths, log, trace)?;
    let Opened { name, trace, .. } = &mut opened;
    if trace.after.steps > 0 {
        let held = trace.record.steps();
        let steps = trace.steps();
        let note = match later::is_readable_again(paths) {
            true => format!(
                "the log has {steps} steps: the rule is chosen and valued on the first {held}, and played on those \
                 after them"
            ),
            false => format!(
                "the log has {steps} steps, of which the first {held} are looked at: give it as a file, and the rule \
                 is played on the others too"
            ),
        };
        say(&format!("note: {name}: {note}"));
        trace.repairs.push(note);
    }
    Ok(opened)
}

/// For what is made of the beginning alone.
struct Unheard;

impl Follow for Unheard {
    fn begin(&mut self, _: &Record, _: u64) -> Result<(), Complaint> {
        Ok(())
    }

    fn step(&mut self, _: &[f64], _: Option<Remap>) {}
}

/// `a remap costs 6 seconds and comes into force 3 steps after its decision, which are 5 % slower`.
pub(super) fn priced(remap_cost: f64, overlap: Overlap, stride: u64) -> String {
    let cost = short(remap_cost);
    match overlap.is_none() {
        true => format!("a remap costs {cost} seconds"),
        false => {
            let of = if stride > 1 { ", in steps of the log" } else { "" };
            format!(
                "a remap costs {cost} seconds and comes into force {}{of}",
                overlapping(overlap)
            )
        }
    }
}

/// The assumption behind evaluating policies on a record.
pub(super) fn assumed(record: &Record) -> &'static str {
    match record.left().is_empty() {
        true => "a remap restores balance and does not change later increments",
        false => "a remap leaves what recorded ones left and does not change later increments",
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
