//! The `LoadDrift` problem of a model file [NRS86, section 3].

use crate::model::chain::Chain;
use crate::model::cost::{Cost, Late};
use crate::model::explain::Shape;
use crate::model::review::Review;
use crate::text::whole;
use remapping::chain::Multisets;
use remapping::load_drift::{self, Objective, Rebalance, Timing};
use remapping::overlap::Overlap;
use serde::Deserialize;

/// The fields of `LoadDrift(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadDrift {
    processors: usize,
    chain: Chain,
    initial_load: i64,
    steps: u64,
    remap_cost: Cost,
    /// Remaps that take effect some steps after the decision.
    overlap: Option<Late>,
    #[serde(default)]
    rebalance: Rebalance,
    #[serde(default)]
    decide: Timing,
    #[serde(default)]
    objective: Objective,
}

/// An example of each part, for messages.
pub(crate) const SHAPES: &[Shape] = &[
    (
        "problem",
        "LoadDrift(processors: 8, chain: ..., initial_load: 10, steps: 400, remap_cost: 8.0)",
    ),
    ("problem.processors", "8"),
    ("problem.chain", "Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, edge: Hold)"),
    ("problem.initial_load", "10"),
    ("problem.steps", "400"),
    ("problem.remap_cost", "8.0 or (fixed: 8.0, per_unit_moved: 0.5)"),
    ("problem.overlap", "(steps: 3, slowdown: 0.05)"),
    ("problem.rebalance", "Split, Nearest or Stochastic"),
    ("problem.decide", "AfterStep or BeforeStep"),
    ("problem.objective", "Imbalance or Makespan"),
];

/// The longest horizon, in steps.
const MAX_STEPS: u64 = 1_000_000_000;
/// The most processors, and the most levels.
const MAX_PROCESSORS: usize = 2_000_000;
const MAX_SIZE: usize = 10_000;

impl LoadDrift {
    /// Records the faults of the model.
    pub fn review(&self, review: &mut Review<'_>) {
        review.count("problem.processors", self.processors as u64, MAX_PROCESSORS as u64);
        review.count("problem.steps", self.steps, MAX_STEPS);
        self.remap_cost.review("problem.remap_cost", review);
        self.review_cost(review);
        if let Some(late) = &self.overlap {
            late.review("problem.overlap", review);
        }
        self.chain.review_up_to(MAX_SIZE, "problem.chain", review);
        if !review.faults.is_empty() {
            return;
        }
        let lowest = self.chain.lowest();
        if lowest < 0 {
            let label = format!("the lowest load is {lowest}");
            review.fault("problem.chain", "loads cannot be negative", &label, "take lowest >= 0");
            return;
        }
        let highest = lowest.saturating_add(self.chain.levels() as i64 - 1);
        if !(lowest..=highest).contains(&self.initial_load) {
            let label = format!("{} is not a load of the chain", self.initial_load);
            let help = format!("loads go from {lowest} to {highest}");
            review.fault("problem.initial_load", "the initial load is out of range", &label, &help);
        }
        if self.processors == 1 {
            review.warn("a single processor is never out of balance");
        }
        if let (Rebalance::Nearest, Objective::Makespan) = (self.rebalance, self.objective) {
            review.warn(
                "rounding the loads to the nearest integer can shed load, and a program that \
                 minimises its time will remap for that: take rebalance: Split, or objective: \
                 Imbalance",
            );
        }
    }

    /// Records the faults of the remap cost that this problem does not allow.
    fn review_cost(&self, review: &mut Review<'_>) {
        let path = "problem.remap_cost";
        let [fixed, each] = self.remap_cost.parts();
        match self.remap_cost {
            Cost::Constant(_) => review.at_most(path, fixed, 100),
            Cost::Moved { .. } => {
                review.at_most(&format!("{path}.fixed"), fixed, 100);
                review.at_most(&format!("{path}.per_unit_moved"), each, 100);
                if self.rebalance != Rebalance::Split {
                    let message = "this cost of a remap does not go with the rebalance rule";
                    let label = "units moved are those of an even split";
                    let help = "take rebalance: Split, or one number as remap_cost";
                    review.fault(path, message, label, help);
                }
            }
            Cost::PerState(_) => {
                let message = "a cost for each state does not go with LoadDrift";
                let label = "the states of drifting loads are not listed";
                let help = "take a number, or (fixed: 2.0, per_unit_moved: 0.5)";
                review.fault(path, message, label, help);
            }
        }
    }

    /// Whether it states an overlap, even an empty one.
    pub fn mentions_overlap(&self) -> bool {
        self.overlap.is_some()
    }

    /// The overlap of a remap with the steps after its decision. Code that does not call this
    /// handles only models that [stop](Self::stops).
    pub fn overlap(&self) -> Overlap {
        Late::overlap(self.overlap.as_ref())
    }

    /// Whether the program stops while it remaps.
    pub fn stops(&self) -> bool {
        self.overlap().is_none()
    }

    /// The engine's problem. The model must have passed review.
    pub fn problem(&self) -> load_drift::LoadDrift {
        let [remap_cost, per_unit_moved] = self.remap_cost.parts();
        load_drift::LoadDrift {
            processors: self.processors,
            chain: self.chain.process().chain,
            lowest: self.chain.lowest() as f64,
            initial: (self.initial_load - self.chain.lowest()) as usize,
            steps: self.steps,
            remap_cost,
            per_unit_moved,
            rebalance: self.rebalance,
            timing: self.decide,
            objective: self.objective,
        }
    }

    /// The number of states, which are multisets of levels; `None` if it overflows.
    pub fn states(&self) -> Option<u64> {
        let sets = Multisets::new(self.processors, self.chain.levels()).ok()?;
        Some(sets.states() as u64)
    }

    /// The bytes that a solution needs; saturated where there are too many to count.
    pub fn memory(&self) -> u64 {
        self.memory_needed() as u64
    }

    /// The same number, which may be infinite.
    fn memory_needed(&self) -> f64 {
        let (r, levels) = (self.processors, self.chain.levels());
        let count = |items: usize, levels: usize| match Multisets::new(items, levels) {
            Ok(sets) => sets.states() as f64,
            // C(items + levels - 1, levels - 1), a number too large to count.
            Err(_) => {
                let (few, many) = (items.min(levels - 1), items.max(levels - 1) as f64);
                (1..=few).map(|k| k as f64).fold(1.0, |sets, k| sets * (many + k) / k)
            }
        };
        let states = count(r, levels);
        let is_constant = self.stops() && self.remap_cost.parts()[1] == 0.0;
        let (applied, looked_at) = match self.chain {
            // Functions of all but one processor, and of all but two; and regions, while they are
            // built.
            Chain::Walk { .. } | Chain::BirthDeath { .. } => (
                count(r, levels + 1) + count(r.max(2) - 1, levels + 1),
                if is_constant { (states / 4.0).max(states.min(4e6)) } else { 0.0 },
            ),
            // Two full tensors.
            Chain::Matrix { .. } | Chain::Affine { .. } => {
                (2.0 * (levels as f64).powi(r as i32), 0.0)
            }
        };
        // Value, work and remaps, the next value, and the vector that the operator is applied to;
        // where moved units cost something, their cost.
        let vectors = if self.remap_cost.parts()[1] > 0.0 { 6.0 } else { 5.0 };
        // Cost and work of the steps during a remap, and space for the look-ahead.
        let vectors = if self.stops() { vectors } else { 8.0 };
        // Total and largest level, and two bits of decisions.
        let own = 8.0 * vectors + 4.0 + 2.0 + 0.25;
        states * own + 8.0 * applied + 48.0 * looked_at
    }

    /// The facts that `check` prints.
    pub fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let counted = |number: f64| number.is_finite().then(|| whole(number));
        let ordered = (self.chain.levels() as f64).powi(self.processors as i32);
        let numbers = [
            ("states", self.states().map(serde_json::Value::from)),
            ("ordered_states", counted(ordered)),
            ("memory_bytes", counted(self.memory_needed())),
        ];
        // Numbers that overflow are left out.
        let numbers = numbers.into_iter().filter_map(|(name, number)| Some((name, number?)));
        let own = [("processors", self.processors.into()), ("levels", self.chain.levels().into())];
        own.into_iter().chain(numbers).chain([("steps", self.steps.into())]).collect()
    }
}
