//! The answer to recurring phases: two thresholds for every step.

use super::{Bounds, Curve, listed};
use serde::{Deserialize, Serialize};

/// Both threshold curves of recurring phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// M; absent for a program that never ends, whose arrays have one entry.
    pub last_step: Option<u64>,
    /// Under the first mapping, switch if p exceeds it: for n = 0..=M.
    pub to_second: Thresholds,
    /// Under the second mapping, switch back if p is below it.
    pub to_first: Thresholds,
    /// The least expected time, from step 0, the first mapping and the initial belief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Bounds>,
    /// The least average time of a cycle, for a program that never ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<Bounds>,
    /// The most linear pieces a function had.
    pub segments: usize,
    /// The step the arrays start at, if the computation was stopped before step 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_step: Option<u64>,
    /// With `--exact`: the same as fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Exact>,
}

/// A curve with its certified bounds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// The middle of the bounds.
    pub threshold: Vec<f64>,
    /// Certified lower bounds, step by step.
    pub lower: Vec<f64>,
    /// Certified upper bounds, step by step.
    pub upper: Vec<f64>,
}

impl Thresholds {
    fn push(&mut self, bounds: Bounds) {
        self.threshold.push(bounds.middle());
        self.lower.push(bounds.lower);
        self.upper.push(bounds.upper);
    }

    /// Of every step of a curve.
    pub fn of(curve: &Curve) -> Thresholds {
        let mut all = Thresholds::default();
        for run in curve.runs() {
            (run.first..=run.last).for_each(|_| all.push(run.bounds));
        }
        all
    }

    /// The same at every step, listed once.
    pub fn always(bounds: Bounds) -> Thresholds {
        let mut one = Thresholds::default();
        one.push(bounds);
        one
    }
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
    /// The curves to the second mapping and back.
    pub fn curves(&self) -> [Curve; 2] {
        let first = self.first_step.unwrap_or(0);
        let curve = |list: &Thresholds| listed(first, &list.lower, &list.upper).collect();
        [curve(&self.to_second), curve(&self.to_first)]
    }

    /// What is wrong with lists that do not fit, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let lengths = [&self.to_second, &self.to_first]
            .map(|list| [list.threshold.len(), list.lower.len(), list.upper.len()]);
        let first = lengths[0][0];
        (lengths.iter().flatten().any(|length| *length != first))
            .then(|| "the thresholds and their bounds differ in number".to_owned())
    }
}
