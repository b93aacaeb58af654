//! Two functions that enclose a third.

use super::polyline::Polyline;

/// An upper and a lower bound of one function.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) upper: Polyline,
    pub(super) lower: Polyline,
}

/// Nodes from which on the two sides are worth two threads.
const MANY_NODES: usize = 1000;

impl Pair {
    /// Both the constant `value`.
    pub(super) fn constant(value: f64) -> Pair {
        Pair { upper: Polyline::constant(value), lower: Polyline::constant(value) }
    }

    pub(super) fn nodes(&self) -> usize {
        self.upper.nodes().max(self.lower.nodes())
    }

    /// The two sides, computed in two threads if there are `nodes` enough.
    pub(super) fn of(
        nodes: usize,
        upper: impl FnOnce() -> Polyline + Send,
        lower: impl FnOnce() -> Polyline + Send,
    ) -> Pair {
        let (upper, lower) =
            if nodes > MANY_NODES { rayon::join(upper, lower) } else { (upper(), lower()) };
        Pair { upper, lower }
    }
}
