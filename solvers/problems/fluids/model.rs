//! The `Fluids` problem of a model file [NR90, sections II and V-A].

use crate::model::explain::Shape;
use crate::model::review::Review;
use crate::problems::Facts;
use crate::problems::shared::two_phase::model::{
    affordable, positive, review_belief, review_remap, scenarios, within,
};
use remapping::fluids::Calls;
pub use remapping::fluids::Fluids;

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

/// Records the faults of the model.
pub(super) fn review(model: &Fluids, review: &mut Review<'_>) {
    let mut count = |path: &str, value, least, most| within(review, path, value, least, most);
    count("problem.points", model.points, 2, MOST_COUNTED);
    count("problem.steps", model.steps, 1, MOST_COUNTED);
    count("problem.examine_every", model.examine_every, 1, MOST_COUNTED);
    count("problem.transport.sub_cycles", model.transport.sub_cycles, 1, 1000);
    count("problem.refinement.ratio", model.refinement.ratio, 2, 64);
    count("problem.refinement.buffer", model.refinement.buffer, 0, model.points);
    count("problem.processors", model.processors, 1, model.points.min(4096));
    count("problem.blocks.old", model.blocks.old, 1, model.points);
    count("problem.blocks.new", model.blocks.new, 1, model.points);
    positive(review, "problem.spacing", model.spacing, "the grid spacing");
    positive(review, "problem.time_step", model.time_step, "the time step");
    positive(review, "problem.density", model.density, "the density");
    positive(review, "problem.wave.lasting", model.wave.lasting, "the duration of the wave");
    review.nonnegative("problem.wave.periods", model.wave.periods, "the number of periods");
    let threshold = model.refinement.threshold;
    review.nonnegative("problem.refinement.threshold", threshold, "the refinement threshold");
    review.nonnegative("problem.cost.exchange", model.cost.exchange, "the price of an exchange");
    scenarios(review, "problem.wave.after", model.wave.after.len());
    for (index, after) in model.wave.after.iter().enumerate() {
        if !(0.0..=1.0).contains(after) {
            let (path, label) =
                (format!("problem.wave.after[{index}]"), format!("{after} is not in [0, 1]"));
            let help = "the wave enters after this fraction of the run; 1 is never";
            review.fault(&path, "not a fraction of the run", &label, help);
        }
    }
    if model.wave.amplitude.abs() >= model.density {
        let label = format!("densities would reach {}", model.density - model.wave.amplitude.abs());
        let help = "give an amplitude below the density";
        review.fault("problem.wave.amplitude", "the fluid would flow backwards", &label, help);
    }
    let ratio = model.refinement.ratio as f64;
    let per_step = model.points as f64 * model.transport.sub_cycles as f64 * (1.0 + ratio * ratio);
    affordable(review, model.steps, per_step, model.processors);
    review_remap(review, &model.remap);
    review_belief(review, &model.belief);
    review.probability("problem.detector.false_alarm", model.detector.false_alarm);
    review.probability("problem.detector.missed", model.detector.missed);
    let travelled = model.cells_per_sub_cycle();
    let stable = stable_up_to(model.transport.calls);
    if travelled > stable {
        review.warn(format!(
            "waves travel {travelled:.3} cells per sub-cycle; beyond about {stable} the scheme blows up: \
             take more sub-cycles or shorter steps"
        ));
    }
}

/// The facts that are known without running it.
pub(super) fn facts(model: &Fluids) -> Facts {
    vec![
        ("scenarios", model.wave.after.len().into()),
        ("decision_steps", model.steps.div_ceil(model.examine_every).into()),
        ("cells_per_sub_cycle", model.cells_per_sub_cycle().into()),
        ("stable_up_to", stable_up_to(model.transport.calls).into()),
    ]
}
