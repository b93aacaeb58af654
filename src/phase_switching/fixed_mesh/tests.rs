//! Bounds on meshes of all sizes against exact arithmetic.

use super::mesh::Mesh;
use super::start::Start;
use super::sweep::{Limits, Reached, Task};
use crate::belief::Levels;
use crate::lifetime::Lifetime;
use crate::phase_switching::difference::enclosure::Pair;
use crate::phase_switching::difference::recursion::Recursion;
use crate::phase_switching::exact;
use crate::phase_switching::polylines::polyline::Polyline;
use crate::phase_switching::polylines::shifted::Shifted;
use crate::phase_switching::{PhaseSwitching, solve};
use crate::random::{Stream, stream};
use crate::rounding::{DoubleDouble, nearest};
use crate::thorough::few_or_all;
use crate::{Halt, Observer, Rational};
use rand::RngExt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn ratio(numerator: u64, denominator: u64) -> Rational {
    Rational::from(numerator) / Rational::from(denominator)
}

fn hundredths(random: &mut Stream, most: u64) -> Rational {
    ratio(random.random_range(0..=most), 100)
}

/// Mappings that each suit a phase, or one that suits both.
fn problem(random: &mut Stream, rates: [Rational; 2], detector: Levels) -> PhaseSwitching {
    let cost = |random: &mut Stream| match random.random_range(0..6) {
        0 => None,
        1 => Some(Rational::ZERO),
        2 => Some(ratio(1, 10u64.pow(random.random_range(3..10)))),
        _ => Some(hundredths(random, 300)),
    };
    let [first, second, more, beside] = [300, 300, 400, 100].map(|most| hundredths(random, most));
    PhaseSwitching {
        cycle: [[first.clone(), &first + &more], [&second + &more + &beside, &second + &beside]],
        switch: [cost(random), cost(random)],
        rates,
        detector,
        initial: hundredths(random, 100),
    }
}

fn lifetime(random: &mut Stream, last: u64) -> Lifetime {
    match random.random_range(0..4) {
        0 => Lifetime::uniform(last / 2, last).unwrap(),
        1 => Lifetime::geometric(ratio(random.random_range(1..10), 20), last / 3, last).unwrap(),
        _ => Lifetime::fixed(last),
    }
}

/// Computes all steps on a mesh.
fn on_mesh(problem: &PhaseSwitching, lifetime: &Lifetime, cells: usize, tolerance: f64) -> Reached {
    observed(problem, lifetime, cells, [tolerance; 2], &())
}

fn observed(
    problem: &PhaseSwitching,
    lifetime: &Lifetime,
    cells: usize,
    [tolerance, sharp]: [f64; 2],
    observer: &dyn Observer,
) -> Reached {
    let recursion = Recursion::new(problem);
    let task = Task {
        recursion: &recursion,
        running: [nearest(&problem.cycle[0][0]), nearest(&problem.cycle[1][0])],
        initial: nearest(&problem.initial),
        lifetime,
        tolerance,
    };
    let nothing = Shifted { shape: Polyline::constant(0.0), offset: DoubleDouble::default() };
    let difference = Pair::constant(0.0);
    let start = Start { difference: &difference, value: [&nothing, &nothing] };
    let mesh = Mesh::new(&recursion.filter, cells);
    let limits =
        Limits { enough: 1.5, width: f64::INFINITY, early: 0, sharp, all: true, steps: u64::MAX };
    task.run(&mesh, start, lifetime.last(), limits, observer)
}

/// A description of the first quantity that is not enclosed, if any.
fn missed(reached: &Reached, truth: &exact::ExactSolution) -> Option<String> {
    let exactly = |value: f64| Rational::try_from(value).expect("finite");
    let outside = |lower: f64, upper: f64, truth: &Rational| {
        lower.is_finite() && exactly(lower) > *truth || upper.is_finite() && *truth > exactly(upper)
    };
    let (lower, upper) = reached.value;
    if outside(lower, upper, &truth.value) {
        return Some(format!("value: {lower} {} {upper}", truth.value.to_f64().value()));
    }
    let curves = [(&reached.to_second, &truth.to_second), (&reached.to_first, &truth.to_first)];
    for (which, (curve, all)) in curves.into_iter().enumerate() {
        for (n, threshold) in all.iter().enumerate() {
            let Some(bounds) = curve.at(n as u64) else {
                assert!(reached.halt.is_some(), "a threshold at every step");
                continue;
            };
            if outside(bounds.lower, bounds.upper, threshold) {
                let near = threshold.to_f64().value();
                return Some(format!("threshold {which} of step {n}: {bounds:?} {near}"));
            }
        }
    }
    None
}

const CELLS: [usize; 6] = [2, 3, 17, 256, 1 << 12, 1 << 15];

fn all_enclose(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let random = &mut stream(29, seed);
        let begins = hundredths(random, 60);
        let ends = hundredths(random, 40);
        let rates = match random.random_range(0..6) {
            0 => [begins.clone(), Rational::ONE - begins],
            1 => [Rational::ZERO, ends],
            2 => [ratio(1, 1_000_000), ratio(1, 1000)],
            _ => [begins, ends],
        };
        let cells = |random: &mut Stream| {
            let weights: Vec<u64> = (0..3).map(|_| random.random_range(1..20)).collect();
            let sum = weights.iter().sum::<u64>();
            weights.into_iter().map(|weight| ratio(weight, sum)).collect()
        };
        let detector = match random.random_range(0..4) {
            0 => Levels::new(cells(random), cells(random)).unwrap(),
            1 => Levels::binary(ratio(1, 1000), ratio(1, 100_000)).unwrap(),
            _ => Levels::binary(hundredths(random, 100), hundredths(random, 100)).unwrap(),
        };
        let problem = problem(random, rates, detector);
        let last = random.random_range(0..=4);
        let lifetime = lifetime(random, last);
        let truth = exact::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        let mut widths = Vec::new();
        for cells in CELLS {
            let reached = on_mesh(&problem, &lifetime, cells, 1e-9);
            let missed = missed(&reached, &truth);
            assert_eq!(missed, None, "seed {seed}, {cells} cells\n{problem:?}\n{lifetime:?}");
            widths.push(reached.value_width());
        }
        assert!(widths[5] < 1e-4, "seed {seed}: {widths:?}");
    }
}

#[test]
fn meshes_enclose_the_exact_solution() {
    all_enclose(0..few_or_all(20, 150));
}

#[test]
#[ignore = "minutes; run with: cargo test --lib meshes_of_thousands -- --ignored"]
fn meshes_of_thousands_of_models_enclose_the_exact_solution() {
    all_enclose(0..5000);
}

/// A detector that is always right or uninformative.
fn plain(random: &mut Stream, alarm: Rational) -> PhaseSwitching {
    let detector = match random.random_bool(0.5) {
        true => Levels::binary(Rational::ZERO, Rational::ZERO),
        false => Levels::binary(alarm.clone(), Rational::ONE - alarm),
    };
    let rates = [0, 1].map(|_| ratio(random.random_range(0..=5), 10));
    problem(random, rates, detector.unwrap())
}

/// Halts at a given query.
struct Stops(AtomicU64);

impl Observer for Stops {
    fn progress(&self, _done: u64, _total: u64) -> ControlFlow<Halt> {
        self.check()
    }

    fn check(&self) -> ControlFlow<Halt> {
        match self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) {
            Ok(_) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(Halt::Interrupted),
        }
    }
}

#[test]
fn what_a_stopped_mesh_has_found_encloses_the_exact_solution() {
    let (mut stopped, mut parts) = (0, 0);
    for seed in 0..4 {
        let random = &mut stream(32, seed);
        let alarm = hundredths(random, 100);
        let problem = plain(random, alarm);
        let lifetime = Lifetime::fixed(90);
        let truth = exact::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        for questions in [0, 1, 2, 7, 8, 9, 10, 12, 15, 20, 30, 50, 80, 91, 95, 1000] {
            let observer = Stops(AtomicU64::new(questions));
            let reached = observed(&problem, &lifetime, 1 << 9, [1e-9; 2], &observer);
            let missed = missed(&reached, &truth);
            assert_eq!(missed, None, "seed {seed}, {questions} questions\n{problem:?}");
            if reached.halt.is_some() {
                stopped += 1;
                parts += u64::from(reached.to_second.first_step().is_some_and(|first| first > 0));
                let first = reached.to_second.first_step();
                assert_eq!(first, reached.to_first.first_step(), "seed {seed}");
                assert!(questions > 0 || first.is_none(), "seed {seed}");
            }
        }
    }
    assert!(stopped >= 16 && parts >= 8, "{stopped} {parts}");
}

/// Lifetimes for which all steps are distinct.
#[test]
fn meshes_agree_with_other_nodes_where_every_step_is_another() {
    for seed in 0..3 {
        let random = &mut stream(33, seed);
        let rates = [0, 1].map(|_| ratio(random.random_range(1..=50), 1000));
        let weak = |random: &mut Stream| ratio(random.random_range(30..=45), 100);
        let detector = Levels::binary(weak(random), weak(random)).unwrap();
        let problem = problem(random, rates, detector);
        let lifetime = Lifetime::uniform(1, 700).unwrap();
        let other = solve(&problem, &lifetime, 1e-5, &()).unwrap();
        let reached = on_mesh(&problem, &lifetime, 1 << 12, 1e-5);
        assert_eq!(reached.steps, 701, "seed {seed}");
        let (value, its) = (reached.value, other.value.unwrap());
        assert!(
            value.0 <= its.upper && its.lower <= value.1 && reached.value_width() < 1e-3,
            "seed {seed}: {value:?} {its:?}"
        );
        for (own, its) in
            [(&reached.to_second, &other.to_second), (&reached.to_first, &other.to_first)]
        {
            for n in 0..=700 {
                let (own, its) = (own.at(n).unwrap(), its.at(n).unwrap());
                assert!(
                    own.lower <= its.upper && its.lower <= own.upper,
                    "seed {seed}, step {n}: {own:?} {its:?}\n{problem:?}"
                );
            }
        }
    }
}

/// With detectors that are always right or uninformative, exact functions stay short and converge
/// over many steps.
fn rest_encloses(seeds: std::ops::Range<u64>) {
    let mut rested = 0;
    for seed in seeds.clone() {
        let random = &mut stream(30, seed);
        let alarm = hundredths(random, 100);
        let problem = plain(random, alarm);
        let last = random.random_range(80..=100);
        let lifetime = match random.random_range(0..3) {
            0 => Lifetime::pmf(vec![(last / 8, ratio(1, 3)), (last, ratio(2, 3))]).unwrap(),
            _ => Lifetime::fixed(last),
        };
        let truth = exact::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        for (cells, tolerance) in [(64, 1e-1), (1 << 10, 1e-6), (1 << 13, 1e-9), (1 << 13, 1e-12)] {
            let reached = on_mesh(&problem, &lifetime, cells, tolerance);
            let missed = missed(&reached, &truth);
            assert_eq!(missed, None, "seed {seed}, {cells} cells\n{problem:?}\n{lifetime:?}");
            rested += u64::from(reached.steps <= last);
        }
    }
    assert!(rested > seeds.end - seeds.start, "{rested}");
}

#[test]
fn meshes_at_rest_enclose_the_exact_solution() {
    rest_encloses(0..10);
}

#[test]
#[ignore = "minutes; run with: cargo test --lib meshes_at_rest_of_hundreds -- --ignored"]
fn meshes_at_rest_of_hundreds_of_models_enclose_the_exact_solution() {
    rest_encloses(0..300);
}

/// Weak detectors over many steps, where no exact solution is available, against adaptive nodes.
#[test]
fn meshes_agree_with_other_nodes() {
    for seed in 0..few_or_all(2, 8) {
        let random = &mut stream(31, seed);
        let rates = [0, 1].map(|_| ratio(random.random_range(1..=50), 1000));
        let weak = |random: &mut Stream| ratio(random.random_range(30..=45), 100);
        let detector = Levels::binary(weak(random), weak(random)).unwrap();
        let mut problem = problem(random, rates, detector);
        problem.switch = [0, 1].map(|_| Some(hundredths(random, 1000)));
        for last in [90, 5000, 1_000_000] {
            let lifetime = match seed % 3 {
                0 => Lifetime::pmf(vec![(last / 3, ratio(1, 3)), (last, ratio(2, 3))]).unwrap(),
                _ => Lifetime::fixed(last),
            };
            let other = solve(&problem, &lifetime, 1e-6, &()).unwrap();
            let reached = on_mesh(&problem, &lifetime, 1 << 13, 1e-5);
            assert!(reached.steps < 3000, "seed {seed}, {last}: {} steps", reached.steps);
            let (value, its) = (reached.value, other.value.unwrap());
            assert!(
                value.0 <= its.upper && its.lower <= value.1 && reached.value_width() < 1e-4,
                "seed {seed}, {last}: {value:?} {its:?}"
            );
            for (own, its) in
                [(&reached.to_second, &other.to_second), (&reached.to_first, &other.to_first)]
            {
                for n in (0..=last).rev().take(400).chain([0]) {
                    let (own, its) = (own.at(n).unwrap(), its.at(n).unwrap());
                    assert!(
                        own.lower <= its.upper && its.lower <= own.upper,
                        "seed {seed}, {last}, step {n}: {own:?} {its:?}\n{problem:?}"
                    );
                }
            }
        }
    }
}

/// Kinks of later thresholds in the cells of earlier ones: expanding observation sequences removes
/// their effect.
#[test]
fn thresholds_next_to_kinks_are_bounded_closely() {
    let mut times = Vec::new();
    for seed in 0..few_or_all(2, 6) {
        let random = &mut stream(34, seed);
        let rates = [0, 1].map(|_| ratio(random.random_range(1..=20), 1000));
        let weak = |random: &mut Stream| ratio(random.random_range(30..=45), 100);
        let detector = Levels::binary(weak(random), weak(random)).unwrap();
        let mut problem = problem(random, rates, detector);
        problem.switch = [0, 1].map(|_| Some(hundredths(random, 1000)));
        let lifetime = Lifetime::fixed(60);
        let found = |sharp| observed(&problem, &lifetime, 1 << 11, [1e-6, sharp], &());
        let [plain, closer] = [1.0, 1e-7].map(found);
        let fine = solve(&problem, &lifetime, 1e-8, &()).unwrap();
        for (plain, closer, fine) in [
            (&plain.to_second, &closer.to_second, &fine.to_second),
            (&plain.to_first, &closer.to_first, &fine.to_first),
        ] {
            for n in 0..=60 {
                let [plain, closer, fine] = [plain, closer, fine].map(|curve| curve.at(n).unwrap());
                let say = || format!("seed {seed}, step {n}: {plain:?} {closer:?} {fine:?}");
                assert!(plain.lower <= closer.lower && closer.upper <= plain.upper, "{}", say());
                assert!(closer.lower <= fine.upper && fine.lower <= closer.upper, "{}", say());
                if plain.width() > 1e-6 {
                    times.push(plain.width() / closer.width());
                }
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let [count, median] = [times.len() as f64, times[times.len() / 2]];
    assert!(count > few_or_all(30.0, 100.0) && median > 4.0, "{count} {median}");
}
