//! Figs. 1 and 2 of [NRS86]: programs that never remap, step by step.

use super::model::Which;
use super::{Found, Stop};
use crate::run::Watch;
use remapping::load_drift::{AverageCosts, Expected, LoadDrift};
use remapping::phase_change::Bounds;
use remapping::simulate::Estimate;

/// The expectation of each step.
pub(crate) fn course(
    problem: &LoadDrift,
    read: impl Fn(&Expected) -> f64,
    mut found: impl FnMut(Found),
) {
    for (k, step) in problem.never_remapped().iter().enumerate() {
        found(Found::at_step(k + 1, read(step)));
    }
}

/// W(n) along one path, and its minimum.
pub(crate) fn average_cost(problem: &LoadDrift, seed: u64, mut found: impl FnMut(Found)) {
    let costs = AverageCosts::along(&problem.path(seed, 0), problem.remap_cost);
    for (k, average) in costs.averages.iter().enumerate() {
        let remark = match (k == costs.first, k == costs.least) {
            (true, true) => Some("first and least"),
            (true, false) => Some("first minimum"),
            (false, true) => Some("least"),
            (false, false) => None,
        };
        found(Found { remark, ..Found::at_step(k + 1, *average) });
    }
}

/// W(n) at its first minimum, or at its least value, over many paths.
pub(crate) fn minimum(
    problem: &LoadDrift,
    which: Which,
    runs: u64,
    seed: u64,
    watch: &Watch,
) -> Result<Bounds, Stop> {
    let pairs = problem.minima(runs, seed, watch)?;
    let mean = |read: &dyn Fn(&(f64, f64)) -> f64| {
        Estimate::of(&pairs.iter().map(read).collect::<Vec<_>>())
    };
    let found = match which {
        Which::First => mean(&|pair| pair.0),
        Which::Least => mean(&|pair| pair.1),
        Which::Excess => {
            // A ratio of means; its error follows from the deviations.
            let (first, least) = (mean(&|pair| pair.0).value, mean(&|pair| pair.1).value);
            let excess = 100.0 * (first / least - 1.0);
            let spread = mean(&|pair| 100.0 * (pair.0 - first / least * pair.1) / least);
            Estimate::around(excess, spread.half_width())
        }
    };
    Ok(Bounds { lower: found.lower, upper: found.upper })
}
