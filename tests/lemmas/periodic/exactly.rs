//! Closed forms and means without rounding: against a look at every step in fractions.

use proptest::prelude::*;
use remapping::distribution::{Class, Law, Steps};
use remapping::periodic::{ExpectedImbalance, Moments, Processors, cost_aware, first_crossing};
use remapping::{Rational, Status};

/// A small fraction.
fn fraction(most: i64) -> impl Strategy<Value = Rational> {
    (0..most, 1_i64..8).prop_map(|(a, b)| Rational::from(a) / Rational::from(b))
}

/// Whether the bound is kept after so many steps.
fn keeps(moments: &Moments, bound: &Rational, t: u64) -> bool {
    let (time, load) = (Rational::from(t), moments.mean_load(t));
    let square = &moments.variance * &time + &moments.drift * &time * &time;
    load > Rational::ZERO && square <= bound * bound * &load * &load
}

/// Steps that are looked at.
const LOOKED: u64 = 300;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn closed_forms_are_those_of_looking_at_every_step(
        variance in fraction(12), drift in fraction(3), load in fraction(30), mean in fraction(9),
        falls: bool, still: bool, bound in fraction(9),
    ) {
        let mean = if falls { -mean / Rational::from(7) } else { mean };
        let drift = if still { Rational::ZERO } else { drift / Rational::from(40) };
        let load = load + Rational::ONE;
        let moments = Moments { load, mean, variance, drift };
        let found = moments.crossing(&bound);
        let kept = (1..=LOOKED).take_while(|t| keeps(&moments, &bound, *t)).count() as u64;
        let steps = found.steps.unwrap_or(u64::MAX);
        prop_assert_eq!(steps.min(LOOKED), kept);
        if let (Some(steps), Some(real)) = (found.steps, found.real) {
            prop_assert!(steps as f64 <= real && real <= (steps + 1) as f64);
        }
    }

    /// Ties of decimals are kept, and a half of a step less than a tie is not.
    #[test]
    fn ties_are_told_from_what_is_next_to_them(root in 1_u64..1_000_000, digits in 1_u32..6) {
        let bound = 1.0 / 10f64.powi(digits as i32);
        let load = root as f64 * 10f64.powi(digits as i32);
        prop_assert_eq!(first_crossing(1.0, 0.0, load, 0.0, bound).steps, Some(root * root));
    }
}

#[test]
fn half_a_step_is_not_a_tie_at_any_size() {
    let at = |load: f64, bound: f64| first_crossing(1.0, 0.0, load, 0.0, bound).steps;
    assert_eq!(at(9_999_999.999_997_5, 0.1), Some(999_999_999_999));
    assert_eq!(at(999_999.999_999_75, 0.1), Some(9_999_999_999));
    assert_eq!(at(1e7, 0.1), Some(1_000_000_000_000));
    assert_eq!(at(100.0, 0.3), Some(900));
    // More than there are numbers for.
    assert_eq!(at(1e20, 1.0), Some(u64::MAX));
}

fn steps(pairs: &[(f64, f64)]) -> Class {
    Class { count: 1, law: Law::Steps(Steps::new(pairs.to_vec()).unwrap()) }
}

/// One mean written in three ways has no spread, and the cheapest interval is decided.
#[test]
fn equal_means_of_different_laws_are_known_to_be_equal() {
    let laws = [
        &[(0.0, 0.9), (1.0, 0.1)][..],
        &[(0.0, 0.8), (0.5, 0.2)],
        &[(-0.1, 0.3), (0.1, 0.4), (0.3, 0.3)],
    ];
    let system = Processors::new(100.0, laws.map(steps).to_vec()).unwrap();
    assert_eq!((system.mean(), system.drift()), (0.1, 0.0));
    let found = cost_aware(&system, 1.0, &()).unwrap();
    assert_eq!(found.status, Status::Converged);
}

/// `(remap_cost + sum of E max - mean) / n`, by the law of the largest of all places.
pub fn costs(system: &Processors, remap_cost: f64, last: u64) -> Vec<f64> {
    let mut imbalance = ExpectedImbalance::new(system).unwrap();
    let mut sum = remap_cost;
    let costs = (1..=last).map(|n| {
        sum += imbalance.extremes(n as f64).above;
        sum / n as f64
    });
    costs.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Means that are nearly equal, and mean loads that fall: the cheapest of all intervals that
    /// end before there is no mean load.
    #[test]
    fn the_cheapest_interval_is_that_of_looking_at_all(
        one in 0.2..0.8f64, apart in prop::sample::select(vec![0.0, 1e-9, 1e-3, 0.1]), remap_cost in 0.5..8.0f64,
        fall in prop::sample::select(vec![0.0, 1.0, 3.0]),
    ) {
        let walk = |up: f64| steps(&[(-fall, 1.0 - up), (1.0 - fall, up)]);
        let laws = vec![walk(one), walk(one + apart), walk(one)];
        let system = Processors::new(50.0, laws).unwrap();
        let last = system.moments().last_positive();
        let costs = costs(&system, remap_cost, last.unwrap_or(400).min(400));
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let found = cost_aware(&system, remap_cost, &()).unwrap();
        prop_assert_eq!(found.status, Status::Converged);
        prop_assert!((found.cost_per_step - least).abs() < 1e-12 * least, "{:?} {}", found, least);
        prop_assert!(last.is_none_or(|last| found.steps.unwrap() <= last));
        prop_assert!(found.looked_through <= 400);
    }
}
