//! Backward induction on a fixed mesh, for functions with many pieces.
//!
//! With a weak detector the thresholds of many steps leave a kink each. Functions with adaptive
//! nodes then need hundreds of thousands of nodes, recomputed at every step. On a fixed mesh the
//! operator is a constant sparse matrix. The error falls with the square of the number of cells; a
//! trial on a coarse mesh estimates its constant. O(cells x levels) a step.

mod ending;
mod functions;
mod mesh;
mod recent;
mod rest;
mod start;
mod step;
mod sweep;
#[cfg(test)]
mod tests;

use super::difference::operator::Filter;
use super::polylines::nested::Quiet;
use crate::Observer;
use mesh::Mesh;
pub(super) use start::Start;
use sweep::{LONG, Limits};
pub(super) use sweep::{Reached, Task};

/// Cells of the trial.
const TRIAL: usize = 1 << 14;

/// Width of thresholds that the trial need not refine, as a multiple of the tolerance.
const SHARP: f64 = 64.0;

/// How much wider than the mesh alone a stationary step may make the bounds, as a factor: in the
/// trial, and afterwards.
const ROUGHLY: f64 = 1.3;
const CLOSELY: f64 = 1.02;

/// Fraction of the width aimed at that a mesh should use.
const USED: f64 = 0.7;

/// Fraction that the steps before the mesh may have used.
const USED_BEFORE: f64 = 0.5;

/// Memory limit of a mesh in bytes, and limit on steps times cells times observations.
const MOST_BYTES: f64 = 350e6;
const MOST_WORK: f64 = 4e9;

/// Most distinct steps, and most equal steps until convergence, for which a mesh pays.
const MOST_STEPS: u64 = 4096;
const MOST_ALIKE: u64 = 2048;

/// Attempts with finer meshes, the safety factor on the number of cells, and its least and greatest
/// growth.
const ATTEMPTS: usize = 3;
const FINER: f64 = 1.2;
const LEAST_FINER: f64 = 1.5;
const MOST_FINER: f64 = 4.0;

/// Steps that are cheap to compute without a mesh if their thresholds come out too wide.
const EARLY: u64 = 32;

/// The result of a mesh for a sweep.
pub(super) enum Outcome {
    /// All remaining steps are bounded, though perhaps not closely enough.
    Reached(Reached),
    /// To be tried again after this step, whose thresholds the mesh cannot bound closely enough.
    After(u64),
    /// Adaptive nodes are expected to do better.
    Refused,
}

/// Bounds on the steps from `first` back to 0; `start` encloses the step after `first`. `once`
/// marks the last attempt.
pub(super) fn continued(
    task: Task<'_>,
    start: Start<'_>,
    first: u64,
    once: bool,
    observer: &dyn Observer,
) -> Outcome {
    let filter = &task.recursion.filter;
    let same = first - task.lifetime.constant_from(first) >= LONG;
    if !same && first > MOST_STEPS {
        return Outcome::Refused;
    }
    let roughly = Limits {
        enough: ROUGHLY,
        width: f64::INFINITY,
        early: 0,
        sharp: SHARP * task.tolerance,
        all: false,
        steps: if same { MOST_ALIKE } else { MOST_STEPS },
    };
    let trial = task.run(&Mesh::new(filter, TRIAL), start, first, roughly, &Quiet(observer));
    let before = start.apart(task.recursion, first, task.initial) / trial.value.0.abs().max(1.0);
    let [wide, narrow] = [trial.value_width() - before, USED * task.tolerance - before];
    if trial.halt.is_some() || before > USED_BEFORE * task.tolerance || !wide.is_finite() {
        return Outcome::Refused;
    }
    let thresholds = trial.later_thresholds();
    // The thresholds of most steps, if these are alike: kinks within a cell would cost up to twice
    // the width.
    let rest = [&trial.to_second, &trial.to_first]
        .map(|curve| curve.at(0).map_or(0.0, |bounds| bounds.middle()));
    let finer = (wide / narrow).max(thresholds / (USED * task.tolerance)).max(1.0);
    let mut cells = TRIAL as f64 * finer.sqrt();
    let mut best: Option<Reached> = None;
    let mut width = task.tolerance;
    for _ in 0..ATTEMPTS {
        let work = cells * trial.steps as f64 * filter.reports() as f64;
        if !(bytes(filter, cells) <= MOST_BYTES && work <= MOST_WORK) {
            break;
        }
        let limits = Limits {
            enough: CLOSELY,
            width,
            early: trial.steps / 2,
            sharp: task.tolerance,
            all: true,
            steps: MOST_STEPS,
        };
        let whole = if same { Mesh::cells_around(rest, cells as usize) } else { cells as usize };
        let reached = task.run(&Mesh::new(filter, whole), start, first, limits, observer);
        let narrow = reached.threshold_width() <= task.tolerance;
        // Thresholds of the first backward steps that are too wide are computed again, without the
        // other steps.
        let close =
            reached.first_thresholds() <= task.tolerance && reached.value_width() <= task.tolerance;
        if reached.halt.is_some() || close {
            return Outcome::Reached(reached);
        }
        if !narrow && !once && reached.steps <= EARLY {
            return Outcome::After(first + 1 - reached.steps);
        }
        let finer = if narrow {
            // The error of the value may have fallen with the number of cells only linearly.
            (reached.value_width() / task.tolerance * FINER).clamp(LEAST_FINER, MOST_FINER)
        } else {
            // One more attempt, which accepts wide thresholds.
            width = f64::INFINITY;
            LEAST_FINER
        };
        // The finest mesh that memory allows, if it is finer.
        let most = MOST_BYTES / bytes(filter, 1.0);
        cells = if cells * LEAST_FINER < most { (cells * finer).min(most) } else { cells * finer };
        best = Some(reached).filter(|reached| reached.to_second.first_step() == Some(0)).or(best);
    }
    // A problem that converges quickly takes few steps without a mesh.
    let long = best.filter(|best| best.steps > EARLY || best.value_width() <= task.tolerance);
    long.map_or(Outcome::Refused, Outcome::Reached)
}

/// Memory of a mesh and the functions on it, in bytes.
fn bytes(filter: &Filter, cells: f64) -> f64 {
    let shared = 3 * size_of::<f64>()
        + 2 * size_of::<functions::Four>()
        + recent::STEPS * size_of::<[f64; 2]>();
    let each = size_of::<[f64; 2]>() + 2 * size_of::<u32>() + size_of::<f32>();
    cells * (shared + each * filter.reports()) as f64
}
