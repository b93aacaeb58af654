//! The model problems of \[NR90\]: steps per second, and runs per second on one and two threads.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rayon::prelude::*;
use remapping::fluids::Fluids;
use remapping::land_battle::Assigned;
use remapping::land_battle::LandBattle;
use remapping::two_phase::workload::Workload;
use std::hint::black_box;
use std::time::Duration;

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("steps");
    group.sample_size(10);
    group.measurement_time(Duration::from_secs(2));
    let fluids = Fluids::default();
    group.throughput(Throughput::Elements(fluids.steps as u64));
    group.bench_function("fluids/wave", |b| b.iter(|| black_box(&fluids).run(0.0)));
    group.bench_function("fluids/quiet", |b| b.iter(|| black_box(&fluids).run(1.0)));
    let battle = LandBattle::default();
    let assigned = Assigned::new(&battle);
    group.throughput(Throughput::Elements(battle.steps as u64));
    group.bench_function("battle/close", |b| b.iter(|| black_box(&assigned).trace(0, 1, 0)));
    group.bench_function("battle/distant", |b| b.iter(|| black_box(&assigned).trace(15, 1, 0)));
    group.finish();
}

/// 64 runs of the battle, and 64 of the fluids code with different times of change, as a comparison
/// makes them.
fn seeds(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("seeds");
    group.sample_size(10);
    group.measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(64));
    let fluids = Fluids::default();
    let battle = LandBattle::default();
    let assigned = Assigned::new(&battle);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        group.bench_function(format!("battle/{threads}"), |b| {
            b.iter(|| {
                pool.install(|| {
                    (0..64u32)
                        .into_par_iter()
                        .map(|run| assigned.trace(4, 1, run).cycle_times().lower_bound)
                        .sum::<f64>()
                })
            });
        });
        group.bench_function(format!("fluids/{threads}"), |b| {
            b.iter(|| {
                pool.install(|| {
                    (0..64u32)
                        .into_par_iter()
                        .map(|run| fluids.run(f64::from(run) / 64.0).cycle_times().lower_bound)
                        .sum::<f64>()
                })
            });
        });
    }
    group.finish();
}

criterion_group!(benches, steps, seeds);
criterion_main!(benches);
