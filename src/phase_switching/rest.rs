//! Bounds on all steps to come, once steps that are alike hardly move the difference any more.
//!
//! Let T be the step, the same from here on, U an upper function with T U <= U + e everywhere, and let w
//! satisfy w >= 1 + s P (1 w), where 1 is 1 at every belief at which neither U nor U + e w is cut to the
//! same constant. Then T (U + e w) <= T U + e s P (1 w) <= U + e w; T is monotone, so that U + e w lies above
//! the difference of every step to come. Below likewise. w bounds how many steps the belief takes to leave
//! the room between the switches; the number of steps left does as well.

use super::around::Pair;
use super::operator::Line;
use super::polyline::Polyline;
use super::recursion::Recursion;
use crate::rounding::{SLACK, outward};
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// Where the difference is not cut, and how long the belief stays there at most.
pub(super) struct Room {
    /// The beliefs between which it lies; 0 or 1 if it does not end there.
    ends: [f64; 2],
    /// Bounds the mean number of steps to come within it.
    steps: Polyline,
    most: f64,
}

/// How far beyond a switch the room ends, in units of the gain: what the difference may yet move.
pub(super) const MARGIN: f64 = 1e-3;

/// How accurately the numbers of steps are computed, of what there is and in steps, and steps after which they count as
/// too many. Reducing must raise them by far less than the step that one more of them is worth.
const ROUGHLY: f64 = 1e-2;
const PART_OF_A_STEP: f64 = 0.1;
const MOST_STEPS: u32 = 1 << 13;

/// Steps after which they count as many, and between two in which many are taken at once, twice as many each time: w may be
/// too large where steps would have led it.
const MANY_STEPS: u32 = 1 << 10;
const ONCE_IN: u32 = 32;
const LONGEST: f64 = 1e15;

/// Nodes w may have: it is only a bound.
const MOST_NODES: usize = 1 << 12;

/// What one step less of w has to be worth for w to do.
const WORTH: f64 = 0.5;

/// How steeply the indicator of the room falls beside it.
const FADE: f64 = 1.0 / 64.0;

impl Room {
    /// The room of a difference between `pair`, with `left` steps to come.
    pub(super) fn of(
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
        Room::between(recursion, [start, end], survival, left, observer)
    }

    /// The room between two beliefs.
    pub(super) fn between(
        recursion: &Recursion,
        [start, end]: [f64; 2],
        survival: f64,
        left: f64,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Room> {
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

    /// The greatest value of w; `f64::MAX` if none was found.
    pub(super) fn most(&self) -> f64 {
        self.most
    }

    /// Whether it holds for functions from `below` under `difference`, which rises, to `above` it.
    pub(super) fn holds(
        &self,
        recursion: &Recursion,
        difference: &Polyline,
        above: f64,
        below: f64,
    ) -> bool {
        let [start, end] = self.ends;
        let size = difference.size();
        let beneath = outward::<true>(difference.at(start) + above, size + above) <= recursion.low;
        let beyond = outward::<false>(difference.at(end) - below, size + below) >= recursion.high;
        (start == 0.0 || beneath) && (end == 1.0 || beyond)
    }

    /// Bounds the mean number of steps to come within the room.
    pub(super) fn steps(&self) -> &Polyline {
        &self.steps
    }

    /// At least the number of steps within the room and nothing beside it.
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

    /// Functions around the difference of every step to come, if `older` encloses one step and `newer` is
    /// what one step makes of it, neither being cut; none if the room may not hold them.
    pub(super) fn beyond(&self, recursion: &Recursion, older: &Pair, newer: &Pair) -> Option<Pair> {
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
