//! The answer to any number of phases: bounds on the cost, and a mapping for each belief of a grid.

use crate::document::Bounds;
use crate::problems::claims::Claim;
use serde::{Deserialize, Serialize};

/// What the optimal policy of any number of phases costs, and decisions at step 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// How many phases and mappings there are.
    pub phases: usize,
    /// How many reports.
    pub reports: usize,
    /// M; absent for a program that never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_step: Option<u64>,
    /// What a cycle counts of the one before, in a program that never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount: Option<f64>,
    /// Whether a remap leads to the mapping that fits the phase that is on.
    pub fitted: bool,
    /// The least expected time from step 0, the first mapping and the initial belief; absent if stopped before there
    /// were bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Bounds>,
    /// The value as a fraction, where all vectors of the value function were followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// Beliefs in even steps: the probability of each phase.
    pub beliefs: Vec<Vec<f64>>,
    /// `decision[m][k]`: the mapping after step 0 under mapping m + 1 at belief k, counted from 1 like phases, by a policy
    /// that costs the upper bound at most; 0 for a remap to the mapping that fits.
    pub decision: Vec<Vec<usize>>,
    /// The most vectors that a value function had.
    pub vectors: usize,
}

impl Answer {
    /// The intervals that the answer claims to contain a number.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let exact = self.exact.as_ref().and_then(|value| value.parse().ok());
        let value = self.value.map(|value| Claim::relative("V", value.lower, value.upper));
        value.map(|claim| claim.with(exact)).into_iter().collect()
    }

    /// What is wrong with lists that do not fit, if anything.
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
