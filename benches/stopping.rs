//! Optimal stopping: how fast a Bellman sweep streams through memory, and what whole solutions take.
//!
//! Sweeps are given in bytes per second, 24 for each state: it must at least read v and psi and write
//! the image. The triad `a = b + s c` moves as many and is measured in the same run. Solutions are
//! certified to 1e-9 and timed once each: `cargo bench --bench stopping -- solutions` prints that
//! table only, `-- sweep` times sweeps and triad only.

use criterion::{BenchmarkId, Criterion, Throughput};
use rayon::prelude::*;
use remapping::chain::{BirthDeath, Edge};
use remapping::imbalance::{Imbalance, RunningCost};
use remapping::stopping::{
    AfterRemap, Method, Problem, Process, ProcessChain, Settings, States, solve,
};
use remapping::{Rational, Status};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// `count` walks of `levels` levels.
fn problem(count: usize, levels: usize, rho: f64, lump: bool) -> Problem {
    let walk = BirthDeath::walk(levels, 0.25, 0.25, Edge::Reflect).unwrap();
    let process = Process { lowest: 0, chain: ProcessChain::BirthDeath(walk) };
    let (states, operator) = States::independent(&vec![process; count], |_, _| lump).unwrap();
    let ones = vec![Rational::ONE; count];
    let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &ones, levels as u64).unwrap();
    Problem::new(&states, operator, &imbalance, rho, AfterRemap::Stop).unwrap()
}

fn sweeps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sweep");
    group.sample_size(10).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    for (count, levels) in [(2, 1000), (3, 100), (4, 30), (5, 20)] {
        let problem = problem(count, levels, 1000.0, false);
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
    println!("chain  remap cost  representation  method  states  applications  seconds");
    let one: Option<usize> = std::env::var("ONE").ok().map(|x| x.parse().unwrap());
    for (count, levels, costs) in CHAINS {
        if one.is_some_and(|one| one != count) {
            continue;
        }
        for (k, rho) in costs.into_iter().enumerate() {
            for lump in [true, false] {
                let problem = problem(count, levels, rho, lump);
                for method in [Method::Policy, Method::Value] {
                    if one.is_some() && method == Method::Value {
                        continue;
                    }
                    let n = problem.states();
                    if method == Method::Value && k == 0 && n > MOST_SWEPT {
                        continue;
                    }
                    let settings = Settings { method, ..Settings::default() };
                    let (solution, seconds) = timed(|| solve(&problem, &settings, &()));
                    assert!(solution.status == Status::Converged || method == Method::Value);
                    let lumped = if lump { "exchangeable" } else { "full" };
                    println!(
                        "{levels}^{count}  {rho}  {lumped}  {method:?}  {n}  {}  {seconds:.4}  \
                         gap {:.0e}",
                        solution.iterations, solution.gap
                    );
                }
            }
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| arguments.iter().any(|argument| argument == name);
    if !named("solutions") {
        sweeps(&mut Criterion::default().configure_from_args());
    }
    // `cargo test --benches` only asks whether benchmarks run.
    if !named("sweep") && !named("--test") {
        solutions();
    }
    Criterion::default().configure_from_args().final_summary();
}
