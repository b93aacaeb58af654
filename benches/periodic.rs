//! Periodic intervals: exact deviations, the search for the longest interval, order statistics.

use std::hint::black_box;

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use remapping::distribution::{Class, Law, Steps};
use remapping::periodic::{Bound, ExpectedImbalance, Processors, kappa, methods};

fn steps(pairs: &[(f64, f64)]) -> Law {
    Law::Steps(Steps::new(pairs.to_vec()).expect("a law"))
}

fn walkers(count: usize) -> Processors {
    let law = steps(&[(-1.0, 0.25), (0.0, 0.5), (1.0, 0.25)]);
    Processors::new(100.0, vec![Class { count, law }]).expect("processors")
}

fn three_classes() -> Processors {
    let laws = [
        steps(&[(-1.0, 0.25), (0.0, 0.5), (1.0, 0.25)]),
        steps(&[(-2.0, 0.1), (0.0, 0.7), (1.0, 0.2)]),
        steps(&[(-1.0, 0.1), (0.0, 0.7), (1.0, 0.2)]),
    ];
    let counts = [16, 16, 32];
    let classes = counts.into_iter().zip(laws).map(|(count, law)| Class { count, law }).collect();
    Processors::new(200.0, classes).expect("processors")
}

fn curve(processors: &Processors, last: u64) -> f64 {
    let mut imbalance = ExpectedImbalance::new(processors).expect("known laws");
    (1..=last).map(|t| imbalance.max_deviation(t).value).sum()
}

fn at(processors: &Processors, time: u64) -> f64 {
    let mut imbalance = ExpectedImbalance::new(processors).expect("known laws");
    imbalance.max_deviation(time).value
}

fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("periodic");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    let (small, large, mixed) = (walkers(64), walkers(1024), three_classes());
    group.bench_function("exact d(t), N = 64, t = 1..100", |b| {
        b.iter(|| curve(black_box(&small), 100))
    });
    group.bench_function("exact d(1000), N = 1024", |b| b.iter(|| at(black_box(&large), 1000)));
    group.bench_function("exact d(t), N = 1024, t = 1..1000", |b| {
        b.iter(|| curve(black_box(&large), 1000))
    });
    group.bench_function("exact d(t), 3 classes, N = 64, t = 1..100", |b| {
        b.iter(|| curve(black_box(&mixed), 100))
    });
    group.bench_function("all methods, Table 1", |b| {
        b.iter(|| {
            let bounds = (5..15).map(|d| Bound::MaxDeviation(f64::from(d) / 100.0));
            bounds.map(|bound| methods(black_box(&small), bound, &()).len()).sum::<usize>()
        })
    });
    let unequal = [1.0, 0.5, 4.0, 2.0].map(|capacity| {
        let law = steps(&[(-0.25, 0.3), (0.0, 0.4), (0.25, 0.3)]).per_capacity(capacity);
        Class { count: 1, law }
    });
    for count in [3, 4] {
        let few = Processors::new(50.0, unequal[..count].to_vec()).expect("processors");
        group.bench_function(format!("exact d(t), {count} capacities, t = 1..150"), |b| {
            b.iter(|| curve(black_box(&few), 150))
        });
    }
    let exponential = Class { count: 64, law: Law::Exponential { mean: 0.5 } };
    let exponential = Processors::new(100.0, vec![exponential]).expect("processors");
    group.bench_function("all methods, Table 2", |b| {
        b.iter(|| {
            let bounds = (1..10).map(|d| Bound::MaxDeviation(f64::from(d) / 100.0));
            bounds.map(|bound| methods(black_box(&exponential), bound, &()).len()).sum::<usize>()
        })
    });
    group.bench_function("kappa(64)", |b| b.iter(|| kappa(black_box(64))));
    group.finish();
}

criterion_group!(benches, kernels);
criterion_main!(benches);
