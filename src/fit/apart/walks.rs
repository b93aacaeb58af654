//! How far loads under noise walk in a step, by the likelihood of all times.

use super::deviations;
use super::filter::Law;
use crate::parallel;
use crate::random::Stream;
use crate::record::Record;
use rand::RngExt;
use std::ops::Range;

/// Mean and variance of the slope of a rank.
pub type Slope<'s> = dyn Fn(usize) -> (f64, f64) + 's;

/// Variances of the walk, in units of that of the noise.
pub struct Walks {
    /// The likely ones, and the share of the stretches of ranks that has each of them.
    shares: Vec<[f64; 2]>,
    /// The factor by which the variance of the noise is most likely another than it was taken for.
    pub factor: f64,
    /// The largest one that all stretches may have in common, and whether it may be 0 (95 %).
    pub most: f64,
    pub may_be_none: bool,
}

/// The variances that are compared: none, and four a decade.
fn ratios() -> Vec<f64> {
    (0..=44).map(|k| if k == 0 { 0.0 } else { 1e-7 * 10f64.powf(f64::from(k) / 4.0) }).collect()
}

/// Twice the logarithm of how much more likely variances that differ must be, and by how much twice
/// the logarithm of the likelihood of a common one may be less than that of the best.
const DIFFER: f64 = 20.0;
const NEAR: f64 = 3.84;

/// Rounds of expectation and maximization; and the most times that they are about.
const ROUNDS: usize = 100;
const MOST_TIMES: usize = 200_000;

/// A share below which a variance is not among the likely ones.
const RARE: f64 = 1e-6;

impl Walks {
    /// The most likely variance that all stretches of all ranks have in common; or, where that is
    /// surely less likely, the most likely distribution of variances that differ (nonparametric
    /// empirical Bayes; Kiefer and Wolfowitz 1956, by expectation and maximization).
    pub fn of(record: &Record, noise: f64, slope: &Slope<'_>) -> Walks {
        let (ranks, seen) = (record.ranks(), deviations(record));
        let mut stretches = record.stretches();
        let mut times = 0;
        stretches.retain(|steps| {
            times += steps.len() * ranks;
            steps.start == 0 || times <= MOST_TIMES
        });
        let ratios = ratios();
        // What deviates from the mean of the ranks varies less.
        let left = 1.0 - 1.0 / ranks as f64;
        let slopes: Vec<(f64, f64)> = (0..ranks).map(slope).collect();
        let each = parallel::map(ranks * stretches.len(), &|unit| -> Vec<[f64; 2]> {
            let (steps, rank) = (stretches[unit / ranks].clone(), unit % ranks);
            let after_remap = steps.start > 0;
            let times: Vec<f64> = steps.map(|step| seen[step * ranks + rank]).collect();
            let law = |walk: f64| Law { walk, noise: left * noise, slope: slopes[rank] };
            let surprise = |ratio: &f64| law(ratio * left * noise).surprise(&times, after_remap);
            ratios.iter().map(surprise).collect()
        });
        let steps: usize = stretches.iter().map(Range::len).sum();
        let count = (ranks * (steps - 1)) as f64;
        // In common: twice the negative logarithm of the likelihood under the most likely noise,
        // and the factor of its variance.
        let common: Vec<[f64; 2]> = (0..ratios.len())
            .map(|k| {
                let sum = |at: usize| each.iter().map(|each| each[k][at]).sum::<f64>();
                let factor = sum(1) / count;
                [sum(0) + count * (1.0 + factor.ln()), factor]
            })
            .collect();
        let best = (0..ratios.len())
            .min_by(|a, b| common[*a][0].total_cmp(&common[*b][0]))
            .unwrap_or_default();
        let [least, factor] = common[best];
        let near = |k: &usize| left * (common[*k][0] - least) <= NEAR;
        let most = (0..ratios.len()).rev().find(near).map_or(0.0, |k| ratios[k]);
        let (shares, differing) = shared(&each);
        let may_be_none = near(&0);
        if differing >= least - DIFFER || !differing.is_finite() {
            return Walks { shares: vec![[ratios[best], 1.0]], factor, most, may_be_none };
        }
        let shares = ratios.into_iter().zip(shares).filter(|(_, share)| *share > RARE);
        let shares = shares.map(|(ratio, share)| [ratio, share]).collect();
        Walks { shares, factor: 1.0, most, may_be_none }
    }

    /// Their mean.
    pub fn mean(&self) -> f64 {
        self.shares.iter().map(|[ratio, share]| ratio * share).sum()
    }

    /// One for all.
    pub fn all(ratio: f64) -> Walks {
        Walks { shares: vec![[ratio, 1.0]], factor: 1.0, most: ratio, may_be_none: false }
    }

    /// One of the variances for a stretch with these times, drawn from what these say of it.
    pub fn drawn(&self, times: &[f64], after_remap: bool, law: Law, random: &mut Stream) -> f64 {
        if let [[ratio, _]] = self.shares[..] {
            return ratio;
        }
        let likelihood = |[ratio, share]: &[f64; 2]| {
            let law = Law { walk: ratio * law.noise, ..law };
            let [logarithms, squares] = law.surprise(times, after_remap);
            share.ln() - 0.5 * (logarithms + squares)
        };
        let all: Vec<f64> = self.shares.iter().map(likelihood).collect();
        let most = all.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = all.iter().map(|one| (one - most).exp()).sum();
        let mut left = sum * random.random::<f64>();
        let chosen = all.iter().position(|one| {
            left -= (one - most).exp();
            left < 0.0
        });
        self.shares[chosen.unwrap_or(all.len() - 1)][0]
    }
}

/// The most likely shares of the variances, and twice the negative logarithm of their likelihood.
fn shared(each: &[Vec<[f64; 2]>]) -> (Vec<f64>, f64) {
    let (mut chances, mut constant) = (Vec::new(), 0.0);
    for each in each {
        let sums = each.iter().map(|[logarithms, squares]| logarithms + squares);
        let least = sums.clone().fold(f64::INFINITY, f64::min);
        constant += least;
        chances.push(sums.map(|sum| (-0.5 * (sum - least)).exp()).collect::<Vec<f64>>());
    }
    let count = each.first().map_or(0, Vec::len);
    let (mut shares, mut logarithms) = (vec![1.0 / count as f64; count], 0.0);
    for _ in 0..ROUNDS {
        let mut sums = vec![0.0; count];
        logarithms = 0.0;
        for chances in &chances {
            let total: f64 =
                chances.iter().zip(&shares).map(|(chance, share)| chance * share).sum();
            logarithms += total.ln();
            for ((sum, chance), share) in sums.iter_mut().zip(chances).zip(&shares) {
                *sum += chance * share / total;
            }
        }
        shares = sums.into_iter().map(|sum| sum / chances.len() as f64).collect();
    }
    (shares, constant - 2.0 * logarithms)
}
