//! The relative value of stationary steps and the average cost, with certified bounds: relative
//! value iteration (White 1963).
//!
//! The step is T v = e_1 - (D - c)^+ + s P v with the gains fixed. O(pieces x levels) a step.

use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::operator::Line;
use crate::phase_switching::difference::recursion::Chances;
use crate::phase_switching::difference::recursion::Recursion;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::shifted::Change;
use crate::rounding::SLACK;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// An approximate relative value v, and bounds on T v - v.
pub(crate) struct Relative {
    pub(crate) value: Polyline,
    pub(crate) change: Change,
}

/// Reduction of v until it settles: as a multiple of the tolerance, and of the change of a step.
const MERGE: f64 = 100.0;
const ROUGHLY: f64 = 0.05;

/// The final reduction in units of the tolerance, and the factor from step to step on the way.
/// Roughness of the change disappears only after several steps, each with many nodes.
const SHARP: f64 = 0.4;
const SHARPER: f64 = 0.6;

/// The iterate has settled when a step changes it by at most this multiple of the reduction.
const SETTLED: f64 = 8.0;

/// Most that the reductions may add to the change, as a fraction of the tolerance.
const DRIFT: f64 = 0.25;

/// The number of steps that use up half of a budget.
const EARLY: f64 = 2.0;

/// Share of a budget that a step uses after `done` others; the shares of all steps sum to 1.
pub(crate) fn spent(done: u64) -> f64 {
    let passed = EARLY + done as f64;
    EARLY / (passed * (passed + 1.0))
}

/// Steps without progress after which an iteration ends.
const MOST_STEPS_IN_VAIN: u32 = 64;
const PROGRESS: f64 = 0.01;

impl Relative {
    /// Value iteration with ever smaller reductions. T v - v is needed to `tolerance`. `gains`
    /// encloses the gain of switching at a step, `running` is the mean time of a cycle under the
    /// first mapping.
    pub(crate) fn of(
        recursion: &Recursion,
        running: Line,
        gains: &Pair,
        chances: Chances,
        tolerance: f64,
        observer: &dyn Observer,
    ) -> Relative {
        let (filter, survival) = (&recursion.filter, chances.survival);
        let (finest, sharp) = (MERGE * tolerance, SHARP * tolerance);
        let mut value = Polyline::constant(0.0);
        let (mut least, mut idle) = (f64::INFINITY, 0);
        let mut settled = None;
        let rough = gains.lower.reduced::<false>(finest);
        loop {
            let gain = if settled.is_some() { &gains.lower } else { &rough };
            let next = filter.back::<true>(&value, survival, running, Some(gain));
            let rise = next.less::<true>(&value);
            let ([start, end], [above, beside]) = (rise.ends(), rise.beside::<true>());
            let [under, below] = rise.beside::<false>();
            let bent = (above - start).max(beside - end).max(start - under).max(end - below);
            idle = if bent < least * (1.0 - PROGRESS) { 0 } else { idle + 1 };
            least = least.min(bent);
            if settled.is_none() && (bent <= SETTLED * finest || idle > MOST_STEPS_IN_VAIN) {
                settled = Some(finest);
            }
            if observer.check().is_break() || settled.is_some_and(|merge| merge <= sharp) {
                let next = filter.back::<false>(&value, survival, running, Some(&gains.upper));
                let change = Change::of(rise, next.less::<false>(&value));
                return Relative { value, change };
            }
            settled = settled.map(|merge| SHARPER * merge);
            let merge = settled.unwrap_or(finest.max(ROUGHLY * bent));
            value = next.reduced_to::<true>(merge, recursion.most_nodes);
            let start = value.value[0];
            value.value.iter_mut().for_each(|value| *value -= start);
        }
    }
}

/// Bounds on the average. `running` is the mean time of a cycle under the first mapping, `gains`
/// encloses the gain of switching, `share` is the stationary probability of the second phase.
///
/// Let r = e_1 - (D - c)^+ be the cost of a cycle and v any function. Then r, h = r + P v - v and
/// every P^k h have the same mean under the stationary distribution of the belief. A linear
/// function has its mean at the stationary share, so linear bounds on P^k h bound the average. v is
/// chosen such that h is nearly constant.
pub(crate) fn average(
    recursion: &Recursion,
    running: Line,
    gains: &Pair,
    share: f64,
    tolerance: f64,
    observer: &dyn Observer,
) -> ((f64, f64), Option<Halt>) {
    let at = |line: Line| line[0] + share * (line[1] - line[0]);
    let blur = |line: Line| 4.0 * SLACK * (line[0].abs() + line[1].abs());
    let always = Chances { survival: 1.0, failure: 0.0 };
    let Relative { mut change, .. } =
        Relative::of(recursion, running, gains, always, tolerance, observer);
    let mut best = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut done, mut idle) = (0, 0);
    loop {
        let [rise, fall] = change.lines();
        let width = best.1 - best.0;
        best = (best.0.max(at(fall) - blur(fall)), best.1.min(at(rise) + blur(rise)));
        let now = best.1 - best.0;
        idle = if now < width * (1.0 - PROGRESS) { 0 } else { idle + 1 };
        if now <= tolerance || idle > MOST_STEPS_IN_VAIN {
            return (best, None);
        }
        if let ControlFlow::Break(halt) = observer.check() {
            return (best, Some(halt));
        }
        change.step(recursion, always, spent(done) * DRIFT * tolerance, [0.0; 2], None);
        done += 1;
    }
}
