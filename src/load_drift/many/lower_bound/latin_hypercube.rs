//! Several successors of one state, as a Latin hypercube sample [McKay, Beckman and Conover 1979].
//!
//! The uniform numbers that decide how ranks move are stratified over the samples, and each is
//! uniform. All branches use the same numbers (common random numbers), so that their sampling
//! errors are strongly correlated.

use super::draws::{LnFactorial, binomial};
use super::moves::Moves;
use crate::load_drift::many::counts::Counts;
use crate::random::Stream;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Number of decisions with stratified numbers: those of the largest levels.
const DECISIONS: usize = 24;
/// Binomials of larger variance are drawn without stratified numbers.
const WIDE: f64 = 100.0;
/// A branch that has lost something, or is behind, uses one sample in this many.
const FEWER: usize = 4;

/// Samples of all steps, drawn on first use.
pub struct Samples {
    inner: usize,
    draws: Stream,
    /// By step: the samples of branches that have lost nothing and are not behind, and those of the
    /// others.
    steps: Vec<[Option<Evenly>; 2]>,
}

impl Samples {
    /// `inner` samples in each of `steps` steps.
    pub fn new(inner: usize, steps: u64, draws: Stream) -> Samples {
        Samples { inner, draws, steps: (0..steps).map(|_| [None, None]).collect() }
    }

    /// Drops the samples before this step. No later branch may begin before it.
    pub fn forget_before(&mut self, step: u64) {
        if let Some(last) = step.checked_sub(1) {
            self.steps[last as usize] = [None, None];
        }
    }

    /// The samples of the step after step k: all, or few.
    pub fn of(&mut self, k: u64, few: bool) -> &Evenly {
        let samples = if few { self.inner.div_ceil(FEWER) } else { self.inner };
        let draws = &mut self.draws;
        self.steps[k as usize][usize::from(few)].get_or_insert_with(|| Evenly::new(samples, draws))
    }
}

/// Stratified numbers for the samples of one step.
pub struct Evenly {
    samples: usize,
    /// By decision and sample.
    numbers: Vec<f64>,
}

impl Evenly {
    /// `samples` samples.
    pub fn new(samples: usize, draws: &mut Stream) -> Evenly {
        let mut places: Vec<usize> = (0..samples).collect();
        let mut numbers = Vec::with_capacity(DECISIONS * samples);
        for _ in 0..DECISIONS {
            places.shuffle(draws);
            let within = |&place: &usize| (place as f64 + draws.random::<f64>()) / samples as f64;
            numbers.extend(places.iter().map(within));
        }
        Evenly { samples, numbers }
    }

    /// Number of samples.
    pub fn count(&self) -> usize {
        self.samples
    }

    /// The successor state in one sample.
    pub fn step(
        &self,
        moves: &Moves,
        from: &Counts,
        sample: usize,
        draws: &mut Stream,
        to: &mut Counts,
    ) {
        to.clear();
        let mut decision = 0;
        for level in (from.low..=from.top).rev() {
            let mut left = from.on[level] as u64;
            if left == 0 {
                continue;
            }
            for &(goal, p) in moves.law(level) {
                if left == 0 {
                    break;
                }
                let here = if p >= 1.0 {
                    left
                } else {
                    let at = decision;
                    decision += 1;
                    match self.numbers.get(at * self.samples + sample) {
                        Some(number) => quantile(left, p, *number, &moves.factorial)
                            .unwrap_or_else(|| binomial(left, p, draws)),
                        None => binomial(left, p, draws),
                    }
                };
                to.on[goal] += here as f64;
                left -= here;
            }
        }
        to.settle();
    }
}

/// Quantile of a binomial distribution: the least number up to which it has probability `share`.
/// `None` for large variances.
fn quantile(count: u64, p: f64, share: f64, factorial: &LnFactorial) -> Option<u64> {
    if p > 0.5 {
        return quantile(count, 1.0 - p, 1.0 - share, factorial).map(|number| count - number);
    }
    let n = count as f64;
    let (mean, variance) = (n * p, n * p * (1.0 - p));
    if variance > WIDE {
        return None;
    }
    let mut at = (mean - 8.0 * variance.sqrt()).max(0.0).floor();
    let mut mass = match at {
        0.0 => (1.0 - p).powi(count as i32),
        _ => (factorial.choose(count, at as u64) + at * p.ln() + (n - at) * (-p).ln_1p()).exp(),
    };
    let odds = p / (1.0 - p);
    let mut left = share - mass;
    while left > 0.0 && at < n {
        mass *= (n - at) / (at + 1.0) * odds;
        at += 1.0;
        left -= mass;
    }
    Some(at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    /// Quantiles of small distributions agree with their cumulative sums; wide distributions have
    /// none.
    #[test]
    fn quantiles_are_those_of_the_law() {
        let factorial = LnFactorial::new();
        for (count, p) in
            [(1, 0.5f64), (5, 0.25), (7, 0.9), (64, 1.0 / 3.0), (300, 0.01), (300, 0.4)]
        {
            let n = count as f64;
            let mass = |k: u64| -> f64 {
                (factorial.choose(count, k) + k as f64 * p.ln() + (n - k as f64) * (1.0 - p).ln())
                    .exp()
            };
            for i in 0..1000 {
                let share = (i as f64 + 0.5) / 1000.0;
                let found = quantile(count, p, share, &factorial).unwrap();
                let below: f64 = (0..found).map(mass).sum();
                assert!(below <= share + 1e-9, "{count} {p} {share}: {found}");
                assert!(share <= below + mass(found) + 1e-9, "{count} {p} {share}: {found}");
            }
        }
        for share in [0.0, 1.0 - f64::EPSILON / 2.0] {
            assert!(quantile(64, 0.25, share, &factorial).unwrap() <= 64);
        }
        assert_eq!(quantile(1_000_000, 0.5, 0.5, &factorial), None);
    }

    /// Each sample has the mean of the chain on every level, and the mean over samples has little
    /// variance.
    #[test]
    fn samples_have_the_law_of_the_chain_and_are_even() {
        let rows = vec![
            vec![0.4, 0.3, 0.2, 0.1],
            vec![0.0, 0.5, 0.0, 0.5],
            vec![0.25, 0.25, 0.25, 0.25],
            vec![0.9, 0.0, 0.1, 0.0],
        ];
        let moves = Moves::new(&rows, 1);
        let mut from = Counts::none(4);
        from.on = vec![3.0, 5.0, 2.0, 600.0];
        from.settle();
        let mut to = from.clone();
        let (steps, inner) = (4000u64, 8usize);
        let mut samples = Samples::new(inner, steps, stream(5, 0));
        let mut draws = stream(5, 1);
        let (mut means, mut squares, mut even) = ([0.0; 4], [0.0; 4], 0.0);
        for k in 0..steps {
            samples.forget_before(k);
            let numbers = samples.of(k, false);
            let mut zeros = 0.0;
            for sample in 0..numbers.count() {
                numbers.step(&moves, &from, sample, &mut draws, &mut to);
                assert_eq!(to.on.iter().sum::<f64>(), 610.0);
                zeros += to.on[0] / inner as f64;
                (0..4).for_each(|level| {
                    means[level] += to.on[level] / (steps * inner as u64) as f64;
                    squares[level] += to.on[level].powi(2) / (steps * inner as u64) as f64;
                });
            }
            let expected = 0.4 * 3.0 + 0.25 * 2.0 + 0.9 * 600.0;
            even += (zeros - expected).powi(2) / steps as f64;
            assert_eq!(samples.of(k, true).count(), 2);
        }
        let mut variances = [0.0; 4];
        (0..4).for_each(|level| {
            let mean: f64 = rows.iter().zip(&from.on).map(|(row, n)| n * row[level]).sum();
            variances[level] =
                rows.iter().zip(&from.on).map(|(row, n)| n * row[level] * (1.0 - row[level])).sum();
            assert!((means[level] - mean).abs() < 0.15, "{means:?}");
            let variance = squares[level] - means[level].powi(2);
            assert!((variance / variances[level] - 1.0).abs() < 0.05, "{variance} {variances:?}");
        });
        assert!(even < 0.2 * variances[0] / inner as f64, "{even} {variances:?}");
    }
}
