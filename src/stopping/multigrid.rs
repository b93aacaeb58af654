//! A multigrid cycle as preconditioner for `(I - P) x = b` on the states that continue.
//!
//! Errors that neighbouring levels share hardly shrink in one step of the chain; on every other level,
//! where a step stands for four, they do. One cycle takes a damped step, corrects by a cycle for the
//! residual on the coarser grid, and takes another step. Restriction is the adjoint of interpolation
//! in the reversing inner products of both grids, so the cycle is self-adjoint and positive definite and
//! conjugate gradients may use it `[Briggs, Henson & McCormick 2000, A Multigrid Tutorial]`.

use super::coarser::{Coarser, STEPS};
use super::{Problem, vector};
use nalgebra::DMatrix;

/// The cycle for one continuation set.
pub(super) struct Multigrid<'a> {
    levels: Vec<Level<'a>>,
    /// States that continue on the coarsest grid, and the inverse of `I - P` there.
    members: Vec<usize>,
    inverse: DMatrix<f64>,
}

/// One grid that has a coarser one.
struct Level<'a> {
    problem: &'a Problem,
    coarser: &'a Coarser,
    /// 1 where one continues, 0 elsewhere.
    continues: Vec<f64>,
    /// Reversing weights here and what makes a residual of those on the coarser grid, of the same sum.
    weights: &'a [f64],
    below: Vec<f64>,
    residual: Vec<f64>,
}

/// Reversing weights of the grids of a problem from the finest on, of the same sum; none where some
/// grid has none or there is only one.
pub(super) fn weights(problem: &Problem) -> Option<Vec<Vec<f64>>> {
    let mut all = vec![problem.operator.reversing_weights()?];
    let mut problem = problem;
    let total = |w: &[f64]| vector::sum(w.len(), |s| w[s]);
    let whole = total(&all[0]);
    while let Some(coarser) = &problem.coarser {
        problem = &coarser.problem;
        let mut next = problem.operator.reversing_weights()?;
        let scale = whole / total(&next);
        vector::update(&mut next, |_, w| w * scale);
        all.push(next);
    }
    (all.len() > 1).then_some(all)
}

impl<'a> Multigrid<'a> {
    /// The cycle on these states of `problem`, with the [`weights`] of its grids. `None` if the coarsest
    /// system is singular.
    pub fn new(problem: &'a Problem, weights: &'a [Vec<f64>], continues: &[bool]) -> Option<Self> {
        let mut levels = Vec::new();
        let mut problem = problem;
        let mut going_on = continues.to_vec();
        let mut weights = weights;
        while let (Some(coarser), [own, below, ..]) = (&problem.coarser, weights) {
            let next = coarser.restrict(&going_on);
            let residual = vec![0.0; going_on.len()];
            let scale = |(goes_on, w): (&bool, &f64)| if *goes_on { STEPS / w } else { 0.0 };
            let below = next.iter().zip(below).map(scale).collect();
            let mark = |goes_on: &bool| f64::from(u8::from(*goes_on));
            let continues = going_on.iter().map(mark).collect();
            levels.push(Level { problem, coarser, continues, weights: own, below, residual });
            (problem, weights) = (&coarser.problem, &weights[1..]);
            going_on = next;
        }
        let n = going_on.len();
        let members: Vec<usize> = (0..n).filter(|&s| going_on[s]).collect();
        let mut matrix = DMatrix::identity(members.len(), members.len());
        let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
        for (j, &t) in members.iter().enumerate() {
            unit[t] = 1.0;
            problem.operator.apply_into(&unit, &mut column);
            unit[t] = 0.0;
            for (i, &s) in members.iter().enumerate() {
                matrix[(i, j)] -= column[s];
            }
        }
        let inverse = if members.is_empty() { matrix } else { matrix.try_inverse()? };
        Some(Self { levels, members, inverse })
    }

    /// `out` is about the solution for the right side `r`; both are 0 where one stops.
    pub fn cycle(&mut self, r: &[f64], out: &mut [f64]) {
        let Self { levels, members, inverse } = self;
        cycle(levels, members, inverse, r, out);
    }
}

fn cycle(
    levels: &mut [Level<'_>],
    members: &[usize],
    inverse: &DMatrix<f64>,
    r: &[f64],
    out: &mut [f64],
) {
    let Some((level, coarser)) = levels.split_first_mut() else {
        out.fill(0.0);
        for (i, &s) in members.iter().enumerate() {
            out[s] = members.iter().enumerate().map(|(j, &t)| inverse[(i, j)] * r[t]).sum();
        }
        return;
    };
    let Level { problem, coarser: grid, continues, weights, below, residual } = level;
    let damping = grid.damping;
    // A step from 0.
    vector::update_from(out, [r], |_, [r]| damping * r);
    problem.operator.apply_into(out, residual);
    vector::update_from(residual, [continues, weights, r, out], |image, [on, w, r, x]| {
        on * w * (r - x + image)
    });
    let mut right = grid.adjoint(residual);
    vector::update_from(&mut right, [below], |x, [scale]| scale * x);
    let mut correction = vec![0.0; right.len()];
    cycle(coarser, members, inverse, &right, &mut correction);
    let correction = grid.interpolate(&correction);
    vector::update_from(out, [continues, &correction], |x, [on, correction]| x + on * correction);
    problem.operator.apply_into(out, residual);
    vector::update_from(out, [continues, r, residual], |x, [on, r, image]| {
        x + on * damping * (r - x + image)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rational;
    use crate::chain::{BirthDeath, Edge};
    use crate::imbalance::{Imbalance, RunningCost};
    use crate::stopping::{AfterRemap, Process, ProcessChain, States};

    #[test]
    fn the_cycle_is_self_adjoint_and_positive_definite() {
        for (count, levels, up, down) in [(2, 20, 0.25, 0.25), (2, 13, 0.5, 0.5), (3, 9, 0.3, 0.2)]
        {
            let chain = BirthDeath::walk(levels, up, down, Edge::Reflect).unwrap();
            let process = Process { lowest: 0, chain: ProcessChain::BirthDeath(chain) };
            let (states, operator) =
                States::independent(&vec![process; count], |_, _| true).unwrap();
            let ones = vec![Rational::ONE; count];
            let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &ones, 100).unwrap();
            let problem =
                Problem::new(&states, operator, &imbalance, 9.0, AfterRemap::Stop).unwrap();
            let weights = weights(&problem).unwrap();
            let continues: Vec<bool> =
                problem.running().iter().map(|psi| *psi > 0.0 && *psi < 5.0).collect();
            let mut cycle = Multigrid::new(&problem, &weights, &continues).unwrap();
            let mut image = |k: f64| {
                let wave = |s: usize| if continues[s] { (k * s as f64).sin() } else { 0.0 };
                let wave: Vec<f64> = (0..continues.len()).map(wave).collect();
                let mut out = vec![0.0; wave.len()];
                cycle.cycle(&wave, &mut out);
                (wave, out)
            };
            let ((a, image_a), (b, image_b)) = (image(1.0), image(2.5));
            let w = &weights[0];
            let dot = |x: &[f64], y: &[f64]| (0..w.len()).map(|s| w[s] * x[s] * y[s]).sum::<f64>();
            let (ab, ba) = (dot(&a, &image_b), dot(&b, &image_a));
            let scale = (dot(&a, &image_a) * dot(&b, &image_b)).sqrt();
            assert!(dot(&a, &image_a) > 0.0 && dot(&b, &image_b) > 0.0);
            assert!((ab - ba).abs() <= 1e-12 * scale, "{ab} {ba}");
        }
    }
}
