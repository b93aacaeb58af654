//! Decision rules that the recursion can follow.

use crate::load_drift::{LoadDrift, States};

/// How remaps are decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Control {
    /// By the cheaper of the two branches; ties continue.
    Optimal,
    /// Remap when max - mean > threshold.
    Threshold(f64),
    /// Remap when mean / max < minimum.
    Utilization(f64),
}

/// Relative slack within which two branches count as equal. The slack is also bounded relative to
/// the remap cost, because loads may be far larger than that.
const TIE: f64 = 1e-12;
const TIE_OF_REMAP: f64 = 1e-6;

/// Whether continuing, at cost `value`, is more expensive than a remap.
pub(in crate::load_drift) fn is_dearer(problem: &LoadDrift, value: f64, remapped: f64) -> bool {
    let slack = TIE * value.abs().max(remapped.abs());
    let remap = problem.remap_cost.max(problem.per_unit_moved);
    let most = if remap > 0.0 { TIE_OF_REMAP * remap } else { f64::INFINITY };
    value - remapped > slack.min(most)
}

impl Control {
    /// Whether to remap in a state where continuing costs `value` and a remap `remapped`.
    pub(in crate::load_drift) fn remaps(
        self,
        problem: &LoadDrift,
        states: &States,
        state: usize,
        value: f64,
        remapped: f64,
    ) -> bool {
        match self {
            Control::Optimal => is_dearer(problem, value, remapped),
            Control::Threshold(threshold) => {
                let r = problem.processors as f64;
                f64::from(states.excess(state)) / r > threshold * (1.0 + TIE)
            }
            Control::Utilization(minimum) => {
                let (max, mean) = problem.loads(states, state);
                mean < minimum * max * (1.0 - TIE)
            }
        }
    }
}
