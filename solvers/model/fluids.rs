//! The `Fluids` problem of a model file [NR90, sections II and V-A].

use crate::fluids::transport::Calls;
use crate::workload::play::{Beliefs, Premature};
use serde::Deserialize;

/// `Fluids(...)`: a one-dimensional adaptive flux-corrected transport code whose work shifts when a
/// wave enters. Every field has the paper's value, or a documented choice where the paper has none,
/// as its default.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fluids {
    /// Coarse grid points.
    pub points: usize,
    /// Distance h between them.
    pub spacing: f64,
    /// Length of a basic time step.
    pub time_step: f64,
    /// Basic time steps of a run.
    pub steps: usize,
    /// Steps between two examinations of the solution; every examination is a decision step.
    pub examine_every: usize,
    /// Density of the fluid before the wave, which is also its velocity.
    pub density: f64,
    /// The wave that enters.
    pub wave: Wave,
    /// Transport scheme. The paper names the routine only.
    pub transport: TransportScheme,
    /// Adaptive grid. The paper gives the ratio only.
    pub refinement: Refinement,
    /// Processors.
    pub processors: usize,
    /// Blocks of either mapping, dealt to the processors in turn.
    pub blocks: Blocks,
    /// Prices. Not in the paper.
    pub cost: Cost,
    /// What a remap costs and what becomes of a premature one.
    pub remap: Remap,
    /// Detector of the change.
    pub detector: Detector,
    /// What the policies believe.
    pub belief: Belief,
}

/// The wave that enters the tube.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wave {
    /// Fractions of the run that elapse before it enters: the scenarios of the figure.
    pub after: Vec<f64>,
    /// Height.
    pub amplitude: f64,
    /// Duration.
    pub lasting: f64,
    /// Sine periods in that time. The paper's "period 8.0" is a length: what passes at velocity 5
    /// in 1.6 time units, so that the wave is one full sine.
    pub periods: f64,
}

/// Transport scheme.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransportScheme {
    /// Calls per sub-cycle. With one, the velocities lag behind and the scheme is unstable.
    pub calls: Calls,
    /// Sub-cycles per time step. A wave travels at twice the density, one cell per time step with
    /// the paper's numbers, which the scheme does not survive undivided.
    pub sub_cycles: usize,
}

/// Adaptive grid.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Refinement {
    /// Fine points per coarse point, and fine steps per step.
    pub ratio: usize,
    /// Difference between neighbouring coarse densities above which both points are refined.
    pub threshold: f64,
    /// Coarse points refined on each side of those. The default is how far a wave gets between two
    /// examinations.
    pub buffer: usize,
}

/// Blocks of either mapping.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Blocks {
    /// Of the mapping a run starts with.
    pub old: usize,
    /// Of the one it may change to.
    pub new: usize,
}

/// Prices, in updates of a grid point.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cost {
    /// An exchange of boundary points with a neighbouring block, per grid that crosses the
    /// boundary and side.
    pub exchange: f64,
    /// Whether fine points pay for every one of their shorter steps (or once per step).
    pub charge_sub_steps: bool,
}

/// What a remap costs.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Remap {
    /// As much as this many steps under the new mapping at that moment.
    pub steps: f64,
    /// What becomes of a remap before the change.
    pub premature: Premature,
}

/// Detector of the change.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Detector {
    /// It reports a change when there are more fine points than this.
    pub fine_points: usize,
    /// Probability of reporting one although there are not.
    pub false_alarm: f64,
    /// Probability of reporting none although there are.
    pub missed: f64,
}

/// What the policies believe.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Belief {
    /// Probability that the phase changes in a cycle (phi).
    pub hazard: f64,
    /// Probability of a false alarm (alpha).
    pub false_alarm: f64,
    /// Probability of a missed change (beta).
    pub missed: f64,
    /// The fixed threshold (tau).
    pub threshold: f64,
}

impl Belief {
    /// As the policies use it.
    pub fn beliefs(&self) -> Beliefs {
        Beliefs { hazard: self.hazard, false_alarm: self.false_alarm, missed: self.missed }
    }
}

impl Default for Fluids {
    fn default() -> Self {
        Fluids {
            points: 512,
            spacing: 0.25,
            time_step: 0.025,
            steps: 400,
            examine_every: 5,
            density: 5.0,
            wave: Wave::default(),
            transport: TransportScheme::default(),
            refinement: Refinement::default(),
            processors: 16,
            blocks: Blocks::default(),
            cost: Cost::default(),
            remap: Remap::default(),
            detector: Detector::default(),
            belief: Belief::default(),
        }
    }
}

impl Default for Wave {
    fn default() -> Self {
        let after = (0..=20).map(|i| f64::from(i) / 20.0).collect();
        Wave { after, amplitude: 0.25, lasting: 1.6, periods: 1.0 }
    }
}

impl Default for TransportScheme {
    fn default() -> Self {
        TransportScheme { calls: Calls::Two, sub_cycles: 2 }
    }
}

impl Default for Refinement {
    fn default() -> Self {
        Refinement { ratio: 6, threshold: 0.005, buffer: 5 }
    }
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks { old: 16, new: 64 }
    }
}

impl Default for Cost {
    fn default() -> Self {
        Cost { exchange: 20.0, charge_sub_steps: true }
    }
}

impl Default for Remap {
    fn default() -> Self {
        Remap { steps: 1.0, premature: Premature::Keep }
    }
}

impl Default for Detector {
    fn default() -> Self {
        Detector { fine_points: 0, false_alarm: 0.1, missed: 0.1 }
    }
}

impl Default for Belief {
    fn default() -> Self {
        Belief { hazard: 1.0 / 400.0, false_alarm: 0.1, missed: 0.1, threshold: 0.7 }
    }
}
