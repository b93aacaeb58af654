//! Threshold curves of the phase-change problem: every pi_n certified to 1e-9, against the papers'
//! scheme of at most 1024 segments, whose certified width is printed beside its time.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use remapping::Rational;
use remapping::belief::Levels;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{Accuracy, Hazard, PhaseChange, Premature, Solution, solve};
use std::hint::black_box;

fn ratio(numerator: u64, denominator: u64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

/// The name, alpha, beta, phi and D of a set, in units of the gain G = 1.
type Set = (&'static str, (u64, u64), (u64, u64), (u64, u64), u64);

const SETS: [Set; 4] = [
    ("a: .25/.25 phi=.001 D=10G", (1, 4), (1, 4), (1, 1000), 10),
    ("b: .2/.05 phi=.001 D=50G", (1, 5), (1, 20), (1, 1000), 50),
    ("c: .1/.1 phi=1/400 D=10G", (1, 10), (1, 10), (1, 400), 10),
    ("d: .05/.05 phi=.001 D=10G", (1, 20), (1, 20), (1, 1000), 10),
];

fn problem((_, alpha, beta, phi, delay): Set, last: u64) -> PhaseChange {
    PhaseChange {
        lifetime: Lifetime::fixed(last),
        hazard: Hazard::Constant(ratio(phi.0, phi.1)),
        before: Rational::ONE,
        after: Rational::from(2),
        remapped: Rational::ONE,
        test: Rational::from(delay),
        install: Rational::ZERO,
        detector: Levels::binary(ratio(alpha.0, alpha.1), ratio(beta.0, beta.1))
            .expect("probabilities"),
        premature: Premature::Revert,
    }
}

fn solved(problem: &PhaseChange, segments: Option<usize>) -> Solution {
    solve(problem, Accuracy { tolerance: 1e-9, segments }, &()).expect("the sets are valid")
}

fn certified(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("certified to 1e-9");
    group.sample_size(10);
    for set in SETS {
        for last in [1_000, 10_000, 1_000_000, 1_000_000_000] {
            let problem = problem(set, last);
            let found = solved(&problem, None);
            assert!(found.curve.width() <= 1e-9, "{}: {:e}", set.0, found.curve.width());
            group.bench_with_input(BenchmarkId::new(set.0, last), &problem, |bencher, problem| {
                bencher.iter(|| solved(black_box(problem), None));
            });
        }
    }
    group.finish();
}

/// Rare changes of phase, next to a set with frequent ones, so that the ratio is of one run.
fn rare_changes(criterion: &mut Criterion) {
    const RARE: [Set; 4] = [
        ("phi=1e-3", (1, 4), (1, 4), (1, 1000), 10),
        ("phi=1e-4", (1, 4), (1, 4), (1, 10_000), 10),
        ("phi=1e-6", (1, 4), (1, 4), (1, 1_000_000), 10),
        ("phi=1e-9", (1, 4), (1, 4), (1, 1_000_000_000), 10),
    ];
    let mut group = criterion.benchmark_group("rare changes, .25/.25 D=10G, M=10^9, to 1e-9");
    group.sample_size(10);
    for set in RARE {
        let problem = problem(set, 1_000_000_000);
        let found = solved(&problem, None);
        assert!(found.curve.width() <= 1e-9, "{}: {:e}", set.0, found.curve.width());
        group.bench_with_input(BenchmarkId::from_parameter(set.0), &problem, |bencher, problem| {
            bencher.iter(|| solved(black_box(problem), None));
        });
    }
    group.finish();
}

/// Detectors that say little, whose functions have many atoms: side by side with the hard set.
fn weak_detectors(criterion: &mut Criterion) {
    const WEAK: [Set; 3] = [
        ("alpha=beta=.25", (1, 4), (1, 4), (1, 1000), 10),
        ("alpha=beta=.35", (7, 20), (7, 20), (1, 1000), 10),
        ("alpha=beta=.4", (2, 5), (2, 5), (1, 1000), 10),
    ];
    let mut group = criterion.benchmark_group("weak detectors, D=10G, M=1000, to 1e-9");
    group.sample_size(10);
    for set in WEAK {
        let problem = problem(set, 1_000);
        let found = solved(&problem, None);
        assert!(found.curve.width() <= 1e-9, "{}: {:e}", set.0, found.curve.width());
        group.bench_with_input(BenchmarkId::from_parameter(set.0), &problem, |bencher, problem| {
            bencher.iter(|| solved(black_box(problem), None));
        });
    }
    group.finish();
}

/// Lifetimes of which every step differs from the one before.
fn every_step_differs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("every step differs, .05/.05, M=10^5, to 1e-9");
    group.sample_size(10);
    let last = 100_000;
    let laws = [
        ("uniform", Lifetime::uniform(0, last)),
        ("geometric", Lifetime::geometric(ratio(1, 100_000), 0, last)),
    ];
    for (name, law) in laws {
        let lifetime = law.expect("a law");
        let problem = PhaseChange { lifetime, ..problem(SETS[3], last) };
        let width = solved(&problem, None).curve.width();
        assert!(width <= 1e-9, "{name}: {width:e}");
        group.bench_with_input(BenchmarkId::from_parameter(name), &problem, |bencher, problem| {
            bencher.iter(|| solved(black_box(problem), None));
        });
    }
    group.finish();
}

fn fixed_budget(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("1024 segments");
    group.sample_size(10);
    for set in SETS {
        let problem = problem(set, 1_000);
        let width = solved(&problem, Some(1024)).curve.width();
        let name = format!("{} (width {width:.1e})", set.0);
        group.bench_with_input(BenchmarkId::new(name, 1_000), &problem, |bencher, problem| {
            bencher.iter(|| solved(black_box(problem), Some(1024)));
        });
    }
    group.finish();
}

criterion_group!(
    benches,
    certified,
    rare_changes,
    weak_detectors,
    every_step_differs,
    fixed_budget
);
criterion_main!(benches);
