//! Writes a rule as a table in CSV.

use super::{heading, literal};
use crate::document::rule::{Measure, Rule, StatedRule};
use crate::problems::shared::map::Map;
use std::fmt::Write;

/// The table: comment lines, a header, a row for each step or load vector.
pub fn write(export: &StatedRule) -> String {
    let mut text = String::new();
    for line in heading(export) {
        let _ = writeln!(text, "# {line}");
    }
    match &export.rule {
        Rule::Belief(belief) => {
            text += "first_step,last_step,threshold\n";
            let mut row = |first: u64, last: u64, value: f64| {
                let _ = writeln!(text, "{first},{last},{}", literal(value));
            };
            let (head, from) = (belief.head.len() as u64, belief.tail_from());
            for (n, value) in (0..).zip(&belief.head) {
                row(n, n, *value);
            }
            if from > head {
                row(head, from - 1, belief.stationary);
            }
            for (n, value) in (from..).zip(&belief.tail) {
                row(n, n, *value);
            }
        }
        Rule::Switching(rule) => {
            text += "direction,first_step,threshold\n";
            named("to_second", &rule.to_second, &mut text);
            named("to_first", &rule.to_first, &mut text);
        }
        Rule::Map(map) => of_map(map, &mut text),
        Rule::Imbalance(imbalance) if !imbalance.since.is_empty() => {
            text += "counted_from,first_step,threshold\n";
            named("start", &imbalance.thresholds, &mut text);
            named("remap", &imbalance.since, &mut text);
        }
        Rule::Imbalance(imbalance) => {
            text += "first_step,last_step,threshold\n";
            let mut ends = imbalance.thresholds.iter().skip(1).map(|(from, _)| from - 1);
            for (from, value) in &imbalance.thresholds {
                let last = ends.next().unwrap_or(imbalance.steps.saturating_sub(1));
                let _ = writeln!(text, "{from},{last},{}", literal(*value));
            }
        }
        Rule::Interval(interval) => {
            // A number that tables can read: an empty line would not be a row.
            let every = interval.every.map_or_else(|| "inf".to_owned(), |every| every.to_string());
            let _ = writeln!(text, "interval\n{every}");
        }
        Rule::Level(level) => {
            let measure = match level.measure {
                Measure::Excess => "max_minus_mean_above",
                Measure::Utilization => "mean_over_max_below",
            };
            let _ = writeln!(text, "{measure}\n{}", literal(level.value));
        }
    }
    text
}

/// Thresholds by step, each row with this name.
fn named(name: &str, thresholds: &[(u64, f64)], text: &mut String) {
    for (from, value) in thresholds {
        let _ = writeln!(text, "{name},{from},{}", literal(*value));
    }
}

fn of_map(map: &Map, text: &mut String) {
    let names: Vec<String> = (1..=map.processes()).map(|i| format!("load_{i}")).collect();
    let _ = writeln!(text, "{},vectors,decision", names.join(","));
    for (place, letter) in map.decisions.iter().enumerate() {
        let (loads, vectors) = map.entry(place);
        let loads: Vec<String> = loads.iter().map(i64::to_string).collect();
        let _ = writeln!(text, "{},{vectors},{}", loads.join(","), char::from(*letter));
    }
}
