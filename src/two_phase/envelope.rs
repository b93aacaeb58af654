//! The envelope of [NR90, Fig. 8]: where remapping pays, by its cost and the remaining time.

use super::expectation::Expected;
use super::figure::{Played, Policy, percent};
use crate::estimate::Estimate;
use serde::Serialize;

/// One position relative to the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The scenario's position on the horizontal axis of the figure.
    pub at: f64,
    /// The cost of a remap as a multiple of the model's cost.
    pub factor: f64,
    /// Mean cost D of a remap after the change.
    pub remap_cost: f64,
    /// G T: the gain per cycle after the change, times the number of those cycles. The edge of the
    /// envelope is where it equals D.
    pub gain: f64,
    /// The additional time of the run without remapping, in percent of that under the fixed
    /// threshold policy; positive where remapping pays.
    pub advantage: Estimate,
}

/// The fixed threshold policy relative to the old mapping, with the remap cost times each of
/// `factors`. That policy does not depend on the cost, so its remaps stay the same. Scenarios
/// without estimates are left out.
pub fn envelope(played: &[Played], factors: &[f64]) -> Vec<Point> {
    let mut points = Vec::new();
    for scenario in played {
        let Some(parameters) = scenario.parameters else { continue };
        let never = scenario.runs(Policy::StaticOld);
        for &factor in factors {
            let dearer = |run: Expected| Expected {
                time: run.time + (factor - 1.0) * run.remap_time,
                error: run.error * factor.max(1.0),
                ..run
            };
            let runs = scenario.runs(Policy::Threshold);
            let times: Vec<Expected> = runs.into_iter().map(dearer).collect();
            points.push(Point {
                at: scenario.at,
                factor,
                remap_cost: factor * parameters.remap_cost,
                gain: parameters.gain() * parameters.cycles_after,
                advantage: percent(&never, &times, scenario.repeated),
            });
        }
    }
    points
}
