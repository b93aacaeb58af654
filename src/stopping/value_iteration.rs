//! Value iteration from below and from above at once.
//!
//! The iterates from 0 increase, those from R decrease, and both stay bounds on J; each sweep is
//! rounded away from J, so this holds in floating point too. They end when they have met to within
//! the tolerance. A bound on J from below is one on the saving from above.

use super::sweep::{self, Sweep};
use super::{AfterRemap, Approximation, Enclosure, Problem, Settings, vector};
use crate::{Observer, Status};
use std::ops::ControlFlow;

pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    observer: &dyn Observer,
) -> Approximation {
    let n = problem.states();
    let base = start_above(problem);
    let mut most = vec![base; n];
    let mut least = start(problem, base);
    let mut sweep = Sweep::new(problem);
    let (mut iterations, mut next_check) =
        resume(problem, [&mut most, &mut least]).unwrap_or((0, 0));
    let mut excess = problem.largest([sweep::excess(&most), sweep::excess(&least)]);
    let status = loop {
        let [above, _] = sweep.close(problem, base, (&mut most, 1.0, excess[0]), None);
        let side = (&mut least, -1.0, excess[1]);
        let [below, width] = sweep.close(problem, base, side, Some(&most));
        let remap = sweep.remap();
        iterations += 2;
        let [above, below, width] = problem.largest([above, below, width]);
        excess = [above, below];
        // The bounds that will be reported rest on the residuals of the middle.
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
        save(problem, (iterations, next_check), [&most, &least], halt.is_break());
        if let ControlFlow::Break(halt) = halt {
            break halt.into();
        }
    };
    vector::update_from(&mut least, [&most], |low, [most]| low + (most - low) / 2.0);
    Approximation { base, saving: least, iterations, status }
}

/// Takes up an earlier computation, if ranks have kept one.
fn resume(problem: &Problem, vectors: [&mut [f64]; 2]) -> Option<(u64, u64)> {
    let (communicator, shares) = problem.shared.as_ref()?;
    let [iterations, next_check] = communicator.resume(shares, vectors)?;
    Some((iterations, next_check))
}

fn save(
    problem: &Problem,
    (iterations, next_check): (u64, u64),
    vectors: [&[f64]; 2],
    is_last: bool,
) {
    if let Some((communicator, shares)) = &problem.shared {
        communicator.save(shares, [iterations, next_check], vectors, is_last);
    }
}

/// The savings of stopping everywhere when that costs `base`.
pub(super) fn start(problem: &Problem, base: f64) -> Vec<f64> {
    problem.running.iter().map(|&psi| if psi == 0.0 { base } else { 0.0 }).collect()
}

/// What stopping everywhere costs: rho, or for `Uniform` a little more than what it does.
pub(super) fn start_above(problem: &Problem) -> f64 {
    match problem.after {
        AfterRemap::Stop => problem.remap_cost,
        AfterRemap::Uniform => {
            // V = rho + V * (share of unbalanced vectors).
            problem.remap_cost / problem.mean(&start(problem, 1.0)) * (1.0 + 1e-12)
        }
    }
}
