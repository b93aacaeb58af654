//! `remap advise` on a log that does not say what a remap costs: what to do at each cost.
//!
//! Costs go down by factors of two from what never remapping costs on the steps that are judged. No
//! remap that costs more pays there, since remaps save no more than that sum. At each cost all
//! policies are trained and compared anew.

use super::{Opened, remaps_recorded};
use crate::commands::Exit;
use crate::document::to_json;
use crate::fitting::{short, three};
use crate::logs::Account;
use crate::output::print;
use crate::replaying::Stopped;
use crate::replaying::advice::Question;
use crate::replaying::check::examine;
use crate::replaying::contest::Part;
use crate::replaying::what_if::{self, WhatIf};
use crate::run::Watch;
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Document {
    trace: String,
    /// What was understood of the log.
    log: Account,
    ranks: usize,
    steps: usize,
    recorded_remaps: usize,
    /// Not known.
    remap_cost: Option<f64>,
    stride: u64,
    advice: String,
    /// None, since that depends on what a remap costs.
    policy: Option<String>,
    saves: Option<f64>,
    /// The first step that is judged, from 0, and their number.
    judged_from: usize,
    judged: usize,
    /// The cheapest policy at each cost, from the lowest.
    costs: Vec<WhatIf>,
    policies: [(); 0],
    notes: Vec<String>,
    files: [String; 0],
}

/// Costs that are looked at.
const COSTS: usize = 10;

/// Steps squared times ranks at each cost: all costs then take a few seconds.
const MOST_WORK: usize = 200_000_000;

const NEVER: &str = "never";

/// Answers `question`, whose cost of a remap is not known.
pub(super) fn run(opened: &Opened, question: &Question<'_>, json: bool) -> Result<Exit, Stopped> {
    let Opened { name, trace, .. } = opened;
    let record = &trace.record;
    let most_steps = (MOST_WORK / record.ranks()).isqrt().max(1);
    let steps = question.cut()..record.steps().min(question.cut() + most_steps);
    let recorded: f64 = steps.clone().map(|step| record.imbalance(step)).sum();
    let typical =
        (0..record.steps()).map(|step| record.mean(step)).sum::<f64>() / record.steps() as f64;
    // With a cost of about a step nothing is said of costs.
    let findings = examine(record, typical, question.overlap);
    let mut costs = Vec::new();
    let advice = match findings.obstacles.first() {
        Some(obstacle) => question.refuse(obstacle).sentence,
        None if recorded <= 0.0 => "Do not remap: the ranks are in balance".to_owned(),
        None => {
            let times: Vec<f64> = (0..COSTS).rev().map(|half| 0.5_f64.powi(half as i32)).collect();
            let watch = Watch::waiting(&format!("{name}: costs of a remap are tried"), None);
            let at = |remap_cost: f64, times: &[f64], asked: Option<&[String]>| {
                let question = Question { remap_cost, ..*question };
                let ground = question.ground(question.cut());
                let part = [Part { ground, contestants: Vec::new(), steps: steps.clone() }];
                what_if::costs(&part, times, asked, None, question.known, &watch)
            };
            // What never remapping costs is the same at any cost of a remap.
            let never = at(recorded, &[1.0], Some(&[NEVER.to_owned()]))?;
            let never = never.first().map_or(recorded, |row| row.cost);
            costs = at(never.max(f64::MIN_POSITIVE), &times, None)?;
            // A rule that did not remap is no other than this one.
            let without = costs.iter_mut().filter(|row| row.remaps == 0);
            without.for_each(|row| row.best = NEVER.to_owned());
            sentence(&costs)
        }
    };
    let notes = trace.repairs.iter().cloned().chain(findings.notes).collect();
    let document = Document {
        trace: name.clone(),
        log: trace.account.clone(),
        ranks: record.ranks(),
        steps: record.steps(),
        recorded_remaps: record.remaps().len(),
        remap_cost: None,
        stride: trace.stride,
        advice,
        policy: None,
        saves: None,
        judged_from: steps.start,
        judged: steps.len(),
        costs,
        policies: [],
        notes,
        files: [],
    };
    if json {
        print(&to_json(&document));
        return Ok(Exit::Done);
    }
    let Document { advice, ranks, steps: all, recorded_remaps, .. } = &document;
    let known = remaps_recorded(trace.knows_remaps, *recorded_remaps);
    let judged = format!("steps {}..={}", steps.start, steps.end - 1);
    print(&format!(
        "{advice}\n{name}: {ranks} ranks x {all} steps, {known}; costs on {judged}, nothing is written\n{}",
        what_if::table(&document.costs)
    ));
    Ok(Exit::Done)
}

/// Up to which cost which policy is cheapest, and from which on none pays.
fn sentence(costs: &[WhatIf]) -> String {
    let seconds = |row: &WhatIf| short(three(row.remap_cost));
    let pays = costs.iter().rposition(|row| row.best != NEVER).map_or(0, |last| last + 1);
    let mut text = "What a remap costs is not in the log".to_owned();
    let family = |row: &WhatIf| row.best.split(':').next().unwrap_or_default().to_owned();
    let mut parts: Vec<String> = Vec::new();
    for (at, row) in costs[..pays].iter().enumerate() {
        let is_last = costs[..pays].get(at + 1).is_none_or(|next| family(next) != family(row));
        if is_last {
            parts.push(format!("up to {} seconds {}", seconds(row), row.best));
        }
    }
    if !parts.is_empty() {
        text += &format!(": it is cheapest to remap at {}", parts.join(", "));
    }
    match costs.get(pays) {
        Some(first) => text += &format!("; from {} seconds on, never", seconds(first)),
        None => text += "; above that, never",
    }
    text + ". Give it in seconds: --remap-cost C"
}
