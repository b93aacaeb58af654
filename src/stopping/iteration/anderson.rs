//! Value iteration with Anderson acceleration `[Walker & Ni 2011, SIAM J. Numer. Anal. 49(4)]`: the
//! next iterate is the affine combination of the last few sweeps with the smallest residual.
//!
//! Where the operator has kinks the acceleration may cycle. So if the bound has not improved for a
//! while, plain sweeps follow, twice as many each time: they converge from every start. A sweep
//! takes one application of P plus O(depth x states); memory O(depth x states).

use crate::stopping::operator::sweep::Sweep;
use crate::stopping::{AfterRemap, Approximation, Enclosure, Problem, Settings, operator::vector};
use crate::{Observer, Status};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;

/// Number of differences that are combined.
const DEPTH: usize = 8;

/// Iterations without a better bound after which plain sweeps follow.
const WITHOUT_PROGRESS: u64 = 3 * DEPTH as u64;

/// Plain sweeps without a better bound after which rounding limits the bound.
const FLOOR: u64 = 5000;

/// A sweep and its residual, or a difference of two.
struct Step {
    sweep: Vec<f64>,
    residual: Vec<f64>,
}

pub(in crate::stopping) fn solve(
    problem: &Problem,
    settings: &Settings,
    observer: &dyn Observer,
    start: Approximation,
) -> Approximation {
    let n = problem.states();
    let Approximation { base, saving: mut v, mut iterations, .. } = start;
    let mut sweep = Sweep::new(problem);
    let mut image = vec![0.0; n];
    let mut window = Window::default();
    let mut last: Option<Step> = None;
    let mut best = (f64::INFINITY, v.clone());
    let mut worse = 0;
    let mut plain = (0, DEPTH as u64);
    let status = loop {
        sweep.run(problem, base, &v);
        iterations += 1;
        let enclosure = Enclosure::new(problem, &v, &sweep);
        let gap = enclosure.gap;
        if gap < best.0 {
            best.0 = gap;
            best.1.copy_from_slice(&v);
            worse = 0;
        } else {
            worse += 1;
        }
        if gap <= settings.tolerance {
            break Status::Converged;
        }
        if iterations >= settings.iterations || worse >= FLOOR || enclosure.at_floor() {
            break Status::IterationLimit;
        }
        if worse > 0 && worse % WITHOUT_PROGRESS == 0 && plain.0 == 0 {
            plain = (plain.1, 2 * plain.1);
            window = Window::default();
            last = None;
            v.copy_from_slice(&best.1);
            continue;
        }
        if let ControlFlow::Break(halt) = observer.progress(iterations, settings.iterations) {
            break halt.into();
        }
        // The plain sweep and the residual, written over v.
        let least = match problem.after {
            AfterRemap::Stop => 0.0,
            AfterRemap::Uniform => f64::NEG_INFINITY,
        };
        sweep.take(problem, &mut image);
        if plain.0 > 0 {
            plain.0 -= 1;
            std::mem::swap(&mut v, &mut image);
            continue;
        }
        vector::update(&mut v, |s, v| image[s] - v);
        let current = Step { sweep: image, residual: v };
        let (next, spare) = window.extrapolate(last.take(), &current, least, base);
        last = Some(current);
        (v, image) = (next, spare);
    };
    Approximation { base, saving: best.1, iterations, status }
}

/// The differences of the last sweeps and the inner products of their residuals.
#[derive(Default)]
struct Window {
    differences: Vec<Step>,
    gram: Vec<Vec<f64>>,
}

impl Window {
    /// Adds the step from `last` to `current`. Returns the extrapolated next iterate, and a spare
    /// vector.
    fn extrapolate(
        &mut self,
        last: Option<Step>,
        current: &Step,
        least: f64,
        most: f64,
    ) -> (Vec<f64>, Vec<f64>) {
        let n = current.sweep.len();
        let dot = |a: &[f64], b: &[f64]| vector::sum_of([a, b], |[a, b]| a * b);
        let mut spare = None;
        if let Some(mut step) = last {
            vector::update(&mut step.sweep, |s, old| current.sweep[s] - old);
            vector::update(&mut step.residual, |s, old| current.residual[s] - old);
            if self.differences.len() == DEPTH {
                let oldest = self.differences.remove(0);
                spare = Some((oldest.sweep, oldest.residual));
                self.gram.remove(0);
                self.gram.iter_mut().for_each(|row| {
                    row.remove(0);
                });
            }
            self.differences.push(step);
            let newest = &self.differences[self.differences.len() - 1].residual;
            let products = self.differences.iter().map(|d| dot(&d.residual, newest));
            let products: Vec<f64> = products.collect();
            self.gram.iter_mut().zip(&products).for_each(|(row, product)| row.push(*product));
            self.gram.push(products);
        }
        let (mut next, spare) = spare.unwrap_or_else(|| (vec![0.0; n], vec![0.0; n]));
        let right: Vec<f64> =
            self.differences.iter().map(|d| dot(&d.residual, &current.residual)).collect();
        let weights = least_squares(&self.gram, &right).unwrap_or_else(|| {
            self.differences.clear();
            self.gram.clear();
            Vec::new()
        });
        vector::update(&mut next, |s, _| {
            let terms = self.differences.iter().zip(&weights);
            let correction: f64 = terms.map(|(d, weight)| weight * d.sweep[s]).sum();
            (current.sweep[s] - correction).clamp(least, most)
        });
        (next, spare)
    }
}

/// The weights g that minimize `|residual - sum of g_k difference_k|`, from the inner products of
/// the differences with each other and with the residual.
fn least_squares(gram: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let m = right.len();
    let norms: Vec<f64> = (0..m).map(|i| gram[i][i].sqrt()).collect();
    if norms.contains(&0.0) {
        return None;
    }
    // Scaled to a unit diagonal, which is raised slightly to keep the matrix positive definite.
    let scaled = DMatrix::from_fn(m, m, |i, j| {
        gram[i][j] / (norms[i] * norms[j]) + if i == j { 1e-14 } else { 0.0 }
    });
    let right = DVector::from_fn(m, |i, _| right[i] / norms[i]);
    let weights = scaled.cholesky()?.solve(&right);
    let weights: Vec<f64> = weights.iter().zip(norms).map(|(w, norm)| w / norm).collect();
    weights.iter().all(|w| w.is_finite()).then_some(weights)
}
