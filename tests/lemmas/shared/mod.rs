//! What kinds of problems share: lemmas of distributions of N, beliefs, piecewise-linear functions
//! and chains; chains, observers, policies and checks for all lemmas.

mod affine;
mod belief;
pub mod chain;
mod concave;
mod lifetime;

use proptest::prelude::*;
use rand_distr::{Distribution, StandardNormal};
use remapping::chain::{BirthDeath, Edge};
use remapping::policy::{Policy, Step};
use remapping::simulate::Stream;
use remapping::stopping::ProcessChain;
use remapping::{Bounds, Halt, Observer, Rational};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A walk on so many levels.
pub fn walk(levels: usize, up: f64, down: f64, edge: Edge) -> ProcessChain {
    ProcessChain::BirthDeath(BirthDeath::walk(levels, up, down, edge).unwrap())
}

pub fn edges() -> impl Strategy<Value = Edge> {
    prop_oneof![Just(Edge::Hold), Just(Edge::Reflect)]
}

/// Counts how often it is asked, and calls a halt beyond `most`.
pub struct Asked {
    times: AtomicU64,
    most: u64,
}

impl Asked {
    pub fn at_most(most: u64) -> Asked {
        Asked { times: AtomicU64::new(0), most }
    }

    pub fn times(self) -> u64 {
        self.times.into_inner()
    }
}

impl Observer for Asked {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        match self.times.fetch_add(1, Relaxed) < self.most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Halt::TimeLimit),
        }
    }
}

/// Remaps after the steps whose bits are set.
pub struct Planned {
    plan: u64,
    step: u64,
}

impl Planned {
    pub fn new(plan: u64) -> Planned {
        Planned { plan, step: 0 }
    }

    pub fn at(steps: impl IntoIterator<Item = usize>) -> Planned {
        Planned::new(steps.into_iter().fold(0, |plan, step| plan | 1 << step))
    }
}

impl Policy for Planned {
    fn observe(&mut self, seen: &Step) {
        self.step = seen.number();
    }

    fn wants_remap(&self) -> bool {
        self.plan >> self.step & 1 == 1
    }

    fn remapped(&mut self) {}
}

pub fn double(value: &Rational) -> f64 {
    value.to_f64().value()
}

/// Whether an exact number lies within finite bounds.
pub fn holds(Bounds { lower, upper }: Bounds, number: &Rational) -> bool {
    let exact = |bound: f64| Rational::try_from(bound).expect("finite");
    exact(lower) <= *number && *number <= exact(upper)
}

/// The same of bounds that may be infinite.
pub fn holds_or_is_open(Bounds { lower, upper }: Bounds, number: &Rational) -> bool {
    let exact = |bound: f64| Rational::try_from(bound).expect("a number or infinite");
    (lower == f64::NEG_INFINITY || exact(lower) <= *number)
        && (upper == f64::INFINITY || *number <= exact(upper))
}

/// Whether two enclosures of one number have something in common.
pub fn meet(one: Bounds, other: Bounds) -> bool {
    one.lower <= other.upper && other.lower <= one.upper
}

pub fn normal(random: &mut Stream) -> f64 {
    StandardNormal.sample(random)
}
