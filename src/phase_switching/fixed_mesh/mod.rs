//! Many-pieced functions of recurring phases on nodes that stay where they are.
//!
//! Where a detector is weak, thresholds of many steps leave a kink each, and functions with nodes of their own need
//! hundreds of thousands, found anew at every step. On a mesh the operator is a matrix that never changes. The error
//! falls with the square of the number of cells, which is known from a trial on few.

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

use super::operator::Filter;
use super::quiet::Quiet;
use crate::Observer;
use mesh::Mesh;
pub(super) use start::Start;
use sweep::{LONG, Limits};
pub(super) use sweep::{Reached, Task};

/// Cells of the trial.
const TRIAL: usize = 1 << 14;

/// How wide thresholds of the trial need not be looked at closer, as a multiple of the tolerance.
const SHARP: f64 = 64.0;

/// How many times as far as a mesh moves bounds apart a step at rest may: in the trial and then.
const ROUGHLY: f64 = 1.3;
const CLOSELY: f64 = 1.02;

/// What of the width aimed at a mesh should use.
const USED: f64 = 0.7;

/// What may be used up before.
const USED_BEFORE: f64 = 0.5;

/// Bytes a mesh may take, and steps times cells times reports that are worth it.
const MOST_BYTES: f64 = 350e6;
const MOST_WORK: f64 = 4e9;

/// Steps that are worth it one by one, and those that are alike until they are at rest.
const MOST_STEPS: u64 = 4096;
const MOST_ALIKE: u64 = 2048;

/// How often a mesh that was too coarse is tried again, with how many more cells at least and at most.
const ATTEMPTS: usize = 3;
const FINER: f64 = 1.2;
const LEAST_FINER: f64 = 1.5;
const MOST_FINER: f64 = 4.0;

/// Steps that are few enough to be taken otherwise, if their thresholds come out too wide.
const EARLY: u64 = 32;

/// What a mesh does for a sweep.
pub(super) enum Outcome {
    /// All steps left are bounded, though perhaps not closely enough.
    Reached(Reached),
    /// It should be tried after this step, which has thresholds that it cannot bound closely enough.
    After(u64),
    /// Functions with nodes of their own do better.
    Refused,
}

/// Bounds on the steps from `first` back to 0, `start` being the one after; `once` says that it is tried for the last time.
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
    // Of most steps, if they are alike: kinks within a cell would cost up to twice the width.
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
        // Thresholds of the first steps that are too wide are looked at again, without the rest.
        let close =
            reached.first_thresholds() <= task.tolerance && reached.value_width() <= task.tolerance;
        if reached.halt.is_some() || close {
            return Outcome::Reached(reached);
        }
        if !narrow && !once && reached.steps <= EARLY {
            return Outcome::After(first + 1 - reached.steps);
        }
        let finer = if narrow {
            // The error of the value may have fallen with the cells alone.
            (reached.value_width() / task.tolerance * FINER).clamp(LEAST_FINER, MOST_FINER)
        } else {
            // Once more, whatever thresholds come out too wide.
            width = f64::INFINITY;
            LEAST_FINER
        };
        // What memory allows, if that is finer.
        let most = MOST_BYTES / bytes(filter, 1.0);
        cells = if cells * LEAST_FINER < most { (cells * finer).min(most) } else { cells * finer };
        best = Some(reached).filter(|reached| reached.to_second.first_step() == Some(0)).or(best);
    }
    // What soon comes to rest takes few steps otherwise.
    let long = best.filter(|best| best.steps > EARLY || best.value_width() <= task.tolerance);
    long.map_or(Outcome::Refused, Outcome::Reached)
}

/// What a mesh and the functions on it take.
fn bytes(filter: &Filter, cells: f64) -> f64 {
    let shared = 3 * size_of::<f64>()
        + 2 * size_of::<functions::Four>()
        + recent::STEPS * size_of::<[f64; 2]>();
    let each = size_of::<[f64; 2]>() + 2 * size_of::<u32>() + size_of::<f32>();
    cells * (shared + each * filter.reports()) as f64
}
