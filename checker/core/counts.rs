//! How many states there are of each decision.

use crate::core::proof::Interval;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

/// What is proved of a state: that it is balanced, that remapping is the cheaper branch, or going on, or
/// neither of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Decision {
    Balanced,
    Remap,
    Continue,
    Either,
}

impl Decision {
    /// Between bounds on the cost of going on and of a remap.
    pub(crate) fn of<T: PartialOrd>(balanced: bool, go: [T; 2], remap: [T; 2]) -> Decision {
        match (balanced, go[0] >= remap[1], go[1] >= remap[0]) {
            (true, ..) => Decision::Balanced,
            (_, true, _) => Decision::Remap,
            (.., false) => Decision::Continue,
            (.., true) => Decision::Either,
        }
    }
}

/// How many there are of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub balanced: Interval,
    pub remap: Interval,
    pub continued: Interval,
    pub either: Interval,
}

/// Doubles around a number.
pub fn around(count: &BigInt) -> Interval {
    let near = count.to_f64().unwrap_or(f64::INFINITY);
    let exact = *count <= BigInt::from(1u64 << 53);
    if exact { (near, near).into() } else { (near.next_down(), near.next_up()).into() }
}

impl Counts {
    /// In the order of decisions.
    pub(crate) fn of<T: Into<BigInt>>(counts: [T; 4]) -> Counts {
        let [balanced, remap, continued, either] = counts.map(|count| around(&count.into()));
        Counts { balanced, remap, continued, either }
    }
}

/// Classes of states, and the load vectors in them if they are not too many, in the order of decisions.
pub struct Tally {
    pub classes: [u64; 4],
    pub vectors: Option<[u128; 4]>,
}

impl Tally {
    pub fn new() -> Tally {
        Tally { classes: [0; 4], vectors: Some([0; 4]) }
    }

    /// One more class, of so many load vectors.
    pub fn add(&mut self, decision: Decision, orders: Option<u128>) {
        self.classes[decision as usize] += 1;
        self.vectors = self.vectors.zip(orders).and_then(|(mut all, orders)| {
            all[decision as usize] = all[decision as usize].checked_add(orders)?;
            Some(all)
        });
    }
}
