//! Krylov solvers for `(I - P) x = b` on a subset of the states.

use super::multigrid::Multigrid;
use super::{Problem, vector};
use crate::Observer;
use crate::chain::Finish;
use std::cell::Cell;

/// Steps of plain conjugate gradients, enough where the continuation set is narrow; and on short
/// walks, where more of them are as quick as a few cycles.
const PLAIN: u64 = 12;
const PLAIN_SHORT: u64 = 64;

/// Walks of fewer levels are short.
const LONG: usize = 32;

/// How many steps to make before there is a preconditioner.
pub(super) fn patience(problem: &Problem) -> u64 {
    match &problem.coarser {
        Some(coarser) if coarser.levels >= LONG => PLAIN,
        _ => PLAIN_SHORT,
    }
}

/// What a multigrid cycle counts for, in applications of P.
const CYCLE: u64 = 3;

/// `I - P` on the states that continue.
pub(super) struct Masked<'a> {
    pub problem: &'a Problem,
    pub continues: &'a [bool],
    /// Weights of an inner product in which P is symmetric.
    pub weights: Option<&'a [f64]>,
    /// The same for all grids of the problem, if it has coarser ones.
    pub grids: Option<&'a [Vec<f64>]>,
    /// Steps without a preconditioner; 0 once they were not enough.
    pub plain: &'a Cell<u64>,
    pub observer: &'a dyn Observer,
    /// The most applications.
    pub limit: u64,
}

impl Masked<'_> {
    /// `out = x - P x` on the states that continue, 0 elsewhere; `x` must be 0 there.
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        let finish = |start: usize, out: &mut [f64]| {
            let marked = self.continues[start..].iter();
            for ((image, x), goes_on) in out.iter_mut().zip(&x[start..]).zip(marked) {
                *image = if *goes_on { *x - *image } else { 0.0 };
            }
        };
        self.problem.operator.apply_then(x, out, Finish::Parts(&finish));
    }

    /// Whether to go on after this many applications.
    fn goes_on(&self, applications: u64) -> bool {
        applications < self.limit && self.observer.progress(applications, self.limit).is_continue()
    }

    fn multigrid(&self) -> Option<Multigrid<'_>> {
        Multigrid::new(self.problem, self.grids?, self.continues)
    }

    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        match self.weights {
            Some(w) => vector::sum_of([w, a, b], |[w, a, b]| w * a * b),
            None => vector::sum_of([a, b], |[a, b]| a * b),
        }
    }
}

/// Improves `x` until no residual exceeds `goal` and the share `relative` of its right side; returns
/// how many times the operator was applied.
pub(super) fn solve(
    system: &Masked,
    right: &[f64],
    x: &mut [f64],
    goal: f64,
    relative: f64,
) -> u64 {
    vector::update(x, |s, x| if system.continues[s] { x } else { 0.0 });
    let exceeds = |residual: &[f64]| {
        let excess = |[r, b]: [f64; 2]| r.abs() - goal - relative * b.abs();
        vector::maximum_of([residual, right], excess) > 0.0
    };
    if system.weights.is_some() {
        conjugate_gradients(system, right, x, exceeds)
    } else {
        stabilised_biconjugate_gradients(system, right, x, exceeds)
    }
}

fn residual(system: &Masked, right: &[f64], x: &[f64]) -> Vec<f64> {
    let mut r = vec![0.0; x.len()];
    system.apply(x, &mut r);
    vector::update_from(&mut r, [right], |image, [right]| right - image);
    r
}

fn conjugate_gradients(
    system: &Masked,
    right: &[f64],
    x: &mut [f64],
    exceeds: impl Fn(&[f64]) -> bool,
) -> u64 {
    let mut r = residual(system, right, x);
    let mut p = r.clone();
    let mut image = vec![0.0; x.len()];
    // The preconditioned residual, once there is a preconditioner.
    let mut z: Option<(Multigrid<'_>, Vec<f64>)> = None;
    let mut square = system.dot(&r, &r);
    let mut applications = 1;
    let mut plain = 0;
    while exceeds(&r) && system.goes_on(applications) {
        if plain == system.plain.get() {
            z = system.multigrid().map(|cycle| (cycle, vec![0.0; x.len()]));
            if let Some((cycle, z)) = &mut z {
                system.plain.set(0);
                plain = 0;
                cycle.cycle(&r, z);
                applications += CYCLE;
                square = system.dot(&r, z);
                p.copy_from_slice(z);
            }
        }
        plain += 1;
        system.apply(&p, &mut image);
        applications += 1;
        let curvature = system.dot(&p, &image);
        if curvature <= 0.0 || !curvature.is_finite() {
            break;
        }
        let step = square / curvature;
        vector::update_from(x, [&p], |x, [p]| x + step * p);
        vector::update_from(&mut r, [&image], |r, [image]| r - step * image);
        let direction = match &mut z {
            None => &r,
            Some((cycle, z)) => {
                cycle.cycle(&r, z);
                applications += CYCLE;
                &*z
            }
        };
        let next = system.dot(&r, direction);
        let turn = next / square;
        square = next;
        vector::update_from(&mut p, [direction], |p, [direction]| direction + turn * p);
    }
    applications
}

fn stabilised_biconjugate_gradients(
    system: &Masked,
    right: &[f64],
    x: &mut [f64],
    exceeds: impl Fn(&[f64]) -> bool,
) -> u64 {
    let n = x.len();
    let mut r = residual(system, right, x);
    let shadow = r.clone();
    let (mut p, mut v, mut t) = (r.clone(), vec![0.0; n], vec![0.0; n]);
    let mut rho = system.dot(&shadow, &r);
    let mut applications = 1;
    while exceeds(&r) && system.goes_on(applications) {
        system.apply(&p, &mut v);
        let alpha = rho / system.dot(&shadow, &v);
        vector::update_from(&mut r, [&v], |r, [v]| r - alpha * v);
        system.apply(&r, &mut t);
        applications += 2;
        let square = system.dot(&t, &t);
        let omega = if square > 0.0 { system.dot(&t, &r) / square } else { 0.0 };
        if !(alpha.is_finite() && omega.is_finite()) {
            break;
        }
        vector::update_from(x, [&p, &r], |x, [p, r]| x + alpha * p + omega * r);
        vector::update_from(&mut r, [&t], |r, [t]| r - omega * t);
        let next = system.dot(&shadow, &r);
        let beta = next / rho * alpha / omega;
        rho = next;
        if !beta.is_finite() {
            break;
        }
        vector::update_from(&mut p, [&r, &v], |p, [r, v]| r + beta * (p - omega * v));
    }
    applications
}
