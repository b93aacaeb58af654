//! Optimal stopping: how fast a Bellman sweep streams through memory, and what whole solutions
//! take.
//!
//! Sweeps are given in bytes per second, 24 for each state: it must at least read v and psi and
//! write the image. The triad `a = b + s c` moves as many and is measured in the same run, on
//! vectors of the same length. Solutions are certified to 1e-9. `cargo bench --bench stopping --
//! sweep` times sweeps and triad only, `-- solutions` prints a table of methods and
//! representations, `-- large` one of large models, `-- different` one of processes no two of which
//! are alike, with and without regions, and of averages by policies and by sweeps.

use criterion::{BenchmarkId, Criterion, Throughput};
use rayon::prelude::*;
use remapping::chain::{BirthDeath, Edge, Operator};
use remapping::imbalance::{Imbalance, RunningCost};
use remapping::stopping::{
    AfterRemap, Effort, Method, Model, Problem, Process, ProcessChain, Settings, Solution, States,
    long_run, rebalanced, solve, solve_region,
};
use remapping::{Rational, Status};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Walks of equal length.
struct Equal {
    states: States,
    operator: Box<dyn Operator>,
    imbalance: Imbalance,
}

impl Equal {
    fn new(count: usize, levels: usize, lump: bool) -> Self {
        let walk = BirthDeath::walk(levels, 0.25, 0.25, Edge::Reflect).unwrap();
        let process = Process { lowest: 0, chain: ProcessChain::BirthDeath(walk) };
        let (states, operator) = States::independent(&vec![process; count], |_, _| lump).unwrap();
        let ones = vec![Rational::ONE; count];
        let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &ones, levels as u64).unwrap();
        Self { states, operator, imbalance }
    }

    fn problem(self, rho: f64) -> Problem {
        let Self { states, operator, imbalance } = self;
        Problem::new(&states, operator, &imbalance, rho, AfterRemap::Stop).unwrap()
    }
}

fn sweeps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sweep");
    group.sample_size(10).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    for (count, levels) in [(2, 1000), (3, 100), (4, 30), (5, 20)] {
        let problem = Equal::new(count, levels, false).problem(1000.0);
        let n = problem.states();
        let v: Vec<f64> = problem.running().iter().map(|psi| psi.min(1.0)).collect();
        let mut out = vec![0.0; n];
        group.throughput(Throughput::Bytes(24 * n as u64));
        let name = BenchmarkId::new("bellman", format!("{levels}^{count}"));
        group.bench_function(name, |b| b.iter(|| problem.bellman_into(black_box(&v), &mut out)));
        let name = BenchmarkId::new("triad", format!("{levels}^{count}"));
        group.bench_function(name, |b| b.iter(|| triad(&mut out, &v, black_box(3.0))));
    }
    let n = 1 << 24;
    let (v, mut out) = (vec![1.0; n], vec![0.0; n]);
    group.throughput(Throughput::Bytes(24 * n as u64));
    let name = BenchmarkId::new("triad", n);
    group.bench_function(name, |b| b.iter(|| triad(&mut out, &v, black_box(3.0))));
    group.finish();
}

/// `out = out + s v`: like STREAM's triad it reads two numbers and writes one; writing over what it
/// read spares it the read that allocates a line for a third vector.
fn triad(out: &mut [f64], v: &[f64], s: f64) {
    let chunks = out.par_chunks_mut(1 << 12).zip(v.par_chunks(1 << 12));
    chunks.for_each(|(out, v)| out.iter_mut().zip(v).for_each(|(out, v)| *out += s * v));
}

/// Processes, levels, and a hard, a medium and a cheap remap cost.
const CHAINS: [(usize, usize, [f64; 3]); 7] = [
    (2, 50, [5208.0, 500.0, 5.0]),
    (2, 100, [41667.0, 1000.0, 5.0]),
    (3, 20, [1444.0, 150.0, 5.0]),
    (3, 40, [6084.0, 600.0, 5.0]),
    (4, 10, [1000.0, 100.0, 5.0]),
    (4, 20, [6000.0, 600.0, 5.0]),
    (6, 8, [4000.0, 400.0, 20.0]),
];

/// The most states for which value iteration is timed at hard costs.
const MOST_SWEPT: usize = 20_000;

/// What `f` returns, and its seconds: the least of some runs, as many as fit a fifth of a second.
fn timed<T>(f: impl Fn() -> T) -> (T, f64) {
    let (mut spent, mut least) = (0.0, f64::INFINITY);
    loop {
        let start = Instant::now();
        let result = f();
        let seconds = start.elapsed().as_secs_f64();
        (spent, least) = (spent + seconds, seconds.min(least));
        if spent > 0.2 {
            return (result, least);
        }
    }
}

#[expect(clippy::print_stdout, reason = "a table is what this bench is for")]
fn solutions() {
    println!(
        "chain  remap cost  representation  method  states  applications  seconds of solving and \
         of building"
    );
    for (count, levels, costs) in CHAINS {
        for (k, rho) in costs.into_iter().enumerate() {
            for lump in [true, false] {
                let build = || Equal::new(count, levels, lump).problem(rho);
                let (problem, building) = timed(build);
                for method in [Method::Policy, Method::Value] {
                    let n = problem.states();
                    if method == Method::Value && k == 0 && n > MOST_SWEPT {
                        continue;
                    }
                    let settings = Settings { method, ..Settings::default() };
                    let (solution, seconds) = timed(|| solve(&problem, &settings, &()));
                    assert!(solution.status == Status::Converged || method == Method::Value);
                    let lumped = if lump { "exchangeable" } else { "full" };
                    println!(
                        "{levels}^{count}  {rho}  {lumped}  {method:?}  {n}  {}  {seconds:.5}  \
                         {building:.5}  gap {:.0e}",
                        solution.iterations, solution.gap
                    );
                }
            }
        }
    }
}

/// Processes, levels and remap costs of models too large for value iteration.
const LARGE: [(usize, usize, [f64; 3]); 6] = [
    (2, 10_000, [1000.0, 100.0, 5.0]),
    (3, 300, [3000.0, 300.0, 5.0]),
    (8, 19, [2000.0, 200.0, 50.0]),
    (12, 13, [2000.0, 200.0, 50.0]),
    (16, 9, [200_000.0, 20_000.0, 2000.0]),
    (32, 30, [200_000_000.0, 200_000.0, 20_000.0]),
];

/// Full spaces beyond are not solved at the side of their active regions.
const MOST_FULL: usize = 10_000_000;

/// Ways into the states of a region.
const MOST_WAYS: usize = 40_000_000;

#[expect(clippy::print_stdout, reason = "a table is what this bench is for")]
fn large() {
    println!("chain  remap cost  representation  states  applications  seconds");
    for (count, levels, costs) in LARGE {
        for rho in costs {
            let row = |name: &str, n: usize, (solution, seconds): (Solution, f64)| {
                let Solution { iterations, gap, status, .. } = solution;
                assert_eq!(status, Status::Converged);
                println!(
                    "{levels}^{count}  {rho}  {name}  {n}  {iterations}  {seconds:.4}  gap {gap:.0e}"
                );
            };
            let model = Equal::new(count, levels, true);
            if model.states.count() <= MOST_FULL {
                let problem = Equal::new(count, levels, true).problem(rho);
                let found = timed(|| solve(&problem, &Settings::default(), &()));
                row("exchangeable", problem.states(), found);
            }
            let Equal { states, imbalance, .. } = model;
            let (active, seconds) = timed(|| {
                let effort = Effort { ways: MOST_WAYS, work: u64::MAX, share: 1, alone: false };
                solve_region(&states, &imbalance, rho, effort, &Settings::default(), &()).unwrap()
            });
            if let Some(active) = active {
                row("active", active.states.count(), (active.solution, seconds));
            }
        }
    }
}

/// Different walks, and what a remap of them costs.
const DIFFERENT: [(usize, usize, f64); 6] = [
    (2, 200, 41667.0),
    (2, 1000, 1000.0),
    (3, 40, 6084.0),
    (3, 100, 1000.0),
    (4, 40, 1000.0),
    (5, 20, 6000.0),
];

/// Walks of a computation that goes on, and what a remap costs.
const LONG: [(usize, usize, f64); 4] =
    [(2, 50, 5.0), (2, 100, 5.0), (2, 100, 500.0), (3, 30, 100.0)];

#[expect(clippy::print_stdout, reason = "a table is what this bench is for")]
fn different() {
    println!("chain  remap cost  representation  states  applications  seconds");
    for (count, levels, rho) in DIFFERENT {
        let walk = |k: usize| {
            let up = 0.25 - 0.01 * k as f64;
            let chain = BirthDeath::walk(levels, up, 0.25, Edge::Reflect).unwrap();
            Process { lowest: 0, chain: ProcessChain::BirthDeath(chain) }
        };
        let walks: Vec<Process> = (0..count).map(walk).collect();
        let ones = vec![Rational::ONE; count];
        let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &ones, levels as u64).unwrap();
        for regions in [false, true] {
            let settings = Settings { regions, ..Settings::default() };
            let (solved, seconds) = timed(|| {
                let (states, operator) = States::independent(&walks, |_, _| true).unwrap();
                let model = Model::on(states, operator, imbalance.clone()).remap_cost(rho);
                model.solve(&settings, &()).unwrap()
            });
            assert_eq!(solved.solution.status, Status::Converged);
            let name = if solved.states.is_active() { "active" } else { "full" };
            let asked = if regions { "" } else { " (regions off)" };
            println!(
                "{levels}^{count}  {rho}  {name}{asked}  {}  {}  {seconds:.4}",
                solved.states.count(),
                solved.solution.iterations
            );
        }
    }
    println!("chain  remap cost  average  method  applications  seconds");
    for (count, levels, rho) in LONG {
        let equal = Equal::new(count, levels, true);
        let back = rebalanced(&equal.states, &equal.imbalance).unwrap();
        let problem = equal.problem(rho);
        for method in [Method::Auto, Method::Value] {
            let settings = Settings { method, ..Settings::default() };
            let (found, seconds) = timed(|| long_run(&problem, &back, None, &settings, &()));
            assert_eq!(found.status, Status::Converged);
            println!(
                "{levels}^{count}  {rho}  {:.9}  {method:?}  {}  {seconds:.4}",
                found.average.upper, found.iterations
            );
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| arguments.iter().any(|argument| argument == name);
    if !named("solutions") && !named("large") && !named("different") {
        sweeps(&mut Criterion::default().configure_from_args());
    }
    // `cargo test --benches` only asks whether benchmarks run.
    if !named("sweep") && !named("large") && !named("different") && !named("--test") {
        solutions();
    }
    if named("large") {
        large();
    }
    if named("different") {
        different();
    }
    Criterion::default().configure_from_args().final_summary();
}
