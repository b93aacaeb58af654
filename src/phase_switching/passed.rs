//! What a belief is compared with, so that a threshold at the edge is passed there, too.
//!
//! Where one mapping is the better one whatever the belief, the thresholds lie at 0 or at 1, and a program whose
//! belief is exactly that goes to it: a strict comparison would keep it where it is.

use crate::Bounds;

/// Below every belief, and above.
const BELOW: f64 = -1.0;
const ABOVE: f64 = 2.0;

/// Under the first mapping, switch iff the belief exceeds this.
pub fn exceeded(to_second: Bounds) -> f64 {
    if to_second.upper == 0.0 { BELOW } else { to_second.middle() }
}

/// Under the second mapping, switch back iff the belief is below this.
pub fn undercut(to_first: Bounds) -> f64 {
    if to_first.lower == 1.0 { ABOVE } else { to_first.middle() }
}
