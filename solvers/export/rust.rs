//! Writes a rule as a Rust module.

use super::{heading, literal, row_width, rows};
use crate::document::rule::{
    Belief, Level, LoadThresholds, Measure, RemapInterval, Rule, StatedRule,
};
use crate::problems::shared::map::{Index, Map};
use std::fmt::Write;

/// The module.
pub fn write(export: &StatedRule) -> String {
    let mut text = String::new();
    for line in heading(export) {
        let _ = writeln!(text, "//! {line}");
    }
    text.push('\n');
    text += &match &export.rule {
        Rule::Belief(belief) => of_belief(belief),
        Rule::Switching(switching) => super::switching::rust(switching),
        Rule::Map(map) => of_map(map),
        Rule::Imbalance(imbalance) => of_imbalance(imbalance),
        Rule::Interval(interval) => of_interval(interval),
        Rule::Level(level) => of_level(level),
    };
    text
}

fn numbers(name: &str, values: &[f64]) -> String {
    let mut text = format!("static {name}: [f64; {}] = [\n", values.len());
    for row in values.chunks(4) {
        let row: Vec<String> = row.iter().map(|value| literal(*value)).collect();
        let _ = writeln!(text, "    {},", row.join(", "));
    }
    text + "];\n"
}

fn of_belief(belief: &Belief) -> String {
    let Belief { last, head, stationary, tail, detector, hazard } = belief;
    let mut text = format!("/// The last step, M.\npub const LAST_STEP: u64 = {last};\n\n");
    let mut body = String::new();
    let from = belief.tail_from();
    if !head.is_empty() {
        text += &numbers("HEAD", head);
        let _ = writeln!(body, "        0..{} => HEAD[n as usize],", head.len());
    }
    if from > head.len() as u64 {
        let _ = writeln!(body, "        {}..{from} => {},", head.len(), literal(*stationary));
    }
    if !tail.is_empty() {
        text += &numbers("TAIL", tail);
        let place = if from == 0 { "n".to_owned() } else { format!("(n - {from})") };
        let _ = writeln!(body, "        {from}..=LAST_STEP => TAIL[{place} as usize],");
    }
    let hazard = match hazard.as_slice() {
        [constant] => format!("if n == 0 {{ 0.0 }} else {{ {} }}", literal(*constant)),
        list => {
            text += &numbers("HAZARD", list);
            "n.checked_sub(1).and_then(|n| HAZARD.get(n as usize)).copied().unwrap_or(0.0)".into()
        }
    };
    let (alpha, beta) = (literal(detector.0), literal(detector.1));
    text + &format!(
        "
/// The threshold of step n, n = 0..=LAST_STEP; 1, never, beyond.
pub fn threshold(n: u64) -> f64 {{
    match n {{
{body}        _ => 1.0,
    }}
}}

/// Whether to remap at step n, if the phase has changed with probability p.
pub fn remap_now(p: f64, n: u64) -> bool {{
    p > threshold(n)
}}

/// Bayes' rule: the probability at step n that the phase has changed, from that at step n - 1
/// (0 at step 0) and whether the detector reports a change at step n.
pub fn belief(p: f64, n: u64, report: bool) -> f64 {{
    let hazard = {hazard};
    let (false_alarm, missed) = ({alpha}, {beta});
    let prior = p + (1.0 - p) * hazard;
    let yes = prior * if report {{ 1.0 - missed }} else {{ missed }};
    let no = (1.0 - prior) * if report {{ false_alarm }} else {{ 1.0 - false_alarm }};
    if yes + no > 0.0 {{ yes / (yes + no) }} else {{ prior }}
}}
"
    )
}

fn list<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

fn of_map(map: &Map) -> String {
    let r = map.processes();
    let mut text = format!("/// Number of processes.\npub const PROCESSES: usize = {r};\n\n");
    text += "/// B balanced, R remap, C continue.\nstatic MAP: &[u8] = b\"\\\n";
    for row in rows(&map.decisions, row_width(map)) {
        let _ = writeln!(text, "    {row}\\");
    }
    text += "\";\n\n";
    let (lowest, levels) = (list(map.lowest.iter()), list(map.levels.iter()));
    text += &match &map.index {
        Index::RowMajor => format!(
            "/// The decision for a load of each process; beyond the levels the nearest counts.
pub fn decision(loads: &[i64; PROCESSES]) -> char {{
    const LOWEST: [i64; PROCESSES] = [{lowest}];
    const LEVELS: [i64; PROCESSES] = [{levels}];
    let mut place = 0;
    for i in 0..PROCESSES {{
        place = place * LEVELS[i] + loads[i].saturating_sub(LOWEST[i]).clamp(0, LEVELS[i] - 1);
    }}
    char::from(MAP[place as usize])
}}
"
        ),
        Index::Multiset => {
            let (sets, levels, lowest) = (map.sets(), map.levels[0], map.lowest[0]);
            let mut table = String::new();
            for k in 1..=r {
                let _ = writeln!(table, "    [{}],", list((0..levels).map(|x| sets.count(k, x))));
            }
            format!(
                "/// `SETS[k][x]`: how many multisets of k + 1 members x levels have.
static SETS: [[usize; {levels}]; PROCESSES] = [
{table}];

/// The decision for a load of each process, in any order; beyond the levels the nearest counts.
pub fn decision(loads: &[i64; PROCESSES]) -> char {{
    let mut sorted = loads.map(|load| load.saturating_sub({lowest}).clamp(0, {}) as usize);
    sorted.sort_unstable();
    let place: usize = sorted.iter().enumerate().map(|(k, &level)| SETS[k][level]).sum();
    char::from(MAP[place])
}}
",
                levels - 1
            )
        }
        Index::Listed(loads) => {
            let mut table = String::new();
            for vector in loads {
                let _ = writeln!(table, "    [{}],", list(vector.iter()));
            }
            format!(
                "static LOADS: [[i64; PROCESSES]; {}] = [
{table}];

/// The decision for a load of each process; C for loads that are not listed.
pub fn decision(loads: &[i64; PROCESSES]) -> char {{
    LOADS.binary_search(loads).map_or('C', |place| char::from(MAP[place]))
}}
",
                loads.len()
            )
        }
    };
    text + "
/// Whether to remap now.
pub fn remap_now(loads: &[i64; PROCESSES]) -> bool {
    decision(loads) == 'R'
}
"
}

fn of_imbalance(imbalance: &LoadThresholds) -> String {
    let arms = |list: &[(u64, f64)]| {
        let mut arms = String::new();
        for (i, (from, threshold)) in list.iter().enumerate().rev() {
            let value = literal(*threshold);
            let _ = match i {
                0 => writeln!(arms, "        _ => {value},"),
                _ => writeln!(arms, "        {from}.. => {value},"),
            };
        }
        arms
    };
    let head = format!(
        "/// Number of steps.
pub const STEPS: u64 = {};

/// The threshold on max - mean after a step, counted from 1.
pub fn threshold(step: u64) -> f64 {{
    match step {{
{}    }}
}}
",
        imbalance.steps,
        arms(&imbalance.thresholds)
    );
    if imbalance.since.is_empty() {
        return head
            + "
/// Whether to remap after a step with these largest and mean loads.
pub fn remap_now(step: u64, max: f64, mean: f64) -> bool {
    step < STEPS && max - mean > threshold(step)
}
";
    }
    head + &format!(
        "
/// The threshold so many steps after the last remap or the start.
pub fn threshold_since(steps: u64) -> f64 {{
    match steps {{
{}    }}
}}

/// Whether to remap after a step, so many after the last remap or the start, with these largest and
/// mean loads.
pub fn remap_now(step: u64, since: u64, max: f64, mean: f64) -> bool {{
    step < STEPS && max - mean > threshold(step) && max - mean > threshold_since(since)
}}
",
        arms(&imbalance.since)
    )
}

fn of_interval(interval: &RemapInterval) -> String {
    format!(
        "/// Steps between remaps; None is never.
pub const INTERVAL: Option<u64> = {:?};

/// Whether to remap, so many steps after the last remap or the start.
pub fn remap_now(steps_since: u64) -> bool {{
    INTERVAL.is_some_and(|every| steps_since >= every)
}}
",
        interval.every
    )
}

fn of_level(level: &Level) -> String {
    let value = literal(level.value);
    let body = match level.measure {
        Measure::Excess => {
            "    let excess = (max - mean).max(0.0);\n    \
             excess - LEVEL > 1e-12 * (excess + LEVEL)\n"
        }
        Measure::Utilization => {
            "    let used = if max > 0.0 { mean / max } else { 1.0 };\n    \
             LEVEL - used > 1e-12 * (LEVEL + used)\n"
        }
    };
    format!(
        "const LEVEL: f64 = {value};\n\n\
         /// Whether to remap after a step with these largest and mean times of the ranks.\n\
         pub fn remap_now(max: f64, mean: f64) -> bool {{\n{body}}}\n"
    )
}
