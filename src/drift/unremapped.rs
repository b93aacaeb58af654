//! A program that never remaps, step by step: what Figs. 1 and 2 of [NRS86] show.

use super::laws::{SETTLED, Support, distance};
use super::{LoadDrift, Loads, Timing};
use crate::observer::{Halt, Observer};
use crate::policy::classical::StopAtRise;
use crate::policy::{Policy, Step};
use crate::simulate::{Workload, stream};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a step of a program that never remaps is expected to show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// E max, the time of the step.
    pub max: f64,
    /// E mean, its work.
    pub mean: f64,
    /// E (mean / max), its utilization; 1 where there is no work.
    pub utilization: f64,
}

/// W(n), the average cost per step if the first remap is after step n [NRS86, section 3], along one path.
#[derive(Debug, Clone, PartialEq)]
pub struct AverageCosts {
    /// W(1), W(2), ...
    pub averages: Vec<f64>,
    /// Where W has its first local minimum: the step before stop-at-rise remaps, the last if it never does. From 0.
    pub first: usize,
    /// Where W is least, the first of equal ones. From 0.
    pub least: usize,
}

impl AverageCosts {
    /// Of a path that is not empty.
    pub fn along(path: &[Step], remap_cost: f64) -> AverageCosts {
        let mut rule = StopAtRise::new(remap_cost);
        let mut found = AverageCosts { averages: Vec::new(), first: path.len() - 1, least: 0 };
        let (mut spent, mut risen) = (remap_cost, false);
        for (k, step) in path.iter().enumerate() {
            spent += step.imbalance();
            found.averages.push(spent / (k + 1) as f64);
            if found.averages[k] < found.averages[found.least] {
                found.least = k;
            }
            if !risen {
                rule.observe(step);
                if rule.wants_remap() {
                    (found.first, risen) = (k - 1, true);
                }
            }
        }
        found
    }
}

impl LoadDrift {
    /// Calls `each` for the steps of a program that never remaps, one by one while their costs change, with how
    /// many there are, what each is expected to cost and its expected mean load.
    pub(super) fn unremapped(&self, mut each: impl FnMut(u64, f64, f64)) {
        let rows: Vec<Support> = self.chain.rows().iter().map(|row| Support::of(row)).collect();
        let mut law = vec![0.0; rows.len()];
        law[self.initial] = 1.0;
        for step in 1..=self.steps {
            let mut next = vec![0.0; law.len()];
            law.iter().zip(&rows).for_each(|(p, row)| row.add_to(&mut next, *p));
            let paid = if self.timing == Timing::AfterStep { &next } else { &law };
            let (max, mean) = self.expected_extremes(paid, paid, 0);
            let cost = self.step_cost(max, mean);
            each(1, cost, mean);
            let moved = distance(&law, &next);
            law = next;
            if moved <= SETTLED {
                if step < self.steps {
                    each(self.steps - step, cost, mean);
                }
                break;
            }
        }
    }

    /// What each step is expected to show if the program never remaps, exactly: the chains are independent, and
    /// with F the law of one after n steps and A(x) = E[T; T <= x] F(x)^(r-1) = E[mean; max <= x], E (mean / max)
    /// is the sum of A(x) (1/x - 1/(x+1)) and of A / x at the highest level.
    pub fn never_remapped(&self) -> Vec<Expected> {
        let rows = self.chain.rows();
        let mut law = vec![0.0; rows.len()];
        law[self.initial] = 1.0;
        let mut course = Vec::new();
        for _ in 0..self.steps {
            let mut next = vec![0.0; law.len()];
            for (p, row) in law.iter().zip(&rows).filter(|(p, _)| **p > 0.0) {
                next.iter_mut().zip(row).for_each(|(next, q)| *next += p * q);
            }
            course.push(self.expected(if self.timing == Timing::AfterStep { &next } else { &law }));
            law = next;
        }
        course
    }

    /// What a step shows whose loads have this law, each.
    fn expected(&self, law: &[f64]) -> Expected {
        let r = self.processors as i32;
        let (mut below, mut partial) = (0.0, 0.0);
        let mut found = Expected { max: self.lowest, mean: 0.0, utilization: 0.0 };
        for (x, p) in law.iter().enumerate() {
            let load = self.lowest + x as f64;
            below += p;
            partial += load * p;
            found.mean += load * p;
            let last = x + 1 == law.len();
            if !last {
                found.max += 1.0 - f64::powi(below, r);
            }
            found.utilization += match (load > 0.0, last) {
                (false, _) => f64::powi(below, r),
                (true, false) => partial * f64::powi(below, r - 1) / (load * (load + 1.0)),
                (true, true) => partial * f64::powi(below, r - 1) / load,
            };
        }
        found
    }

    /// One path without remaps.
    pub fn path(&self, seed: u64, run: u64) -> Vec<Step> {
        let loads = Loads::new(self.clone());
        let mut world = loads.start(stream(seed, run));
        let mut levels = loads.initial(&mut world);
        let paid_first = self.timing == Timing::BeforeStep;
        let one = |number: u64| {
            if number > 1 || !paid_first {
                loads.advance(&mut world);
                loads.follow(&world, &mut levels);
            }
            let mut step = Step::default();
            step.refill(number, |times| loads.loads(&world, &levels, times));
            step
        };
        (1..=self.steps).map(one).collect()
    }

    /// W at its first local minimum and at its least, on each of so many paths.
    ///
    /// # Errors
    /// The halt the observer asked for.
    pub fn minima(
        &self,
        runs: u64,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Vec<(f64, f64)>, Halt> {
        let done = AtomicU64::new(0);
        let one = |run: u64| {
            let found = AverageCosts::along(&self.path(seed, run), self.remap_cost);
            match observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, runs) {
                ControlFlow::Continue(()) => {
                    Ok((found.averages[found.first], found.averages[found.least]))
                }
                ControlFlow::Break(halt) => Err(halt),
            }
        };
        (0..runs).into_par_iter().map(one).collect()
    }
}
