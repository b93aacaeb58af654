//! Exact thresholds if a cycle gains the same from the second mapping in either phase, ties
//! included.
//!
//! The difference then does not depend on the belief: it is a number x_n = g + s_n cut(x_{n+1}),
//! the recursion of [`Onset`]. With g > 0 the second mapping is never left, and the first one at
//! every belief or at none; a tie, x_n = c, means no switch. O(distinct steps) time and memory.

use crate::lifetime::Lifetime;
use crate::phase_change::{Curve, Onset};
use crate::phase_switching::problem::PhaseSwitching;
use crate::rounding::nearest;
use crate::{Bounds, Rational};

/// Most steps that are computed one by one.
const MOST_STEPS: u64 = 1 << 20;

/// The thresholds of all steps; `None` if the gains differ or too many steps are distinct.
pub(crate) fn thresholds(problem: &PhaseSwitching, lifetime: &Lifetime) -> Option<[Curve; 2]> {
    let gain = problem.gain(0);
    if gain != problem.gain(1) {
        return None;
    }
    // The mapping that may be left, and its gain from that.
    let (left, gain) = if gain > Rational::ZERO { (0, gain) } else { (1, -gain) };
    let cost = problem.switch[left].clone();
    let pair = [gain, cost.clone().unwrap_or(Rational::ZERO)];
    let doubles = pair.each_ref().map(nearest);
    let mut onset = Onset::new(lifetime, pair, doubles);
    let mut curves = [Curve::default(), Curve::default()];
    let mut next = Some(lifetime.last());
    for _ in 0..MOST_STEPS {
        let Some(n) = next else { return Some(curves) };
        let pays = onset.pays(n);
        let mut first = lifetime.constant_from(n);
        if first < n && onset.is_settled(n, pays) {
            onset.skip_to(first, pays);
        } else {
            first = n;
        }
        // The thresholds of a switch at no belief, and at every one.
        let [never, always] = [[1.0, 0.0], [0.0, 1.0]].map(|both| both[left]);
        let threshold = match (cost.is_some(), onset.doubtful, pays) {
            (true, true, _) => Bounds { lower: 0.0, upper: 1.0 },
            (true, false, true) => [always; 2].into(),
            _ => [never; 2].into(),
        };
        curves[left].extend_down(first, n, threshold);
        curves[1 - left].extend_down(first, n, [1.0 - never; 2].into());
        next = first.checked_sub(1);
    }
    None
}
