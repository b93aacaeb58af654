//! The answer to any number of phases: bounds on the cost, and a mapping for each belief of a grid.

use crate::document::Bounds;
use crate::problems::claims::Claim;
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

impl Answer {
    /// The intervals that the answer claims to contain a number.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let exact = self.exact.as_ref().and_then(|value| value.parse().ok());
        let value = self.value.map(|value| Claim::relative("V", value.lower, value.upper));
        value.map(|claim| claim.with(exact)).into_iter().collect()
    }

    /// The first inconsistency among its fields, if any.
    pub(crate) fn fault(&self) -> Option<String> {
        let laws = self.beliefs.iter().all(|belief| {
            let sum: f64 = belief.iter().sum();
            belief.len() == self.phases && (sum - 1.0).abs() < 1e-9
        });
        if !laws {
            return Some("`beliefs` are no laws on the phases".to_owned());
        }
        let fits = |row: &Vec<usize>| {
            row.len() == self.beliefs.len() && row.iter().all(|to| *to <= self.phases)
        };
        let none = self.decision.is_empty() && self.beliefs.is_empty();
        let all = self.decision.len() == self.phases && self.decision.iter().all(fits);
        (!none && !all).then(|| "`decision` has not a mapping for each belief".to_owned())
    }
}
