//! Value iteration from below and from above at once.
//!
//! The iterates from 0 increase, those from R decrease, and both stay bounds on J; each sweep is
//! rounded away from J, so this holds in floating point too. They end when they have met to within
//! the tolerance.

use super::sweep::Sweep;
use super::{AfterRemap, Approximation, Enclosure, Problem, Settings, vector};
use crate::{Observer, Status};
use std::ops::ControlFlow;

pub(super) fn solve(
    problem: &Problem,
    settings: &Settings,
    observer: &dyn Observer,
) -> Approximation {
    let n = problem.states();
    let mut lower = vec![0.0; n];
    let mut upper = start_above(problem);
    let mut sweep = Sweep::new(problem);
    let mut iterations = 0;
    let mut next_check = 0;
    let status = loop {
        for (v, side) in [(&mut lower, -1.0), (&mut upper, 1.0)] {
            sweep.run(problem, v);
            let rounding = sweep.rounding();
            let remap = sweep.remap * (1.0 + side * (problem.remap_rounding() + f64::EPSILON));
            vector::update(v, |s, old| {
                let (psi, go) = (problem.running[s], sweep.go[s]);
                if psi == 0.0 {
                    return 0.0;
                }
                let new = remap.min(go + side * rounding.slack(psi, go));
                // The side it comes from is a bound already.
                if side < 0.0 { new.max(old) } else { new.min(old) }
            });
        }
        iterations += 2;
        let [width] = vector::maxima(n, |s| [upper[s] - lower[s]]);
        let scale = problem.remap_value(&upper).max(1.0);
        // The bounds that will be reported rest on the residuals of the middle.
        if width <= settings.tolerance * scale && iterations >= next_check {
            next_check = iterations + iterations / 32;
            let mut middle = lower.clone();
            vector::update(&mut middle, |s, low| low + (upper[s] - low) / 2.0);
            sweep.run(problem, &middle);
            iterations += 1;
            let enclosure = Enclosure::new(problem, &middle, &sweep);
            if enclosure.gap() <= settings.tolerance {
                break Status::Converged;
            }
            if enclosure.at_floor() {
                break Status::IterationLimit;
            }
        }
        if iterations >= settings.iterations {
            break Status::IterationLimit;
        }
        if let ControlFlow::Break(halt) = observer.progress(iterations, settings.iterations) {
            break halt.into();
        }
    };
    vector::update(&mut lower, |s, low| low + (upper[s] - low) / 2.0);
    Approximation { value: lower, iterations, status }
}

/// A supersolution: rho everywhere, or for `Uniform` what never continuing costs.
pub(super) fn start_above(problem: &Problem) -> Vec<f64> {
    let unbalanced = |value: f64| {
        let all = problem.running.iter();
        all.map(|&psi| if psi == 0.0 { 0.0 } else { value }).collect::<Vec<f64>>()
    };
    match problem.after {
        AfterRemap::Stop => unbalanced(problem.remap_cost),
        AfterRemap::Uniform => {
            // V = rho + V * (share of unbalanced vectors).
            let share = problem.mean(&unbalanced(1.0));
            unbalanced(problem.remap_cost / (1.0 - share) * (1.0 + 1e-12))
        }
    }
}
