//! Persistent drift rates: how far the loads of the ranks separate over few and over many steps.
//!
//! Model: a walk of deviation s per step, slopes of deviation t that all change with probability c
//! per step, and noise n. Changes of the loads over k steps then differ between the ranks with the
//! variance
//!
//! ```text
//! 2 n^2 + k s^2 + (k + 2 sum over m < k of (k - m) (1 - c)^m) t^2.
//! ```
//!
//! For each c the squares closest to the record, in relative terms, follow from linear equations;
//! the best c is taken.

use super::increments::Increments;
use super::spread::is_measured;
use crate::fit::growth;
use crate::fit::level;
use crate::record::{Record, mean};
use nalgebra::{Matrix3, Vector3};
use std::borrow::Cow;

/// Walk, slopes and noise of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lasting {
    /// Standard deviation of what a step adds permanently.
    pub walk: f64,
    /// Standard deviation of the slopes.
    pub slopes: f64,
    /// Probability of new slopes in a step.
    pub change: f64,
    /// Standard deviation of what a step adds and the next removes.
    pub noise: f64,
}

/// Least number of steps.
const FEWEST: usize = 24;

/// Probabilities of a change that are tried: zero, and a geometric sequence from half a change over
/// all steps.
const MOST_CHANGE: f64 = 0.3;
const APART: f64 = 1.3;

impl Lasting {
    /// From a record, excluding remaps; `None` if it has fewer than 24 steps, or loads that never
    /// separate.
    pub fn of(record: &Record) -> Option<Lasting> {
        let (steps, ranks) = (record.steps(), record.ranks());
        if steps < FEWEST || ranks < 2 {
            return None;
        }
        let has_none = Increments::of(record).is_some_and(|it| it.outliers == 0);
        let mut path = Cow::Borrowed(record.paths());
        if !has_none {
            level::without_outliers(path.to_mut(), ranks);
        }
        let row = |step: usize| &path[step * ranks..(step + 1) * ranks];
        let is_filled = !record.filled(0).is_empty();
        let mut gains = Vec::with_capacity(ranks);
        let mut between = |lag: usize| {
            let (mut sum, mut many) = (0.0, 0_usize);
            for from in 0..steps - lag {
                gains.clear();
                gains.extend(row(from).iter().zip(row(from + lag)).map(|(from, to)| to - from));
                if is_filled {
                    // Ranks that were measured at both ends.
                    let ends = [record.filled(from), record.filled(from + lag)];
                    let mut ranks = 0..;
                    gains.retain(|_| ranks.next().is_some_and(|rank| is_measured(ends, rank)));
                }
                if gains.len() < 2 {
                    continue;
                }
                let middle = mean(&gains);
                let squares = gains.iter().map(|gain| (gain - middle).powi(2)).sum::<f64>();
                sum += squares / (gains.len() - 1) as f64;
                many += 1;
            }
            sum / many.max(1) as f64
        };
        let lags = growth::lags(steps / 3);
        let seen: Vec<f64> = lags.iter().map(|lag| between(*lag)).collect();
        if seen.iter().any(|seen| *seen <= 0.0) {
            return None;
        }
        let mut tried = vec![0.0];
        let mut change = 0.5 / steps as f64;
        while change < MOST_CHANGE {
            tried.push(change);
            change *= APART;
        }
        let fits = tried.into_iter().map(|change| fit(&lags, &seen, change));
        fits.min_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
    }

    /// Variance of the gain of loads over `lag` steps, without noise: by the walk, and by the
    /// slopes.
    pub fn gained(&self, lag: usize) -> [f64; 2] {
        let [walk, slopes] = terms(lag, self.change);
        [walk * self.walk.powi(2), slopes * self.slopes.powi(2)]
    }
}

/// Coefficients of the squares of walk and slopes over `lag` steps.
fn terms(lag: usize, change: f64) -> [f64; 2] {
    let (mut sum, mut left) = (lag as f64, 1.0);
    for apart in 1..lag {
        left *= 1.0 - change;
        sum += 2.0 * (lag - apart) as f64 * left;
    }
    [lag as f64, sum]
}

/// The best nonnegative squares, with their distance.
fn fit(lags: &[usize], seen: &[f64], change: f64) -> (Lasting, f64) {
    // Relative to the recorded values; long lags weigh less, as fewer fit in the record.
    let rows: Vec<([f64; 3], f64)> = lags
        .iter()
        .zip(seen)
        .map(|(lag, seen)| {
            let [walk, slopes] = terms(*lag, change);
            ([walk / seen, slopes / seen, 2.0 / seen], 1.0 / (*lag as f64).sqrt())
        })
        .collect();
    let mut best = ([0.0; 3], f64::INFINITY);
    for chosen in 1..8usize {
        let parts: Vec<usize> = (0..3).filter(|part| chosen >> part & 1 == 1).collect();
        let Some(found) = least_squares(&rows, &parts) else { continue };
        let off = |(row, weight): &([f64; 3], f64)| {
            let model: f64 = row.iter().zip(&found).map(|(a, b)| a * b).sum();
            weight * (model - 1.0).powi(2)
        };
        let distance: f64 = rows.iter().map(off).sum();
        if found.iter().all(|square| *square >= 0.0) && distance < best.1 {
            best = (found, distance);
        }
    }
    let [walk, slopes, noise] = best.0.map(f64::sqrt);
    (Lasting { walk, slopes, change, noise }, best.1)
}

/// Least squares with these parts only, the others 0.
fn least_squares(rows: &[([f64; 3], f64)], parts: &[usize]) -> Option<[f64; 3]> {
    let mut matrix = Matrix3::<f64>::identity();
    let mut right = Vector3::<f64>::zeros();
    // Columns are scaled to similar size.
    let sizes = [0, 1, 2].map(|part| rows.iter().map(|(row, _)| row[part]).fold(0.0, f64::max));
    parts.iter().for_each(|part| matrix[(*part, *part)] = 0.0);
    for (row, weight) in rows {
        for &one in parts {
            let value = row[one] / sizes[one];
            right[one] += weight * value;
            for &other in parts {
                matrix[(one, other)] += weight * value * row[other] / sizes[other];
            }
        }
    }
    let solved = matrix.lu().solve(&right)?;
    Some([0, 1, 2].map(|part| solved[part] / sizes[part]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    /// The parameters of simulated records are recovered.
    #[test]
    fn what_records_were_made_of() {
        for (number, [walk, slopes, change, noise]) in [
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 0.1, 0.0, 0.05],
            [0.3, 0.2, 0.02, 0.5],
            [0.0, 0.1, 0.01, 0.1],
        ]
        .into_iter()
        .enumerate()
        {
            let mut draws = stream(7, number as u64);
            let mut normal = || -> f64 { StandardNormal.sample(&mut draws) };
            let ranks = 64;
            let mut slope: Vec<f64> = (0..ranks).map(|_| slopes * normal()).collect();
            let mut chance = stream(8, number as u64);
            let mut loads = vec![100.0; ranks];
            let mut times = Vec::new();
            for _ in 0..1500 {
                if chance.random::<f64>() < change {
                    slope.fill_with(|| slopes * normal());
                }
                for (load, slope) in loads.iter_mut().zip(&slope) {
                    *load += slope + walk * normal();
                    times.push(*load + noise * normal());
                }
            }
            let least = times.iter().copied().fold(0.0, f64::min);
            times.iter_mut().for_each(|time| *time -= least);
            let record = Record::new(ranks, times, Vec::new()).unwrap();
            let found = Lasting::of(&record).unwrap();
            let near = |found: f64, made: f64, by: f64| {
                assert!((found - made).abs() <= by, "{found} {made}: {number}");
            };
            if walk > 0.0 {
                near(found.walk, walk, 0.1 * walk + 0.15 * slopes);
            } else {
                // Changing slopes leave a small apparent walk, which is negligible after some
                // steps.
                let [by_walk, by_slopes] = found.gained(30);
                assert!(by_walk < 0.01 * by_slopes, "{found:?}");
            }
            near(found.noise, noise, 0.15 * noise + 0.1 * walk);
            if slopes > 0.0 {
                near(found.slopes, slopes, 0.3 * slopes);
                near(found.change, change, 0.6 * change + 1e-3);
            } else {
                let [by_walk, by_slopes] = found.gained(30);
                assert!(by_slopes < 0.1 * by_walk, "{found:?}");
            }
        }
    }
}
