//! The certified bounds of the fast solver against the exact rational twin.

use super::problems::{binary, cases, exact, problem, ratio};
use proptest::prelude::*;
use remapping::Bounds;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{self, Accuracy, Hazard, PhaseChange, Premature, exact as twin};
use remapping::{Rational, Status};

const MOST_LINES: usize = 600;

fn encloses(problem: &PhaseChange, accuracy: Accuracy) -> Result<(), TestCaseError> {
    let Ok(truth) = twin::solve(problem, MOST_LINES, &()) else { return Ok(()) };
    let solution = phase_change::solve(problem, accuracy, &()).unwrap();
    prop_assert_eq!(solution.onset, truth.onset, "n0");
    let mut widest = 0.0f64;
    for (n, step) in truth.steps.iter().enumerate() {
        let bounds = solution.curve.at(n as u64).unwrap();
        prop_assert!(
            exact(bounds.lower) <= step.threshold,
            "step {n}: {bounds:?}, {}",
            step.threshold
        );
        prop_assert!(
            exact(bounds.upper) >= step.threshold,
            "step {n}: {bounds:?}, {}",
            step.threshold
        );
        prop_assert!((0.0..=1.0).contains(&bounds.lower) && (0.0..=1.0).contains(&bounds.upper));
        widest = widest.max(bounds.width());
    }
    let Bounds { lower, upper } = solution.value.unwrap();
    let value = truth.value();
    prop_assert!(exact(lower) <= value && value <= exact(upper), "V: {lower} {upper} {value}");
    widest = widest.max((upper - lower) / lower.abs().max(1.0));
    if accuracy.segments.is_none() {
        prop_assert_eq!(solution.status, Status::Converged, "width {}", widest);
    }
    if solution.status == Status::Converged {
        prop_assert!(widest <= accuracy.tolerance, "width {widest}");
    } else {
        prop_assert!(widest > accuracy.tolerance, "{:?} at width {widest}", solution.status);
    }
    Ok(())
}

fn coarse() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1e-1), Just(1e-2), Just(1e-3), Just(1e-5)]
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn certified_bounds_contain_the_exact_thresholds(problem in problem(8)) {
        encloses(&problem, Accuracy { tolerance: 1e-9, segments: None })?;
    }

    #[test]
    fn coarse_bounds_contain_the_exact_thresholds(problem in problem(8), tolerance in coarse()) {
        encloses(&problem, Accuracy { tolerance, segments: None })?;
    }

    #[test]
    fn any_segment_budget_keeps_the_bounds_honest(
        problem in problem(8), segments in 1usize..20, tolerance in coarse(),
    ) {
        encloses(&problem, Accuracy { tolerance, segments: Some(segments) })?;
    }
}

/// Cases that once missed the tolerance: spans held where the threshold is always the same, and
/// reductions so coarse that one much finer merges as before.
#[test]
fn thresholds_that_never_move_do_not_hide_a_moving_value() {
    let problem = |last, (hazard, after, test, false_alarm, missed, regret): Case| PhaseChange {
        lifetime: Lifetime::fixed(last),
        hazard: Hazard::Constant(ratio(hazard, 100)),
        before: Rational::ZERO,
        after: ratio(after, 10),
        remapped: Rational::ONE,
        test: ratio(test, 10),
        install: Rational::ZERO,
        detector: binary(ratio(false_alarm, 10), ratio(missed, 10)),
        premature: Premature::Keep { before_remapped: ratio(regret, 10) },
    };
    encloses(&problem(6, (7, 23, 0, 5, 4, 5)), Accuracy { tolerance: 1e-9, segments: None })
        .unwrap();
    encloses(&problem(7, (50, 19, 2, 10, 0, 19)), Accuracy { tolerance: 1e-2, segments: None })
        .unwrap();
}

/// Hazard in hundredths; cycle after the change, delay, errors and e_P in tenths.
type Case = (i64, i64, i64, i64, i64, i64);
