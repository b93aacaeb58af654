//! The `LandBattle` problem of a model file [NR90, sections II and V-B].

use crate::model::explain::Shape;
use crate::model::review::Review;
use crate::problems::Facts;
use crate::problems::shared::two_phase::model::{
    affordable, positive, review_belief, review_remap, scenarios, within,
};
pub use remapping::land_battle::LandBattle;
use remapping::land_battle::Mapping;

/// Every field has a default.
pub(crate) const SHAPES: &[Shape] = &[];

/// The most units of a side, and the most steps of a run.
const MOST_COUNTED: usize = 100_000;

/// The most columns, and the most rows, of a board.
const WIDEST: usize = 4096;

/// Records the faults of the model.
pub(super) fn review(model: &LandBattle, review: &mut Review<'_>) {
    let mut count = |path: &str, value, least, most| within(review, path, value, least, most);
    count("problem.columns", model.columns as usize, 2, WIDEST);
    count("problem.rows", model.rows as usize, 1, WIDEST);
    count("problem.units", model.units as usize, 1, MOST_COUNTED);
    count("problem.steps", model.steps, 1, MOST_COUNTED);
    count("problem.processors", model.processors, 1, 4096);
    count("problem.combat.range", model.combat.range as usize, 0, WIDEST);
    for (index, &hexes) in model.separations.iter().enumerate() {
        let path = format!("problem.separations[{index}]");
        count(&path, hexes as usize, 1, model.columns.saturating_sub(2) as usize);
    }
    for (name, mapping) in [("old", model.mappings.old), ("new", model.mappings.new)] {
        if let Mapping::Blocks { columns, rows } = mapping {
            let path = format!("problem.mappings.{name}");
            count(&path, columns as usize, 1, WIDEST);
            count(&path, rows as usize, 1, WIDEST);
        }
    }
    scenarios(review, "problem.separations", model.separations.len());
    let mean = model.placement.mean;
    if !(0.0..f64::from(model.rows)).contains(&mean) {
        let label = format!("{mean} is not in 0..{}", model.rows);
        let help = "units start around a row of the board";
        review.fault("problem.placement.mean", "the mean row is off the board", &label, help);
    }
    let deviation = model.placement.deviation;
    review.nonnegative("problem.placement.deviation", deviation, "the standard deviation");
    positive(review, "problem.movement.fastest", model.movement.fastest, "the time to cross a hex");
    if model.movement.slowest < model.movement.fastest {
        let label = format!("below {}, the fastest", model.movement.fastest);
        let help = "both are steps needed to cross a hex";
        review.fault("problem.movement.slowest", "the slowest unit is too fast", &label, help);
    }
    if model.movement.fastest < 1.0 {
        review
            .warn("units move one hex per step at most; a `fastest` below 1 has no further effect");
    }
    review.probability("problem.movement.straight", model.movement.straight);
    review.probability("problem.combat.attrition", model.combat.attrition);
    review.probability("problem.combat.broken_below", model.combat.broken_below);
    review.nonnegative("problem.cost.attrition", model.cost.attrition, "a price");
    review.nonnegative("problem.cost.exchange", model.cost.exchange, "a price");
    let engagements = model.detector.engagements;
    review.nonnegative("problem.detector.engagements", engagements, "the detector's level");
    review.probability("problem.detector.false_alarm", model.detector.false_alarm);
    review.probability("problem.detector.missed", model.detector.missed);
    let pairs = f64::from(model.units) * f64::from(model.units);
    affordable(review, model.steps, pairs, model.processors);
    review_remap(review, &model.remap);
    review_belief(review, &model.belief);
    for (name, mapping) in [("old", model.mappings.old), ("new", model.mappings.new)] {
        if let Mapping::Scatter { skew } = mapping
            && model.processors > 1
            && (skew as usize).is_multiple_of(model.processors)
        {
            review.warn(format!(
                "mappings.{name}: with a skew of {skew} a processor owns whole columns, and a front \
                 along a column is all its own"
            ));
        }
    }
}

/// The facts that are known without simulating it.
pub(super) fn facts(model: &LandBattle) -> Facts {
    let closing = 2.0 / model.movement.fastest;
    vec![
        ("scenarios", model.separations.len().into()),
        ("decision_steps", model.steps.into()),
        ("hexes", (u64::from(model.columns) * u64::from(model.rows)).into()),
        ("fastest_closing_speed", closing.into()),
    ]
}
