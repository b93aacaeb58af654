//! Which rule a log is advised: chosen on its first half alone.

use super::contest::contestants;
use super::{Ground, Outset};
use crate::complaint::Complaint;
use crate::document::advised::Simple;
use remapping::fit::level;
use remapping::policy::Rule;
use remapping::policy::codes::Code;
use remapping::record::Record;
use remapping::replay::{Indicator, cheapest, intervals, play, thresholds, tuned};
use std::cmp::Ordering;

/// A rule that can be exported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// The adaptive rule.
    Advised,
    /// A rule of one number.
    Simple(Rule),
}

impl Choice {
    /// As it is called in the table.
    pub fn name(self) -> String {
        match self {
            Choice::Advised => "advised".to_owned(),
            Choice::Simple(rule) => rule.to_string(),
        }
    }
}

/// A simple rule is taken if its cost is at most this multiple of the adaptive rule's.
const AS_GOOD: f64 = 1.01;

/// Where no remap was recorded nobody knows what one leaves. An interval, which does not remap
/// again at once where that did not help, is taken if it costs at most so much of what the cheapest
/// rule does.
const UNSEEN: f64 = 2.0;

/// Rules of one number, in the order of the table.
const SIMPLE: [&str; 3] = ["threshold", "utilization", "fixed"];

/// The rule that costs least on later parts of the training steps of `ground`, and all simple ones,
/// trained. Times far off their neighbours for a step or two are left out: no remap helps against
/// them, and they would decide all.
pub(super) fn choose(ground: &Ground<'_>) -> Result<(Choice, Vec<Rule>), Complaint> {
    let cleaned = without_outliers(ground.record);
    let ground = Ground { record: &cleaned, ..ground.clone() };
    let cut = ground.training.end;
    let mut names = vec!["advised"];
    names.extend(SIMPLE);
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let mut costs = vec![0.0; names.len()];
    for first in [cut / 3, cut * 2 / 3].map(|first| first.max(4)) {
        let earlier = Ground { training: 0..first, from: Outset::Balance, ..ground.clone() };
        let judged = first..cut;
        let found = contestants(&earlier, &names, None, &mut Vec::new())?;
        for (cost, contestant) in costs.iter_mut().zip(&found) {
            let mut run = earlier.run(contestant, judged.len() as u64);
            let (base, price) = (earlier.base(), earlier.price());
            *cost += play(&cleaned, judged.clone(), base, price, &mut run).tally.value;
        }
    }
    let trained = contestants(&ground, &names[1..], None, &mut Vec::new())?;
    let rules: Vec<Rule> =
        trained.iter().map(|found| rounded(found.rule().unwrap_or(Rule::Never))).collect();
    let mut places: Vec<usize> = (0..rules.len()).collect();
    places.sort_by(|a, b| {
        Simple::of(rules[*a]).partial_cmp(&Simple::of(rules[*b])).unwrap_or(Ordering::Equal)
    });
    let simple = cheapest(places.iter().map(|place| costs[place + 1]));
    let simple = simple.map_or(0, |first| places[first]);
    let unseen = ground.record.remaps().iter().all(|remap| remap.before >= cut);
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let is_close = |place: &usize| costs[place + 1] <= UNSEEN * least;
    let interval = rules.iter().position(|rule| matches!(rule, Rule::Fixed(_))).filter(is_close);
    let choice = match interval.filter(|_| unseen) {
        Some(interval) => Choice::Simple(rules[interval]),
        None if costs[simple + 1] <= AS_GOOD * costs[0] => Choice::Simple(rules[simple]),
        None => Choice::Advised,
    };
    Ok((choice, rules))
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
fn without_outliers(record: &Record) -> Record {
    let (ranks, steps) = (record.ranks(), record.steps());
    let mut seconds: Vec<f64> = (0..steps).flat_map(|step| record.row(step).to_vec()).collect();
    level::without_outliers(&mut seconds, ranks);
    let filled = (0..steps).flat_map(|step| record.filled(step)).copied().collect();
    let cleaned = Record::new(ranks, seconds, record.remaps().to_vec());
    let cleaned = cleaned.expect("times of a record").with_filled(filled);
    cleaned.with_left(record.left().to_vec())
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
