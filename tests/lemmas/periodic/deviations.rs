//! Expected deviations of the loads \[FXW03\]: the exact method against enumeration of all places
//! and plain convolution.

use approx::abs_diff_eq;
use std::collections::BTreeMap;

use proptest::prelude::*;
use remapping::Rational;
use remapping::distribution::{Class, Law, Steps};
use remapping::periodic::{ExpectedImbalance, Processors, distribution_free_factor};

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
        let pairs = weights.iter().map(|(step, weight)| (*step as f64, float(weight))).collect();
        (Law::Steps(Steps::new(pairs).unwrap()), weights)
    })
}

fn float(value: &Rational) -> f64 {
    value.to_f64().value()
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

/// `N max_i |w_i - wbar|`, a whole number.
fn scaled_deviation(places: &[i64]) -> Rational {
    let (n, sum) = (places.len() as i64, places.iter().sum::<i64>());
    Rational::from(places.iter().map(|place| (n * place - sum).abs()).max().unwrap())
}

pub fn processors(load: f64, laws: &[Law]) -> Processors {
    let classes = laws.iter().map(|law| Class { count: 1, law: law.clone() }).collect();
    Processors::new(load, classes).unwrap()
}

pub fn identical(count: usize, load: f64, law: Law) -> Processors {
    Processors::new(load, vec![Class { count, law }]).unwrap()
}

/// `E max_i |S_i - Q/N|` by cutting the law to every window and convolving it, term by term.
fn by_plain_convolution(law: &[f64], count: usize) -> f64 {
    let convolve = |a: &[f64], b: &[f64]| {
        let mut sum = vec![0.0; a.len() + b.len() - 1];
        for (i, p) in a.iter().enumerate() {
            for (j, q) in b.iter().enumerate() {
                sum[i + j] += p * q;
            }
        }
        sum
    };
    let power = |law: &[f64]| (1..count).fold(law.to_vec(), |sum, _| convolve(&sum, law));
    let total = power(law);
    let mut windows = BTreeMap::new();
    let mut expected = 0.0;
    for (sum, p) in total.iter().enumerate() {
        // Deviations are multiples of 1/N: the distribution function jumps only there.
        for tick in 0..=count * law.len() {
            let a = sum.saturating_sub(tick).div_ceil(count);
            let b = ((sum + tick) / count).min(law.len() - 1);
            let inside = if a > b {
                0.0
            } else {
                let cut = windows.entry((a, b)).or_insert_with(|| power(&law[a..=b]));
                sum.checked_sub(a * count).and_then(|s| cut.get(s)).copied().unwrap_or(0.0)
            };
            expected += (p - inside) / count as f64;
        }
    }
    expected
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn exact_deviation_is_that_of_enumeration(
        laws in prop::collection::vec(whole_steps(), 2..5),
        time in 1_u64..4,
    ) {
        let fractions: Vec<_> = laws.iter().map(|law| summed(&law.1, time)).collect();
        let n = laws.len() as f64;
        let truth = float(&expectation(&fractions, &scaled_deviation)) / n;
        let laws: Vec<Law> = laws.into_iter().map(|law| law.0).collect();
        let found = ExpectedImbalance::new(&processors(10.0, &laws)).unwrap().max_deviation(time);
        prop_assert!(abs_diff_eq!(found.value, truth, epsilon = found.error + 1e-15 * truth), "{found:?} {truth}");
        prop_assert!(found.error < 1e-11);
    }

    #[test]
    fn extremes_are_those_of_enumeration(
        laws in prop::collection::vec(whole_steps(), 2..5),
        time in 1_u64..4,
    ) {
        let fractions: Vec<_> = laws.iter().map(|law| summed(&law.1, time)).collect();
        let n = laws.len() as i64;
        let above = expectation(&fractions, &|places| {
            Rational::from(n * places.iter().max().unwrap() - places.iter().sum::<i64>())
        });
        let below = expectation(&fractions, &|places| {
            Rational::from(places.iter().sum::<i64>() - n * places.iter().min().unwrap())
        });
        let laws: Vec<Law> = laws.into_iter().map(|law| law.0).collect();
        let found = ExpectedImbalance::new(&processors(10.0, &laws)).unwrap().extremes(time as f64);
        prop_assert!(abs_diff_eq!(found.above, float(&above) / n as f64, epsilon = 1e-12));
        prop_assert!(abs_diff_eq!(found.below, float(&below) / n as f64, epsilon = 1e-12));
    }

    #[test]
    fn rms_deviation_is_equation_20(
        laws in prop::collection::vec(whole_steps(), 2..5),
        time in 1_u64..4,
    ) {
        let fractions: Vec<_> = laws.iter().map(|law| summed(&law.1, time)).collect();
        let n = laws.len() as i64;
        let truth = expectation(&fractions, &|places| {
            let sum: i64 = places.iter().sum();
            Rational::from(places.iter().map(|place| (n * place - sum).pow(2)).sum::<i64>())
        });
        let laws: Vec<Law> = laws.into_iter().map(|law| law.0).collect();
        let system = processors(10.0, &laws);
        let found = system.rms_deviation(time as f64) * system.mean_load(time as f64);
        prop_assert!(abs_diff_eq!(found, (float(&truth)).sqrt() / n as f64, epsilon = 1e-12));
    }

    /// `d^2 + theta^2 <= v^2 <= N (d^2 + theta^2)`, where `d^2 + theta^2 = E max^2 / (E wbar)^2`.
    #[test]
    fn lemma_3_1(laws in prop::collection::vec(whole_steps(), 2..5), time in 1_u64..4) {
        let fractions: Vec<_> = laws.iter().map(|law| summed(&law.1, time)).collect();
        let n = Rational::from(laws.len());
        let largest = expectation(&fractions, &|places| {
            let deviation = scaled_deviation(places);
            &deviation * &deviation
        });
        let squares = expectation(&fractions, &|places| {
            let (n, sum) = (places.len() as i64, places.iter().sum::<i64>());
            Rational::from(places.iter().map(|place| (n * place - sum).pow(2)).sum::<i64>())
        });
        prop_assert!(largest <= squares && squares <= n * largest);
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
            (first..=last).map(|place| sum.get(&place).map_or(0.0, float)).collect();
        let truth = by_plain_convolution(&weights, count);
        let system = identical(count, 10.0, law);
        let found = ExpectedImbalance::new(&system).unwrap().max_deviation(time);
        prop_assert!(abs_diff_eq!(found.value, truth, epsilon = 1e-12 * (1.0 + truth)), "{found:?} {truth}");
    }

    /// Jensen and exchangeability: what the search for the longest interval rests on.
    #[test]
    fn imbalance_over_time_does_not_increase(
        laws in prop::collection::vec(whole_steps(), 2..6),
    ) {
        let laws: Vec<Law> = laws.into_iter().map(|law| law.0).collect();
        let system = processors(10.0, &laws);
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
