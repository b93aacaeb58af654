//! Detection of stationary steps: runs of equal survival probability whose remaining steps are
//! bounded at once.

use super::Sweep;
use crate::phase_change::Bounds;
use crate::phase_switching::difference::enclosure::Around;
use crate::phase_switching::difference::recursion::{Chances, Step};
use crate::phase_switching::difference::stationarity::Room;
use crate::phase_switching::difference::stationary_difference::AtRest;
use crate::phase_switching::value_function::mixing::Mixed;
use crate::phase_switching::value_function::value::GAINS;
use crate::rounding::outward;
use crate::{Halt, Observer};
use std::ops::ControlFlow;

/// Length of such a run from which the test pays.
const LONG: u64 = 64;

/// Where the filter forgets less than this in so many steps at most, all steps are taken one by
/// one: the change of the value in a step does not become linear.
const REMEMBERED: f64 = 0.5;
const FEW_STEPS: u64 = 4096;

/// A run of equal steps.
pub(super) struct Alike {
    /// Its first step.
    from: u64,
    /// The previously computed step, which is later in time.
    before: Option<Step>,
    /// Steps until the next test, and the interval after that one.
    wait: u64,
    again: u64,
    /// Factor on the reduction within this run.
    pub(super) finer: f64,
    /// Whether the method of `from_rest.rs` was tried without success.
    tried: bool,
}

impl Alike {
    fn new(from: u64) -> Alike {
        Alike { from, before: None, wait: 0, again: FIRST_WAIT, finer: 1.0, tried: false }
    }
}

/// Initial interval between tests and its growth; the factor on the reduction after a failed test,
/// and its least values. With few pieces it may become smaller.
const FIRST_WAIT: u64 = 8;
const LONGER: f64 = 1.25;
const FINER: f64 = 0.25;
const FINEST: f64 = 1.0 / 256.0;
const FINEST_OF_FEW: f64 = 1e-12;

/// A step that changes the functions by at most this multiple of the reduction is stationary apart
/// from reductions.
const JITTER: f64 = 4.0;

/// Pieces from which `from_rest.rs` is tried. Its reduction in units of the width of thresholds,
/// and of a step's allowance for the value. The fraction of the value's width that the residuals
/// may use, and the most steps until then.
const MANY: usize = 1 << 13;
const LEVEL: f64 = 0.05;
const DIFFERENCE: f64 = 0.015;
const LEFT: f64 = 0.05;
const FAR: usize = 2000;

/// Most move of a threshold in a step that is nearly stationary, as a multiple of the tolerance.
const NEAR: f64 = 0.5;

/// Enclosure of all steps down to an earlier one.
pub(super) struct Rest {
    /// Encloses the difference of each step, apart from the residuals; `last` encloses the earliest
    /// one if more steps follow.
    pub(super) raw: Around,
    pub(super) last: Option<Around>,
    /// The thresholds from step `first` down to step `reached`.
    pub(super) thresholds: [Bounds; 2],
    pub(super) first: u64,
    pub(super) reached: u64,
    /// Sum of the residuals above and below `raw`.
    pub(super) beside: [f64; 2],
}

impl Sweep<'_> {
    /// Bounds on the steps before step `n`, down to step `from`, from an approximately stationary
    /// difference function.
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
            // Sums of thousands of terms, rounded up.
            (above, below) = ((above + under).next_up(), (below + over).next_up());
            thresholds.push(rest.thresholds(recursion, &beside));
        }
        ControlFlow::Continue(None)
    }

    /// Registers `step`, which is step `n`. If all earlier steps of a long run are stationary,
    /// returns an enclosure of them all.
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
                // Steps whose value is iterated are treated apart from those with means.
                let apart = self.mixed.as_ref().map_or(0, Mixed::from);
                let from = if n > apart { from.max(apart) } else { from };
                let memory = self.recursion.filter.memory().powf((n - from) as f64);
                if n - from < LONG || (n - from <= FEW_STEPS && memory > REMEMBERED) {
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
            // Later steps of another kind amplify the width, including parts that no threshold
            // shows.
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
