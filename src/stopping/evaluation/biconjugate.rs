//! Stabilized biconjugate gradients with a preconditioner on the right (van der Vorst 1992, SIAM J.
//! Sci. Stat. Comput. 13(2)).

use crate::stopping::operator::vector;
use std::borrow::Cow;

/// A linear operator with a preconditioner.
pub(super) trait System {
    /// Writes the image of x to `out`.
    fn apply(&mut self, x: &[f64], out: &mut [f64]);

    /// An approximate solution for the right-hand side `r`.
    fn precondition<'r>(&mut self, r: &'r [f64]) -> Cow<'r, [f64]>;
}

/// How an iteration continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Step,
    /// From the residual, after a change of the preconditioner.
    Restart,
    Stop,
}

/// Improves `x`, which has the residual `r`. `next` decides from both, before the first step and
/// after each, how to continue. Ends too where a coefficient is not finite.
pub(super) fn solve<S: System>(
    system: &mut S,
    mut r: Vec<f64>,
    x: &mut [f64],
    mut next: impl FnMut(&mut S, &[f64], &[f64]) -> Next,
) {
    let dot = |a: &[f64], b: &[f64]| vector::sum_of([a, b], |[a, b]| a * b);
    let shadow = r.clone();
    let (mut p, mut v, mut t) = (r.clone(), vec![0.0; r.len()], vec![0.0; r.len()]);
    let mut rho = dot(&shadow, &r);
    if next(system, x, &r) == Next::Stop {
        return;
    }
    loop {
        let ahead = system.precondition(&p);
        system.apply(&ahead, &mut v);
        let alpha = rho / dot(&shadow, &v);
        vector::update_from(&mut r, [&v], move |r, [v]| r - alpha * v);
        let further = system.precondition(&r);
        system.apply(&further, &mut t);
        let square = dot(&t, &t);
        let omega = if square > 0.0 { dot(&t, &r) / square } else { 0.0 };
        if !(alpha.is_finite() && omega.is_finite()) {
            return;
        }
        vector::update_from(x, [&ahead, &further], move |x, [p, r]| x + alpha * p + omega * r);
        vector::update_from(&mut r, [&t], move |r, [t]| r - omega * t);
        let decision = next(system, x, &r);
        let turned = dot(&shadow, &r);
        let beta = turned / rho * alpha / omega;
        rho = turned;
        match decision {
            Next::Step if beta.is_finite() => {
                vector::update_from(&mut p, [&r, &v], move |p, [r, v]| r + beta * (p - omega * v));
            }
            Next::Restart if beta.is_finite() => p.clone_from(&r),
            _ => return,
        }
    }
}
