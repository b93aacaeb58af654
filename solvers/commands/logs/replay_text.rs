//! What `remap replay` says of policies that were judged.

use super::replay::Document;
use super::{priced, remaps_recorded};
use crate::fitting::short;
use crate::replaying::contest::Line;
use crate::replaying::{Ground, what_if};
use remapping::fit::increments::Increments;
use std::fmt::Write;

/// Whether the solved policy is as good as the best published rule, and if not, why.
pub(super) fn verdict(
    solved: &Line,
    best: &(String, f64),
    ground: &Ground<'_>,
    steps: usize,
) -> String {
    let (name, cost) = best;
    let slack = 1e-9 * solved.cost.max(1.0);
    if solved.cost <= cost + slack {
        return format!("solved is at least as good as the best rule in use, {name}");
    }
    let behind = 100.0 * (solved.cost - cost) / cost.max(f64::MIN_POSITIVE);
    format!(
        "solved costs {behind:.2} % more than the best rule in use, {name}: {}; {}",
        in_training(solved, name),
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
    // The random error of the steepest drift.
    let chance = |found: &Increments, steps: usize| {
        let steps = steps.max(1) as f64;
        (found.deviation.value.powi(2) + 2.0 * found.noise.powi(2) / steps) / steps
    };
    let chance = (chance(&before, cut) + chance(&after, steps - cut)).sqrt();
    let (s, t) = (before.deviation, after.deviation);
    let drifts = before.same_drift.min(after.same_drift) < 0.001;
    if drifts && (a - b).abs() > 4.0 * chance {
        let (a, b) = (short(a), short(b));
        format!("the fastest rank gained {a} a step in training and {b} after")
    } else if s.upper < t.lower || t.upper < s.lower {
        let (s, t) = (short(s.value), short(t.value));
        format!("a step added {s} at random in training and {t} after")
    } else {
        "the increments are as in training; among several rules one is lucky".to_owned()
    }
}

/// The document as text.
pub(super) fn text(document: &Document, known: bool, shown: &str) -> String {
    let Document { trace, ranks, steps, recorded_remaps, remap_cost, from, assumption, .. } =
        document;
    let start = match *from {
        "actual" => "where the run stood",
        _ => "balance",
    };
    let mut text = format!(
        "{trace}: {ranks} ranks x {steps} steps, {}\n\
         {}; assumed: {assumption}\n\
         trained on steps {}..={}, judged from {start} on steps {}..={}{}\n",
        remaps_recorded(known, *recorded_remaps),
        priced(*remap_cost, document.overlap, document.stride),
        document.trained_from,
        document.judged_from - 1,
        document.judged_from,
        document.judged_from + document.judged - 1,
        match document.splits {
            1 => String::new(),
            many => format!(", in {many} parts, trained on all before each"),
        }
    );
    text.push_str(shown);
    let part = if document.splits > 1 { "a part" } else { "the judged steps" };
    let _ = match document.remaps_at_starts {
        0 => Ok(()),
        1 => writeln!(
            text,
            "one more was recorded right before {part}: `recorded` does not pay for it"
        ),
        many => writeln!(
            text,
            "{many} more were recorded right before {part}: `recorded` does not pay for them"
        ),
    };
    text.push_str(&what_if::table(&document.what_if));
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
