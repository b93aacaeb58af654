//! Policies of the papers: never, fixed intervals, thresholds, and stop at rise.

use super::{Policy, Step, exceeds};
use serde::{Deserialize, Serialize};

/// Never remaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Never;

impl Policy for Never {
    fn observe(&mut self, _step: &Step) {}

    fn wants_remap(&self) -> bool {
        false
    }

    fn remapped(&mut self) {}
}

/// Remaps every `interval` steps, independent of the loads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FixedInterval {
    interval: u64,
    since: u64,
}

impl FixedInterval {
    /// Every `interval` >= 1 steps.
    pub fn new(interval: u64) -> FixedInterval {
        FixedInterval { interval: interval.max(1), since: 0 }
    }
}

impl Policy for FixedInterval {
    fn observe(&mut self, _step: &Step) {
        self.since += 1;
    }

    fn wants_remap(&self) -> bool {
        self.since >= self.interval
    }

    fn remapped(&mut self) {
        self.since = 0;
    }
}

/// Remaps when max - mean exceeds a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    threshold: f64,
    imbalance: f64,
}

impl Threshold {
    /// Remaps when max - mean > `threshold`, in units of time.
    pub fn new(threshold: f64) -> Threshold {
        Threshold { threshold, imbalance: 0.0 }
    }
}

impl Policy for Threshold {
    fn observe(&mut self, step: &Step) {
        self.imbalance = step.imbalance();
    }

    fn wants_remap(&self) -> bool {
        exceeds(self.imbalance, self.threshold)
    }

    fn remapped(&mut self) {
        self.imbalance = 0.0;
    }
}

/// Remaps when mean / max falls below a minimum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UtilizationThreshold {
    minimum: f64,
    utilization: f64,
}

impl UtilizationThreshold {
    /// Remaps when mean / max < `minimum`, which lies in [0, 1].
    pub fn new(minimum: f64) -> UtilizationThreshold {
        UtilizationThreshold { minimum, utilization: 1.0 }
    }
}

impl Policy for UtilizationThreshold {
    fn observe(&mut self, step: &Step) {
        self.utilization = step.utilization();
    }

    fn wants_remap(&self) -> bool {
        exceeds(self.minimum, self.utilization)
    }

    fn remapped(&mut self) {
        self.utilization = 1.0;
    }
}

/// Stop at rise: remaps as soon as the average cost per step since the last remap,
/// W(n) = (sum of max - mean + C) / n, rises [NRS86, section 3].
///
/// W(n) > W(n-1) exactly if (n-1) u_n > u_1 + ... + u_{n-1} + C with u = max - mean, which is how
/// it is decided; it never holds at n = 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StopAtRise {
    remap_cost: f64,
    steps: u64,
    earlier: f64,
    latest: f64,
}

impl StopAtRise {
    /// For remaps that cost `remap_cost`, in units of time.
    pub fn new(remap_cost: f64) -> StopAtRise {
        StopAtRise { remap_cost, steps: 0, earlier: 0.0, latest: 0.0 }
    }

    /// W(n), the average cost per step so far if the program remaps now; `None` before any step.
    pub fn average_cost(&self) -> Option<f64> {
        let total = self.earlier + self.latest + self.remap_cost;
        (self.steps > 0).then(|| total / self.steps as f64)
    }
}

impl Policy for StopAtRise {
    fn observe(&mut self, step: &Step) {
        self.steps += 1;
        self.earlier += self.latest;
        self.latest = step.imbalance();
    }

    fn wants_remap(&self) -> bool {
        let before = self.steps.saturating_sub(1) as f64;
        self.steps > 1 && exceeds(before * self.latest, self.earlier + self.remap_cost)
    }

    fn remapped(&mut self) {
        *self = StopAtRise::new(self.remap_cost);
    }
}
