//! Comparison levels for beliefs, such that thresholds at 0 and 1 are passed too.
//!
//! If one mapping is better at every belief, the thresholds lie at 0 or at 1. A strict comparison
//! would miss a belief that equals the threshold, so the level is moved outside [0, 1].

use crate::Bounds;

/// A level below every belief, and one above.
const BELOW: f64 = -1.0;
const ABOVE: f64 = 2.0;

/// Under the first mapping, switch iff the belief exceeds this level.
pub fn exceeded(to_second: Bounds) -> f64 {
    if to_second.upper == 0.0 { BELOW } else { to_second.middle() }
}

/// Under the second mapping, switch back iff the belief is below this level.
pub fn undercut(to_first: Bounds) -> f64 {
    if to_first.lower == 1.0 { ABOVE } else { to_first.middle() }
}
