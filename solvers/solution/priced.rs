//! What other rules of a solved model cost, for settings made from its rule.

use super::dynamics::{Dynamics, Kind};
use crate::problems::load_drift::answer as load_drift;
use crate::problems::stopping::answer as stopping;
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

    pub(super) fn of_drift(answer: &load_drift::Answer) -> Option<Priced> {
        let dynamics = answer.dynamics.clone()?;
        let fixed = answer.best_fixed;
        let makespan =
            matches!(dynamics.course, Kind::AfterStepMakespan | Kind::BeforeStepMakespan);
        let remaps = fixed.interval.map_or(0, |every| (answer.steps - 1) / every.max(1));
        let time = match makespan {
            true => fixed.value,
            false => fixed.value / (1.0 - fixed.utilization),
        };
        let step = (time - answer.remap_cost * remaps as f64) / answer.steps as f64;
        Some(Priced {
            dynamics,
            processes: answer.processors,
            remap_cost: answer.remap_cost,
            job: (answer.initial_load as i64, answer.steps),
            optimum: answer.value,
            fixed: Some(BestFixed {
                interval: fixed.interval,
                cost: fixed.value,
                never: answer.never.value,
                step_time: Some(step).filter(|step| step.is_finite()),
            }),
            stride: 1,
            goes_on: false,
        })
    }

    pub(super) fn of_stopping(answer: &stopping::Answer) -> Option<Priced> {
        let dynamics = answer.dynamics.clone()?;
        let endless = dynamics.course == Kind::Endless;
        Some(Priced {
            dynamics,
            processes: answer.lowest().len(),
            // With a random state after a remap, J is that of stopping at what a remap costs in all.
            remap_cost: if endless { answer.remap_cost } else { answer.remap_value },
            job: (0, 0),
            optimum: answer.average.map(|bounds| (bounds.lower + bounds.upper) / 2.0),
            fixed: None,
            stride: 1,
            goes_on: !endless && answer.remap_value > answer.remap_cost,
        })
    }
}
