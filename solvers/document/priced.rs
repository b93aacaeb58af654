//! What other rules of a solved model cost, for settings made from its rule.

use super::dynamics::Dynamics;
use remapping::simulate::Trials;

/// What other rules of the same model cost, in units and steps of the model.
#[derive(Debug, Clone)]
pub struct Priced {
    /// How the loads move.
    pub dynamics: Dynamics,
    /// Number of processes.
    pub processes: usize,
    /// Cost of a remap.
    pub remap_cost: f64,
    /// Initial load and number of steps of a job.
    pub job: (i64, u64),
    /// What the optimal policy costs.
    pub optimum: Option<f64>,
    /// Never remapping, and the best fixed interval.
    pub fixed: Option<BestFixed>,
    /// Steps of the program in one of the model.
    pub stride: u64,
    /// The program goes on after a remap, and what that costs is known for the optimal policy: it is in `remap_cost`.
    pub goes_on: bool,
}

/// The best fixed interval, exactly.
#[derive(Debug, Clone, Copy)]
pub struct BestFixed {
    /// Steps between remaps; never if none.
    pub interval: Option<u64>,
    /// What it costs.
    pub cost: f64,
    /// What never remapping costs.
    pub never: f64,
    /// What a step takes on average, waiting included and remaps not.
    pub step_time: Option<f64>,
}

impl Priced {
    /// Paths to price other rules on; none where the loads do not move independently.
    pub fn trials(&self) -> Option<Trials> {
        self.dynamics.trials(self.processes, self.remap_cost, self.job)
    }
}
