//! The `Periodic` problem of a model file \[FXW03\].

use super::complaint::Review;
use super::explain::Shape;
use super::number::Decimal;
use remapping::Rational;
use remapping::interval::{Bound, Covariance, Imbalance, Processors};
use remapping::law::{Class, Law as EngineLaw, Steps};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use std::fmt;

/// How the parts of the problem are written, for messages.
pub(super) const SHAPES: &[Shape] = &[
    ("problem", "Periodic(initial_load: 100, changes: ..., bound: MaxDeviation(0.05))"),
    (
        "problem.changes",
        "Identical(count: 64, law: ...), Distinct([law, ...]) or Classes([(count: 16, law: ...), ...])",
    ),
    (
        "problem.changes.law",
        "Steps({-1: 0.5, 1: 0.5}), Exponential(mean: 0.5), Gamma(shape: 2, mean: 0.5), \
         Normal(mean: 0, deviation: 1) or Moments(mean: 0, variance: 1)",
    ),
    ("problem.bound", "MaxDeviation(0.05) or RmsDeviation(0.1)"),
    ("problem.covariance", "[[1, 0.5], [0.5, 1]]"),
];

/// Most processors of one model.
const MAX_PROCESSORS: usize = 1_000_000;

/// Most processors of a model with a covariance matrix.
const MAX_CORRELATED: usize = 4_000;

/// `Periodic(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Periodic {
    initial_load: Decimal,
    changes: Changes,
    #[serde(default)]
    capacities: Option<Vec<Decimal>>,
    #[serde(default)]
    covariance: Option<Vec<Vec<Decimal>>>,
    bound: Tolerance,
    #[serde(default)]
    remap_cost: Option<Decimal>,
}

/// Who follows which law.
#[derive(Debug, Clone, Deserialize)]
enum Changes {
    Identical { count: usize, law: Law },
    Distinct(Vec<Law>),
    Classes(Vec<LawClass>),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct LawClass {
    count: usize,
    law: Law,
}

/// Law of the change of a load in one step.
#[derive(Debug, Clone, Deserialize)]
enum Law {
    Steps(Weights),
    Exponential { mean: Decimal },
    Gamma { shape: Decimal, mean: Decimal },
    Normal { mean: Decimal, deviation: Decimal },
    Moments { mean: Decimal, variance: Decimal },
}

#[derive(Debug, Clone, Deserialize)]
enum Tolerance {
    MaxDeviation(Decimal),
    RmsDeviation(Decimal),
}

/// `{step: probability, ...}`, in the order of the file.
#[derive(Debug, Clone)]
struct Weights(Vec<(Decimal, Decimal)>);

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> de::Visitor<'de> for Entries {
            type Value = Weights;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map {step: probability, ...}")
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Weights, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Weights(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl Law {
    fn review(&self, review: &mut Review<'_>, path: &str) {
        let at = |field: &str| format!("{path}.{field}");
        match self {
            Law::Steps(Weights(entries)) => review_steps(entries, review, path),
            Law::Exponential { mean } => {
                positive(review, &at("mean"), mean, "the mean of an exponential law")
            }
            Law::Gamma { shape, mean } => {
                positive(review, &at("shape"), shape, "the shape of a gamma law");
                positive(review, &at("mean"), mean, "the mean of a gamma law");
            }
            Law::Normal { deviation, .. } => {
                review.nonnegative(&at("deviation"), deviation.value, "a standard deviation");
            }
            Law::Moments { variance, .. } => {
                review.nonnegative(&at("variance"), variance.value, "a variance");
            }
        }
    }

    /// The law the engine knows; `None` if it is not one.
    fn engine(&self) -> Option<EngineLaw> {
        let law = match self {
            Law::Steps(Weights(entries)) => {
                let pairs = entries.iter().map(|(step, weight)| (step.value, weight.value));
                EngineLaw::Steps(Steps::new(pairs.collect()).ok()?)
            }
            Law::Exponential { mean } => EngineLaw::Exponential { mean: mean.value },
            Law::Gamma { shape, mean } => EngineLaw::Gamma { shape: shape.value, mean: mean.value },
            Law::Normal { mean, deviation } => {
                EngineLaw::Normal { mean: mean.value, deviation: deviation.value }
            }
            Law::Moments { mean, variance } => {
                EngineLaw::Moments { mean: mean.value, variance: variance.value }
            }
        };
        law.check().ok().map(|()| law)
    }
}

fn positive(review: &mut Review<'_>, path: &str, value: &Decimal, what: &str) {
    if value.value <= 0.0 {
        let label = format!("{} is not above zero", value.value);
        review.fault(path, &format!("{what} must be positive"), &label, "give a value above 0");
    }
}

fn review_steps(entries: &[(Decimal, Decimal)], review: &mut Review<'_>, path: &str) {
    if entries.is_empty() {
        let help = "give at least one step, such as {-1: 0.5, 1: 0.5}";
        review.fault(path, "a law of steps needs a step", "no step here", help);
        return;
    }
    let mut sum = Rational::ZERO;
    for (index, (step, weight)) in entries.iter().enumerate() {
        review.probability(&format!("{path}[{index}]"), weight.value);
        if entries[..index].iter().any(|(other, _)| other.exact == step.exact) {
            let label = format!("the step {} is given twice", step.value);
            review.fault(
                &format!("{path}[{index}]"),
                "a step is repeated",
                &label,
                "keep one of them",
            );
        }
        sum += &weight.exact;
    }
    let miss = (&sum - Rational::ONE).to_f64().value();
    review.exact_sum_to_one(path, &sum, "the weights of the steps");
    if miss != 0.0 && miss.abs() <= 1e-9 {
        let side = if miss > 0.0 { "above" } else { "below" };
        review.warn(format!(
            "{path}: the weights sum to {:e} {side} 1; the law used has them divided by their sum",
            miss.abs()
        ));
    }
}

impl Periodic {
    /// Checks what the types cannot.
    pub fn review(&self, review: &mut Review<'_>) {
        positive(review, "problem.initial_load", &self.initial_load, "the initial load");
        for (index, (path, count, law)) in self.laws().into_iter().enumerate() {
            if index < 64 || review.faults.is_empty() {
                law.review(review, &path);
            }
            if count == 0 {
                review.fault(
                    &path,
                    "a class has no processors",
                    "the count is 0",
                    "leave the class out",
                );
            }
        }
        let count = self.count();
        if count < 2 {
            let label = format!("{count} processor{}", if count == 1 { "" } else { "s" });
            let help = "one processor cannot be out of balance: give two or more";
            review.fault("problem.changes", "balance needs at least two processors", &label, help);
        }
        if count > MAX_PROCESSORS {
            let help = format!("at most {MAX_PROCESSORS}");
            review.fault(
                "problem.changes",
                "too many processors",
                &format!("{count} processors"),
                &help,
            );
        }
        self.review_capacities(review, count);
        self.review_covariance(review, count);
        let (Tolerance::MaxDeviation(bound) | Tolerance::RmsDeviation(bound)) = &self.bound;
        review.nonnegative("problem.bound", bound.value, "the bound of the imbalance");
        if let Some(cost) = &self.remap_cost {
            review.nonnegative("problem.remap_cost", cost.value, "the cost of a remap");
        }
    }

    fn review_capacities(&self, review: &mut Review<'_>, count: usize) {
        let Some(capacities) = &self.capacities else { return };
        if capacities.len() != count {
            let label = format!("{} capacities for {count} processors", capacities.len());
            review.fault("problem.capacities", "one capacity per processor is needed", &label, "");
        }
        for (index, capacity) in capacities.iter().enumerate() {
            positive(review, &format!("problem.capacities[{index}]"), capacity, "a capacity");
        }
        if self.covariance.is_some() {
            let help = "give the covariance of the loads divided by the capacities instead";
            let message = "capacities and a covariance matrix do not go together";
            review.fault("problem.capacities", message, "capacities here", help);
        }
    }

    fn review_covariance(&self, review: &mut Review<'_>, count: usize) {
        let Some(rows) = &self.covariance else { return };
        let path = "problem.covariance";
        if let Tolerance::MaxDeviation(_) = self.bound {
            let help = "use bound: RmsDeviation(...), or drop the matrix";
            let label = "the largest deviation needs more than second moments";
            review.fault(path, "a covariance matrix goes with RmsDeviation only", label, help);
        }
        if rows.len() != count || count > MAX_CORRELATED {
            let label = format!("{} rows for {count} processors", rows.len());
            let help = format!("give one row per processor, at most {MAX_CORRELATED}");
            review.fault(path, "the covariance matrix has the wrong size", &label, &help);
            return;
        }
        let covariance = match Covariance::new(&numbers(rows)) {
            Ok(covariance) => covariance,
            Err(error) => {
                let help = "a covariance matrix is symmetric with no negative eigenvalue";
                review.fault(path, "this is not a covariance matrix", &error.to_string(), help);
                return;
            }
        };
        let variances = self.laws().into_iter().flat_map(|(_, count, law)| {
            let variance = law.engine().map(|law| law.variance());
            std::iter::repeat_n(variance, count)
        });
        let differs = |(processor, variance): &(usize, Option<f64>)| {
            let given = covariance.variance(*processor);
            variance.is_some_and(|variance| (variance - given).abs() > 1e-9 * given.max(variance))
        };
        if let Some((processor, Some(variance))) = variances.enumerate().find(differs) {
            review.warn(format!(
                "the covariance matrix gives processor {processor} the variance {}, its law {variance}: \
                 the matrix is used",
                covariance.variance(processor)
            ));
        }
    }

    /// Path, number of processors and law of every class in the file.
    fn laws(&self) -> Vec<(String, usize, &Law)> {
        let path = |index| format!("problem.changes[{index}]");
        match &self.changes {
            Changes::Identical { count, law } => {
                vec![("problem.changes.law".to_owned(), *count, law)]
            }
            Changes::Distinct(laws) => {
                laws.iter().enumerate().map(|(index, law)| (path(index), 1, law)).collect()
            }
            Changes::Classes(classes) => {
                let class =
                    |(index, class): (usize, &'_ LawClass)| (path(index) + ".law", class.count);
                let named = classes.iter().enumerate().map(class);
                named.zip(classes).map(|((path, count), class)| (path, count, &class.law)).collect()
            }
        }
    }

    fn count(&self) -> usize {
        let counts = self.laws().into_iter().map(|(_, count, _)| count);
        counts.fold(0, usize::saturating_add)
    }

    /// The processors, their loads divided by the capacities where there are some.
    ///
    /// # Panics
    /// If the model has not passed its review.
    pub fn processors(&self) -> Processors {
        let laws = self
            .laws()
            .into_iter()
            .map(|(_, count, law)| (count, law.engine().expect("a reviewed law")));
        let classes: Vec<Class> = match &self.capacities {
            None => laws.map(|(count, law)| Class { count, law }).collect(),
            Some(capacities) => {
                let each = laws.flat_map(|(count, law)| std::iter::repeat_n(law, count));
                each.zip(capacities)
                    .map(|(law, capacity)| Class {
                        count: 1,
                        law: law.per_capacity(capacity.value),
                    })
                    .collect()
            }
        };
        Processors::new(self.initial_load.value, classes).expect("reviewed processors")
    }

    /// What is bounded.
    ///
    /// # Panics
    /// If the model has not passed its review.
    pub fn bound(&self) -> Bound {
        match &self.bound {
            Tolerance::MaxDeviation(bound) => Bound::MaxDeviation(bound.value),
            Tolerance::RmsDeviation(bound) => {
                let spread = |rows: &Vec<Vec<Decimal>>| {
                    Covariance::new(&numbers(rows)).expect("a reviewed matrix").spread()
                };
                Bound::RmsDeviation(bound.value, self.covariance.as_ref().map(spread))
            }
        }
    }

    /// What can be said without solving.
    ///
    /// # Panics
    /// If the model has not passed its review.
    pub fn facts(&self) -> Vec<(&'static str, Value)> {
        let processors = self.processors();
        let mut facts: Vec<(&'static str, Value)> = vec![
            ("processors", processors.count().into()),
            ("classes", processors.classes().len().into()),
            ("mean change", processors.mean().into()),
            ("mean variance", (processors.variance() / (processors.count() - 1) as f64).into()),
            ("spread of the means", processors.drift().into()),
        ];
        if processors.mean() < 0.0 {
            facts.push(("mean load zero after", (processors.load() / -processors.mean()).into()));
        }
        if processors.mean() > 0.0 {
            let limit = processors.drift().sqrt() / processors.mean();
            facts.push(("limit of v", limit.into()));
        }
        let safe = processors.steps_without_negative_load();
        facts.push(("loads not negative through", safe.map_or("always".into(), Value::from)));
        let exact = Imbalance::new(&processors).is_some_and(|imbalance| imbalance.is_exact());
        facts.push(("largest deviation known exactly", exact.into()));
        facts
    }

    /// Cost of a remap in units of load, where it is given.
    pub fn remap_cost(&self) -> Option<f64> {
        self.remap_cost.as_ref().map(|cost| cost.value)
    }
}

fn numbers(rows: &[Vec<Decimal>]) -> Vec<Vec<f64>> {
    rows.iter().map(|row| row.iter().map(|entry| entry.value).collect()).collect()
}
