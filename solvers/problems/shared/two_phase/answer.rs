//! The answer to the model problems of \[NR90\]: thresholds for every scenario.

use remapping::two_phase::Parameters;
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
