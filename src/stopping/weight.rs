//! The function with which an [`Enclosure`](super::enclosure::Enclosure) pays for residuals.
//!
//! With g the residuals and what rounding may add to them, w solves `(I - P) w = 2 g` where one goes
//! on (or nearly does) and is 0 elsewhere, to a low accuracy: any solution whose defect is at least g
//! will do, and that is checked with the rounding of its own.

use super::enclosure::Weight;
use super::krylov::{self, Masked};
use super::sweep::Sweep;
use super::{AfterRemap, Problem, vector};
use crate::Observer;

/// States that remap by less than this share of their running cost are counted as going on.
const NEARLY: f64 = 1e-3;

/// By how much a defect may miss 2 g, relatively.
const ACCURACY: f64 = 0.4;

/// A weight for this approximation, by at most `limit` applications of the operator; with how many.
pub(super) fn find(
    problem: &Problem,
    saving: &[f64],
    sweep: &Sweep,
    tolerance: f64,
    limit: u64,
    observer: &dyn Observer,
) -> (Weight, u64) {
    let n = saving.len();
    let (running, rounding) = (problem.running(), sweep.rounding());
    let nearly = |s: usize| sweep.gain[s] > sweep.stop - NEARLY * running[s];
    let goes_on: Vec<bool> = (0..n).map(|s| running[s] > 0.0 && nearly(s)).collect();
    let mut right = vec![0.0; n];
    vector::update(&mut right, |s, _| {
        if goes_on[s] {
            let (gain, psi) = (sweep.gain[s], running[s]);
            let residual = (gain - saving[s]).abs() + rounding.slack(psi, gain);
            2.0 * residual.max(1e-3 * tolerance * psi)
        } else {
            0.0
        }
    });
    let weights = problem.operator.reversing_weights();
    let operator = &*problem.operator;
    let masked =
        Masked { operator, continues: &goes_on, weights: weights.as_deref(), observer, limit };
    let mut w = vec![0.0; n];
    let applications = krylov::solve(&masked, &right, &mut w, 0.0, ACCURACY);
    vector::update(&mut w, |_, w| w.max(0.0));
    let mut defect = right;
    operator.apply_into(&w, &mut defect);
    let relative = (operator.rounding() + 2.0) * f64::EPSILON;
    vector::update(&mut defect, |s, image| {
        w[s] - image - relative * image - 2.0 * f64::EPSILON * w[s]
    });
    let mean = match problem.after {
        AfterRemap::Stop => 0.0,
        AfterRemap::Uniform => problem.mean(&w) * (1.0 + problem.mean_rounding()),
    };
    (Weight { w, defect, mean }, applications + 1)
}
