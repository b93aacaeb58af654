//! The best of the rules that remap when max - mean exceeds a threshold.

use super::{Backward, Carry, Control, LoadDrift, States, Transition, Unremapped};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use std::ops::ControlFlow;

/// A threshold on max - mean, and those it is the best of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestThreshold {
    /// Remap when max - mean exceeds this: halfway between two values that it may have, or above all.
    pub threshold: f64,
    /// The exact expected objective of that rule.
    pub value: f64,
    /// The least and the largest threshold that were evaluated: all that make a difference between these were. Below them the
    /// least there is was too, and never above them.
    pub searched: [f64; 2],
}

/// Beyond a threshold whose rule costs so much more than the best, none is tried.
const FAR: f64 = 1.01;

/// So many thresholds are all tried.
const FEW: u32 = 32;

/// What two ways to add up the same costs may differ by.
const ROUNDING: f64 = 1e-12;

impl LoadDrift {
    /// The best threshold on max - mean among those around `start`, each evaluated exactly: where there are more than a few, on either
    /// side on to the first that costs a hundredth more than the best, or the last there is; and the two ends, to remap whatever is not balanced and
    /// never to remap. Of equal ones the lowest, or never. Time: a backward recursion over the states within the threshold, for each.
    ///
    /// # Errors
    /// The halt the observer asked for.
    ///
    /// # Panics
    /// When `states` and `transition` are not those of the problem.
    pub fn best_threshold(
        &self,
        states: &States,
        transition: &Transition,
        start: f64,
        observer: &dyn Observer,
    ) -> Result<BestThreshold, Halt> {
        self.best_threshold_overlapping(Overlap::NONE, (states, transition), start, observer)
    }

    /// The same where remaps come into force later.
    ///
    /// # Errors
    /// The halt the observer asked for.
    ///
    /// # Panics
    /// When `states` and `transition` are not those of the problem.
    pub fn best_threshold_overlapping(
        &self,
        overlap: Overlap,
        all: (&States, &Transition),
        start: f64,
        observer: &dyn Observer,
    ) -> Result<BestThreshold, Halt> {
        let states = all.0;
        let last = states.largest_excess();
        let far = if last < FEW { f64::INFINITY } else { FAR };
        let evaluate = |excess: u32| {
            let control = Control::Threshold(states.threshold_at(excess));
            let backward = Backward::overlapping(self, overlap, all, control, Carry::Value);
            value_of(backward, observer)
        };
        let begin = states.within(start);
        let mut best = (begin, evaluate(begin)?);
        let mut searched = [begin, begin];
        for excess in (0..begin).rev() {
            let value = evaluate(excess)?;
            searched[0] = excess;
            if value <= best.1 {
                best = (excess, value);
            } else if value > far * best.1 {
                break;
            }
        }
        for excess in begin + 1..=last {
            let value = evaluate(excess)?;
            searched[1] = excess;
            if value < best.1 {
                best = (excess, value);
            } else if value > far * best.1 {
                break;
            }
        }
        if searched[0] > 0 {
            let value = evaluate(0)?;
            if value < best.1 * (1.0 - ROUNDING) {
                best = (0, value);
            }
        }
        // Nothing exceeds the last one: never, which need not be near the others.
        let never = Unremapped::of(self, observer)?.never.value;
        if never <= best.1 * (1.0 + ROUNDING) {
            best = (last, never);
        }
        let searched = searched.map(|excess| states.threshold_at(excess));
        Ok(BestThreshold { threshold: states.threshold_at(best.0), value: best.1, searched })
    }

    /// The exact expected objective of the rule that remaps when max - mean exceeds the threshold of the step: each holds from the
    /// decision after its step on, the first from the start, up to the next. Time: a backward recursion over all states.
    ///
    /// # Errors
    /// The halt the observer asked for.
    ///
    /// # Panics
    /// When `states` and `transition` are not those of the problem, or the steps are not in ascending order.
    pub fn value_of_thresholds(
        &self,
        overlap: Overlap,
        all: (&States, &Transition),
        thresholds: &[(u64, f64)],
        observer: &dyn Observer,
    ) -> Result<f64, Halt> {
        assert!(thresholds.is_sorted_by_key(|(from, _)| *from), "steps ascend");
        let control = Control::Threshold(f64::INFINITY);
        let backward = Backward::overlapping(self, overlap, all, control, Carry::Value);
        value_of(backward.by_step(thresholds.to_vec()), observer)
    }
}

/// What a recursion comes to.
fn value_of(mut backward: Backward<'_>, observer: &dyn Observer) -> Result<f64, Halt> {
    while backward.remaining() > 0 {
        if let ControlFlow::Break(halt) = observer.check() {
            return Err(halt);
        }
        backward.look_ahead(observer)?;
        backward.advance();
    }
    Ok(backward.value())
}
