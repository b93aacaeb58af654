//! One application of the chain to an approximation of J, with a bound on its rounding.
//!
//! An approximation v is kept as a base B and the *saving* d = B - v. Where P keeps constants,
//! continuing saves `B - (psi + P v) = P d - psi`. This is the accurate way round: J is close to R
//! except where balance is near, so d is small where J is large, and the rounding of `P d` is
//! relative to `P d`, not to R.

use super::{AfterRemap, Problem, vector};
use crate::chain::Finish;

/// What the two branches of the Bellman operator save at some v, and room to compute it.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    /// What continuing saves against the base: `B - psi - P v`.
    pub gain: Vec<f64>,
    /// What remapping saves against the base: `B - R(v)`.
    pub stop: f64,
    /// The base B.
    pub base: f64,
    /// v, where P does not keep constants.
    value: Vec<f64>,
    rounding: Rounding,
}

/// What bounds the errors of the computed savings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounding {
    /// Relative to what P was applied to.
    relative: f64,
    /// B, if P was applied to v rather than to d, otherwise 0.
    base: f64,
    /// The largest `-d`, if it was applied to d.
    excess: f64,
    /// Of `stop`.
    pub stop: f64,
}

impl Rounding {
    /// A bound on the error of `gain` in a state with running cost `psi`, whose own rounding it
    /// includes.
    #[inline(always)]
    pub fn slack(&self, psi: f64, gain: f64) -> f64 {
        let own = 4.0 * f64::EPSILON * (psi + gain.abs());
        // P |d| is at most P d + 2 max(-d).
        let size = (self.base - (gain + psi)).abs() + 2.0 * self.excess;
        self.relative * size + own + f64::EPSILON * self.base
    }
}

impl Sweep {
    /// Room for sweeps of this problem.
    pub fn new(problem: &Problem) -> Self {
        let n = problem.states();
        let value = if problem.operator.conserves() { Vec::new() } else { vec![0.0; n] };
        let relative = (problem.operator.rounding() + 4.0) * f64::EPSILON;
        let rounding = Rounding { relative, base: 0.0, excess: 0.0, stop: 0.0 };
        Self { gain: vec![0.0; n], stop: 0.0, base: 0.0, value, rounding }
    }

    /// Computes what both branches save at `base - saving`.
    pub fn run(&mut self, problem: &Problem, base: f64, saving: &[f64]) {
        self.base = base;
        let running = problem.running();
        if self.value.is_empty() {
            problem.operator.apply_then(saving, &mut self.gain, Finish::Less(running));
        } else {
            vector::update_from(&mut self.value, [saving], move |_, [d]| base - d);
            problem.operator.apply_into(&self.value, &mut self.gain);
            vector::update_from(&mut self.gain, [running], move |image, [psi]| base - psi - image);
            self.rounding.base = base;
        }
        let [excess] = problem.largest([vector::maximum_of([saving], |[d]| -d)]);
        self.rounding.excess = if self.value.is_empty() { excess } else { 0.0 };
        (self.stop, self.rounding.stop) = match problem.after {
            AfterRemap::Stop => {
                (base - problem.remap_cost, f64::EPSILON * (base - problem.remap_cost).abs())
            }
            // The mean of B is B.
            AfterRemap::Uniform => {
                let mean = problem.mean(saving);
                let slack = problem.mean_rounding() * (mean.abs() + 2.0 * excess);
                let stop = mean - problem.remap_cost;
                (stop, slack + f64::EPSILON * stop.abs())
            }
        };
    }

    /// R(v).
    pub fn remap(&self) -> f64 {
        self.base - self.stop
    }

    /// The bounds on errors.
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    /// Whether continuing is the cheaper branch in an unbalanced state.
    pub fn continues(&self, state: usize) -> bool {
        self.gain[state] > self.stop
    }

    /// Sets `saving` to that of the image under the Bellman operator.
    pub fn take(&self, problem: &Problem, saving: &mut [f64]) {
        let (base, stop) = (self.base, self.stop);
        vector::update_from(saving, [&problem.running, &self.gain], move |_, [psi, gain]| {
            let larger = if gain > stop { gain } else { stop };
            if psi == 0.0 { base } else { larger }
        });
    }
}
