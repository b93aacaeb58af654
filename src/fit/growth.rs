//! Growth of the imbalance between remaps, E (max - mean) of the gains after some steps: recorded,
//! and predicted by simulation of a model.
//!
//! O(lags x ranks x steps) for a record, O(paths x ranks x longest lag) for a prediction.

use super::blocks::Blocks;
use super::simulated::moved;
use crate::estimate::NORMAL;
use crate::random::{Stream, stream};
use crate::record::{Record, imbalance};
use rand_distr::{Distribution, StandardNormal};

/// Mean of max - mean of the gains of ranks over some steps, with the half-width of its 95 %
/// confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Number of steps.
    pub lag: usize,
    /// E (max - mean).
    pub mean: f64,
    /// Half-width.
    pub half_width: f64,
}

/// Lags at which models are compared with records: 1, 2, 3, 5, 8, ... up to `longest` (Fibonacci
/// numbers).
pub fn lags(longest: usize) -> Vec<usize> {
    let (mut lags, mut next) = (Vec::new(), (1, 2));
    while next.0 <= longest {
        lags.push(next.0);
        next = (next.1, next.0 + next.1);
    }
    lags
}

/// Recorded growth: mean over all starting steps of the largest gain minus the mean gain, without
/// remaps in between. The half-width accounts for overlapping intervals.
pub fn recorded(record: &Record, lags: &[usize]) -> Vec<Point> {
    let mut gains = vec![0.0; record.ranks()];
    let stretches = record.stretches();
    let mut point = |lag: usize| {
        let mut gained = Gained::default();
        for stretch in &stretches {
            for start in stretch.start..stretch.end.saturating_sub(lag) {
                add(&mut gained, record.row(start), record.row(start + lag), &mut gains);
            }
        }
        self::point(gained, lag)
    };
    lags.iter().map(|lag| point(*lag)).collect()
}

/// Sums over starting steps: number, value, and square.
type Gained = [f64; 3];

/// Adds one starting step.
fn add(gained: &mut [f64], from: &[f64], to: &[f64], gains: &mut [f64]) {
    let ends = from.iter().zip(to);
    gains.iter_mut().zip(ends).for_each(|(gain, (from, to))| *gain = to - from);
    let found = imbalance(gains);
    let more = [1.0, found, found * found];
    gained.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

fn point([count, sum, squares]: Gained, lag: usize) -> Point {
    let n = count.max(1.0);
    estimated(lag, [n, sum, squares], (n / lag as f64).max(1.5))
}

/// The mean of `n` values, so many of which are independent.
fn estimated(lag: usize, [n, sum, squares]: Gained, independent: f64) -> Point {
    let mean = sum / n;
    let variance = (squares / n - mean * mean).max(0.0);
    Point { lag, mean, half_width: NORMAL * (variance / (independent - 1.0)).sqrt() }
}

/// Streaming version; it stores as many steps as the longest lag.
#[derive(Debug, Clone)]
pub(super) struct Growing {
    lags: Vec<usize>,
    /// [`Gained`] of each lag.
    pub sums: Blocks,
    /// The stored steps, and the number of steps since the last remap.
    last: Vec<Vec<f64>>,
    since: usize,
    gains: Vec<f64>,
}

impl Growing {
    /// At these lags, in ascending order; for a later part of a run, or from its first step on.
    pub fn new(ranks: usize, lags: Vec<usize>, is_later: bool) -> Growing {
        let kept = lags.last().copied().unwrap_or(0) + 1;
        Growing {
            sums: Blocks::new(3 * lags.len(), is_later),
            lags,
            last: vec![vec![0.0; ranks]; kept],
            since: 0,
            gains: vec![0.0; ranks],
        }
    }

    /// Adds the next step, to count it or only to store it.
    pub fn step(&mut self, row: &[f64], remapped: bool, counts: bool) {
        if remapped {
            self.since = 0;
        }
        let kept = self.last.len();
        let now = self.since % kept;
        self.last[now].copy_from_slice(row);
        for (lag, gained) in self.lags.iter().zip(self.sums.now.chunks_exact_mut(3)) {
            if counts && *lag <= self.since {
                let from = (self.since - lag) % kept;
                add(gained, &self.last[from], &self.last[now], &mut self.gains);
            }
        }
        self.since += 1;
    }

    /// The resulting points.
    pub fn points(&self) -> Vec<Point> {
        let sums = self.sums.sums();
        let (sums, _) = sums.as_chunks();
        self.lags.iter().zip(sums).map(|(lag, gained)| point(*gained, *lag)).collect()
    }
}

/// Predicted growth for normal changes: each rank with its drift, all with one deviation, observed
/// with noise that does not accumulate.
pub fn normal(drifts: &[f64], deviation: f64, noise: f64, lags: &[usize], seed: u64) -> Vec<Point> {
    let spread = std::f64::consts::SQRT_2 * noise;
    predicted(drifts.len(), lags, seed, spread, |numbers, change| {
        for (change, drift) in change.iter_mut().zip(drifts) {
            let z: f64 = StandardNormal.sample(numbers);
            *change = drift + deviation * z;
        }
    })
}

/// Predicted growth for ranks that move between levels `quantum` apart, starting from the recorded
/// levels `starts`; `rows(rank)` is the transition matrix of a rank.
pub fn chain<'a>(
    rows: &dyn Fn(usize) -> &'a [Vec<f64>],
    starts: &[Vec<usize>],
    quantum: f64,
    lags: &[usize],
    seed: u64,
) -> Vec<Point> {
    let ranks = starts.first().map_or(0, Vec::len);
    let mut levels = vec![0; ranks];
    let mut step = 0;
    let longest = lags.last().copied().unwrap_or(0).max(1);
    let mut chain = |numbers: &mut Stream, change: &mut [f64]| {
        if step % longest == 0 {
            // Starts are spread over the whole record.
            levels.clone_from(&starts[step / longest * starts.len() / RUNS as usize]);
        }
        step += 1;
        for (rank, (level, change)) in levels.iter_mut().zip(change).enumerate() {
            let next = moved(&rows(rank)[*level], numbers).unwrap_or(*level);
            *change = (next as f64 - *level as f64) * quantum;
            *level = next;
        }
    };
    predicted(ranks, lags, seed, 0.0, &mut chain)
}

/// Number of sample paths of a prediction.
const RUNS: u64 = 1000;

/// Predicted growth for a model: `draw` writes the change of every rank in a step; `noise` is the
/// standard deviation of the measurement noise.
fn predicted(
    ranks: usize,
    lags: &[usize],
    seed: u64,
    noise: f64,
    mut draw: impl FnMut(&mut Stream, &mut [f64]),
) -> Vec<Point> {
    let longest = lags.last().copied().unwrap_or(0);
    let mut sums = vec![(0.0, 0.0); lags.len()];
    let mut change = vec![0.0; ranks];
    for run in 0..RUNS {
        let mut numbers = stream(seed, run);
        let mut loads = vec![0.0; ranks];
        let mut wanted = lags.iter().zip(&mut sums).peekable();
        for step in 1..=longest {
            draw(&mut numbers, &mut change);
            loads.iter_mut().zip(&change).for_each(|(load, change)| *load += change);
            if let Some((_, sum)) = wanted.next_if(|(lag, _)| **lag == step) {
                if noise > 0.0 {
                    for (seen, load) in change.iter_mut().zip(&loads) {
                        let z: f64 = StandardNormal.sample(&mut numbers);
                        *seen = load + noise * z;
                    }
                }
                let found = imbalance(if noise > 0.0 { &change } else { &loads });
                sum.0 += found;
                sum.1 += found * found;
            }
        }
    }
    let n = RUNS as f64;
    let point =
        |(lag, (sum, squares)): (&usize, &(f64, f64))| estimated(*lag, [n, *sum, *squares], n);
    lags.iter().zip(&sums).map(point).collect()
}
