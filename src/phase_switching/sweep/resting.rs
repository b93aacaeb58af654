//! Steps that are alike, and whether they are at rest.

use super::Sweep;
use crate::phase_switching::mixed::Mixed;
use crate::phase_switching::recursion::{Chances, Step};
use crate::phase_switching::rest::Room;
use crate::phase_switching::value::GAINS;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// Steps of the same kind from which on it is worth asking where they come to rest.
const LONG: u64 = 64;

/// Steps that are all alike.
pub(super) struct Alike {
    /// The first of them.
    from: u64,
    /// The step before, which is the later one.
    before: Option<Step>,
    /// Steps to come until it is asked again whether they are at rest, and after that.
    wait: u64,
    again: u64,
    /// How much less than elsewhere a function may be reduced.
    pub(super) finer: f64,
}

impl Alike {
    fn new(from: u64) -> Alike {
        Alike { from, before: None, wait: 0, again: FIRST_WAIT, finer: 1.0 }
    }
}

/// Steps between two attempts to find steps at rest, at first; how many more from attempt to attempt, and
/// how much less functions may be reduced: the fewer pieces they have, the less.
const FIRST_WAIT: u64 = 8;
const LONGER: f64 = 1.25;
const FINER: f64 = 0.25;
const FINEST: f64 = 1.0 / 256.0;
const FINEST_OF_FEW: f64 = 1e-12;

/// Functions that a step moves by no more than so many times what reducing does are at rest but for that.
const JITTER: f64 = 4.0;

/// Pieces of the difference from which on reducing it less costs too much.
const MANY: usize = 1 << 13;

/// How much a step may move a threshold that is near rest, as a multiple of the tolerance.
const NEAR: f64 = 0.5;

impl Sweep<'_> {
    /// Takes in `step`, which is step `n`. If all steps below it down to one that is still far are at rest: a
    /// step that encloses all of those, and the last of them.
    pub(super) fn rest_from(
        &mut self,
        n: u64,
        step: Step,
        chances: Chances,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<(Step, u64)>> {
        let kept = self.alike.take().filter(|alike| alike.from < n);
        let mut alike = match kept {
            Some(alike) => alike,
            None => {
                let from =
                    if n < self.lifetime.last() { self.lifetime.constant_from(n) } else { n };
                // Steps of which the value is followed are looked at by themselves.
                let apart = self.mixed.as_ref().map_or(0, Mixed::from);
                let from = if n > apart { from.max(apart) } else { from };
                if n - from < LONG {
                    return ControlFlow::Continue(None);
                }
                Alike::new(from)
            }
        };
        let mut found = None;
        alike.wait = alike.wait.saturating_sub(1);
        if let Some(before) = &alike.before
            && alike.wait == 0
            && step.moved(before) <= NEAR * self.tolerance
        {
            self.estimate(observer);
            let (recursion, left) = (self.recursion, (n - alike.from + 1) as f64);
            let (own, its) = (&step.raw, &before.raw);
            let room = Room::of(recursion, own, chances.survival, left, observer)?;
            let beyond = room.beyond(recursion, its, own);
            // Steps of another kind that follow magnify what they are given, also what no threshold shows.
            let follows = alike.from > 0;
            let close = if follows { self.aim.threshold } else { self.tolerance };
            let shown = beyond.map(|pair| self.known(recursion.shown(pair), alike.from, n - 1));
            let shown = shown.filter(|shown| {
                let gains = recursion.gains(&shown.raw);
                let wider = || recursion.distance(&shown.raw) - recursion.distance(own);
                shown.width() <= close
                    && (!follows || wider() <= close * recursion.scale)
                    && recursion.lasts_less(&gains, GAINS * self.value.allowance())
            });
            found = shown.map(|shown| (shown, alike.from));
            if found.is_none() {
                let changed = step.changed(before);
                let jitters = changed <= JITTER * alike.finer * self.merge.now;
                if jitters {
                    let few = step.raw.nodes() < MANY;
                    let finest = if few { FINEST_OF_FEW } else { FINEST.min(alike.finer) };
                    alike.finer = (alike.finer * FINER).max(finest);
                    alike.again = FIRST_WAIT;
                }
                alike.wait = alike.again;
                alike.again = (alike.again as f64 * LONGER) as u64;
            }
        }
        alike.before = Some(step);
        self.alike = found.is_none().then_some(alike);
        ControlFlow::Continue(found)
    }
}
