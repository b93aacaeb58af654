//! What a program at rest costs from one step to the next, between bounds.

use super::around::Pair;
use super::operator::Line;
use super::polyline::Polyline;
use super::recursion::Chances;
use super::recursion::Recursion;
use super::shifted::Change;
use crate::rounding::SLACK;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// A function roughly as the value at rest, and bounds on what a step adds to it.
pub(super) struct Relative {
    pub(super) value: Polyline,
    pub(super) change: Change,
}

/// How far reducing may move the relative value until it has settled, as a multiple of the tolerance and of
/// what a step still changes.
const MERGE: f64 = 100.0;
const ROUGHLY: f64 = 0.05;

/// How far in the end, and how much less from step to step until then: what is rough about its change is gone
/// after some steps only, each with as many nodes as it takes to show it.
const SHARP: f64 = 0.4;
const SHARPER: f64 = 0.6;

/// How much more than a reduction a step may still change it when it counts as settled.
const SETTLED: f64 = 8.0;

/// What reducing the change may add to it, as a fraction of the tolerance.
const DRIFT: f64 = 0.25;

/// How many steps use half of it.
const EARLY: f64 = 2.0;

/// What of it a step uses after `done` others; all together use it up.
pub(super) fn spent(done: u64) -> f64 {
    let passed = EARLY + done as f64;
    EARLY / (passed * (passed + 1.0))
}

/// Steps without progress after which an iteration is given up.
const MOST_STEPS_IN_VAIN: u32 = 64;
const PROGRESS: f64 = 0.01;

impl Relative {
    /// By value iteration, ever less reduced. What a step adds will be wanted to `tolerance`; `gains` encloses
    /// what switching gains at a step, `running` is the mean time of a cycle under the first mapping.
    pub(super) fn of(
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

/// Bounds on the average: `running` is the mean time of a cycle under the first mapping, `gains` encloses
/// what switching gains, `share` is the long-run share of the second phase.
///
/// Let r = e_1 - (D - c)^+ be what a cycle takes beside what is owed already, and v any function. Then r
/// and r + P v - v have the same mean over the stationary law of the belief, and so has any P^k of it; a linear
/// function beside that shows its mean at the stationary share of the phases. v is chosen so that little
/// is left.
pub(super) fn average(
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
        change.step(recursion, always, spent(done) * DRIFT * tolerance);
        done += 1;
    }
}
