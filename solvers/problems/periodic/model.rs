//! The `Periodic` problem of a model file \[FXW03\].

mod faults;

use crate::model::chain::Chain;
use crate::model::cost::Price;
use crate::model::explain::Shape;
use crate::model::law::Law;
use crate::model::number::Decimal;
use remapping::Rational;
use remapping::distribution::{Class, Law as EngineLaw};
use remapping::periodic::{Bound, ChainLoads, ExpectedImbalance, LoadChain, Processors};
use serde::Deserialize;
use serde_json::Value;

/// An example of each part, for messages.
pub(crate) const SHAPES: &[Shape] = &[
    ("problem", "Periodic(initial_load: 100, changes: ..., bound: MaxDeviation(0.05))"),
    (
        "problem.changes",
        "Identical(count: 64, law: ...), Distinct([law, ...]), Classes([(count: 16, law: ...), ...]) or \
         Chain(count: 8, chain: Walk(levels: 19, up: 0.25, down: 0.25, edge: Hold))",
    ),
    (
        "problem.changes.law",
        "Steps({-1: 0.5, 1: 0.5}), Exponential(mean: 0.5), Gamma(shape: 2, mean: 0.5), \
         Normal(mean: 0, deviation: 1) or Moments(mean: 0, variance: 1)",
    ),
    ("problem.bound", "MaxDeviation(0.05) or RmsDeviation(0.1)"),
    ("problem.covariance", "[[1, 0.5], [0.5, 1]]"),
];

/// The most distributions, or capacities, whose means and variances are computed without rounding.
const MOST_EXACT: usize = 1_000;

/// The fields of `Periodic(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Periodic {
    initial_load: Decimal,
    changes: Changes,
    capacities: Option<Vec<Decimal>>,
    covariance: Option<Vec<Vec<Decimal>>>,
    bound: Option<Tolerance>,
    remap_cost: Option<Price>,
    periods: Option<u32>,
}

/// The processors and their distributions.
#[derive(Debug, Clone, Deserialize)]
enum Changes {
    Identical {
        count: usize,
        law: Law,
    },
    Distinct(Vec<Law>),
    Classes(Vec<LawClass>),
    /// Loads on the levels of a birth-death chain.
    Chain {
        count: usize,
        chain: Chain,
    },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct LawClass {
    count: usize,
    law: Law,
}

#[derive(Debug, Clone, Deserialize)]
enum Tolerance {
    MaxDeviation(Decimal),
    RmsDeviation(Decimal),
}

impl Periodic {
    /// The first processor whose distribution has another variance than the covariance matrix, and
    /// that variance.
    fn another_variance(&self) -> Option<(usize, f64)> {
        let given = self.covariance.as_ref()?.iter().enumerate();
        let given = given.map(|(i, row)| row.get(i).map(|entry| entry.value));
        let laws = self.laws().into_iter().flat_map(|(_, count, law)| {
            let variance = law.engine().map(|law| law.variance());
            std::iter::repeat_n(variance, count)
        });
        let other = |(law, given): (Option<f64>, Option<f64>)| {
            law.zip(given).filter(|(law, given)| differ(*law, *given)).map(|(law, _)| law)
        };
        laws.zip(given).map(other).enumerate().find_map(|(i, law)| Some((i, law?)))
    }

    /// The variances of a covariance matrix that differ from those of the distributions.
    fn variances(&self) -> Option<Vec<f64>> {
        self.another_variance()?;
        let rows = self.covariance.as_ref()?.iter().enumerate();
        Some(rows.map(|(i, row)| row[i].value).collect())
    }

    /// Path, number of processors and distribution of every class in the file.
    fn laws(&self) -> Vec<(String, usize, &Law)> {
        let path = |index| format!("problem.changes[{index}]");
        match &self.changes {
            Changes::Chain { .. } => Vec::new(),
            Changes::Identical { count, law } => {
                vec![("problem.changes.law".to_owned(), *count, law)]
            }
            Changes::Distinct(laws) => {
                laws.iter().enumerate().map(|(index, law)| (path(index), 1, law)).collect()
            }
            Changes::Classes(classes) => {
                let classes = classes.iter().enumerate();
                classes.map(|(i, class)| (path(i) + ".law", class.count, &class.law)).collect()
            }
        }
    }

    fn count(&self) -> usize {
        if let Changes::Chain { count, .. } = self.changes {
            return count;
        }
        let counts = self.laws().into_iter().map(|(_, count, _)| count);
        counts.fold(0, usize::saturating_add)
    }

    /// The processors; where there are capacities, their loads are divided by these.
    ///
    /// # Panics
    /// If the model has not passed review.
    pub fn processors(&self) -> Processors {
        let laws = self
            .laws()
            .into_iter()
            .map(|(_, count, law)| (count, law.engine().expect("a reviewed law")));
        let classes: Vec<Class> = match (&self.capacities, self.variances()) {
            (None, None) => laws.map(|(count, law)| Class { count, law }).collect(),
            (None, Some(variances)) => {
                // Of a distribution whose variance differs from the matrix, only the mean is used.
                let each = laws.flat_map(|(count, law)| std::iter::repeat_n(law, count));
                let own = |(law, variance): (EngineLaw, f64)| match differ(law.variance(), variance)
                {
                    true => EngineLaw::Moments { mean: law.mean(), variance },
                    false => law,
                };
                each.zip(variances).map(|pair| Class { count: 1, law: own(pair) }).collect()
            }
            (Some(capacities), _) => {
                let each = laws.flat_map(|(count, law)| std::iter::repeat_n(law, count));
                each.zip(capacities)
                    .map(|(law, capacity)| Class {
                        count: 1,
                        law: law.per_capacity(capacity.value),
                    })
                    .collect()
            }
        };
        let found = Processors::new(self.initial_load.value, classes).expect("reviewed processors");
        let found = match self.changes() {
            Some(changes) => found.with_changes(self.initial_load.exact.clone(), &changes),
            None => found,
        };
        match &self.covariance {
            Some(rows) => found.dependent(spread(rows)),
            None => found,
        }
    }

    /// Exact means and variances, where there are few distributions and no matrix with other
    /// variances.
    fn changes(&self) -> Option<Vec<(usize, [Rational; 2])>> {
        let laws = self.laws();
        let entries = self.capacities.as_ref().map_or(laws.len(), Vec::len);
        if entries > MOST_EXACT || self.variances().is_some() {
            return None;
        }
        let own = laws.into_iter().map(|(_, count, law)| (count, law.moments()));
        Some(match &self.capacities {
            None => own.collect(),
            Some(capacities) => {
                let each = own.flat_map(|(count, moments)| std::iter::repeat_n(moments, count));
                let per = |([mean, variance], capacity): ([Rational; 2], &Decimal)| {
                    let capacity = &capacity.exact;
                    (1, [mean / capacity, variance / (capacity * capacity)])
                };
                each.zip(capacities).map(per).collect()
            }
        })
    }

    /// The bound on the imbalance, if the model gives one.
    ///
    /// # Panics
    /// If the model has not passed review.
    pub fn bound(&self) -> Option<Bound> {
        Some(match self.bound.as_ref()? {
            Tolerance::MaxDeviation(bound) => Bound::MaxDeviation(bound.value),
            Tolerance::RmsDeviation(bound) => Bound::RmsDeviation(bound.value),
        })
    }

    /// The facts that are known without solving.
    ///
    /// # Panics
    /// If the model has not passed review.
    pub fn facts(&self) -> Vec<(&'static str, Value)> {
        if let Changes::Chain { count, chain } = &self.changes {
            return vec![("processors", (*count).into()), ("levels", chain.levels().into())];
        }
        let processors = self.processors();
        let mut facts: Vec<(&'static str, Value)> = vec![
            ("processors", processors.count().into()),
            ("classes", processors.classes().len().into()),
            ("mean change", processors.mean().into()),
            ("mean variance", processors.mean_variance().into()),
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
        if let Some(rows) = &self.covariance {
            facts.push((
                "variance added to the imbalance by a step",
                spread(rows).to_f64().value().into(),
            ));
        }
        let known = ExpectedImbalance::new(&processors).filter(|_| self.covariance.is_none());
        let exact = match known {
            Some(imbalance) if imbalance.is_exact() => true.into(),
            Some(_) => "between bounds, as near as needed".into(),
            None => false.into(),
        };
        facts.push(("largest deviation known exactly", exact));
        facts
    }

    /// The processors, where their loads follow a chain. The model must have passed review.
    pub fn chain_loads(&self) -> Option<ChainLoads> {
        let Changes::Chain { count, chain } = &self.changes else { return None };
        let moves = chain.birth_death()?.ok()?;
        let list = |p: &dyn Fn(usize) -> f64| (0..moves.levels()).map(p).collect();
        Some(ChainLoads {
            count: *count,
            chain: LoadChain {
                up: list(&|level| moves.up(level)),
                down: list(&|level| moves.down(level)),
            },
            lowest: chain.lowest() as f64,
            start: (self.initial_load.value - chain.lowest() as f64) as usize,
        })
    }

    /// The load of every processor at the start.
    pub fn initial_load(&self) -> f64 {
        self.initial_load.value
    }

    /// The cost of a remap in units of load, where it is given.
    pub fn remap_cost(&self) -> Option<f64> {
        self.remap_cost.as_ref().map(|cost| cost.number().value)
    }

    /// Whether the changes of different processors depend on each other.
    pub fn has_covariance(&self) -> bool {
        self.covariance.is_some()
    }

    /// The number of consecutive periods, each starting from the mean load at the end of the one
    /// before.
    pub fn periods(&self) -> Option<u32> {
        self.periods
    }
}

/// The increase of the imbalance per step by a reviewed matrix: its trace less the sum of its
/// entries divided by the number of rows.
fn spread(rows: &[Vec<Decimal>]) -> Rational {
    let all = rows.iter().flatten().fold(Rational::ZERO, |sum, entry| sum + &entry.exact);
    let diagonal = rows.iter().enumerate().map(|(place, row)| &row[place].exact);
    let trace = diagonal.fold(Rational::ZERO, |sum, entry| sum + entry);
    (trace - all / Rational::from(rows.len())).max(Rational::ZERO)
}

/// Whether two variances differ by more than rounding.
fn differ(one: f64, other: f64) -> bool {
    (one - other).abs() > 1e-9 * one.max(other)
}

fn numbers(rows: &[Vec<Decimal>]) -> Vec<Vec<f64>> {
    rows.iter().map(|row| row.iter().map(|entry| entry.value).collect()).collect()
}
