//! The certified bounds of the fast solver against the exact rational twin.

use super::problems::{binary, cases, encloses, idle, problem, ratio};
use crate::shared::holds;
use proptest::prelude::*;
use remapping::lifetime::Lifetime;
use remapping::phase_change::{Accuracy, PhaseChange, Premature};
use remapping::{Rational, Status};

const MOST_LINES: usize = 600;

/// Without a limit on segments the tolerance is reached.
fn converges(problem: &PhaseChange, tolerance: f64) -> Result<(), TestCaseError> {
    let status = encloses(problem, Accuracy { tolerance, segments: None }, MOST_LINES, holds)?;
    prop_assert!(status.is_none_or(|status| status == Status::Converged), "{status:?}");
    Ok(())
}

fn coarse() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1e-1), Just(1e-2), Just(1e-3), Just(1e-5)]
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn certified_bounds_contain_the_exact_thresholds(problem in problem(8)) {
        converges(&problem, 1e-9)?;
    }

    #[test]
    fn coarse_bounds_contain_the_exact_thresholds(problem in problem(8), tolerance in coarse()) {
        converges(&problem, tolerance)?;
    }

    #[test]
    fn any_segment_budget_keeps_the_bounds_honest(
        problem in problem(8), segments in 1usize..20, tolerance in coarse(),
    ) {
        encloses(&problem, Accuracy { tolerance, segments: Some(segments) }, MOST_LINES, holds)?;
    }
}

/// Cases that once missed the tolerance: spans held where the threshold is always the same, and
/// reductions so coarse that one much finer merges as before.
#[test]
fn thresholds_that_never_move_do_not_hide_a_moving_value() {
    let problem = |last, (hazard, after, test, false_alarm, missed, regret): Case| PhaseChange {
        after: ratio(after, 10),
        remapped: Rational::ONE,
        test: ratio(test, 10),
        detector: binary(ratio(false_alarm, 10), ratio(missed, 10)),
        premature: Premature::Keep { before_remapped: ratio(regret, 10) },
        ..idle(Lifetime::fixed(last), ratio(hazard, 100))
    };
    converges(&problem(6, (7, 23, 0, 5, 4, 5)), 1e-9).unwrap();
    converges(&problem(7, (50, 19, 2, 10, 0, 19)), 1e-2).unwrap();
}

/// Hazard in hundredths; cycle after the change, delay, errors and e_P in tenths.
type Case = (i64, i64, i64, i64, i64, i64);
