//! An optimal stopping problem with its Bellman operator.

use super::evaluation::coarser::Coarser;
use super::state_space::sharing::{self, Others};
use super::{States, operator::vector};
use crate::Bounds;
use crate::chain::{Finish, Operator, Shared};
use crate::imbalance::Imbalance;
use std::ops::Range;

/// What happens after a remap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterRemap {
    /// The problem ends: remapping costs `rho`.
    Stop,
    /// The next state is uniformly distributed over the |M| load vectors: remapping costs `rho +
    /// sum(J) / |M|` `[YXW03, section 5]`.
    Uniform,
}

/// A controlled chain with a running cost, to be stopped by a remap or by balance.
///
/// The optimal cost `J >= 0` is the only bounded solution of
///
/// ```text
/// J(s) = min(R(J), psi(s) + (P J)(s))    where psi(s) > 0 (unbalanced)
/// J(s) = 0                               where psi(s) = 0 (balanced)
/// ```
///
/// with `R(J) = rho` or `rho + mean(J)`. It is unique for rho > 0. Let J1 and J2 be solutions and
/// `lambda > 1` the least number with `J2 <= lambda J1`. Applying the operator to both sides gives
/// `J2 <= lambda J1 - (lambda - 1) min(rho, psi)`, so a smaller lambda suffices.
pub struct Problem {
    pub(super) operator: Box<dyn Operator>,
    pub(super) running: Vec<f64>,
    /// Number of load vectors per state; all 1 if `None`.
    pub(super) multiplicities: Option<Vec<f64>>,
    pub(super) vectors: f64,
    processes: usize,
    pub(super) remap_cost: f64,
    pub(super) after: AfterRemap,
    /// Whether these are all states; states outside would cost as much as a remap.
    pub(super) whole: bool,
    /// The problem on a coarser grid, for an initial guess.
    pub(super) coarser: Option<Box<Coarser>>,
    /// The distribution of the states over ranks, if several solve the problem.
    pub(super) shared: Others,
}

/// Why a stopping problem cannot be posed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A remap cost that is negative, infinite or not a number.
    #[error("the remap cost is {0}; it must be finite and not negative")]
    RemapCost(f64),
    /// The running cost is defined for another number of processes.
    #[error("the running cost is for {expected} processes, the chain has {found}")]
    Processes {
        /// Processes of the running cost.
        expected: usize,
        /// Processes of the chain.
        found: usize,
    },
    /// The operator has another number of states.
    #[error("the operator is for {found} states, and there are {expected}")]
    States {
        /// Number of states.
        expected: usize,
        /// States of the operator.
        found: usize,
    },
    /// `Uniform` without a balanced state: no policy has a finite cost.
    #[error(
        "no load vector is balanced, so a remap to a random one never ends the cost: every policy \
         costs infinitely much"
    )]
    NeverBalanced,
}

impl Problem {
    /// The problem on `states` with the transition operator `operator`.
    ///
    /// # Errors
    /// A remap cost that is negative or not finite, a running cost for another number of processes,
    /// an operator for another number of states, or [`AfterRemap::Uniform`] without any balanced
    /// state.
    pub fn new(
        states: &States,
        operator: Box<dyn Operator>,
        imbalance: &Imbalance,
        remap_cost: f64,
        after: AfterRemap,
    ) -> Result<Self, ProblemError> {
        fits(states, operator.states(), imbalance, remap_cost)?;
        let running = states.tabulate(|loads| imbalance.cost(loads));
        Self::posed(states, operator, running, remap_cost, after).checked()
    }

    /// This rank's part of a problem that several ranks solve together. Its vectors hold only the
    /// own entries of `operator`.
    ///
    /// # Errors
    /// As [`Problem::new`], the same on all ranks.
    pub fn shared(
        states: &States,
        operator: Shared,
        imbalance: &Imbalance,
        remap_cost: f64,
        after: AfterRemap,
    ) -> Result<Self, ProblemError> {
        fits(states, operator.shares().total(), imbalance, remap_cost)?;
        let running = states.tabulate_some(operator.own(), |loads| imbalance.cost(loads));
        let multiplicities = match after {
            AfterRemap::Stop => None,
            AfterRemap::Uniform => states.multiplicities_of(operator.own()),
        };
        let shared = Some((operator.communicator().clone(), operator.shares().clone()));
        let operator = Box::new(operator);
        let alone = Self::on_one_grid(states, operator, running, remap_cost, AfterRemap::Stop);
        Self { after, multiplicities, shared, ..alone }.checked()
    }

    /// The problem, unless it has no balanced state and needs one.
    fn checked(self) -> Result<Self, ProblemError> {
        let never = self.everywhere(!self.running.contains(&0.0));
        match self.after {
            AfterRemap::Uniform if self.remap_cost > 0.0 && never => {
                Err(ProblemError::NeverBalanced)
            }
            _ => Ok(self),
        }
    }

    /// The maximum over all ranks, component by component.
    pub(super) fn largest<const N: usize>(&self, own: [f64; N]) -> [f64; N] {
        sharing::largest(&self.shared, own)
    }

    /// The numbers of all ranks, concatenated in their order.
    pub(super) fn gather(&self, own: Vec<f64>) -> Vec<f64> {
        sharing::gather(&self.shared, own)
    }

    /// The values of functions at the first of all states.
    pub(super) fn at_first<const N: usize>(&self, functions: [&[f64]; N]) -> [f64; N] {
        let all = self.gather(functions.iter().filter_map(|all| all.first().copied()).collect());
        std::array::from_fn(|k| all[k])
    }

    /// Whether this holds on all ranks.
    pub(super) fn everywhere(&self, own: bool) -> bool {
        let [fails] = self.largest([if own { 0.0 } else { 1.0 }]);
        fails == 0.0
    }

    pub(super) fn posed(
        states: &States,
        operator: Box<dyn Operator>,
        running: Vec<f64>,
        remap_cost: f64,
        after: AfterRemap,
    ) -> Self {
        let mut problem = Self::on_one_grid(states, operator, running, remap_cost, after);
        problem.coarser = Coarser::new(states, &problem).map(Box::new);
        problem
    }

    /// The same without coarser grids.
    fn on_one_grid(
        states: &States,
        operator: Box<dyn Operator>,
        running: Vec<f64>,
        remap_cost: f64,
        after: AfterRemap,
    ) -> Self {
        let multiplicities = match after {
            AfterRemap::Stop => None,
            AfterRemap::Uniform => states.multiplicities(),
        };
        Self {
            operator,
            running,
            multiplicities,
            vectors: states.shape().iter().map(|&n| n as f64).product(),
            processes: states.processes(),
            remap_cost,
            after,
            whole: !states.is_active(),
            coarser: None,
            shared: None,
        }
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.running.len()
    }

    /// The running cost of each state: 0 if and only if it is balanced.
    pub fn running(&self) -> &[f64] {
        &self.running
    }

    /// One sweep of value iteration: `out` is the image of `v` under the Bellman operator.
    ///
    /// # Panics
    /// When `v` or `out` has not one entry for each state.
    pub fn bellman_into(&self, v: &[f64], out: &mut [f64]) {
        let bound = match self.after {
            AfterRemap::Stop => self.remap_cost,
            AfterRemap::Uniform => self.remap_cost + self.mean(v),
        };
        self.operator.apply_then(v, out, Finish::Least { costs: &self.running, bound });
    }

    /// The rows of the transition matrix; one application of the operator per column.
    pub fn transition_rows(&self) -> Vec<Vec<f64>> {
        let n = self.states();
        let mut rows = vec![vec![0.0; n]; n];
        let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
        for t in 0..n {
            unit[t] = 1.0;
            self.operator.apply_into(&unit, &mut column);
            unit[t] = 0.0;
            rows.iter_mut().zip(&column).for_each(|(row, p)| row[t] = *p);
        }
        rows
    }

    /// The remap cost rho.
    pub fn remap_cost(&self) -> f64 {
        self.remap_cost
    }

    /// The mean of J over all load vectors.
    pub(super) fn mean(&self, j: &[f64]) -> f64 {
        if let Some((communicator, shares)) = &self.shared {
            let terms = |part: Range<usize>| match &self.multiplicities {
                None => j[part].to_vec(),
                Some(m) => m[part.clone()].iter().zip(&j[part]).map(|(m, j)| m * j).collect(),
            };
            return vector::sum_shared(&**communicator, shares, terms) / self.vectors;
        }
        let sum = match &self.multiplicities {
            None => vector::sum_of([j], |[j]| j),
            Some(m) => vector::sum_of([m, j], |[m, j]| m * j),
        };
        sum / self.vectors
    }

    /// Bounds on R, the total cost of remapping, that hold for every chain. J is at most R, and 0
    /// at balanced loads. So rho <= R <= rho + (1 - b) R, with b the fraction of balanced load
    /// vectors.
    pub(super) fn remap_range(&self) -> Bounds {
        let rho = self.remap_cost;
        let upper = match self.after {
            AfterRemap::Stop => rho,
            AfterRemap::Uniform => {
                let balanced: Vec<f64> =
                    self.running.iter().map(|psi| f64::from(*psi == 0.0)).collect();
                let share = self.mean(&balanced) * (1.0 - self.mean_rounding());
                (rho / share).next_up()
            }
        };
        Bounds { lower: rho, upper }
    }

    /// Bound on the error of [`mean`](Self::mean), relative to the mean of absolute values.
    pub(super) fn mean_rounding(&self) -> f64 {
        // A multiplicity is a product of two factors per process, the number of vectors of one.
        (vector::SUM_ROUNDING + 2.0 * self.processes as f64 + 4.0) * f64::EPSILON
    }
}

/// Whether the parts of a problem are consistent.
pub(super) fn fits(
    states: &States,
    moved: usize,
    imbalance: &Imbalance,
    remap_cost: f64,
) -> Result<(), ProblemError> {
    if !(remap_cost.is_finite() && remap_cost >= 0.0) {
        return Err(ProblemError::RemapCost(remap_cost));
    }
    let (expected, found) = (imbalance.processes(), states.processes());
    if expected != found {
        return Err(ProblemError::Processes { expected, found });
    }
    let (expected, found) = (states.count(), moved);
    if expected != found {
        return Err(ProblemError::States { expected, found });
    }
    Ok(())
}
