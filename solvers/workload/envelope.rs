//! The envelope of [NR90, Fig. 8]: where remapping pays, as its cost and the time left vary.

use super::estimate::Parameters;
use super::figure::{Estimate, Scenario, Setting, reports};
use super::play;
use serde::Serialize;

/// One position relative to the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The scenario's position on the horizontal axis of the figure.
    pub at: f64,
    /// What a remap costs, as a multiple of the model's cost.
    pub factor: f64,
    /// Mean cost D of a remap after the change.
    pub remap_cost: f64,
    /// G T: gain per cycle after the change, times the cycles after it.
    pub gain: f64,
    /// How much longer the run takes without remapping than under the fixed threshold policy, in
    /// percent of the latter: positive where remapping pays.
    pub advantage: Estimate,
}

/// The fixed threshold policy against the old mapping, with remaps `factors` times as dear.
/// Scenarios without estimates are left out.
pub fn envelope(
    scenarios: &[Scenario],
    parameters: &[Option<Parameters>],
    setting: &Setting,
    factors: &[f64],
) -> Vec<Point> {
    let mut points = Vec::new();
    for (scenario, parameters) in scenarios.iter().zip(parameters) {
        let Some(parameters) = parameters else { continue };
        let (mut bare, mut costs, mut never) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..setting.runs {
            let run = &scenario.runs[index as usize % scenario.runs.len()];
            let reports = reports(setting, index, &run.changed);
            let policy = |_| setting.threshold;
            let played = play::threshold(run, &reports, &setting.beliefs, setting.premature, policy);
            let free = super::trace::Cycles { remap_cost: vec![0.0; run.len()], ..run.clone() };
            let without =
                play::threshold(&free, &reports, &setting.beliefs, setting.premature, policy);
            bare.push(without.time);
            costs.push(played.time - without.time);
            never.push(run.old.iter().sum::<f64>());
        }
        for &factor in factors {
            let times: Vec<f64> = bare.iter().zip(&costs).map(|(t, c)| t + factor * c).collect();
            points.push(Point {
                at: scenario.at,
                factor,
                remap_cost: factor * parameters.remap_cost,
                gain: parameters.gain() * parameters.cycles_after,
                advantage: Estimate::percent(&never, &times),
            });
        }
    }
    points
}
