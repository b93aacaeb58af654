//! Rules of one number, for codes that know no others: trained on the first half of a log.

use super::Ground;
use super::contest::contestants;
use crate::complaint::Complaint;
use remapping::fit::level;
use remapping::policy::Rule;
use remapping::record::Record;
use remapping::replay::{Indicator, thresholds, tuned};

/// From here on SWIFT takes a level for an interval.
const SWIFT_LIMIT: f64 = 1.0;

/// Rules of one number, in the order of the table.
const SIMPLE: [&str; 3] = ["threshold", "utilization", "fixed"];

/// The rules of one number, trained on the training steps of `ground`. Times far off their
/// neighbors for a step or two are left out: no remap helps against them, and they would decide
/// all.
pub(super) fn of_one_number(ground: &Ground<'_>) -> Result<Vec<Rule>, Complaint> {
    let cleaned = without_outliers(ground.record);
    let ground = Ground { record: &cleaned, ..ground.clone() };
    let trained = contestants(&ground, &SIMPLE.map(str::to_owned), None, &mut Vec::new())?;
    Ok(trained.iter().map(|found| rounded(found.rule().unwrap_or(Rule::Never))).collect())
}

/// Rules of one number that some codes know and others do not, trained on the training steps of
/// `ground`: SWIFT's, below the level from which on it takes it for an interval, and 4C's.
pub(super) fn of_codes(ground: &Ground<'_>) -> Vec<Rule> {
    let cleaned = without_outliers(ground.record);
    let (steps, price) = (ground.training.clone(), ground.price());
    let trained = |indicator: Indicator| {
        let mut rules = thresholds(&cleaned, steps.clone(), indicator);
        rules.retain(|rule| !matches!(rule, Rule::Range(level) if *level >= SWIFT_LIMIT));
        tuned(&cleaned, steps.clone(), price, &rules).map(rounded)
    };
    [Indicator::Range, Indicator::Ratio]
        .into_iter()
        .filter_map(trained)
        .filter(|rule| *rule != Rule::Never)
        .collect()
}

/// The record with times far off the median of the five around them replaced by it.
fn without_outliers(record: &Record) -> Record {
    let (ranks, steps) = (record.ranks(), record.steps());
    let mut seconds: Vec<f64> = (0..steps).flat_map(|step| record.row(step).to_vec()).collect();
    level::without_outliers(&mut seconds, ranks);
    let filled = (0..steps).flat_map(|step| record.filled(step)).copied().collect();
    // What is taken off a time was noise, if any of it was.
    let times = (0..steps).flat_map(|step| record.row(step));
    let noise = record.noise().iter().zip(times.zip(&seconds));
    let noise =
        noise.map(|(noise, (time, cleaned))| noise - (time - cleaned)).collect::<Vec<f64>>();
    let cleaned = Record::new(ranks, seconds, record.remaps().to_vec());
    let cleaned = cleaned.expect("times of a record").with_filled(filled);
    let cleaned = cleaned.with_left(record.left().to_vec());
    if noise.is_empty() { cleaned } else { cleaned.with_noise(noise) }
}

/// A trained rule with a parameter of four digits.
fn rounded(rule: Rule) -> Rule {
    let four = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
    match rule {
        Rule::Threshold(bound) => Rule::Threshold(four(bound)),
        Rule::Utilization(share) => Rule::Utilization(four(share).min(1.0)),
        Rule::Range(level) if four(level) < SWIFT_LIMIT => Rule::Range(four(level)),
        Rule::Ratio(level) if four(level) > 1.0 => Rule::Ratio(four(level)),
        other => other,
    }
}
