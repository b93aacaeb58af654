//! Closed forms between remaps. The ranks are independent, so the probability that none is above a
//! level is a product.
//!
//! Let Q_j(i, l) be the probability that a rank starting from level i is at most at level l after j
//! steps, and was below level b before. Let R_j(l) be the product of Q_j over the ranks. On paths
//! below b before step j, the largest level after j steps, truncated at b, has expectation b
//! R_{j-1}(b-1) - sum over l < b of R_j(l). Without a barrier, b is the number of levels. Memory:
//! b^2 numbers for each barrier and step; tables are computed on first use.

use super::counts::Counts;
use std::sync::OnceLock;

/// Distributions of the level of one rank, step by step, over the look-ahead.
pub struct Laws {
    /// Moves with positive probability.
    rows: Vec<Vec<(usize, f64)>>,
    longest: usize,
    tables: Vec<OnceLock<Table>>,
    /// Expectation and variance of the level, by number of steps and first level.
    moments: Vec<Vec<[f64; 2]>>,
}

/// ln Q for one barrier.
pub struct Table {
    barrier: usize,
    /// Largest number of levels that a rank rises in a step.
    rise: usize,
    logs: Vec<f64>,
    /// Expected level after j steps, on paths below b before, by first level.
    means: Vec<f64>,
}

/// Products below this are treated as zero.
const NOTHING: f64 = 1e-11;

impl Laws {
    /// For a chain with these rows, over `longest` steps.
    pub fn new(rows: &[Vec<f64>], longest: usize) -> Laws {
        let levels = rows.len();
        let sparse = |row: &Vec<f64>| {
            let sum: f64 = row.iter().sum();
            row.iter().enumerate().filter(|(_, p)| **p > 0.0).map(|(to, p)| (to, p / sum)).collect()
        };
        let rows: Vec<Vec<(usize, f64)>> = rows.iter().map(sparse).collect();
        let mut powers: Vec<Vec<[f64; 2]>> =
            vec![(0..levels).map(|i| [i as f64, (i * i) as f64]).collect()];
        for j in 0..longest {
            let next = |row: &Vec<(usize, f64)>| {
                let mut sum = [0.0; 2];
                for &(to, p) in row {
                    sum[0] += p * powers[j][to][0];
                    sum[1] += p * powers[j][to][1];
                }
                sum
            };
            powers.push(rows.iter().map(next).collect());
        }
        let variance = |[mean, square]: [f64; 2]| [mean, (square - mean * mean).max(0.0)];
        let moments = powers.into_iter().map(|at| at.into_iter().map(variance).collect()).collect();
        Laws { rows, longest, tables: (0..=levels).map(|_| OnceLock::new()).collect(), moments }
    }

    /// Largest number of steps of look-ahead.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.rows.len()
    }

    /// The table of barrier b, from 1 to the number of levels.
    pub fn barrier(&self, barrier: usize) -> &Table {
        self.tables[barrier].get_or_init(|| Table::new(&self.rows, barrier, self.longest))
    }

    /// Expectation and variance of the sum of the levels after j steps.
    pub fn total(&self, j: usize, x: &Counts) -> (f64, f64) {
        let (mut mean, mut variance) = (0.0, 0.0);
        let here = &self.moments[j];
        let levels = x.low..=x.top;
        for (on, [first, second]) in x.on[levels.clone()].iter().zip(&here[levels]) {
            mean += on * first;
            variance += on * second;
        }
        (mean, variance)
    }
}

impl Table {
    fn new(rows: &[Vec<(usize, f64)>], barrier: usize, longest: usize) -> Table {
        let b = barrier;
        // The complement is stored, so that small probabilities keep their digits.
        let mut beyond: Vec<f64> = vec![0.0; b * b];
        for from in 0..b {
            for level in 0..from {
                beyond[level * b + from] = 1.0;
            }
        }
        let mut logs = Vec::with_capacity(longest * b * b);
        let mut means = Vec::with_capacity(longest * b);
        let level = |&(to, p): &(usize, f64)| p * to as f64;
        let mut sums: Vec<f64> = rows[..b].iter().map(|row| row.iter().map(level).sum()).collect();
        for _ in 0..longest {
            let alive = |from: usize| 1.0 - beyond[(b - 1) * b + from];
            means.extend((0..b).map(|i| if alive(i) > 0.0 { sums[i] / alive(i) } else { 0.0 }));
            let below = |&(to, p): &(usize, f64)| if to < b { p * sums[to] } else { 0.0 };
            sums = rows[..b].iter().map(|row| row.iter().map(below).sum()).collect();
            let mut next = vec![0.0; b * b];
            for level in 0..b {
                for from in 0..b {
                    let move_to = |&(to, p): &(usize, f64)| {
                        p * if to >= b { 1.0 } else { beyond[level * b + to] }
                    };
                    let sum: f64 = rows[from].iter().map(move_to).sum();
                    next[level * b + from] = sum.min(1.0);
                }
            }
            beyond = next;
            let log = |&p: &f64| if p < 1.0 { (-p).ln_1p() } else { f64::NEG_INFINITY };
            logs.extend(beyond.iter().map(log));
        }
        let rises = rows
            .iter()
            .enumerate()
            .flat_map(|(from, row)| row.iter().map(move |(to, _)| to.saturating_sub(from)));
        Table { barrier: b, rise: rises.max().unwrap_or(0), logs, means }
    }

    /// The expected sum of the levels after j steps, on paths below b before.
    pub fn total(&self, j: usize, x: &Counts) -> f64 {
        let means = &self.means[(j - 1) * self.barrier..j * self.barrier];
        x.on[x.low..=x.top].iter().zip(&means[x.low..=x.top]).map(|(n, mean)| n * mean).sum()
    }

    /// Expected number of ranks above a level after j steps, and the expected sum of their levels
    /// above it.
    pub fn over(&self, j: usize, floor: usize, x: &Counts) -> (f64, f64) {
        let b = self.barrier;
        let at = &self.logs[(j - 1) * b * b..j * b * b];
        let highest = (x.top + j * self.rise).min(b - 1);
        let (mut first, mut sum) = (0.0, 0.0);
        for level in floor..highest {
            let logs = &at[level * b + x.low..=level * b + x.top];
            let above: f64 =
                x.on[x.low..=x.top].iter().zip(logs).map(|(n, log)| n * -log.exp_m1()).sum();
            if level == floor {
                first = above;
            }
            sum += above;
        }
        (first, sum)
    }

    /// The sum of R_j(l) over l < b, and R_j(b - 1), from x, whose ranks are all below b.
    pub fn products(&self, j: usize, x: &Counts) -> (f64, f64) {
        let b = self.barrier;
        let at = &self.logs[(j - 1) * b * b..j * b * b];
        let ranks = &x.on[x.low..=x.top];
        // No rank can be above this level.
        let highest = (x.top + j * self.rise).min(b - 1);
        let mut sum = (b - 1 - highest) as f64;
        let mut survive = 1.0;
        for level in (0..=highest).rev() {
            let logs = &at[level * b + x.low..=level * b + x.top];
            let log: f64 =
                ranks.iter().zip(logs).map(|(n, log)| if *n > 0.0 { n * log } else { 0.0 }).sum();
            let product = if log == 0.0 { 1.0 } else { log.exp() };
            if level == b - 1 {
                survive = product;
            }
            sum += product;
            if product < NOTHING {
                break;
            }
        }
        (sum, survive)
    }
}
