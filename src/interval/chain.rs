//! Loads that follow a birth–death chain: the longest interval, step by step.

use std::ops::ControlFlow;

use super::cost::{CostAware, LoadChain, cost_aware_chain};
use super::imbalance::UNKNOWN;
use super::settling::{Settling, distance};
use super::{Bound, Estimate, Interval, Places, Search, exact};
use crate::law::LatticeLaw;
use crate::observer::{Observer, Status};

/// Steps after which a search is given up.
const LIMIT: u64 = 1_000_000;

/// Laws nearer than this in total variation, times the largest imbalance, count as equal.
const SETTLED: f64 = 1e-13;

/// Processors whose loads follow a birth–death chain from one level, independently.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainLoads {
    /// How many, at least two.
    pub count: usize,
    /// The chain of one.
    pub chain: LoadChain,
    /// The load at its lowest level, not negative.
    pub lowest: f64,
    /// The level all start from, and come back to by a remap.
    pub start: usize,
}

impl ChainLoads {
    /// The law of the level after 0, 1, 2, .. steps.
    pub fn laws(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        std::iter::successors(Some(self.point(self.start)), |law| Some(self.chain.step(law)))
    }

    fn point(&self, level: usize) -> Vec<f64> {
        let mut law = vec![0.0; self.chain.up.len()];
        law[level] = 1.0;
        law
    }

    /// Mean load under a law of the level.
    pub fn mean_load(&self, law: &[f64]) -> f64 {
        self.lowest + law.iter().enumerate().map(|(level, p)| level as f64 * p).sum::<f64>()
    }

    /// `E max_i |w_i - wbar|`, or the root of `E sum_i (w_i - wbar)^2 = (N-1) Var w_i`, under a law of
    /// the level, in units of load.
    /// Not a number after a halt.
    pub fn imbalance(&self, law: &[f64], bound: Bound, observer: &dyn Observer) -> Estimate {
        let law = LatticeLaw::new(0, law.to_vec());
        match bound {
            Bound::MaxDeviation(_) => {
                let places = Places { count: self.count, law: &law, steps: None };
                let found = exact::max_deviation(&[places], observer).0;
                if observer.check().is_break() { UNKNOWN } else { found }
            }
            Bound::RmsDeviation(..) => {
                let value = ((self.count - 1) as f64 * law.variance()).sqrt();
                Estimate { value, error: 1e-13 * value }
            }
        }
    }

    /// The largest imbalance there can be.
    fn most(&self) -> f64 {
        (self.count * self.chain.up.len()) as f64
    }

    /// The longest interval within a bound.
    ///
    /// The chain has no monotone imbalance, so every step is looked at; but where the law of the level
    /// is within total variation `d` of the one last evaluated, the expectation is within
    /// `N d` of the joint law times the largest imbalance, and nothing is evaluated where that leaves
    /// the bound untouched. Once the law can move no more but for rounding (`Settling`), it is a constant, or one
    /// of two by turns, and the bound is kept for ever. A search that comes to a million steps ends with its
    /// status.
    pub fn longest(&self, bound: Bound, observer: &dyn Observer) -> Search {
        let (Bound::MaxDeviation(limit) | Bound::RmsDeviation(limit, _)) = bound;
        let settled = Interval { steps: Some(0), real: None };
        let mut search =
            Search { interval: settled, status: Status::Converged, tie: false, error: 0.0 };
        let mut settling = Settling::new(&self.chain, self.start);
        let mut settled = 0;
        let mut before = 0.0;
        let mut last: Option<(Vec<f64>, Estimate)> = None;
        for (time, law) in (1..=LIMIT).zip(self.laws().skip(1)) {
            search.interval.steps = Some(time - 1);
            if let ControlFlow::Break(halt) = observer.progress(time, time + 1) {
                search.status = halt.into();
                return search;
            }
            let average = self.mean_load(&law);
            let allowed = limit * average;
            if average <= 0.0 {
                return search;
            }
            let clear = last.as_ref().is_some_and(|(other, found)| {
                // The square root of a second moment moves by at most the root of its change.
                let change = self.count as f64 * self.most() * distance(other, &law);
                let change = match bound {
                    Bound::MaxDeviation(_) => change,
                    Bound::RmsDeviation(..) => (self.most() * change).sqrt(),
                };
                found.value + found.error + change < allowed
            });
            if !clear {
                let found = self.imbalance(&law, bound, observer);
                if let ControlFlow::Break(halt) = observer.check() {
                    search.status = halt.into();
                    return search;
                }
                search.error = search.error.max(found.error / average);
                search.tie |= (found.value - allowed).abs() <= found.error;
                if found.value - found.error > allowed {
                    let ratio = found.value / average;
                    let part = ((limit - before) / (ratio - before)).clamp(0.0, 1.0);
                    search.interval.real = (!f64::is_nan(part)).then(|| (time - 1) as f64 + part);
                    return search;
                }
                before = found.value / average;
                last = Some((law, found));
            } else {
                before = f64::NAN;
            }
            settled += u64::from(settling.step() * self.most() < SETTLED);
            if settled == settling.period {
                search.interval = Interval::NEVER;
                return search;
            }
        }
        search.status = Status::IterationLimit;
        search
    }

    /// The interval of least cost per step, see [`cost_aware_chain`].
    pub fn cost_aware(&self, remap_cost: f64, observer: &dyn Observer) -> CostAware {
        cost_aware_chain(self.count, &self.chain, self.start, remap_cost, observer)
    }
}
