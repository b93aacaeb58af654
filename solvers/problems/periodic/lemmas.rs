//! Periodic remapping: the cases on which the claims of \[FXW03\] are checked.

use super::claims::CLAIMS;
use crate::problems::registry::{Loaded, Problem};
use crate::proving::decks::{deck, hundredth, law, weights};
use crate::proving::{Effort, Field, Finding};
use proptest::prelude::*;
use remapping::distribution::{Class, Law};
use remapping::periodic::{
    Bound, Crossing, ExpectedImbalance, Kind, Method, Processors, distribution_free_factor,
    first_crossing, methods, normal_extremes_factor,
};
use remapping::{Halt, Observer, Status};
use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Processors with a bound on the expected largest deviation. Where the model bounds the root mean
/// square, that number is used.
pub(crate) struct Case {
    /// The processors and their distributions.
    pub processors: Processors,
    /// D, or B.
    pub bound: f64,
    methods: OnceCell<Vec<Method>>,
}

/// Stops long searches.
struct Few(AtomicU64);

impl Observer for Few {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0..MOST_EVALUATIONS => ControlFlow::Continue(()),
            _ => ControlFlow::Break(Halt::TimeLimit),
        }
    }

    /// A check of the clock is not an evaluation.
    fn check(&self) -> ControlFlow<Halt> {
        match self.0.load(Ordering::Relaxed) {
            0..=MOST_EVALUATIONS => ControlFlow::Continue(()),
            _ => ControlFlow::Break(Halt::TimeLimit),
        }
    }
}

/// The longest safe interval for which the exact one is searched.
const LONGEST: u64 = 60;

/// The most evaluations of the imbalance in all searches together.
const MOST_EVALUATIONS: u64 = 15;

impl Case {
    /// The interval of a method for problem P_I, if the method applies and is quick.
    pub fn interval(&self, kind: Kind) -> Option<Crossing> {
        let p = &self.processors;
        let crossing =
            |variance, drift| Some(first_crossing(variance, drift, p.load(), p.mean(), self.bound));
        let factor = match kind {
            Kind::RmsBound => return crossing(p.variance(), p.drift()),
            Kind::DistributionFree => distribution_free_factor(p.count()),
            Kind::NormalExtremes => normal_extremes_factor(p.count()),
            _ => return self.searched(kind),
        };
        crossing(factor * factor * p.common()?.variance(), 0.0)
    }

    fn searched(&self, kind: Kind) -> Option<Crossing> {
        // Quadrature takes long, and so do long intervals.
        let quick = |class: &Class| matches!(class.law, Law::Steps(_));
        let short = self.interval(Kind::RmsBound)?.steps.is_some_and(|steps| steps <= LONGEST);
        if !short || !self.processors.classes().iter().all(quick) {
            return None;
        }
        let found = self.methods.get_or_init(|| {
            let bound = Bound::MaxDeviation(self.bound);
            methods(&self.processors, bound, &Few(AtomicU64::new(0)))
        });
        let mut found = found.iter().filter(|method| method.status == Status::Converged);
        found.find(|method| method.kind == kind).map(|method| method.interval)
    }

    /// The exact expected imbalance, where it can be evaluated.
    pub fn exact(&self) -> Option<ExpectedImbalance<'static>> {
        ExpectedImbalance::new(&self.processors).filter(ExpectedImbalance::is_exact)
    }

    /// The distribution of each processor's position after `time` steps, where it has few values.
    pub fn places(&self, time: u32) -> Option<Vec<Vec<(f64, f64)>>> {
        let mut places = Vec::new();
        for class in self.processors.classes() {
            let Law::Steps(steps) = &class.law else { return None };
            let mut sum = vec![(0.0, 1.0)];
            for _ in 0..time {
                let pairs = || steps.values().iter().zip(steps.weights());
                let moved = |(place, p): &(f64, f64)| {
                    pairs().map(|(step, q)| (place + step, p * q)).collect::<Vec<_>>()
                };
                let mut next: Vec<(f64, f64)> = sum.iter().flat_map(moved).collect();
                next.sort_by(|a, b| a.0.total_cmp(&b.0));
                next.dedup_by(|next, kept| {
                    let same = (next.0 - kept.0).abs() <= 1e-9;
                    kept.1 += if same { next.1 } else { 0.0 };
                    same
                });
                sum = next;
            }
            places.extend(std::iter::repeat_n(sum, class.count.min(MOST_FOLLOWED + 1)));
        }
        let all: f64 = places.iter().map(|place| place.len() as f64).product();
        (places.len() <= MOST_FOLLOWED && all <= 20_000.0).then_some(places)
    }
}

/// The largest bound, in units of load, of random models.
const LARGEST: f64 = 3.0;

/// The most processors for an enumeration of all positions.
const MOST_FOLLOWED: usize = 4;

pub(crate) fn verify(loaded: &Loaded, effort: Effort) -> Vec<Finding> {
    let read = |deck: &str| case(&loaded.another(deck)?);
    let field = Field { own: case(loaded), near: near(loaded), read: &read };
    field.examine(CLAIMS, effort)
}

fn case(loaded: &Loaded) -> Option<Case> {
    let Problem::Periodic(model) = &loaded.problem else { return None };
    // Loads on a chain have no increments; a covariance has no distributions.
    let given = model.bound()?;
    if model.chain_loads().is_some() || model.has_covariance() {
        return None;
    }
    let (Bound::MaxDeviation(bound) | Bound::RmsDeviation(bound)) = given;
    Some(Case { processors: model.processors(), bound, methods: OnceCell::new() })
}

/// Random models: few processors with simple distributions, and the load and bound of the model or
/// others.
fn near(loaded: &Loaded) -> BoxedStrategy<String> {
    let own = |path: &str| loaded.literal(path).filter(|literal| literal.len() < 200);
    let steps = || weights(-3..4, 3).prop_map(|w| format!("Steps({})", law(&w)));
    let normal = (0u32..40, 1u32..30).prop_map(|(mean, deviation)| {
        let (mean, deviation) = (hundredth(10 * mean), hundredth(10 * deviation));
        format!("Normal(mean: {mean}, deviation: {deviation})")
    });
    let gamma = (1u32..40, 1u32..30).prop_map(|(shape, mean)| {
        format!("Gamma(shape: {}, mean: {})", hundredth(10 * shape), hundredth(10 * mean))
    });
    let moments = (0u32..60, 1u32..30).prop_map(|(mean, variance)| {
        format!(
            "Moments(mean: {}, variance: {})",
            f64::from(mean) / 10.0 - 3.0,
            hundredth(10 * variance)
        )
    });
    let any = prop_oneof![3 => steps().boxed(), 2 => normal.boxed(), 1 => gamma.boxed()];
    let changes = prop_oneof![
        4 => (2usize..6, any).prop_map(|(count, law)| format!("Identical(count: {count}, law: {law})")),
        3 => prop::collection::vec(steps(), 2..5)
            .prop_map(|laws| format!("Distinct([{}])", laws.join(", "))),
        1 => prop::collection::vec(moments, 2..4)
            .prop_map(|laws| format!("Distinct([{}])", laws.join(", "))),
    ];
    // Short intervals, with the load and bound of the model where they give one, or with others.
    let random = (20u32..100, 2u32..=30).prop_map(|(load, bound)| {
        (hundredth(10 * load), format!("MaxDeviation({})", hundredth(bound)))
    });
    let own = own("problem.initial_load").zip(own("problem.bound")).filter(|_| {
        case(loaded).is_some_and(|case| case.bound * case.processors.load() <= LARGEST)
    });
    let load_and_bound = match own {
        Some((load, bound)) if bound.starts_with("MaxDeviation") => {
            prop_oneof![Just((load.to_owned(), bound.to_owned())), random].boxed()
        }
        _ => random.boxed(),
    };
    (load_and_bound, changes)
        .prop_map(|((load, bound), changes)| {
            deck("Periodic", &[("initial_load", load), ("changes", changes), ("bound", bound)])
        })
        .boxed()
}
