//! How surely one policy costs less than another on the same steps: the circular block bootstrap (D. N.
//! Politis and J. P. Romano 1992).
//!
//! Costs of successive steps hang together from one remap to the next, so that blocks of steps, longer than
//! that, are drawn instead of steps. Few blocks know their own spread badly: the interval is widened as
//! Student's t is against the normal law.

use super::Course;
use crate::estimate::{Estimate, NORMAL, student};
use crate::random::stream;
use rand::RngExt;

/// Sums drawn.
const DRAWS: usize = 2000;

/// Blocks at least, where there are steps enough.
const FEWEST_BLOCKS: usize = 8;

/// The sum of the differences of two courses on the same steps, a - b, with its 95 % interval. The same `seed`
/// gives the same interval. Work: 2000 x blocks.
pub fn difference(a: &Course, b: &Course, seed: u64) -> Estimate {
    let each: Vec<f64> = a.costs.iter().zip(&b.costs).map(|(a, b)| a - b).collect();
    let spacing = |course: &Course| each.len() as f64 / (course.tally.remaps as f64 + 1.0);
    let longest = 2.0 * spacing(a).max(spacing(b));
    total(&each, longest as usize, seed)
}

/// The sum of `values` and its 95 % interval, if values further apart than `block` are nearly independent. The sum of values that all
/// have one sign has that sign.
pub fn total(values: &[f64], block: usize, seed: u64) -> Estimate {
    let n = values.len();
    let value: f64 = values.iter().sum();
    if n < 2 {
        return Estimate { value, lower: f64::NEG_INFINITY, upper: f64::INFINITY };
    }
    let shortest = (n as f64).cbrt().ceil() as usize;
    let block = block.clamp(shortest, (n / FEWEST_BLOCKS).max(shortest)).min(n);
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for value in values.iter().chain(&values[..block]) {
        sum += value;
        sums.push(sum);
    }
    let blocks = n as f64 / block as f64;
    let count = n.div_ceil(block);
    let mut drawn: Vec<f64> = (0..DRAWS)
        .map(|draw| {
            let mut numbers = stream(seed, draw as u64);
            let start = |_| numbers.random_range(0..n);
            let found: f64 = (0..count).map(start).map(|at| sums[at + block] - sums[at]).sum();
            // The blocks may be longer than the series in all.
            found * n as f64 / (count * block) as f64
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    let wider =
        (blocks / (blocks - 1.0).max(0.5)).sqrt() * student((blocks - 1.0).max(1.0)) / NORMAL;
    let quantile = |share: f64| drawn[(share * (DRAWS - 1) as f64).round() as usize];
    let lower = value + wider * (quantile(0.025) - value).min(0.0);
    let upper = value + wider * (quantile(0.975) - value).max(0.0);
    let never_less = values.iter().all(|value| *value >= 0.0);
    let never_more = values.iter().all(|value| *value <= 0.0);
    Estimate {
        value,
        lower: if never_less { lower.max(0.0) } else { lower },
        upper: if never_more { upper.min(0.0) } else { upper },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is never negative adds up to nothing negative, however much it varies.
    #[test]
    fn sums_of_one_sign_keep_it() {
        let mut values = vec![0.0; 30];
        values[3] = 5.0;
        values[17] = 0.1;
        let found = total(&values, 10, 1);
        assert!(found.lower >= 0.0 && found.upper > found.value, "{found:?}");
        let found = total(&values.iter().map(|value| -value).collect::<Vec<f64>>(), 10, 1);
        assert!(found.upper <= 0.0 && found.lower < found.value, "{found:?}");
        values[5] = -0.1;
        assert!(total(&values, 10, 1).lower < 0.0);
    }
}
