//! The answer to recurring phases: two thresholds for every step.

use crate::document::rule::Filter;
use crate::document::{Bounds, Curve};
use crate::problems::claims::{Claim, of_curve};
use crate::problems::shared::thresholds::Thresholds;
use serde::{Deserialize, Serialize};

/// Both threshold curves of recurring phases.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// M; absent for a program without an end, whose lists have one entry.
    pub last_step: Option<u64>,
    /// Under the first mapping, for n = 0..=M: switch if p exceeds it. If it is 0, switch for every
    /// p.
    pub to_second: Thresholds,
    /// Under the second mapping: switch back if p is below it. If it is 1, switch back for every p.
    pub to_first: Thresholds,
    /// The least expected time from step 0, the first mapping and the initial belief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Bounds>,
    /// The least average time of a cycle, for a program without an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<Bounds>,
    /// The cost without any switch, in doubles: the expected time, absent beyond 10^5 steps, or the
    /// average time of a cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<f64>,
    /// The most linear pieces a function had.
    pub segments: usize,
    /// The step at which the lists start, if the computation was stopped before step 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_step: Option<u64>,
    /// The parameters for updating the belief p.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belief: Option<Filter>,
    /// With `--exact`: the same as fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Exact>,
}

/// The exact solution, for short horizons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exact {
    /// Thresholds to the second mapping as fractions.
    pub to_second: Vec<String>,
    /// Thresholds back as fractions.
    pub to_first: Vec<String>,
    /// The value as a fraction.
    pub value: String,
}

impl Answer {
    /// The expected time or the average, if it is above 1: what errors are relative to.
    pub fn cost(&self) -> f64 {
        self.value.or(self.average).map_or(1.0, |cost| cost.lower.max(1.0))
    }

    /// The intervals that the answer claims to contain a number.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let exact = self.exact.as_ref();
        let lists = [
            ("to_second", &self.to_second, exact.map(|exact| exact.to_second.as_slice())),
            ("to_first", &self.to_first, exact.map(|exact| exact.to_first.as_slice())),
        ];
        let mut claims = Vec::new();
        for (name, list, fractions) in lists {
            if self.last_step.is_some() {
                let curve = list.curve(self.first_step.unwrap_or(0));
                claims.extend(of_curve(name, &curve, fractions));
            } else {
                let bounds = list.lower.iter().zip(&list.upper);
                claims.extend(bounds.map(|(lower, upper)| Claim::absolute(name, *lower, *upper)));
            }
        }
        let value = self.value.map(|value| Claim::relative("the value", value.lower, value.upper));
        claims.extend(value.map(|claim| claim.with(exact.and_then(|e| e.value.parse().ok()))));
        claims.extend(
            self.average.map(|mean| Claim::relative("the average", mean.lower, mean.upper)),
        );
        claims
    }

    /// The curves to the second mapping and back; empty for a program without an end.
    pub fn curves(&self) -> [Curve; 2] {
        let first = self.first_step.unwrap_or(0);
        let curve = |list: &Thresholds| self.last_step.map(|_| list.curve(first));
        [&self.to_second, &self.to_first].map(|list| curve(list).unwrap_or_default())
    }

    /// The first inconsistency among its fields, if any.
    pub(crate) fn fault(&self) -> Option<String> {
        let fits = |list: &Thresholds| {
            let lengths = [list.lower.len(), list.upper.len()];
            lengths == [list.threshold.len(); 2]
        };
        if !fits(&self.to_second) || !fits(&self.to_first) {
            return Some("the thresholds and their bounds differ in number".to_owned());
        }
        let belief = self.belief.as_ref()?;
        let single = [belief.initial, belief.to_second, belief.to_first];
        let all = single.iter().chain(&belief.first).chain(&belief.second);
        if let Some(p) = all.copied().find(|p| !(0.0..=1.0).contains(p)) {
            return Some(format!("`belief` has {p}, not between 0 and 1"));
        }
        (belief.first.is_empty() || belief.first.len() != belief.second.len())
            .then(|| "`belief` has not the same levels in both phases".to_owned())
    }
}
