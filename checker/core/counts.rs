//! Decides states from bounds on their costs, and counts the states of each decision.

use crate::core::proof::Interval;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

/// What is proved of a state: it is balanced, remapping is the cheaper branch, continuing is the
/// cheaper branch, or neither is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Decision {
    Balanced,
    Remap,
    Continue,
    Either,
}

impl Decision {
    /// The decision that follows from bounds on the cost of continuing and on that of a remap.
    pub(crate) fn of<T: PartialOrd>(balanced: bool, go: [T; 2], remap: [T; 2]) -> Decision {
        match (balanced, go[0] >= remap[1], go[1] >= remap[0]) {
            (true, ..) => Decision::Balanced,
            (_, true, _) => Decision::Remap,
            (.., false) => Decision::Continue,
            (.., true) => Decision::Either,
        }
    }
}

/// Bounds on the number of states of each decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub balanced: Interval,
    pub remap: Interval,
    pub continued: Interval,
    pub either: Interval,
}

/// The nearest doubles that enclose an integer.
pub fn around(count: &BigInt) -> Interval {
    let near = count.to_f64().unwrap_or(f64::INFINITY);
    let exact = *count <= BigInt::from(1u64 << 53);
    if exact { (near, near).into() } else { (near.next_down(), near.next_up()).into() }
}

impl Counts {
    /// Counts in the order of [`Decision`].
    pub(crate) fn of<T: Into<BigInt>>(counts: [T; 4]) -> Counts {
        let [balanced, remap, continued, either] = counts.map(|count| around(&count.into()));
        Counts { balanced, remap, continued, either }
    }
}

/// The number of classes of states for each decision. `vectors` counts the load vectors in them,
/// unless there are too many.
pub struct Tally {
    pub classes: [u64; 4],
    pub vectors: Option<[u128; 4]>,
}

impl Tally {
    pub fn new() -> Tally {
        Tally { classes: [0; 4], vectors: Some([0; 4]) }
    }

    /// Counts one more class, which stands for `orders` load vectors.
    pub fn add(&mut self, decision: Decision, orders: Option<u128>) {
        self.classes[decision as usize] += 1;
        self.vectors = self.vectors.zip(orders).and_then(|(mut all, orders)| {
            all[decision as usize] = all[decision as usize].checked_add(orders)?;
            Some(all)
        });
    }
}
