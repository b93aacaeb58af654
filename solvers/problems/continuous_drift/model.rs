//! The `ContinuousDrift` problem of a model file: drifting loads with continuous increments.

use crate::model::cost::{Cost, Late};
use crate::model::explain::Shape;
use crate::model::law::SIZES;
use crate::model::number::Decimal;
use crate::model::review::Review;
use remapping::continuous_drift::{
    Class, ContinuousDrift as Problem, Increments as Engine, KeptSlopes as Kept, NoBounds,
};
use serde::Deserialize;

/// The fields of `ContinuousDrift(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContinuousDrift {
    processors: usize,
    /// The distribution of a load's increment in a step.
    increments: Increments,
    /// The standard deviation of the processors' drift rates, which a remap draws anew.
    slopes: Option<Decimal>,
    /// Drift rates that persist over remaps.
    kept_slopes: Option<KeptSlopes>,
    /// The standard deviation of the part of a step's time that later steps do not share.
    noise: Option<Decimal>,
    steps: u64,
    remap_cost: Cost,
    /// Remaps that take effect some steps after the decision.
    overlap: Option<Late>,
    /// The mean load, where an overlapping remap slows steps by a share of it.
    mean_load: Option<Decimal>,
}

/// `(deviation: 0.1, change: 0.01)`: in each step all drift rates are drawn anew with probability
/// `change`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptSlopes {
    deviation: Decimal,
    change: Decimal,
}

/// One distribution for all processors, or one for each class.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
enum Increments {
    Normal { mean: Option<Decimal>, deviation: Decimal },
    Gamma { shape: Decimal, mean: Decimal },
    Student { mean: Option<Decimal>, freedom: Decimal, scale: Decimal },
    Jumps { rate: Decimal, size: Decimal },
    Classes(Vec<LawClass>),
}

/// `(count: 24, law: Normal(deviation: 0.3))`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct LawClass {
    count: usize,
    law: Increments,
}

/// An example of each part, for messages.
pub(crate) const SHAPES: &[Shape] = &[
    ("problem", "ContinuousDrift(processors: 32, increments: ..., steps: 400, remap_cost: 8.0)"),
    (
        "problem.increments",
        "Normal(deviation: 1.0), Gamma(shape: 2.0, mean: 1.0), Student(freedom: 4, scale: 1.0), \
         Jumps(rate: 0.05, size: 4.0) or Classes([(count: 24, law: Normal(deviation: 0.3)), (count: 8, law: \
         Normal(mean: 0.1, deviation: 0.6))])",
    ),
    ("problem.slopes", "0.2"),
    ("problem.kept_slopes", "(deviation: 0.2, change: 0.01)"),
    ("problem.noise", "0.5"),
    ("problem.remap_cost", "8.0 or (fixed: 8.0, per_unit_moved: 0.5)"),
    ("problem.overlap", "(steps: 3, slowdown: 0.05)"),
    ("problem.mean_load", "20.0"),
];

impl ContinuousDrift {
    pub(crate) fn review(&self, review: &mut Review<'_>) {
        self.review_increments(review);
        for (name, number) in [("slopes", &self.slopes), ("noise", &self.noise)] {
            if let Some(number) = number {
                let path = format!("problem.{name}");
                review.exact_nonnegative(&path, number, "a standard deviation");
                review.moderate(&path, number.value, SIZES);
            }
        }
        if let Some(KeptSlopes { deviation, change }) = &self.kept_slopes {
            let path = "problem.kept_slopes.deviation";
            review.exact_nonnegative(path, deviation, "a standard deviation");
            review.moderate(path, deviation.value, SIZES);
            let path = "problem.kept_slopes.change";
            review.exact_nonnegative(path, change, "a probability");
            if change.value > 1.0 {
                let message = "a probability is between 0 and 1";
                let help = "take the share of steps in which all slopes change, as 0.01";
                review.fault(path, message, &format!("found {}", change.value), help);
            }
        }
        let path = "problem.remap_cost";
        self.remap_cost.review(path, review);
        match &self.remap_cost {
            Cost::Constant(cost) => review.moderate(path, cost.value, SIZES),
            Cost::Moved { fixed, per_unit_moved } => {
                review.moderate(&format!("{path}.fixed"), fixed.value, SIZES);
                review.moderate(&format!("{path}.per_unit_moved"), per_unit_moved.value, SIZES);
            }
            Cost::PerState(_) => {
                let message = "a cost for each state does not go with ContinuousDrift";
                let help = "take a number, or (fixed: 2.0, per_unit_moved: 0.5)";
                review.fault(path, message, "there are no states to list", help);
            }
        }
        if let Some(mean) = &self.mean_load {
            review.exact_nonnegative("problem.mean_load", mean, "the mean load");
            review.moderate("problem.mean_load", mean.value, SIZES);
        }
        if let Some(late) = &self.overlap {
            late.review("problem.overlap", review);
            if Late::overlap(Some(late)).slowdown > 0.0 && self.mean_load.is_none() {
                let message = "steps are slower by a share of their time, which is not known";
                let help = "add mean_load, what a balanced step takes: mean_load: 20.0";
                review.fault("problem.overlap", message, "loads have no mean here", help);
            }
        }
        if !review.faults.is_empty() {
            return;
        }
        if let Some(fault) = self.problem().fault() {
            let (place, help) = match fault {
                NoBounds::Ranks(0 | 1) => {
                    ("problem.processors", "take 2 or more: one has nothing to balance")
                }
                NoBounds::Steps(0) => ("problem.steps", "take 1 or more"),
                NoBounds::Ranks(_) => ("problem.processors", "take fewer, or levels: LoadDrift"),
                NoBounds::Steps(_) => ("problem.steps", "take fewer, or levels: LoadDrift"),
                NoBounds::Classes(_) => {
                    ("problem.increments", "join classes that are nearly alike")
                }
                NoBounds::Long(..) => ("problem.kept_slopes", "take fewer steps or processors"),
                NoBounds::NotNormal => ("problem.increments", "take Normal, or leave both out"),
                NoBounds::Law(_) if self.kept_slopes.is_some() => {
                    ("problem.kept_slopes", "correct it: (deviation: 0.2, change: 0.01)")
                }
                _ => ("problem.increments", "correct the parameter"),
            };
            review.fault(place, "this model is out of range", &fault.to_string(), help);
        }
    }

    fn review_increments(&self, review: &mut Review<'_>) {
        let path = "problem.increments";
        let Increments::Classes(classes) = &self.increments else {
            return self.increments.review(path, review);
        };
        for (index, LawClass { count, law }) in classes.iter().enumerate() {
            let path = format!("{path}[{index}]");
            if *count == 0 {
                let message = "a class has no processors";
                review.fault(&path, message, "the count is 0", "leave the class out");
            }
            law.review(&format!("{path}.law"), review);
        }
        let sum = classes.iter().fold(0, |sum: usize, class| sum.saturating_add(class.count));
        if sum != self.processors {
            let message = "the classes have other processors than the model";
            let label = format!("the counts sum to {sum}, processors is {}", self.processors);
            let help = "correct the counts, or processors";
            review.fault(path, message, &label, help);
        }
    }

    /// The engine's problem.
    pub fn problem(&self) -> Problem {
        let [remap_cost, per_unit_moved] = self.remap_cost.parts();
        Problem {
            classes: match &self.increments {
                Increments::Classes(classes) => {
                    classes.iter().map(|class| class.law.of(class.count)).collect()
                }
                law => vec![law.of(self.processors)],
            },
            slopes: number(&self.slopes),
            kept_slopes: self
                .kept_slopes
                .as_ref()
                .map(|kept| Kept { deviation: kept.deviation.value, change: kept.change.value }),
            noise: number(&self.noise),
            steps: self.steps,
            remap_cost,
            per_unit_moved,
            overlap: Late::overlap(self.overlap.as_ref()),
            mean_load: number(&self.mean_load),
        }
    }

    /// The facts that `check` prints.
    pub fn facts(&self) -> Vec<(&'static str, serde_json::Value)> {
        let problem = self.problem();
        let best = problem.intervals().and_then(|all| {
            let best = (1u64..).zip(all).min_by(|a, b| a.1.total_cmp(&b.1));
            best.filter(|best| best.0 < problem.steps)
        });
        let each = |of: &dyn Fn(&Class) -> f64| -> serde_json::Value {
            match &problem.classes[..] {
                [class] => of(class).into(),
                classes => classes.iter().map(of).collect(),
            }
        };
        let mut facts = vec![
            ("processors", self.processors.into()),
            ("steps", self.steps.into()),
            ("deviation_of_increments", each(&|class| class.law.deviation())),
            ("best_fixed_interval", best.map(|best| best.0).into()),
        ];
        if problem.classes.len() > 1 {
            facts.push(("mean_of_increments", each(&Class::mean)));
            let counts = problem.classes.iter().map(|class| class.count);
            facts.push(("processors_of_classes", counts.collect()));
        }
        facts
    }
}

impl Increments {
    fn review(&self, path: &str, review: &mut Review<'_>) {
        let (mean, numbers) = match self {
            Increments::Normal { mean, deviation } => (mean, vec![("deviation", deviation)]),
            Increments::Gamma { shape, mean } => (&None, vec![("shape", shape), ("mean", mean)]),
            Increments::Student { mean, freedom, scale } => {
                (mean, vec![("freedom", freedom), ("scale", scale)])
            }
            Increments::Jumps { rate, size } => (&None, vec![("rate", rate), ("size", size)]),
            Increments::Classes(_) => {
                let message = "the law of a class is one law";
                let help = "list all classes in one list, each with a law of its own";
                return review.fault(path, message, "these are classes again", help);
            }
        };
        let mean = mean.as_ref().map(|mean| ("mean", mean));
        for (name, number) in numbers.into_iter().chain(mean) {
            review.moderate(&format!("{path}.{name}"), number.value, SIZES);
        }
    }

    /// The engine's class of `count` processors.
    fn of(&self, count: usize) -> Class {
        let (drift, law) = match self {
            Increments::Normal { mean, deviation } => {
                (number(mean), Engine::Normal { deviation: deviation.value })
            }
            Increments::Gamma { shape, mean } => {
                (0.0, Engine::Gamma { shape: shape.value, mean: mean.value })
            }
            Increments::Student { mean, freedom, scale } => {
                (number(mean), Engine::Student { freedom: freedom.value, scale: scale.value })
            }
            Increments::Jumps { rate, size } => {
                (0.0, Engine::Jumps { rate: rate.value, size: size.value })
            }
            Increments::Classes(_) => unreachable!("a review refuses classes of classes"),
        };
        Class { count, law, drift }
    }
}

/// An optional number, 0 where it is not stated.
fn number(number: &Option<Decimal>) -> f64 {
    number.as_ref().map_or(0.0, |number| number.value)
}
