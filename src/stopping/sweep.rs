//! One application of the chain to an approximation of J, with a bound on its rounding.
//!
//! Where P keeps constants, `P v = R - P (R - v)`. The right side is the accurate one: J differs
//! from R only where a remap is not optimal or balance is near, and the rounding of `P d` is
//! relative to `P d`, not to R.

use super::{Problem, vector};

/// The two branches of the Bellman operator at some v, and room to compute them.
#[derive(Debug, Clone)]
pub(super) struct Sweep {
    /// `psi + P v`: the cost of continuing.
    pub go: Vec<f64>,
    /// `R(v)`: the cost of remapping.
    pub remap: f64,
    /// `R - v`, where that is what P was applied to.
    saving: Vec<f64>,
    rounding: Rounding,
}

/// What bounds the error of the computed `psi + P v`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rounding {
    /// Relative to what P was applied to.
    relative: f64,
    /// R, if P was applied to `R - v`.
    base: Option<f64>,
    /// The largest `v - R`.
    excess: f64,
}

impl Rounding {
    /// A bound on the error of `go` = `psi + P v` in a state with running cost `psi`.
    pub fn slack(&self, psi: f64, go: f64) -> f64 {
        let own = 2.0 * f64::EPSILON * go;
        match self.base {
            // P |d| is at most P d + 2 max(-d).
            Some(base) => {
                let saving = (base - (go - psi)).abs() + 2.0 * self.excess + own;
                self.relative * saving + own
            }
            None => self.relative * go + own,
        }
    }
}

impl Sweep {
    /// Room for sweeps of this problem.
    pub fn new(problem: &Problem) -> Self {
        let n = problem.states();
        let saving = if problem.operator.conserves() { vec![0.0; n] } else { Vec::new() };
        let relative = (problem.operator.rounding() + 2.0) * f64::EPSILON;
        let rounding = Rounding { relative, base: None, excess: 0.0 };
        Self { go: vec![0.0; n], remap: 0.0, saving, rounding }
    }

    /// Computes both branches at `v`.
    pub fn run(&mut self, problem: &Problem, v: &[f64]) {
        let remap = problem.remap_value(v);
        self.remap = remap;
        if self.saving.is_empty() {
            problem.operator.apply_into(v, &mut self.go);
            vector::update(&mut self.go, |s, image| problem.running[s] + image);
            return;
        }
        vector::update(&mut self.saving, |s, _| remap - v[s]);
        problem.operator.apply_into(&self.saving, &mut self.go);
        vector::update(&mut self.go, |s, image| problem.running[s] + (remap - image));
        let saving = &self.saving;
        let [excess] = vector::maxima(v.len(), |s| [-saving[s]]);
        self.rounding = Rounding { base: Some(remap), excess, ..self.rounding };
    }

    /// The bound on the error of `go`.
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    /// Sets `v` to its image under the Bellman operator.
    pub fn take(&self, problem: &Problem, v: &mut [f64]) {
        vector::update(
            v,
            |s, _| {
                if problem.running[s] == 0.0 { 0.0 } else { self.remap.min(self.go[s]) }
            },
        );
    }
}
