//! The interface of stopping problems: define the chain, set the costs, solve.

use super::region::active::{Effort, solve_region};
use super::{
    AfterRemap, Decision, Method, Problem, ProblemError, Process, Settings, Solution, States,
    memory_estimate, solve,
};
use crate::Bounds;
use crate::chain::{ChainError, Operator};
use crate::imbalance::{Imbalance, ImbalanceError, RunningCost};
use crate::{Halt, Observer, Rational};
use std::ops::ControlFlow;

/// A controlled chain of loads, before the set of states on which it is solved is chosen.
///
/// ```
/// use remapping::chain::{BirthDeath, Edge};
/// use remapping::imbalance::RunningCost;
/// use remapping::stopping::{Decision, Model, Process, ProcessChain, Settings};
///
/// let walk = BirthDeath::walk(8, 0.25, 0.25, Edge::Reflect)?;
/// let process = Process { lowest: 0, chain: ProcessChain::BirthDeath(walk) };
/// let model = Model::independent(&[process.clone(), process], RunningCost::MaxMinusMean)?;
/// let solved = model.remap_cost(4.0).solve(&Settings::default(), &())?;
/// assert_eq!(solved.decision(&[0, 7]), Some(Decision::Remap));
/// assert_eq!(solved.decision(&[3, 4]), Some(Decision::Continue));
/// assert_eq!(solved.decision(&[3, 8]), None, "there is no level 8");
/// let remapping::Bounds { lower, upper } = solved.bounds(&[3, 4]).unwrap();
/// assert!(upper - lower <= 1e-9 * 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Model {
    states: States,
    operator: Box<dyn Operator>,
    imbalance: Imbalance,
    remap_cost: f64,
    after: AfterRemap,
}

/// Why a model cannot be posed or solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The chain is invalid, or has too many states.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The running cost cannot be computed.
    #[error(transparent)]
    Imbalance(#[from] ImbalanceError),
    /// The costs are invalid.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// No region around balance sufficed, and all states together need more than
    /// `Settings::memory`.
    #[error("{states} states need {needed} bytes of memory, more than the {memory} there are")]
    Memory {
        /// The number of states.
        states: usize,
        /// Bytes needed for all of them.
        needed: u64,
        /// Bytes allowed.
        memory: u64,
        /// Set if the search for a region was halted.
        halt: Option<Halt>,
    },
}

impl Model {
    /// Independent processes on processors of equal capacity, with the cost of their imbalance per
    /// step. Equal processes with birth–death chains are lumped.
    ///
    /// # Errors
    /// No process, or loads or states that are too many to count.
    pub fn independent(processes: &[Process], cost: RunningCost) -> Result<Self, ModelError> {
        Self::on_processors(processes, cost, &vec![Rational::ONE; processes.len()])
    }

    /// As [`Model::independent`], on processors of these capacities, one for each process.
    ///
    /// # Errors
    /// As [`Model::independent`], and capacities that are not positive or too fine.
    pub fn on_processors(
        processes: &[Process],
        cost: RunningCost,
        capacities: &[Rational],
    ) -> Result<Self, ModelError> {
        let largest =
            |process: &Process| process.lowest.unsigned_abs().max(process.highest().unsigned_abs());
        let largest = processes.iter().map(largest).max().unwrap_or(0);
        let imbalance = Imbalance::new(cost, capacities, largest)?;
        let (expected, found) = (imbalance.processes(), processes.len());
        if expected != found {
            return Err(ProblemError::Processes { expected, found }.into());
        }
        let same = |i, j| imbalance.same_capacity(i, j);
        let (states, operator) = States::independent(processes, same)?;
        Ok(Self::on(states, operator, imbalance))
    }

    /// Any chain on any states. By default a remap is free and ends the problem.
    pub fn on(states: States, operator: Box<dyn Operator>, imbalance: Imbalance) -> Self {
        Self { states, operator, imbalance, remap_cost: 0.0, after: AfterRemap::Stop }
    }

    /// Sets the cost of a remap, in the unit of the running cost.
    #[must_use]
    pub fn remap_cost(self, remap_cost: f64) -> Self {
        Self { remap_cost, ..self }
    }

    /// Sets what follows a remap.
    #[must_use]
    pub fn after(self, after: AfterRemap) -> Self {
        Self { after, ..self }
    }

    /// Solves the model: on a region around balance if that suffices and `settings.regions` allows
    /// it, otherwise on all states. Time O(states x applications of the chain); there are some
    /// hundreds of applications.
    ///
    /// # Errors
    /// Invalid costs ([`Problem::new`]), or too little memory.
    pub fn solve(self, settings: &Settings, observer: &dyn Observer) -> Result<Solved, ModelError> {
        let plain = self.after == AfterRemap::Stop && settings.method == Method::Auto;
        if settings.regions
            && plain
            && let Some(effort) = Effort::beside_all(&self.states, settings.memory)
            && let Some(solved) = solve_region(
                &self.states,
                &self.imbalance,
                self.remap_cost,
                effort,
                settings,
                observer,
            )?
        {
            return Ok(solved);
        }
        let (states, problem) = self.pose(settings, observer)?;
        let solution = solve(&problem, settings, observer);
        Ok(Solved { states, problem, solution })
    }

    /// The problem on all states.
    ///
    /// # Errors
    /// Invalid costs ([`Problem::new`]), or too little memory.
    pub fn pose(
        self,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Result<(States, Problem), ModelError> {
        let Self { states, operator, imbalance, remap_cost, after } = self;
        let needed = memory_estimate(&states, settings.method);
        if needed > settings.memory {
            let halt = match observer.check() {
                ControlFlow::Break(halt) => Some(halt),
                ControlFlow::Continue(()) => None,
            };
            let (states, memory) = (states.count(), settings.memory);
            return Err(ModelError::Memory { states, needed, memory, halt });
        }
        let problem = Problem::new(&states, operator, &imbalance, remap_cost, after)?;
        Ok((states, problem))
    }
}

/// A solved model: on its states, or on a region of them outside of which the policy remaps.
pub struct Solved {
    /// The states of the problem.
    pub states: States,
    /// The problem on them.
    pub problem: Problem,
    /// Its solution; the bounds hold for all states of the model.
    pub solution: Solution,
}

impl Solved {
    /// The decision at these loads, one for each process; `None` if some process has no such load.
    pub fn decision(&self, loads: &[i64]) -> Option<Decision> {
        self.states.whole().find(loads)?;
        match self.states.find(loads) {
            Some(state) => Some(self.solution.decision(&self.problem, state)),
            None => Some(Decision::Remap),
        }
    }

    /// Proved bounds on the optimal cost from these loads.
    pub fn bounds(&self, loads: &[i64]) -> Option<Bounds> {
        self.states.whole().find(loads)?;
        match self.states.find(loads) {
            Some(state) => Some(self.solution.bounds(state)),
            // Outside the region: at most the cost of a remap, and at least that minus the
            // certified gap.
            None => {
                let Bounds { lower, upper } = self.solution.remap_bounds();
                Some(Bounds { lower: lower - self.solution.gap * upper.max(1.0), upper })
            }
        }
    }
}
