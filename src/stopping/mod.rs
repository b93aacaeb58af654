//! Optimal stopping of a Markov chain of loads `\[YXW03\]`: continue and pay for the imbalance, or
//! remap now.
//!
//! The optimal cost J satisfies the Bellman equation
//!
//! ```text
//! J(s) = min(R, psi(s) + (P J)(s)) where unbalanced,   J(s) = 0 where balanced
//! ```
//!
//! with psi the running cost, P the transition operator and R the total cost of a remap.
//!
//! [`Model`] is the entry point. [`States`] numbers the joint loads of several processes and builds
//! their transition operator, [`Problem`] adds the costs, and [`solve`] returns a [`Solution`]. Its
//! bounds hold for every method and however it ended: they are proved afterwards by one application
//! of the Bellman operator (`enclosure.rs`). The default method is policy iteration, with
//! O(applications x states) time and O(states) memory.
//!
//! ```
//! use remapping::chain::{BirthDeath, Edge};
//! use remapping::imbalance::RunningCost;
//! use remapping::stopping::{Model, Process, ProcessChain, Settings};
//!
//! // Two walks that are out of balance by three levels: is a remap worth its cost?
//! let walk = ProcessChain::BirthDeath(BirthDeath::walk(6, 0.25, 0.25, Edge::Reflect)?);
//! let process = Process { lowest: 0, chain: walk };
//! let model = Model::independent(&[process.clone(), process], RunningCost::MaxMinusMean)?;
//! let solved = model.remap_cost(1000.0).solve(&Settings::default(), &())?;
//! let remapping::Bounds { lower, upper } = solved.bounds(&[1, 4]).unwrap();
//! assert!(lower > 0.0 && upper < 1000.0, "they meet again by themselves, for less");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod evaluation;
mod given_rules;
mod iteration;
mod model;
mod operator;
mod problem;
mod region;
mod restart;
mod solution;
mod state_space;
#[cfg(test)]
mod tests;
mod variants;

pub use crate::chain::ProcessChain;
pub use given_rules::open_loop::Blind;
pub use given_rules::sample_paths::{Course, MapRule};
pub use given_rules::single_remap::{Once, Player};
pub use given_rules::target_relaxation::{Anywhere, Paid};
pub use iteration::critical::{CriticalCost, Scalar, critical_costs};
pub use model::{Model, ModelError, Solved};
pub use problem::{AfterRemap, Problem, ProblemError};
pub use region::active::{Effort, solve_region};
pub use restart::long_run::{LongRun, long_run, long_run_at, rebalanced, rebalanced_of};
pub use restart::partial::{Partial, long_run_partial, partial_targets};
pub use solution::{Decision, Solution};
pub use state_space::exchange::{Exchange, units_moved, units_moved_of};
pub use state_space::spreads::mean_and_spread;
pub use state_space::states::{Process, States};
pub use variants::countable::{Countable, Unbounded};
pub use variants::learning::{Learner, School};
pub use variants::state_dependent_costs::{Limits, Varied, Varying};

use crate::{Observer, Status};
use operator::enclosure::Enclosure;

/// The method for the Bellman equation. All methods compute the same quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The method of choice: policy iteration.
    #[default]
    Auto,
    /// Value iteration from below and from above.
    Value,
    /// Policy iteration.
    Policy,
}

/// Accuracy and limits of a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// Greatest certified distance between the bounds on J, relative to `max(1, R)`.
    pub tolerance: f64,
    /// Most applications of the transition operator.
    pub iterations: u64,
    /// Whether [`Model::solve`] tries a region around balance first, where that may pay.
    pub regions: bool,
    /// Bytes of memory that [`Model::solve`] may use.
    pub memory: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let (method, tolerance, iterations) = (Method::Auto, 1e-9, 1_000_000);
        Self { method, tolerance, iterations, regions: true, memory: u64::MAX }
    }
}

/// An intermediate approximation of J, `base - saving`, and how its computation ended.
struct Approximation {
    base: f64,
    saving: Vec<f64>,
    iterations: u64,
    status: Status,
}

/// Solves the problem to `settings.tolerance`, or as far as the limits allow.
pub fn solve(problem: &Problem, settings: &Settings, observer: &dyn Observer) -> Solution {
    solve_from(problem, None, settings, observer)
}

/// [`solve`] from a guess of the saving in each state.
fn solve_from(
    problem: &Problem,
    guess: Option<Vec<f64>>,
    settings: &Settings,
    observer: &dyn Observer,
) -> Solution {
    if problem.remap_cost() == 0.0 {
        return Solution::free(problem);
    }
    let found = match settings.method {
        Method::Value => iteration::value_iteration::solve(problem, settings, observer),
        Method::Auto | Method::Policy => {
            iteration::policy_iteration::solve(problem, guess, settings, observer)
        }
    };
    Solution::certify(problem, found, settings, observer)
}

/// Upper bound on the memory in bytes of [`Problem::new`] and [`solve`] for these states.
pub fn memory_estimate(states: &States, method: Method) -> u64 {
    memory_needed(states, method) as u64
}

/// The same as a float, since it may exceed the range of integers.
pub fn memory_needed(states: &States, method: Method) -> f64 {
    let classes = states.count() as u64;
    // Vectors: 9 for value iteration, 15 for policy iteration, and the equivalent of 16 for coarser
    // grids and interpolation.
    let vectors = match method {
        Method::Value => 9,
        Method::Auto | Method::Policy if evaluation::coarser::applies(states) => 31,
        Method::Auto | Method::Policy => 15,
    };
    8.0 * (f64::from(vectors) * classes as f64 + states.scratch() as f64)
}
