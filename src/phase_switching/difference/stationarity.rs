//! Bounds on the differences of all earlier steps, once a step changes the difference little.
//!
//! Let T be the step, the same from here on, and U an upper function with T U <= U + e everywhere.
//! Let 1_R indicate the beliefs at which neither U nor U + e w is clipped to the same constant, and
//! let w satisfy
//!
//! ```text
//! w >= 1 + s P (1_R w)
//! ```
//!
//! Then T (U + e w) <= T U + e s P (1_R w) <= U + e w. T is monotone, so U + e w bounds the
//! difference of every earlier step. The lower bound is analogous. w bounds the mean number of
//! steps that the belief stays in R, the unclipped range; the number of remaining steps bounds it
//! as well.
//!
//! w is found by iterating the inequality (a Green's function of the substochastic operator s P
//! 1_R) and scaling by the gap it leaves. Time O(iterations x nodes x levels), memory O(nodes).
//! Compare the bounds of MacQueen 1966 for value iteration.

use super::enclosure::Pair;
use super::operator::Line;
use super::recursion::Recursion;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::rounding::{SLACK, outward};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// The range of beliefs where the difference is not clipped, and a bound on the time the belief
/// spends there.
pub(crate) struct Room {
    /// Ends of the range; 0 or 1 where it is not bounded by a threshold.
    ends: [f64; 2],
    /// w: bounds the mean number of steps within the range.
    steps: Polyline,
    /// The greatest value of w; `f64::MAX` if no w was found.
    pub(crate) most: f64,
}

/// How far beyond a switching cost the range ends, in units of the gain: the allowed further move
/// of the difference.
pub(crate) const MARGIN: f64 = 1e-3;

/// Accuracy of w, relative and in steps, and the number of iterations after which the search ends.
/// A reduction must raise w by far less than one step.
const ROUGHLY: f64 = 1e-2;
const PART_OF_A_STEP: f64 = 0.1;
const MOST_STEPS: u32 = 1 << 13;

/// Iterations after which w is extrapolated, and how many lie between two extrapolations, each
/// twice as long as the one before. w may become larger than the iteration would have made it.
const MANY_STEPS: u32 = 1 << 10;
const ONCE_IN: u32 = 32;
const LONGEST: f64 = 1e15;

/// Nodes w may have: a coarse bound suffices.
const MOST_NODES: usize = 1 << 12;

/// The gap w - s P (1_R w) that suffices; dividing w by it restores a gap of 1.
const WORTH: f64 = 0.5;

/// Relative width over which the bound on the indicator falls to 0 outside the range.
const FADE: f64 = 1.0 / 64.0;

impl Room {
    /// The range for a difference enclosed by `pair`, with `left` steps remaining.
    pub(crate) fn of(
        recursion: &Recursion,
        pair: &Pair,
        survival: f64,
        left: f64,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Room> {
        let margin = |beyond: f64| (0.5 * beyond).min(MARGIN * recursion.scale);
        let below = margin(recursion.low - pair.upper.ends()[0]);
        let above = margin(pair.lower.ends()[1] - recursion.high);
        let start =
            if below > 0.0 { pair.upper.last_below::<false>(recursion.low - below) } else { 0.0 };
        let end =
            if above > 0.0 { pair.lower.first_above::<true>(recursion.high + above) } else { 1.0 };
        let mut room = Room { ends: [start, end], steps: Polyline::constant(1.0), most: left };
        let mut stride = 1.0;
        for done in 0..MOST_STEPS {
            if done % 32 == 31 {
                observer.check()?;
            }
            let one: Line = [1.0; 2];
            let next = recursion.filter.back::<true>(&room.inside(), survival, one, None);
            let worth = room.steps.less::<false>(&next).least() + 1.0 - SLACK * room.steps.most();
            if worth >= WORTH {
                let scaled = |steps: &f64| outward::<true>(steps / worth, steps / worth);
                room.steps.value = room.steps.value.iter().map(scaled).collect();
                room.most = room.steps.most();
                break;
            }
            let next = if done > MANY_STEPS && done % ONCE_IN == 0 && stride < LONGEST {
                stride *= 2.0;
                let grown = |next: f64, own: f64, _| next + stride * (next - own).max(0.0);
                next.with(&room.steps, grown)
            } else {
                next
            };
            let tolerance = (ROUGHLY * room.steps.most()).min(PART_OF_A_STEP);
            room.steps = next.reduced_to::<true>(tolerance, MOST_NODES);
            if room.steps.least() >= left {
                break;
            }
        }
        if room.most >= left {
            (room.steps, room.most) = (Polyline::constant(left), left);
        }
        ControlFlow::Continue(room)
    }

    /// An upper bound on 1_R w.
    fn inside(&self) -> Polyline {
        let [start, end] = self.ends;
        let (at, value) = (Vec::new(), Vec::new());
        let mut inside = Polyline { at, value };
        let mut piece = 0;
        if start > 0.0 {
            inside.push(0.0, 0.0);
            inside.push(start * (1.0 - FADE), 0.0);
        }
        inside.push(start, self.steps.at_from(&mut piece, start));
        for (at, value) in self.steps.at.iter().zip(&self.steps.value) {
            if start < *at && *at < end {
                inside.push(*at, *value);
            }
        }
        inside.push(end, self.steps.at_from(&mut piece, end));
        if end < 1.0 {
            inside.push(end + FADE * (1.0 - end), 0.0);
            inside.push(1.0, 0.0);
        }
        inside
    }

    /// An enclosure of the differences of all earlier steps, given that `older` encloses one step
    /// and `newer` is its image, both unclipped. `None` if the functions may leave the range.
    pub(crate) fn beyond(&self, recursion: &Recursion, older: &Pair, newer: &Pair) -> Option<Pair> {
        let rise = newer.upper.less::<true>(&older.upper).most().max(0.0);
        let fall = older.lower.less::<true>(&newer.lower).most().max(0.0);
        let (low, high, [start, end]) = (recursion.low, recursion.high, self.ends);
        let reach = |by: f64, size: f64| outward::<true>(by * self.most, by * self.most + size);
        let beneath = older.upper.at(start) + reach(rise, older.upper.size()) <= low;
        let beyond = older.lower.at(end) - reach(fall, older.lower.size()) >= high;
        let (beneath, beyond) = (start == 0.0 || beneath, end == 1.0 || beyond);
        let raised = |by: f64, steps: f64, size: f64| outward::<true>(by * steps, size + by * size);
        (beneath && beyond).then(|| Pair {
            upper: older
                .upper
                .with(&self.steps, |value, steps, size| value + raised(rise, steps, size))
                .rising::<true>(),
            lower: older
                .lower
                .with(&self.steps, |value, steps, size| value - raised(fall, steps, size))
                .rising::<false>(),
        })
    }
}
