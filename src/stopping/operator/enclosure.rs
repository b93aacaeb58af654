//! Two-sided bounds on J from any approximation of it.
//!
//! Let T be the Bellman operator, and `A = R(v)` and `B = psi + P v` the costs of its two actions
//! at an approximation v. T is monotone. Scaling v scales both costs, apart from the terms rho and
//! psi. So for any function `w >= 0` (0 on balanced states) with *defect* `q = w - P w`
//!
//! ```text
//! W = (1-t) v - w <= T(W)   if  t rho >= (1-t) (v - A) - (w - mean w)
//!                          and  t psi >= (1-t) (v - B) - q
//! U = (1+t) v + w >= T(U)   if  t rho >= (1+t) (A - v) - (w - mean w)
//!                           or  t psi >= (1+t) (B - v) - q
//! ```
//!
//! where the conditions must hold in every unbalanced state (the mean is 0 for `Stop`). Then `W <=
//! J <= U`: the iterates of T from W increase, and those from U decrease, to its only bounded fixed
//! point.
//!
//! With w = 0 one application of P proves both sides, and residuals are bounded by multiples of
//! psi. Close to balance psi is too small for that: savings are large there, and so are their
//! rounding errors. A w with q of the size of the residuals bounds them where they are, and adds
//! their sum along a path.

use super::sweep::{Rounding, Sweep};
use super::vector;
use super::vector::larger;
use crate::stopping::Problem;

/// A proof that `lower v - w <= J <= upper v + w` componentwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::stopping) struct Enclosure {
    pub lower: f64,
    pub upper: f64,
    /// The largest distance between the two bounds on J, relative to `max(1, R)`.
    pub gap: f64,
    /// The share of rounding alone in `lower` and `upper`.
    floor: f64,
}

/// A function w and a lower bound on its defect in every state.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::stopping) struct Weight {
    pub w: Vec<f64>,
    pub defect: Vec<f64>,
    /// An upper bound on the mean of w where R depends on it.
    pub mean: f64,
}

impl Enclosure {
    /// The enclosure that `saving` and its sweep prove with w = 0, for a positive remap cost. A
    /// side without a proof is 0 or infinite.
    pub fn new(problem: &Problem, saving: &[f64], sweep: &Sweep) -> Self {
        Self::prove(problem, saving, sweep, None)
    }

    /// The same with a function w.
    pub fn prove(
        problem: &Problem,
        saving: &[f64],
        sweep: &Sweep,
        weight: Option<&Weight>,
    ) -> Self {
        let (rho, running) = (problem.remap_cost, problem.running());
        let (base, stop, rounding) = (sweep.base, sweep.stop, sweep.rounding);
        let mean = weight.map_or(0.0, |weight| weight.mean);
        let shares = Shares { base, stop, rho, mean, rounding };
        let gain = &sweep.gain[..];
        let own = match weight {
            None => {
                let at = move |[d, psi, gain]: [f64; 3]| shares.at([d, psi, gain, 0.0, 0.0]);
                vector::maxima_of([saving, running, gain], at)
            }
            Some(Weight { w, defect, .. }) => {
                vector::maxima_of([saving, running, gain, w, defect], move |state| shares.at(state))
            }
        };
        let [down, up, largest, floor, added] = problem.largest(own);
        // Twice epsilon for the divisions and subtractions here.
        let lower = (1.0 - down * (1.0 + 8.0 * f64::EPSILON) - 2.0 * f64::EPSILON).max(0.0);
        let upper = 1.0 + up * (1.0 + 8.0 * f64::EPSILON) + 2.0 * f64::EPSILON;
        // With a w, `share_below` requires t <= 1/2 and `share_above` requires t <= 1.
        let lower = if weight.is_some() && lower < 0.5 { 0.0 } else { lower };
        let upper = if weight.is_some() && upper > 2.0 { f64::INFINITY } else { upper };
        let gap = ((upper - lower) * largest + added) / sweep.remap.max(1.0);
        Self { lower, upper, gap, floor }
    }

    /// Whether rounding is such a large part of the distance between the bounds that more
    /// iterations cannot help.
    pub fn at_floor(&self) -> bool {
        self.upper - self.lower <= 3.0 * self.floor
    }
}

/// Quantities that are the same for all states.
#[derive(Clone, Copy)]
struct Shares {
    base: f64,
    stop: f64,
    rho: f64,
    mean: f64,
    rounding: Rounding,
}

impl Shares {
    /// For a state with these d, psi, gain, w and q: lower bounds on t for both sides, the distance
    /// from the base, the share of rounding in t, and 2 w. Written without branches, so that it
    /// vectorizes.
    #[inline(always)]
    fn at(&self, [d, psi, gain, w, q]: [f64; 5]) -> [f64; 5] {
        let Self { base, stop, rho, mean, rounding } = self;
        let over = (w - mean) - 2.0 * f64::EPSILON * mean;
        let slack = rounding.slack(psi, gain);
        let goes_on = share_below(gain - d + slack, psi, q);
        let down = larger(goes_on, share_below(stop - d + rounding.stop, *rho, over));
        let goes_on = share_above(d - gain + slack, psi, q);
        let stops = share_above(d - stop + rounding.stop, *rho, over);
        let up = if stops < goes_on { stops } else { goes_on };
        // Where the policy continues the saving is the gain, and both are rounded.
        let (rounded, coin) = if gain > *stop {
            (slack + f64::EPSILON * d.abs() - q, psi)
        } else {
            (rounding.stop - over, *rho)
        };
        // If a part overflows, the comparisons above are meaningless.
        let finite = |x: f64| x.abs() < f64::INFINITY;
        let known = finite(d) & finite(gain) & finite(slack) & finite(w) & finite(q);
        let known = known & finite(over) & finite(*stop) & finite(rounding.stop);
        let all = [down, up, base - d, rounded / coin, 2.0 * w];
        all.map(|x| {
            let x = if known { x } else { f64::INFINITY };
            if psi == 0.0 { 0.0 } else { x }
        })
    }
}

/// A t from which on `t coin >= (1-t) residual - paid`: at most 1/2, or at most 1 if `paid` is 0;
/// at most 0 if `residual` is 0.
#[inline(always)]
pub(in crate::stopping) fn share_below(residual: f64, coin: f64, paid: f64) -> f64 {
    let positive = residual >= 0.0;
    let share = if positive { residual - paid } else { 0.5 * residual - paid };
    share / if positive { coin + residual } else { coin }
}

/// The least t from which on `t coin >= (1+t) residual - paid`, up to 1 if `paid` is positive.
#[inline(always)]
pub(in crate::stopping) fn share_above(residual: f64, coin: f64, paid: f64) -> f64 {
    // At t = 0 `paid` suffices. A larger t requires more only if the residual exceeds the coin; if
    // `paid` suffices at t = 1 too, it suffices in between.
    let covered = residual <= paid;
    let share = (residual - paid) / (coin - larger(residual, 0.0));
    let beyond = residual <= coin || 2.0 * residual - paid <= coin;
    let possible = if covered { beyond } else { residual < coin };
    let share = if covered { 0.0 } else { share };
    if possible { share } else { f64::INFINITY }
}
