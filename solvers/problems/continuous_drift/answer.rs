//! The answer to loads with continuous increments: bounds from sample paths, and a rule.

use crate::document::Bounds;
use crate::problems::load_drift::answer::{Both, Curve, Representation};
use remapping::continuous_drift::KeptSlopes;
use remapping::overlap::Overlap;
use serde::{Deserialize, Serialize};

/// What the best policy costs, between bounds, and a rule of few numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Number of processors.
    pub processors: usize,
    /// Number of steps.
    pub steps: u64,
    /// Cost of a remap; its fixed part where units moved are paid for.
    pub remap_cost: f64,
    /// What it costs for each unit of load that it moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_unit_moved: Option<f64>,
    /// How a remap overlaps the steps after its decision, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// The mean load, where the model states it: what ratios to it are taken of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_load: Option<f64>,
    /// Slopes that are kept over remaps, where there are some: the policy is the rule then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_slopes: Option<KeptSlopes>,
    /// Processors by the laws of what their loads grow by; empty where they have one in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Class>,
    /// What the answer was computed on: sample paths.
    pub representation: Representation,
    /// Whether the bounds are confidence intervals: likely, not proved.
    pub statistical: bool,
    /// The outer ends of two 99 % confidence intervals.
    pub value_bounds: Bounds,
    /// Both bounds with these intervals; like what follows absent if the computation was stopped before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Both>,
    /// By how many percent the policy costs more than the lower bound, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_percent: Option<f64>,
    /// The 95 % confidence interval of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_interval: Option<[f64; 2]>,
    /// Number of sample paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<u64>,
    /// Remaps of the policy, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remaps: Option<f64>,
    /// The policy as a rule of a few thresholds on max - mean, and what that rule costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold_curve: Option<Curve>,
    /// The best fixed interval, exactly; absent where it has no closed form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_fixed: Option<Fixed>,
    /// What the program costs without any remap, exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<f64>,
}

/// Processors with a law in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// How many they are.
    pub count: usize,
    /// What their loads grow by in a step, on average.
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

impl Answer {
    /// What is wrong with lists that do not fit, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.mean_load.is_some_and(|mean| !(mean > 0.0 && mean.is_finite())) {
            return Some("`mean_load` is not a positive number".to_owned());
        }
        self.threshold_curve.as_ref().and_then(Curve::fault)
    }
}
