//! The parts that the two model problems of \[NR90\] share, and the parameters estimated from runs.

use serde::{Deserialize, Serialize};

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
}

impl Default for Remap {
    fn default() -> Self {
        Remap { steps: 1.0, premature: Premature::Keep }
    }
}

/// Mean cycle times in either phase under either mapping, and the mean cost of a remap.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Before the change, old mapping (e_F).
    pub before: f64,
    /// After the change, old mapping (e_B).
    pub after: f64,
    /// Before the change, new mapping (e_P).
    pub before_remapped: f64,
    /// After the change, new mapping (e_R).
    pub remapped: f64,
    /// A remap after the change (D).
    pub remap_cost: f64,
    /// Cycles after the change, per run (T).
    pub cycles_after: f64,
}

impl Parameters {
    /// The gain of a cycle by remapping after the change: G = e_B - e_R.
    pub fn gain(&self) -> f64 {
        self.after - self.remapped
    }
}
