//! Distributions of single loads from each level, and expected costs of steps under them.

use crate::load_drift::{LoadDrift, Objective, Timing};

/// Two distributions closer than this are equal up to rounding: all later steps repeat.
pub(in crate::load_drift) const SETTLED: f64 = 8.0 * f64::EPSILON;

/// Whether two distributions are equal up to rounding. The test is relative, so that tiny
/// probabilities that still grow count as different.
pub(in crate::load_drift) fn are_settled(a: &[f64], b: &[f64]) -> bool {
    // Smaller (subnormal) numbers have fewer digits.
    let rounding = |p: f64| SETTLED * p.max(f64::MIN_POSITIVE / SETTLED);
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= rounding(a.max(*b)))
}

/// Distributions of one chain: `laws[l][x]` is the probability of level x from level l.
pub(in crate::load_drift) type Laws = Vec<Vec<f64>>;

/// Cumulative sums over the first 0, 1, ... steps from even loads, by total: cost, work, and the
/// extra time of the steps during a remap.
pub(in crate::load_drift) struct Sums<'p> {
    problem: &'p LoadDrift,
    slowdown: f64,
    pub(in crate::load_drift) laws: Laws,
    pub(in crate::load_drift) cost: Vec<Vec<f64>>,
    pub(in crate::load_drift) work: Vec<Vec<f64>>,
    pub(in crate::load_drift) slower: Vec<Vec<f64>>,
}

impl<'p> Sums<'p> {
    pub(in crate::load_drift) fn new(
        problem: &'p LoadDrift,
        slowdown: f64,
        totals: usize,
    ) -> Sums<'p> {
        let laws = identity(problem.chain.levels());
        let none = || vec![vec![0.0; totals]];
        Sums { problem, slowdown, laws, cost: none(), work: none(), slower: none() }
    }

    /// Extends the sums to so many steps.
    pub(in crate::load_drift) fn reach(&mut self, steps: usize, starts: &[usize], rows: &Laws) {
        while self.cost.len() <= steps {
            let next = multiply(rows, &self.laws);
            // T1 pays the n-th step after n moves, T2 after n - 1.
            let after = self.problem.timing == Timing::AfterStep;
            let paid = if after { &next } else { &self.laws };
            let last = self.cost.len() - 1;
            let mut sums = [&self.cost, &self.work, &self.slower].map(|sums| sums[last].clone());
            for &start in starts {
                let shown = self.problem.expected_step(paid, start);
                sums[0][start] += self.problem.expected_cost(shown);
                sums[1][start] += shown.mean;
                sums[2][start] += self.slowdown * shown.max;
            }
            let [cost, work, slower] = sums;
            self.cost.push(cost);
            self.work.push(work);
            self.slower.push(slower);
            self.laws = next;
        }
    }
}

/// Expected maximum, mean and imbalance of a step.
#[derive(Clone, Copy)]
pub(in crate::load_drift) struct Shown {
    pub(in crate::load_drift) max: f64,
    pub(in crate::load_drift) mean: f64,
    /// Expected max - mean; where moves are rare, far smaller than either.
    pub(in crate::load_drift) imbalance: f64,
}

impl LoadDrift {
    /// Expectations from balanced loads with sum of levels `start`, after each processor has moved
    /// by `laws`.
    pub(in crate::load_drift) fn expected_step(&self, laws: &Laws, start: usize) -> Shown {
        let (lower, extra) = (start / self.processors, start % self.processors);
        let upper = lower + usize::from(extra > 0);
        self.expected_extremes(&laws[lower], &laws[upper], extra)
    }

    /// Expectations where `extra` processors have distribution `q` and the others `p`.
    ///
    /// E max is the sum over x of P(max > x), and E mean the sum of the mean of P(load > x).
    /// Neither their difference nor 1 minus a product near 1 is computed directly: rounding would
    /// drown rare moves.
    pub(in crate::load_drift) fn expected_extremes(
        &self,
        p: &[f64],
        q: &[f64],
        extra: usize,
    ) -> Shown {
        let (r, extra) = (self.processors as f64, extra as f64);
        let others = r - extra;
        let above = [p, q].map(|law| {
            let mut above = vec![0.0; law.len()];
            for x in (1..law.len()).rev() {
                above[x - 1] = above[x] + law[x];
            }
            above
        });
        let log_power = |above: f64, count: f64| match count {
            0.0 => 0.0,
            _ => count * (-above.min(1.0)).ln_1p(),
        };
        let mut below = [0.0; 2];
        let (mut max, mut mean, mut imbalance) = (0.0, 0.0, 0.0);
        for x in 0..self.chain.levels() - 1 {
            below = [below[0] + p[x], below[1] + q[x]];
            let above = [above[0][x], above[1][x]];
            let log = log_power(above[0], others) + log_power(above[1], extra);
            let (none_above, some_above) = (log.exp(), -log.exp_m1());
            let of_mean = |of: [f64; 2]| (others * of[0] + extra * of[1]) / r;
            max += some_above;
            mean += of_mean(above);
            imbalance += match none_above > 0.5 {
                true => some_above - of_mean(above),
                false => of_mean(below) - none_above,
            };
        }
        Shown { max: self.lowest + max, mean: self.lowest + mean, imbalance: imbalance.max(0.0) }
    }

    /// Expected cost of a step with these expectations.
    pub(in crate::load_drift) fn expected_cost(&self, shown: Shown) -> f64 {
        match self.objective {
            Objective::Imbalance => shown.imbalance,
            Objective::Makespan => shown.max,
        }
    }
}

/// A distribution from its first nonzero value to its last. Over a short interval few levels are
/// reached.
pub(in crate::load_drift) struct Support {
    first: usize,
    law: Vec<f64>,
}

impl Support {
    pub(in crate::load_drift) fn of(law: &[f64]) -> Support {
        let first = law.iter().position(|p| *p != 0.0).unwrap_or(0);
        let end = law.iter().rposition(|p| *p != 0.0).map_or(first, |last| last + 1);
        Support { first, law: law[first..end].to_vec() }
    }

    /// Adds `share` times the distribution to `sum`.
    pub(in crate::load_drift) fn add_to(&self, sum: &mut [f64], share: f64) {
        let sum = sum[self.first..].iter_mut();
        sum.zip(&self.law).for_each(|(sum, p)| *sum += share * p);
    }
}

pub(in crate::load_drift) fn identity(size: usize) -> Laws {
    (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

pub(in crate::load_drift) fn multiply(a: &Laws, b: &Laws) -> Laws {
    let row = |row: &Vec<f64>| {
        let mut out = vec![0.0; row.len()];
        for (&p, b) in row.iter().zip(b).filter(|(p, _)| **p != 0.0) {
            out.iter_mut().zip(b).for_each(|(out, b)| *out += p * b);
        }
        out
    };
    a.iter().map(row).collect()
}

pub(in crate::load_drift) fn convolve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.len() + b.len() - 1];
    for (i, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
        out[i..].iter_mut().zip(b).for_each(|(out, b)| *out += a * b);
    }
    out
}
