//! The answer to any number of phases: bounds on the cost, and a mapping for each belief of a grid.

use crate::document::Bounds;
use serde::{Deserialize, Serialize};

/// Bounds on the cost of the optimal policy for any number of phases, and its decisions at step 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The number of phases, and of mappings.
    pub phases: usize,
    /// The number of observations.
    pub reports: usize,
    /// M; absent for a program without an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_step: Option<u64>,
    /// The weight of a cycle relative to the one before, in a program without an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount: Option<f64>,
    /// Whether a remap leads to the mapping of the present phase.
    pub fitted: bool,
    /// The least expected time from step 0, the first mapping and the initial belief. Absent if the
    /// computation was stopped before it had bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Bounds>,
    /// The value as a fraction, where the computation kept every vector of the value function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// A grid of beliefs: the probability of each phase.
    pub beliefs: Vec<Vec<f64>>,
    /// `decision[m][k]`: the mapping after step 0 under mapping m + 1 at belief k, numbered from 1
    /// like phases; 0 is a remap to the mapping of the present phase. This policy costs at most the
    /// upper bound.
    pub decision: Vec<Vec<usize>>,
    /// The most vectors of a value function.
    pub vectors: usize,
}
