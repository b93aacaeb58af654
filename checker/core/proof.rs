//! What certificates prove.

use super::counts::Counts;
use serde::{Deserialize, Serialize};

/// What a number is between.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Interval {
    pub lower: f64,
    pub upper: f64,
}

/// Steps that share an interval of their thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Steps {
    pub first: u64,
    pub last: u64,
    pub threshold: Interval,
}

/// Steps that share intervals of both thresholds of recurring phases; those of a program without end have no last
/// one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Switches {
    pub first: u64,
    pub last: u64,
    pub to_second: Interval,
    pub to_first: Interval,
}

/// What has been proved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs/certificates.md says what they are")]
pub enum Proof {
    /// The least expected completion time, and the thresholds of all steps, ascending.
    Thresholds { value: Interval, steps: Vec<Steps> },
    /// What remapping costs in all, how far apart bounds on costs are at most, relative to max(1, that) and
    /// absolutely, the largest cost, and how many classes of states and load vectors there are of each decision.
    Map {
        remap_value: Interval,
        value_gap: f64,
        value_width: f64,
        largest_value: Interval,
        classes: Counts,
        vectors: Option<Counts>,
    },
    /// The least average cost per step.
    Average(Interval),
    /// The least expected objective.
    Value(Interval),
    /// A bound on the imbalance is kept after 1, 2, .. and so many steps, or after any number of them, and is
    /// not after that many, if that is proved.
    Longest { kept: Option<u64>, broken: Option<u64> },
    /// The same of one period after the other, each from the mean load at the end of the one before, as long as that
    /// is proved to be where it ends.
    Periods(Vec<Proof>),
    /// The interval of least cost per step, `None` if that never ends, and the cost.
    Cheapest { least: Option<u64>, most: Option<u64>, cost: Interval },
    /// The least expected time, or without an end the least average time of a cycle, and both thresholds of all
    /// steps, ascending.
    Recurring { value: Option<Interval>, average: Option<Interval>, steps: Vec<Switches> },
}

impl From<(f64, f64)> for Interval {
    fn from((lower, upper): (f64, f64)) -> Interval {
        Interval { lower, upper }
    }
}
