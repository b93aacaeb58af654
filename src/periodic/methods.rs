//! All applicable methods, in order of their guarantee.

use super::closed::distribution_free_square;
use super::deviation::lead::{Lead, Side};
use super::search::longest_with;
use super::{
    Approximation, Crossing, ExpectedImbalance, Moments, Processors, Search, Ties, kappa,
    kappa_error, normal_extremes_factor,
};
use crate::Rational;
use crate::decimal::written;
use crate::distribution::{Extremes, Law};
use crate::observer::{Observer, Status};
use std::ops::ControlFlow;

/// Largest number of evaluations of a search; a few dozen suffice unless the bound is nearly a
/// maximum.
const LIMIT: u64 = 100_000;

/// The bounded quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// `D` of problem P_I: the expected largest deviation relative to the mean load.
    MaxDeviation(f64),
    /// `B` of problem P_II: the root of the expected sum of squared deviations relative to the
    /// mean load, for independent changes or [dependent](Processors::dependent) ones.
    RmsDeviation(f64),
}

/// A method of finding the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `d(t)` itself, for every distribution but
    /// [`Law::Moments`](crate::distribution::Law::Moments).
    Exact,
    /// `E max` and `E min` both within the bound.
    OrderStatistics,
    /// `E max` within the bound [FXW03, Theorems 4.3 and 6.1].
    OrderStatisticsOneSided,
    /// [FXW03, Theorem 4.1].
    DistributionFree,
    /// [FXW03, Theorem 4.2].
    NormalExtremes,
    /// Normal approximation with the exact constant of the largest absolute deviation.
    GaussianAbs,
    /// `d(t) <= v(t)` [FXW03, Lemma 3.1], with the interval of `v(t)`.
    RmsBound,
    /// `v(t)` itself [FXW03, Theorem 5.1, Corollary 5.1], by the numerically stable root.
    ClosedForm,
}

/// What an interval guarantees about the bounded quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarantee {
    /// It is the longest one.
    Exact,
    /// The bound holds during it; there may be a longer one.
    Safe,
    /// The bound holds for the expected maximum minus the mean; the minimum may violate it.
    OneSided,
    /// The bound holds for the expected maximum and minimum separately.
    TwoSided,
    /// The bound holds for the expected maximum and minimum separately, for any distribution with
    /// these moments.
    TwoSidedAnyLaw,
    /// None: an approximation for large numbers of steps.
    Approximate,
}

impl Kind {
    /// What its intervals promise.
    pub fn guarantee(self) -> Guarantee {
        match self {
            Kind::Exact | Kind::ClosedForm => Guarantee::Exact,
            Kind::RmsBound => Guarantee::Safe,
            Kind::OrderStatistics => Guarantee::TwoSided,
            Kind::OrderStatisticsOneSided => Guarantee::OneSided,
            Kind::DistributionFree => Guarantee::TwoSidedAnyLaw,
            Kind::NormalExtremes | Kind::GaussianAbs => Guarantee::Approximate,
        }
    }
}

/// The result of one method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Method {
    /// The method.
    pub kind: Kind,
    /// Its interval; where it did not converge, as many steps as are proved.
    pub interval: Crossing,
    /// How its computation ended.
    pub status: Status,
    /// Numerical error, relative to the mean load, of the imbalances it rests on.
    pub error: f64,
    /// The bound is met within that error: a tie, which counts as satisfied if the method
    /// converged.
    pub tie: bool,
}

impl Method {
    /// Whether the search was stopped before it had proved a step.
    pub fn is_missing(&self) -> bool {
        self.status.is_halted() && self.interval.steps == Some(0)
    }

    fn closed(kind: Kind, interval: Crossing) -> Self {
        Self { kind, interval, status: ended(interval), error: 0.0, tie: false }
    }

    /// The result of a method that searches.
    pub fn searched(kind: Kind, search: Search) -> Self {
        let Search { interval, status, tie, error } = search;
        Self { kind, interval, status, error, tie }
    }
}

/// All applicable methods, the strongest guarantee first. The first is the answer; all of its steps
/// are proved to satisfy the bound. For problem P_I it is [`Kind::Exact`], with three exceptions:
/// its search was stopped before it had proved a step, it proved fewer steps than
/// [`Kind::RmsBound`], or the distributions are unknown.
///
/// `bound` must be finite and nonnegative.
pub fn methods(processors: &Processors, bound: Bound, observer: &dyn Observer) -> Vec<Method> {
    match bound {
        Bound::MaxDeviation(bound) => max_deviation(processors, bound, observer),
        Bound::RmsDeviation(bound) => {
            let variance = processors.moments().variance.clone();
            vec![Method::closed(Kind::ClosedForm, crossing(processors, variance, true, bound))]
        }
    }
}

/// The interval of the root of this variance, plus the contribution of different means if `drift`.
fn crossing(processors: &Processors, variance: Rational, drift: bool, bound: f64) -> Crossing {
    let Moments { load, mean, drift: own, .. } = processors.moments().clone();
    let drift = if drift { own } else { Rational::ZERO };
    Moments { load, mean, variance, drift }.crossing(&written(bound))
}

/// Status of a closed form: the number of steps may exceed the range of `u64`.
fn ended(interval: Crossing) -> Status {
    match interval.steps {
        Some(u64::MAX) => Status::IterationLimit,
        _ => Status::Converged,
    }
}

/// The variance of a change, for processors with a common distribution.
fn variance_of_one(processors: &Processors) -> Rational {
    &processors.moments().variance / Rational::from(processors.count() - 1)
}

fn max_deviation(processors: &Processors, bound: f64, observer: &dyn Observer) -> Vec<Method> {
    let mut found = Vec::new();
    let (load, mean) = (processors.load(), processors.mean());
    if let Some(imbalance) = ExpectedImbalance::new(processors) {
        let mut imbalance = imbalance.watched(observer);
        found.push(exact(processors, bound, &mut imbalance, observer));
        for (kind, side) in
            [(Kind::OrderStatistics, Side::Either), (Kind::OrderStatisticsOneSided, Side::Above)]
        {
            let mut excess = |time: f64| {
                let Extremes { above, below, error } = imbalance.extremes(time);
                let value = if side == Side::Either { above.max(below) } else { above };
                Approximation { value, error }
            };
            let limits = (LIMIT, Ties::Keep);
            let lead = Lead::new(processors, side);
            let mut search =
                longest_with(processors, bound, limits, lead.as_ref(), observer, |time| {
                    excess(time as f64)
                });
            if let (Some(steps), Some(_)) = (search.interval.steps, search.interval.real)
                && processors.classes().iter().all(|class| class.law.is_divisible())
            {
                let slack = |t: f64| excess(t).value - bound * (load + mean * t);
                let real = root(slack, steps as f64);
                match observer.check() {
                    ControlFlow::Continue(()) => search.interval.real = Some(real),
                    ControlFlow::Break(halt) => search.status = halt.into(),
                }
            }
            found.push(Method::searched(kind, search));
        }
    }
    if processors.common().is_some() {
        let count = processors.count();
        let square = |factor: f64| written(factor * factor);
        let factors = [
            (Kind::DistributionFree, distribution_free_square(count)),
            (Kind::NormalExtremes, square(normal_extremes_factor(count))),
            (Kind::GaussianAbs, square(kappa(count))),
        ];
        for (kind, factor) in factors {
            let variance = factor * variance_of_one(processors);
            found.push(Method::closed(kind, crossing(processors, variance, false, bound)));
        }
    }
    let interval = crossing(processors, processors.moments().variance.clone(), true, bound);
    let safe = Method::closed(Kind::RmsBound, interval);
    // Since `d <= v`, a bound that `v` never exceeds is never exceeded by `d`.
    let proved = |method: &&mut Method| method.kind == Kind::Exact && interval.steps.is_none();
    if let Some(exact) = found.first_mut().filter(proved) {
        *exact = Method { kind: Kind::Exact, ..safe };
    }
    let further = |method: &Method| {
        let steps = |method: &Method| method.interval.steps.unwrap_or(u64::MAX);
        method.kind != Kind::Exact
            || method.is_missing()
            || method.status != Status::Converged && steps(method) < steps(&safe)
    };
    let place = if found.first().is_none_or(further) { 0 } else { found.len() };
    found.insert(place, safe);
    found
}

/// The longest interval of `d(t)` itself.
fn exact(
    processors: &Processors,
    bound: f64,
    imbalance: &mut ExpectedImbalance<'_>,
    observer: &dyn Observer,
) -> Method {
    let count = processors.count();
    if let Some(Law::Normal { .. }) = processors.common() {
        let at = |factor: f64| {
            let factor = written((factor * kappa(count)).powi(2));
            crossing(processors, factor * variance_of_one(processors), false, bound)
        };
        let error = kappa_error(count);
        let (least, most) = (at(1.0 + error), at(1.0 - error));
        let tie = least.steps != most.steps;
        let interval = if tie { Crossing { real: None, ..least } } else { at(1.0) };
        let status = if tie { Status::IterationLimit } else { ended(interval) };
        return Method { kind: Kind::Exact, interval, status, error: error * bound, tie };
    }
    let ties = if imbalance.is_exact() { Ties::Keep } else { Ties::Stop };
    let lead = Lead::new(processors, Side::Either);
    let search = longest_with(processors, bound, (LIMIT, ties), lead.as_ref(), observer, |time| {
        imbalance.compared(time, bound * processors.mean_load_after(time))
    });
    Method::searched(Kind::Exact, search)
}

/// The sign change of `f` in `[start, start + 1]`, by bisection sped up by false position
/// (Illinois).
fn root(mut f: impl FnMut(f64) -> f64, start: f64) -> f64 {
    let (mut a, mut b) = (start, start + 1.0);
    let (mut fa, mut fb) = (f(a), f(b));
    for _ in 0..60 {
        // After a halt the values are NaN.
        if fa.is_nan() || fb.is_nan() || fa >= 0.0 || b - a <= 4.0 * f64::EPSILON * b {
            return a;
        }
        let c = (a * fb - b * fa) / (fb - fa);
        let fc = f(c);
        if fc == 0.0 {
            return c;
        } else if fc > 0.0 {
            (b, fb) = (c, fc);
            fa *= 0.5;
        } else {
            (a, fa) = (c, fc);
            fb *= 0.5;
        }
        if (b - a) <= 1e-14 * b.max(1.0) {
            break;
        }
    }
    0.5 * (a + b)
}
