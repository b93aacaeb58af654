//! What is known about J: an approximation, proved bounds, and the decisions they imply.

use super::sweep::{Rounding, Sweep};
use super::{AfterRemap, Approximation, Enclosure, Problem};
use crate::Status;

/// What to do in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The loads are balanced: there is nothing to decide.
    Balanced,
    /// Remap now.
    Remap,
    /// Go on.
    Continue,
}

/// The solution of a stopping problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// An approximation v of J, within the bounds.
    pub value: Vec<f64>,
    /// `psi + P v`: what continuing costs.
    pub continuing: Vec<f64>,
    /// `R(v)`: what remapping costs in all.
    pub remap_value: f64,
    /// `J >= lower_factor * v`, proved.
    pub lower_factor: f64,
    /// `J <= upper_factor * v`, proved.
    pub upper_factor: f64,
    /// The largest distance between the two bounds, relative to `max(1, remap_value)`.
    pub gap: f64,
    /// How many times the transition operator was applied.
    pub iterations: u64,
    /// How the computation ended.
    pub status: Status,
    remap_bounds: (f64, f64),
    /// Of `continuing`; none when remapping is free.
    rounding: Option<Rounding>,
}

impl Solution {
    /// The solution when remapping is free: J = 0.
    pub(super) fn free(problem: &Problem) -> Self {
        Self {
            value: vec![0.0; problem.states()],
            continuing: problem.running().to_vec(),
            remap_value: 0.0,
            lower_factor: 1.0,
            upper_factor: 1.0,
            gap: 0.0,
            iterations: 0,
            status: Status::Converged,
            remap_bounds: (0.0, 0.0),
            rounding: None,
        }
    }

    pub(super) fn certify(problem: &Problem, found: Approximation, tolerance: f64) -> Self {
        let Approximation { value, iterations, status } = found;
        let mut sweep = Sweep::new(problem);
        sweep.run(problem, &value);
        let enclosure = Enclosure::new(problem, &value, &sweep);
        let Enclosure { lower, upper, remap, .. } = enclosure;
        let rho = problem.remap_cost;
        let remap_bounds = match problem.after {
            AfterRemap::Stop => (rho, rho),
            AfterRemap::Uniform => {
                let slack = remap * problem.remap_rounding();
                (rho + (remap - rho) * lower - slack, rho + (remap - rho) * upper + slack)
            }
        };
        let gap = enclosure.gap();
        let status = match status {
            Status::Converged if gap > tolerance => Status::IterationLimit,
            status if gap > tolerance => status,
            _ => Status::Converged,
        };
        Self {
            value,
            rounding: Some(sweep.rounding()),
            continuing: sweep.go,
            remap_value: remap,
            lower_factor: lower,
            upper_factor: upper,
            gap,
            iterations: iterations + 1,
            status,
            remap_bounds,
        }
    }

    /// Proved bounds on J in a state.
    pub fn bounds(&self, state: usize) -> (f64, f64) {
        let v = self.value[state];
        (v * self.lower_factor, (v * self.upper_factor).min(self.remap_bounds.1))
    }

    /// Proved bounds on what remapping costs in all.
    pub fn remap_bounds(&self) -> (f64, f64) {
        self.remap_bounds
    }

    /// The decision in a state of this problem; where both branches cost the same, to remap.
    pub fn decision(&self, problem: &Problem, state: usize) -> Decision {
        if problem.running[state] == 0.0 {
            Decision::Balanced
        } else if self.continuing[state] < self.remap_value {
            Decision::Continue
        } else {
            Decision::Remap
        }
    }

    /// Whether the bounds leave open which branch of an unbalanced state is the cheaper one.
    pub fn is_tie(&self, problem: &Problem, state: usize) -> bool {
        let psi = problem.running[state];
        if psi == 0.0 {
            return false;
        }
        let go = self.continuing[state];
        let image = go - psi;
        let slack = self.rounding.map_or(0.0, |rounding| rounding.slack(psi, go));
        let low = psi + image * self.lower_factor - slack;
        let high = psi + image * self.upper_factor + slack;
        let (remap_low, remap_high) = self.remap_bounds;
        low <= remap_high && remap_low <= high
    }
}
