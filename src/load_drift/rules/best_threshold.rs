//! The best threshold policy: remap when max - mean exceeds a constant.
//!
//! Each candidate threshold is evaluated exactly by backward induction, with the policy fixed. The
//! search starts from a given threshold and goes outward on both sides.

use crate::load_drift::{Backward, Carry, Control, LoadDrift, States, Transition, Unremapped};
use crate::observer::{Halt, Observer};
use crate::overlap::Overlap;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A threshold on max - mean, and the range of thresholds that were evaluated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BestThreshold {
    /// Remap when max - mean exceeds this. It lies halfway between two attainable values, or above
    /// all, which means never.
    pub threshold: f64,
    /// The exact expected objective of this policy.
    pub value: f64,
    /// The least and the largest threshold evaluated. All thresholds between them that make a
    /// difference were evaluated, too. The least possible threshold and "never remap" were
    /// evaluated in addition.
    pub searched: [f64; 2],
}

/// The search stops on one side at a threshold whose value exceeds the best by this factor.
const FAR: f64 = 1.01;

/// With fewer distinct thresholds than this, all are evaluated.
const FEW: u32 = 32;

/// Relative difference that two ways of summing the same costs may have.
const ROUNDING: f64 = 1e-12;

impl LoadDrift {
    /// The best threshold on max - mean among those around `start`, each evaluated exactly.
    ///
    /// With few distinct thresholds all are evaluated. Otherwise the search goes on, on each side,
    /// to the first threshold that costs 1 % more than the best. The two extremes are evaluated in
    /// any case: remap whatever is not balanced, and never remap. Of equal thresholds the result is
    /// the lowest, or never. Time: one backward recursion over the states within the threshold, for
    /// each threshold.
    ///
    /// # Errors
    /// The halt that the observer requested.
    ///
    /// # Panics
    /// When `states` and `transition` belong to another problem.
    pub fn best_threshold(
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
        // No imbalance exceeds the last threshold: never remap. Its value need not be near that of
        // the others.
        let never = Unremapped::of(self, observer)?.never.value;
        if never <= best.1 * (1.0 + ROUNDING) {
            best = (last, never);
        }
        let searched = searched.map(|excess| states.threshold_at(excess));
        Ok(BestThreshold { threshold: states.threshold_at(best.0), value: best.1, searched })
    }

    /// The exact expected objective of the policy that remaps when max - mean exceeds the threshold
    /// of the step. Each threshold holds from the decision after its step on, up to the next; the
    /// first holds from the start. Time: one backward recursion over all states.
    ///
    /// # Errors
    /// The halt that the observer requested.
    ///
    /// # Panics
    /// When `states` and `transition` belong to another problem, or the steps are not in ascending
    /// order.
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

/// Runs a recursion to the end and returns its value.
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
