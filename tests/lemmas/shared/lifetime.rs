//! The law of N against its definition, summed term by term.

use crate::phase_change::problems::{cases, law, probability};
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::Rational;
use remapping::lifetime::{Lifetime, LifetimeError};

fn tail(weights: &[Rational], n: usize) -> Rational {
    weights.iter().skip(n).fold(Rational::ZERO, |sum, weight| sum + weight)
}

fn close(value: f64, reference: &Rational) -> bool {
    let reference = reference.to_f64().value();
    abs_diff_eq!(value, reference, epsilon = 1e-14 * reference.abs())
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn continuation_is_the_ratio_of_tails((lifetime, weights) in law(12)) {
        let last = weights.iter().rposition(|w| *w > Rational::ZERO).unwrap();
        prop_assert_eq!(lifetime.last(), last as u64);
        for n in 0..=last {
            let survival = tail(&weights, n + 1) / tail(&weights, n);
            prop_assert_eq!(lifetime.continuation_exact(n as u64), survival.clone());
            prop_assert!(close(lifetime.continuation(n as u64), &survival));
            prop_assert!(close(lifetime.failure_rate(n as u64), &(Rational::ONE - survival)));
        }
        for n in last..last + 3 {
            prop_assert_eq!(lifetime.continuation(n as u64), 0.0);
            prop_assert_eq!(lifetime.continuation_exact(n as u64), Rational::ZERO);
            prop_assert_eq!(lifetime.failure_rate(n as u64), 1.0);
        }
    }

    #[test]
    fn residual_mean_is_the_mean_of_what_is_left((lifetime, weights) in law(12)) {
        for n in 0..=lifetime.last() as usize {
            let left = weights.iter().enumerate().skip(n);
            let mean = left.fold(Rational::ZERO, |sum, (m, w)| sum + Rational::from(m - n + 1) * w);
            let mean = mean / tail(&weights, n);
            prop_assert!(close(lifetime.residual_mean(n as u64), &mean));
        }
    }

    #[test]
    fn a_sum_over_cycles_is_expected_over_all_values((lifetime, weights) in law(12)) {
        let cost = |n: usize| 1.0 + (n * n % 7) as f64;
        let sum = |m: usize| (0..=m).map(cost).sum::<f64>();
        let all = weights.iter().enumerate();
        let share = |weight: &Rational| (weight / tail(&weights, 0)).to_f64().value();
        let mean: f64 = all.map(|(m, weight)| share(weight) * sum(m)).sum();
        let found = lifetime.expected_sum(|n| cost(n as usize));
        prop_assert!(abs_diff_eq!(found, mean, epsilon = 1e-12 * mean));
    }

    #[test]
    fn increasing_failure_rate_is_what_it_says((lifetime, weights) in law(12)) {
        let rates: Vec<_> =
            (0..=lifetime.last() as usize).map(|n| &weights[n] / tail(&weights, n)).collect();
        let increasing = rates.windows(2).all(|pair| pair[0] <= pair[1]);
        prop_assert_eq!(lifetime.has_increasing_failure_rate(), increasing);
    }

    #[test]
    fn steps_called_alike_are_alike((lifetime, _) in law(60)) {
        for n in 0..=lifetime.last() {
            let from = lifetime.constant_from(n);
            prop_assert!(from <= n);
            for m in from..n {
                let (a, b) = (lifetime.continuation(m), lifetime.continuation(n));
                prop_assert!(abs_diff_eq!(a, b, epsilon = 2.0 * f64::EPSILON * b), "{m} {n}");
            }
        }
    }

    #[test]
    fn long_geometric_laws_keep_their_accuracy(
        rate in probability(), first in 0u64..5, length in 1u64..200,
    ) {
        let lifetime = Lifetime::geometric(rate, first, first + length).unwrap();
        for n in 0..=lifetime.last() {
            let survival = lifetime.continuation_exact(n);
            prop_assert!(close(lifetime.continuation(n), &survival));
            prop_assert!(close(lifetime.failure_rate(n), &(Rational::ONE - survival)));
        }
    }
}

#[test]
fn residual_mean_of_a_million_values_has_a_closed_form() {
    for rate in [1e-9, 1e-7, 1e-6, 1e-4] {
        let last = 2_000_000;
        let exact = Rational::try_from(rate).unwrap();
        let lifetime = Lifetime::geometric(exact, 3, last).unwrap();
        let summed = (0..=last).rev().fold(0.0, |left, n| 1.0 + lifetime.continuation(n) * left);
        let closed = lifetime.residual_mean(0);
        assert!(
            abs_diff_eq!(closed, summed, epsilon = 1e-9 * summed),
            "rate {rate}: {closed} {summed}"
        );
    }
}

#[test]
fn what_is_not_a_law_is_refused() {
    let half = || Rational::ONE / Rational::from(2);
    assert_eq!(Lifetime::uniform(3, 2), Err(LifetimeError::EmptyRange));
    assert_eq!(Lifetime::geometric(half(), 3, 2), Err(LifetimeError::EmptyRange));
    let twice = Rational::from(2);
    assert_eq!(Lifetime::geometric(twice.clone(), 0, 2), Err(LifetimeError::OutOfRange));
    assert_eq!(Lifetime::pmf(vec![(1, twice)]), Err(LifetimeError::OutOfRange));
    assert_eq!(Lifetime::pmf(vec![(1, half()), (1, half())]), Err(LifetimeError::Repeated(1)));
    assert_eq!(Lifetime::pmf(Vec::new()), Err(LifetimeError::NoMass));
    assert_eq!(Lifetime::pmf(vec![(1, Rational::ZERO)]), Err(LifetimeError::NoMass));
}
