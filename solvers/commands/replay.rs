//! `remap replay`.

use super::Exit;
use super::fit::remap_cost;
use crate::cli::Replay;
use crate::complaint::Complaint;
use crate::output::{check_free, print, say, write_file};
use crate::replaying::advised::{Settings, advised_document};
use crate::replaying::{Contestant, Ground, IN_USE, OURS, Solution};
use crate::run::Watch;
use crate::solution::{rule, to_json};
use crate::trace;
use remapping::fit::increments::Increments;
use remapping::replay::replay;
use remapping::simulate::Tally;
use serde::Serialize;
use std::fmt::Write;

/// What a policy came to on the judged steps.
#[derive(Debug, Serialize)]
struct Line {
    policy: String,
    /// Sum of max - mean over the judged steps, and the remaps.
    cost: f64,
    /// How much more than hindsight's best.
    regret: f64,
    remaps: u64,
    /// Sum of the steps' maxima, and the remaps.
    time: f64,
    utilization: f64,
    /// Whether codes use it today.
    in_use: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// What `solved` was chosen from, the best first: costs on the later training steps as multiples of
    /// hindsight's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    training: Vec<(String, f64)>,
}

#[derive(Debug, Serialize)]
struct Document {
    trace: String,
    ranks: usize,
    steps: usize,
    recorded_remaps: usize,
    remap_cost: f64,
    /// The first step that is judged, from 0.
    judged_from: usize,
    judged: usize,
    assumption: &'static str,
    /// The least any sequence of remaps costs on the judged steps.
    clairvoyant: f64,
    policies: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_in_use: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    /// Regret of what Q-learning had learnt after so many episodes, on the training steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    q_learning_regret: Vec<(u64, f64)>,
    repairs: Vec<String>,
}

const ASSUMPTION: &str = "a remap restores balance and does not change later increments";

/// Longest run that is judged: hindsight's work grows with its square.
const MOST_STEPS: usize = 10_000;

pub(super) fn run(arguments: &Replay) -> Result<Exit, Complaint> {
    let name = arguments.trace.display().to_string();
    if let Some(path) = &arguments.advised {
        check_free(path, arguments.force)?;
    }
    let trace = trace::read(&arguments.trace)?;
    let record = &trace.record;
    let cost = remap_cost(arguments.remap_cost, record.mean_remap_cost(), &name)?;
    let steps = record.steps();
    let cut = ((steps as f64 * arguments.split).round() as usize).clamp(1, steps - 1);
    if cut < 3 || steps - cut < 2 {
        let message = format!("{name}: {cut} steps to train on and {} to judge", steps - cut);
        return Err(Complaint::elsewhere(message, "record more steps"));
    }
    let judged = cut..steps.min(cut + MOST_STEPS);
    let solution = match &arguments.solution {
        None => None,
        Some(path) => Some(Solution::new(rule::find(path)?, arguments.unit)?),
    };
    let wanted = solution.as_ref().and_then(Solution::ranks);
    if let Some(wanted) = wanted.filter(|wanted| *wanted != record.ranks()) {
        let message = format!("{name} has {} ranks, the solution is for {wanted}", record.ranks());
        return Err(Complaint::elsewhere(message, "fit and solve a model of this trace"));
    }
    let mut names: Vec<String> = arguments.policies.clone();
    if names.is_empty() {
        names.extend(OURS.iter().chain(&IN_USE).map(|name| (*name).to_owned()));
        names.extend(solution.as_ref().map(|_| "solution".to_owned()));
    }
    let ground = Ground { record, remap_cost: cost, training: 0..cut, seed: arguments.seed };
    let mut curve = Vec::new();
    let contestants: Vec<Contestant> = names
        .iter()
        .map(|name| ground.contestant(name, solution.as_ref(), &mut curve))
        .collect::<Result<_, _>>()?;
    let watch = Watch::start(&name, None);
    let start = || ground.runs(&contestants, judged.len());
    let found = match replay(record, judged.clone(), cost, &start, &watch) {
        Ok(found) => found,
        Err(halt) => return Ok(remapping::Status::from(halt).into()),
    };
    let line = |(contestant, tally): (&Contestant, &Tally)| Line {
        policy: contestant.name.clone(),
        cost: tally.value,
        regret: (tally.value - found.clairvoyant).max(0.0),
        remaps: tally.remaps,
        time: tally.time,
        utilization: tally.utilization(),
        in_use: IN_USE.contains(&contestant.name.as_str()),
        note: contestant.note.clone(),
        training: contestant.trials.clone(),
    };
    let policies: Vec<Line> = contestants.iter().zip(&found.tallies).map(line).collect();
    let best = policies.iter().filter(|line| line.in_use);
    let best = best.min_by(|a, b| a.regret.total_cmp(&b.regret));
    let solved = policies.iter().find(|line| line.policy == "solved");
    let verdict = solved.zip(best).map(|(solved, best)| verdict(solved, best, &ground, steps));
    if let Some(path) = &arguments.advised {
        let settings = Settings {
            title: name.clone(),
            remap_cost: cost,
            judged: judged.clone(),
            steps: None,
            unit_seconds: 1.0,
            stride: trace.stride,
            assumption: ASSUMPTION.to_owned(),
            clairvoyant: Some(found.clairvoyant),
        };
        let advised = advised_document(record, &settings)?;
        write_file(path, to_json(&advised).as_bytes(), arguments.force)?;
    }
    let document = Document {
        trace: name.clone(),
        ranks: record.ranks(),
        steps,
        recorded_remaps: record.remaps().len(),
        remap_cost: cost,
        judged_from: cut,
        judged: judged.len(),
        assumption: ASSUMPTION,
        clairvoyant: found.clairvoyant,
        best_in_use: best.map(|best| best.policy.clone()),
        verdict,
        policies,
        q_learning_regret: curve,
        repairs: trace.repairs,
    };
    if arguments.json {
        print(&to_json(&document));
    } else {
        for repair in &document.repairs {
            say(&format!("note: {name}: {repair}"));
        }
        print(&table(&document));
    }
    Ok(Exit::Done)
}

/// Whether the solved policy is as good as the best rule in use, and if not, why.
fn verdict(solved: &Line, best: &Line, ground: &Ground<'_>, steps: usize) -> String {
    let (own, other) = (solved.regret, best.regret);
    let slack = 1e-9 * solved.cost.max(1.0);
    if own <= other + slack {
        return format!("solved is at least as good as the best rule in use, {}", best.policy);
    }
    let behind = 100.0 * (own - other) / best.cost.max(f64::MIN_POSITIVE);
    format!(
        "solved costs {behind:.2} % more than the best rule in use, {}: {}; {}",
        best.policy,
        in_training(solved, &best.policy),
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
    let (s, t) = (before.deviation.value, after.deviation.value);
    if (a - b).abs() > 0.1 * a.max(b) && a.max(b) * 10.0 > s.max(t) {
        let (a, b) = (short(a), short(b));
        format!("the fastest rank gained {a} a step in training and {b} after")
    } else if (s - t).abs() > 0.2 * s.max(t) {
        let (s, t) = (short(s), short(t));
        format!("a step added {s} at random in training and {t} after")
    } else {
        "the increments are as in training; among several rules one is lucky".to_owned()
    }
}

use crate::fitting::short;

fn table(document: &Document) -> String {
    let Document { trace, ranks, steps, recorded_remaps, remap_cost, .. } = document;
    let mut text = format!(
        "{trace}: {ranks} ranks x {steps} steps, {recorded_remaps} remaps recorded\n\
         a remap costs {} seconds; assumed: {ASSUMPTION}\n\
         trained on steps 0..={}, judged from balance on steps {}..={}\n",
        short(*remap_cost),
        document.judged_from - 1,
        document.judged_from,
        document.judged_from + document.judged - 1
    );
    let widest = document.policies.iter().map(|line| line.policy.len()).max().unwrap_or(0).max(12);
    let _ = writeln!(
        text,
        "{:<widest$} {:>11} {:>13}{:>8}{:>13}",
        "policy", "cost", "regret", "remaps", "utilization"
    );
    for line in &document.policies {
        let note = line.note.as_ref().map_or_else(String::new, |note| format!("  {note}"));
        let _ = writeln!(
            text,
            "{:<widest$} {:>11} {:>13}{:>8}{:>13.5}{note}",
            line.policy,
            short(line.cost),
            short(line.regret),
            line.remaps,
            line.utilization
        );
    }
    let least = short(document.clairvoyant);
    let _ = writeln!(text, "{:<widest$} {least:>11}  knowing the steps in advance", "clairvoyant");
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
