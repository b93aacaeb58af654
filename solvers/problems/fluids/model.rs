//! The `Fluids` problem of a model file [NR90, sections II and V-A].

use crate::model::explain::Shape;
use crate::model::review::Review;
use crate::problems::shared::two_phase::model::{
    Belief, Remap, affordable, positive, scenarios, within,
};
use serde::Deserialize;
use serde_json::Value;

/// Every field has a default.
pub(crate) const SHAPES: &[Shape] = &[];

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

/// Coarse grid points a model may have, and steps of a run.
const MOST_COUNTED: usize = 1_000_000;

/// The most cells that a wave may travel per sub-cycle. Beyond, the scheme was measured to be
/// unstable with the paper's wave.
const fn stable_up_to(calls: Calls) -> f64 {
    match calls {
        Calls::One => 0.35,
        Calls::Two => 0.53,
    }
}

impl Fluids {
    /// Records the faults of the model.
    pub(crate) fn review(&self, review: &mut Review<'_>) {
        let mut count = |path: &str, value, least, most| within(review, path, value, least, most);
        count("problem.points", self.points, 2, MOST_COUNTED);
        count("problem.steps", self.steps, 1, MOST_COUNTED);
        count("problem.examine_every", self.examine_every, 1, MOST_COUNTED);
        count("problem.transport.sub_cycles", self.transport.sub_cycles, 1, 1000);
        count("problem.refinement.ratio", self.refinement.ratio, 2, 64);
        count("problem.refinement.buffer", self.refinement.buffer, 0, self.points);
        count("problem.processors", self.processors, 1, self.points.min(4096));
        count("problem.blocks.old", self.blocks.old, 1, self.points);
        count("problem.blocks.new", self.blocks.new, 1, self.points);
        positive(review, "problem.spacing", self.spacing, "the grid spacing");
        positive(review, "problem.time_step", self.time_step, "the time step");
        positive(review, "problem.density", self.density, "the density");
        positive(review, "problem.wave.lasting", self.wave.lasting, "the duration of the wave");
        review.nonnegative("problem.wave.periods", self.wave.periods, "the number of periods");
        let threshold = self.refinement.threshold;
        review.nonnegative("problem.refinement.threshold", threshold, "the refinement threshold");
        review.nonnegative("problem.cost.exchange", self.cost.exchange, "the price of an exchange");
        scenarios(review, "problem.wave.after", self.wave.after.len());
        for (index, after) in self.wave.after.iter().enumerate() {
            if !(0.0..=1.0).contains(after) {
                let (path, label) =
                    (format!("problem.wave.after[{index}]"), format!("{after} is not in [0, 1]"));
                let help = "the wave enters after this fraction of the run; 1 is never";
                review.fault(&path, "not a fraction of the run", &label, help);
            }
        }
        if self.wave.amplitude.abs() >= self.density {
            let label =
                format!("densities would reach {}", self.density - self.wave.amplitude.abs());
            let help = "give an amplitude below the density";
            review.fault("problem.wave.amplitude", "the fluid would flow backwards", &label, help);
        }
        let ratio = self.refinement.ratio as f64;
        let per_step =
            self.points as f64 * self.transport.sub_cycles as f64 * (1.0 + ratio * ratio);
        affordable(review, self.steps, per_step, self.processors);
        self.remap.review(review);
        self.belief.review(review);
        review.probability("problem.detector.false_alarm", self.detector.false_alarm);
        review.probability("problem.detector.missed", self.detector.missed);
        let travelled = self.cells_per_sub_cycle();
        let stable = stable_up_to(self.transport.calls);
        if travelled > stable {
            review.warn(format!(
                "waves travel {travelled:.3} cells per sub-cycle; beyond about {stable} the scheme blows up: \
                 take more sub-cycles or shorter steps"
            ));
        }
    }

    /// The number of coarse cells that the fastest wave travels in a sub-cycle: at twice the
    /// density.
    fn cells_per_sub_cycle(&self) -> f64 {
        let fastest = 2.0 * (self.density + self.wave.amplitude.abs());
        fastest * self.time_step / (self.spacing * self.transport.sub_cycles.max(1) as f64)
    }

    /// The facts that are known without running it.
    pub fn facts(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("scenarios", self.wave.after.len().into()),
            ("decision_steps", self.steps.div_ceil(self.examine_every).into()),
            ("cells_per_sub_cycle", self.cells_per_sub_cycle().into()),
            ("stable_up_to", stable_up_to(self.transport.calls).into()),
        ]
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
