//! The parts that the model files of the two model problems of \[NR90\] share.

use crate::model::review::Review;
use serde::Deserialize;

/// The cost of a remap.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Remap {
    /// The time of this many steps under the new mapping at that moment.
    pub steps: f64,
    /// The effect of a remap before the change.
    pub premature: Premature,
}

/// The effect of a remap before the change of phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Premature {
    /// It is kept [NR90, footnote 2].
    #[default]
    Keep,
    /// It is noticed and undone: its cost is lost, the belief falls to zero, and the policy
    /// continues under the old mapping [NR90, section III-C].
    Revert,
}

/// The beliefs of the policies.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Belief {
    /// Probability that the phase changes in a cycle (phi).
    pub hazard: f64,
    /// Probability of a false alarm (alpha).
    #[serde(default = "a_tenth")]
    pub false_alarm: f64,
    /// Probability of a missed change (beta).
    #[serde(default = "a_tenth")]
    pub missed: f64,
    /// The fixed threshold (tau).
    #[serde(default = "threshold")]
    pub threshold: f64,
}

fn a_tenth() -> f64 {
    0.1
}

fn threshold() -> f64 {
    0.7
}

impl Belief {
    /// The paper's values, with a hazard of `hazard`.
    pub(crate) fn with_hazard(hazard: f64) -> Self {
        let (false_alarm, missed) = (a_tenth(), a_tenth());
        Belief { hazard, false_alarm, missed, threshold: threshold() }
    }

    pub(crate) fn review(&self, review: &mut Review<'_>) {
        review.probability("problem.belief.hazard", self.hazard);
        review.probability("problem.belief.false_alarm", self.false_alarm);
        review.probability("problem.belief.missed", self.missed);
        review.probability("problem.belief.threshold", self.threshold);
    }
}

impl Remap {
    pub(crate) fn review(&self, review: &mut Review<'_>) {
        review.nonnegative("problem.remap.steps", self.steps, "the cost of a remap");
    }
}

impl Default for Remap {
    fn default() -> Self {
        Remap { steps: 1.0, premature: Premature::Keep }
    }
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
