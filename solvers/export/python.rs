//! Writes a rule as a Python module.

use super::{heading, literal, row_width, rows};
use crate::document::rule::{
    Belief, Level, LoadThresholds, Measure, RemapInterval, Rule, StatedRule,
};
use crate::problems::shared::map::{Index, Map};
use std::fmt::Write;

/// The module.
pub fn write(export: &StatedRule) -> String {
    let mut text = format!("\"\"\"{}\n\"\"\"\n\n", docstring(&heading(export)));
    text += &match &export.rule {
        Rule::Belief(belief) => of_belief(belief),
        Rule::Switching(switching) => super::switching::python(switching),
        Rule::Map(map) => of_map(map),
        Rule::Imbalance(imbalance) => of_imbalance(imbalance),
        Rule::Interval(interval) => of_interval(interval),
        Rule::Level(level) => of_level(level),
    };
    text
}

/// Lines with the characters escaped that a docstring does not allow.
pub(super) fn docstring(lines: &[String]) -> String {
    let text = lines.join("\n").replace('\\', "\\\\").replace("\"\"\"", "'''");
    text.trim_end_matches('"').to_owned()
}

fn numbers(name: &str, values: &[f64]) -> String {
    let mut text = format!("{name} = (\n");
    for row in values.chunks(4) {
        let row: Vec<String> = row.iter().map(|value| literal(*value)).collect();
        let _ = writeln!(text, "    {},", row.join(", "));
    }
    text + ")\n"
}

fn of_belief(belief: &Belief) -> String {
    let Belief { last, head, stationary, tail, detector, hazard } = belief;
    let mut text = format!("LAST_STEP = {last}\n");
    text += &numbers("HEAD", head);
    let _ = writeln!(text, "STATIONARY = {}", literal(*stationary));
    text += &numbers("TAIL", tail);
    let (alpha, beta) = (literal(detector.0), literal(detector.1));
    let _ = writeln!(text, "FALSE_ALARM = {alpha}\nMISSED = {beta}");
    match hazard.as_slice() {
        [constant] => {
            let _ = writeln!(text, "HAZARD = {}", literal(*constant));
        }
        list => text += &numbers("HAZARD", list),
    }
    let at = match hazard.len() {
        1 => "HAZARD if n >= 1 else 0.0",
        _ => "HAZARD[n - 1] if 1 <= n <= len(HAZARD) else 0.0",
    };
    let _ = write!(
        text,
        "

def threshold(n):
    \"\"\"The threshold of step n, n = 0 .. LAST_STEP; 1, never, beyond.\"\"\"
    if n < 0 or n > LAST_STEP:
        return 1.0
    if n < len(HEAD):
        return HEAD[n]
    tail = n - (LAST_STEP + 1 - len(TAIL))
    return TAIL[tail] if tail >= 0 else STATIONARY


def remap_now(p, n):
    \"\"\"Whether to remap at step n, if the phase has changed with probability p.\"\"\"
    return p > threshold(n)


def belief(p, n, report):
    \"\"\"Bayes' rule: the probability at step n that the phase has changed, from that at step
    n - 1 (0 at step 0) and whether the detector reports a change at step n.\"\"\"
    hazard = {at}
    prior = p + (1.0 - p) * hazard
    yes = prior * (1.0 - MISSED if report else MISSED)
    no = (1.0 - prior) * (FALSE_ALARM if report else 1.0 - FALSE_ALARM)
    return yes / (yes + no) if yes + no > 0.0 else prior
"
    );
    text
}

fn list<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

fn of_map(map: &Map) -> String {
    let mut text = String::from("# B balanced, R remap, C continue.\nMAP = (\n");
    for row in rows(&map.decisions, row_width(map)) {
        let _ = writeln!(text, "    \"{row}\"");
    }
    let _ = writeln!(text, ")\nLOWEST = ({},)", list(map.lowest.iter()));
    let _ = writeln!(text, "LEVELS = ({},)", list(map.levels.iter()));
    match &map.index {
        Index::RowMajor => {
            text += "

def decision(loads):
    \"\"\"The decision for a load of each process; beyond the levels the nearest counts.\"\"\"
    place = 0
    for load, lowest, levels in zip(loads, LOWEST, LEVELS, strict=True):
        place = place * levels + min(max(load - lowest, 0), levels - 1)
    return MAP[place]
";
        }
        Index::Multiset => {
            text = format!("from math import comb\n\n{text}");
            text += "

def decision(loads):
    \"\"\"The decision for a load of each process, in any order; beyond the levels the nearest
    counts.\"\"\"
    if len(loads) != len(LEVELS):
        raise ValueError(f\"{len(LEVELS)} loads, not {len(loads)}\")
    levels = sorted(min(max(load - LOWEST[0], 0), LEVELS[0] - 1) for load in loads)
    return MAP[sum(comb(x + k, k + 1) for k, x in enumerate(levels))]
";
        }
        Index::Listed(loads) => {
            text += "LOADS = {\n";
            for (place, vector) in loads.iter().enumerate() {
                let _ = writeln!(text, "    ({},): {place},", list(vector.iter()));
            }
            text += "}


def decision(loads):
    \"\"\"The decision for a load of each process; C for loads that are not listed.\"\"\"
    place = LOADS.get(tuple(loads))
    return \"C\" if place is None else MAP[place]
";
        }
    }
    text + "

def remap_now(loads):
    \"\"\"Whether to remap now.\"\"\"
    return decision(loads) == \"R\"
"
}

fn of_imbalance(imbalance: &LoadThresholds) -> String {
    let steps = imbalance.steps;
    let mut text =
        format!("STEPS = {steps}\n# From which step on which threshold holds.\nTHRESHOLDS = (\n");
    for (from, threshold) in &imbalance.thresholds {
        let _ = writeln!(text, "    ({from}, {}),", literal(*threshold));
    }
    if !imbalance.since.is_empty() {
        text += ")\n# The same by the steps since the last remap or the start.\nSINCE = (\n";
        for (from, threshold) in &imbalance.since {
            let _ = writeln!(text, "    ({from}, {}),", literal(*threshold));
        }
    }
    let head = ")


def threshold(step):
    \"\"\"The threshold on max - mean after a step, counted from 1.\"\"\"
    return [value for first, value in THRESHOLDS if first <= max(step, 1)][-1]
";
    if !imbalance.since.is_empty() {
        return text
            + head
            + "

def threshold_since(steps):
    \"\"\"The threshold so many steps after the last remap or the start.\"\"\"
    return [value for first, value in SINCE if first <= max(steps, 1)][-1]


def remap_now(step, since, largest, mean):
    \"\"\"Whether to remap after a step, so many after the last remap or the start, with these
    largest and mean loads.\"\"\"
    return step < STEPS and largest - mean > max(threshold(step), threshold_since(since))
";
    }
    text + head
        + "

def remap_now(step, largest, mean):
    \"\"\"Whether to remap after a step with these largest and mean loads.\"\"\"
    return step < STEPS and largest - mean > threshold(step)
"
}

fn of_interval(interval: &RemapInterval) -> String {
    let every = interval.every.map_or("None".to_owned(), |every| every.to_string());
    format!(
        "# Steps between remaps; None is never.
INTERVAL = {every}


def remap_now(steps_since):
    \"\"\"Whether to remap, so many steps after the last remap or the start.\"\"\"
    return INTERVAL is not None and steps_since >= INTERVAL
"
    )
}

fn of_level(level: &Level) -> String {
    let value = literal(level.value);
    let body = match level.measure {
        Measure::Excess => {
            "    excess = max(highest - mean, 0.0)\n    \
             return excess - LEVEL > 1e-12 * (excess + LEVEL)\n"
        }
        Measure::Utilization => {
            "    used = mean / highest if highest > 0.0 else 1.0\n    \
             return LEVEL - used > 1e-12 * (LEVEL + used)\n"
        }
    };
    format!(
        "LEVEL = {value}\n\n\ndef remap_now(highest, mean):\n    \
         \"\"\"Whether to remap after a step with these largest and mean times of the ranks.\"\"\"\n{body}"
    )
}
