//! How many states there are of each decision.

use crate::proof::Interval;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

/// How many there are of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub balanced: Interval,
    pub remap: Interval,
    pub continued: Interval,
    pub either: Interval,
}

impl From<&BigInt> for Interval {
    fn from(count: &BigInt) -> Interval {
        let near = count.to_f64().unwrap_or(f64::INFINITY);
        let exact = *count <= BigInt::from(1u64 << 53);
        if exact { (near, near).into() } else { (near.next_down(), near.next_up()).into() }
    }
}

impl Counts {
    /// In the order of decisions.
    pub(crate) fn of(counts: [BigInt; 4]) -> Counts {
        let [balanced, remap, continued, either] = counts.each_ref().map(Interval::from);
        Counts { balanced, remap, continued, either }
    }
}
