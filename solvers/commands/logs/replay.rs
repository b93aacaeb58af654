//! `remap replay`.

use super::replay_text::{text, verdict};
use super::{Opened, TRIED, assumed, open};
use crate::cli::Replay;
use crate::commands::{Exit, idle};
use crate::complaint::Complaint;
use crate::document::advised::Advised;
use crate::document::to_json;
use crate::logs::{Account, Trace};
use crate::output::{check_free, print, say, write_file};
use crate::plot::{self, Format};
use crate::render;
use crate::replaying::advised::advised_document;
use crate::replaying::contest::{self, Judged, Line, Part, contestants, judge};
use crate::replaying::long::{Asked, Long, Played};
use crate::replaying::what_if::{self, WhatIf};
use crate::replaying::{Ground, IN_USE, OURS, Outset, Stopped, for_other_ranks, solution};
use crate::run::Watch;
use remapping::overlap::Overlap;
use remapping::record::Record;
use remapping::replay::{Player, cheapest};
use serde::Serialize;
use std::ops::Range;
use std::path::Path;

#[derive(Debug, Serialize)]
pub(super) struct Document {
    pub trace: String,
    /// What was understood of the log.
    pub log: Account,
    pub ranks: usize,
    pub steps: usize,
    pub recorded_remaps: usize,
    pub remap_cost: f64,
    #[serde(skip_serializing_if = "Overlap::is_none")]
    pub overlap: Overlap,
    /// Parts of the judged steps, each with policies trained on all before it.
    pub splits: u64,
    /// The first step that is trained on, where it is not 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub trained_from: usize,
    /// The first step that is judged, from 0.
    pub judged_from: usize,
    pub judged: usize,
    /// Recorded remaps right before the first judged step of a part: nobody pays for them,
    /// `recorded` neither.
    #[serde(skip_serializing_if = "is_zero")]
    pub remaps_at_starts: usize,
    /// Steps of the program in a step of the log.
    pub stride: u64,
    /// Where the judged run starts: `balance` or `actual`.
    pub from: &'static str,
    pub assumption: &'static str,
    /// The least cost of any sequence of remaps on the judged steps. `null` where the log is too
    /// long for it.
    pub clairvoyant: Option<f64>,
    /// The same from where the recorded run stood, where the policies start elsewhere: what
    /// `recorded` is measured by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clairvoyant_from_actual: Option<f64>,
    pub policies: Vec<Line>,
    /// Of all published rules, whether they were asked for or not.
    pub best_in_use: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The same for other costs of a remap.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<WhatIf>,
    /// Regret of what Q-learning had learnt after so many episodes, on the training steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub q_learning_regret: Vec<(u64, f64)>,
    pub repairs: Vec<String>,
}

/// Longest run that is judged: the work for the perfect-information optimum grows with its square.
const MOST_STEPS: usize = 10_000;

pub(in crate::commands) fn run(arguments: &Replay) -> Result<Exit, Stopped> {
    for path in arguments.advised.iter().chain(&arguments.plot) {
        check_free(path, arguments.force)?;
    }
    if let Some(plot) = &arguments.plot {
        Format::of(plot)?;
    }
    let unit = arguments.unit.is_some() && arguments.solution.is_none();
    idle::tell(&[("--unit", unit)], "it is of the loads of --solution, and there is none");
    let mut long = Long::new(asked(arguments));
    let opened = open(&arguments.log, TRIED, &mut long)?;
    if let Some(path) = &arguments.solution {
        let found = crate::problems::registry::stated::find(path, arguments.unit)?;
        if let Some(warning) = for_other_ranks(&found, opened.trace.record.ranks()) {
            say(&format!("warning: {}: {warning}", path.display()));
        }
    }
    if let Some(played) = long.played(opened.trace.knows_remaps) {
        return Ok(print_long(arguments, opened, played));
    }
    let Opened { name, trace, remap_cost: cost, .. } = opened.leaving(arguments.overlap);
    let record = &trace.record;
    let steps = record.steps();
    let cut =
        ((steps as f64 * arguments.split.unwrap_or(0.5)).round() as usize).clamp(1, steps - 1);
    if cut < 3 || steps - cut < 2 {
        let message = format!("{name}: {cut} steps to train on and {} to judge", steps - cut);
        return Err(Complaint::elsewhere(message, "record more steps").into());
    }
    let judged = cut..steps.min(cut + MOST_STEPS);
    let solution = of_solution(arguments.solution.as_deref(), arguments.unit, trace.stride)?;
    let wanted = solution.as_ref().and_then(Player::ranks);
    if let Some(wanted) = wanted.filter(|wanted| *wanted != record.ranks()) {
        let message = format!("{name} has {} ranks, the solution is for {wanted}", record.ranks());
        return Err(Complaint::elsewhere(message, "fit and solve a model of this trace").into());
    }
    let mut names: Vec<String> = arguments.policies.clone();
    if names.is_empty() {
        names.extend(OURS.iter().chain(&IN_USE).map(|name| (*name).to_owned()));
        names.extend(solution.as_ref().map(|_| "solution".to_owned()));
    }
    let overlap = arguments.overlap;
    let ground = Ground {
        record,
        remap_cost: cost,
        overlap,
        training: 0..cut,
        seed: arguments.seed,
        from: arguments.from,
        end_known: true,
    };
    let many = judged.len() / arguments.splits as usize;
    if many < 2 {
        let message =
            format!("{} judged steps cannot be split into {}", judged.len(), arguments.splits);
        let help = "a part has 2 steps or more: fewer --splits";
        return Err(Complaint::elsewhere(message, help).into());
    }
    let watch = Watch::waiting(&name, None);
    let mut curve = Vec::new();
    let mut parts = Vec::new();
    for part in 0..arguments.splits as usize {
        let first = cut + part * judged.len() / arguments.splits as usize;
        let end = cut + (part + 1) * judged.len() / arguments.splits as usize;
        let ground = Ground { training: 0..first, ..ground.clone() };
        let contestants = contestants(&ground, &names, solution.as_ref(), &mut curve)?;
        parts.push(Part { ground, contestants, steps: first..end });
    }
    let knows = trace.knows_remaps;
    let found = judge(&parts, knows, &watch)?;
    let mut what_if = Vec::new();
    if arguments.what_if {
        let asked = (!arguments.policies.is_empty()).then_some(&names[..]);
        let times = &what_if::TIMES;
        what_if = what_if::costs(&parts, times, asked, solution.as_ref(), knows, &watch)?;
    }
    drop(watch);
    let solved = found.line("solved");
    let verdict = solved.map(|solved| verdict(solved, &found.best_in_use, &ground, steps));
    let shown = contest::table(&found, None);
    if let Some(plot) = &arguments.plot {
        let drawn = drawn(&arguments.policies, &found);
        let picture = render::log::picture(&name, record, &found, judged.clone(), &drawn);
        write_file(plot, &plot::picture(Format::of(plot)?, &picture)?, arguments.force)?;
    }
    if let Some(path) = &arguments.advised {
        let balanced = arguments.from == Outset::Balance;
        let clairvoyant = found.clairvoyant.filter(|_| balanced && parts.len() == 1);
        let ground = Ground { from: Outset::Balance, ..ground.clone() };
        let advised = Advised {
            stride: trace.stride,
            assumption: assumed(record).to_owned(),
            ..advised_document(&name, &ground, judged.clone(), clairvoyant)?
        };
        write_file(path, to_json(&advised).as_bytes(), arguments.force)?;
    }
    let remaps_at_starts = at_starts(record, &parts);
    drop(parts);
    let found = document((arguments, name), trace, cost, found, 0..cut, judged.len());
    let document =
        Document { remaps_at_starts, verdict, what_if, q_learning_regret: curve, ..found };
    show(arguments, &document, knows, &shown);
    Ok(Exit::Done)
}

fn show(arguments: &Replay, document: &Document, known: bool, shown: &str) {
    print(&if arguments.json { to_json(document) } else { text(document, known, shown) });
}

/// What is known of the policies on any log, long or not.
fn document(
    (arguments, name): (&Replay, String),
    trace: Trace,
    remap_cost: f64,
    found: Judged,
    training: Range<usize>,
    judged: usize,
) -> Document {
    Document {
        trace: name,
        ranks: trace.record.ranks(),
        steps: trace.steps(),
        recorded_remaps: trace.remaps(),
        remap_cost,
        overlap: arguments.overlap,
        splits: arguments.splits,
        trained_from: training.start,
        judged_from: training.end,
        judged,
        remaps_at_starts: 0,
        stride: trace.stride,
        from: match arguments.from {
            Outset::Balance => "balance",
            Outset::Actual => "actual",
        },
        assumption: assumed(&trace.record),
        clairvoyant: found.clairvoyant,
        clairvoyant_from_actual: found.clairvoyant_actual,
        best_in_use: found.best_in_use.0,
        verdict: None,
        what_if: Vec::new(),
        policies: found.lines,
        q_learning_regret: Vec::new(),
        log: trace.account,
        repairs: trace.repairs,
    }
}

/// Recorded remaps that came right before a part.
fn at_starts(record: &Record, parts: &[Part<'_>]) -> usize {
    let is_start = |before: usize| parts.iter().any(|part| part.steps.start == before);
    record.remaps().iter().filter(|remap| is_start(remap.before)).count()
}

fn is_zero(step: &usize) -> bool {
    *step == 0
}

/// The policy of a solution on a log with one step for `stride` of the program.
fn of_solution(
    path: Option<&Path>,
    unit: Option<f64>,
    stride: u64,
) -> Result<Option<Player>, Complaint> {
    let Some(path) = path else { return Ok(None) };
    solution(crate::problems::registry::stated::find(path, unit)?, stride).map(Some)
}

/// What is asked of a log that is long.
fn asked(arguments: &Replay) -> Asked {
    let options = [
        ("--splits", arguments.splits > 1),
        ("--what-if", arguments.what_if),
        ("--plot", arguments.plot.is_some()),
        ("--advised", arguments.advised.is_some()),
    ];
    let (path, unit) = (arguments.solution.clone(), arguments.unit);
    Asked {
        name: crate::logs::names(&arguments.log.traces),
        names: arguments.policies.clone(),
        remap_cost: arguments.log.reading.remap_cost,
        overlap: arguments.overlap,
        from: arguments.from,
        seed: arguments.seed,
        solution: Box::new(move |stride| of_solution(path.as_deref(), unit, stride)),
        needs_all: options.into_iter().find(|(_, given)| *given).map(|(option, _)| option),
    }
}

/// Prints what came out on a log that is long.
fn print_long(arguments: &Replay, opened: Opened, played: Played) -> Exit {
    let Opened { name, trace, .. } = opened;
    let split = [("--split", arguments.split.is_some())];
    idle::tell(&split, "of a log this long the beginning is trained on, and the rest judged");
    let Played { judged: found, training, remap_cost } = played;
    let shown = contest::table(&found, None);
    let (knows, after) = (trace.knows_remaps, trace.after.steps);
    let document = document((arguments, name), trace, remap_cost, found, training, after);
    show(arguments, &document, knows, &shown);
    Exit::Done
}

/// The policies whose costs are drawn: those asked for, or the best, the adaptive rule, the best
/// published rule and never.
fn drawn<'a>(asked: &'a [String], found: &'a Judged) -> Vec<&'a str> {
    if !asked.is_empty() {
        return asked.iter().map(String::as_str).take(MOST_DRAWN).collect();
    }
    let best = cheapest(found.lines.iter().map(|line| line.cost));
    let best = best.map_or("never", |place| found.lines[place].policy.as_str());
    let mut drawn = vec![best, "advised", found.best_in_use.0.as_str(), "never"];
    let mut seen = std::collections::HashSet::new();
    drawn.retain(|name| seen.insert(*name));
    drawn
}

/// The most curves of the chart.
const MOST_DRAWN: usize = 7;
