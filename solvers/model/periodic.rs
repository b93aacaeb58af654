//! The `Periodic` problem of a model file \[FXW03\].

use super::chain::Chain;
use super::cost::Price;
use super::explain::Shape;
use super::law::{Law, SIZES, positive};
use super::number::Decimal;
use super::review::Review;
use remapping::Rational;
use remapping::interval::{
    Bound, ChainLoads, Covariance, ExpectedImbalance, LoadChain, Moments, Processors,
};
use remapping::law::{Class, Law as EngineLaw};
use serde::Deserialize;
use serde_json::Value;

/// How the parts of the problem are written, for messages.
pub(super) const SHAPES: &[Shape] = &[
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

/// Most processors of one model.
const MAX_PROCESSORS: usize = 1_000_000;

/// Most periods.
const MAX_PERIODS: u32 = 1000;

/// Most levels of a chain.
const MAX_LEVELS: usize = 10_000;

/// Laws, or capacities, whose means and variances are taken without rounding.
const MOST_EXACT: usize = 1_000;

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
    #[serde(default)]
    bound: Option<Tolerance>,
    #[serde(default)]
    remap_cost: Option<Price>,
    #[serde(default)]
    periods: Option<u32>,
}

/// Who follows which law.
#[derive(Debug, Clone, Deserialize)]
enum Changes {
    Identical {
        count: usize,
        law: Law,
    },
    Distinct(Vec<Law>),
    Classes(Vec<LawClass>),
    /// Loads on the levels of a birth–death chain.
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
        self.review_chain(review);
        self.review_capacities(review, count);
        self.review_covariance(review, count);
        if let Some(periods) = self.periods {
            let help = "leave it out for the first period alone";
            if !(1..=MAX_PERIODS).contains(&periods) {
                let label = format!("not between 1 and {MAX_PERIODS}");
                review.fault("problem.periods", "a number is out of range", &label, help);
            }
            if self.bound.is_none() || matches!(self.changes, Changes::Chain { .. }) {
                let label = "periods need a bound, and changes with laws or moments";
                review.fault("problem.periods", "this does not go together", label, help);
            }
        }
        if let Some(Tolerance::MaxDeviation(bound) | Tolerance::RmsDeviation(bound)) = &self.bound {
            review.exact_nonnegative("problem.bound", bound, "the bound of the imbalance");
            review.moderate("problem.bound", bound.value, SIZES);
        } else if self.remap_cost.is_none() || matches!(self.changes, Changes::Chain { .. }) {
            review.fault(
                "problem",
                "nothing says how long an interval may be",
                "neither a bound on the imbalance nor a cost of a remap",
                "give bound: MaxDeviation(0.05), or remap_cost: 5 where the changes have laws",
            );
        } else if let Some((path, ..)) =
            self.laws().iter().find(|(_, _, law)| matches!(law, Law::Moments { .. }))
        {
            review.fault(
                path,
                "an interval of least cost needs laws",
                "only moments are given",
                "give a law such as Normal(...) or Steps([...]), or a bound on the imbalance",
            );
        }
        review.moderate("problem.initial_load", self.initial_load.value, SIZES);
        if let Some(cost) = &self.remap_cost {
            cost.review("problem.remap_cost", review);
            review.moderate("problem.remap_cost", cost.number().value, SIZES);
        }
    }

    fn review_chain(&self, review: &mut Review<'_>) {
        let Changes::Chain { chain, .. } = &self.changes else { return };
        chain.review("problem.changes.chain", review);
        let message = "capacities and covariances do not go with a chain of levels";
        for (path, given) in [
            ("problem.capacities", self.capacities.is_some()),
            ("problem.covariance", self.covariance.is_some()),
        ] {
            if given {
                review.fault(path, message, "not with a chain", "leave it out");
            }
        }
        if matches!(chain, Chain::Matrix { .. } | Chain::Affine { .. }) {
            let help = "give Walk(...) or BirthDeath(...)";
            review.fault(
                "problem.changes.chain",
                "a birth–death chain is needed",
                "a matrix",
                help,
            );
        }
        if chain.levels() > MAX_LEVELS {
            let (label, help) =
                (format!("{} levels", chain.levels()), format!("at most {MAX_LEVELS}"));
            review.fault("problem.changes.chain", "too many levels", &label, &help);
            return;
        }
        let (lowest, load) = (chain.lowest(), self.initial_load.value);
        if lowest < 0 {
            let label = format!("the lowest load is {lowest}");
            let help = "take lowest >= 0";
            review.fault("problem.changes.chain", "loads cannot be negative", &label, help);
        }
        let highest = lowest.saturating_add(chain.levels() as i64 - 1);
        let whole = self.initial_load.exact == Rational::from(load as i64);
        if !whole || load < lowest as f64 || load > highest as f64 {
            let label = format!("{load} is not a load of the chain");
            let help = format!("loads are the whole numbers from {lowest} to {highest}");
            review.fault("problem.initial_load", "the initial load is out of range", &label, &help);
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
        if !matches!(self.bound, Some(Tolerance::RmsDeviation(_))) {
            let help = "use bound: RmsDeviation(...), whose interval is safe for MaxDeviation of the same number";
            let label = "the expected largest deviation of correlated changes is not computed";
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
        if let Some((processor, variance)) = self.another_variance() {
            review.warn(format!(
                "the covariance matrix gives processor {processor} the variance {}, its law {variance}: \
                 the matrix is used",
                covariance.variance(processor)
            ));
        }
    }

    /// The first processor whose law has another variance than the covariance matrix, and the law's.
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

    /// The variances of a covariance matrix that does not agree with the laws.
    fn variances(&self) -> Option<Vec<f64>> {
        self.another_variance()?;
        let rows = self.covariance.as_ref()?.iter().enumerate();
        Some(rows.map(|(i, row)| row[i].value).collect())
    }

    /// Path, number of processors and law of every class in the file.
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
                let class =
                    |(index, class): (usize, &'_ LawClass)| (path(index) + ".law", class.count);
                let named = classes.iter().enumerate().map(class);
                named.zip(classes).map(|((path, count), class)| (path, count, &class.law)).collect()
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

    /// The processors, their loads divided by the capacities where there are some.
    ///
    /// # Panics
    /// If the model has not passed its review.
    pub fn processors(&self) -> Processors {
        let laws = self
            .laws()
            .into_iter()
            .map(|(_, count, law)| (count, law.engine().expect("a reviewed law")));
        let classes: Vec<Class> = match (&self.capacities, self.variances()) {
            (None, None) => laws.map(|(count, law)| Class { count, law }).collect(),
            (None, Some(variances)) => {
                // Of a law of another variance than the matrix has nothing but the mean is used.
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
        match self.moments() {
            Some(moments) => found.with_moments(moments),
            None => found,
        }
    }

    /// Means and variances as they are written, where there are few enough laws; those of a matrix are told apart.
    fn moments(&self) -> Option<Moments> {
        let laws = self.laws();
        let entries = self.capacities.as_ref().map_or(laws.len(), Vec::len);
        if entries > MOST_EXACT || self.variances().is_some() {
            return None;
        }
        let load = self.initial_load.exact.clone();
        let own = laws.into_iter().map(|(_, count, law)| (count, law.moments()));
        Some(match &self.capacities {
            None => Moments::of(load, own),
            Some(capacities) => {
                let each = own.flat_map(|(count, moments)| std::iter::repeat_n(moments, count));
                let per = |([mean, variance], capacity): ([Rational; 2], &Decimal)| {
                    let capacity = &capacity.exact;
                    (1, [mean / capacity, variance / (capacity * capacity)])
                };
                Moments::of(load, each.zip(capacities).map(per))
            }
        })
    }

    /// What is bounded, if anything.
    ///
    /// # Panics
    /// If the model has not passed its review.
    pub fn bound(&self) -> Option<Bound> {
        Some(match self.bound.as_ref()? {
            Tolerance::MaxDeviation(bound) => Bound::MaxDeviation(bound.value),
            Tolerance::RmsDeviation(bound) => {
                Bound::RmsDeviation(bound.value, self.covariance.as_deref().map(spread))
            }
        })
    }

    /// What can be said without solving.
    ///
    /// # Panics
    /// If the model has not passed its review.
    pub fn facts(&self) -> Vec<(&'static str, Value)> {
        if let Changes::Chain { count, chain } = &self.changes {
            return vec![("processors", (*count).into()), ("levels", chain.levels().into())];
        }
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
        if let Some(rows) = &self.covariance {
            facts.push(("variance added to the imbalance by a step", spread(rows).into()));
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

    /// The processors, where their loads follow a chain. The model has passed its review.
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

    /// Cost of a remap in units of load, where it is given.
    pub fn remap_cost(&self) -> Option<f64> {
        self.remap_cost.as_ref().map(|cost| cost.number().value)
    }

    /// Whether the changes of different processors depend on each other.
    pub fn has_covariance(&self) -> bool {
        self.covariance.is_some()
    }

    /// How many periods are wanted one after the other, each from the mean load that the last ends with.
    pub fn periods(&self) -> Option<u32> {
        self.periods
    }

    /// The processors at another load; `None` if that is not above zero. The model has passed its review.
    pub fn processors_at(&self, load: &Rational) -> Option<Processors> {
        let own = self.processors();
        let moments = Moments { load: load.clone(), ..own.moments().clone() };
        let found = Processors::new(load.to_f64().value(), own.classes().to_vec()).ok()?;
        Some(found.with_moments(moments))
    }
}

/// What a reviewed matrix adds to the imbalance with each step.
fn spread(rows: &[Vec<Decimal>]) -> f64 {
    Covariance::new(&numbers(rows)).expect("a reviewed matrix").spread()
}

/// Whether two variances are not meant as the same.
fn differ(one: f64, other: f64) -> bool {
    (one - other).abs() > 1e-9 * one.max(other)
}

fn numbers(rows: &[Vec<Decimal>]) -> Vec<Vec<f64>> {
    rows.iter().map(|row| row.iter().map(|entry| entry.value).collect()).collect()
}
