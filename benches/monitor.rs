//! Watching a change of phase: the exact cost of threshold policies over 1000 cycles, Figs. 4 and 5
//! of 1990 between certified bounds, the thresholds of recurring phases, and the monitor's
//! throughput.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use remapping::Bounds;
use remapping::Rational;
use remapping::belief::Levels;
use remapping::lifetime::Lifetime;
use remapping::monitor::{Clusters, Monitor};
use remapping::phase_change::evaluation::{Fineness, ThresholdPolicy, evaluate};
use remapping::phase_change::{Accuracy, Hazard, PhaseChange, Premature, solve};
use remapping::phase_switching::{self, PhaseSwitching, long_run};
use std::hint::black_box;

fn ratio(numerator: u64, denominator: u64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

/// N = 1000, phi = .001, D = 10 G.
fn problem(error: u64) -> PhaseChange {
    PhaseChange {
        lifetime: Lifetime::fixed(1000),
        hazard: Hazard::Constant(ratio(1, 1000)),
        before: Rational::ONE,
        after: Rational::from(2),
        remapped: Rational::ONE,
        test: Rational::from(10),
        install: Rational::ZERO,
        detector: Levels::binary(ratio(error, 100), ratio(error, 100)).expect("probabilities"),
        premature: Premature::Revert,
    }
}

/// The same with nothing to pay: what is left is when a threshold is passed.
fn watching(error: u64) -> PhaseChange {
    PhaseChange {
        before: Rational::ZERO,
        after: Rational::ZERO,
        remapped: Rational::ZERO,
        test: Rational::ZERO,
        premature: Premature::Keep { before_remapped: Rational::ZERO },
        ..problem(error)
    }
}

fn cost(truth: &PhaseChange, assumed: &PhaseChange, tau: f64, merge: f64) -> Bounds {
    let thresholds = vec![tau; 1001];
    let policy = ThresholdPolicy { assumed, thresholds: &thresholds };
    evaluate(truth, policy, Fineness::merging(merge), &()).expect("the problems are valid")
}

fn policies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cost of a threshold, N = 1000");
    group.sample_size(10);
    for error in [25, 5] {
        let problem = problem(error);
        let Bounds { lower, upper } = cost(&problem, &problem, 0.7, 1e-4);
        let name = format!("errors .{error:02} (width {:.1e})", upper - lower);
        group.bench_function(name, |bencher| {
            bencher.iter(|| cost(black_box(&problem), &problem, 0.7, 1e-4));
        });
    }
    group.finish();
}

fn figures(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("Figs. 4 and 5, ten thresholds, both detectors");
    group.sample_size(10);
    let mut at_once = vec![Rational::ZERO; 1000];
    at_once[0] = Rational::ONE;
    let grid = |truth: &dyn Fn(PhaseChange) -> PhaseChange, merge: f64| {
        let mut widest: f64 = 0.0;
        for error in [25, 5] {
            let assumed = watching(error);
            let truth = truth(assumed.clone());
            for tenths in 1..=10 {
                let tau = f64::from(tenths) / 10.0 - 0.05;
                let Bounds { lower, upper } = cost(&truth, &assumed, tau, merge);
                widest = widest.max(upper - lower);
            }
        }
        widest
    };
    let response = |assumed| PhaseChange {
        hazard: Hazard::PerStep(at_once.clone()),
        after: Rational::ONE,
        ..assumed
    };
    let premature = |assumed| PhaseChange {
        hazard: Hazard::Constant(Rational::ZERO),
        test: Rational::ONE,
        ..assumed
    };
    let name = format!("response times (width {:.1e})", grid(&response, 1e-3));
    group.bench_function(name, |bencher| bencher.iter(|| grid(&response, 1e-3)));
    let name = format!("premature remappings (width {:.1e})", grid(&premature, 1e-5));
    group.bench_function(name, |bencher| bencher.iter(|| grid(&premature, 1e-5)));
    group.finish();
}

fn recurring(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("recurring phases, certified to 1e-9");
    group.sample_size(10);
    for error in [10, 25] {
        let problem = PhaseSwitching {
            cycle: [[ratio(10, 10), ratio(18, 10)], [ratio(20, 10), ratio(11, 10)]],
            switch: [Some(ratio(4, 1)), Some(ratio(3, 1))],
            rates: [ratio(5, 1000), ratio(10, 1000)],
            detector: Levels::binary(ratio(error, 100), ratio(error, 100)).expect("probabilities"),
            initial: Rational::ZERO,
        };
        let found = long_run(&problem, 1e-9, &()).expect("valid");
        let name = format!("long run, errors .{error} ({} pieces)", found.segments);
        group.bench_function(name, |bencher| {
            bencher.iter(|| long_run(black_box(&problem), 1e-9, &()));
        });
    }
    let weak = PhaseSwitching {
        cycle: [[ratio(1, 1), ratio(3, 1)], [ratio(2, 1), ratio(1, 1)]],
        switch: [Some(ratio(5, 1)), Some(ratio(5, 1))],
        rates: [ratio(10, 1000), ratio(5, 1000)],
        detector: Levels::binary(ratio(40, 100), ratio(45, 100)).expect("probabilities"),
        initial: Rational::ZERO,
    };
    // A weak detector and expensive switches: many segments, slow to solve.
    let hard = PhaseSwitching {
        cycle: [[ratio(0, 1), ratio(8, 10)], [ratio(4, 1), ratio(1, 1)]],
        switch: [Some(ratio(10, 1)), Some(ratio(10, 1))],
        rates: [ratio(1, 1000), ratio(1, 1000)],
        ..weak.clone()
    };
    let models = [(&weak, 1000), (&weak, 10_000), (&weak, 1_000_000_000), (&hard, 10_000)];
    for (problem, last) in models {
        let lifetime = Lifetime::fixed(last);
        let found = phase_switching::solve(problem, &lifetime, 1e-9, &()).expect("valid");
        let dear = if std::ptr::eq(problem, &hard) { ", dear switches" } else { "" };
        let name = format!("{last} cycles, errors .4 and .45{dear} ({} pieces)", found.segments);
        group.bench_function(name, |bencher| {
            bencher.iter(|| phase_switching::solve(black_box(problem), &lifetime, 1e-9, &()));
        });
    }
    group.finish();
}

fn throughput(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("monitor");
    const OBSERVATIONS: u64 = 100_000;
    group.sample_size(10).throughput(Throughput::Elements(OBSERVATIONS));
    let problem = problem(5);
    let accuracy = Accuracy { tolerance: 1e-9, segments: None };
    let solution = solve(&problem, accuracy, &()).expect("valid");
    let noise = |k: u64| (k.wrapping_mul(2_654_435_761) >> 16 & 0xffff) as f64 / 65536.0;
    let times: Vec<f64> = (0..OBSERVATIONS).map(|k| 1.0 + 0.1 * noise(k)).collect();
    for (batch, cluster) in [(1, 8), (4, 8)] {
        let clusters = Clusters::new(batch, cluster).expect("in range");
        group.bench_function(format!("batches of {batch}, clusters of {cluster}"), |bencher| {
            let start =
                || Monitor::new(&problem, solution.curve.clone(), clusters).expect("two levels");
            let watch = |mut monitor: Monitor| {
                let remaps = times.iter().filter(|time| {
                    let decision = monitor.observe(**time).expect("finite and noisy");
                    decision.is_some_and(|decision| decision.remap)
                });
                remaps.count()
            };
            bencher.iter_batched(start, watch, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, throughput, recurring, policies, figures);
criterion_main!(benches);
