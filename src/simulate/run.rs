//! Running policies in step on one path, and many paths in parallel.

use super::clairvoyant::Clairvoyant;
use super::{Workload, stream};
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
    fn pay(&mut self, step: &Step, minimises_time: bool) {
        self.time += step.max();
        self.work += step.mean();
        self.value += if minimises_time { step.max() } else { step.imbalance() };
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
    mapping: M,
    tally: Tally,
}

fn run_path<W: Workload>(
    workload: &W,
    policies: Vec<Box<dyn Policy>>,
    seed: u64,
    run: u64,
    clairvoyant: bool,
    observer: &dyn Observer,
) -> Result<(Vec<Tally>, Option<f64>), Halt> {
    let mut world = workload.start(stream(seed, run));
    let initial = workload.initial(&mut world);
    let start = |policy| Runner { policy, mapping: initial.clone(), tally: Tally::default() };
    let mut runners: Vec<_> = policies.into_iter().map(start).collect();
    let mut clairvoyant = clairvoyant.then(|| Clairvoyant::new(workload, initial.clone()));
    let before = workload.decides_before_step();
    let (cost, time) = (workload.remap_cost(), workload.minimises_time());
    let mut step = Step::default();
    let last = workload.steps();
    for number in 1..=last {
        // A step of a million ranks takes long.
        if let ControlFlow::Break(halt) = observer.check() {
            return Err(halt);
        }
        let moves = !before || number > 1;
        if moves {
            workload.advance(&mut world);
        }
        for Runner { policy, mapping, tally } in &mut runners {
            if moves {
                workload.follow(&world, mapping);
            }
            step.refill(number, |loads| workload.loads(&world, mapping, loads));
            if moves {
                policy.observe(&step);
            }
            if !before {
                tally.pay(&step, time);
            }
            if (if before { number > 1 } else { number < last }) && policy.wants_remap() {
                policy.remapped();
                let cost = cost + workload.surcharge(&world, mapping);
                workload.remap(&world, mapping);
                tally.remap(cost, if before { number - 1 } else { number });
                step.refill(number, |loads| workload.loads(&world, mapping, loads));
            }
            if before {
                tally.pay(&step, time);
            }
        }
        if let Some(clairvoyant) = &mut clairvoyant {
            clairvoyant.step(&world, number);
        }
    }
    let tallies = runners.into_iter().map(|runner| runner.tally).collect();
    Ok((tallies, clairvoyant.map(|clairvoyant| clairvoyant.best())))
}
