//! Bounds of the expected largest deviation for laws that are on no common lattice, against closed
//! forms, laws rounded to the nearest point, sample paths and the Dirichlet law.

use super::deviations::{self, by_plain_convolution};
use crate::thorough::{few_or_all, some};
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::Status;
use remapping::distribution::gamma::{gamma_tails, normal_tails};
use remapping::distribution::{Extremes, Law, Steps};
use remapping::periodic::{
    Approximation, Bound, ExpectedImbalance, Kind, Processors, kappa, methods,
    sampled_max_deviation,
};

fn processors(classes: &[(usize, Law)]) -> Processors {
    deviations::processors(100.0, classes)
}

fn bounds(classes: &[(usize, Law)], time: u64, other: f64) -> Approximation {
    let mut imbalance = ExpectedImbalance::new(&processors(classes)).unwrap();
    imbalance.compared(time, other)
}

/// Whether the bounds decide the comparison, after which they are made no closer.
fn decided(found: Approximation, other: f64) -> bool {
    (found.value - other).abs() > found.error
}

/// Laws of each continuous kind, ordinary and extreme ones.
fn continuous() -> impl Strategy<Value = Law> {
    prop_oneof![
        (0.01..20.0_f64).prop_map(|mean| Law::Exponential { mean }),
        (-1.0..2.0_f64, 0.1..5.0_f64)
            .prop_map(|(log, mean)| Law::Gamma { shape: 10_f64.powf(log), mean }),
        (-3.0..3.0_f64, 0.01..5.0_f64)
            .prop_map(|(mean, deviation)| Law::Normal { mean, deviation }),
    ]
}

/// Probability of at most `x` after `time` steps.
fn below(law: &Law, time: f64, x: f64) -> f64 {
    match *law {
        Law::Exponential { mean } => gamma_tails(time, x / mean).below,
        Law::Gamma { shape, mean } => gamma_tails(shape * time, x * shape / mean).below,
        Law::Normal { mean, deviation } => {
            normal_tails((x - mean * time) / (deviation * time.sqrt())).below
        }
        _ => unreachable!("a continuous law"),
    }
}

/// `E max|S_i - sum S/N|` of laws rounded to the nearest multiple of `span`:
/// `[truth - span (1 - 1/N), truth + span (1 - 1/N)]`.
fn rounded_to_nearest(laws: &[Law], time: u64, span: f64) -> (f64, f64) {
    let t = time as f64;
    let reach = laws.iter().map(|law| law.mean().abs() * t + 12.0 * (t * law.variance()).sqrt());
    let end = (reach.fold(0.0, f64::max) * 1.5 / span).ceil() as i64 + 2;
    let weights = |law: &Law| -> Vec<f64> {
        let at = |k: i64| below(law, t, span * (k as f64 + 0.5));
        (-end..=end).map(|k| at(k) - at(k - 1)).collect()
    };
    let all: Vec<Vec<f64>> = laws.iter().map(weights).collect();
    (span * by_plain_convolution(&all), span * (1.0 - 1.0 / laws.len() as f64))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(12, 24)))]

    /// `E|X - Y|/2 = scale Gamma(a + 1/2) / (sqrt(pi) Gamma(a))` for two gamma laws of one shape
    /// and scale, at loose and at tight accuracies.
    #[test]
    fn two_gamma_laws_have_a_closed_form(
        log in prop_oneof![-2.0..2.0_f64, -12.0..0.0_f64], mean in 0.01..9.0_f64,
        time in 1_u64..2000, digits in 1..7_i32,
    ) {
        let shape = 10_f64.powf(log);
        let a = shape * time as f64;
        let ratio = (libm::lgamma(a + 0.5) - libm::lgamma(a)).exp();
        let truth = mean / shape * ratio / std::f64::consts::PI.sqrt();
        let other = truth * (1.0 + 10_f64.powi(-digits));
        let found = bounds(&[(2, Law::Gamma { shape, mean })], time, other);
        // The logarithms of the gamma function carry some rounding.
        let rounding = 1e-15 * a * a.ln().abs().max(1.0) * truth;
        prop_assert!(abs_diff_eq!(found.value, truth, epsilon = found.error + rounding), "{found:?} {truth}");
        prop_assert!(decided(found, other) || found.error < 1e-6 * truth, "{found:?}");
    }

    /// Two classes whose laws hardly differ have the deviation of one: `kappa` for normal laws.
    #[test]
    fn nearly_identical_normal_laws_have_kappa(
        one in 4_usize..40, two in 4_usize..40, deviation in 0.01..50.0_f64, mean in -9.0..9.0_f64,
        time in 1_u64..300, digits in 1..4_i32,
    ) {
        let law = |deviation| Law::Normal { mean, deviation };
        let classes = [(one, law(deviation)), (two, law(deviation * (1.0 + 1e-14)))];
        let truth = kappa(one + two) * deviation * (time as f64).sqrt();
        let found = bounds(&classes, time, truth * (1.0 - 10_f64.powi(-digits)));
        let wide = found.error + 1e-11 * truth;
        prop_assert!(abs_diff_eq!(found.value, truth, epsilon = wide), "{found:?} {truth}");
        prop_assert!(found.error < 10_f64.powi(-digits) * truth);
    }

    /// Two normal laws that differ: half the expected size of a normal number.
    #[test]
    fn two_normal_laws_have_a_closed_form(
        means in (-3.0..3.0_f64, -3.0..3.0_f64), deviations in (0.01..9.0_f64, 0.01..9.0_f64),
        time in 1_u64..200,
    ) {
        let t = time as f64;
        let law = |mean, deviation| (1, Law::Normal { mean, deviation });
        let classes = [law(means.0, deviations.0), law(means.1, deviations.1)];
        let mean = t * (means.0 - means.1);
        let sigma = (t * (deviations.0.powi(2) + deviations.1.powi(2))).sqrt();
        let z = mean / sigma;
        let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        let tails = normal_tails(z);
        let truth = 0.5 * (2.0 * sigma * density + mean * (tails.below - tails.above));
        let found = bounds(&classes, time, truth * 1.0001);
        prop_assert!(abs_diff_eq!(found.value, truth, epsilon = found.error + 1e-13 * truth), "{found:?} {truth}");
        prop_assert!(decided(found, truth * 1.0001) || found.error < 1e-4 * truth, "{found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(4, 12)))]

    /// Laws of any continuous kinds together: never apart from those rounded to the nearest point
    /// by more than rounding can do.
    #[test]
    fn any_laws_against_rounding_to_the_nearest(
        laws in prop::collection::vec(continuous(), 2..4), time in 1_u64..6,
    ) {
        let spread = laws.iter().map(|law| time as f64 * law.variance() + (time as f64 * law.mean()).powi(2));
        let span = spread.fold(0.0, f64::max).sqrt() / 4.0;
        let (value, slack) = rounded_to_nearest(&laws, time, span);
        let classes: Vec<_> = laws.iter().map(|law| (1, law.clone())).collect();
        prop_assume!(ExpectedImbalance::new(&processors(&classes)).is_some_and(|known| !known.is_exact()));
        let found = ExpectedImbalance::new(&processors(&classes)).unwrap().max_deviation(time);
        prop_assert!(abs_diff_eq!(found.value, value, epsilon = found.error + slack + 1e-9 * value),
            "{found:?} {value} {slack}");
    }

    /// Classes of any kinds, steps among them that share no lattice, against sample paths.
    #[test]
    fn any_classes_against_sample_paths(
        laws in prop::collection::vec((1_usize..20, continuous()), 1..4),
        steps in prop::option::of((1_usize..9, 0.1..3.0_f64)),
        time in 1_u64..30,
    ) {
        let mut classes = laws;
        classes.extend(steps.map(|(count, step)| {
            (count, Law::Steps(Steps::new(vec![(-step, 0.5), (0.0, 0.25), (2.0 * step, 0.25)]).unwrap()))
        }));
        prop_assume!(classes.iter().map(|class| class.0).sum::<usize>() > 1);
        let system = processors(&classes);
        let found = ExpectedImbalance::new(&system).unwrap().max_deviation(time);
        let sampled = sampled_max_deviation(&system, 4000, 11, time).unwrap()[time as usize - 1];
        let sigma = sampled.half_width() / 1.96;
        prop_assert!(abs_diff_eq!(found.value, sampled.value, epsilon = found.error + 5.0 * sigma),
            "{found:?} {sampled:?}");
    }
}

/// Few large places among many small ones: close bounds, and sample paths between them.
#[test]
fn few_large_places_are_decided() {
    let gamma = |shape, mean| Law::Gamma { shape, mean };
    let systems = [
        vec![(3, gamma(0.2, 1.0))],
        vec![(4, gamma(0.29, 3.0))],
        vec![(4, gamma(0.05, 1.0))],
        vec![(6, gamma(0.1, 0.5))],
        vec![(16, gamma(0.02, 1.0))],
        vec![(64, gamma(0.1, 1.0))],
        vec![(200, gamma(0.001, 2.0))],
        vec![(3, gamma(0.1, 1.0)), (4, gamma(0.02, 2.0))],
        vec![(2, gamma(0.1, 1.0)), (9, gamma(0.3, 0.1))],
    ];
    for classes in some(3, systems) {
        let system = processors(&classes);
        let sampled = sampled_max_deviation(&system, 20_000, 5, 3).unwrap();
        for time in [1, 3] {
            let found = ExpectedImbalance::new(&system).unwrap().max_deviation(time);
            let sample = sampled[time as usize - 1];
            let sigma = sample.half_width() / 1.96;
            let near = abs_diff_eq!(found.value, sample.value, epsilon = found.error + 4.5 * sigma);
            assert!(near, "{classes:?} {time}: {found:?} {sample:?}");
            assert!(found.error < 0.02 * found.value, "{classes:?} {time}: {found:?}");
        }
    }
}

/// As the shape falls to 0, one processor gets all that comes: `d = (N - 1) t mean`.
#[test]
fn in_the_limit_of_small_shapes_one_gets_all() {
    for count in [2, 3, 4, 7, 16, 300] {
        for shape in [1e-9, 1e-12, 1e-30, 1e-100, 1e-150] {
            let system = processors(&[(count, Law::Gamma { shape, mean: 0.5 })]);
            let mut imbalance = ExpectedImbalance::new(&system).unwrap();
            for time in [1, 40] {
                let found = imbalance.compared(time, 1.0);
                let limit = 0.5 * (count - 1) as f64 * time as f64;
                // Two large ones at once.
                let rare = 60.0 * shape * (count as u64 * time) as f64 * limit;
                let slack = found.error + rare + 1e-9 * limit;
                let near = abs_diff_eq!(found.value, limit, epsilon = slack);
                assert!(near, "{count} {shape} {time}: {found:?} {limit}");
                assert!(found.error < 1e-4 * limit, "{count} {shape} {time}: {found:?}");
            }
            let bound = Bound::MaxDeviation(0.05);
            let exact = &methods(&system, bound, &())[0];
            // (N - 1) t / 2 <= .05 (100 + t / 2).
            let steps = (5.0 / (0.5 * (count as f64 - 1.0) - 0.025)).floor();
            assert_eq!((exact.kind, exact.status), (Kind::Exact, Status::Converged));
            assert_eq!(exact.interval.steps, Some(steps as u64), "{count} {shape}");
        }
    }
}

/// Changes that are certain and the same leave all loads equal, whatever the bound.
#[test]
fn certain_changes_never_break_a_bound() {
    for mean in [0.3, 0.0] {
        for (count, bound) in [(2, 1e-12), (3, 1e-12), (7, 0.1), (64, 1e-300)] {
            let system = processors(&[(count, Law::Normal { mean, deviation: 0.0 })]);
            let exact = &methods(&system, Bound::MaxDeviation(bound), &())[0];
            assert_eq!((exact.kind, exact.status), (Kind::Exact, Status::Converged));
            assert_eq!(exact.interval.steps, None);
        }
    }
}

/// Gamma sums of one scale: the shares of the total are Dirichlet and independent of it. For three
/// exponential changes they are uniform on a triangle, where `E max|share - 1/3|` is
/// taken by a fine grid of midpoints.
#[test]
fn three_exponential_changes_have_uniform_shares() {
    let side = 1500;
    let (mut sum, mut points) = (0.0, 0.0);
    for i in 0..side {
        for j in 0..side - i {
            // Centroids of the two small triangles of each cell.
            for (shift, inside) in [(1.0 / 3.0, true), (2.0 / 3.0, i + j + 1 < side)] {
                if inside {
                    let [x, y] = [i, j].map(|k| (f64::from(k) + shift) / f64::from(side));
                    let shares = [x, y, 1.0 - x - y];
                    sum += shares.iter().map(|s| (s - 1.0 / 3.0).abs()).fold(0.0, f64::max);
                    points += 1.0;
                }
            }
        }
    }
    let truth = 1.5 * sum / points;
    let found = bounds(&[(3, Law::Exponential { mean: 0.5 })], 1, truth * 1.001);
    let near = abs_diff_eq!(found.value, truth, epsilon = found.error + 1e-5 * truth);
    assert!(near, "{found:?} {truth}");
    assert!(decided(found, truth * 1.001) || found.error < 1e-3 * truth, "{found:?}");
}

/// Where the bound is met as closely as can be, nothing is claimed.
#[test]
fn a_tie_of_continuous_laws_is_not_decided() {
    let system = processors(&[(2, Law::Exponential { mean: 1.0 })]);
    // E|X - Y|/2 after one step is 1/2, the mean load 101.
    let found = methods(&system, Bound::MaxDeviation(0.5 / 101.0), &());
    let exact = found.iter().find(|method| method.kind == Kind::Exact).unwrap();
    assert_eq!((exact.interval.steps, exact.status), (Some(0), Status::IterationLimit));
    assert!(exact.tie && !exact.is_missing());
    for (factor, steps) in [(0.9999, 0), (1.0001, 1)] {
        let found = methods(&system, Bound::MaxDeviation(0.5 / 101.0 * factor), &());
        assert_eq!((found[0].kind, found[0].interval.steps), (Kind::Exact, Some(steps)));
    }
}

/// Of moments alone only what is safe is told first.
#[test]
fn moments_have_a_safe_answer() {
    for (mean, variance) in [(0.5, 0.25), (0.0, 1.0)] {
        let law = Law::Moments { mean, variance };
        let found = methods(&processors(&[(8, law)]), Bound::MaxDeviation(0.05), &());
        assert_eq!(found[0].kind, Kind::RmsBound);
    }
}

/// No grid tells a mean of 1000 from what lies within a thousandth of 0, but order statistics do:
/// `E R` is not below `E max` less the mean, nor above that and the mean less `E min` together.
#[test]
fn order_statistics_decide_where_grids_do_not() {
    let certain = |value: f64| Law::Steps(Steps::new(vec![(value, 1.0)]).unwrap());
    let laws = [
        certain(1000.0),
        Law::Normal { mean: 0.0, deviation: 0.01 },
        certain(0.001),
        Law::Gamma { shape: 0.01, mean: 1000.0 },
        Law::Steps(Steps::new(vec![(0.002, 0.025), (0.001, 0.975)]).unwrap()),
    ];
    let system = processors(&laws.map(|law| (1, law)));
    let mut imbalance = ExpectedImbalance::new(&system).unwrap();
    let other = 0.3 * 500.0;
    let found = imbalance.compared(1, other);
    assert!(found.value - found.error > other, "{found:?}");
    let found = imbalance.max_deviation(1);
    let Extremes { above, below, error } = imbalance.extremes(1.0);
    let slack = 1e-9 * found.value + 2.0 * error;
    assert!(found.value - found.error >= above.max(below) - slack, "{found:?} {above} {below}");
    assert!(found.value + found.error <= above + below + slack, "{found:?} {above} {below}");
}
