//! Two-sided bounds on J from any approximation of it.
//!
//! For an approximation `v >= 0` let `A = R(v)` and `B = psi + P v` be its two branches. The
//! operator is monotone, and scaling its argument by `1 - t` scales both branches up to `t rho` and
//! `t psi`:
//!
//! ```text
//! T((1-t) v) = min((1-t) A + t rho, (1-t) B + t psi)
//! ```
//!
//! so `(1-t) v <= T((1-t) v)`, hence `(1-t) v <= J`, as soon as
//! `t / (1-t) >= max over s of max((v - A) / rho, (v - B) / psi)`, and in the same way
//! `(1+t) v >= J` as soon as `t / (1+t) >= max over s of min((A - v) / rho, (B - v) / psi)`.
//! One application of P proves both sides, and rounding enters as an addition to the residuals.

use super::sweep::Sweep;
use super::{Problem, vector};

/// A proof that `lower * v <= J <= upper * v` componentwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Enclosure {
    pub lower: f64,
    pub upper: f64,
    /// `R(v)`.
    pub remap: f64,
    /// The largest v.
    pub largest: f64,
    /// What rounding alone takes from `lower` and adds to `upper`.
    floor: f64,
}

impl Enclosure {
    /// The enclosure that `v` and the sweep at it prove for a problem with positive remap cost; a
    /// side that they prove nothing about is 0 or infinite.
    pub fn new(problem: &Problem, v: &[f64], sweep: &Sweep) -> Self {
        let (rho, running, remap) = (problem.remap_cost, problem.running(), sweep.remap);
        let rounding = sweep.rounding();
        let stop_slack = remap * (problem.remap_rounding() + f64::EPSILON);
        let [below, above, largest, floor] = vector::maxima(v.len(), |s| {
            let (v, psi, go) = (v[s], running[s], sweep.go[s]);
            if psi == 0.0 {
                return [0.0; 4];
            }
            if !(v.is_finite() && go.is_finite()) {
                return [f64::INFINITY; 4];
            }
            let go_slack = rounding.slack(psi, go);
            let below = ((v - go + go_slack) / psi).max((v - remap + stop_slack) / rho);
            let above = ((go - v + go_slack) / psi).min((remap - v + stop_slack) / rho);
            // Where one goes on, v is go, and both are rounded.
            let rounded =
                if go < remap { (go_slack + f64::EPSILON * v) / psi } else { stop_slack / rho };
            [below, above, v, rounded]
        });
        // One more epsilon for the divisions here.
        let lower = (1.0 / (1.0 + below) - 2.0 * f64::EPSILON).max(0.0);
        let upper = if above < 1.0 {
            1.0 + above / (1.0 - above) + 2.0 * f64::EPSILON
        } else {
            f64::INFINITY
        };
        Self { lower, upper, remap, largest, floor }
    }

    /// Whether rounding makes up so much of the distance between the bounds that more iterations
    /// cannot help.
    pub fn at_floor(&self) -> bool {
        self.upper - self.lower <= 3.0 * self.floor
    }

    /// The largest distance between the two bounds on J, relative to `max(1, R)`.
    pub fn gap(&self) -> f64 {
        (self.upper - self.lower) * self.largest / self.remap.max(1.0)
    }
}
