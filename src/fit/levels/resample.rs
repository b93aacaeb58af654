//! Parametric bootstrap: p-values from simulated records, with sequential stopping (Besag and
//! Clifford 1991).

use crate::parallel;
use crate::random::{Stream, stream};
use statrs::distribution::{ContinuousCDF, Gamma};

/// Largest and, for long records, least number of simulated records; bound on the random numbers
/// drawn in all.
const MOST_RECORDS: u64 = 3999;
const LEAST: u64 = 1999;
const NUMBERS: u64 = 100_000_000;

/// Sequential stopping after this many records with a larger statistic (J. Besag and P. Clifford,
/// Biometrika 78, 1991).
const ENOUGH: u64 = 20;

/// Records between two checks.
const BLOCK: u64 = 64;

/// Seed of the records: the same record always gives the same probability.
const SEED: u64 = 1;

/// Log-likelihood ratio statistic of counts: separate probabilities for each part against common
/// ones.
pub fn likelihood_ratio<'a>(parts: impl Iterator<Item = &'a [u64]>) -> f64 {
    let information = |count: u64| if count > 0 { count as f64 * (count as f64).ln() } else { 0.0 };
    let row = |row: &[u64]| {
        row.iter().map(|count| information(*count)).sum::<f64>() - information(row.iter().sum())
    };
    let (mut own, mut together) = (0.0, Vec::new());
    for part in parts {
        own += row(part);
        together.resize(part.len(), 0);
        together.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
    }
    2.0 * (own - row(&together))
}

/// The probability of a statistic of at least `observed` >= 0 for records drawn by `statistic`,
/// with `numbers` random numbers each. Beyond all simulated values it is that of a gamma
/// distribution with their mean and variance.
pub fn probability(
    observed: f64,
    numbers: u64,
    statistic: impl Fn(&mut Stream) -> f64 + Sync,
) -> f64 {
    let most = (NUMBERS / numbers.max(1)).clamp(LEAST, MOST_RECORDS);
    let (mut drawn, mut larger) = (0, 0);
    let (mut sum, mut squares) = (0.0, 0.0);
    // Equal tables may differ in the last digits.
    let bound = observed * (1.0 - 1e-9) - 1e-9;
    while drawn < most {
        let block = drawn..(drawn + BLOCK).min(most);
        let count = (block.end - block.start) as usize;
        let found =
            parallel::map(count, &|index| statistic(&mut stream(SEED, block.start + index as u64)));
        for found in found {
            drawn += 1;
            sum += found;
            squares += found * found;
            larger += u64::from(found >= bound);
            if larger == ENOUGH {
                return larger as f64 / drawn as f64;
            }
        }
    }
    let counted = (larger + 1) as f64 / (drawn + 1) as f64;
    let mean = sum / drawn as f64;
    let variance = squares / drawn as f64 - mean * mean;
    match Gamma::new(mean * mean / variance, mean / variance) {
        Ok(law) if larger == 0 => law.sf(observed).min(counted),
        _ => counted,
    }
}
