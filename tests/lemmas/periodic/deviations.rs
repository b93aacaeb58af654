//! Expected deviations of the loads \[FXW03\]: the exact method against enumeration of all places
//! and plain convolution.

use crate::shared::double;
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::Rational;
use remapping::distribution::{Class, Law, Steps};
use remapping::periodic::{ExpectedImbalance, Processors, distribution_free_factor};
use std::collections::BTreeMap;

/// A law with whole steps and weights in `1/16`, and the same as a map of exact fractions.
pub fn whole_steps() -> impl Strategy<Value = (Law, BTreeMap<i64, Rational>)> {
    prop::collection::btree_map(-2_i64..4, 1_u32..6, 1..4).prop_map(|parts| {
        let mut left = 16;
        let mut weights = BTreeMap::new();
        let last = *parts.keys().next_back().unwrap();
        for (&step, &part) in &parts {
            let weight = if step == last { left } else { part.min(left - 1) };
            weights.insert(step, Rational::from(weight) / Rational::from(16));
            left -= weight;
        }
        let pairs = weights.iter().map(|(step, weight)| (*step as f64, double(weight))).collect();
        (Law::Steps(Steps::new(pairs).unwrap()), weights)
    })
}

/// Law of the sum of `time` steps, exactly.
fn summed(law: &BTreeMap<i64, Rational>, time: u64) -> BTreeMap<i64, Rational> {
    let mut sum = BTreeMap::from([(0, Rational::ONE)]);
    for _ in 0..time {
        let mut next: BTreeMap<i64, Rational> = BTreeMap::new();
        for (place, p) in &sum {
            for (step, q) in law {
                *next.entry(place + step).or_insert(Rational::ZERO) += p * q;
            }
        }
        sum = next;
    }
    sum
}

/// Exact expectation of a function of the places by enumeration of all of them.
fn expectation(laws: &[BTreeMap<i64, Rational>], f: &dyn Fn(&[i64]) -> Rational) -> Rational {
    fn visit(
        laws: &[BTreeMap<i64, Rational>],
        places: &mut Vec<i64>,
        p: Rational,
        f: &dyn Fn(&[i64]) -> Rational,
    ) -> Rational {
        if places.len() == laws.len() {
            return p * f(places);
        }
        let mut sum = Rational::ZERO;
        for (place, q) in &laws[places.len()] {
            places.push(*place);
            sum += visit(laws, places, &p * q, f);
            places.pop();
        }
        sum
    }
    visit(laws, &mut Vec::new(), Rational::ONE, f)
}

pub fn processors(load: f64, classes: &[(usize, Law)]) -> Processors {
    let classes = classes.iter().map(|(count, law)| Class { count: *count, law: law.clone() });
    Processors::new(load, classes.collect()).unwrap()
}

/// One processor for each of these.
pub fn different(load: f64, laws: &[(Law, BTreeMap<i64, Rational>)]) -> Processors {
    let classes: Vec<(usize, Law)> = laws.iter().map(|(law, _)| (1, law.clone())).collect();
    processors(load, &classes)
}

pub fn identical(count: usize, load: f64, law: Law) -> Processors {
    processors(load, &[(count, law)])
}

/// `E max_i |S_i - Q/N|` of laws on as many points each, by cutting them to every window and
/// convolving these, term by term; what is below 1e-15 is left out.
pub fn by_plain_convolution(laws: &[Vec<f64>]) -> f64 {
    let convolved = |cut: &dyn Fn(&Vec<f64>) -> Vec<f64>| {
        let both = |a: Vec<f64>, b: Vec<f64>| {
            let mut sum = vec![0.0; a.len() + b.len() - 1];
            for (i, p) in a.iter().enumerate().filter(|(_, p)| **p > 1e-18) {
                b.iter().enumerate().for_each(|(j, q)| sum[i + j] += p * q);
            }
            sum
        };
        laws.iter().map(cut).reduce(both).unwrap()
    };
    let (n, width) = (laws.len(), laws[0].len());
    let mut windows = BTreeMap::new();
    let mut expected = 0.0;
    for (sum, p) in convolved(&Vec::clone).iter().enumerate().filter(|(_, p)| **p > 1e-15) {
        // Deviations are multiples of 1/N: the distribution function jumps only there.
        for tick in 0..=n * width {
            let a = sum.saturating_sub(tick).div_ceil(n);
            let b = ((sum + tick) / n).min(width - 1);
            let inside = if a > b {
                0.0
            } else {
                let cut =
                    windows.entry((a, b)).or_insert_with(|| convolved(&|law| law[a..=b].to_vec()));
                sum.checked_sub(a * n).and_then(|s| cut.get(s)).copied().unwrap_or(0.0)
            };
            expected += (p - inside) / n as f64;
            if p - inside < 1e-15 {
                break;
            }
        }
    }
    expected
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The exact method, extremes and equation (20). Lemma 3.1: `d^2 + theta^2 <= v^2 <= N (d^2 +
    /// theta^2)`, where `d^2 + theta^2 = E max^2 / (E wbar)^2`.
    #[test]
    fn deviations_are_those_of_enumeration(
        laws in prop::collection::vec(whole_steps(), 2..5),
        time in 1_u64..4,
    ) {
        let fractions: Vec<_> = laws.iter().map(|law| summed(&law.1, time)).collect();
        let n = laws.len() as i64;
        let expected = |of: &dyn Fn(&[i64]) -> i64| expectation(&fractions, &|places| Rational::from(of(places)));
        let away = |places: &[i64]| -> Vec<i64> {
            let sum: i64 = places.iter().sum();
            places.iter().map(|place| n * place - sum).collect()
        };
        let largest = |places: &[i64]| away(places).into_iter().map(i64::abs).max().unwrap();
        let system = different(10.0, &laws);
        let mut imbalance = ExpectedImbalance::new(&system).unwrap();
        let (found, truth) = (imbalance.max_deviation(time), double(&expected(&largest)) / n as f64);
        prop_assert!(abs_diff_eq!(found.value, truth, epsilon = found.error + 1e-15 * truth), "{found:?} {truth}");
        prop_assert!(found.error < 1e-11);
        let found = imbalance.extremes(time as f64);
        let above = expected(&|places| away(places).into_iter().max().unwrap());
        let below = expected(&|places| -away(places).into_iter().min().unwrap());
        prop_assert!(abs_diff_eq!(found.above, double(&above) / n as f64, epsilon = 1e-12));
        prop_assert!(abs_diff_eq!(found.below, double(&below) / n as f64, epsilon = 1e-12));
        let squares = expected(&|places| away(places).into_iter().map(|away| away.pow(2)).sum());
        let found = system.rms_deviation(time as f64) * system.mean_load(time as f64);
        prop_assert!(abs_diff_eq!(found, double(&squares).sqrt() / n as f64, epsilon = 1e-12));
        let largest = expected(&|places| largest(places).pow(2));
        prop_assert!(largest <= squares && squares <= Rational::from(n) * largest);
    }

    /// The exact value for mid-sized systems, by the method taken literally.
    #[test]
    fn exact_deviation_is_that_of_plain_convolution(
        (law, fractions) in whole_steps(),
        count in 2_usize..9,
        time in 1_u64..4,
    ) {
        let sum = summed(&fractions, time);
        let (first, last) = (*sum.keys().next().unwrap(), *sum.keys().next_back().unwrap());
        let weights: Vec<f64> =
            (first..=last).map(|place| sum.get(&place).map_or(0.0, double)).collect();
        let truth = by_plain_convolution(&vec![weights; count]);
        let system = identical(count, 10.0, law);
        let found = ExpectedImbalance::new(&system).unwrap().max_deviation(time);
        prop_assert!(abs_diff_eq!(found.value, truth, epsilon = 1e-12 * (1.0 + truth)), "{found:?} {truth}");
    }

    /// Jensen and exchangeability: what the search for the longest interval rests on.
    #[test]
    fn imbalance_over_time_does_not_increase(
        laws in prop::collection::vec(whole_steps(), 2..6),
    ) {
        let system = different(10.0, &laws);
        let mut imbalance = ExpectedImbalance::new(&system).unwrap();
        let mut before = [f64::INFINITY; 3];
        for time in 1..12 {
            let extremes = imbalance.extremes(time as f64);
            let largest = imbalance.max_deviation(time).value;
            let now = [largest, extremes.above, extremes.below].map(|e| e / time as f64);
            for (now, before) in now.iter().zip(before) {
                prop_assert!(*now <= before + 1e-12);
            }
            before = now;
        }
    }

    /// [FXW03, (7)]: the largest of N exceeds the mean by at most (N-1)/sqrt(2N-1) deviations.
    #[test]
    fn distribution_free_factor_bounds_both_extremes(
        (law, _) in whole_steps(), count in 2_usize..200, time in 1_u64..9,
    ) {
        let deviation = (law.variance() * time as f64).sqrt();
        let system = identical(count, 10.0, law);
        let found = ExpectedImbalance::new(&system).unwrap().extremes(time as f64);
        let bound = distribution_free_factor(count) * deviation * (1.0 + 1e-12) + 1e-14;
        prop_assert!(found.above <= bound && found.below <= bound);
    }

}
