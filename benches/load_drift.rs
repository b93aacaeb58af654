//! Drifting loads: one backward step on multisets, and with every state left in; the same move mode
//! by mode on the full tensor where that fits; simulated steps of an activity mesh.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use remapping::chain::{BirthDeath, Edge, Factor, Operator, Product};
use remapping::drift::{
    Backward, Carry, Chain, Control, LoadDrift, Objective, Rebalance, States, Timing, Transition,
};
use remapping::mesh::{ActivityMesh, Boundary, Moves};
use remapping::simulate::{Workload, stream};
use std::hint::black_box;

/// (processors, levels); the larger of the sizes need minutes and gigabytes.
const SIZES: [(usize, usize); 4] = [(4, 101), (8, 19), (16, 9), (24, 9)];
/// Steps already taken before one is timed: the end of the horizon leaves nothing out.
const WARM: u64 = 24;

fn walk(levels: usize) -> BirthDeath {
    BirthDeath::walk(levels, 0.25, 0.25, Edge::Hold).expect("a walk")
}

fn problem(processors: usize, levels: usize) -> LoadDrift {
    LoadDrift {
        processors,
        chain: Chain::BirthDeath(walk(levels)),
        lowest: 1.0,
        initial: levels / 2,
        steps: 1 << 40,
        remap_cost: 8.0,
        rebalance: Rebalance::Split,
        timing: Timing::AfterStep,
        objective: Objective::Imbalance,
    }
}

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("backward step");
    group.sample_size(10);
    for (processors, levels) in SIZES {
        let problem = problem(processors, levels);
        let states = States::new(processors, levels).expect("states");
        let transition = Transition::new(&problem.chain, processors).expect("operator");
        let name = format!("{processors} x {levels}");
        group.throughput(Throughput::Elements(states.count() as u64));
        let mut backward = Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Value);
        group.bench_function(BenchmarkId::new("all states", &name), |b| {
            // Before the first decision every state is computed.
            let start = backward.snapshot();
            b.iter(|| {
                backward.resume(start.clone()).expect("its own snapshot");
                backward.advance();
            });
        });
        for _ in 0..WARM {
            backward.advance();
        }
        group.bench_function(BenchmarkId::new("certain remaps left out", &name), |b| {
            b.iter(|| backward.advance());
        });
    }
    group.finish();
}

/// The same move on ordered load vectors: 8 x 19 would need 136 GB.
fn tensor(c: &mut Criterion) {
    let mut group = c.benchmark_group("mode by mode");
    group.sample_size(10);
    for (processors, levels) in [(4, 19), (5, 19), (8, 7)] {
        let factors = (0..processors).map(|_| Factor::BirthDeath(walk(levels))).collect();
        let product = Product::new(factors).expect("operator");
        let v = vec![1.0; product.states()];
        let mut out = v.clone();
        group.throughput(Throughput::Elements(product.states() as u64));
        group.bench_function(format!("{processors} x {levels}"), |b| {
            b.iter(|| product.apply_into(black_box(&v), &mut out));
        });
    }
    group.finish();
}

fn mesh(c: &mut Criterion) {
    let mut group = c.benchmark_group("mesh step");
    for (side, units) in [(64, 1), (256, 4), (1024, 4)] {
        let moves = Moves { east: 0.2, west: 0.1, north: 0.2, south: 0.1 };
        let size = (side, side);
        let mesh = ActivityMesh::new(size, vec![units; side * side], 16, moves, Boundary::Reject, 1, 50.0);
        let mesh = mesh.expect("a mesh");
        let mut field = mesh.start(stream(1, 0));
        group.throughput(Throughput::Elements((side * side) as u64));
        group.bench_function(format!("{side} x {side}, {units} each"), |b| {
            b.iter(|| mesh.advance(&mut field));
        });
    }
    group.finish();
}

criterion_group!(benches, steps, tensor, mesh);
criterion_main!(benches);
