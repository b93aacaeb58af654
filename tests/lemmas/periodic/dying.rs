//! Loads that die out: how long a bound is kept is right to the step, or open.

use proptest::prelude::*;
use remapping::periodic::{Bound, ChainLoads, LoadChain};
use remapping::{Rational, Status};

/// Loads of one unit each, of which a half is left after every step, or as the chance is.
fn dying(count: usize, down: f64) -> ChainLoads {
    let chain = LoadChain { up: vec![0.0, 0.0], down: vec![0.0, down] };
    ChainLoads { count, chain, lowest: 0.0, start: 1 }
}

/// `d`, or the square of `v`, where each of so many loads is there with this chance: by how many
/// are there.
fn relative(count: usize, there: &Rational, of_squares: bool) -> Rational {
    let (n, gone) = (Rational::from(count), Rational::ONE - there);
    if of_squares {
        return (n - Rational::ONE) * gone / there;
    }
    let mut ways = Rational::ONE;
    let mut sum = Rational::ZERO;
    for k in 1..count {
        ways = ways * Rational::from(count - k + 1) / Rational::from(k);
        let largest = Rational::from(k.max(count - k)) / &n;
        let chance = there.pow(k as isize - 1) * gone.pow((count - k) as isize);
        sum += &ways * chance * largest;
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn dying_loads_keep_a_bound_as_long_as_said(
        count in 2usize..9, down in prop::sample::select(vec![0.5, 0.25, 0.75, 0.9375]), nines in 1u32..13, squares: bool,
    ) {
        let loads = dying(count, down);
        let near = Rational::from(count - 1) - Rational::ONE / Rational::from(10u64.pow(nines));
        let limit = if squares { 10f64.powi(nines as i32) } else { near.to_f64().value() };
        let bound = if squares { Bound::RmsDeviation(limit) } else { Bound::MaxDeviation(limit) };
        let exact = Rational::try_from(if squares { limit * limit } else { limit }).unwrap();
        let left = Rational::ONE - Rational::try_from(down).unwrap();
        let mut there = Rational::ONE;
        let mut steps = 0;
        loop {
            there *= &left;
            if relative(count, &there, squares) > exact {
                break;
            }
            steps += 1;
        }
        let found = loads.longest(bound, &());
        if found.status == Status::Converged {
            prop_assert_eq!(found.interval.steps, Some(steps));
        } else {
            prop_assert!(found.interval.steps <= Some(steps), "{:?} {}", found, steps);
        }
        // From ten nines on, rounding errors can exceed what is left to the bound.
        prop_assert!(found.status == Status::Converged || nines > 9, "{:?} {}", found, steps);
    }
}

/// The largest deviation is never more than the sum of the others' loads.
#[test]
fn no_deviation_is_beyond_all_other_loads() {
    for count in [2, 5] {
        let found = dying(count, 0.5).longest(Bound::MaxDeviation(count as f64 - 1.0), &());
        assert_eq!((found.status, found.interval.steps), (Status::Converged, None));
    }
}

/// A load that is gone for certain ends every interval, and what is below all doubles ends none.
#[test]
fn loads_that_are_gone_end_every_interval() {
    let found = dying(3, 1.0).longest(Bound::MaxDeviation(2.0), &());
    assert_eq!((found.status, found.interval.steps), (Status::Converged, Some(0)));
    let found = dying(3, 1.0 - 1e-6).longest(Bound::RmsDeviation(1e200), &());
    assert_eq!((found.status, found.interval.steps), (Status::IterationLimit, Some(46)));
}
