//! One change for good: `PhaseChange`, where a change point shows.

use super::{Deck, Facts, short};
use remapping::estimate::Estimate;
use remapping::fit::change::{change, hazard};
use remapping::fit::correlated::{Means, means};

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
    let (first, second) = times.split_at(found.at);
    let Means { means: [before, after], independent } = means([first, second]);
    // Times that are correlated are wrong together: they count as fewer trials.
    let errors = |times: &[f64], wrong: &dyn Fn(f64) -> bool| {
        let hits = times.iter().filter(|time| wrong(**time)).count() as f64;
        let count = times.len() as f64;
        let value = (hits + 0.5) / (count + 1.0);
        let Estimate { lower, upper, .. } =
            Estimate::share(hits * independent, count * independent);
        Estimate { value, lower: lower.min(value), upper: upper.max(value) }
    };
    let alarms = errors(first, &|time| time > middle);
    let missed = errors(second, &|time| time <= middle);
    let at = stretch.start + found.at;
    let hazard = hazard(found.at, times.len());
    let parameters = [
        ("cycle before", before),
        ("cycle after", after),
        ("false alarms", alarms),
        ("missed", missed),
        ("hazard", hazard),
    ]
    .map(|(name, found)| (name.to_owned(), found))
    .to_vec();
    let model = format!(
        "PhaseChange(\n    lifetime: Fixed({}),\n    cycle: (before: {}, after: {}, remapped: {}),\n    \
         remap: (test: {}, install: 0),\n    detector: (false_alarm: {}, missed: {}),  // time above {}\n    \
         hazard: Constant({}),  // one change was seen, after {at} steps: that says little of how often one comes\n)",
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
