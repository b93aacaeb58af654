//! A program that never remaps, step by step (Figs. 1 and 2 of [NRS86]).

use crate::load_drift::state_space::distributions::{Shown, Support, are_settled};
use crate::load_drift::{LoadDrift, Loads, Outcome, Timing};
use crate::observer::{Halt, Observer};
use crate::parallel;
use crate::policy::classical::StopAtRise;
use crate::policy::{Policy, Step};
use crate::simulate::{Workload, stream};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Expectations of a step of a program that never remaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// E max, the time of the step.
    pub max: f64,
    /// E mean, its work.
    pub mean: f64,
    /// E (mean / max), its utilization; 1 where there is no work.
    pub utilization: f64,
}

/// W(n), the average cost per step if the first remap is after step n [NRS86, section 3], along one
/// path.
#[derive(Debug, Clone, PartialEq)]
pub struct AverageCosts {
    /// W(1), W(2), ...
    pub averages: Vec<f64>,
    /// Index from 0 of the first local minimum of W: the step before stop-at-rise remaps, or the
    /// last step if it never does.
    pub first: usize,
    /// Index from 0 of the least W, the first of equal ones.
    pub least: usize,
}

impl AverageCosts {
    /// W along a path that is not empty.
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

/// Expected cost and expected mean load of a step.
#[derive(Clone, Copy)]
struct Paid {
    cost: f64,
    mean: f64,
}

/// Outcome of a program that never remaps, and the step at which a single remap would cost least.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unremapped {
    /// The exact expectations without remaps.
    pub never: Outcome,
    /// n*, the interval in 1..=steps that minimizes W(n), the expected average cost per step if the
    /// first remap is after step n [NRS86, section 3]; of equal ones the longest.
    pub least_average_cost: u64,
}

impl Unremapped {
    /// Both, step by step until the costs converge. Time: O(L) per step for birth–death chains,
    /// otherwise O(L^2).
    ///
    /// # Errors
    /// The halt that the observer requested.
    pub fn of(problem: &LoadDrift, observer: &dyn Observer) -> Result<Unremapped, Halt> {
        let (mut value, mut work) = (0.0, 0.0);
        let (mut done, mut spent) = (0, problem.remap_cost);
        let (mut best, mut least) = (0, f64::INFINITY);
        problem.unremapped(observer, |times, pattern| {
            let sum = |of: fn(&Paid) -> f64| pattern.iter().map(of).sum::<f64>();
            let (cost, mean) = (sum(|step| step.cost), sum(|step| step.mean));
            value += times as f64 * cost;
            work += times as f64 * mean;
            let steps = pattern.len() as u64;
            // W is monotone over repetitions of the same step, so the first or the last has the
            // least average.
            for before in [0, times - 1] {
                let mut so_far = spent + before as f64 * cost;
                for (step, n) in pattern.iter().zip(done + before * steps + 1..) {
                    so_far += step.cost;
                    let average = so_far / n as f64;
                    if average <= least {
                        (best, least) = (n, average);
                    }
                }
            }
            (done, spent) = (done + times * steps, spent + times as f64 * cost);
        })?;
        let never = Outcome::new(problem.objective, value, work, 0.0);
        Ok(Unremapped { never, least_average_cost: best })
    }
}

impl LoadDrift {
    /// The distribution of a load that is never remapped, after 0, 1, ... moves.
    pub(in crate::load_drift) fn laws(&self) -> impl Iterator<Item = Vec<f64>> + use<> {
        let rows: Vec<Support> = self.chain.rows().iter().map(|row| Support::of(row)).collect();
        let mut law = vec![0.0; rows.len()];
        law[self.initial] = 1.0;
        std::iter::successors(Some(law), move |law| {
            let mut next = vec![0.0; law.len()];
            law.iter().zip(&rows).for_each(|(p, row)| row.add_to(&mut next, *p));
            Some(next)
        })
    }

    /// Calls `each` for the steps of a program that never remaps. Steps come one by one while their
    /// costs change. Then come those that repeat, one or two in turn, with their number of
    /// repetitions.
    fn unremapped(
        &self,
        observer: &dyn Observer,
        mut each: impl FnMut(u64, &[Paid]),
    ) -> Result<(), Halt> {
        let mut laws = self.laws();
        let mut law = laws.next().expect("there is a first");
        let (mut last_law, mut last) = (vec![0.0; law.len()], None);
        for step in 1..=self.steps {
            if step % 1024 == 0
                && let ControlFlow::Break(halt) = observer.check()
            {
                return Err(halt);
            }
            let next = laws.next().expect("there is another");
            let paid = if self.timing == Timing::AfterStep { &next } else { &law };
            let shown = self.expected_extremes(paid, paid, 0);
            let now = Paid { cost: self.expected_cost(shown), mean: shown.mean };
            each(1, &[now]);
            let left = self.steps - step;
            if are_settled(&law, &next) {
                if left > 0 {
                    each(left, &[now]);
                }
                break;
            }
            // Where every move changes the parity of the level, distributions alternate between
            // two.
            if let Some(last) = last.filter(|_| are_settled(&last_law, &next)) {
                if left > 1 {
                    each(left / 2, &[last, now]);
                }
                if left % 2 == 1 {
                    each(1, &[last]);
                }
                break;
            }
            last = Some(now);
            last_law = std::mem::replace(&mut law, next);
        }
        Ok(())
    }

    /// Exact expectations of each step if the program never remaps. The chains are independent.
    /// With F the distribution function of one chain after n steps, let A(x) = E[T; T <= x]
    /// F(x)^(r-1) = E[mean; max <= x]. Then E (mean / max) is the sum of A(x) (1/x - 1/(x+1)), plus
    /// A / x at the highest level.
    pub fn never_remapped(&self) -> Vec<Expected> {
        let unpaid = usize::from(self.timing == Timing::AfterStep);
        let laws = self.laws().skip(unpaid).take(self.steps as usize);
        laws.map(|law| self.expected(&law)).collect()
    }

    /// Expectations of a step in which each load has this distribution.
    fn expected(&self, law: &[f64]) -> Expected {
        let r = self.processors as i32;
        let (mut below, mut partial) = (0.0, 0.0);
        let Shown { max, mean, .. } = self.expected_extremes(law, law, 0);
        let mut found = Expected { max, mean, utilization: 0.0 };
        for (x, p) in law.iter().enumerate() {
            let load = self.lowest + x as f64;
            below += p;
            partial += load * p;
            let last = x + 1 == law.len();
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

    /// W at its first local minimum and at its least value, on each of `runs` paths.
    ///
    /// # Errors
    /// The halt that the observer requested.
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
        parallel::runs(0..runs, &one)
    }
}
