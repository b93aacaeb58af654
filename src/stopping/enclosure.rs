//! Two-sided bounds on J from any approximation of it.
//!
//! Let `A = R(v)` and `B = psi + P v` be the two branches of the operator at an approximation v.
//! The operator is monotone and scaling its argument scales both branches up to rho and psi, so
//! that with any function `w >= 0` (0 on balanced states) and its *defect* `q = w - P w`
//!
//! ```text
//! W = (1-t) v - w <= T(W)   if  t rho >= (1-t) (v - A) - (w - mean w)
//!                          and  t psi >= (1-t) (v - B) - q
//! U = (1+t) v + w >= T(U)   if  t rho >= (1+t) (A - v) - (w - mean w)
//!                           or  t psi >= (1+t) (B - v) - q
//! ```
//!
//! in every unbalanced state (the mean is 0 for `Stop`), and then `W <= J <= U`: the iterates of T
//! from W increase and those from U decrease to its only bounded fixed point. With w = 0 one
//! application of P proves both sides. It has to pay for residuals with psi, which is much too small
//! a coin next to balance, where savings are large and so is their rounding. A w with q of the size
//! of the residuals pays where they are, and adds what they can amount to along a path.

use super::sweep::Sweep;
use super::{Problem, vector};

/// A proof that `lower v - w <= J <= upper v + w` componentwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Enclosure {
    pub lower: f64,
    pub upper: f64,
    /// The largest distance between the two bounds on J, relative to `max(1, R)`.
    pub gap: f64,
    /// What rounding alone takes from `lower` and adds to `upper`.
    floor: f64,
}

/// A function w and a lower bound on its defect in every state.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weight {
    pub w: Vec<f64>,
    pub defect: Vec<f64>,
    /// An upper bound on the mean of w where R depends on it.
    pub mean: f64,
}

impl Enclosure {
    /// The enclosure that `saving` and the sweep at it prove, with w = 0, for a problem with positive
    /// remap cost; a side that they prove nothing about is 0 or infinite.
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
        let (base, stop, rounding) = (sweep.base, sweep.stop, sweep.rounding());
        let mean = weight.map_or(0.0, |weight| weight.mean);
        let [down, up, largest, floor, added] = vector::maxima(saving.len(), |s| {
            let (d, psi, gain) = (saving[s], running[s], sweep.gain[s]);
            if psi == 0.0 {
                return [0.0; 5];
            }
            if !(d.is_finite() && gain.is_finite()) {
                return [f64::INFINITY; 5];
            }
            let (w, q) = weight.map_or((0.0, 0.0), |weight| (weight.w[s], weight.defect[s]));
            let over = (w - mean) - 2.0 * f64::EPSILON * mean;
            let slack = rounding.slack(psi, gain);
            let down = share_below(gain - d + slack, psi, q).max(share_below(
                stop - d + rounding.stop,
                rho,
                over,
            ));
            let up = share_above(d - gain + slack, psi, q).min(share_above(
                d - stop + rounding.stop,
                rho,
                over,
            ));
            // Where one goes on the saving is the gain, and both are rounded.
            let rounded = if gain > stop {
                (slack + f64::EPSILON * d.abs() - q).max(0.0) / psi
            } else {
                (rounding.stop - over).max(0.0) / rho
            };
            [down, up, base - d, rounded, 2.0 * w]
        });
        // Twice epsilon for the divisions and subtractions here.
        let lower = (1.0 - down * (1.0 + 8.0 * f64::EPSILON) - 2.0 * f64::EPSILON).max(0.0);
        let upper = 1.0 + up * (1.0 + 8.0 * f64::EPSILON) + 2.0 * f64::EPSILON;
        // With a w, `share_below` takes t to be at most a half.
        let lower = if weight.is_some() && lower < 0.5 { 0.0 } else { lower };
        let gap = ((upper - lower) * largest + added) / sweep.remap().max(1.0);
        Self { lower, upper, gap, floor }
    }

    /// Whether rounding makes up so much of the distance between the bounds that more iterations
    /// cannot help.
    pub fn at_floor(&self) -> bool {
        self.upper - self.lower <= 3.0 * self.floor
    }
}

/// A t from which on `t coin >= (1-t) residual - paid`, up to 1/2, or up to 1 if nothing is paid.
fn share_below(residual: f64, coin: f64, paid: f64) -> f64 {
    if residual >= 0.0 {
        ((residual - paid) / (coin + residual)).max(0.0)
    } else {
        ((0.5 * residual - paid) / coin).max(0.0)
    }
}

/// The least t from which on `t coin >= (1+t) residual - paid`.
fn share_above(residual: f64, coin: f64, paid: f64) -> f64 {
    if residual <= paid {
        // Enough at t = 0; a larger t asks for more only if the residual exceeds the coin.
        if residual <= coin { 0.0 } else { f64::INFINITY }
    } else if residual < coin {
        (residual - paid) / (coin - residual.max(0.0))
    } else {
        f64::INFINITY
    }
}
