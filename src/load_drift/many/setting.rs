//! The parameters of the problem, aggregated for many ranks.

use super::super::{LoadDrift, Objective, Rebalance, Timing};
use super::counts::Counts;
use crate::load_drift::state_space::distributions::Shown;
use crate::overlap::Overlap;

/// Parameters of a problem.
pub struct Setting {
    /// Number of ranks.
    pub ranks: u64,
    /// Number of levels.
    pub levels: usize,
    /// Number of moves: one for each step, except the first where decisions are made before a step.
    pub steps: u64,
    /// Whether decisions are made before a step is paid.
    pub before_step: bool,
    /// Whether a remap replaces the loads with which the upcoming step is paid.
    pub replaces: bool,
    /// Cost of a remap C, without the units moved.
    pub remap_cost: f64,
    /// Cost of each unit moved.
    pub per_unit: f64,
    /// Approximate cost of a remap where it pays.
    pub typical: f64,
    /// Additional cost because the steps until a remap takes effect use the old mapping.
    pub waiting: f64,
    /// Number of steps until a remap takes effect, and the share of their time by which these steps
    /// are slower.
    pub overlap: Overlap,
    /// The lowest load.
    lowest: f64,
    /// Sum of the levels at the start.
    pub first_total: u64,
    /// A step costs `base` + largest level - `weight` * mean level.
    pub base: f64,
    /// 1 if the mean counts, otherwise 0.
    pub weight: f64,
    rebalance: Rebalance,
    /// Approximate lowest and highest total after each step.
    reach: Vec<(f64, f64)>,
    /// The largest variance of a rank's move.
    pub variance: f64,
}

impl Setting {
    /// Parameters of a problem whose chain has these rows.
    pub fn new(problem: &LoadDrift, overlap: Overlap, rows: &[Vec<f64>]) -> Setting {
        let moments = |(from, row): (usize, &Vec<f64>)| {
            let (mut mean, mut square) = (0.0, 0.0);
            for (to, p) in row.iter().enumerate() {
                let by = to as f64 - from as f64;
                mean += p * by;
                square += p * by * by;
            }
            (mean, square - mean * mean)
        };
        let moves: Vec<(f64, f64)> = rows.iter().enumerate().map(moments).collect();
        let (typical, waiting) = typical(problem, overlap);
        let variance = moves.iter().fold(0.0f64, |most, (_, variance)| most.max(*variance));
        let reach = reach(problem, &moves, variance);
        let (base, weight) = match problem.objective {
            Objective::Imbalance => (0.0, 1.0),
            Objective::Makespan => (problem.lowest, 0.0),
        };
        let before_step = problem.timing == Timing::BeforeStep;
        Setting {
            ranks: problem.processors as u64,
            levels: rows.len(),
            steps: problem.steps - u64::from(before_step),
            before_step,
            replaces: before_step && overlap.is_none(),
            remap_cost: problem.remap_cost,
            per_unit: problem.per_unit_moved,
            typical,
            waiting,
            overlap,
            lowest: problem.lowest,
            first_total: (problem.initial * problem.processors) as u64,
            base,
            weight,
            rebalance: problem.rebalance,
            reach,
            variance,
        }
    }

    /// The cost of a step with loads x, with this total.
    pub fn cost(&self, x: &Counts, total: u64) -> f64 {
        self.base + x.top as f64 - self.weight * (total as f64 / self.ranks as f64)
    }

    /// The cost of a step with even loads.
    pub fn even_cost(&self, total: u64) -> f64 {
        let largest = total.div_ceil(self.ranks) as f64;
        self.base + largest - self.weight * (total as f64 / self.ranks as f64)
    }

    /// Whether a remap that is decided after move k takes effect at all.
    pub fn may_remap(&self, k: u64) -> bool {
        k + self.overlap.steps < self.steps + u64::from(self.before_step)
    }

    /// Number of steps on the old mapping after a remap whose loads are not yet known at its
    /// decision.
    pub fn unseen(&self) -> usize {
        (self.overlap.steps as usize).saturating_sub(usize::from(self.before_step))
    }

    /// Additional time of the upcoming step because of a remap in progress, with this largest
    /// level.
    pub fn slower_now(&self, largest: f64) -> f64 {
        match self.before_step && self.overlap.steps > 0 {
            true => self.overlap.slowdown * (self.lowest + largest),
            false => 0.0,
        }
    }

    /// Expected cost of a step during a remap, with this mean level and this largest level.
    pub fn beside(&self, mean: f64, largest: f64) -> f64 {
        self.base + largest - self.weight * mean + self.overlap.slowdown * (self.lowest + largest)
    }

    /// Cost of a remap of x with this total, minus the step that it spares. The step with even
    /// loads is charged after the remap.
    pub fn price(&self, x: &Counts, total: u64) -> f64 {
        let spared = if self.replaces { self.cost(x, total) } else { 0.0 };
        if self.per_unit == 0.0 {
            return self.remap_cost - spared;
        }
        let (floor, extra) = ((total / self.ranks) as usize, (total % self.ranks) as f64);
        let (mut above, mut moved) = (0.0, 0.0);
        for level in floor + 1..=x.top {
            above += x.on[level];
            moved += x.on[level] * (level - floor) as f64;
        }
        self.remap_cost + self.per_unit * (moved - extra.min(above)) - spared
    }

    /// The total after a remap; a stochastic rebalance uses a number in [0, 1).
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

    /// Whether a remap preserves the total.
    pub fn keeps_totals(&self) -> bool {
        self.rebalance == Rebalance::Split
    }

    /// Range of almost all totals after k steps.
    pub fn reach(&self, k: u64) -> (f64, f64) {
        self.reach[k as usize]
    }

    /// The totals at which values after a remap are computed; dense where few ranks are one level
    /// above the others.
    pub fn totals(&self) -> Vec<f64> {
        let (mut low, mut high) = self.reach(0);
        for reach in &self.reach {
            (low, high) = (low.min(reach.0), high.max(reach.1));
        }
        let last = self.ranks * (self.levels as u64 - 1);
        let deviation = (self.ranks as f64 * self.variance).sqrt();
        let widest = (self.ranks / 24).min((0.5 * deviation) as u64).max(1);
        let mut nodes = Vec::new();
        for floor in 0..self.levels as u64 - 1 {
            let mut extra = 0;
            while extra < self.ranks {
                nodes.push((floor * self.ranks + extra) as f64);
                let half = self.ranks.div_ceil(2);
                if self.rebalance == Rebalance::Nearest && half > 1 && extra == 0 {
                    nodes.extend([half - 1, half].map(|extra| (floor * self.ranks + extra) as f64));
                }
                extra += (extra / 4).clamp(1, widest);
            }
        }
        nodes.push(last as f64);
        nodes.sort_by(f64::total_cmp);
        nodes.dedup();
        nodes.retain(|node| (low..=high).contains(node));
        nodes
    }
}

/// Cost of a remap after the interval of least average cost from an even start, and the imbalance
/// of the steps until it takes effect.
fn typical(problem: &LoadDrift, overlap: Overlap) -> (f64, f64) {
    if problem.per_unit_moved == 0.0 && overlap.is_none() {
        return (problem.remap_cost, 0.0);
    }
    let ranks = problem.processors as f64;
    let (mut spent, mut best) = (0.0, (f64::INFINITY, (problem.remap_cost, 0.0)));
    for (n, law) in (0..=problem.steps).zip(problem.laws()).skip(1) {
        let Shown { max, mean, imbalance } = problem.expected_extremes(&law, &law, 0);
        let mean = mean - problem.lowest;
        let moved: f64 =
            law.iter().enumerate().map(|(level, p)| (level as f64 - mean).max(0.0) * p).sum();
        spent += imbalance;
        let price = problem.remap_cost + problem.per_unit_moved * ranks * moved;
        let price = overlap.price(price, max);
        let average = (spent + price) / n as f64;
        if average < best.0 {
            best = (average, (price, overlap.steps as f64 * imbalance));
        } else if n > 64 && average > 1.5 * best.0 {
            break;
        }
    }
    best.1
}

/// Distance of the levels around a mean whose drift it may have.
const NEAR: f64 = 3.0;

/// Range of totals after each step: means that drift like ranks near them, plus several standard
/// deviations.
fn reach(problem: &LoadDrift, moves: &[(f64, f64)], variance: f64) -> Vec<(f64, f64)> {
    let (ranks, last) = (problem.processors as f64, moves.len() as f64 - 1.0);
    let near = |level: f64| {
        let from = (level - NEAR).floor().max(0.0) as usize;
        &moves[from..=((level + NEAR).ceil().min(last) as usize)]
    };
    let (mut low, mut high) = (problem.initial as f64, problem.initial as f64);
    let mut all = Vec::with_capacity(problem.steps as usize + 1);
    for k in 0..=problem.steps {
        let spread = 5.0 * (k as f64 * variance / ranks).sqrt() + (2.0 / ranks + 0.03).min(1.0);
        let ends = ((low - spread).max(0.0), (high + spread).min(last));
        all.push((ranks * ends.0, ranks * ends.1));
        low += near(low).iter().fold(f64::INFINITY, |least, (by, _)| least.min(*by));
        high += near(high).iter().fold(f64::NEG_INFINITY, |most, (by, _)| most.max(*by));
        (low, high) = (low.clamp(0.0, last), high.clamp(0.0, last));
    }
    all
}
