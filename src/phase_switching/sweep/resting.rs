//! Detection of stationary steps: runs of equal survival probability whose remaining steps are
//! bounded at once.

use super::Sweep;
use crate::phase_switching::difference::recursion::{Chances, Step};
use crate::phase_switching::difference::stationarity::Room;
use crate::phase_switching::value_function::mixing::Mixed;
use crate::phase_switching::value_function::value::GAINS;
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
}

/// Initial interval between tests and its growth; the factor on the reduction after a failed test,
/// and its least value.
const FIRST_WAIT: u64 = 8;
const LONGER: f64 = 1.25;
const FINER: f64 = 0.25;
const FINEST: f64 = 1e-12;

/// A step that changes the functions by at most this multiple of the reduction is stationary apart
/// from reductions.
const JITTER: f64 = 4.0;

/// Most move of a threshold in a step that is nearly stationary, as a multiple of the tolerance.
const NEAR: f64 = 0.5;

impl Sweep<'_> {
    /// Registers `step`, which is step `n`. If all earlier steps of a long run are stationary,
    /// returns an enclosure of them all, and the number of the first.
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
                // Steps whose value is iterated are treated apart from those with means.
                let apart = self.mixed.as_ref().map_or(0, Mixed::from);
                let from = if n > apart { from.max(apart) } else { from };
                let memory = self.recursion.filter.memory.powf((n - from) as f64);
                if n - from < LONG || (n - from <= FEW_STEPS && memory > REMEMBERED) {
                    return ControlFlow::Continue(None);
                }
                Alike { from, before: None, wait: 0, again: FIRST_WAIT, finer: 1.0 }
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
            // Later steps of another kind amplify the width, including parts that no threshold
            // shows.
            let follows = alike.from > 0;
            let close = if follows { self.aim.threshold } else { self.tolerance };
            let shown = beyond.map(|pair| self.known(recursion.shown(pair), alike.from, n - 1));
            found = shown.filter(|shown| {
                let gains = recursion.gains(&shown.raw);
                let wider = || recursion.distance(&shown.raw) - recursion.distance(own);
                shown.width() <= close
                    && (!follows || wider() <= close * recursion.scale)
                    && recursion.lasts_less(&gains, GAINS * self.value.allowance())
            });
            if found.is_none() {
                if step.changed(before) <= JITTER * alike.finer * self.merge.now {
                    alike.finer = (alike.finer * FINER).max(FINEST);
                    alike.again = FIRST_WAIT;
                }
                alike.wait = alike.again;
                alike.again = (alike.again as f64 * LONGER) as u64;
            }
        }
        let reached = alike.from;
        alike.before = Some(step);
        self.alike = found.is_none().then_some(alike);
        ControlFlow::Continue(found.map(|step| (step, reached)))
    }
}
