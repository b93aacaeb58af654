//! Running policies in step on one path, and many paths in parallel.

use super::clairvoyant::Clairvoyant;
use super::mapped::may_remap;
use super::{Mapped, Workload, stream};
use crate::observer::{Halt, Observer};
use crate::policy::{Policy, Step};
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a run under one policy came to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// The objective, remaps included.
    pub value: f64,
    /// Time of the run: sum of the steps' maxima, and the remaps.
    pub time: f64,
    /// Sum of the steps' means.
    pub work: f64,
    /// Number of remaps.
    pub remaps: u64,
    /// Steps from the start to the last remap.
    pub last_remap: u64,
}

impl Tally {
    /// Makes the step with this number on the mapping that is in force.
    fn pay<W: Workload>(
        &mut self,
        workload: &W,
        world: &W::World,
        mapped: &mut Mapped<W::Mapping>,
        number: u64,
        step: &mut Step,
    ) {
        step.refill(number, |loads| workload.loads(world, mapped.mapping(), loads));
        let mut slower = 0.0;
        let share = mapped.slowdown(workload);
        if share > 0.0 {
            slower = share * workload.duration(step);
        }
        self.time += step.max() + slower;
        self.work += step.mean();
        self.value += slower;
        self.value += if workload.minimises_time() { step.max() } else { step.imbalance() };
        mapped.made();
    }

    fn remap(&mut self, cost: f64, after: u64) {
        self.time += cost;
        self.value += cost;
        self.remaps += 1;
        self.last_remap = after;
    }

    /// Work over time; 1 for a run that took no time.
    pub fn utilization(&self) -> f64 {
        if self.time > 0.0 { self.work / self.time } else { 1.0 }
    }

    /// Mean number of steps between remaps, counted from the start; `None` without a remap.
    pub fn spacing(&self) -> Option<f64> {
        (self.remaps > 0).then(|| self.last_remap as f64 / self.remaps as f64)
    }
}

/// All runs of all policies.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// `tallies[p][i]`: policy p on path i.
    pub tallies: Vec<Vec<Tally>>,
    /// The least value any sequence of remaps reaches on path i, if it was asked for.
    pub clairvoyant: Option<Vec<f64>>,
}

/// Runs every policy, started anew by `policies` for each run, on the sample paths `runs` of
/// `seed`, with the clairvoyant optimum of each path if asked for.
///
/// # Errors
/// The halt the observer asked for.
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
    let paths: Vec<(Vec<Tally>, Option<f64>)> =
        runs.into_par_iter().map(one).collect::<Result<_, Halt>>()?;
    let number = paths.first().map_or(0, |(tallies, _)| tallies.len());
    let tallies = (0..number).map(|p| paths.iter().map(|(tallies, _)| tallies[p]).collect());
    let best = paths.iter().map(|(_, best)| *best).collect();
    Ok(Comparison { tallies: tallies.collect(), clairvoyant: best })
}

/// A policy, the mapping its decisions have led to, and its bill.
struct Runner<M> {
    policy: Box<dyn Policy>,
    mapped: Mapped<M>,
    tally: Tally,
}

impl<M: Clone> Runner<M> {
    /// The step with this number, which the world has just come to.
    fn step<W: Workload<Mapping = M>>(
        &mut self,
        workload: &W,
        world: &W::World,
        number: u64,
        step: &mut Step,
    ) {
        let Runner { policy, mapped, tally } = self;
        let before = workload.decides_before_step();
        if !before || number > 1 {
            mapped.follow(workload, world);
            let slower = 1.0 + mapped.slowdown(workload);
            step.refill(number, |loads| {
                workload.loads(world, mapped.mapping(), loads);
                if slower > 1.0 {
                    loads.iter_mut().for_each(|load| *load *= slower);
                }
            });
            policy.observe(step);
        }
        if !before {
            tally.pay(workload, world, mapped, number, step);
        }
        if mapped.is_under_way() {
            if mapped.arrives() {
                policy.remapped();
            }
        } else if may_remap(workload, number) && policy.wants_remap() {
            let cost = workload.remap_cost() + workload.surcharge(world, mapped.mapping());
            tally.remap(cost, if before { number - 1 } else { number });
            match mapped.remap(workload, world) {
                true => policy.remapped(),
                false => policy.begun(),
            }
        }
        if before {
            tally.pay(workload, world, mapped, number, step);
        }
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
    let start = |policy| Runner { policy, mapped: mapped.clone(), tally: Tally::default() };
    let mut runners: Vec<_> = policies.into_iter().map(start).collect();
    let mut clairvoyant = clairvoyant.then(|| Clairvoyant::new(workload, mapped.clone()));
    let before = workload.decides_before_step();
    for number in 1..=workload.steps() {
        // A step of a million ranks takes long.
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
    let tallies = runners.into_iter().map(|runner| runner.tally).collect();
    Ok((tallies, clairvoyant.map(|clairvoyant| clairvoyant.best())))
}
