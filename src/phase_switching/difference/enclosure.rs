//! Enclosures of the difference.

use crate::phase_switching::polylines::polyline::Polyline;

/// A lower and an upper function.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) upper: Polyline,
    pub(crate) lower: Polyline,
}

/// Nodes from which two threads pay.
const MANY_NODES: usize = 1000;

impl Pair {
    /// Both equal to the constant `value`.
    pub(crate) fn constant(value: f64) -> Pair {
        Pair { upper: Polyline::constant(value), lower: Polyline::constant(value) }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.upper.nodes().max(self.lower.nodes())
    }

    /// The two sides, computed in two threads if `nodes` is large enough.
    pub(crate) fn of(
        nodes: usize,
        upper: impl FnOnce() -> Polyline + Send,
        lower: impl FnOnce() -> Polyline + Send,
    ) -> Pair {
        let (upper, lower) =
            if nodes > MANY_NODES { rayon::join(upper, lower) } else { (upper(), lower()) };
        Pair { upper, lower }
    }
}
