//! Distributions on a lattice, and those of the sums (walks) they generate.

use super::Steps;
use crate::observer::{Halt, Observer};
use std::ops::ControlFlow;

/// Probability that may be cut off at either end of a lattice distribution each time one is formed.
const TRIM: f64 = 1e-26;

/// Largest number of lattice points between the smallest and the largest step.
const MAX_RANGE: f64 = 1e6;

/// The points `origin + span * k`, `k` an integer, on which the steps of one or several
/// distributions lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lattice {
    /// The value at `k = 0`.
    pub origin: f64,
    /// Distance between neighboring points, positive.
    pub span: f64,
}

impl Lattice {
    /// The coarsest lattice that holds the values of all distributions, with the distributions on
    /// it.
    ///
    /// `None` if the values have no common measure, or one so fine that more than a million points
    /// lie between the smallest value and the largest.
    pub fn common(laws: &[&Steps]) -> Option<(Lattice, Vec<LatticeLaw>)> {
        let values = || laws.iter().flat_map(|law| law.values().iter().copied());
        let origin = values().fold(f64::INFINITY, f64::min);
        let range = values().fold(f64::NEG_INFINITY, f64::max) - origin;
        let scale = range.max(origin.abs());
        let mut span = 0.0;
        for value in values() {
            span = common_measure(span, value - origin, 1e-12 * scale);
        }
        if span == 0.0 {
            span = 1.0;
        }
        if range / span > MAX_RANGE {
            return None;
        }
        // The common measure carries the rounding of Euclid's algorithm: take it from the range.
        if range > 0.0 {
            span = range / (range / span).round();
        }
        let on_lattice = |value: f64| {
            let place = (value - origin) / span;
            ((place - place.round()).abs() < 1e-6).then(|| place.round() as i64)
        };
        let mut placed = Vec::with_capacity(laws.len());
        for law in laws {
            let places: Option<Vec<i64>> = law.values().iter().map(|&v| on_lattice(v)).collect();
            let places = places?;
            let (first, last) = (places[0], places[places.len() - 1]);
            let mut weights = vec![0.0; (last - first) as usize + 1];
            for (place, weight) in places.iter().zip(law.weights()) {
                weights[(place - first) as usize] = *weight;
            }
            placed.push(LatticeLaw::new(first, weights));
        }
        Some((Lattice { origin, span }, placed))
    }
}

/// The largest number that both `a` and `b`, not negative, are multiples of up to `tolerance`.
fn common_measure(mut a: f64, mut b: f64, tolerance: f64) -> f64 {
    if a < b {
        std::mem::swap(&mut a, &mut b);
    }
    while b > tolerance {
        let rest = a - b * (a / b).round();
        (a, b) = (b, rest.abs());
    }
    a
}

/// Probabilities at the integers `first`, `first + 1`, ...
#[derive(Debug, Clone, PartialEq)]
pub struct LatticeLaw {
    first: i64,
    weights: Vec<f64>,
    /// Bound of the relative error of every weight.
    rounding: f64,
}

/// Rows of a convolution between two checks of the observer.
const ROWS_AT_A_TIME: usize = 64;

/// Unit roundoff.
const UNIT: f64 = 0.5 * f64::EPSILON;

impl LatticeLaw {
    /// The distribution of a certain value.
    pub fn certain(value: i64) -> Self {
        Self { first: value, weights: vec![1.0], rounding: 0.0 }
    }

    /// A distribution from its probabilities, which are not negative and sum to one up to rounding.
    ///
    /// # Panics
    /// If there is no probability.
    pub fn new(first: i64, weights: Vec<f64>) -> Self {
        assert!(!weights.is_empty(), "a law needs a value");
        Self { first, weights, rounding: 0.0 }
    }

    /// The same with weights that carry a relative error already.
    pub(super) fn rounded(first: i64, weights: Vec<f64>, rounding: f64) -> Self {
        Self { rounding, ..Self::new(first, weights) }
    }

    /// Bound of the relative error that sums have caused in every weight (to first order).
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The smallest value.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// The largest value.
    pub fn last(&self) -> i64 {
        self.first + self.weights.len() as i64 - 1
    }

    /// The probabilities of `first()`, `first() + 1`, ...
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Mean value.
    pub fn mean(&self) -> f64 {
        let offset: f64 = self.weights.iter().enumerate().map(|(k, p)| k as f64 * p).sum();
        self.first as f64 + offset
    }

    /// Variance of the value.
    pub fn variance(&self) -> f64 {
        let mean = self.mean() - self.first as f64;
        self.weights.iter().enumerate().map(|(k, p)| (k as f64 - mean).powi(2) * p).sum()
    }

    /// Distribution of the sum of two independent values (convolution). All terms are positive, so
    /// there is no cancellation. Ends of probability below `1e-26` are cut off. Time: the product
    /// of the two lengths.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.plus_unless(other, || false)
    }

    /// The same, unless `halted` returns true; the result is then meaningless.
    pub(crate) fn plus_unless(&self, other: &Self, halted: impl Fn() -> bool) -> Self {
        let (long, short) =
            if self.weights.len() >= other.weights.len() { (self, other) } else { (other, self) };
        let mut weights = vec![0.0; long.weights.len() + short.weights.len() - 1];
        for (shift, &p) in short.weights.iter().enumerate() {
            if shift % ROWS_AT_A_TIME == 0 && halted() {
                return Self::certain(0);
            }
            if p != 0.0 {
                for (sum, q) in weights[shift..].iter_mut().zip(&long.weights) {
                    *sum += p * q;
                }
            }
        }
        let cut = |ends: &mut dyn Iterator<Item = &f64>| {
            let mut tail = 0.0;
            ends.take_while(|p| {
                tail += **p;
                tail <= TRIM
            })
            .count()
        };
        let low = cut(&mut weights.iter());
        let high = weights.len() - cut(&mut weights.iter().rev());
        let mut weights = weights[low..high].to_vec();
        let terms = weights.iter().copied();
        let total = terms.fold(Compensated::default(), Compensated::plus).value();
        weights.iter_mut().for_each(|p| *p /= total);
        let terms = short.weights.iter().filter(|p| **p != 0.0).count() as f64;
        let rounding = self.rounding + other.rounding + (terms + 3.0) * UNIT;
        Self { first: self.first + other.first + low as i64, weights, rounding }
    }
}

/// Sums of the first 0, 1, 2, .. terms, none of them negative.
pub(crate) fn sums<'a>(terms: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let mut sum = Compensated::default();
    let each = terms.map(|p| {
        sum = sum.plus(*p);
        sum.value()
    });
    std::iter::once(0.0).chain(each).collect()
}

/// Neumaier's sum: two roundings whatever the length.
#[derive(Clone, Copy, Default)]
pub(crate) struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    pub(crate) fn plus(self, term: f64) -> Self {
        let next = self.sum + term;
        let lost = if self.sum.abs() >= term.abs() {
            (self.sum - next) + term
        } else {
            (term - next) + self.sum
        };
        Self { sum: next, lost: self.lost + lost }
    }

    pub(crate) fn value(self) -> f64 {
        self.sum + self.lost
    }
}

/// The random walk with a lattice step distribution, from 0. It gives the distribution of its
/// position at any time.
#[derive(Debug, Clone)]
pub struct Walk {
    /// `powers[k]` is the distribution of the place after `2^k` steps.
    powers: Vec<LatticeLaw>,
    time: u64,
    place: LatticeLaw,
}

impl Walk {
    /// A walk that makes one step per unit of time.
    pub fn new(step: LatticeLaw) -> Self {
        Self { powers: vec![step], time: 0, place: LatticeLaw::certain(0) }
    }

    /// Distribution of one step.
    pub fn step(&self) -> &LatticeLaw {
        &self.powers[0]
    }

    /// The current time.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Distribution of the current place.
    pub fn place(&self) -> &LatticeLaw {
        &self.place
    }

    /// Advances to the position after `time` steps. A small advance costs one convolution per step.
    /// A jump uses repeated squaring and costs about twice the squared width of the resulting
    /// distribution. After a halt the walk is reset to its start.
    pub fn go(&mut self, time: u64, observer: &dyn Observer) -> ControlFlow<Halt> {
        let went = self.go_on(time, observer);
        if went.is_break() {
            *self = Self::new(self.powers.swap_remove(0));
        }
        went
    }

    fn go_on(&mut self, time: u64, observer: &dyn Observer) -> ControlFlow<Halt> {
        let halted = || observer.check().is_break();
        if time < self.time {
            (self.time, self.place) = (0, LatticeLaw::certain(0));
        }
        let mut ahead = time - self.time;
        self.time = time;
        if ahead <= 8 || (ahead as usize) < self.place.weights.len() / self.powers[0].weights.len()
        {
            for _ in 0..ahead {
                self.place = self.place.plus_unless(&self.powers[0], halted);
                observer.check()?;
            }
            return ControlFlow::Continue(());
        }
        let mut level = 0;
        while ahead > 0 {
            if level == self.powers.len() {
                let last = &self.powers[level - 1];
                let twice = last.plus_unless(last, halted);
                observer.check()?;
                self.powers.push(twice);
            }
            if ahead & 1 == 1 {
                self.place = self.place.plus_unless(&self.powers[level], halted);
                observer.check()?;
            }
            ahead >>= 1;
            level += 1;
        }
        ControlFlow::Continue(())
    }
}
