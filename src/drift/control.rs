//! How remaps are decided.

use super::{LoadDrift, States};

/// How remaps are decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Control {
    /// By the cheaper of the two branches; ties go to going on.
    Optimal,
    /// By the rule that remaps when max - mean > threshold.
    Threshold(f64),
    /// By the rule that remaps when mean / max < minimum.
    Utilization(f64),
}

/// Relative slack within which two branches count as equal.
const TIE: f64 = 1e-12;

/// Whether going on, at this cost, is the dearer branch.
pub(super) fn is_dearer(value: f64, remapped: f64) -> bool {
    value - remapped > TIE * value.abs().max(remapped.abs())
}

impl Control {
    /// Whether to remap in a state where going on costs `value` and remapping `remapped`.
    pub(super) fn remaps(
        self,
        problem: &LoadDrift,
        states: &States,
        state: usize,
        value: f64,
        remapped: f64,
    ) -> bool {
        match self {
            Control::Optimal => is_dearer(value, remapped),
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
