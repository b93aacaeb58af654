//! Evaluation of several policies on one path, and of many paths in parallel.

use super::clairvoyant::Clairvoyant;
use super::mapped::may_remap;
use super::{Mapped, Workload, stream};
use crate::observer::{Halt, Observer};
use crate::parallel;
use crate::policy::{Policy, Step};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

/// The totals of a run under one policy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// The objective, remaps included.
    pub value: f64,
    /// Time of the run: the sum of the steps' maxima, plus remaps.
    pub time: f64,
    /// Sum of the steps' means.
    pub work: f64,
    /// Number of remaps.
    pub remaps: u64,
    /// Steps from the start to the last remap.
    pub last_remap: u64,
}

/// What is accumulated during a run: its totals, or its trace.
pub(super) trait Account {
    /// Adds a step, slowed down by the share `slowdown`.
    fn step<W: Workload>(&mut self, workload: &W, step: &Step, slowdown: f64);

    /// A remap was decided after step `after`.
    fn remap(&mut self, cost: f64, after: u64);

    /// The mapping of that remap takes effect.
    fn in_force(&mut self) {}
}

impl Account for Tally {
    fn step<W: Workload>(&mut self, workload: &W, step: &Step, slowdown: f64) {
        let mut slower = 0.0;
        if slowdown > 0.0 {
            slower = slowdown * workload.duration(step);
        }
        self.time += step.max() + slower;
        self.work += step.mean();
        self.value += slower;
        self.value += if workload.minimises_time() { step.max() } else { step.imbalance() };
    }

    fn remap(&mut self, cost: f64, after: u64) {
        self.time += cost;
        self.value += cost;
        self.remaps += 1;
        self.last_remap = after;
    }
}

impl Tally {
    /// Work over time; 1 for a run that took no time.
    pub fn utilization(&self) -> f64 {
        if self.time > 0.0 { self.work / self.time } else { 1.0 }
    }

    /// Mean number of steps between remaps, counted from the start; `None` without a remap.
    pub fn spacing(&self) -> Option<f64> {
        (self.remaps > 0).then(|| self.last_remap as f64 / self.remaps as f64)
    }
}

/// Totals of all policies on all paths.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// `tallies[p][i]`: policy p on path i.
    pub tallies: Vec<Vec<Tally>>,
    /// The perfect-information optimum of path i, if requested.
    pub clairvoyant: Option<Vec<f64>>,
}

/// Evaluates every policy, created anew by `policies` for each run, on the sample paths `runs` of
/// `seed`. Also computes the perfect-information optimum of each path if requested.
///
/// # Errors
/// The halt of the observer.
pub fn compare<W: Workload>(
    workload: &W,
    policies: &(dyn Fn() -> Vec<Box<dyn Policy>> + Sync),
    runs: Range<u64>,
    seed: u64,
    clairvoyant: bool,
    observer: &dyn Observer,
) -> Result<Comparison, Halt> {
    let (done, total) = (AtomicU64::new(runs.start), runs.end);
    let one = |run: u64| {
        let result = run_path(workload, policies(), seed, run, clairvoyant, observer)?;
        match observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total) {
            ControlFlow::Continue(()) => Ok(result),
            ControlFlow::Break(halt) => Err(halt),
        }
    };
    let paths: Vec<(Vec<Tally>, Option<f64>)> = parallel::runs(runs, &one)?;
    let number = paths.first().map_or(0, |(tallies, _)| tallies.len());
    let tallies = (0..number).map(|p| paths.iter().map(|(tallies, _)| tallies[p]).collect());
    let best = paths.iter().map(|(_, best)| *best).collect();
    Ok(Comparison { tallies: tallies.collect(), clairvoyant: best })
}

/// A policy, the mapping that its decisions led to, and its account.
pub(super) struct Runner<M, A> {
    pub policy: Box<dyn Policy>,
    pub mapped: Mapped<M>,
    pub account: A,
}

impl<M: Clone, A: Account> Runner<M, A> {
    /// Pays step `number` on the mapping in force.
    fn make<W: Workload<Mapping = M>>(
        &mut self,
        workload: &W,
        world: &W::World,
        number: u64,
        step: &mut Step,
    ) {
        step.refill(number, |loads| workload.loads(world, self.mapped.mapping(), loads));
        self.pay(workload, step);
    }

    fn pay<W: Workload<Mapping = M>>(&mut self, workload: &W, step: &Step) {
        self.account.step(workload, step, self.mapped.slowdown(workload));
        self.mapped.made();
    }

    /// Processes step `number`, to which the world has just advanced.
    pub fn step<W: Workload<Mapping = M>>(
        &mut self,
        workload: &W,
        world: &W::World,
        number: u64,
        step: &mut Step,
    ) {
        let before = workload.decides_before_step();
        let slower = 1.0 + self.mapped.slowdown(workload);
        if !before || number > 1 {
            self.mapped.follow(workload, world);
            step.refill(number, |loads| {
                workload.loads(world, self.mapped.mapping(), loads);
                if slower > 1.0 {
                    loads.iter_mut().for_each(|load| *load *= slower);
                }
            });
            self.policy.observe(step);
        }
        if !before && slower > 1.0 {
            self.make(workload, world, number, step);
        } else if !before {
            // It is the step that was observed.
            self.pay(workload, step);
        }
        if self.mapped.is_under_way() {
            if self.mapped.arrives() {
                self.remapped();
            }
        } else if may_remap(workload, number) && self.policy.wants_remap() {
            let cost = workload.remap_cost() + workload.surcharge(world, self.mapped.mapping());
            self.account.remap(cost, if before { number - 1 } else { number });
            if self.mapped.remap(workload, world) { self.remapped() } else { self.policy.begun() }
        }
        if before {
            self.make(workload, world, number, step);
        }
    }

    fn remapped(&mut self) {
        self.policy.remapped();
        self.account.in_force();
    }
}

fn run_path<W: Workload>(
    workload: &W,
    policies: Vec<Box<dyn Policy>>,
    seed: u64,
    run: u64,
    clairvoyant: bool,
    observer: &dyn Observer,
) -> Result<(Vec<Tally>, Option<f64>), Halt> {
    let (mut world, mut step) = (workload.start(stream(seed, run)), Step::default());
    let initial = workload.initial(&mut world);
    let mapped = Mapped::new(initial);
    let start = |policy| Runner { policy, mapped: mapped.clone(), account: Tally::default() };
    let mut runners: Vec<_> = policies.into_iter().map(start).collect();
    let mut clairvoyant = clairvoyant.then(|| Clairvoyant::new(workload, mapped.clone()));
    let before = workload.decides_before_step();
    for number in 1..=workload.steps() {
        // Checked at every step: one with a million ranks takes long.
        if let ControlFlow::Break(halt) = observer.check() {
            return Err(halt);
        }
        if !before || number > 1 {
            workload.advance(&mut world);
        }
        runners.iter_mut().for_each(|runner| runner.step(workload, &world, number, &mut step));
        if let Some(clairvoyant) = &mut clairvoyant {
            clairvoyant.step(&world, number);
        }
    }
    let tallies = runners.into_iter().map(|runner| runner.account).collect();
    Ok((tallies, clairvoyant.map(|clairvoyant| clairvoyant.best())))
}
