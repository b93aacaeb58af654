//! Which policy would be best if a remap cost otherwise.

use super::contest::{Part, RECORDED, contestants, judge};
use super::{Ground, IN_USE, Stopped};
use crate::complaint::Complaint;
use crate::fitting::short;
use remapping::Observer;
use remapping::replay::{Player, cheapest};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

/// What a remap costs instead, in its costs.
pub const TIMES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

/// The default policies: published rules, and these, which take no long training.
const OURS: [&str; 4] = ["advised", "fixed", "threshold", "utilization"];

/// The policies at one cost of a remap.
#[derive(Debug, Clone, Serialize)]
pub struct WhatIf {
    /// What a remap costs.
    pub remap_cost: f64,
    /// The policy that costs least.
    pub best: String,
    /// What it costs, and how often it remaps.
    pub cost: f64,
    /// Its remaps.
    pub remaps: u64,
    /// All of them, with their costs.
    pub policies: Vec<(String, f64)>,
    /// The run as it was, had its remaps cost so much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<f64>,
    /// The perfect-information optimum.
    pub clairvoyant: f64,
}

/// Most steps squared times ranks for which the perfect-information optimum is computed.
const MOST_WORK: usize = 2_000_000_000;

/// The same for one part, unless it takes long.
pub fn quickly(
    ground: &Ground<'_>,
    steps: Range<usize>,
    known: bool,
    observer: &dyn Observer,
) -> Result<Vec<WhatIf>, Complaint> {
    let work = steps.len().saturating_pow(2).saturating_mul(ground.record.ranks());
    if work > MOST_WORK || ground.remap_cost <= 0.0 {
        return Ok(Vec::new());
    }
    let part = Part { ground: ground.clone(), contestants: Vec::new(), steps };
    match costs(&[part], &TIMES, None, None, known, observer) {
        Err(Stopped::Fault(fault)) => Err(fault),
        found => Ok(found.unwrap_or_default()),
    }
}

/// The policies at several costs, so many times that of the ground, trained anew at each, on the
/// same parts.
pub fn costs(
    parts: &[Part<'_>],
    times: &[f64],
    asked: Option<&[String]>,
    solution: Option<&Player>,
    known: bool,
    observer: &dyn Observer,
) -> Result<Vec<WhatIf>, Stopped> {
    let usual = || OURS.iter().chain(&IN_USE).map(|name| (*name).to_owned()).collect();
    let names: Vec<String> = asked.map_or_else(usual, <[String]>::to_vec);
    let mut found = Vec::new();
    for times in times {
        let mut other = Vec::new();
        for part in parts {
            let remap_cost = times * part.ground.remap_cost;
            if remap_cost <= 0.0 {
                let message = "a remap that costs nothing costs nothing however often";
                return Err(Complaint::elsewhere(message, "give a cost: --remap-cost C").into());
            }
            let ground = Ground { remap_cost, ..part.ground.clone() };
            let contestants = contestants(&ground, &names, solution, &mut Vec::new())?;
            other.push(Part { ground, contestants, steps: part.steps.clone() });
        }
        let judged = judge(&other, known, observer)?;
        let played = || judged.lines.iter().filter(|line| line.policy != RECORDED);
        let best = cheapest(played().map(|line| line.cost)).and_then(|place| played().nth(place));
        let run = judged.line(RECORDED);
        let Some((best, part)) = best.zip(other.first()) else { continue };
        found.push(WhatIf {
            remap_cost: part.ground.remap_cost,
            best: best.policy.clone(),
            cost: best.cost,
            remaps: best.remaps,
            policies: played().map(|line| (line.policy.clone(), line.cost)).collect(),
            recorded: run.map(|run| run.cost),
            clairvoyant: judged.clairvoyant.unwrap_or(f64::NAN),
        });
    }
    Ok(found)
}

/// The table for people; nothing where nothing was asked.
pub fn table(rows: &[WhatIf]) -> String {
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    let widest = rows.iter().map(|row| row.best.len()).max().unwrap_or(0).max(6);
    let _ = writeln!(
        text,
        "\n{:>12}  {:<widest$} {:>11} {:>8} {:>11} {:>11} {:>13}",
        "a remap", "best", "cost", "remaps", "advised", "recorded", "best possible"
    );
    for row in rows {
        let advised = row.policies.iter().find(|(name, _)| name == "advised");
        let shown = |cost: Option<f64>| cost.map_or_else(String::new, short);
        let _ = writeln!(
            text,
            "{:>12}  {:<widest$} {:>11} {:>8} {:>11} {:>11} {:>13}",
            short(row.remap_cost),
            row.best,
            short(row.cost),
            row.remaps,
            shown(advised.map(|(_, cost)| *cost)),
            shown(row.recorded),
            short(row.clairvoyant)
        );
    }
    text
}
