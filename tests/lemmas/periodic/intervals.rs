//! Optimal periodic intervals \[FXW03\]: closed forms and searches against all steps, limits,
//! simulation.

use super::chains::moves;
use super::deviations::{different, identical, whole_steps};
use super::exactly::costs;
use approx::{abs_diff_eq, assert_abs_diff_eq};
use proptest::prelude::*;
use rand::RngExt;
use remapping::chain::{BirthDeath, Edge};
use remapping::distribution::{Law, Steps};
use remapping::periodic::{
    Approximation, Bound, ChainLoads, Covariance, CovarianceError, ExpectedImbalance, Kind, Ties,
    cost_aware, distribution_free_factor, first_crossing, first_passage, kappa, longest, methods,
};
use remapping::simulate::stream;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The longest interval found with few evaluations is that of looking at every step.
    #[test]
    fn search_equals_looking_at_every_step(
        laws in prop::collection::vec(whole_steps(), 2..4),
        load in 3.0..40.0_f64,
        bound in 0.02..0.6_f64,
    ) {
        let system = different(load, &laws);
        let mut imbalance = ExpectedImbalance::new(&system).unwrap();
        let mut excess = |time: u64| imbalance.max_deviation(time);
        let mut looked = 0;
        let found = longest(&system, bound, (1000, Ties::Keep), &(), |time| {
            looked += 1;
            excess(time)
        });
        let last = 40;
        let violated = (1..=last).find(|&time| {
            let average = system.mean_load(time as f64);
            average <= 0.0 || excess(time).value > bound * average * (1.0 + 1e-12)
        });
        match violated {
            Some(time) => {
                prop_assert_eq!(found.interval.steps, Some(time - 1));
                prop_assert!(looked <= time);
            }
            None => prop_assert!(found.interval.steps.is_none_or(|steps| steps >= last)),
        }
    }

    /// The root of [FXW03, (23)] against direct search, for drifts of any sign; and [FXW03, (22)]
    /// as printed, where its premises hold.
    #[test]
    fn rms_interval_against_direct_search(
        variance in 0.0..5.0_f64, drift in 0.0..0.05_f64, load in 5.0..50.0_f64,
        mean in -1.0..1.0_f64, bound in 0.02..1.0_f64,
    ) {
        let found = first_crossing(variance, drift, load, mean, bound);
        let squared = |t: f64| variance * t + drift * t * t;
        let kept = |t: f64| {
            let average = load + mean * t;
            average > 0.0 && squared(t) <= (bound * average).powi(2) * (1.0 + 1e-11)
        };
        let violated = (1..20_000_u64).find(|&t| !kept(t as f64));
        match (found.steps, violated) {
            // Both crossings may fall between two steps: the real bound is violated there.
            (Some(steps), None) => prop_assert!(steps >= 19_999 || !kept(found.real.unwrap() + 1e-6)),
            (Some(steps), Some(time)) => {
                prop_assert!(steps == time - 1 || (steps < time && !kept(found.real.unwrap() * (1.0 + 1e-6) + 1e-9)));
            }
            (None, violated) => prop_assert_eq!(violated, None),
        }
    }

    /// [FXW03, (9), (13), (28)] in their own form: `(2m^2 - 1 - 2m sqrt(m^2 - 1)) w/mu`.
    #[test]
    fn equal_positive_means_give_the_printed_form(
        variance in 0.1..5.0_f64, load in 5.0..50.0_f64, mean in 0.05..2.0_f64, m in 1.05..9.0_f64,
    ) {
        let bound = (variance / (4.0 * load * mean)).sqrt() / m;
        let printed = (2.0 * m * m - 1.0 - 2.0 * m * (m * m - 1.0).sqrt()) * load / mean;
        let found = first_crossing(variance, 0.0, load, mean, bound).real.unwrap();
        prop_assert!(abs_diff_eq!(found / printed, 1.0, epsilon = 1e-10), "{found} {printed}");
    }

    /// [FXW03, (26)].
    #[test]
    fn equation_26(count in 2_usize..500, time in 1.0..90.0_f64, variance in 0.1..4.0_f64, mean in 0.0..1.0_f64) {
        let system = identical(count, 30.0, Law::Moments { mean, variance });
        let free = distribution_free_factor(count) * (variance * time).sqrt() / system.mean_load(time);
        let n = count as f64;
        let ratio = system.rms_deviation(time) / free;
        prop_assert!(abs_diff_eq!(ratio, ((2.0 * n - 1.0) / (n - 1.0)).sqrt(), epsilon = 1e-12));
    }

    /// `A A'` is a covariance; with less than the least eigenvalue on the diagonal it is none.
    #[test]
    fn covariances_have_no_negative_eigenvalue(
        size in 2_usize..7,
        entries in prop::collection::vec(-2.0..2.0_f64, 36),
    ) {
        let factor = |i: usize, j: usize| entries[6 * i + j];
        let inner = |i: usize, k: usize| (0..size).map(|j| factor(i, j) * factor(k, j)).sum::<f64>();
        let less = |on_diagonal: f64| -> Vec<Vec<f64>> {
            let entry = |i: usize, k: usize| inner(i, k) - if i == k { on_diagonal } else { 0.0 };
            (0..size).map(|i| (0..size).map(|k| entry(i, k)).collect()).collect()
        };
        prop_assert!(Covariance::new(&less(0.0)).is_ok());
        prop_assert!(Covariance::new(&less(50.0)).is_err());
    }

    #[test]
    fn cost_aware_interval_is_the_best_of_all(
        (law, _) in whole_steps(), count in 2_usize..9, cost in 0.0..30.0_f64,
    ) {
        prop_assume!(law.variance() > 0.0);
        let system = identical(count, 10.0, law);
        let found = cost_aware(&system, cost, &()).unwrap();
        // None outlasts a mean load that falls.
        let last = (1..=200).take_while(|n| system.mean_load(f64::from(*n)) > 0.0).count();
        let best = costs(&system, cost, last as u64).into_iter().fold(f64::INFINITY, f64::min);
        prop_assert!(found.steps.unwrap() < 200);
        prop_assert!(abs_diff_eq!(found.cost_per_step, best, epsilon = 1e-12 * (1.0 + best)));
    }
}

/// A step up or down, or none, at even odds.
fn lazy() -> Law {
    Law::Steps(Steps::new(vec![(-1.0, 0.25), (0.0, 0.5), (1.0, 0.25)]).unwrap())
}

/// A birth–death chain far from its edges is a walk; one with a low cost ceiling is never remapped.
#[test]
fn cost_aware_chain_far_from_the_edges_is_a_walk() {
    let chain = moves(&BirthDeath::walk(201, 0.25, 0.25, Edge::Hold).unwrap());
    let walk = cost_aware(&identical(8, 100.0, lazy()), 8.0, &()).unwrap();
    let bounded = ChainLoads { count: 8, chain, lowest: 0.0, start: 100 }.cost_aware(8.0, &());
    assert_eq!(walk.steps, bounded.steps);
    assert_abs_diff_eq!(walk.cost_per_step, bounded.cost_per_step, epsilon = 1e-12);
    let chain = moves(&BirthDeath::walk(3, 0.3, 0.3, Edge::Hold).unwrap());
    let never = ChainLoads { count: 4, chain, lowest: 0.0, start: 1 }.cost_aware(1000.0, &());
    assert_eq!((never.steps, never.status), (None, remapping::Status::Converged));
    // Uniform on three levels in the limit: E max - mean of four.
    let limit = 2.0 - (1.0_f64 / 3.0).powi(4) - (2.0_f64 / 3.0).powi(4) - 1.0;
    assert!(abs_diff_eq!(never.cost_per_step, limit, epsilon = 1e-9), "{never:?} {limit}");
}

/// Two processors: `kappa` and the normal law; the lattice value tends to the normal one.
#[test]
fn lattice_deviation_tends_to_kappa() {
    for count in [2, 3, 4, 5, 6, 16, 64, 256] {
        let system = identical(count, 100.0, lazy());
        let found = ExpectedImbalance::new(&system).unwrap().max_deviation(60);
        let normal = kappa(count) * 30.0_f64.sqrt();
        let near = abs_diff_eq!(found.value / normal, 1.0, epsilon = 0.01);
        assert!(near, "{count}: {found:?} {normal}");
    }
}

/// A tie is kept: N = 2 with steps 0 or 1 evenly has `E max|w_i - wbar| = 1/4` after one step.
#[test]
fn a_tie_keeps_the_bound() {
    let steps = Steps::new(vec![(0.0, 0.5), (1.0, 0.5)]).unwrap();
    let system = identical(2, 4.5, Law::Steps(steps));
    let found = methods(&system, Bound::MaxDeviation(0.05), &());
    assert_eq!(found[0].kind, Kind::Exact);
    assert_eq!((found[0].interval.steps, found[0].tie), (Some(1), true));
}

/// A mean load that reaches zero ends every interval, even without any deviation.
#[test]
fn falling_mean_load_ends_the_interval() {
    let system = identical(3, 10.0, Law::Moments { mean: -2.5, variance: 0.0 });
    for method in methods(&system, Bound::MaxDeviation(0.1), &()) {
        assert_eq!(method.interval.steps, Some(3), "{method:?}");
    }
}

/// The simulated mean deviation agrees with the exact one, whatever the number of threads.
#[test]
fn first_passage_is_reproducible_and_near_the_exact_interval() {
    let system = identical(64, 100.0, lazy());
    let bound = Bound::MaxDeviation(0.05);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let one = pool(1).install(|| first_passage(&system, bound, 400, 7, 1000, &())).unwrap();
    let two = pool(2).install(|| first_passage(&system, bound, 400, 7, 1000, &())).unwrap();
    assert_eq!(one, two);
    assert_eq!(one.censored, 0);
    assert!(abs_diff_eq!(one.steps.value, 8.2, epsilon = 0.6), "{one:?}");
    let sampled = remapping::periodic::sampled_max_deviation(&system, 2000, 3, 20).unwrap();
    let mut imbalance = ExpectedImbalance::new(&system).unwrap();
    for (sampled, time) in sampled.iter().zip(1..) {
        let Approximation { value, .. } = imbalance.max_deviation(time);
        assert!(sampled.agrees(value, 3.0), "{time}: {sampled:?} {value}");
    }
}

/// The eigenvalue that makes a matrix no covariance is named: 1 and 3 less 4 here.
#[test]
fn negative_eigenvalue_is_named() {
    let rows = vec![vec![2.0, -3.0], vec![-3.0, 2.0]];
    match Covariance::new(&rows) {
        Err(CovarianceError::NegativeEigenvalue(value)) => assert!((value + 1.0).abs() < 1e-12),
        other => panic!("{other:?}"),
    }
}

/// Wide laws are summed over a part of the windows; `kappa sigma sqrt(t)` less a correction of
/// relative order `1/t` must continue smoothly from where all of them are summed.
#[test]
fn wide_laws_continue_smoothly() {
    for count in [3, 4, 7, 16, 64, 300] {
        let system = identical(count, 100.0, lazy());
        let mut imbalance = ExpectedImbalance::new(&system).unwrap();
        let normal = kappa(count) * 0.5_f64.sqrt();
        let correction = |time: u64, imbalance: &mut ExpectedImbalance| {
            let found = imbalance.max_deviation(time);
            let t = time as f64;
            assert!(found.error < 1e-9 * found.value, "{count}, {time}: {found:?}");
            (found.value / (normal * t.sqrt()) - 1.0) * t
        };
        // The corrections differ by O(1/t): extrapolate the first two to the third.
        let [a, b, c] = [100, 200, 3200].map(|time| correction(time, &mut imbalance));
        let limit = 2.0 * b - a;
        let slack = 0.05 * (b - a).abs() + 0.06 * limit.abs().max(1e-4);
        assert!(abs_diff_eq!(c, limit, epsilon = slack), "{count}: {a} {b} {c}");
    }
}

/// The bound counts at whole steps: against all of them, also where it is exceeded for a fraction
/// of one only.
#[test]
fn closed_forms_count_whole_steps() {
    let mut random = stream(11, 0);
    let mut between = 0;
    for _ in 0..20_000 {
        let mut number = |most: f64| most * random.random::<f64>();
        let (variance, load, mean) = (number(2.0), 0.5 + number(5.0), number(3.0));
        let drift = if number(1.0) < 0.5 { 0.0 } else { number(0.1) };
        let deviation = |t: u64| {
            let t = t as f64;
            (variance * t + drift * t * t).sqrt() / (load + mean * t)
        };
        let largest = (1..200).map(deviation).fold(0.0, f64::max);
        let bound = largest * (0.9 + number(0.2));
        let kept = (1..=5000).take_while(|t| deviation(*t) <= bound * (1.0 + 1e-12)).count() as u64;
        let found = first_crossing(variance, drift, load, mean, bound).steps;
        match found {
            Some(steps) if steps < 5000 => {
                assert_eq!(steps, kept, "{variance} {drift} {load} {mean} {bound}")
            }
            _ => assert_eq!(kept, 5000, "{variance} {drift} {load} {mean} {bound}"),
        }
        between += u32::from(found.is_none() && bound < largest * 1.05);
    }
    assert!(between > 100);
}
