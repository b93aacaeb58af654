//! Separation of loads from measurement noise, for logs with noise.
//!
//! A remap balances loads; a step shows them with noise, and the next step shows other noise. A
//! simulated run with other remaps must therefore continue from the loads at a remap, not from the
//! times of that step. Otherwise every remap would leave the noise of one step in the loads for
//! good.
//!
//! The loads are unknown, but their conditional distribution given all times is known: a random
//! walk with a slope, observed with normal noise. One sample of them is drawn by forward filtering
//! and backward sampling (Kalman filter; Carter and Kohn 1994, Fruehwirth-Schnatter 1994). So loads
//! and noise together vary as in the log; the most likely loads would vary less. O(ranks x steps)
//! time and memory.
//!
//! The deviation of the walk follows from changes over a few steps. Under noise that hides these,
//! it follows from how much farther from the mean the ranks are late after a remap than early.
//! Where neither suffices there are two results: no walk, and the largest walk that the log allows.
//!
//! Loads that bend, as in waves, change more over several steps than a walk does, so that noise
//! remains in them, or is not recognized at all. The second differences of such loads are small,
//! and those of noise e are e'' - 2 e' + e: two that share one time have covariance n^2. Where that
//! is significant, loads that move little from step to step are one more result.

use super::increments::Increments;
use super::slopes::{Fate, Slopes};
use crate::random::{Stream, stream};
use crate::record::{Record, mean};
use rand_distr::{Distribution, StandardNormal};
use std::ops::Range;

/// A record with its loads separated from noise.
#[derive(Debug, Clone)]
pub struct Apart {
    /// The record with its noise, or as it is. There are more where the log does not tell how far
    /// loads move by themselves: one without movement, one with the largest possible, one with
    /// loads that bend.
    pub records: Vec<Record>,
    /// Standard deviation of the noise in the first of them.
    pub noise: Option<f64>,
}

/// Seed of the draws.
const SEED: u64 = 3;

/// Noise below this share of what a step adds permanently is not separated.
const SLIGHT: f64 = 0.2;

/// `STRETCHES`: least number of remaps for an estimate of the walk between remaps. `SURE`: standard
/// errors beyond which it is significant.
const STRETCHES: usize = 6;
const SURE: f64 = 2.0;

/// Steps after which sums count as independent.
const PIECE: usize = 20;

/// Share of the variance of the walk over several steps below which loads bend.
const BENT: f64 = 0.5;

/// Separates loads and noise. `None` where no noise is detected, or where recorded remaps balanced
/// the times of the preceding step including their noise. Work and memory: proportional to the
/// length of the record.
pub fn apart(record: &Record) -> Option<Apart> {
    let found = Increments::of(record)?;
    let slopes = Slopes::of(record);
    let noise = found.noise;
    let middle = mean(&found.drifts);
    let slope = |rank: usize| match slopes.as_ref().map(|slopes| (slopes.fate, slopes.spread)) {
        None | Some((Fate::Kept, _)) => (found.drifts[rank] - middle, 0.0),
        Some((Fate::None, _)) => (0.0, 0.0),
        Some((Fate::Redrawn | Fate::Unknown, spread)) => (0.0, spread * spread),
    };
    let walks = walks(record, &found, &slope);
    let matters = |noise: f64, walk: f64| noise > SLIGHT * walk && !even_times(record, noise);
    let is_told = matters(noise, walks[0]);
    let bent = bent(record).filter(|[noise, walk]| matters(*noise, *walk));
    let bent = bent.filter(|[_, walk]| !is_told || walk * walk < BENT * walks[0] * walks[0]);
    let separated = |[noise, walk]: [f64; 2]| {
        let (walk, noise) = (walk * walk, noise * noise);
        with_noise(record, &|rank| Law { walk, noise, slope: slope(rank) })
    };
    let mut records = match (is_told, bent) {
        (true, _) => walks.iter().map(|walk| separated([noise, *walk])).collect(),
        (false, Some(_)) => vec![record.clone()],
        (false, None) => return None,
    };
    records.extend(bent.map(separated));
    Some(Apart { records, noise: is_told.then_some(noise) })
}

/// Standard deviations of noise and of a step, from second differences that share one time. `None`
/// where that is not significant. Normal errors, from the sums of stretches and of [`PIECE`] steps.
fn bent(record: &Record) -> Option<[f64; 2]> {
    const SECOND: usize = 2;
    let (seen, ranks) = (deviations(record), record.ranks());
    let change =
        |step: usize, rank: usize| seen[step * ranks + rank] - seen[(step - 1) * ranks + rank];
    let twice = |step: usize, rank: usize| change(step, rank) - change(step - 1, rank);
    let cut = |steps: Range<usize>| {
        let (start, end) = (steps.start, steps.end);
        (start..end).step_by(PIECE).map(move |start| start..(start + PIECE).min(end))
    };
    // Sums of products of second differences and of squared changes, and their number.
    let sums = |steps: Range<usize>| {
        let mut sums = [0.0; 3];
        for step in steps.start + 2 * SECOND..steps.end {
            for rank in 0..ranks {
                sums[0] += twice(step, rank) * twice(step - SECOND, rank);
                sums[1] += change(step, rank).powi(2);
            }
            sums[2] += (ranks - 1) as f64;
        }
        sums
    };
    let pieces = record.stretches().into_iter().flat_map(cut);
    let pieces: Vec<[f64; 3]> = pieces.map(sums).filter(|sums| sums[2] > 0.0).collect();
    let sum = |at: usize| pieces.iter().map(|sums| sums[at]).sum::<f64>();
    let (count, many) = (sum(2), pieces.len() as f64);
    let (noise, single) = (sum(0) / count, sum(1) / count);
    let apart: f64 = pieces.iter().map(|sums| (sums[0] - noise * sums[2]).powi(2)).sum();
    let error = (apart * many / (many - 1.0)).sqrt() / count;
    let told = many >= STRETCHES as f64 && noise > SURE * error;
    told.then(|| [noise.sqrt(), (single - 2.0 * noise).max(0.0).sqrt()])
}

/// Mean and variance of the slope of a rank.
type Slope<'s> = dyn Fn(usize) -> (f64, f64) + 's;

/// Standard deviations of the walk in a step: one, or two where the log does not determine it.
fn walks(record: &Record, found: &Increments, slope: &Slope<'_>) -> Vec<f64> {
    if found.deviation.lower > 0.0 {
        return vec![found.deviation.value];
    }
    let (least, most) = match grown(record, slope) {
        Some([variance, error]) if variance > SURE * error => return vec![variance.sqrt()],
        Some([variance, error]) => (0.0, (variance + SURE * error).max(0.0).sqrt()),
        None => (0.0, found.deviation.upper),
    };
    // A walk that is hidden by the noise from one remap to the next is negligible.
    let longest = record.stretches().iter().map(Range::len).max().unwrap_or(0) as f64;
    let matters = most.is_finite() && most * longest.sqrt() > SLIGHT * found.noise;
    if matters { vec![least, most] } else { vec![least] }
}

/// The variance that a step adds permanently, and its standard error. It is the slope of the
/// squared distances from the mean in the steps since a remap, after subtraction of the
/// contribution of the slopes. `None` with fewer than [`STRETCHES`] remaps.
fn grown(record: &Record, slope: &Slope<'_>) -> Option<[f64; 2]> {
    let after: Vec<Range<usize>> =
        record.stretches().into_iter().filter(|steps| steps.start > 0).collect();
    let count: usize = after.iter().map(Range::len).sum();
    if after.len() < STRETCHES || record.ranks() < 2 {
        return None;
    }
    let ages = |steps: &Range<usize>| (1..=steps.len()).map(|age| age as f64);
    let middle = after.iter().flat_map(ages).sum::<f64>() / count as f64;
    let left = 1.0 - 1.0 / record.ranks() as f64;
    let slopes: Vec<(f64, f64)> = (0..record.ranks()).map(slope).collect();
    let of_slopes = slopes.iter().map(|(_, variance)| variance).sum::<f64>() / slopes.len() as f64;
    // For each stretch: sums of squared distances and of squared ages, weighted by the distance of
    // the age from its mean.
    let sums: Vec<[f64; 2]> = after
        .iter()
        .map(|steps| {
            let mut sums = [0.0; 2];
            for (step, age) in steps.clone().zip(ages(steps)) {
                let (row, mean) = (record.row(step), record.mean(step));
                let beside =
                    row.iter().zip(&slopes).map(|(time, (slope, _))| time - mean - slope * age);
                let squares: f64 = beside.map(|distance| distance * distance).sum();
                let square = squares / (row.len() as f64 * left) - of_slopes * age * age;
                sums[0] += (age - middle) * square;
                sums[1] += (age - middle) * age;
            }
            sums
        })
        .collect();
    let of_ages: f64 = sums.iter().map(|sums| sums[1]).sum();
    if of_ages <= 0.0 {
        return None;
    }
    let variance = sums.iter().map(|sums| sums[0]).sum::<f64>() / of_ages;
    let apart: f64 = sums.iter().map(|[found, ages]| (found - variance * ages).powi(2)).sum();
    let many = after.len() as f64;
    Some([variance, (apart * many / (many - 1.0)).sqrt() / of_ages])
}

/// The record with noise separated from loads that move by these distributions of the ranks.
fn with_noise(record: &Record, law: &dyn Fn(usize) -> Law) -> Record {
    let (ranks, stretches) = (record.ranks(), record.stretches());
    let mut seen = deviations(record);
    let mut random = stream(SEED, 0);
    for rank in 0..ranks {
        let law = law(rank);
        for steps in &stretches {
            let times: Vec<f64> = steps.clone().map(|step| seen[step * ranks + rank]).collect();
            let loads = law.loads(&times, steps.start > 0, &mut random);
            for (step, load) in steps.clone().zip(loads) {
                seen[step * ranks + rank] -= load;
            }
        }
    }
    // What all ranks have in common is no imbalance.
    for row in seen.chunks_exact_mut(ranks) {
        let mean = mean(row);
        row.iter_mut().for_each(|noise| *noise -= mean);
    }
    record.with_noise(seen)
}

/// Distances of the times from the mean of their step.
fn deviations(record: &Record) -> Vec<f64> {
    let rows = record.times().chunks_exact(record.ranks());
    let means = rows.clone().map(mean);
    rows.zip(means).flat_map(|(row, mean)| row.iter().map(move |time| time - mean)).collect()
}

/// Whether remaps probably removed the noise of the preceding step, judged by how the step after
/// them opposes the change of the step before.
fn even_times(record: &Record, noise: f64) -> bool {
    let (mut products, mut squares, mut count) = (0.0, 0.0, 0.0);
    for steps in record.stretches().into_iter().filter(|steps| steps.len() >= 2) {
        let after = steps.end;
        if after >= record.steps() {
            continue;
        }
        let [now, last, before] =
            [after, after - 1, after - 2].map(|step| (record.row(step), record.mean(step)));
        for rank in 0..record.ranks() {
            let [now, last, before] = [now, last, before].map(|(row, mean)| row[rank] - mean);
            let product = now * (last - before);
            products -= product;
            squares += product * product;
        }
        count += (record.ranks() - 1) as f64;
    }
    // In units of the squared noise: 0 where loads were balanced, 1 where times were.
    let share = products / (count * noise * noise);
    let error = squares.sqrt() / (count * noise * noise);
    share > 0.5 && share > 2.0 * error
}

/// Dynamics of the load of a rank relative to the mean over the ranks: variances, and mean and
/// variance of the slope.
struct Law {
    walk: f64,
    noise: f64,
    slope: (f64, f64),
}

/// Filtered state of load and slope: means, variances, and the covariance.
#[derive(Clone, Copy)]
struct Known {
    load: f64,
    slope: f64,
    variance: f64,
    both: f64,
    of_slope: f64,
}

impl Law {
    /// A sample of the loads at the steps of a stretch, given these times. After a remap the
    /// stretch begins one step from balance.
    fn loads(&self, times: &[f64], after_remap: bool, random: &mut Stream) -> Vec<f64> {
        let known = self.filtered(times, after_remap);
        let mut normal = |mean: f64, variance: f64| -> f64 {
            let one: f64 = StandardNormal.sample(random);
            mean + variance.max(0.0).sqrt() * one
        };
        let Some(last) = known.last() else { return Vec::new() };
        let slope = normal(last.slope, last.of_slope);
        let mut loads = vec![0.0; times.len()];
        let mut next = None;
        for (place, known) in known.iter().enumerate().rev() {
            let Known { mut load, mut variance, .. } = *known;
            if known.of_slope > 0.0 {
                load += known.both / known.of_slope * (slope - known.slope);
                variance -= known.both * known.both / known.of_slope;
            }
            if let Some(next) = next {
                let before = next - slope;
                let variance_of_both = variance.max(0.0) + self.walk;
                let gain =
                    if variance_of_both > 0.0 { variance.max(0.0) / variance_of_both } else { 0.0 };
                load += gain * (before - load);
                variance = gain * self.walk;
            }
            loads[place] = normal(load, variance);
            next = Some(loads[place]);
        }
        loads
    }

    /// Kalman filter: the state after each time, given those up to it.
    fn filtered(&self, times: &[f64], after_remap: bool) -> Vec<Known> {
        let (slope, of_slope) = self.slope;
        let balanced = Known { load: 0.0, slope, variance: 0.0, both: 0.0, of_slope };
        let mut known = Vec::with_capacity(times.len());
        let mut last = balanced;
        for (place, time) in times.iter().enumerate() {
            if place == 0 && !after_remap {
                last = Known { load: *time, variance: self.noise, ..balanced };
            } else {
                let Known { load, slope, variance, both, of_slope } = last;
                let variance = variance + 2.0 * both + of_slope + self.walk;
                let (load, both) = (load + slope, both + of_slope);
                let (gain, of_slopes) =
                    (variance / (variance + self.noise), both / (variance + self.noise));
                let off = time - load;
                last = Known {
                    load: load + gain * off,
                    slope: slope + of_slopes * off,
                    variance: (1.0 - gain) * variance,
                    both: (1.0 - gain) * both,
                    of_slope: (of_slope - of_slopes * both).max(0.0),
                };
            }
            known.push(last);
        }
        known
    }
}
