//! `remap replay`.

use super::log::{Opened, TRIED, assumed, open, priced, remaps_recorded};
use super::{Exit, idle};
use crate::cli::{Replay, Start};
use crate::complaint::Complaint;
use crate::document::to_json;
use crate::fitting::short;
use crate::logs::Account;
use crate::output::{check_free, print, say, write_file};
use crate::plot::{self, Format};
use crate::render;
use crate::replaying::advised::{Settings, advised_document};
use crate::replaying::contest::{self, Judged, Line, Part, contestants, judge};
use crate::replaying::long::{Asked, Long, Played};
use crate::replaying::what_if::{self, WhatIf};
use crate::replaying::{Ground, IN_USE, OURS, for_other_ranks, solution};
use crate::run::Watch;
use remapping::fit::increments::Increments;
use remapping::overlap::Overlap;
use remapping::record::Record;
use remapping::replay::{Player, cheapest};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Serialize)]
struct Document {
    trace: String,
    /// What was understood of the log.
    log: Account,
    ranks: usize,
    steps: usize,
    recorded_remaps: usize,
    remap_cost: f64,
    #[serde(skip_serializing_if = "Overlap::is_none")]
    overlap: Overlap,
    /// Parts of the judged steps, each with policies trained on all before it.
    splits: u64,
    /// The first step that is trained on, where it is not 0.
    #[serde(skip_serializing_if = "is_zero")]
    trained_from: usize,
    /// The first step that is judged, from 0.
    judged_from: usize,
    judged: usize,
    /// Recorded remaps right before the first judged step of a part: nobody pays for them, `recorded` neither.
    #[serde(skip_serializing_if = "is_zero")]
    remaps_at_starts: usize,
    /// Steps of the program in a step of the log.
    stride: u64,
    /// Where the judged run starts: `balance` or `actual`.
    from: &'static str,
    assumption: &'static str,
    /// The least cost of any sequence of remaps on the judged steps. `null` where the log is too
    /// long for it.
    clairvoyant: Option<f64>,
    /// The same from where the recorded run stood, where the policies start elsewhere: what `recorded`
    /// is measured by.
    #[serde(skip_serializing_if = "Option::is_none")]
    clairvoyant_from_actual: Option<f64>,
    policies: Vec<Line>,
    /// Of all published rules, whether they were asked for or not.
    best_in_use: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    /// The same for other costs of a remap.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    what_if: Vec<WhatIf>,
    /// Regret of what Q-learning had learnt after so many episodes, on the training steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    q_learning_regret: Vec<(u64, f64)>,
    repairs: Vec<String>,
}

/// Longest run that is judged: the work for the perfect-information optimum grows with its square.
const MOST_STEPS: usize = 10_000;

pub(super) fn run(arguments: &Replay) -> Result<Exit, Complaint> {
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
        return Err(Complaint::elsewhere(message, "record more steps"));
    }
    let judged = cut..steps.min(cut + MOST_STEPS);
    let solution = match &arguments.solution {
        None => None,
        Some(path) => Some(solution(
            crate::problems::registry::stated::find(path, arguments.unit)?,
            trace.stride,
        )?),
    };
    let wanted = solution.as_ref().and_then(Player::ranks);
    if let Some(wanted) = wanted.filter(|wanted| *wanted != record.ranks()) {
        let message = format!("{name} has {} ranks, the solution is for {wanted}", record.ranks());
        return Err(Complaint::elsewhere(message, "fit and solve a model of this trace"));
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
        from: arguments.from.into(),
        end_known: true,
    };
    let many = judged.len() / arguments.splits as usize;
    if many < 2 {
        let message =
            format!("{} judged steps cannot be split into {}", judged.len(), arguments.splits);
        return Err(Complaint::elsewhere(message, "a part has 2 steps or more: fewer --splits"));
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
    let found = match judge(&parts, trace.knows_remaps, &watch) {
        Ok(found) => found,
        Err(halt) => return Ok(remapping::Status::from(halt).into()),
    };
    let what_if = match arguments.what_if {
        false => Vec::new(),
        true => {
            let asked = (!arguments.policies.is_empty()).then_some(&names[..]);
            match what_if::costs(
                &parts,
                &what_if::TIMES,
                asked,
                solution.as_ref(),
                trace.knows_remaps,
                &watch,
            )? {
                Ok(found) => found,
                Err(halt) => return Ok(remapping::Status::from(halt).into()),
            }
        }
    };
    drop(watch);
    let solved = found.lines.iter().find(|line| line.policy == "solved");
    let verdict = solved.map(|solved| verdict(solved, &found.best_in_use, &ground, steps));
    let shown = contest::table(&found);
    if let Some(plot) = &arguments.plot {
        let drawn = drawn(&arguments.policies, &found);
        let picture = render::log::picture(&name, record, &found, judged.clone(), &drawn);
        write_file(plot, &plot::picture(Format::of(plot)?, &picture)?, arguments.force)?;
    }
    if let Some(path) = &arguments.advised {
        let balanced = arguments.from == Start::Balance;
        let settings = Settings {
            title: name.clone(),
            remap_cost: cost,
            overlap,
            judged: judged.clone(),
            steps: None,
            unit_seconds: 1.0,
            stride: trace.stride,
            assumption: assumed(record).to_owned(),
            clairvoyant: found.clairvoyant.filter(|_| balanced && parts.len() == 1),
        };
        let advised = advised_document(record, &settings)?;
        write_file(path, to_json(&advised).as_bytes(), arguments.force)?;
    }
    let document = Document {
        trace: name,
        log: trace.account.clone(),
        ranks: record.ranks(),
        steps,
        recorded_remaps: record.remaps().len(),
        remap_cost: cost,
        overlap,
        splits: arguments.splits,
        trained_from: 0,
        judged_from: cut,
        judged: judged.len(),
        remaps_at_starts: at_starts(record, &parts),
        stride: trace.stride,
        from: from(arguments),
        assumption: assumed(record),
        clairvoyant: found.clairvoyant,
        clairvoyant_from_actual: found.clairvoyant_actual,
        best_in_use: found.best_in_use.0,
        verdict,
        what_if,
        policies: found.lines,
        q_learning_regret: curve,
        repairs: trace.repairs,
    };
    show(arguments, &document, trace.knows_remaps, &shown);
    Ok(Exit::Done)
}

fn show(arguments: &Replay, document: &Document, known: bool, shown: &str) {
    print(&if arguments.json { to_json(document) } else { text(document, known, shown) });
}

fn from(arguments: &Replay) -> &'static str {
    match arguments.from {
        Start::Balance => "balance",
        Start::Actual => "actual",
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

/// What is asked of a log that is long.
fn asked(arguments: &Replay) -> Asked {
    let options = [
        ("--splits", arguments.splits > 1),
        ("--what-if", arguments.what_if),
        ("--plot", arguments.plot.is_some()),
        ("--advised", arguments.advised.is_some()),
    ];
    let (path, unit) = (arguments.solution.clone(), arguments.unit);
    let given = move |stride| match &path {
        None => Ok(None),
        Some(path) => {
            solution(crate::problems::registry::stated::find(path, unit)?, stride).map(Some)
        }
    };
    Asked {
        name: crate::logs::names(&arguments.log.traces),
        names: arguments.policies.clone(),
        remap_cost: arguments.log.reading.remap_cost,
        overlap: arguments.overlap,
        from: arguments.from.into(),
        seed: arguments.seed,
        solution: Box::new(given),
        needs_all: options.into_iter().find(|(_, given)| *given).map(|(option, _)| option),
    }
}

/// Prints what came out on a log that is long.
fn print_long(arguments: &Replay, opened: Opened, played: Played) -> Exit {
    let Opened { name, trace, .. } = opened;
    let split = [("--split", arguments.split.is_some())];
    idle::tell(&split, "of a log this long the beginning is trained on, and the rest judged");
    let Played { judged: found, training, remap_cost } = played;
    let shown = contest::table(&found);
    let document = Document {
        trace: name,
        log: trace.account.clone(),
        ranks: trace.record.ranks(),
        steps: trace.steps(),
        recorded_remaps: trace.remaps(),
        remap_cost,
        overlap: arguments.overlap,
        splits: 1,
        trained_from: training.start,
        judged_from: training.end,
        judged: trace.after.steps,
        remaps_at_starts: 0,
        stride: trace.stride,
        from: from(arguments),
        assumption: assumed(&trace.record),
        clairvoyant: None,
        clairvoyant_from_actual: None,
        best_in_use: found.best_in_use.0,
        verdict: None,
        what_if: Vec::new(),
        policies: found.lines,
        q_learning_regret: Vec::new(),
        repairs: trace.repairs,
    };
    show(arguments, &document, trace.knows_remaps, &shown);
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

/// Whether the solved policy is as good as the best published rule, and if not, why.
fn verdict(solved: &Line, best: &(String, f64), ground: &Ground<'_>, steps: usize) -> String {
    let (name, cost) = best;
    let slack = 1e-9 * solved.cost.max(1.0);
    if solved.cost <= cost + slack {
        return format!("solved is at least as good as the best rule in use, {name}");
    }
    let behind = 100.0 * (solved.cost - cost) / cost.max(f64::MIN_POSITIVE);
    format!(
        "solved costs {behind:.2} % more than the best rule in use, {name}: {}; {}",
        in_training(solved, name),
        what_changed(ground, steps)
    )
}

/// How the rule that turned out best did in training, against what was chosen there.
fn in_training(solved: &Line, best: &str) -> String {
    let cost = |name: &str| solved.training.iter().find(|(known, _)| known == name);
    let (Some((chosen, own)), Some((_, other))) = (solved.training.first(), cost(best)) else {
        return "it was not tried in training".to_owned();
    };
    let more = 100.0 * (other / own.max(f64::MIN_POSITIVE) - 1.0);
    if chosen == best || more.abs() < 0.005 {
        format!("in training it cost as much as {chosen}")
    } else if more > 0.0 {
        format!("in training it cost {more:.1} % more than {chosen}")
    } else {
        let less = -more;
        format!("in training it cost {less:.1} % less than {chosen}, too little to go by")
    }
}

/// How the judged steps differ from the training steps.
fn what_changed(ground: &Ground<'_>, steps: usize) -> String {
    let cut = ground.training.end;
    let before = Increments::of(&ground.record.part(0..cut));
    let after = Increments::of(&ground.record.part(cut..steps));
    let (Some(before), Some(after)) = (before, after) else {
        return "there are too few steps to tell why".to_owned();
    };
    let steepest = |found: &Increments| {
        found.drifts.iter().map(|drift| drift - found.drift.value).fold(0.0, f64::max)
    };
    let (a, b) = (steepest(&before), steepest(&after));
    // The random error of the steepest drift.
    let chance = |found: &Increments, steps: usize| {
        let steps = steps.max(1) as f64;
        (found.deviation.value.powi(2) + 2.0 * found.noise.powi(2) / steps) / steps
    };
    let chance = (chance(&before, cut) + chance(&after, steps - cut)).sqrt();
    let (s, t) = (before.deviation, after.deviation);
    let drifts = before.same_drift.min(after.same_drift) < 0.001;
    if drifts && (a - b).abs() > 4.0 * chance {
        let (a, b) = (short(a), short(b));
        format!("the fastest rank gained {a} a step in training and {b} after")
    } else if s.upper < t.lower || t.upper < s.lower {
        let (s, t) = (short(s.value), short(t.value));
        format!("a step added {s} at random in training and {t} after")
    } else {
        "the increments are as in training; among several rules one is lucky".to_owned()
    }
}

fn text(document: &Document, known: bool, shown: &str) -> String {
    let Document { trace, ranks, steps, recorded_remaps, remap_cost, from, assumption, .. } =
        document;
    let start = match *from {
        "actual" => "where the run stood",
        _ => "balance",
    };
    let mut text = format!(
        "{trace}: {ranks} ranks x {steps} steps, {}\n\
         {}; assumed: {assumption}\n\
         trained on steps {}..={}, judged from {start} on steps {}..={}{}\n",
        remaps_recorded(known, *recorded_remaps),
        priced(*remap_cost, document.overlap, document.stride),
        document.trained_from,
        document.judged_from - 1,
        document.judged_from,
        document.judged_from + document.judged - 1,
        match document.splits {
            1 => String::new(),
            many => format!(", in {many} parts, trained on all before each"),
        }
    );
    text.push_str(shown);
    let part = if document.splits > 1 { "a part" } else { "the judged steps" };
    let _ = match document.remaps_at_starts {
        0 => Ok(()),
        1 => writeln!(
            text,
            "one more was recorded right before {part}: `recorded` does not pay for it"
        ),
        many => writeln!(
            text,
            "{many} more were recorded right before {part}: `recorded` does not pay for them"
        ),
    };
    text.push_str(&what_if::table(&document.what_if));
    if !document.q_learning_regret.is_empty() {
        let points: Vec<String> = document
            .q_learning_regret
            .iter()
            .map(|(episode, regret)| format!("{episode}: {}", short(*regret)))
            .collect();
        let _ = writeln!(text, "q_learning, regret in training by episode: {}", points.join(", "));
    }
    if let Some(verdict) = &document.verdict {
        let _ = writeln!(text, "{verdict}");
    }
    text
}
