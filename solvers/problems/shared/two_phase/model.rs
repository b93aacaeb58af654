//! The review of the parts that the two model problems of \[NR90\] share.

use crate::model::review::Review;
use remapping::two_phase::{Belief, Remap};

/// Records the faults of the beliefs of the policies.
pub(crate) fn review_belief(review: &mut Review<'_>, belief: &Belief) {
    review.probability("problem.belief.hazard", belief.hazard);
    review.probability("problem.belief.false_alarm", belief.false_alarm);
    review.probability("problem.belief.missed", belief.missed);
    review.probability("problem.belief.threshold", belief.threshold);
}

/// Records a fault of the cost of a remap.
pub(crate) fn review_remap(review: &mut Review<'_>, remap: &Remap) {
    review.nonnegative("problem.remap.steps", remap.steps, "the cost of a remap");
}

/// Records a fault at `path` unless `value` lies between `least` and `most`.
pub(crate) fn within(review: &mut Review<'_>, path: &str, value: usize, least: usize, most: usize) {
    if !(least..=most).contains(&value) {
        let label = format!("{value} is not in {least}..={most}");
        review.fault(path, "a number is out of range", &label, "choose one in this range");
    }
}

/// Records a fault at `path` unless `value` is above zero.
pub(crate) fn positive(review: &mut Review<'_>, path: &str, value: f64, what: &str) {
    if value <= 0.0 {
        let message = format!("{what} must be positive");
        review.fault(path, &message, &format!("{value} is not"), "give a value above 0");
    }
}

/// The most updates of a run; an eighth of it is the most recorded costs.
const LARGEST: f64 = 2e9;

/// Records a fault if a run would take too long or record too much.
pub(crate) fn affordable(review: &mut Review<'_>, steps: usize, per_step: f64, processors: usize) {
    let (updates, costs) = (steps as f64 * per_step, 2.0 * steps as f64 * processors as f64);
    if updates > LARGEST || costs > LARGEST / 8.0 {
        let label = format!("{updates:.1e} updates, {costs:.1e} recorded costs");
        let help = "take fewer steps, points, units or processors";
        review.fault("problem", "a run of this model is too large", &label, help);
    }
}

/// Records a fault at `path` if there are no scenarios.
pub(crate) fn scenarios(review: &mut Review<'_>, path: &str, count: usize) {
    if count == 0 {
        review.fault(path, "there are no scenarios", "an empty list", "give at least one");
    }
}
