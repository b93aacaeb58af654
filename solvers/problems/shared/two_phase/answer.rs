//! The answer to the model problems of \[NR90\]: thresholds for every scenario.

use serde::{Deserialize, Serialize};

/// Parameters and thresholds of every scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The quantity that the scenarios vary.
    pub axis: String,
    /// The scenarios.
    pub scenarios: Vec<ScenarioSolved>,
}

impl Answer {
    /// For the middle scenario: the gain of a cycle by remapping after the change, and the
    /// threshold of step 0. NaN where there are none.
    pub fn middle(&self) -> (f64, f64) {
        let middle = self.scenarios.get(self.scenarios.len() / 2);
        let gain = middle.and_then(|scenario| scenario.parameters).map(|found| found.gain());
        let threshold = middle.and_then(|scenario| scenario.threshold.first().copied());
        (gain.unwrap_or(f64::NAN), threshold.unwrap_or(f64::NAN))
    }
}

/// Parameters and thresholds of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioSolved {
    /// Its position on the axis.
    pub at: f64,
    /// The parameters estimated from its runs. Where these lack a phase, from all scenarios' runs;
    /// `None` where no run has both phases.
    pub parameters: Option<Parameters>,
    /// pi_n of every cycle; all 1 without parameters.
    pub threshold: Vec<f64>,
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
