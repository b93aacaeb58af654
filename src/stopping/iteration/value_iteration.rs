//! Value iteration from below and from above.
//!
//! With T the Bellman operator the iterates T^k 0 increase to J and those from R decrease to it, so
//! both are bounds on J. Each sweep is rounded away from J, so this holds in floating point too.
//! The iteration ends when they meet within the tolerance. A lower bound on J is an upper bound on
//! the saving. Two applications of P per iteration, O(states) memory.

use crate::communicator::Standing;
use crate::stopping::operator::sweep::{self, Sweep};
use crate::stopping::{
    AfterRemap, Approximation, Enclosure, Problem, Settings, operator::vector, state_space::sharing,
};
use crate::{Observer, Status};
use std::ops::ControlFlow;

pub(in crate::stopping) fn solve(
    problem: &Problem,
    settings: &Settings,
    observer: &dyn Observer,
) -> Approximation {
    let n = problem.states();
    let base = start_above(problem);
    let mut most = vec![base; n];
    let mut least = start(problem, base);
    let mut sweep = Sweep::new(problem);
    let (mut iterations, mut next_check) = (0, 0);
    let earlier = sharing::resume(&problem.shared).unwrap_or_default();
    if let ([done, check], [above, below]) = (&earlier.words[..], &earlier.vectors[..]) {
        (iterations, next_check) = (*done, *check);
        most.copy_from_slice(above);
        least.copy_from_slice(below);
    }
    drop(earlier);
    let mut excess = problem.largest([sweep::excess(&most), sweep::excess(&least)]);
    let status = loop {
        let [above, _] = sweep.close(problem, base, (&mut most, 1.0, excess[0]), None);
        let side = (&mut least, -1.0, excess[1]);
        let [below, width] = sweep.close(problem, base, side, Some(&most));
        let remap = sweep.remap;
        iterations += 2;
        let [above, below, width] = problem.largest([above, below, width]);
        excess = [above, below];
        // The reported bounds are proved from the residuals of the midpoint.
        if width <= settings.tolerance * remap.max(1.0) && iterations >= next_check {
            next_check = iterations + iterations / 32;
            let mut middle = least.clone();
            vector::update_from(&mut middle, [&most], |low, [most]| low + (most - low) / 2.0);
            sweep.run(problem, base, &middle);
            iterations += 1;
            let enclosure = Enclosure::new(problem, &middle, &sweep);
            if enclosure.gap <= settings.tolerance {
                break Status::Converged;
            }
            if enclosure.at_floor() {
                break Status::IterationLimit;
            }
        }
        if iterations >= settings.iterations {
            break Status::IterationLimit;
        }
        let halt = observer.progress(iterations, settings.iterations);
        let standing = || Standing {
            words: vec![iterations, next_check],
            vectors: vec![most[..].into(), least[..].into()],
        };
        sharing::save(&problem.shared, &standing, halt.is_break());
        if let ControlFlow::Break(halt) = halt {
            break halt.into();
        }
    };
    vector::update_from(&mut least, [&most], |low, [most]| low + (most - low) / 2.0);
    Approximation { base, saving: least, iterations, status }
}

/// The savings of stopping everywhere, if that costs `base`.
pub(in crate::stopping) fn start(problem: &Problem, base: f64) -> Vec<f64> {
    problem.running.iter().map(|&psi| if psi == 0.0 { base } else { 0.0 }).collect()
}

/// The cost of stopping everywhere: rho, or for `Uniform` slightly more than its exact value.
pub(in crate::stopping) fn start_above(problem: &Problem) -> f64 {
    match problem.after {
        AfterRemap::Stop => problem.remap_cost,
        AfterRemap::Uniform => {
            // V = rho + V * (fraction of unbalanced vectors).
            problem.remap_cost / problem.mean(&start(problem, 1.0)) * (1.0 + 1e-12)
        }
    }
}
