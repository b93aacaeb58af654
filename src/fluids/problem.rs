//! The parameters of the problem [NR90, sections II and V-A].

use crate::two_phase::{Belief, Remap};
use serde::Deserialize;

/// How the velocities of a sub-cycle are computed; the velocity of the fluid equals its density.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Calls {
    /// One call with the velocities at the beginning of the sub-cycle.
    One,
    /// Two calls: half a sub-cycle for the velocities in its middle, then the whole sub-cycle with
    /// these velocities.
    #[default]
    Two,
}

/// `Fluids(...)`: a one-dimensional adaptive flux-corrected transport code whose work shifts when a
/// wave enters. Every field defaults to the paper's value, or to a documented choice where the
/// paper has none.
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
    /// The blocks of both mappings, assigned to the processors in turn.
    pub blocks: Blocks,
    /// The costs of work. Not in the paper.
    pub cost: Cost,
    /// The cost of a remap, and the effect of a premature one.
    pub remap: Remap,
    /// Detector of the change.
    pub detector: Detector,
    /// The belief of the policies.
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
    /// Sine periods in that time. The paper's "period 8.0" is a length: the length that passes at
    /// velocity 5 in 1.6 time units, so the wave is one full sine.
    pub periods: f64,
}

/// Transport scheme.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransportScheme {
    /// Calls per sub-cycle. With one, the velocities lag behind and the scheme is unstable.
    pub calls: Calls,
    /// Sub-cycles per time step. A wave travels at twice the density, one cell per time step with
    /// the paper's numbers; the scheme is unstable without sub-cycles.
    pub sub_cycles: usize,
}

/// Adaptive grid.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Refinement {
    /// Fine points per coarse point, and fine steps per step.
    pub ratio: usize,
    /// Difference between neighboring coarse densities above which both points are refined.
    pub threshold: f64,
    /// Coarse points refined on each side of those. The default is the distance that a wave travels
    /// between two examinations.
    pub buffer: usize,
}

/// Blocks of either mapping.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Blocks {
    /// The number of blocks of the mapping that a run starts with.
    pub old: usize,
    /// The number of blocks of the mapping it may change to.
    pub new: usize,
}

/// Costs, in updates of a grid point.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cost {
    /// An exchange of boundary points with a neighboring block, for each side and for each grid
    /// that crosses the boundary.
    pub exchange: f64,
    /// Whether fine points pay for every one of their shorter steps (or once per step).
    pub charge_sub_steps: bool,
}

/// Detector of the change.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Detector {
    /// It observes a change when there are more fine points than this.
    pub fine_points: usize,
    /// Probability of observing a change although there are not.
    pub false_alarm: f64,
    /// Probability of observing no change although there are.
    pub missed: f64,
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
            belief: Belief::with_hazard(1.0 / 400.0),
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

impl Default for Detector {
    fn default() -> Self {
        Detector { fine_points: 0, false_alarm: 0.1, missed: 0.1 }
    }
}
