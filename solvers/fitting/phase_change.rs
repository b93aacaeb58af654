//! Fits `PhaseChange`: one permanent change, where the log has a change point.

use super::load_drift::SEED;
use super::{Deck, Facts, short, told};
use remapping::estimate::Estimate;
use remapping::fit::change::{change, hazard};
use remapping::fit::correlated::{Means, means};
use remapping::fit::goodness::{self, Goodness};
use remapping::fit::simulated::normal;
use remapping::record::Record;
use remapping::simulate::stream;
use std::ops::Range;

/// The two-phase model, where the slowest rank's time changes permanently.
pub fn phase_change(facts: &Facts<'_>) -> Option<Deck> {
    let record = facts.record;
    // The longest stretch without a remap.
    let stretch = record.stretches().into_iter().max_by_key(|stretch| stretch.len())?;
    let times = slowest(record, &stretch);
    let found = change(&times).filter(|found| found.after > found.before)?;
    let phases = [stretch.start..stretch.start + found.at, stretch.start + found.at..stretch.end];
    let after = &phases[1];
    let mean = after.clone().map(|step| record.mean(step)).sum::<f64>() / after.len() as f64;
    // Noise raises the slowest rank above the mean, however even the loads are.
    let balanced = mean + noise_of_the_slowest(record, &phases);
    if balanced >= found.after {
        return None;
    }
    let middle = (found.before + found.after) / 2.0;
    let (first, second) = times.split_at(found.at);
    let Means { means: [before, after], independent } = means([first, second]);
    // Correlated times err together: they count as fewer trials.
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
        facts.steps().saturating_sub(1),
        short(found.before),
        short(found.after),
        short(balanced),
        short(facts.remap_cost),
        short(alarms.value),
        short(missed.value),
        short(middle),
        short(hazard.value)
    );
    let tested = told(&two_levels(&times, found.at));
    let others = others(record, &stretch, found.after - found.before);
    let misfits: Vec<String> = tested.clone().err().into_iter().chain(others).collect();
    let tested = tested.ok().filter(|_| misfits.is_empty());
    Some(Deck {
        problem: "phase_change",
        model,
        parameters,
        predicted: Vec::new(),
        unit: 1.0,
        misfits,
        tested,
    })
}

/// The time of the slowest rank at these steps.
fn slowest(record: &Record, steps: &Range<usize>) -> Vec<f64> {
    let most = |step: usize| record.row(step).iter().copied().fold(0.0, f64::max);
    steps.clone().map(most).collect()
}

/// Evidence against a single change: others of at least half its size in other stretches without a
/// remap.
fn others(record: &Record, stretch: &Range<usize>, rise: f64) -> Option<String> {
    let other = |other: &Range<usize>| {
        let found = change(&slowest(record, other)).filter(|_| other != stretch)?;
        ((found.after - found.before).abs() >= 0.5 * rise).then_some(other.start + found.at)
    };
    let others: Vec<usize> = record.stretches().iter().filter_map(other).collect();
    let first = others.first()?;
    let many = match others.len() {
        1 => "one more change".to_owned(),
        many => format!("{many} more changes"),
    };
    Some(format!(
        "{many} of half its size or more between other remaps, the first at step {first}: one for good comes once"
    ))
}

/// The mean excess of a step's slowest rank over the mean, where ranks differ only from step to
/// step: relative to each rank's own mean in each phase.
fn noise_of_the_slowest(record: &Record, phases: &[Range<usize>]) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for steps in phases {
        let n = steps.len() as f64;
        let mean = |rank: usize| steps.clone().map(|step| record.row(step)[rank]).sum::<f64>() / n;
        let means: Vec<f64> = (0..record.ranks()).map(mean).collect();
        // Subtracting the rank's own mean removes a share of the noise.
        let left = (1.0 - 1.0 / n).sqrt();
        for step in steps.clone() {
            let beside = record.row(step).iter().zip(&means).map(|(time, mean)| time - mean);
            let even = beside.clone().sum::<f64>() / means.len() as f64;
            sum += (beside.fold(f64::MIN, f64::max) - even) / left;
            count += 1;
        }
    }
    sum / f64::from(count.max(1))
}

/// The number of series simulated for the test.
const SERIES: u64 = 199;

/// Whether the times before and after the change scatter independently around two levels.
fn two_levels(times: &[f64], at: usize) -> Goodness {
    let names = [
        ("the correlation of successive times of one phase", -0.2),
        ("the share of a trend within a phase", -0.1),
    ];
    let names = names.map(|(name, slack)| (name.to_owned(), slack));
    let made: Vec<Vec<f64>> = (0..SERIES)
        .map(|number| {
            let mut numbers = stream(SEED, number);
            let series: Vec<f64> = times.iter().map(|_| normal(&mut numbers)).collect();
            scatter(&series, at)
        })
        .collect();
    goodness::outcome(&names, &scatter(times, at), &made)
}

/// The correlation of neighbors in either part, and the share of the variance that straight lines
/// explain.
fn scatter(times: &[f64], at: usize) -> Vec<f64> {
    let (mut squares, mut products, mut lines, mut rounding) = (0.0, 0.0, 0.0, 0.0_f64);
    let (first, second) = times.split_at(at);
    for part in [first, second] {
        let n = part.len() as f64;
        let mean = part.iter().sum::<f64>() / n;
        rounding += n * (n * f64::EPSILON * mean).powi(2);
        squares += part.iter().map(|time| (time - mean).powi(2)).sum::<f64>();
        products += part.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>();
        let middle = (n - 1.0) / 2.0;
        let along = |(i, time): (usize, &f64)| (i as f64 - middle) * (time - mean);
        let line: f64 = part.iter().enumerate().map(along).sum();
        lines += line * line / (n * (n * n - 1.0) / 12.0).max(1.0);
    }
    // The rounding error of equal times is not scatter.
    if squares > rounding { vec![products / squares, lines / squares] } else { vec![0.0, 0.0] }
}
