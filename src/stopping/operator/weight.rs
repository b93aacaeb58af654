//! The function w with which an [`Enclosure`](super::enclosure::Enclosure) bounds residuals.
//!
//! With g the residuals plus their possible rounding, w solves
//!
//! ```text
//! (I - P) w = 2 g where the policy continues (or nearly does),   w = 0 elsewhere
//! ```
//!
//! to a low accuracy. Every solution with a defect of at least g suffices; that is checked,
//! including its own rounding. Cost: one Krylov solve.
//!
//! For `Uniform`, R depends on the mean of J. Even a small mean of w would have to be covered by
//! rho, which is negligible relative to R where balance is rare; see `raise`.

use super::enclosure::{Enclosure, Weight};
use super::sweep::Sweep;
use super::vector;
use crate::Observer;
use crate::stopping::evaluation::krylov::{InnerProducts, System};
use crate::stopping::{AfterRemap, Problem, iteration::value_iteration};

/// States that remap by less than this fraction of their running cost count as continuing.
pub(in crate::stopping) const NEARLY: f64 = 1e-3;

/// Relative accuracy of a defect of 2 g.
const ACCURACY: f64 = 0.4;

/// Residual up to which b counts as harmonic.
const HARMONIC: f64 = 1e-11;

/// A weight for this approximation, by at most `limit` applications of the operator; and their
/// number.
pub(in crate::stopping) fn find(
    problem: &Problem,
    saving: &[f64],
    sweep: &Sweep,
    tolerance: f64,
    limit: u64,
    observer: &dyn Observer,
) -> (Weight, u64) {
    let n = saving.len();
    let (running, rounding) = (problem.running(), sweep.rounding);
    let nearly = |s: usize| sweep.gain[s] > sweep.stop - NEARLY * running[s];
    let goes_on: Vec<bool> = (0..n).map(|s| running[s] > 0.0 && nearly(s)).collect();
    let mut right = vec![0.0; n];
    vector::update(&mut right, |s, _| {
        if goes_on[s] {
            let (gain, psi) = (sweep.gain[s], running[s]);
            // Where the policy stops, continuing may cost more.
            let residual = if sweep.continues(s) { (gain - saving[s]).abs() } else { 0.0 };
            2.0 * (residual + rounding.slack(psi, gain)).max(1e-3 * tolerance * psi)
        } else {
            0.0
        }
    });
    let inner = InnerProducts::new(problem);
    let mut system = System::new(problem, &goes_on, &inner, limit, observer);
    let mut w = vec![0.0; n];
    let mut applications = system.solve(&right, &mut w, 0.0, ACCURACY);
    vector::update(&mut w, |_, w| w.max(0.0));
    if problem.after == AfterRemap::Uniform {
        applications += raise(problem, &mut system, &mut w, sweep);
    }
    let defect = defect(problem, &w, 2.0);
    let mean = match problem.after {
        AfterRemap::Stop => 0.0,
        AfterRemap::Uniform => problem.mean(&w) * (1.0 + problem.mean_rounding()),
    };
    (Weight { w, defect, mean }, applications + 1)
}

/// A lower bound on w - P w, with these units of rounding in addition to those of the operator.
fn defect(problem: &Problem, w: &[f64], units: f64) -> Vec<f64> {
    let mut defect = vec![0.0; w.len()];
    problem.operator.apply_into(w, &mut defect);
    let relative = (problem.operator.rounding() + units) * f64::EPSILON;
    vector::update(&mut defect, |s, image| {
        w[s] - image - relative * image - units * f64::EPSILON * w[s]
    });
    defect
}

/// The exponent of the savings in w, and the number of its halvings that are tried.
const POWER: f64 = 0.9;
const SHARES: i32 = 22;

/// For `Uniform`: a w that takes one application of the operator, and the enclosure it proves. w is
/// a fraction of `B (d / B)^0.9`, with d the saving relative to B. That power is concave. Where
/// steps change d by much, it exceeds its expectation by a fraction of d: near balance, where
/// residuals are much larger than the running cost.
pub(in crate::stopping) fn by_savings(
    problem: &Problem,
    saving: &[f64],
    sweep: &Sweep,
) -> Option<(Enclosure, Weight)> {
    if problem.after == AfterRemap::Stop || problem.shared.is_some() {
        return None;
    }
    let (running, base) = (problem.running(), sweep.base);
    let mut shape = saving.to_vec();
    vector::update(&mut shape, |s, d| match running[s] > 0.0 {
        true => base * (d / base).max(0.0).powf(POWER),
        false => 0.0,
    });
    let defect = defect(problem, &shape, 4.0);
    let mean = problem.mean(&shape) * (1.0 + problem.mean_rounding());
    let mut best: Option<(Enclosure, Weight)> = None;
    for halvings in 1..SHARES {
        // Exact multiples.
        let share = 0.5f64.powi(halvings);
        let part = |f: &[f64]| f.iter().map(|x| share * x).collect::<Vec<f64>>();
        let weight = Weight { w: part(&shape), defect: part(&defect), mean: share * mean };
        let found = Enclosure::prove(problem, saving, sweep, Some(&weight));
        let nearest = best.as_ref().map_or(f64::INFINITY, |(best, _)| best.gap);
        if found.gap < nearest {
            best = Some((found, weight));
        } else if nearest < 1.0 {
            break;
        }
    }
    best
}

/// Adds `tau (1 - b)` to w, to cover errors of R; b is the probability to balance before stopping.
/// The added function is tau where the policy stops. It exceeds its mean there by tau times the
/// mean of b, so that part of the mean of w is covered.
fn raise(problem: &Problem, system: &mut System<'_>, w: &mut [f64], sweep: &Sweep) -> u64 {
    let running = problem.running();
    let balanced = value_iteration::start(problem, 1.0);
    let mut absorb = vec![0.0; w.len()];
    problem.operator.apply_into(&balanced, &mut absorb);
    let mut b = vec![0.0; w.len()];
    let applications = system.solve(&absorb, &mut b, HARMONIC, f64::EPSILON);
    vector::update(&mut b, |s, b| if running[s] == 0.0 { 1.0 } else { b.clamp(0.0, 1.0) });
    let owed = problem.mean(w) + sweep.rounding.stop + sweep.stop.abs();
    let tau = 1.1 * owed / problem.mean(&b);
    vector::update(w, |s, w| w + tau * (1.0 - b[s]));
    applications + 1
}
