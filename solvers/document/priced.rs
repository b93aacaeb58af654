//! The costs of other rules of a solved model, for settings made from its rule.

use super::dynamics::Dynamics;
use remapping::simulate::Trials;

/// The costs of other rules of the same model, in units and steps of the model.
#[derive(Debug, Clone)]
pub struct Priced {
    /// The motion of the loads.
    pub dynamics: Dynamics,
    /// Number of processes.
    pub processes: usize,
    /// Cost of a remap.
    pub remap_cost: f64,
    /// Initial load and number of steps of a job.
    pub job: (i64, u64),
    /// The cost of the optimal policy.
    pub optimum: Option<f64>,
    /// The costs of never remapping and of the best fixed interval.
    pub fixed: Option<BestFixed>,
    /// The number of the program's steps in a step of the model.
    pub stride: u64,
    /// Whether the program continues after a remap, and `remap_cost` includes the later costs under
    /// the optimal policy.
    pub goes_on: bool,
}

/// The best fixed interval, exact.
#[derive(Debug, Clone, Copy)]
pub struct BestFixed {
    /// The steps between remaps; `None` is never.
    pub interval: Option<u64>,
    /// Its cost.
    pub cost: f64,
    /// The cost of never remapping.
    pub never: f64,
    /// The mean time of a step, including waiting but not remaps.
    pub step_time: Option<f64>,
}

impl Priced {
    /// Paths for evaluating other rules; `None` where the loads do not move independently.
    pub fn trials(&self) -> Option<Trials> {
        self.dynamics.trials(self.processes, self.remap_cost, self.job)
    }
}
