//! Steps right after remaps that take longer: caches are cold, neighbor lists and communicators are
//! rebuilt, one rank writes output.
//!
//! The recorded cost of a remap does not show this time, nor does max - mean where it is that of
//! all ranks. A run with more remaps pays it more often, so it belongs to the cost of a remap. A
//! step is as slow as its slowest rank.
//!
//! ```
//! use remapping::fit::slow_steps::slow_steps;
//! use remapping::record::{Record, Remap};
//!
//! // Two ranks; the first step after every tenth takes a second longer.
//! let seconds = |step: usize| if step > 0 && step % 10 == 0 { [2.0; 2] } else { [1.0; 2] };
//! let remaps = (1..10).map(|many| Remap { before: 10 * many, seconds: Some(0.5) }).collect();
//! let record = Record::new(2, (0..100).flat_map(seconds).collect(), remaps)?;
//! let found = slow_steps(&record, 0.5).expect("a second is twice what a remap costs");
//! assert_eq!((found.each.len(), found.seconds()), (1, 1.0));
//! let without = found.taken_from(&record);
//! assert_eq!((without.mean(10), without.mean_remap_cost()), (1.0, Some(1.5)));
//! # Ok::<(), remapping::record::RecordError>(())
//! ```

use crate::estimate::student;
use crate::record::{Record, Remap};
use std::ops::Range;

/// Additional time of the steps after a remap.
#[derive(Debug, Clone, PartialEq)]
pub struct SlowSteps {
    /// Seconds of the first step, the second, and so on.
    pub each: Vec<f64>,
}

/// Largest number of steps after a remap that are examined.
const MOST: usize = 10;

/// `FEWEST`: least number of remaps. `SURE`: required ratio of their mean to the half-width of its
/// 95 % interval.
const FEWEST: usize = 3;
const SURE: f64 = 2.0;

/// Largest ratio of typical times over the run; beyond, seconds do not transfer to other steps.
const MOST_CHANGE: f64 = 2.0;

/// Share of the cost of a remap from which this matters.
const MUCH: f64 = 0.05;

/// Additional time of the slowest rank at the steps right after recorded remaps, relative to later
/// steps of the same stretch and to those before the remap. `None` where it is not significant, is
/// small relative to `remap_cost`, or where as many other steps are as slow. Work: proportional to
/// the length of the record.
pub fn slow_steps(record: &Record, remap_cost: f64) -> Option<SlowSteps> {
    let means: Vec<f64> = (0..record.steps()).map(|step| record.mean(step)).collect();
    let imbalances: Vec<f64> = (0..record.steps()).map(|step| record.imbalance(step)).collect();
    let slowest: Vec<f64> = means.iter().zip(&imbalances).map(|(mean, more)| mean + more).collect();
    let stretches = record.stretches();
    let usual: Vec<f64> = stretches
        .windows(2)
        .map(|pair| usual(&means, &pair[0], &pair[1]) + median(&imbalances[later(&pair[1])]))
        .collect();
    let least = usual.iter().copied().fold(f64::INFINITY, f64::min);
    if usual.iter().any(|usual| *usual > MOST_CHANGE * least) {
        return None;
    }
    let excess = |(after, usual): (&Range<usize>, &f64)| -> Vec<f64> {
        let looked = after.start..after.start + looked(after);
        slowest[looked].iter().map(|time| time - usual).collect()
    };
    let excesses: Vec<Vec<f64>> = stretches[1..].iter().zip(&usual).map(excess).collect();
    let surely = |step: usize| {
        let all: Vec<f64> =
            excesses.iter().filter_map(|excess| excess.get(step)).copied().collect();
        if all.len() < FEWEST {
            return None;
        }
        let many = all.len() as f64;
        let mean = all.iter().sum::<f64>() / many;
        let variance = all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (many - 1.0);
        let unsure = SURE * student(many - 1.0) * (variance / many).sqrt();
        (mean > 0.0 && mean > unsure).then_some(mean)
    };
    let found = SlowSteps { each: (0..MOST).map_while(surely).collect() };
    let (slow, first) = (found.each.len(), found.each.first()?);
    let as_slow = |step: &usize| {
        let around = *step - step.min(&AROUND)..(step + AROUND + 1).min(slowest.len());
        slowest[*step] - median(&slowest[around]) > 0.5 * first
    };
    // Stretches follow one another.
    let others = stretches.iter().flat_map(|stretch| stretch.clone().skip(slow));
    let elsewhere = others.filter(as_slow).count();
    (found.seconds() > MUCH * remap_cost && elsewhere < usual.len()).then_some(found)
}

/// Steps on either side of a step that is examined elsewhere.
const AROUND: usize = 5;

/// Number of steps of a stretch that may be slow.
fn looked(stretch: &Range<usize>) -> usize {
    MOST.min(stretch.len() / 2)
}

/// The steps of a stretch after those that may be slow.
fn later(stretch: &Range<usize>) -> Range<usize> {
    let first = stretch.start + looked(stretch);
    first..stretch.end.min(first + MOST)
}

/// The larger of two typical mean times: later in the stretch after a remap, and at the end of the
/// stretch before it. Growing work, or more work from there on, is thus not counted as slow.
fn usual(means: &[f64], before: &Range<usize>, after: &Range<usize>) -> f64 {
    let last = before.end - MOST.min(before.len().div_ceil(2));
    median(&means[later(after)]).max(median(&means[last..before.end]))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

impl SlowSteps {
    /// Their total.
    pub fn seconds(&self) -> f64 {
        self.each.iter().sum()
    }

    /// The record without them: the next step stands in their place, as one that was filled in.
    /// Recorded costs of remaps increase accordingly.
    #[must_use]
    pub fn taken_from(&self, record: &Record) -> Record {
        let ranks = record.ranks();
        let steps = || 0..record.steps();
        let mut seconds = record.times().to_vec();
        let mut filled: Vec<bool> = steps().flat_map(|step| record.filled(step)).copied().collect();
        filled.resize(seconds.len(), false);
        for stretch in record.stretches().iter().skip(1) {
            let next = (stretch.start + self.each.len()).min(stretch.end - 1);
            for step in stretch.start..next {
                let times = step * ranks..(step + 1) * ranks;
                seconds[times.clone()].copy_from_slice(record.row(next));
                filled[times].fill(true);
            }
        }
        let dearer = |remap: &Remap| Remap {
            seconds: remap.seconds.map(|seconds| seconds + self.seconds()),
            ..*remap
        };
        let remaps = record.remaps().iter().map(dearer).collect();
        let found = Record::new(ranks, seconds, remaps);
        found.expect("times of a record").with_filled(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;

    /// Steps of a second with noise on two ranks, remapped every `every` steps; `more` is added to
    /// both after a remap.
    fn record(every: usize, noise: f64, more: impl Fn(usize, usize) -> f64) -> Record {
        let mut numbers = stream(7, every as u64);
        let mut seconds = Vec::new();
        for step in 0..600 {
            let more = if step < every { 0.0 } else { more(step, step % every) };
            seconds.extend([0, 1].map(|_| 1.0 + more + noise * numbers.random_range(-1.0..1.0)));
        }
        let remaps = (1..600 / every).map(|many| Remap { before: many * every, seconds: None });
        Record::new(2, seconds, remaps.collect()).unwrap()
    }

    #[test]
    fn steps_that_are_slow_after_remaps_are_found_with_their_seconds() {
        for every in [10, 25, 100] {
            let slow =
                record(every, 0.05, |_, after| [0.8, 0.3].get(after).copied().unwrap_or(0.0));
            let found = slow_steps(&slow, 0.1).unwrap();
            assert_eq!(found.each.len(), 2, "{every}: {found:?}");
            assert!((found.seconds() - 1.1).abs() < 0.15, "{every}: {found:?}");
            assert_eq!(slow_steps(&found.taken_from(&slow), 0.1), None);
        }
    }

    /// One rank of four takes a second longer after a remap, always the same or another each time.
    #[test]
    fn a_step_is_as_slow_as_its_slowest_rank() {
        for moves in [false, true] {
            let mut seconds = Vec::new();
            for step in 0..600_usize {
                let rank = if moves { step / 30 % 4 } else { 0 };
                let drift = 0.001 * (step % 30) as f64;
                let mut times = [1.0 + drift, 1.0 - drift, 1.0, 1.0];
                times[rank] += if step > 0 && step % 30 == 0 { 1.0 } else { 0.0 };
                seconds.extend(times);
            }
            let remaps = (1..20).map(|many| Remap { before: many * 30, seconds: None });
            let slow = Record::new(4, seconds, remaps.collect()).unwrap();
            let found = slow_steps(&slow, 0.0).unwrap();
            assert_eq!(found.each.len(), 1, "{found:?}");
            assert!((found.seconds() - 1.0).abs() < 0.02, "{found:?}");
            let without = found.taken_from(&slow);
            assert_eq!(slow_steps(&without, 0.0), None);
            assert!((0..600).all(|step| without.imbalance(step) < 0.03), "{moves}");
        }
    }

    #[test]
    fn noise_growth_and_other_work_are_none() {
        let mut found = 0;
        for every in 6..60 {
            let runs = [
                record(every, 0.2, |_, _| 0.0),
                record(every, 0.02, |step, _| 0.01 * step as f64),
                record(every, 0.02, |step, _| (step / every) as f64 * 0.2),
                record(every, 0.02, |step, _| if step / every % 2 == 0 { 1.0 } else { 0.0 }),
                // Output is written whether there was a remap or not.
                record(2 * every, 0.02, |step, _| if step % every == 0 { 1.0 } else { 0.0 }),
            ];
            found += runs.iter().filter(|run| slow_steps(run, 0.01).is_some()).count();
        }
        assert_eq!(found, 0);
    }
}
