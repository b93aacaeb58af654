//! Cost of threshold triggers in other codes, by simulation. The loads are independent Markov
//! chains. A trigger observes one statistic at fixed steps and remaps if it exceeds a level.
//!
//! O(runs x steps x processes) per trigger.
//!
//! ```
//! use remapping::Rational;
//! use remapping::imbalance::{Imbalance, RunningCost};
//! use remapping::policy::codes::{Statistic, Trigger};
//! use remapping::simulate::{Course, Trials, Walker};
//!
//! let rows = vec![vec![0.5, 0.5, 0.0], vec![0.25, 0.5, 0.25], vec![0.0, 0.5, 0.5]];
//! let walker = Walker { lowest: 1, rows };
//! let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &[Rational::ONE, Rational::ONE], 3)?;
//! let course = Course::Job { initial: 2, steps: 50, before_step: false, makespan: false };
//! let trials = Trials::new(vec![walker.clone(), walker], &[1.0, 1.0], imbalance, 0.1, course);
//! let costs = trials.play(&[Trigger::NEVER, Trigger::above(Statistic::MaxOverMean, 1.4)], 200, 1);
//! assert!(costs[1] < costs[0]);
//! # Ok::<(), remapping::imbalance::ImbalanceError>(())
//! ```

use super::{Stream, stream};
use crate::chain::Inversion;
use crate::imbalance::Imbalance;
use crate::parallel;
use crate::policy::codes::Trigger;
use rand::RngExt;

/// The Markov chain of one process.
#[derive(Debug, Clone, PartialEq)]
pub struct Walker {
    /// Load at level 0.
    pub lowest: i64,
    /// Transition probabilities between levels.
    pub rows: Vec<Vec<f64>>,
}

/// The length of a path and its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Course {
    /// A job of `steps` steps from equal loads, remapped after or before steps. It pays its
    /// imbalance, or the time it takes.
    Job {
        /// Load of every process at the start.
        initial: i64,
        /// Number of steps.
        steps: u64,
        /// Whether decisions are made once the loads of a step are known, before it is paid.
        before_step: bool,
        /// Whether the largest load is paid, not its excess over the mean.
        makespan: bool,
    },
    /// From uniformly distributed loads until they are balanced or remapped, for at most `steps`
    /// steps.
    Once {
        /// Steps after which a path is truncated.
        steps: u64,
    },
    /// `steps` steps, with a decision before each is paid. Remapped loads continue; the cost is
    /// averaged over steps.
    Endless {
        /// Number of steps.
        steps: u64,
    },
}

/// A workload on which triggers are evaluated.
#[derive(Debug, Clone)]
pub struct Trials {
    walkers: Vec<Walker>,
    moves: Vec<Inversion>,
    capacities: Vec<f64>,
    imbalance: Imbalance,
    remap_cost: f64,
    course: Course,
}

/// The state of one trigger on a path.
struct Run {
    loads: Vec<i64>,
    last: u64,
    paid: f64,
    over: bool,
}

impl Trials {
    /// Processes with their capacities; `imbalance` defines the cost of a step.
    ///
    /// # Panics
    /// Unless there is one capacity for each process.
    pub fn new(
        walkers: Vec<Walker>,
        capacities: &[f64],
        imbalance: Imbalance,
        remap_cost: f64,
        course: Course,
    ) -> Trials {
        assert_eq!(walkers.len(), capacities.len(), "one capacity for each process");
        let moves = walkers.iter().map(|walker| Inversion::new(&walker.rows)).collect();
        let capacities = capacities.to_vec();
        Trials { walkers, moves, capacities, imbalance, remap_cost, course }
    }

    /// Most steps of a path.
    pub fn steps(&self) -> u64 {
        match self.course {
            Course::Job { steps, .. } | Course::Once { steps } | Course::Endless { steps } => steps,
        }
    }

    /// The length of a path and its cost.
    pub fn course(&self) -> Course {
        self.course
    }

    /// The lowest and the highest load of each process.
    pub fn ranges(&self) -> Vec<(i64, i64)> {
        self.walkers.iter().map(|w| (w.lowest, w.lowest + w.rows.len() as i64 - 1)).collect()
    }

    /// The time of each process with these loads.
    pub fn times(&self, loads: &[i64]) -> Vec<f64> {
        loads.iter().zip(&self.capacities).map(|(load, c)| *load as f64 / c).collect()
    }

    /// Mean cost of a path under each trigger, on the same `runs` paths: of the whole job or until
    /// the remap, or per step.
    pub fn play(&self, triggers: &[Trigger], runs: u64, seed: u64) -> Vec<f64> {
        let deciders: Vec<_> = triggers
            .iter()
            .map(|t| {
                move |step, last, _: &[i64], times: &[f64]| {
                    t.remaps(step, last, || t.statistic.of_times(times))
                }
            })
            .collect();
        self.mean(&deciders, runs, seed)
    }

    /// The same for a rule that observes the loads.
    pub fn play_map(&self, remaps: &(dyn Fn(&[i64]) -> bool + Sync), runs: u64, seed: u64) -> f64 {
        self.mean(&[|_, _, loads: &[i64], _: &[f64]| remaps(loads)], runs, seed)[0]
    }

    fn mean<D>(&self, deciders: &[D], runs: u64, seed: u64) -> Vec<f64>
    where
        D: Fn(u64, u64, &[i64], &[f64]) -> bool + Sync,
    {
        let paths: Vec<Vec<f64>> =
            parallel::map(runs as usize, &|run| self.path(deciders, stream(seed, run as u64)));
        let sum = |d: usize| paths.iter().map(|path| path[d]).sum::<f64>() / runs.max(1) as f64;
        (0..deciders.len()).map(sum).collect()
    }

    fn path<D>(&self, deciders: &[D], mut stream: Stream) -> Vec<f64>
    where
        D: Fn(u64, u64, &[i64], &[f64]) -> bool,
    {
        let r = self.walkers.len();
        let mut draws: Vec<f64> = (0..r).map(|_| stream.random()).collect();
        let initial = self.initial(&draws);
        let start = |_| Run { loads: initial.clone(), last: 0, paid: 0.0, over: false };
        let mut runs: Vec<Run> = (0..deciders.len()).map(start).collect();
        let (last, mut times) = (self.steps(), vec![0.0; r]);
        if let Course::Once { .. } = self.course {
            // The first decision is at the initial loads; it counts as a step.
            for (run, decide) in runs.iter_mut().zip(deciders) {
                self.step(run, 1, last, decide, &mut times);
            }
        }
        let from = if matches!(self.course, Course::Once { .. }) { 2 } else { 1 };
        let still = matches!(self.course, Course::Job { before_step: true, .. });
        for step in from..=last {
            draws.iter_mut().for_each(|draw| *draw = stream.random());
            let mut going = false;
            for (run, decide) in runs.iter_mut().zip(deciders).filter(|(run, _)| !run.over) {
                if !(still && step == 1) {
                    self.advance(&mut run.loads, &draws);
                }
                self.step(run, step, last, decide, &mut times);
                going |= !run.over;
            }
            if !going {
                break;
            }
        }
        let share = if matches!(self.course, Course::Endless { .. }) { last as f64 } else { 1.0 };
        runs.iter().map(|run| run.paid / share).collect()
    }

    /// Pays a step and decides.
    fn step<D>(&self, run: &mut Run, step: u64, last: u64, decide: &D, times: &mut [f64])
    where
        D: Fn(u64, u64, &[i64], &[f64]) -> bool,
    {
        let cost = |loads: &[i64]| match self.course {
            Course::Job { makespan: true, .. } => loads.iter().copied().max().unwrap_or(0) as f64,
            _ => self.imbalance.cost(loads),
        };
        let before = match self.course {
            Course::Job { before_step, .. } => before_step,
            Course::Once { .. } => false,
            Course::Endless { .. } => true,
        };
        let once = matches!(self.course, Course::Once { .. });
        if once && self.imbalance.is_balanced(&run.loads) {
            run.over = true;
            return;
        }
        if !before && !once {
            run.paid += cost(&run.loads);
        }
        for (time, (load, c)) in times.iter_mut().zip(run.loads.iter().zip(&self.capacities)) {
            *time = *load as f64 / c;
        }
        let allowed = match before {
            true => step > 1 || !matches!(self.course, Course::Job { .. }),
            false => step < last || once,
        };
        if allowed && decide(step, run.last, &run.loads, times) {
            run.paid += self.remap_cost;
            run.last = step;
            if once { run.over = true } else { self.rebalance(&mut run.loads) }
        }
        if before || once && !run.over {
            run.paid += cost(&run.loads);
        }
    }

    fn initial(&self, draws: &[f64]) -> Vec<i64> {
        let levels = |w: &Walker| w.rows.len() as i64;
        match self.course {
            Course::Job { initial, .. } => vec![initial; self.walkers.len()],
            Course::Once { .. } => {
                let any = |(w, draw): (&Walker, &f64)| {
                    w.lowest + ((draw * levels(w) as f64) as i64).min(levels(w) - 1)
                };
                self.walkers.iter().zip(draws).map(any).collect()
            }
            Course::Endless { .. } => {
                let mut loads: Vec<i64> =
                    self.walkers.iter().map(|w| w.lowest + levels(w) / 2).collect();
                self.rebalance(&mut loads);
                loads
            }
        }
    }

    /// Moves each process by inversion of its distribution function.
    fn advance(&self, loads: &mut [i64], draws: &[f64]) {
        for (i, (load, draw)) in loads.iter_mut().zip(draws).enumerate() {
            let lowest = self.walkers[i].lowest;
            *load = lowest + self.moves[i].step((*load - lowest) as usize, *draw) as i64;
        }
    }

    /// Splits the total into whole units; leaves the loads unchanged if the levels do not allow
    /// that.
    fn rebalance(&self, loads: &mut [i64]) {
        let (lowest, highest): (Vec<i64>, Vec<i64>) = self.ranges().into_iter().unzip();
        let total = loads.iter().sum();
        if let Some(split) = self.imbalance.split_within(total, &lowest, &highest) {
            loads.copy_from_slice(&split);
        }
    }
}
