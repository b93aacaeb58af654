//! Imbalance that recorded remaps left: whole cells, blocks or experts cannot be split evenly.
//!
//! A simulated remap leaves as much ([`Record::with_left`]). Without that, policies that remap at
//! small imbalance would seem cheap, and would remap again and again in use.
//!
//! ```
//! use remapping::fit::left_over::left_over;
//! use remapping::record::{Record, Remap};
//!
//! // The second rank gains 0.02 s a step. Right after each fiftieth step it is 0.2 s above or
//! // below the first.
//! let left = |step: usize| if (step / 50) % 2 == 0 { 0.2 } else { -0.2 };
//! let seconds = |step: usize| [1.0, 1.0 + left(step) + 0.02 * (step % 50) as f64];
//! let remaps = (1..10).map(|many| Remap { before: 50 * many, seconds: None }).collect();
//! let record = Record::new(2, (0..500).flat_map(seconds).collect(), remaps)?;
//! let left = left_over(&record).expect("a tenth of a second from the mean");
//! assert_eq!(left.len(), 9);
//! # Ok::<(), remapping::record::RecordError>(())
//! ```

use super::increments::Increments;
use crate::record::{Left, Record, imbalance, mean};
use std::ops::Range;

/// Steps after a remap that are used; the median of three tolerates an outlier.
const LOOKED: usize = 3;

/// Effective number of steps since the remap for the median of so many times, and its variance
/// relative to that of the noise of one time.
const MIDDLE: [(f64, f64); LOOKED] = [(1.0, 1.0), (1.5, 0.5), (2.0, 0.45)];

/// Least number of remaps.
const FEWEST: usize = 3;

/// Factor by which the variance must exceed that of steps and noise after perfect balance.
const SURE: f64 = 2.0;

/// Share of the imbalance before remaps from which the remainder matters.
const MUCH: f64 = 0.05;

/// Share of the variance of the remainder explained by the imbalance before, beyond which remaps
/// leave a share of it.
const OF_BEFORE: f64 = 0.5;

/// The remainder of each recorded remap that removed more than half of the imbalance, beyond what
/// later steps and their noise explain. `None` where that is negligible, or is a share of the
/// imbalance before, which an earlier remap would reduce. Work: proportional to the length of the
/// record.
pub fn left_over(record: &Record) -> Option<Vec<Left>> {
    let found = Increments::of(record)?;
    let drift = mean(&found.drifts);
    let drifts = found.drifts.iter().map(|own| (own - drift).powi(2)).sum::<f64>();
    let drifts = drifts / record.ranks() as f64;
    let (mut left, mut before, mut expected) = (Vec::new(), 0.0, 0.0);
    // Sums of products of the remainder and of the imbalance before.
    let (mut products, mut befores) = (0.0, 0.0);
    for pair in record.stretches().windows(2) {
        let [then, now] = pair else { continue };
        let most = record.imbalance(then.end - 1);
        let looked = LOOKED.min(now.len());
        let off = middle(record, now.start..now.start + looked);
        if imbalance(&off) < 0.5 * most {
            let (steps, share) = MIDDLE[looked - 1];
            expected += share * found.noise.powi(2)
                + steps * found.deviation.value.powi(2)
                + steps * steps * drifts;
            before += most;
            let mean = record.mean(then.end - 1);
            for (off, time) in off.iter().zip(record.row(then.end - 1)) {
                products += off * (time - mean);
                befores += (time - mean).powi(2);
            }
            left.push(Left { before: now.start, off });
        }
    }
    let many = left.len();
    let squares: f64 = left.iter().flat_map(|left| &left.off).map(|off| off * off).sum();
    let explained = products.max(0.0).powi(2) / (befores * squares);
    let squares = squares / record.ranks() as f64;
    if many < FEWEST || squares <= SURE * expected || explained > OF_BEFORE {
        return None;
    }
    let share = (1.0 - expected / squares).sqrt();
    left.iter_mut().flat_map(|left| &mut left.off).for_each(|off| *off *= share);
    let most: f64 = left.iter().map(|left| imbalance(&left.off)).sum();
    (most > MUCH * before).then_some(left)
}

/// Distance of each rank from the mean at the median of these steps.
fn middle(record: &Record, steps: Range<usize>) -> Vec<f64> {
    let of_rank = |rank: usize| {
        let off = |step: usize| record.row(step)[rank] - record.mean(step);
        let mut all: Vec<f64> = steps.clone().map(off).collect();
        all.sort_by(f64::total_cmp);
        match all[..] {
            [_, middle, _] => middle,
            _ => mean(&all),
        }
    };
    let all: Vec<f64> = (0..record.ranks()).map(of_rank).collect();
    let middle = mean(&all);
    all.iter().map(|off| off - middle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::record::Remap;
    use rand::RngExt;

    /// Four ranks that gain `slope` times their number, and `walk` at random, in a step, with
    /// noise; remaps balance perfectly.
    fn record(seed: u64, [slope, walk, noise]: [f64; 3], every: usize) -> Record {
        let mut numbers = stream(11, seed);
        let mut seconds = Vec::new();
        let mut off = [0.0; 4];
        for step in 0..400 {
            if step > 0 && step % every == 0 {
                off = [0.0; 4];
            }
            for (rank, off) in off.iter_mut().enumerate() {
                *off += slope * rank as f64 + walk * numbers.random_range(-1.0..1.0);
                seconds.push(2.0 + *off + noise * numbers.random_range(-1.0..1.0));
            }
        }
        let remaps = 1..400_usize.div_ceil(every);
        let remaps = remaps.map(|many| Remap { before: many * every, seconds: None }).collect();
        Record::new(4, seconds, remaps).unwrap()
    }

    #[test]
    fn what_steps_and_noise_make_is_not_left_over() {
        let mut found = 0;
        // A share of the imbalance remains.
        let share = |step: usize| [1.0, 1.3 + 0.1 * (step % 20) as f64 * 0.7];
        let remaps = (1..20).map(|many| Remap { before: 20 * many, seconds: None }).collect();
        let shared = Record::new(2, (0..400).flat_map(share).collect(), remaps).unwrap();
        assert_eq!(left_over(&shared), None);
        for seed in 0..25 {
            for kind in
                [[0.002, 0.0, 0.01], [0.0, 0.02, 0.001], [0.01, 0.002, 0.0], [0.0005, 0.005, 0.02]]
            {
                let even = record(seed, kind, 10 + seed as usize);
                found += usize::from(left_over(&even).is_some());
            }
        }
        assert!(found <= 2, "{found} of 100");
    }
}
