//! One change for good: `PhaseChange`, where a change point shows.

use super::{Deck, Facts, short};
use remapping::fit::Estimated;
use remapping::fit::change::change;

/// The two-phase model, where the slowest rank's time changes for good.
pub fn phase_change(facts: &Facts<'_>) -> Option<Deck> {
    let record = facts.record;
    // The longest stretch without a remap.
    let stretch = record.stretches().into_iter().max_by_key(|stretch| stretch.len())?;
    let most = |step: usize| record.row(step).iter().copied().fold(0.0, f64::max);
    let times: Vec<f64> = stretch.clone().map(most).collect();
    let found = change(&times).filter(|found| found.after > found.before)?;
    let after = stretch.start + found.at..stretch.end;
    let balanced = after.clone().map(|step| record.mean(step)).sum::<f64>() / after.len() as f64;
    if balanced >= found.after {
        return None;
    }
    let middle = (found.before + found.after) / 2.0;
    let count = |times: &[f64], wrong: &dyn Fn(f64) -> bool| {
        times.iter().filter(|time| wrong(**time)).count() as u64
    };
    let (first, second) = times.split_at(found.at);
    let alarms = Estimated::probability(count(first, &|t| t > middle), first.len() as u64);
    let missed = Estimated::probability(count(second, &|t| t <= middle), second.len() as u64);
    let mean = |value: f64, n: usize| {
        let half = 1.96 * found.deviation / (n as f64).sqrt();
        Estimated { value, low: value - half, high: value + half }
    };
    let at = stretch.start + found.at;
    // One change seen after `at` steps: the exact interval of the rate of a geometric law.
    let rate = |p: f64| 1.0 - p.powf(1.0 / at as f64);
    let hazard = Estimated { value: 1.0 / (at as f64 + 1.0), low: rate(0.975), high: rate(0.025) };
    let parameters = [
        ("cycle before", mean(found.before, first.len())),
        ("cycle after", mean(found.after, second.len())),
        ("false alarms", alarms),
        ("missed", missed),
        ("hazard", hazard),
    ]
    .map(|(name, found)| (name.to_owned(), found))
    .to_vec();
    let model = format!(
        "PhaseChange(\n    lifetime: Fixed({}),\n    cycle: (before: {}, after: {}, remapped: {}),\n    \
         remap: (test: {}, install: 0),\n    detector: (false_alarm: {}, missed: {}),  // time above {}\n    \
         hazard: Constant({}),  // one change, after {at} steps\n)",
        record.steps() - 1,
        short(found.before),
        short(found.after),
        short(balanced),
        short(facts.remap_cost),
        short(alarms.value),
        short(missed.value),
        short(middle),
        short(hazard.value)
    );
    Some(Deck {
        problem: "phase_change",
        model,
        parameters,
        predicted: Vec::new(),
        unit: 1.0,
        misfits: Vec::new(),
    })
}
