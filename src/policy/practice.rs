//! Policies of load-balancing systems in practice.

use super::{Policy, Step, exceeds, reaches};
use serde::{Deserialize, Serialize};

/// Remaps when the time lost to imbalance since the last remap reaches what a remap costs
/// (H. Menon, N. Jain, G. Zheng, L. Kalé, "Automated load balancing invocation based on application
/// characteristics", IEEE CLUSTER 2012).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AccumulatedLoss {
    remap_cost: f64,
    lost: f64,
}

impl AccumulatedLoss {
    /// For remaps that cost `remap_cost`, in units of time.
    pub fn new(remap_cost: f64) -> AccumulatedLoss {
        AccumulatedLoss { remap_cost, lost: 0.0 }
    }
}

impl Policy for AccumulatedLoss {
    fn observe(&mut self, step: &Step) {
        self.lost += step.imbalance();
    }

    fn wants_remap(&self) -> bool {
        reaches(self.lost, self.remap_cost)
    }

    fn remapped(&mut self) {
        self.lost = 0.0;
    }
}

/// The interval sqrt(2 C / slope), rounded to at least 1. It minimizes the average cost per step
/// when the imbalance grows by `slope` > 0 per step (Menon et al. 2012, the model behind their
/// rule). `None` (never) if the imbalance does not grow.
pub fn slope_interval(remap_cost: f64, slope: f64) -> Option<u64> {
    let interval = (2.0 * remap_cost / slope).sqrt();
    (slope > 0.0 && interval < u64::MAX as f64).then(|| (interval.round() as u64).max(1))
}

/// The slope for [`slope_interval`] for an imbalance that grows along `growth` and levels off. It
/// is the slope of the line fitted to the steps up to the resulting interval, by fixed-point
/// iteration from the whole horizon.
pub fn growth_slope(remap_cost: f64, growth: &[f64]) -> f64 {
    let mut fitted = slope(growth);
    for _ in 0..50 {
        let Some(interval) = slope_interval(remap_cost, fitted) else { break };
        let steps = (interval.max(2) as usize).min(growth.len());
        let next = slope(&growth[..steps]);
        if next == fitted {
            break;
        }
        fitted = next;
    }
    fitted
}

/// Least-squares slope of `values` against 0, 1, 2, ...; 0 for fewer than two.
pub fn slope(values: &[f64]) -> f64 {
    let mut line = Line::default();
    for &value in values {
        line.add(value);
    }
    line.slope().unwrap_or(0.0)
}

/// Running least-squares line through (0, y_0), (1, y_1), ...
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Line {
    count: f64,
    mean_y: f64,
    covariance: f64,
}

impl Line {
    fn add(&mut self, y: f64) {
        let mean_x = (self.count - 1.0) / 2.0;
        let from_mean = if self.count > 0.0 { self.count - mean_x } else { 0.0 };
        self.count += 1.0;
        let change = y - self.mean_y;
        self.mean_y += change / self.count;
        self.covariance += change * from_mean * (self.count - 1.0) / self.count;
    }

    fn slope(&self) -> Option<f64> {
        let n = self.count;
        (n > 1.0).then(|| 12.0 * self.covariance / (n * (n * n - 1.0)))
    }
}

/// Charm++'s MetaBalancer: fits lines to the maximum and the mean time of the steps since the last
/// remap and remaps after the period sqrt(2 C / (slope of max - slope of mean)) they predict
/// (Menon et al. 2012; H. Menon, "Meta-Balancer", thesis, Urbana-Champaign 2012). The prediction is
/// renewed at every step, from [`LinearFit::POINTS`] steps on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinearFit {
    remap_cost: f64,
    steps: u64,
    max: Line,
    mean: Line,
}

impl LinearFit {
    /// Steps to observe before the first prediction.
    pub const POINTS: u64 = 4;

    /// For remaps that cost `remap_cost`, in units of time.
    pub fn new(remap_cost: f64) -> LinearFit {
        LinearFit { remap_cost, steps: 0, max: Line::default(), mean: Line::default() }
    }
}

impl Policy for LinearFit {
    fn observe(&mut self, step: &Step) {
        self.steps += 1;
        self.max.add(step.max());
        self.mean.add(step.mean());
    }

    fn wants_remap(&self) -> bool {
        let (Some(max), Some(mean)) = (self.max.slope(), self.mean.slope()) else { return false };
        let growth = max - mean;
        let elapsed = self.steps as f64;
        let due = reaches(elapsed * elapsed * growth, 2.0 * self.remap_cost);
        self.steps >= Self::POINTS && growth > 0.0 && due
    }

    fn remapped(&mut self) {
        *self = LinearFit::new(self.remap_cost);
    }
}

/// Remaps when the accumulated slow-down reaches what a remap costs, the slow-down of a step being
/// the median of the last three step times less the mean step time since the last remap
/// (K. Zhai, T. Banerjee, D. Zwick, J. Hackl, S. Ranka, "Dynamic load balancing for compressible
/// multiphase turbulence", ICS 2018).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MedianOfThree {
    remap_cost: f64,
    steps: u64,
    total: f64,
    last: [f64; 3],
    slowdown: f64,
}

impl MedianOfThree {
    /// For remaps that cost `remap_cost`, in units of time.
    pub fn new(remap_cost: f64) -> MedianOfThree {
        MedianOfThree { remap_cost, steps: 0, total: 0.0, last: [0.0; 3], slowdown: 0.0 }
    }

    fn median(&self) -> f64 {
        let [a, b, c] = self.last;
        match self.steps {
            0 | 1 => c,
            2 => (b + c) / 2.0,
            _ => a.max(b).min(a.min(b).max(c)),
        }
    }
}

impl Policy for MedianOfThree {
    fn observe(&mut self, step: &Step) {
        self.steps += 1;
        self.total += step.max();
        self.last = [self.last[1], self.last[2], step.max()];
        self.slowdown += self.median() - self.total / self.steps as f64;
    }

    fn wants_remap(&self) -> bool {
        self.steps > 0 && reaches(self.slowdown, self.remap_cost)
    }

    fn remapped(&mut self) {
        *self = MedianOfThree::new(self.remap_cost);
    }
}

/// Remaps when the next step is predicted to take less time with a remap than without:
/// t e/e' + C < ratio t, with t the time of the step, e its efficiency mean/max and e' the mean
/// efficiency found on the steps right after remaps (1 before the first)
/// (R. Procassini, M. O'Brien, J. Taylor, "Load balancing of parallel Monte Carlo transport
/// calculations", 2005).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PredictedEfficiency {
    remap_cost: f64,
    ratio: f64,
    time: f64,
    efficiency: f64,
    balanced: (f64, u64),
    fresh: bool,
}

impl PredictedEfficiency {
    /// For remaps that cost `remap_cost`; `ratio` <= 1 asks for a gain beyond the cost.
    pub fn new(remap_cost: f64, ratio: f64) -> PredictedEfficiency {
        let balanced = (0.0, 0);
        PredictedEfficiency {
            remap_cost,
            ratio,
            time: 0.0,
            efficiency: 1.0,
            balanced,
            fresh: false,
        }
    }
}

impl Policy for PredictedEfficiency {
    fn observe(&mut self, step: &Step) {
        self.time = step.max();
        self.efficiency = step.utilization();
        if self.fresh {
            self.balanced.0 += self.efficiency;
            self.balanced.1 += 1;
            self.fresh = false;
        }
    }

    fn wants_remap(&self) -> bool {
        let after = match self.balanced {
            (_, 0) => 1.0,
            (total, count) => total / count as f64,
        };
        let speedup = if after > 0.0 { self.efficiency / after } else { 1.0 };
        exceeds(self.ratio * self.time, self.time * speedup + self.remap_cost)
    }

    fn remapped(&mut self) {
        self.fresh = true;
        self.time = 0.0;
        self.efficiency = 1.0;
    }
}

/// Remaps when some processor is more than a fixed fraction off the mean: the default of production
/// codes (C. Márquez, E. César, J. Sorribes, "A load balancing schema for agent-based SPMD
/// applications", PDPTA 2013).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    fraction: f64,
    outside: bool,
}

impl Tolerance {
    /// Remaps when a processor's time leaves mean (1 ± `fraction`), `fraction` >= 0.
    pub fn new(fraction: f64) -> Tolerance {
        Tolerance { fraction, outside: false }
    }
}

impl Policy for Tolerance {
    fn observe(&mut self, step: &Step) {
        let most = step.mean() * (1.0 + self.fraction);
        let least = step.mean() * (1.0 - self.fraction);
        self.outside = exceeds(step.max(), most) || exceeds(least, step.min());
    }

    fn wants_remap(&self) -> bool {
        self.outside
    }

    fn remapped(&mut self) {
        self.outside = false;
    }
}
