//! The `LandBattle` problem of a model file [NR90, sections II and V-B].

use crate::model::explain::Shape;
use crate::model::review::Review;
use crate::problems::Facts;
use crate::problems::registry::Body;
use crate::problems::shared::two_phase::TwoPhases;
use crate::problems::shared::two_phase::answer::Answer;
use crate::problems::shared::two_phase::model::{
    affordable, positive, review_belief, review_remap, scenarios, within,
};
pub use remapping::land_battle::LandBattle;
use remapping::land_battle::{Assigned, Mapping};
use remapping::two_phase::workload::Workload;

/// Every field has a default.
pub(crate) const SHAPES: &[Shape] = &[];

/// The most units of a side, and the most steps of a run.
const MOST_COUNTED: usize = 100_000;

/// The most columns, and the most rows, of a board.
const WIDEST: usize = 4096;

impl TwoPhases for LandBattle {
    const NAME: &'static str = "land_battle";
    const BODY: fn(Box<Answer>) -> Body = Body::LandBattle;

    fn facts(&self) -> Facts {
        let closing = 2.0 / self.movement.fastest;
        vec![
            ("scenarios", self.separations.len().into()),
            ("decision_steps", self.steps.into()),
            ("hexes", (u64::from(self.columns) * u64::from(self.rows)).into()),
            ("fastest_closing_speed", closing.into()),
        ]
    }

    fn review(&self, review: &mut Review<'_>) {
        let mut count = |path: &str, value, least, most| within(review, path, value, least, most);
        count("problem.columns", self.columns as usize, 2, WIDEST);
        count("problem.rows", self.rows as usize, 1, WIDEST);
        count("problem.units", self.units as usize, 1, MOST_COUNTED);
        count("problem.steps", self.steps, 1, MOST_COUNTED);
        count("problem.processors", self.processors, 1, 4096);
        count("problem.combat.range", self.combat.range as usize, 0, WIDEST);
        for (index, &hexes) in self.separations.iter().enumerate() {
            let path = format!("problem.separations[{index}]");
            count(&path, hexes as usize, 1, self.columns.saturating_sub(2) as usize);
        }
        for (name, mapping) in [("old", self.mappings.old), ("new", self.mappings.new)] {
            if let Mapping::Blocks { columns, rows } = mapping {
                let path = format!("problem.mappings.{name}");
                count(&path, columns as usize, 1, WIDEST);
                count(&path, rows as usize, 1, WIDEST);
            }
        }
        scenarios(review, "problem.separations", self.separations.len());
        let mean = self.placement.mean;
        if !(0.0..f64::from(self.rows)).contains(&mean) {
            let label = format!("{mean} is not in 0..{}", self.rows);
            let help = "units start around a row of the board";
            review.fault("problem.placement.mean", "the mean row is off the board", &label, help);
        }
        let deviation = self.placement.deviation;
        review.nonnegative("problem.placement.deviation", deviation, "the standard deviation");
        positive(
            review,
            "problem.movement.fastest",
            self.movement.fastest,
            "the time to cross a hex",
        );
        if self.movement.slowest < self.movement.fastest {
            let label = format!("below {}, the fastest", self.movement.fastest);
            let help = "both are steps needed to cross a hex";
            review.fault("problem.movement.slowest", "the slowest unit is too fast", &label, help);
        }
        if self.movement.fastest < 1.0 {
            review.warn(
                "units move one hex per step at most; a `fastest` below 1 has no further effect",
            );
        }
        review.probability("problem.movement.straight", self.movement.straight);
        review.probability("problem.combat.attrition", self.combat.attrition);
        review.probability("problem.combat.broken_below", self.combat.broken_below);
        review.nonnegative("problem.cost.attrition", self.cost.attrition, "a price");
        review.nonnegative("problem.cost.exchange", self.cost.exchange, "a price");
        let engagements = self.detector.engagements;
        review.nonnegative("problem.detector.engagements", engagements, "the detector's level");
        review.probability("problem.detector.false_alarm", self.detector.false_alarm);
        review.probability("problem.detector.missed", self.detector.missed);
        let pairs = f64::from(self.units) * f64::from(self.units);
        affordable(review, self.steps, pairs, self.processors);
        review_remap(review, &self.remap);
        review_belief(review, &self.belief);
        for (name, mapping) in [("old", self.mappings.old), ("new", self.mappings.new)] {
            if let Mapping::Scatter { skew } = mapping
                && self.processors > 1
                && (skew as usize).is_multiple_of(self.processors)
            {
                review.warn(format!(
                "mappings.{name}: with a skew of {skew} a processor owns whole columns, and a front \
                 along a column is all its own"
            ));
            }
        }
    }

    fn workload(&self) -> Box<dyn Workload + '_> {
        Box::new(Assigned::new(self))
    }
}
