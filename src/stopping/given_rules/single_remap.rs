//! A computation that ends at balance or, with `Stop`, with a remap (the single-remap problem),
//! under a given rule: expected cost from uniformly distributed loads, and sample paths.
//!
//! The expected cost solves `(I - P) x = psi` on the states that continue (`krylov.rs`), checked by
//! sweeps. Intervals take one sweep per step.

use crate::chain::Successors;
use crate::parallel;
use crate::policy::{Rule, Step};
use crate::simulate::{Tally, stream};
use crate::stopping::evaluation::krylov::{InnerProducts, System};
use crate::stopping::{AfterRemap, Problem, States};
use crate::{Halt, Observer};
use rand::RngExt;
use std::ops::{ControlFlow, Range};

/// Steps after which a path is abandoned.
const LONGEST: u64 = 1_000_000;

/// Accuracy of the equations, relative to the running cost.
const ACCURACY: f64 = 1e-10;

/// Steps of a Krylov solve, and sweeps if these do not suffice.
const KRYLOV: u64 = 5000;
const SWEEPS: u64 = 200_000;

/// The paths of a problem. A remap is possible before each step, the first included.
pub struct Once<'a> {
    problem: &'a Problem,
    loads: Vec<Vec<f64>>,
    rows: Vec<Vec<(usize, f64)>>,
    successors: Vec<Successors>,
    /// Probability of each state at the start, and after a remap that does not end the problem.
    start: Vec<f64>,
    starts: Successors,
}

/// The policy of a simulated path.
pub enum Player {
    /// Remaps in these states.
    Map(Vec<bool>),
    /// Remaps after this many steps.
    After(u64),
    /// A rule that observes the loads of a step before it is made.
    Rule(Rule),
}

impl<'a> Once<'a> {
    /// The paths of `problem` on `states`.
    ///
    /// # Panics
    /// Unless the problem has as many states.
    pub fn new(states: &States, problem: &'a Problem) -> Once<'a> {
        assert_eq!(states.count(), problem.states());
        let sparse = |row: Vec<f64>| -> Vec<(usize, f64)> {
            row.into_iter().enumerate().filter(|(_, p)| *p > 0.0).collect()
        };
        let rows: Vec<_> = problem.transition_rows().into_iter().map(sparse).collect();
        let ones = || vec![1.0; states.count()];
        let weights = states.multiplicities().unwrap_or_else(ones);
        let all: f64 = weights.iter().sum();
        let start: Vec<f64> = weights.iter().map(|weight| weight / all).collect();
        let loads = |s: usize| states.loads(s).iter().map(|load| *load as f64).collect();
        Once {
            problem,
            loads: (0..states.count()).map(loads).collect(),
            successors: rows.iter().map(|row| Successors::new(row.iter().copied())).collect(),
            rows,
            starts: Successors::new(start.iter().copied().enumerate()),
            start,
        }
    }

    /// The expected cost of remapping in these states; infinite if the computation may not end.
    /// `None` if rounding or the observer leaves it open.
    ///
    /// # Panics
    /// When `remaps` has not one entry for each state.
    pub fn cost(&self, remaps: &[bool], observer: &dyn Observer) -> Option<f64> {
        assert_eq!(remaps.len(), self.rows.len());
        let psi = self.problem.running();
        let continues: Vec<bool> =
            remaps.iter().zip(psi).map(|(r, psi)| !r && *psi > 0.0).collect();
        if !self.ends(&continues) {
            return Some(f64::INFINITY);
        }
        let remapped = |s: &usize| remaps[*s] && psi[*s] > 0.0;
        let first = |row: &Vec<(usize, f64)>| -> f64 {
            row.iter().filter(|(t, _)| remapped(t)).map(|(_, p)| p).sum()
        };
        let leads: Vec<f64> = self.rows.iter().map(first).collect();
        let running = self.solve(psi, &continues, observer)?;
        let mut remap = self.solve(&leads, &continues, observer)?;
        (0..remap.len()).filter(remapped).for_each(|s| remap[s] = 1.0);
        Some(self.mean(&running, &remap))
    }

    /// The expected costs of remapping after 1, 2, ... `most` steps.
    ///
    /// # Errors
    /// The halt of the observer.
    pub fn costs_of_intervals(&self, most: u64, observer: &dyn Observer) -> Result<Vec<f64>, Halt> {
        let mut costs = Vec::new();
        self.intervals(most, observer, |_, _, cost| {
            costs.push(cost);
            ControlFlow::Continue(())
        })?;
        Ok(costs)
    }

    /// The interval of least cost, with its cost; `None` if no interval up to `most` steps costs
    /// less than `never`, the cost without remaps. The running cost before the remap increases with
    /// the interval. Once it reaches the best cost so far, no longer interval is better.
    ///
    /// # Errors
    /// The halt of the observer.
    pub fn best_interval(
        &self,
        never: Option<f64>,
        most: u64,
        observer: &dyn Observer,
    ) -> Result<Option<(u64, f64)>, Halt> {
        let mut best = None;
        let mut least = never.unwrap_or(f64::INFINITY);
        self.intervals(most, observer, |steps, running, cost| {
            if cost < least {
                (best, least) = (Some((steps, cost)), cost);
            }
            match running >= least * (1.0 - ACCURACY) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        Ok(best)
    }

    /// Calls `visit` with the intervals 1, 2, ... up to `most`, the expected running cost before
    /// the remap, and the whole cost, until it breaks.
    fn intervals(
        &self,
        most: u64,
        observer: &dyn Observer,
        mut visit: impl FnMut(u64, f64, f64) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        let psi = self.problem.running();
        let open = |s: usize| f64::from(psi[s] > 0.0);
        let n = psi.len();
        let (mut running, mut remap) = (vec![0.0; n], (0..n).map(open).collect::<Vec<f64>>());
        for interval in 1..=most {
            if let ControlFlow::Break(halt) = observer.progress(interval, most) {
                return Err(halt);
            }
            let expect =
                |f: &[f64], s: usize| -> f64 { self.rows[s].iter().map(|(t, p)| p * f[*t]).sum() };
            running = (0..n).map(|s| open(s) * (psi[s] + expect(&running, s))).collect();
            remap = (0..n).map(|s| open(s) * expect(&remap, s)).collect();
            let before = self.start.iter().zip(&running).map(|(p, f)| p * f).sum();
            if visit(interval, before, self.mean(&running, &remap)).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Expected total cost over the start, from the running cost and the number of remaps by state.
    /// Includes the cost after a remap.
    fn mean(&self, running: &[f64], remap: &[f64]) -> f64 {
        let mean = |f: &[f64]| -> f64 { self.start.iter().zip(f).map(|(p, f)| p * f).sum() };
        let (running, remap) = (mean(running), mean(remap));
        let rho = self.problem.remap_cost();
        match self.problem.after {
            AfterRemap::Stop => running + rho * remap,
            AfterRemap::Uniform if rho == 0.0 && running == 0.0 => 0.0,
            // The number of rounds until balance precedes a remap is geometric.
            AfterRemap::Uniform => (running + rho * remap) / (1.0 - remap).max(0.0),
        }
    }

    /// Whether every state that continues leads to one that does not.
    fn ends(&self, continues: &[bool]) -> bool {
        let mut before = vec![Vec::new(); self.rows.len()];
        for (s, row) in self.rows.iter().enumerate().filter(|(s, _)| continues[*s]) {
            row.iter().for_each(|(t, _)| before[*t].push(s));
        }
        let mut reached: Vec<bool> = continues.iter().map(|goes_on| !goes_on).collect();
        let mut open: Vec<usize> = (0..reached.len()).filter(|&s| reached[s]).collect();
        while let Some(t) = open.pop() {
            for &s in &before[t] {
                if !std::mem::replace(&mut reached[s], true) {
                    open.push(s);
                }
            }
        }
        reached.into_iter().all(|reached| reached)
    }

    /// Solves `(I - P) x = right` on the states that continue. Residuals of at most e psi imply
    /// errors of at most e times the expected running cost, which solves `(I - P) x = psi`.
    fn solve(
        &self,
        right: &[f64],
        continues: &[bool],
        observer: &dyn Observer,
    ) -> Option<Vec<f64>> {
        let psi = self.problem.running();
        let n = psi.len();
        let mut x = vec![0.0; n];
        let least = (0..n).filter(|&s| continues[s]).map(|s| psi[s]).fold(f64::INFINITY, f64::min);
        if least == f64::INFINITY {
            return Some(x);
        }
        let inner = InnerProducts::new(self.problem);
        let mut system = System::new(self.problem, continues, &inner, KRYLOV, observer);
        system.solve(right, &mut x, 0.1 * ACCURACY * least, 0.0);
        x.iter_mut().for_each(|x| *x = x.max(0.0));
        for _ in 0..SWEEPS {
            let image = |s: usize| -> f64 {
                let next: f64 = self.rows[s].iter().map(|(t, p)| p * x[*t]).sum();
                if continues[s] { right[s] + next } else { 0.0 }
            };
            let next: Vec<f64> = (0..n).map(image).collect();
            let off = (0..n).filter(|&s| continues[s]);
            let share = off.map(|s| (next[s] - x[s]).abs() / psi[s]).fold(0.0, f64::max);
            x = next;
            if share <= ACCURACY {
                return Some(x);
            }
            if !share.is_finite() || observer.check().is_break() {
                return None;
            }
        }
        None
    }

    /// One path for each run of `runs`. The inner error is the number of a run that does not end
    /// within a million steps.
    ///
    /// # Errors
    /// The halt of the observer.
    pub fn play(
        &self,
        player: &Player,
        runs: Range<u64>,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Result<Vec<Tally>, u64>, Halt> {
        let one = |run: u64| match observer.check() {
            ControlFlow::Continue(()) => Ok(self.path(player, seed, run).ok_or(run)),
            ControlFlow::Break(halt) => Err(halt),
        };
        let all: Vec<Result<Tally, u64>> = parallel::runs(runs, &one)?;
        Ok(all.into_iter().collect())
    }

    fn path(&self, player: &Player, seed: u64, run: u64) -> Option<Tally> {
        let rho = self.problem.remap_cost();
        let mut rule = match player {
            Player::Rule(rule) => Some(rule.start(rho)),
            Player::Map(_) | Player::After(_) => None,
        };
        let mut numbers = stream(seed, run);
        let mut state = self.starts.at(numbers.random());
        let (mut tally, mut step) = (Tally::default(), Step::default());
        let (mut made, mut since) = (0, 0);
        for number in 1..=LONGEST {
            let psi = self.problem.running()[state];
            if psi == 0.0 {
                return Some(tally);
            }
            step.refill(number, |loads| loads.clone_from(&self.loads[state]));
            let remaps = match player {
                Player::Map(map) => map[state],
                Player::After(steps) => since >= *steps,
                Player::Rule(_) => rule.as_mut().is_some_and(|rule| {
                    rule.observe(&step);
                    rule.wants_remap()
                }),
            };
            if remaps {
                tally.value += rho;
                tally.time += rho;
                tally.remaps += 1;
                tally.last_remap = made;
                if self.problem.after == AfterRemap::Stop {
                    return Some(tally);
                }
                if let Some(rule) = &mut rule {
                    rule.remapped();
                }
                since = 0;
                state = self.starts.at(numbers.random());
                continue;
            }
            tally.value += psi;
            tally.time += step.max();
            tally.work += step.mean();
            (made, since) = (made + 1, since + 1);
            state = self.successors[state].at(numbers.random());
        }
        None
    }
}
