//! The `ContinuousDrift` problem of a model file: drifting loads as they are recorded, without levels.

use super::explain::Shape;
use super::law::SIZES;
use super::number::Decimal;
use super::review::Review;
use remapping::drift::continuous::{ContinuousDrift as Problem, Increments as Law, NoBounds};
use serde::Deserialize;

/// `ContinuousDrift(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContinuousDrift {
    processors: usize,
    /// The law of what a load grows by in a step.
    increments: Increments,
    /// Standard deviation of the processors' slopes, which a remap draws anew.
    #[serde(default)]
    slopes: Option<Decimal>,
    /// Standard deviation of what a step has of its own.
    #[serde(default)]
    noise: Option<Decimal>,
    steps: u64,
    remap_cost: Decimal,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
enum Increments {
    Normal { deviation: Decimal },
    Gamma { shape: Decimal, mean: Decimal },
    Student { freedom: Decimal, scale: Decimal },
    Jumps { rate: Decimal, size: Decimal },
}

/// What may stand where, for messages.
pub(super) const SHAPES: &[Shape] = &[
    ("problem", "ContinuousDrift(processors: 32, increments: ..., steps: 400, remap_cost: 8.0)"),
    (
        "problem.increments",
        "Normal(deviation: 1.0), Gamma(shape: 2.0, mean: 1.0), Student(freedom: 4, scale: 1.0) or \
         Jumps(rate: 0.05, size: 4.0)",
    ),
    ("problem.slopes", "0.2"),
    ("problem.noise", "0.5"),
    ("problem.remap_cost", "8.0"),
];

impl ContinuousDrift {
    pub(super) fn review(&self, review: &mut Review<'_>) {
        let numbers: [(&str, &Decimal); 2] = match &self.increments {
            Increments::Normal { deviation } => [("deviation", deviation); 2],
            Increments::Gamma { shape, mean } => [("shape", shape), ("mean", mean)],
            Increments::Student { freedom, scale } => [("freedom", freedom), ("scale", scale)],
            Increments::Jumps { rate, size } => [("rate", rate), ("size", size)],
        };
        for (name, number) in numbers {
            review.moderate(&format!("problem.increments.{name}"), number.value, SIZES);
        }
        for (name, number) in [("slopes", &self.slopes), ("noise", &self.noise)] {
            if let Some(number) = number {
                let path = format!("problem.{name}");
                review.exact_nonnegative(&path, number, "a standard deviation");
                review.moderate(&path, number.value, SIZES);
            }
        }
        review.exact_nonnegative("problem.remap_cost", &self.remap_cost, "the cost of a remap");
        review.moderate("problem.remap_cost", self.remap_cost.value, SIZES);
        if !review.faults.is_empty() {
            return;
        }
        if let Some(fault) = self.problem().fault() {
            let (place, help) = match fault {
                NoBounds::Ranks(_) => ("problem.processors", "take fewer, or levels: LoadDrift"),
                NoBounds::Steps(_) => ("problem.steps", "take fewer, or levels: LoadDrift"),
                NoBounds::NotNormal => ("problem.increments", "take Normal, or leave both out"),
                _ => ("problem.increments", "correct the parameter"),
            };
            review.fault(place, "this model is out of range", &fault.to_string(), help);
        }
    }

    /// The engine's problem.
    pub fn problem(&self) -> Problem {
        let number = |number: &Option<Decimal>| number.as_ref().map_or(0.0, |n| n.value);
        Problem {
            ranks: self.processors,
            increments: match &self.increments {
                Increments::Normal { deviation } => Law::Normal { deviation: deviation.value },
                Increments::Gamma { shape, mean } => {
                    Law::Gamma { shape: shape.value, mean: mean.value }
                }
                Increments::Student { freedom, scale } => {
                    Law::Student { freedom: freedom.value, scale: scale.value }
                }
                Increments::Jumps { rate, size } => {
                    Law::Jumps { rate: rate.value, size: size.value }
                }
            },
            slopes: number(&self.slopes),
            noise: number(&self.noise),
            steps: self.steps,
            remap_cost: self.remap_cost.value,
        }
    }

    /// What `check` prints.
    pub fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let problem = self.problem();
        let best = problem.intervals().and_then(|all| {
            let best = (1u64..).zip(all).min_by(|a, b| a.1.total_cmp(&b.1));
            best.filter(|best| best.0 < problem.steps)
        });
        vec![
            ("processors", self.processors.into()),
            ("steps", self.steps.into()),
            ("deviation_of_increments", problem.increments.deviation().into()),
            ("best_fixed_interval", best.map(|best| best.0).into()),
        ]
    }
}
