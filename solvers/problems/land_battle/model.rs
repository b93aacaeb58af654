//! The `LandBattle` problem of a model file [NR90, sections II and V-B].

use crate::model::explain::Shape;
use crate::model::review::Review;
use crate::problems::shared::two_phase::model::{
    Belief, Remap, affordable, positive, scenarios, within,
};
use serde::Deserialize;
use serde_json::Value;

/// Every field has a default.
pub(crate) const SHAPES: &[Shape] = &[];

/// The direction of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Heading {
    /// The direction it started in, to the end of the board.
    Onward,
    /// Toward the nearest enemy: it turns around when that is behind it.
    #[default]
    Enemy,
}

/// How hexes are assigned to processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Mapping {
    /// Rectangles of hexes, numbered row by row and assigned to the processors in turn.
    Blocks {
        /// Columns of a rectangle.
        columns: u32,
        /// Rows of a rectangle.
        rows: u32,
    },
    /// Single hexes: column + skew * row, modulo the number of processors. A multiple of that
    /// number as `skew` gives a processor whole columns.
    Scatter {
        /// How far the pattern shifts from row to row.
        skew: u32,
    },
}

/// `LandBattle(...)`: units of two sides move toward each other on a hex board, and work
/// concentrates where they meet. Every field defaults to the paper's value, or to a documented
/// choice where the paper has none.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LandBattle {
    /// Columns of the board.
    pub columns: u32,
    /// Rows of the board.
    pub rows: u32,
    /// Units of a side.
    pub units: u32,
    /// Hexes between the two sides at the beginning (2 S): the scenarios of the figure.
    pub separations: Vec<u32>,
    /// Steps of a run; each is a decision step.
    pub steps: usize,
    /// The rows that units start in.
    pub placement: Placement,
    /// How they move.
    pub movement: Movement,
    /// How they fight. Not in the paper.
    pub combat: Combat,
    /// Processors.
    pub processors: usize,
    /// The two mappings.
    pub mappings: Mappings,
    /// The costs of work. Not in the paper.
    pub cost: Cost,
    /// The cost of a remap, and the effect of a premature one.
    pub remap: Remap,
    /// Detector of the change.
    pub detector: Detector,
    /// The belief of the policies.
    pub belief: Belief,
}

/// Normal distribution of the starting rows, rounded; draws outside the board are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Placement {
    /// Mean row.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
}

/// How units move.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Movement {
    /// Steps the fastest unit needs for a hex; speeds are uniform.
    pub fastest: f64,
    /// Steps the slowest unit needs for a hex.
    pub slowest: f64,
    /// A unit stops when it perceives more enemies than this on its own hex and the adjacent ones.
    pub tolerated: u32,
    /// Probability of straight ahead; up and down are equally likely otherwise. Not in the paper.
    pub straight: f64,
    /// The direction of units that have passed the enemy. Not in the paper.
    pub heading: Heading,
}

/// How units fight.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Combat {
    /// Hexes within which units fight.
    pub range: u32,
    /// Share of a unit's strength that it inflicts in a step, over all enemies in range.
    pub attrition: f64,
    /// Strength, of 1, below which a unit is out.
    pub broken_below: f64,
}

/// The mapping a run starts with, and the one it may change to.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mappings {
    /// At the beginning.
    pub old: Mapping,
    /// After a remap.
    pub new: Mapping,
}

/// Costs, in updates of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cost {
    /// A unit's attrition calculation, per enemy in range.
    pub attrition: f64,
    /// Sending a unit to another processor that owns an adjacent hex.
    pub exchange: f64,
}

/// Detector of the change.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Detector {
    /// It observes a change when the enemies in range, per unit at the start, are more than this.
    pub engagements: f64,
    /// Probability of observing a change although they are not.
    pub false_alarm: f64,
    /// Probability of observing no change although they are.
    pub missed: f64,
}

/// The most units of a side, and the most steps of a run.
const MOST_COUNTED: usize = 100_000;

/// The most columns, and the most rows, of a board.
const WIDEST: usize = 4096;

impl LandBattle {
    /// Records the faults of the model.
    pub(crate) fn review(&self, review: &mut Review<'_>) {
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
        self.remap.review(review);
        self.belief.review(review);
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

    /// The facts that are known without simulating it.
    pub fn facts(&self) -> Vec<(&'static str, Value)> {
        let closing = 2.0 / self.movement.fastest;
        vec![
            ("scenarios", self.separations.len().into()),
            ("decision_steps", self.steps.into()),
            ("hexes", (u64::from(self.columns) * u64::from(self.rows)).into()),
            ("fastest_closing_speed", closing.into()),
        ]
    }
}

impl Default for LandBattle {
    fn default() -> Self {
        LandBattle {
            columns: 128,
            rows: 128,
            units: 64,
            separations: (1..=16).map(|s| 2 * s).collect(),
            steps: 60,
            placement: Placement::default(),
            movement: Movement::default(),
            combat: Combat::default(),
            processors: 8,
            mappings: Mappings::default(),
            cost: Cost::default(),
            remap: Remap::default(),
            detector: Detector::default(),
            belief: Belief::with_hazard(1.0 / 60.0),
        }
    }
}

impl Default for Placement {
    fn default() -> Self {
        Placement { mean: 64.0, deviation: 16.0 }
    }
}

impl Default for Movement {
    fn default() -> Self {
        let heading = Heading::default();
        Movement { fastest: 3.25, slowest: 6.5, tolerated: 3, straight: 0.8, heading }
    }
}

impl Default for Combat {
    fn default() -> Self {
        Combat { range: 4, attrition: 0.01, broken_below: 0.3 }
    }
}

impl Default for Mappings {
    fn default() -> Self {
        let old = Mapping::Blocks { columns: 64, rows: 32 };
        Mappings { old, new: Mapping::Scatter { skew: 3 } }
    }
}

impl Default for Cost {
    fn default() -> Self {
        Cost { attrition: 1.0, exchange: 0.2 }
    }
}

impl Default for Detector {
    fn default() -> Self {
        Detector { engagements: 0.5, false_alarm: 0.1, missed: 0.1 }
    }
}
