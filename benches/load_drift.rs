//! Drifting loads: the move of all processors on multisets, on one thread and on two; a whole
//! backward step over all states; whole horizons over all states and over few; the same move mode
//! by mode on the full tensor where that fits; simulated steps of an activity mesh, on 64 x 64
//! points and on a million with millions of units.

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group,
    criterion_main,
};
use remapping::activity_mesh::{ActivityMesh, Boundary, Moves};
use remapping::chain::{BirthDeath, Edge, Exchangeable, Factor, Operator, Product};
use remapping::load_drift::{
    Backward, Carry, Control, LoadDrift, Objective, ProcessChain, Rebalance, States, Timing,
    Transition,
};
use remapping::simulate::{Workload, stream};
use std::hint::black_box;
use std::time::Duration;

/// (processors, levels), from 0.7 to 32 million states.
const SIZES: [(usize, usize); 6] = [(8, 19), (10, 19), (16, 9), (24, 9), (6, 51), (4, 101)];
/// Steps already taken before one is timed: the end of the horizon leaves nothing out.
const WARM: u64 = 24;

fn walk(levels: usize) -> BirthDeath {
    BirthDeath::walk(levels, 0.25, 0.25, Edge::Hold).expect("a walk")
}

fn problem(processors: usize, levels: usize) -> LoadDrift {
    LoadDrift {
        processors,
        chain: ProcessChain::BirthDeath(walk(levels)),
        lowest: 1.0,
        initial: levels / 2,
        steps: 1 << 40,
        remap_cost: 8.0,
        per_unit_moved: 0.0,
        rebalance: Rebalance::Split,
        timing: Timing::AfterStep,
        objective: Objective::Imbalance,
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

fn short<'c>(c: &'c mut Criterion, name: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = c.benchmark_group(name);
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group
}

/// The expectation over the next state, in every state.
fn transition(c: &mut Criterion) {
    let mut group = short(c, "transition");
    for (processors, levels) in SIZES {
        let operator = Exchangeable::new(walk(levels), processors).expect("operator");
        let mut out = vec![0.0; operator.states()];
        let v: Vec<f64> = (0..out.len()).map(|state| (state % 97) as f64).collect();
        group.throughput(Throughput::Elements(out.len() as u64));
        for threads in [1, 2] {
            let pool = pool(threads);
            let name = BenchmarkId::new(format!("{processors} x {levels}"), threads);
            group.bench_function(name, |b| {
                b.iter(|| pool.install(|| operator.apply_into(&v, &mut out)));
            });
        }
    }
    group.finish();
}

/// A step of the recursion far from the end, where states in which a remap is certain are left out.
fn steps(c: &mut Criterion) {
    let mut group = short(c, "backward step");
    for (processors, levels) in SIZES {
        let problem = problem(processors, levels);
        let states = States::new(processors, levels).expect("states");
        let transition = Transition::new(&problem.chain, processors).expect("operator");
        group.throughput(Throughput::Elements(states.count() as u64));
        for (carry, name) in [(Carry::Value, "value"), (Carry::Outcome, "outcome")] {
            let mut backward =
                Backward::new(&problem, &states, &transition, Control::Optimal, carry)
                    .regions_from(usize::MAX);
            for _ in 0..WARM {
                backward.advance();
            }
            for threads in [1, 2] {
                let pool = pool(threads);
                let name = BenchmarkId::new(format!("{processors} x {levels}, {name}"), threads);
                group.bench_function(name, |b| {
                    b.iter(|| pool.install(|| backward.advance()));
                });
            }
        }
    }
    group.finish();
}

/// Whole horizons, with regions and without, on one thread.
fn horizons(c: &mut Criterion) {
    let mut group = short(c, "horizon");
    for (processors, remap_cost) in [(6, 2.0), (6, 8.0), (8, 2.0), (8, 8.0)] {
        let problem = LoadDrift { steps: 400, remap_cost, ..problem(processors, 19) };
        let states = States::new(processors, 19).expect("states");
        let transition = Transition::new(&problem.chain, processors).expect("operator");
        for (least, name) in [(usize::MAX, "all states"), (0, "few states")] {
            let pool = pool(1);
            let name = BenchmarkId::new(format!("{processors} x 19, C = {remap_cost}"), name);
            group.bench_function(name, |b| {
                b.iter(|| {
                    pool.install(|| {
                        let mut backward = Backward::new(
                            &problem,
                            &states,
                            &transition,
                            Control::Optimal,
                            Carry::Outcome,
                        )
                        .regions_from(least);
                        while backward.remaining() > 0 {
                            backward.advance();
                        }
                        backward.value()
                    })
                });
            });
        }
    }
    group.finish();
}

/// The same move on ordered load vectors where that fits: 8 x 19 would need 136 GB.
fn tensor(c: &mut Criterion) {
    let mut group = short(c, "mode by mode");
    for (processors, levels) in [(4, 19), (5, 19), (8, 7), (4, 51)] {
        let factors = (0..processors).map(|_| Factor::BirthDeath(walk(levels))).collect();
        let product = Product::new(factors).expect("operator");
        let lumped = Exchangeable::new(walk(levels), processors).expect("operator");
        for operator in [&product as &dyn Operator, &lumped] {
            let v = vec![1.0; operator.states()];
            let mut out = v.clone();
            group.throughput(Throughput::Elements(operator.states() as u64));
            let name = if operator.states() == lumped.states() { "multisets" } else { "vectors" };
            group.bench_function(format!("{processors} x {levels}, {name}"), |b| {
                b.iter(|| operator.apply_into(black_box(&v), &mut out));
            });
        }
    }
    group.finish();
}

fn mesh(c: &mut Criterion) {
    let mut group = short(c, "mesh step");
    for (side, units) in [(64, 1), (256, 4), (1024, 4)] {
        let moves = Moves { east: 0.2, west: 0.1, north: 0.2, south: 0.1 };
        let size = (side, side);
        let mesh =
            ActivityMesh::new(size, vec![units; side * side], 16, moves, Boundary::Reject, 1, 50.0);
        let mesh = mesh.expect("a mesh");
        let mut field = mesh.start(stream(1, 0));
        group.throughput(Throughput::Elements((side * side) as u64));
        group.bench_function(format!("{side} x {side}, {units} each"), |b| {
            b.iter(|| mesh.advance(&mut field));
        });
    }
    group.finish();
}

criterion_group!(benches, mesh, tensor, transition, steps, horizons);
criterion_main!(benches);
