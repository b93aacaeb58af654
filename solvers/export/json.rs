//! Writes a rule as JSON, without the fields that only a report needs.

use super::heading;
use crate::document::rule::{Measure, Rule, StatedRule};
use crate::problems::shared::map::Index;
use serde_json::{Value, json};

/// The document.
pub fn write(export: &StatedRule) -> String {
    let (kind, rule) = match &export.rule {
        Rule::Belief(belief) => {
            let hazard: Value = match belief.hazard.as_slice() {
                [constant] => (*constant).into(),
                list => list.into(),
            };
            let rule = json!({
                "last_step": belief.last,
                "threshold_first": belief.head,
                "threshold_between": belief.stationary,
                "threshold_last": belief.tail,
                "false_alarm": belief.detector.0,
                "missed": belief.detector.1,
                "hazard": hazard,
            });
            ("belief_threshold", rule)
        }
        Rule::Switching(rule) => {
            let rule = json!({
                "to_second_above": by_step(&rule.to_second),
                "to_first_below": by_step(&rule.to_first),
                "belief": rule.belief,
            });
            ("two_thresholds", rule)
        }
        Rule::Map(map) => {
            let decision = String::from_utf8_lossy(&map.decisions);
            let mut rule = json!({
                "lowest": map.lowest,
                "levels": map.levels,
                "decision": decision,
            });
            let index = match &map.index {
                Index::RowMajor => "row_major",
                Index::Multiset => "colexicographic_multisets",
                Index::Listed(loads) => {
                    rule["loads"] = json!(loads);
                    "listed"
                }
            };
            rule["index"] = index.into();
            ("decision_map", rule)
        }
        Rule::Imbalance(imbalance) => {
            let thresholds = by_step(&imbalance.thresholds);
            let mut rule = json!({"steps": imbalance.steps, "thresholds": thresholds});
            if !imbalance.since.is_empty() {
                rule["since_last_remap"] = by_step(&imbalance.since);
            }
            ("imbalance_threshold", rule)
        }
        Rule::Interval(interval) => (
            "fixed_interval",
            json!({"interval": interval.every, "tolerance_max_over_mean": interval.tolerance}),
        ),
        Rule::Level(level) => match level.measure {
            Measure::Excess => ("imbalance_level", json!({"max_minus_mean_above": level.value})),
            Measure::Utilization => {
                ("utilization_level", json!({"mean_over_max_below": level.value}))
            }
        },
    };
    let mut document = json!({"title": export.title, "rule": kind, "notes": heading(export)[1..]});
    if let (Value::Object(all), Value::Object(own)) = (&mut document, rule) {
        all.extend(own);
    }
    crate::document::to_json(&document)
}

/// Thresholds, each with its first step.
fn by_step(list: &[(u64, f64)]) -> Value {
    list.iter().map(|(from, value)| json!({"first_step": from, "threshold": value})).collect()
}
