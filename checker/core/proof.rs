//! The statements that certificates prove.

use super::counts::Counts;
use super::span::Span;
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

/// Two bounds on a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Interval {
    pub lower: f64,
    pub upper: f64,
}

/// Consecutive steps whose thresholds lie in one interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Steps {
    pub first: u64,
    pub last: u64,
    pub threshold: Interval,
}

/// Consecutive steps whose two thresholds, of recurring phases, lie in the same intervals. `last`
/// is the end of the list for a program without an end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Switches {
    pub first: u64,
    pub last: u64,
    pub to_second: Interval,
    pub to_first: Interval,
}

/// A statement that has been proved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs/certificates.md says what they are")]
pub enum Proof {
    /// Phase change: the least expected completion time, and the thresholds of all steps,
    /// ascending.
    Thresholds { value: Interval, steps: Vec<Steps> },
    /// Optimal stopping: the cost of a remap; the largest gap between bounds on a cost, relative to
    /// max(1, cost) and absolute; the largest cost; and how many classes of states and load vectors
    /// have each decision.
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
    /// A bound on the imbalance is kept after 1, 2, .. `kept` steps, or after any number of steps.
    /// `broken` is a number of steps after which it is proved not to be kept.
    Longest { kept: Option<u64>, broken: Option<u64> },
    /// The same for consecutive periods. Each starts from the mean load at the end of the one
    /// before; the list stops where that load is not proved.
    Periods(Vec<Proof>),
    /// The interval of least cost per step, between `least` and `most` (`None`: never remap), and
    /// that cost.
    Cheapest { least: Option<u64>, most: Option<u64>, cost: Interval },
    /// Recurring phases: the least expected time, or the least average time of a cycle for a
    /// program without an end; and both thresholds of all steps, ascending.
    Recurring { value: Option<Interval>, average: Option<Interval>, steps: Vec<Switches> },
}

impl Proof {
    /// A map. The largest cost of a remap, the largest cost, and the largest gap between bounds on
    /// a cost are in units of 2^-bits.
    pub(crate) fn map<T: Into<BigInt>, U: Into<BigInt>>(
        bits: u32,
        [remap, largest]: [[u64; 2]; 2],
        apart: u64,
        (classes, vectors): ([T; 4], Option<[U; 4]>),
    ) -> Proof {
        let real = |[low, high]: [u64; 2]| Span::between(low, high, bits).reals();
        let (remap, largest, (_, value_width)) = (real(remap), real(largest), real([apart; 2]));
        Proof::Map {
            remap_value: remap.into(),
            value_gap: (value_width / remap.0.max(largest.0).max(1.0)).next_up(),
            value_width,
            largest_value: largest.into(),
            classes: Counts::of(classes),
            vectors: vectors.map(Counts::of),
        }
    }
}

impl From<(f64, f64)> for Interval {
    fn from((lower, upper): (f64, f64)) -> Interval {
        Interval { lower, upper }
    }
}
