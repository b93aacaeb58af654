//! The `Fluids` problem of a model file [NR90, sections II and V-A].

use crate::model::explain::Shape;
use crate::model::review::Review;
use crate::problems::Facts;
use crate::problems::registry::Body;
use crate::problems::shared::two_phase::TwoPhases;
use crate::problems::shared::two_phase::answer::Answer;
use crate::problems::shared::two_phase::model::{
    affordable, positive, review_belief, review_remap, scenarios, within,
};
use remapping::fluids::Calls;
pub use remapping::fluids::Fluids;
use remapping::two_phase::workload::Workload;

/// Every field has a default.
pub(crate) const SHAPES: &[Shape] = &[];

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

impl TwoPhases for Fluids {
    const NAME: &'static str = "fluids";
    const BODY: fn(Box<Answer>) -> Body = Body::Fluids;

    fn facts(&self) -> Facts {
        vec![
            ("scenarios", self.wave.after.len().into()),
            ("decision_steps", self.steps.div_ceil(self.examine_every).into()),
            ("cells_per_sub_cycle", self.cells_per_sub_cycle().into()),
            ("stable_up_to", stable_up_to(self.transport.calls).into()),
        ]
    }

    fn review(&self, review: &mut Review<'_>) {
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
        review_remap(review, &self.remap);
        review_belief(review, &self.belief);
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

    fn workload(&self) -> Box<dyn Workload + '_> {
        Box::new(self.clone())
    }
}
