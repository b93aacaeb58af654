//! Long horizons: the proof that lets the recursion stop must never be taken wrongly.

use super::problems::{binary, cases, ratio};
use super::reference;
use crate::shared::meet;
use proptest::prelude::*;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{self, Accuracy, Bounds, Hazard, PhaseChange, Premature};
use remapping::{Rational, Status};

const TOLERANCE: f64 = 1e-9;

/// What doubles may lose in the reference.
const ROUNDING: f64 = 1e-11;

fn model(
    lifetime: Lifetime,
    hazard: Hazard,
    (false_alarm, missed): (Rational, Rational),
    (gains, share): (Rational, Rational),
    regret: Option<Rational>,
) -> PhaseChange {
    let before = Rational::ONE;
    PhaseChange {
        lifetime,
        hazard,
        after: Rational::from(2),
        remapped: Rational::ONE,
        test: &gains * &share,
        install: gains * (Rational::ONE - share),
        detector: binary(false_alarm, missed),
        premature: match regret {
            None => Premature::Revert,
            Some(regret) => Premature::Keep { before_remapped: &before + regret },
        },
        before,
    }
}

fn hazard() -> impl Strategy<Value = Rational> {
    prop_oneof![
        1 => Just(Rational::ZERO),
        1 => Just(Rational::ONE),
        2 => (1i64..1000).prop_map(|k| ratio(k, 1_000_000_000)),
        6 => (1i64..300).prop_map(|k| ratio(k, 1000)),
    ]
}

fn detector() -> impl Strategy<Value = (Rational, Rational)> {
    // Good enough that few atoms survive, now and then perfect or perfectly wrong.
    prop_oneof![
        8 => (0i64..15, 0i64..15).prop_map(|(a, b)| (ratio(a, 100), ratio(b, 100))),
        1 => (88i64..=100, 88i64..=100).prop_map(|(a, b)| (ratio(a, 100), ratio(b, 100))),
        1 => (1i64..10).prop_map(|a| (ratio(a, 10), ratio(10 - a, 10))),
    ]
}

fn delay() -> impl Strategy<Value = (Rational, Rational)> {
    let share = prop_oneof![3 => Just(ratio(1, 1)), 1 => Just(ratio(1, 2)), 1 => Just(ratio(0, 1))];
    ((0i64..150).prop_map(|k| ratio(k, 10)), share)
}

fn regret() -> impl Strategy<Value = Option<Rational>> {
    prop_oneof![2 => Just(None), 1 => (0i64..30).prop_map(|k| Some(ratio(k, 10)))]
}

fn bounds(problem: &PhaseChange) -> Result<phase_change::Solution, TestCaseError> {
    let accuracy = Accuracy { tolerance: TOLERANCE, segments: None };
    let solution = phase_change::solve(problem, accuracy, &()).unwrap();
    prop_assert_eq!(solution.status, Status::Converged, "width {}", solution.curve.width());
    prop_assert!(solution.curve.width() <= TOLERANCE);
    prop_assert_eq!(solution.curve.first_step(), Some(0));
    Ok(solution)
}

fn contains(bounds: Bounds, value: f64) -> bool {
    bounds.lower - ROUNDING <= value && value <= bounds.upper + ROUNDING
}

fn agrees_with_reference(problem: &PhaseChange) -> Result<(), TestCaseError> {
    let Some((curve, value)) = reference::thresholds(problem, 3000) else { return Ok(()) };
    let solution = bounds(problem)?;
    for (n, threshold) in curve.iter().enumerate() {
        let bounds = solution.curve.at(n as u64).unwrap();
        prop_assert!(contains(bounds, *threshold), "step {n}: {bounds:?}, {threshold}");
    }
    let Bounds { lower, upper } = solution.value.unwrap();
    let slack = ROUNDING * value.abs().max(1.0);
    prop_assert!(lower - slack <= value && value <= upper + slack, "V: {lower} {upper} {value}");
    Ok(())
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn fixed_horizons_agree_with_every_single_step(
        last in 0u64..1500, hazard in hazard(), detector in detector(), delay in delay(),
        regret in regret(),
    ) {
        let hazard = Hazard::Constant(hazard);
        agrees_with_reference(&model(Lifetime::fixed(last), hazard, detector, delay, regret))?;
    }

    #[test]
    fn geometric_horizons_agree_with_every_single_step(
        range in (0u64..300, 0u64..900), rate in hazard(), hazard in hazard(), detector in detector(),
        delay in delay(), regret in regret(),
    ) {
        let lifetime = Lifetime::geometric(rate, range.0, range.0 + range.1).unwrap();
        let hazard = Hazard::Constant(hazard);
        agrees_with_reference(&model(lifetime, hazard, detector, delay, regret))?;
    }

    /// Long runs of equal hazards invite the shortcut; it must end with the run.
    #[test]
    fn runs_of_equal_hazards_agree_with_every_single_step(
        runs in prop::collection::vec((hazard(), 1usize..400), 1..6), detector in detector(),
        delay in delay(), regret in regret(),
    ) {
        let hazards: Vec<_> =
            runs.iter().flat_map(|(h, steps)| std::iter::repeat_n(h.clone(), *steps)).collect();
        let lifetime = Lifetime::fixed(hazards.len() as u64);
        agrees_with_reference(&model(lifetime, Hazard::PerStep(hazards), detector, delay, regret))?;
    }

    /// A law of N with long gaps: certain continuation for hundreds of steps, then a chance to end.
    #[test]
    fn laws_with_gaps_agree_with_every_single_step(
        gaps in prop::collection::vec((1u64..400, 1i64..50), 1..6), hazard in hazard(),
        detector in detector(), delay in delay(), regret in regret(),
    ) {
        let total = gaps.iter().map(|(_, weight)| *weight).sum::<i64>() as u64;
        let mut value = 0;
        let mut weights = Vec::new();
        for (gap, weight) in gaps {
            value += gap;
            weights.push((value, ratio(weight, total)));
        }
        let (lifetime, hazard) = (Lifetime::pmf(weights).unwrap(), Hazard::Constant(hazard));
        agrees_with_reference(&model(lifetime, hazard, detector, delay, regret))?;
    }

    /// For constant N and hazard, pi depends on the distance from the end alone. (With a lasting
    /// remapping or a useless detector the recursion settles after some 20 / hazard steps only.)
    #[test]
    fn thresholds_depend_on_the_distance_from_the_end(
        short in 50u64..3000, extra in prop_oneof![1u64..5000, 1_000_000u64..1_000_000_000_000],
        hazard in (1i64..=1000).prop_map(|k| ratio(k, 1000)),
        detector in detector().prop_filter("useless", |(a, b)| a + b != Rational::ONE),
        delay in delay(), regret in regret(),
    ) {
        let hazard = Hazard::Constant(hazard);
        let model = |last| {
            let (detector, delay) = (detector.clone(), delay.clone());
            model(Lifetime::fixed(last), hazard.clone(), detector, delay, regret.clone())
        };
        let (near, far) = (bounds(&model(short))?, bounds(&model(short + extra))?);
        for n in 0..=short {
            let (a, b) = (near.curve.at(n).unwrap(), far.curve.at(n + extra).unwrap());
            prop_assert!(meet(a, b), "{} from the end: {a:?} {b:?}", short - n);
        }
        let onset = |solution: &phase_change::Solution, last: u64| {
            (solution.onset > 0).then(|| last + 1 - solution.onset)
        };
        // Where remapping pays within the shorter horizon, n0 is as far from the end in both.
        if near.onset > 0 {
            prop_assert_eq!(onset(&near, short), onset(&far, short + extra));
        }
    }
}

/// From one step to the next nothing may be lost over 10^12 of them.
#[test]
fn endless_horizons_keep_their_bounds() {
    for (error, hazard) in [(5, 1_000), (10, 400), (5, 1_000_000), (0, 1_000)] {
        let at = |last| {
            let (error, hazard) = (ratio(error, 100), Hazard::Constant(ratio(1, hazard)));
            let (detector, delay) = ((error.clone(), error), (ratio(10, 1), ratio(1, 1)));
            bounds(&model(Lifetime::fixed(last), hazard, detector, delay, None)).unwrap()
        };
        let (short, long) = (at(20_000), at(1_000_000_000_000));
        let (a, b) = (short.curve.at(0).unwrap(), long.curve.at(0).unwrap());
        assert!(meet(a, b), "{a:?} {b:?}");
        assert!(long.steps <= 1_000_000, "{} steps", long.steps);
    }
}
