//! Solvers for `(I - P) x = b` on the states that continue.
//!
//! | case | method |
//! |---|---|
//! | few states | LU factorization |
//! | P is reversible | conjugate gradients in the reversing inner product |
//! | otherwise | stabilized biconjugate gradients (van der Vorst 1992) |
//!
//! Conjugate gradients are preconditioned by `multigrid.rs` after some plain steps. An iteration
//! takes one or two applications of P, O(states) memory.

use super::biconjugate::{self, Next};
use super::multigrid::{self, CYCLE, Multigrid};
use crate::communicator::Equations;
use crate::stopping::operator::substochastic::Killed;
use crate::stopping::{Problem, operator::vector};
use crate::{Halt, Observer};
use nalgebra::DVector;
use std::borrow::Cow;
use std::cell::Cell;

/// Most states that are solved by LU.
const DIRECT: usize = 50;

/// Conjugate gradient steps without preconditioner: enough for a narrow continuation set. On short
/// walks more plain steps are as fast as a few cycles.
const PLAIN: u64 = 12;
const PLAIN_SHORT: u64 = 64;

/// For shared problems the stopping test uses a norm of all residuals. It must fall by as much as
/// the largest residual, times this factor; the factor is tightened if that was not enough.
const FIRST_STRICTNESS: f64 = 0.5;
const STRICTER: f64 = 0.2;
const LAST_STRICTNESS: f64 = 1e-3;

/// Levels from which a walk counts as long.
const LONG: usize = 32;

/// `I - P` on the states that continue, with its solvers.
pub(in crate::stopping) struct System<'a> {
    pub chain: Killed<'a>,
    problem: &'a Problem,
    continues: &'a [bool],
    /// Weights of the inner product in which P is self-adjoint.
    weights: Option<Vec<f64>>,
    inner: &'a InnerProducts,
    /// The preconditioner, once it is built.
    multigrid: Option<Multigrid<'a>>,
    observer: &'a dyn Observer,
    /// Most applications of the operator.
    limit: u64,
    /// Why the ranks were halted; the solution vector is then unchanged.
    pub halted: Option<Halt>,
}

/// The inner products in which P is self-adjoint, if there are any, and when a preconditioner is
/// built.
pub(in crate::stopping) struct InnerProducts {
    /// By grid of the problem, the finest first.
    weights: Option<Vec<Vec<f64>>>,
    /// Steps without a preconditioner; 0 once they were not enough.
    plain: Cell<u64>,
}

impl InnerProducts {
    pub fn new(problem: &Problem) -> Self {
        let plain = match &problem.coarser {
            Some(coarser) if coarser.levels >= LONG => PLAIN,
            _ => PLAIN_SHORT,
        };
        Self { weights: multigrid::weights(problem), plain: Cell::new(plain) }
    }
}

impl<'a> System<'a> {
    pub fn new(
        problem: &'a Problem,
        continues: &'a [bool],
        inner: &'a InnerProducts,
        limit: u64,
        observer: &'a dyn Observer,
    ) -> Self {
        let chain = Killed::new(problem, continues);
        let weights = inner.weights.as_ref().map(|weights| chain.pack(&weights[0]));
        Self {
            chain,
            problem,
            continues,
            weights,
            inner,
            multigrid: None,
            observer,
            limit,
            halted: None,
        }
    }

    /// Improves `x` until every residual is at most `goal` plus `relative` times its right-hand
    /// side. Solves directly if few states continue. Returns the number of applications of the
    /// operator.
    pub fn solve(&mut self, right: &[f64], x: &mut [f64], goal: f64, relative: f64) -> u64 {
        let (right, mut packed) = (self.chain.pack(right), self.chain.pack(x));
        if self.problem.shared.is_some() {
            let applications = self.shared(&right, &mut packed, (goal, relative));
            if self.halted.is_none() {
                x.fill(0.0);
                self.chain.unpack(&packed, x);
            }
            return applications;
        }
        x.fill(0.0);
        if packed.is_empty() {
            return 0;
        }
        let exceeds = |residual: &[f64]| {
            let excess = |[r, b]: [f64; 2]| r.abs() - goal - relative * b.abs();
            vector::maximum_of([residual, &right], excess) > 0.0
        };
        let applications = if packed.len() <= DIRECT {
            direct(&mut self.chain, &right, &mut packed)
        } else if self.weights.is_some() {
            self.conjugate_gradients(&right, &mut packed, exceeds)
        } else {
            self.biconjugate_gradients(&right, &mut packed, exceeds)
        };
        self.chain.unpack(&packed, x);
        applications
    }

    /// The same by the solver that ranks share; `x` is unchanged after a halt.
    fn shared(&mut self, right: &[f64], x: &mut [f64], (goal, relative): (f64, f64)) -> u64 {
        let problem = self.problem;
        let Some((communicator, _)) = &problem.shared else { return 0 };
        // The square roots of the weights as units of x make the system symmetric.
        let scale: Vec<f64> = match &self.weights {
            Some(weights) => weights.iter().map(|w| w.sqrt()).collect(),
            None => vec![1.0; x.len()],
        };
        let scaled = |from: &[f64]| from.iter().zip(&scale).map(|(x, s)| x * s).collect();
        let (scaled_right, mut y): (Vec<f64>, Vec<f64>) = (scaled(right), scaled(x));
        let mut inner = vec![0.0; x.len()];
        let (mut applications, mut strictness) = (0, FIRST_STRICTNESS);
        let (observer, limit) = (self.observer, self.limit);
        let mut found = x.to_vec();
        let exceeds = |residual: &[f64]| {
            let excess = |[r, b]: [f64; 2]| r.abs() - goal - relative * b.abs();
            problem.largest([vector::maximum_of([residual, right], excess)])[0]
        };
        loop {
            let residual = self.residual(right, &found);
            let excess = exceeds(&residual);
            let own = vector::sum_of([&scale, &residual], |[s, r]| s * s * r * r);
            let norm = communicator.gather(&[own]).iter().sum::<f64>().sqrt();
            applications += 1;
            if excess <= 0.0 || strictness < LAST_STRICTNESS || applications >= limit {
                break;
            }
            let [largest] = problem.largest([vector::maximum_of([&residual], |[r]| r.abs())]);
            let allowed = norm * ((largest - excess) / largest);
            let chain = &mut self.chain;
            let diagonal = chain.diagonal();
            let mut apply = |x: &[f64], image: &mut [f64]| {
                vector::update_from(&mut inner, [x, &scale], |_, [x, s]| x / s);
                chain.apply(&inner, image);
                vector::update_from(image, [&scale], |image, [s]| image * s);
            };
            let (mut steps, mut halted) = (applications, None);
            let mut halts = || {
                steps += 1;
                halted = halted.or(observer.progress(steps, limit).break_value());
                halted.is_some()
            };
            let equations = Equations {
                apply: &mut apply,
                diagonal: &mut |out| diagonal.write(out),
                halts: &mut halts,
                symmetric: self.weights.is_some(),
                right: &scaled_right,
                goal: allowed * strictness,
                limit: limit - applications,
            };
            let taken = communicator.solve(equations, &mut y);
            if halted.is_some() {
                self.halted = halted;
                return applications + taken;
            }
            vector::update_from(&mut found, [&y, &scale], |_, [y, s]| y / s);
            if taken == 0 {
                break;
            }
            applications += taken;
            strictness *= STRICTER;
        }
        x.copy_from_slice(&found);
        applications
    }

    /// Whether to continue after this many applications.
    fn goes_on(&self, applications: u64) -> bool {
        applications < self.limit && self.observer.progress(applications, self.limit).is_continue()
    }

    /// The reversing inner product.
    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        let w = self.weights.as_ref().expect("a reversible chain");
        vector::sum_of([w, a, b], |[w, a, b]| w * a * b)
    }

    /// The residual of `right`.
    fn residual(&mut self, right: &[f64], x: &[f64]) -> Vec<f64> {
        let mut r = vec![0.0; x.len()];
        self.chain.apply(x, &mut r);
        vector::update_from(&mut r, [right], |image, [right]| right - image);
        r
    }

    /// Sets `z` to an approximate solution for the right-hand side `r`: by a multigrid cycle, or to
    /// `r` itself without a preconditioner. Returns the number of applications of the operator.
    fn precondition(&mut self, r: &[f64], z: &mut [f64]) -> u64 {
        match &mut self.multigrid {
            None => {
                z.copy_from_slice(r);
                0
            }
            Some(multigrid) => {
                multigrid.cycle(&mut self.chain, r, z);
                CYCLE
            }
        }
    }

    fn conjugate_gradients(
        &mut self,
        right: &[f64],
        x: &mut [f64],
        exceeds: impl Fn(&[f64]) -> bool,
    ) -> u64 {
        let mut r = self.residual(right, x);
        let mut z = vec![0.0; x.len()];
        let mut image = vec![0.0; x.len()];
        let mut p = vec![0.0; x.len()];
        let mut applications = 1 + self.precondition(&r, &mut z);
        let mut square = self.dot(&r, &z);
        p.copy_from_slice(&z);
        let mut plain = 0;
        while exceeds(&r) && self.goes_on(applications) {
            if plain == self.inner.plain.get() && self.multigrid.is_none() {
                self.multigrid = self.inner.weights.as_ref().and_then(|weights| {
                    Multigrid::new(self.problem, weights, self.continues, &self.chain)
                });
                if self.multigrid.is_some() {
                    self.inner.plain.set(0);
                    applications += self.precondition(&r, &mut z);
                    square = self.dot(&r, &z);
                    p.copy_from_slice(&z);
                }
            }
            plain += 1;
            self.chain.apply(&p, &mut image);
            applications += 1;
            let curvature = self.dot(&p, &image);
            if curvature <= 0.0 || !curvature.is_finite() {
                break;
            }
            let step = square / curvature;
            vector::update_from(x, [&p], move |x, [p]| x + step * p);
            vector::update_from(&mut r, [&image], move |r, [image]| r - step * image);
            applications += self.precondition(&r, &mut z);
            let next = self.dot(&r, &z);
            let turn = next / square;
            square = next;
            vector::update_from(&mut p, [&z], move |p, [z]| z + turn * p);
        }
        applications
    }

    fn biconjugate_gradients(
        &mut self,
        right: &[f64],
        x: &mut [f64],
        exceeds: impl Fn(&[f64]) -> bool,
    ) -> u64 {
        let r = self.residual(right, x);
        // Each step takes two.
        let mut applications = 1;
        biconjugate::solve(self, r, x, |system, _, r| {
            if !(exceeds(r) && system.goes_on(applications)) {
                return Next::Stop;
            }
            applications += 2;
            Next::Step
        });
        applications
    }
}

impl biconjugate::System for System<'_> {
    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        self.chain.apply(x, out);
    }

    fn precondition<'r>(&mut self, r: &'r [f64]) -> Cow<'r, [f64]> {
        r.into()
    }
}

/// Solves by LU factorization.
fn direct(chain: &mut Killed<'_>, right: &[f64], x: &mut [f64]) -> u64 {
    if let Some(solution) = chain.matrix().lu().solve(&DVector::from_column_slice(right)) {
        x.copy_from_slice(solution.as_slice());
    }
    x.len() as u64
}
