//! The answer to loads with continuous increments: bounds from sample paths, and a simple rule.

use crate::document::Bounds;
use crate::problems::load_drift::answer::{Both, Curve, Representation};
use remapping::continuous_drift::KeptSlopes;
use remapping::overlap::Overlap;
use serde::{Deserialize, Serialize};

/// Bounds on the cost of the best policy, and a rule of few thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Number of processors.
    pub processors: usize,
    /// Number of steps.
    pub steps: u64,
    /// The cost of a remap; its fixed part where moved units cost something.
    pub remap_cost: f64,
    /// The cost of each unit of load that a remap moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_unit_moved: Option<f64>,
    /// How a remap overlaps the steps after its decision, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// The mean load, where the model states it; ratios are relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_load: Option<f64>,
    /// Drift rates that persist over remaps, where the model has them. The policy is then the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_slopes: Option<KeptSlopes>,
    /// Groups of processors with a common distribution of increments; empty where all have the same
    /// one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Class>,
    /// The representation the answer was computed on: sample paths.
    pub representation: Representation,
    /// Whether the bounds are confidence intervals, which are not proved.
    pub statistical: bool,
    /// The outer ends of two 99 % confidence intervals.
    pub value_bounds: Bounds,
    /// Both bounds with these intervals. Like the next fields, absent if the computation was
    /// stopped before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Both>,
    /// The mean excess of the policy's cost over the lower bound, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_percent: Option<f64>,
    /// The 95 % confidence interval of `gap_percent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_interval: Option<[f64; 2]>,
    /// Number of sample paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<u64>,
    /// The mean number of remaps of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaps: Option<f64>,
    /// The policy as a rule of a few thresholds on max - mean, and the cost of that rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold_curve: Option<Curve>,
    /// The best fixed interval, exact; absent where it has no closed form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_fixed: Option<Fixed>,
    /// The exact cost without any remap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<f64>,
}

/// Processors with the same distribution of increments.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Their number.
    pub count: usize,
    /// The mean increment of their loads in a step.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

/// A fixed interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// Steps between remaps; `null` for never.
    pub interval: Option<u64>,
    /// Its expected cost.
    pub value: f64,
}
