//! Rules of one number, for codes that know no others: trained on the first half of a log.

use super::Ground;
use super::contest::contestants;
use crate::complaint::Complaint;
use remapping::fit::level;
use remapping::policy::Rule;
use remapping::policy::codes::Code;
use remapping::record::Record;
use remapping::replay::{Indicator, intervals, thresholds, tuned};
use std::borrow::Cow;

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

/// The settings of codes, tuned on the training steps of `ground`: for each an interval, from one
/// decision to the next, and a level. Codes without a level have intervals tuned by their own rule.
pub(super) fn of_codes(ground: &Ground<'_>) -> Vec<Rule> {
    let cleaned = without_outliers(ground.record);
    let (steps, price) = (ground.training.clone(), ground.price());
    let best = |rules: &[Rule]| tuned(&cleaned, steps.clone(), price, rules).map(rounded);
    let every = |rule: &Rule| match rule {
        Rule::Fixed(every) => Some(every + ground.overlap.steps),
        _ => None,
    };
    let tried: Vec<u64> = intervals(steps.len()).iter().filter_map(every).collect();
    let interval = |code: Code| {
        let rules: Vec<Rule> = tried.iter().map(|every| Rule::Code(code, *every, None)).collect();
        best(&rules)
    };
    let level = |code: Code, indicator: Indicator| {
        let rules = thresholds(&cleaned, steps.clone(), indicator).into_iter();
        let rules: Vec<Rule> = rules.filter_map(|rule| of_code(code, rule)).collect();
        best(&rules)
    };
    let plain = interval(Code::Smilei);
    let ratio = level(Code::Lammps, Indicator::Utilization);
    let same = |code: Code, rule: Option<Rule>| match rule {
        Some(Rule::Code(_, every, level)) => {
            code.trigger(every, level).map(|_| Rule::Code(code, every, level))
        }
        _ => None,
    };
    let settings = |(code, _): (Code, &'static str)| match code {
        Code::Swift => [None, level(code, Indicator::Range)],
        Code::Fourc => [None, level(code, Indicator::Ratio)],
        _ if code.level().is_none() => [interval(code), None],
        _ => [same(code, plain), same(code, ratio)],
    };
    Code::ALL.into_iter().flat_map(settings).flatten().collect()
}

/// A threshold as a level of a code that looks at each step.
fn of_code(code: Code, rule: Rule) -> Option<Rule> {
    let level = match rule {
        Rule::Utilization(share) if share > 0.0 => 1.0 / share,
        Rule::Range(level) | Rule::Ratio(level) => level,
        _ => return None,
    };
    code.trigger(1, Some(level)).map(|_| Rule::Code(code, 1, Some(level)))
}

/// The record with times far off the median of the five around them replaced by it.
fn without_outliers(record: &Record) -> Cow<'_, Record> {
    let mut seconds = record.times().to_vec();
    match level::without_outliers(&mut seconds, record.ranks()) {
        0 => Cow::Borrowed(record),
        _ => Cow::Owned(record.with_times(seconds)),
    }
}

/// A trained rule with a parameter of four digits.
fn rounded(rule: Rule) -> Rule {
    let four = |value: f64| format!("{value:.3e}").parse().unwrap_or(value);
    match rule {
        Rule::Threshold(bound) => Rule::Threshold(four(bound)),
        Rule::Utilization(share) => Rule::Utilization(four(share).min(1.0)),
        Rule::Code(code, every, Some(level))
            if four(level) > 1.0 || code == Code::Swift && four(level) < 1.0 =>
        {
            Rule::Code(code, every, Some(four(level)))
        }
        other => other,
    }
}
