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
//! time and memory, besides one sort of the times.
//!
//! The walk has the variance that is most likely under this model, for all stretches between remaps
//! or, where loads of some ranks move at some times only, for each rank and stretch one of several.
//! Where it may be 0, the largest walk that the log allows is one more result. Slopes are estimated
//! from all stretches: the sum of all changes would have the noise of a step for each remap.
//!
//! Times of a timer with ticks are shown by simulated steps as they were before rounding (`ticks`).
//!
//! Loads that bend, as in waves, change more over several steps than a walk does, so that noise
//! remains in them, or is not recognized at all. The second differences of such loads are small,
//! and those of noise e are e'' - 2 e' + e: two that share one time have covariance n^2. Where that
//! is significant, loads that move little from step to step are one more result.

mod filter;
mod ticks;
mod walks;

use super::increments::Increments;
use super::slopes::{Fate, Slopes};
use crate::random::stream;
use crate::record::{Record, mean};
use filter::Law;
use rand_distr::{Distribution, StandardNormal};
use std::ops::Range;
use walks::{Slope, Walks};

/// A record with its loads separated from noise.
#[derive(Debug, Clone)]
pub struct Apart {
    /// The record with its noise, or as it is. There are more where the log does not tell how far
    /// loads move by themselves: one with the largest movement, one with loads that bend.
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
/// length of the record, besides one sort of the times.
pub fn apart(record: &Record) -> Option<Apart> {
    let found = Increments::of(record).filter(|_| record.ranks() > 1)?;
    let slopes = Slopes::of(record);
    let noise = found.noise;
    let walk = found.deviation.value;
    let matters = |noise: f64, walk: f64| noise > SLIGHT * walk && !even_times(record, noise);
    let is_told = matters(noise, walk);
    let bent = bent(record).filter(|[noise, walk]| matters(*noise, *walk));
    let bent = bent.filter(|[_, bent]| !is_told || bent * bent < BENT * walk * walk);
    let tick = ticks::tick(record);
    let least = match (is_told, bent) {
        (true, _) => noise,
        (false, Some([noise, _])) => noise,
        (false, None) => return None,
    };
    let kept = kept_slopes(record, least * least);
    let of = |at: usize, rank: usize| match slopes.as_ref().map(|found| (found.fate, found.spread))
    {
        None | Some((Fate::Kept | Fate::None, _)) => (kept[at][rank], 0.0),
        Some((Fate::Redrawn | Fate::Unknown, spread)) => (0.0, spread * spread),
    };
    let (slope, large_slope) = (|rank: usize| of(0, rank), |rank: usize| of(1, rank));
    let mut records = Vec::new();
    if is_told {
        let walks = Walks::of(record, noise * noise, &slope);
        records.push(with_noise(record, walks.factor * noise * noise, tick, &slope, &walks));
        // A walk that noise hides from one end to the other is negligible.
        if walks.may_be_none && walks.most * record.steps() as f64 > SLIGHT * SLIGHT {
            let most = Walks::all(walks.most);
            records.push(with_noise(record, noise * noise, tick, &large_slope, &most));
        }
    } else {
        records.push(record.clone());
    }
    records.extend(bent.map(|[noise, walk]| {
        let ratio = (walk / noise).powi(2);
        with_noise(record, noise * noise, tick, &slope, &Walks::all(ratio))
    }));
    Some(Apart { records, noise: is_told.then_some(noise) })
}

/// Slopes that the ranks keep over remaps, drawn from what the log says of them: each by
/// generalized least squares from all stretches, with a normal prior whose variance is that of the
/// estimates beyond their errors (empirical Bayes). And as large as the log allows: that variance
/// and two standard errors of it.
fn kept_slopes(record: &Record, noise: f64) -> [Vec<f64>; 2] {
    let (ranks, stretches, seen) = (record.ranks(), record.stretches(), deviations(record));
    let walk = noise * Walks::of(record, noise, &|_| (0.0, 0.0)).mean();
    // So large that a stretch alone decides, and far from where digits are lost.
    let anything = 1e6 * (walk + noise);
    let law = Law { walk, noise, slope: (0.0, anything) };
    let estimate = |rank: usize| {
        let (mut sum, mut weight) = (0.0, 0.0);
        for steps in &stretches {
            let times: Vec<f64> = steps.clone().map(|step| seen[step * ranks + rank]).collect();
            let known = law.filtered(&times, steps.start > 0);
            let Some(last) = known.last().filter(|last| last.of_slope < 0.5 * anything) else {
                continue;
            };
            sum += last.slope / last.of_slope;
            weight += 1.0 / last.of_slope;
        }
        if weight > 0.0 { [sum / weight, 1.0 / weight] } else { [0.0; 2] }
    };
    let estimates: Vec<[f64; 2]> = (0..ranks).map(estimate).collect();
    let beyond = |[slope, error]: &[f64; 2]| slope * slope - error;
    let independent = (ranks.max(2) - 1) as f64;
    let spread = (estimates.iter().map(beyond).sum::<f64>() / independent).max(0.0);
    let error = estimates.iter().map(|[_, error]| error).sum::<f64>() / ranks as f64;
    let drawn = |spread: f64| {
        let mut random = stream(SEED, 1);
        let draw = |[slope, error]: &[f64; 2]| {
            let one: f64 = StandardNormal.sample(&mut random);
            let share = if spread > 0.0 { spread / (spread + error) } else { 0.0 };
            share * slope + (share * error).sqrt() * one
        };
        let mut slopes: Vec<f64> = estimates.iter().map(draw).collect();
        let middle = mean(&slopes);
        slopes.iter_mut().for_each(|slope| *slope -= middle);
        slopes
    };
    [spread, spread + 2.0 * (2.0 / independent).sqrt() * error].map(drawn)
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

/// The record with noise of this variance separated from loads that move by these distributions,
/// and the rounding of a timer separated from the noise.
fn with_noise(
    record: &Record,
    noise: f64,
    tick: Option<f64>,
    slope: &Slope<'_>,
    walks: &Walks,
) -> Record {
    let (ranks, stretches) = (record.ranks(), record.stretches());
    let mut seen = deviations(record);
    let mut random = stream(SEED, 0);
    for rank in 0..ranks {
        let law = Law { walk: 0.0, noise, slope: slope(rank) };
        for steps in &stretches {
            let after_remap = steps.start > 0;
            let times: Vec<f64> = steps.clone().map(|step| seen[step * ranks + rank]).collect();
            let ratio = walks.drawn(&times, after_remap, law, &mut random);
            let law = Law { walk: ratio * noise, ..law };
            let loads = law.loads(&times, after_remap, &mut random);
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
    let before = tick.and_then(|tick| ticks::unrounded(record, &seen, noise, tick, &mut random));
    record.with_noise(seen, before.unwrap_or_default())
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
