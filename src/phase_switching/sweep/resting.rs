//! Steps that are alike, and whether they are at rest.

use super::Sweep;
use crate::phase_change::Bounds;
use crate::phase_switching::around::Around;
use crate::phase_switching::from_rest::AtRest;
use crate::phase_switching::mixed::Mixed;
use crate::phase_switching::recursion::{Chances, Step};
use crate::phase_switching::rest::Room;
use crate::phase_switching::value::GAINS;
use crate::rounding::outward;
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
    /// Whether they have been seen from rest in vain.
    tried: bool,
}

impl Alike {
    fn new(from: u64) -> Alike {
        Alike { from, before: None, wait: 0, again: FIRST_WAIT, finer: 1.0, tried: false }
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

/// Pieces of the difference from which on steps are seen from rest; how far reducing may move that in units of the
/// width of thresholds, and of what a step may add to the width of the value; what of the latter the way there
/// may use; and how long that is at most.
const MANY: usize = 1 << 13;
const LEVEL: f64 = 0.05;
const DIFFERENCE: f64 = 0.015;
const LEFT: f64 = 0.05;
const FAR: usize = 2000;

/// How much a step may move a threshold that is near rest, as a multiple of the tolerance.
const NEAR: f64 = 0.5;

/// What encloses all steps down to a later one.
pub(super) struct Rest {
    /// The difference of each of them, but for what lies beside it on the way, and of the last of them if more follow.
    pub(super) raw: Around,
    pub(super) last: Option<Around>,
    /// The thresholds from the first of them on that are not known otherwise.
    pub(super) thresholds: [Bounds; 2],
    pub(super) first: u64,
    pub(super) reached: u64,
    /// What the differences exceed `raw` by adds up to, above the value and below.
    pub(super) beside: [f64; 2],
}

impl Sweep<'_> {
    /// Bounds on the steps below `step`, which is step `n`, down to step `from`, by way of one that is at rest.
    fn seen_from_rest(
        &mut self,
        n: u64,
        step: &Step,
        from: u64,
        chances: Chances,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Rest>> {
        let recursion = self.recursion;
        let allowance = self.value.allowance();
        let finest = (LEVEL * self.aim.threshold * recursion.scale).min(DIFFERENCE * allowance);
        let merges = [self.merge.now, finest];
        let rest = AtRest::of(recursion, step.raw.upper(), chances.survival, merges, observer)?;
        let Some(rest) = rest else { return ControlFlow::Continue(None) };
        let raw = Around::Both(rest.around());
        if !recursion.lasts_less(&recursion.gains(&raw), GAINS * allowance) {
            return ControlFlow::Continue(None);
        }
        let close = if from > 0 { self.aim.threshold } else { self.tolerance };
        let mut beside = rest.beside(&step.raw.both());
        let (mut above, mut below) = (0.0, 0.0);
        let mut thresholds: Vec<[Bounds; 2]> = Vec::new();
        for first in (from..n).rev() {
            observer.check()?;
            let [[over, under], _] = rest.excess(recursion, &beside);
            let lasting = rest.lasting(recursion, [over, under]);
            let shown = lasting.as_ref().map(|pair| rest.thresholds(recursion, pair));
            let enough = (over + under) * rest.steps() <= LEFT * self.value.width()
                && shown.is_some_and(|shown| shown.iter().all(|bounds| bounds.width() <= close));
            if enough && let (Some(lasting), Some(shown)) = (lasting, shown) {
                for (k, [to_second, to_first]) in (first + 1..n).rev().zip(&thresholds) {
                    self.to_second.extend_down(k, k, *to_second);
                    self.to_first.extend_down(k, k, *to_first);
                }
                let left = |sum: f64, rest_left: f64| sum + rest_left * rest.steps();
                return ControlFlow::Continue(Some(Rest {
                    raw,
                    last: (from > 0).then(|| Around::Both(rest.whole(&lasting))),
                    thresholds: shown,
                    first,
                    reached: from,
                    beside: [left(above, under), left(below, over)]
                        .map(|sum| outward::<true>(sum, sum)),
                }));
            }
            if thresholds.len() >= FAR {
                break;
            }
            beside = rest.step(recursion, &beside);
            let [_, [over, under]] = rest.excess(recursion, &beside);
            // Sums of thousands, rounded up.
            (above, below) = ((above + under).next_up(), (below + over).next_up());
            thresholds.push(rest.thresholds(recursion, &beside));
        }
        ControlFlow::Continue(None)
    }

    /// Takes in `step`, which is step `n`. If all steps below it down to one that is still far are at rest: a
    /// step that encloses all of those, and the last of them.
    pub(super) fn rest_from(
        &mut self,
        n: u64,
        step: Step,
        chances: Chances,
        observer: &dyn Observer,
    ) -> ControlFlow<Halt, Option<Rest>> {
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
            let (own, its) = (step.raw.both(), before.raw.both());
            let room = Room::of(recursion, &own, chances.survival, left, observer)?;
            let beyond = room.beyond(recursion, &its, &own).map(Around::Both);
            // Steps of another kind that follow magnify what they are given, also what no threshold shows.
            let follows = alike.from > 0;
            let close = if follows { self.aim.threshold } else { self.tolerance };
            let shown = beyond.map(|pair| self.known(recursion.shown(pair), alike.from, n - 1));
            let shown = shown.filter(|shown| {
                let gains = recursion.gains(&shown.raw);
                let wider = || recursion.distance(&shown.raw.both()) - recursion.distance(&own);
                shown.width() <= close
                    && (!follows || wider() <= close * recursion.scale)
                    && recursion.lasts_less(&gains, GAINS * self.value.allowance())
            });
            found = shown.map(|Step { raw, to_second, to_first }| Rest {
                raw,
                last: None,
                thresholds: [to_second, to_first],
                first: n - 1,
                reached: alike.from,
                beside: [0.0; 2],
            });
            if found.is_none() {
                let changed = step.changed(before);
                let jitters = changed <= JITTER * alike.finer * self.merge.now;
                let many = !alike.tried && step.raw.nodes() > MANY;
                if many && (jitters || changed * room.most().powi(2) <= LEFT * self.value.width()) {
                    alike.tried = true;
                    found = self.seen_from_rest(n, &step, alike.from, chances, observer)?;
                } else if jitters {
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
