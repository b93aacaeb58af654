//! Laws of single loads from each level, and what steps under them come to.

use super::{LoadDrift, Timing};

/// Laws nearer than this are the same up to rounding: what follows repeats itself.
pub(super) const SETTLED: f64 = 8.0 * f64::EPSILON;

/// Laws of one chain: `laws[l][x]`, the probability of level x from level l.
pub(super) type Laws = Vec<Vec<f64>>;

/// What the first 0, 1, ... steps from even loads add up to, by their total: cost, work, and the time by which they would
/// take longer beside a remap.
pub(super) struct Sums<'p> {
    problem: &'p LoadDrift,
    slowdown: f64,
    pub(super) laws: Laws,
    pub(super) cost: Vec<Vec<f64>>,
    pub(super) work: Vec<Vec<f64>>,
    pub(super) slower: Vec<Vec<f64>>,
}

impl<'p> Sums<'p> {
    pub(super) fn new(problem: &'p LoadDrift, slowdown: f64, totals: usize) -> Sums<'p> {
        let laws = identity(problem.chain.levels());
        let none = || vec![vec![0.0; totals]];
        Sums { problem, slowdown, laws, cost: none(), work: none(), slower: none() }
    }

    /// Goes on to so many steps.
    pub(super) fn reach(&mut self, steps: usize, starts: &[usize], rows: &Laws) {
        while self.cost.len() <= steps {
            let next = multiply(rows, &self.laws);
            // T1 pays the n-th step after n moves, T2 after n - 1.
            let after = self.problem.timing == Timing::AfterStep;
            let paid = if after { &next } else { &self.laws };
            let last = self.cost.len() - 1;
            let mut sums = [&self.cost, &self.work, &self.slower].map(|sums| sums[last].clone());
            for &start in starts {
                let (max, mean) = self.problem.expected_step(paid, start);
                sums[0][start] += self.problem.step_cost(max, mean);
                sums[1][start] += mean;
                sums[2][start] += self.slowdown * max;
            }
            let [cost, work, slower] = sums;
            self.cost.push(cost);
            self.work.push(work);
            self.slower.push(slower);
            self.laws = next;
        }
    }
}

/// A law from its first value that is not 0 to the last: little of it in a short interval.
pub(super) struct Support {
    first: usize,
    law: Vec<f64>,
}

impl Support {
    pub(super) fn of(law: &[f64]) -> Support {
        let first = law.iter().position(|p| *p != 0.0).unwrap_or(0);
        let end = law.iter().rposition(|p| *p != 0.0).map_or(first, |last| last + 1);
        Support { first, law: law[first..end].to_vec() }
    }

    /// Adds so much of the law to `sum`.
    pub(super) fn add_to(&self, sum: &mut [f64], share: f64) {
        let sum = sum[self.first..].iter_mut();
        sum.zip(&self.law).for_each(|(sum, p)| *sum += share * p);
    }
}

pub(super) fn identity(size: usize) -> Laws {
    (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

/// The sum of the differences of two laws.
pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

pub(super) fn multiply(a: &Laws, b: &Laws) -> Laws {
    let row = |row: &Vec<f64>| {
        let mut out = vec![0.0; row.len()];
        for (&p, b) in row.iter().zip(b).filter(|(p, _)| **p != 0.0) {
            out.iter_mut().zip(b).for_each(|(out, b)| *out += p * b);
        }
        out
    };
    a.iter().map(row).collect()
}

pub(super) fn convolve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.len() + b.len() - 1];
    for (i, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
        out[i..].iter_mut().zip(b).for_each(|(out, b)| *out += a * b);
    }
    out
}
