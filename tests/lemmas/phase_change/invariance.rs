//! The normal form: thresholds depend on alpha, beta, the hazards, the law of N, D_d / G and D_r /
//! G alone (for a lasting premature remapping also on (e_P - e_F) / G).

use super::problems::{cases, problem, ratio};
use crate::shared::holds;
use proptest::prelude::*;
use remapping::Rational;
use remapping::belief::{Level, Levels};
use remapping::phase_change::exact as twin;
use remapping::phase_change::{self, Accuracy, PhaseChange, Premature};

fn thresholds(problem: &PhaseChange) -> Vec<Rational> {
    let steps = twin::solve(problem, usize::MAX, &()).unwrap().steps;
    steps.into_iter().map(|step| step.threshold).collect()
}

/// Adds to e_F (and e_P), and to e_B and e_R.
fn shifted(problem: &PhaseChange, first: &Rational, second: &Rational) -> PhaseChange {
    let mut other = problem.clone();
    other.before += first;
    if let Premature::Keep { before_remapped } = &mut other.premature {
        *before_remapped += first;
    }
    other.after += second;
    other.remapped += second;
    other
}

fn scaled(problem: &PhaseChange, factor: &Rational) -> PhaseChange {
    let mut other = problem.clone();
    let PhaseChange { before, after, remapped, test, install, .. } = &mut other;
    [before, after, remapped, test, install].into_iter().for_each(|cost| *cost *= factor);
    if let Premature::Keep { before_remapped } = &mut other.premature {
        *before_remapped *= factor;
    }
    other
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn cycle_time_before_the_change_drops_out(problem in problem(6), shift in 0i64..50) {
        let other = shifted(&problem, &ratio(shift, 7), &Rational::ZERO);
        prop_assert_eq!(thresholds(&problem), thresholds(&other));
    }

    #[test]
    fn a_common_shift_of_the_cycle_times_after_the_change_drops_out(
        problem in problem(6), shift in -20i64..50,
    ) {
        let other = shifted(&problem, &Rational::ZERO, &ratio(shift, 7));
        prop_assert_eq!(thresholds(&problem), thresholds(&other));
    }

    #[test]
    fn the_unit_of_time_drops_out(problem in problem(6), unit in 1i64..100) {
        let other = scaled(&problem, &ratio(unit, 13));
        prop_assert_eq!(thresholds(&problem), thresholds(&other));
    }

    /// The same for the fast solver, across fourteen orders of magnitude of the unit.
    #[test]
    fn certified_bounds_do_not_depend_on_the_normal_form(
        problem in problem(6), exponent in -7i32..7, shift in 0i64..50,
    ) {
        let factor = Rational::from(10).pow(exponent as isize);
        let other = scaled(&shifted(&problem, &ratio(shift, 7), &ratio(shift, 3)), &factor);
        let accuracy = Accuracy { tolerance: 1e-6, segments: None };
        let solution = phase_change::solve(&other, accuracy, &()).unwrap();
        for (n, threshold) in thresholds(&problem).iter().enumerate() {
            let bounds = solution.curve.at(n as u64).unwrap();
            prop_assert!(holds(bounds, threshold) && bounds.width() <= 1e-6);
        }
    }

    #[test]
    fn a_detector_that_says_the_opposite_is_the_same_detector(problem in problem(6)) {
        let mut other = problem.clone();
        let read = |read: fn(&Level) -> &Rational| {
            problem.detector.levels().iter().rev().map(|level| read(level).clone()).collect()
        };
        other.detector = Levels::new(read(|level| &level.before), read(|level| &level.after)).unwrap();
        prop_assert_eq!(thresholds(&problem), thresholds(&other));
    }
}
