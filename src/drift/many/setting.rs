//! The problem, as far as many ranks see it.

use super::super::{LoadDrift, Objective, Rebalance};
use super::counts::Counts;

/// Numbers of a problem.
pub struct Setting {
    /// Number of ranks.
    pub ranks: u64,
    /// Number of levels.
    pub levels: usize,
    /// Number of steps K.
    pub steps: u64,
    /// Cost of a remap C.
    pub remap_cost: f64,
    /// Sum of the levels at the start.
    pub first_total: u64,
    /// A step costs `base` + largest level - `weight` * mean level.
    pub base: f64,
    /// 1 if the mean counts, else 0.
    pub weight: f64,
    rebalance: Rebalance,
    /// Least and largest expected move of a rank, and the largest variance.
    drift: (f64, f64),
    variance: f64,
}

impl Setting {
    /// Of a problem whose chain has these rows.
    pub fn new(problem: &LoadDrift, rows: &[Vec<f64>]) -> Setting {
        let (mut drift, mut variance) = ((0.0f64, 0.0f64), 0.0f64);
        for (from, row) in rows.iter().enumerate() {
            let (mut mean, mut square) = (0.0, 0.0);
            for (to, p) in row.iter().enumerate() {
                let by = to as f64 - from as f64;
                mean += p * by;
                square += p * by * by;
            }
            drift = (drift.0.min(mean), drift.1.max(mean));
            variance = variance.max(square - mean * mean);
        }
        let (base, weight) = match problem.objective {
            Objective::Imbalance => (0.0, 1.0),
            Objective::Makespan => (problem.lowest, 0.0),
        };
        Setting {
            ranks: problem.processors as u64,
            levels: rows.len(),
            steps: problem.steps,
            remap_cost: problem.remap_cost,
            first_total: (problem.initial * problem.processors) as u64,
            base,
            weight,
            rebalance: problem.rebalance,
            drift,
            variance,
        }
    }

    /// The cost of a step that ended in x, with this total.
    pub fn cost(&self, x: &Counts, total: u64) -> f64 {
        self.base + x.top as f64 - self.weight * (total as f64 / self.ranks as f64)
    }

    /// The total after a remap; where chance decides, by a number in [0, 1).
    pub fn remaps_to(&self, total: u64, chance: f64) -> u64 {
        let (floor, extra) = (total / self.ranks, total % self.ranks);
        let even = |up: bool| (floor + u64::from(up)) * self.ranks;
        match self.rebalance {
            Rebalance::Split => total,
            Rebalance::Nearest => even(2 * extra >= self.ranks),
            Rebalance::Stochastic => even(chance * (self.ranks as f64) < extra as f64),
        }
    }

    /// Expectation of a function of the total after a remap.
    pub fn after(&self, total: u64, value: impl Fn(u64) -> f64) -> f64 {
        match self.rebalance {
            Rebalance::Stochastic => {
                let up = (total % self.ranks) as f64 / self.ranks as f64;
                let low = total / self.ranks * self.ranks;
                let high = if up > 0.0 { value(low + self.ranks) } else { 0.0 };
                (1.0 - up) * value(low) + up * high
            }
            _ => value(self.remaps_to(total, 0.0)),
        }
    }

    /// Where totals lie after k steps, nearly all.
    pub fn reach(&self, k: u64) -> (f64, f64) {
        let (p, k) = (self.ranks as f64, k as f64);
        let spread = 5.0 * (p * k * self.variance).sqrt() + p.min(2.0 + 0.1 * p);
        let start = self.first_total as f64;
        (start + k * p * self.drift.0 - spread, start + k * p * self.drift.1 + spread)
    }

    /// The totals at which values after a remap are computed: dense where few ranks lie above the others.
    pub fn totals(&self) -> Vec<f64> {
        let (low, high) = self.reach(self.steps);
        let last = self.ranks * (self.levels as u64 - 1);
        let mut nodes = Vec::new();
        for floor in 0..self.levels as u64 - 1 {
            let mut extra = 0;
            while extra < self.ranks {
                nodes.push((floor * self.ranks + extra) as f64);
                extra += (extra / 4).clamp(1, (self.ranks / 24).max(1));
            }
        }
        nodes.push(last as f64);
        nodes.retain(|node| (low..=high).contains(node));
        nodes
    }
}
