//! A multigrid V-cycle as preconditioner for `(I - P) x = b` on the states that continue.
//!
//! One step of the chain reduces smooth errors only slowly. On every other level, where a step
//! counts for four, it reduces them faster. A cycle takes a damped step, corrects by a cycle for
//! the residual on the coarser grid, and takes another step. Restriction is the adjoint of
//! interpolation in the reversing inner products of both grids. So the cycle is self-adjoint and
//! positive definite, as conjugate gradients require `[Briggs, Henson & McCormick 2000, A Multigrid
//! Tutorial]`.
//!
//! A cycle costs about three applications of P on the finest grid; memory O(states).

use super::coarser::{STEPS, Transfer};
use crate::stopping::operator::substochastic::Killed;
use crate::stopping::{Problem, operator::vector};
use nalgebra::{DMatrix, DVectorView};

/// The cycle for one continuation set. Functions are packed on the states that continue.
pub(in crate::stopping) struct Multigrid<'a> {
    levels: Vec<Level<'a>>,
    /// The inverse of `I - P` on the coarsest grid.
    inverse: DMatrix<f64>,
}

/// Cost of a cycle in applications of P.
pub(in crate::stopping) const CYCLE: u64 = 3;

/// Most states of the coarsest grid: an inverse takes cubic time.
const MOST_COARSEST: usize = 300;

/// A grid with a coarser one below it.
struct Level<'a> {
    /// Damping of a step.
    damping: f64,
    weights: Vec<f64>,
    residual: Vec<f64>,
    transfer: Transfer,
    coarser: Killed<'a>,
    /// Factor from a weighted residual to a right-hand side of the coarser grid.
    scale: Vec<f64>,
    right: Vec<f64>,
    correction: Vec<f64>,
}

/// Reversing weights of the grids from the finest on, scaled to the same sum, up to the first grid
/// without weights.
pub(in crate::stopping) fn weights(problem: &Problem) -> Option<Vec<Vec<f64>>> {
    let mut all = vec![problem.operator.reversing_weights()?];
    let total = |w: &Vec<f64>| vector::sum_of([w], |[w]| w);
    let whole = total(&all[0]);
    let grids =
        std::iter::successors(problem.coarser.as_ref(), |grid| grid.problem.coarser.as_ref());
    for grid in grids {
        let Some(mut next) = grid.problem.operator.reversing_weights() else {
            break;
        };
        let scale = whole / total(&next);
        vector::update_from(&mut next, [], move |w, []| w * scale);
        all.push(next);
    }
    Some(all)
}

impl<'a> Multigrid<'a> {
    /// The cycle on the states of `problem` that continue; `finest` is its chain and `weights` are
    /// the [`weights`] of its grids. `None` without a coarser grid, or if the coarsest system is
    /// singular or large. Grids end early where the next one would have no balanced state.
    pub fn new(
        problem: &'a Problem,
        weights: &[Vec<f64>],
        continues: &[bool],
        finest: &Killed<'_>,
    ) -> Option<Self> {
        let mut levels: Vec<Level<'a>> = Vec::new();
        let mut going_on = continues.to_vec();
        let (mut problem, mut weights) = (problem, weights);
        while let (Some(grid), [own, below, ..]) = (&problem.coarser, weights) {
            going_on = grid.restrict(&going_on);
            let fine = levels.last().map_or(finest, |level| &level.coarser);
            let coarser = Killed::new(&grid.problem, &going_on);
            let mut scale = coarser.pack(below);
            vector::update(&mut scale, |_, w| STEPS / w);
            let level = Level {
                damping: grid.damping,
                weights: fine.pack(own),
                residual: vec![0.0; fine.count()],
                transfer: grid.transfer(fine, &coarser),
                right: vec![0.0; scale.len()],
                correction: vec![0.0; scale.len()],
                coarser,
                scale,
            };
            levels.push(level);
            (problem, weights) = (&grid.problem, &weights[1..]);
        }
        let coarsest = &mut levels.last_mut()?.coarser;
        if coarsest.count() > MOST_COARSEST {
            return None;
        }
        let matrix = coarsest.matrix();
        let inverse = if matrix.is_empty() { matrix } else { matrix.try_inverse()? };
        Some(Self { levels, inverse })
    }

    /// Sets `out` to an approximate solution for the right-hand side `r` on the finest grid.
    pub fn cycle(&mut self, finest: &mut Killed<'_>, r: &[f64], out: &mut [f64]) {
        cycle(finest, &mut self.levels, &self.inverse, r, out);
    }
}

fn cycle(
    chain: &mut Killed<'_>,
    levels: &mut [Level<'_>],
    inverse: &DMatrix<f64>,
    r: &[f64],
    out: &mut [f64],
) {
    let Some((level, rest)) = levels.split_first_mut() else {
        let product = inverse * DVectorView::from_slice(r, r.len());
        out.copy_from_slice(product.as_slice());
        return;
    };
    let Level { damping, weights, residual, transfer, coarser, scale, right, correction } = level;
    let damping = *damping;
    // A damped step from 0.
    vector::update_from(out, [r], move |_, [r]| damping * r);
    chain.apply(out, residual);
    vector::update_from(residual, [weights, r], |image, [w, r]| w * (r - image));
    transfer.adjoint(residual, right);
    vector::update_from(right, [scale], |x, [scale]| scale * x);
    cycle(coarser, rest, inverse, right, correction);
    transfer.interpolate(correction, out);
    chain.apply(out, residual);
    vector::update_from(out, [r, residual], move |x, [r, image]| x + damping * (r - image));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{BirthDeath, Edge};
    use crate::imbalance::{Imbalance, RunningCost};
    use crate::stopping::tests::equal;
    use crate::stopping::{AfterRemap, Process, ProcessChain, Settings, States, solve};
    use crate::{Rational, Status};

    /// Walks of equal lengths with these probabilities of up and down.
    fn problem(moves: &[[f64; 2]], levels: usize, rho: f64) -> Problem {
        let walk = |[up, down]: &[f64; 2]| {
            let chain = BirthDeath::walk(levels, *up, *down, Edge::Reflect).unwrap();
            ProcessChain::BirthDeath(chain)
        };
        equal(moves.iter().map(walk).collect(), true, rho, AfterRemap::Stop).1
    }

    #[test]
    fn the_cycle_is_self_adjoint_and_positive_definite() {
        for (count, levels, moves) in
            [(2, 20, [0.25, 0.25]), (2, 13, [0.5, 0.5]), (3, 9, [0.3, 0.2])]
        {
            let problem = problem(&vec![moves; count], levels, 9.0);
            let weights = weights(&problem).unwrap();
            let continues: Vec<bool> =
                problem.running().iter().map(|psi| *psi > 0.0 && *psi < 5.0).collect();
            let mut chain = Killed::new(&problem, &continues);
            let mut cycle = Multigrid::new(&problem, &weights, &continues, &chain).unwrap();
            let mut image = |k: f64| {
                let wave: Vec<f64> = chain.states().map(|s| (k * s as f64).sin()).collect();
                let mut out = vec![0.0; wave.len()];
                cycle.cycle(&mut chain, &wave, &mut out);
                (wave, out)
            };
            let ((a, image_a), (b, image_b)) = (image(1.0), image(2.5));
            let w = chain.pack(&weights[0]);
            let dot = |x: &[f64], y: &[f64]| (0..w.len()).map(|s| w[s] * x[s] * y[s]).sum::<f64>();
            let (ab, ba) = (dot(&a, &image_b), dot(&b, &image_a));
            let scale = (dot(&a, &image_a) * dot(&b, &image_b)).sqrt();
            assert!(dot(&a, &image_a) > 0.0 && dot(&b, &image_b) > 0.0);
            assert!((ab - ba).abs() <= 1e-12 * scale, "{ab} {ba}");
        }
    }

    #[test]
    fn walks_that_drift_have_cycles_too() {
        for [up, down] in [[0.24, 0.25], [0.23, 0.25]] {
            let problem = problem(&[[up, down], [down, down]], 200, 2e4);
            let (mut grids, mut coarsest) = (1, &problem);
            while let Some(grid) = &coarsest.coarser {
                (grids, coarsest) = (grids + 1, &grid.problem);
            }
            assert!(grids > 4 && weights(&problem).unwrap().len() == grids, "{up} {down}");
            let solution = solve(&problem, &Settings::default(), &());
            assert_eq!(solution.status, Status::Converged);
            // Without cycles the first one takes 445 applications.
            assert!(up < 0.24 || solution.iterations < 200, "{}", solution.iterations);
        }
    }

    #[test]
    fn there_is_no_cycle_on_a_coarsest_grid_that_is_large() {
        let chain = BirthDeath::walk(90, 0.25, 0.25, Edge::Hold).unwrap();
        // Loads in the proportion 1 : 3 balance at levels that the coarser grid lacks.
        let process = Process { lowest: 1, chain: ProcessChain::BirthDeath(chain) };
        let (states, operator) =
            States::independent(&[process.clone(), process], |_, _| false).unwrap();
        let capacities = [Rational::ONE, Rational::from(3)];
        let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &capacities, 100).unwrap();
        let problem = Problem::new(&states, operator, &imbalance, 1e4, AfterRemap::Stop).unwrap();
        assert!(problem.coarser.as_ref().is_some_and(|grid| grid.problem.coarser.is_none()));
        let continues: Vec<bool> = problem.running().iter().map(|psi| *psi > 0.0).collect();
        let chain = Killed::new(&problem, &continues);
        let weights = weights(&problem).unwrap();
        assert!(Multigrid::new(&problem, &weights, &continues, &chain).is_none());
    }
}
