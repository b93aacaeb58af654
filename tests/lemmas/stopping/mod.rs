//! Optimal stopping against exact rational solutions, and the structure of J.

mod bounds;
mod countable;
mod course;
mod critical;
mod dear;
mod halted;
mod learning;
mod long_run;
mod long_walks;
mod once;
mod partial;
mod shared_loads;
mod structure;
mod unlisted;
mod varying;

use crate::shared::{self, double, edges, holds, meet};
use approx::assert_abs_diff_eq;
use proptest::prelude::*;
use remapping::Bounds;
use remapping::chain::{BirthDeath, Dense, Edge, Operator};
use remapping::imbalance::{Imbalance, RunningCost};
use remapping::stopping::{
    AfterRemap, Decision, Effort, Method, ModelError, Problem, Process, ProcessChain, Settings,
    Solution, States, critical_costs, long_run, rebalanced, solve, solve_region,
};
use remapping::{Rational, Status};

fn rational(x: f64) -> Rational {
    Rational::try_from(x).unwrap()
}

/// A birth–death chain whose probabilities are multiples of 1/16, so that doubles hold them.
fn chain(levels: std::ops::Range<usize>) -> impl Strategy<Value = BirthDeath> {
    prop::collection::vec((0..9u8, 0..8u8), levels).prop_map(|moves| {
        let last = moves.len() - 1;
        let mut up: Vec<f64> = moves.iter().map(|m| f64::from(m.0) / 16.0).collect();
        let mut down: Vec<f64> = moves.iter().map(|m| f64::from(m.1) / 16.0).collect();
        (up[last], down[0]) = (0.0, 0.0);
        BirthDeath::new(up, down).unwrap()
    })
}

fn capacities(parts: &[i64]) -> Vec<Rational> {
    parts.iter().map(|&c| Rational::from(c)).collect()
}

fn walk(levels: usize) -> ProcessChain {
    shared::walk(levels, 0.25, 0.25, Edge::Reflect)
}

/// A model and everything needed to solve it in other ways.
#[derive(Debug)]
struct Model {
    processes: Vec<Process>,
    imbalance: Imbalance,
}

impl Model {
    fn new(chains: Vec<ProcessChain>, capacity: &[i64], cost: RunningCost) -> Self {
        let processes = chains.into_iter().map(|chain| Process { lowest: 0, chain }).collect();
        let imbalance = Imbalance::new(cost, &capacities(capacity), 1000).unwrap();
        Self { processes, imbalance }
    }

    /// Processes of equal capacity.
    fn of(chains: Vec<ProcessChain>) -> Self {
        let ones = vec![1; chains.len()];
        Self::new(chains, &ones, RunningCost::MaxMinusMean)
    }

    /// The example of `[YXW03, section 5]`.
    fn paper() -> Self {
        Self::of(vec![walk(6); 2])
    }

    fn states(&self, lump: bool) -> (States, Box<dyn Operator>) {
        let same = |i, j| lump && self.imbalance.same_capacity(i, j);
        States::independent(&self.processes, same).unwrap()
    }

    fn problem(&self, lump: bool, rho: f64, after: AfterRemap) -> (States, Problem) {
        let (states, operator) = self.states(lump);
        let problem = Problem::new(&states, operator, &self.imbalance, rho, after).unwrap();
        (states, problem)
    }

    fn solve(&self, lump: bool, rho: f64, after: AfterRemap, method: Method) -> Solved {
        let (states, problem) = self.problem(lump, rho, after);
        let settings = Settings { method, ..Settings::default() };
        let solution = solve(&problem, &settings, &());
        Solved { states, problem, solution }
    }

    /// The rows of the chain.
    fn doubles(&self) -> Vec<Vec<f64>> {
        self.rows().iter().map(|row| row.iter().map(double).collect()).collect()
    }

    /// The rows of the chain, exactly.
    fn rows(&self) -> Vec<Vec<Rational>> {
        let one = vec![vec![Rational::ONE]];
        self.processes.iter().fold(one, |all, process| {
            let rows = process.chain.rows();
            let row = |a: &Vec<Rational>, b: &Vec<f64>| {
                a.iter().flat_map(|x| b.iter().map(move |y| x * rational(*y))).collect()
            };
            all.iter().flat_map(|a| rows.iter().map(move |b| row(a, b))).collect()
        })
    }
}

struct Solved {
    states: States,
    problem: Problem,
    solution: Solution,
}

impl Solved {
    fn map(&self) -> String {
        (0..self.problem.states()).map(|s| self.letter(s)).collect()
    }

    fn is_tie(&self, state: usize) -> bool {
        self.solution.is_tie(&self.problem, state)
    }

    fn letter(&self, state: usize) -> char {
        match self.solution.decision(&self.problem, state) {
            Decision::Balanced => 'B',
            Decision::Remap => 'R',
            Decision::Continue => 'C',
        }
    }
}

/// J of remapping in these states and, last, R, by Gaussian elimination in rationals.
fn of_policy(
    rows: &[Vec<Rational>],
    running: &[f64],
    remaps: &[bool],
    rho: &Rational,
    after: AfterRemap,
) -> Vec<Rational> {
    let n = running.len();
    let mut system = vec![vec![Rational::ZERO; n + 2]; n + 1];
    for s in (0..n).filter(|s| running[*s] > 0.0) {
        if remaps[s] {
            system[s][n] = -Rational::ONE;
        } else {
            (0..n).for_each(|t| system[s][t] = -rows[s][t].clone());
            system[s][n + 1] = rational(running[s]);
        }
    }
    system[n][n + 1] = rho.clone();
    if after == AfterRemap::Uniform {
        system[n][..n].fill(-(Rational::ONE / Rational::from(n as i64)));
    }
    (0..=n).for_each(|s| system[s][s] = &system[s][s] + Rational::ONE);
    eliminate(system)
}

/// The exact solution, by policy iteration.
fn exact(
    rows: &[Vec<Rational>],
    running: &[f64],
    rho: &Rational,
    after: AfterRemap,
) -> (Vec<Rational>, Rational) {
    let n = running.len();
    let mut remaps: Vec<bool> = running.iter().map(|psi| *psi > 0.0).collect();
    loop {
        let mut j = of_policy(rows, running, &remaps, rho, after);
        let remap = j.pop().unwrap();
        let better = |s: usize| {
            let image = (0..n).map(|t| &rows[s][t] * &j[t]).fold(Rational::ZERO, |a, b| a + b);
            let go = rational(running[s]) + image;
            if go == remap { remaps[s] } else { go > remap }
        };
        let next: Vec<bool> = (0..n).map(|s| running[s] > 0.0 && better(s)).collect();
        if next == remaps {
            return (j, remap);
        }
        remaps = next;
    }
}

fn eliminate(mut system: Vec<Vec<Rational>>) -> Vec<Rational> {
    let n = system.len();
    for k in 0..n {
        let pivot = (k..n).find(|&i| system[i][k] != Rational::ZERO).expect("a regular system");
        system.swap(k, pivot);
        let scale = system[k][k].clone();
        system[k].iter_mut().for_each(|x| *x = &*x / &scale);
        let row = system[k].clone();
        for (i, other) in system.iter_mut().enumerate() {
            if i != k && other[k] != Rational::ZERO {
                let factor = other[k].clone();
                other.iter_mut().zip(&row).for_each(|(x, y)| *x = &*x - &factor * y);
            }
        }
    }
    system.into_iter().map(|row| row[n].clone()).collect()
}

fn cost() -> impl Strategy<Value = RunningCost> {
    prop_oneof![
        Just(RunningCost::MaxMinusMean),
        Just(RunningCost::MaxAbsDeviation),
        Just(RunningCost::EuclideanDeviation)
    ]
}

fn after() -> impl Strategy<Value = AfterRemap> {
    prop_oneof![Just(AfterRemap::Stop), Just(AfterRemap::Uniform)]
}

/// Two or three processes, some equal, with capacities.
fn model() -> impl Strategy<Value = Model> {
    let own = prop::collection::vec(chain(2..5), 2..4);
    let equal = (chain(2..5), 2..4usize).prop_map(|(c, r)| vec![c; r]);
    let chains = prop_oneof![own, equal];
    (chains, prop::collection::vec(1..3i64, 3), cost()).prop_map(|(chains, capacity, cost)| {
        let chains: Vec<_> = chains.into_iter().map(ProcessChain::BirthDeath).collect();
        let capacity = &capacity[..chains.len()];
        Model::new(chains, capacity, cost)
    })
}

fn check_against_exact(model: &Model, rho: f64, after: AfterRemap, method: Method) {
    let full = model.solve(false, rho, after, method);
    if after == AfterRemap::Uniform && full.problem.running().iter().all(|&psi| psi > 0.0) {
        return;
    }
    let (j, remap) = exact(&model.rows(), full.problem.running(), &rational(rho), after);
    for lump in [false, true] {
        let Solved { states, problem, solution } = model.solve(lump, rho, after, method);
        assert!(solution.gap <= 1e-9, "gap {} at {rho} {after:?}", solution.gap);
        assert!(holds(solution.remap_bounds(), &remap));
        for (place, exact) in j.iter().enumerate() {
            let s = states.find(&full.states.vector(place)).unwrap();
            assert!(holds(solution.bounds(s), exact), "{:?} {exact}", solution.bounds(s));
            let scale = solution.remap_value.max(1.0);
            assert_abs_diff_eq!(solution.value(s), double(exact), epsilon = 1e-9 * scale);
            if problem.running()[s] > 0.0 && !solution.is_tie(&problem, s) {
                let remaps = *exact == remap;
                assert_eq!(solution.decision(&problem, s) == Decision::Remap, remaps);
            }
        }
    }
}
