//! Recurring phases: bounds against exact arithmetic and brute force, and the change of phase as a
//! special case.

use super::bounds::encloses;
use crate::many_phases::{self, of_two};
use crate::phase_change::problems::{
    binary, cases, detector, law, point, probability, problem as phase_change, ratio,
};
use crate::shared::holds;
use proptest::prelude::*;
use remapping::Rational;
use remapping::belief::Levels;
use remapping::phase_change::{Hazard, Premature, exact as one_change};
use remapping::phase_switching::{PhaseSwitching, SwitchingError, exact as twin, solve};

/// Rates that sum to 1 at most, gains of either sign that differ the right way, costs that may be
/// missing.
pub fn switching() -> impl Strategy<Value = PhaseSwitching> {
    let tenths = |range: std::ops::Range<i64>| range.prop_map(|k| ratio(k, 10));
    let cost = || prop::option::weighted(0.9, tenths(0..40));
    let share = (0i64..=8).prop_map(|k| ratio(k, 8));
    (
        (tenths(0..30), tenths(0..30), tenths(-10..20), tenths(0..30)),
        (cost(), cost()),
        (probability(), share, detector(), point()),
    )
        .prop_map(
            |((first, second, gain, more), (up, down), (a, share, detector, initial))| {
                let b = (Rational::ONE - &a) * share;
                let cycle = [[first.clone(), &first - &gain], [&second + &gain + more, second]];
                PhaseSwitching { cycle, switch: [up, down], rates: [a, b], detector, initial }
            },
        )
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn exact_values_are_those_of_all_branches(problem in switching(), (lifetime, _) in law(4)) {
        let found = twin::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        let many = of_two(&problem);
        prop_assert_eq!(&found.value, &many_phases::value(&many, &lifetime, 0, &many.initial)[0]);
    }

    #[test]
    fn bounds_enclose_the_exact_thresholds_and_value(problem in switching(), (lifetime, _) in law(9)) {
        let truth = twin::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        for tolerance in [1e-2, 1e-10] {
            encloses(&problem, &lifetime, &truth, tolerance);
        }
    }

    /// The two thresholds leave room for hysteresis.
    #[test]
    fn going_back_takes_less_belief_than_going(problem in switching(), (lifetime, _) in law(7)) {
        let found = twin::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        for (up, down) in found.to_second.iter().zip(&found.to_first) {
            prop_assert!(down <= up);
        }
    }

    #[test]
    fn without_a_return_it_is_the_change_of_phase(problem in phase_change(6)) {
        let Hazard::Constant(hazard) = &problem.hazard else { return Ok(()) };
        let Premature::Keep { before_remapped } = &problem.premature else { return Ok(()) };
        let one = one_change::solve(&problem, usize::MAX, &()).unwrap();
        let [before, after, remapped] = [&problem.before, &problem.after, &problem.remapped];
        let switching = PhaseSwitching {
            cycle: [[before.clone(), before_remapped.clone()], [after.clone(), remapped.clone()]],
            switch: [Some(&problem.test + &problem.install), None],
            rates: [hazard.clone(), Rational::ZERO],
            detector: problem.detector.clone(),
            initial: Rational::ZERO,
        };
        if switching.validate() == Err(SwitchingError::Reversed) {
            return Ok(());
        }
        let lifetime = &problem.lifetime;
        let two = twin::solve(&switching, lifetime, usize::MAX, &()).unwrap();
        prop_assert_eq!(&two.value, &one.value());
        let solution = solve(&switching, lifetime, 1e-9, &()).unwrap();
        for (n, step) in one.steps.iter().enumerate() {
            prop_assert_eq!(&two.to_second[n], &step.threshold, "step {}", n);
            prop_assert!(holds(solution.to_second.at(n as u64).unwrap(), &step.threshold));
            prop_assert_eq!(&two.to_first[n], &Rational::ZERO);
        }
        // A way back that costs more than all that is left to gain is none.
        let dear = PhaseSwitching { switch: [switching.switch[0].clone(), Some(ratio(1000, 1))],
            ..switching };
        let dear = twin::solve(&dear, lifetime, usize::MAX, &()).unwrap();
        prop_assert_eq!((dear.value, dear.to_second), (two.value, two.to_second));
    }

    /// The names of the phases do not matter.
    #[test]
    fn phases_and_mappings_may_trade_names(problem in switching(), (lifetime, _) in law(5)) {
        let read = |read: fn(&remapping::belief::Level) -> &Rational| {
            problem.detector.levels().iter().map(|level| read(level).clone()).collect()
        };
        let turned = |list: &[Rational; 2]| [list[1].clone(), list[0].clone()];
        let other = PhaseSwitching {
            cycle: [turned(&problem.cycle[1]), turned(&problem.cycle[0])],
            switch: [problem.switch[1].clone(), problem.switch[0].clone()],
            rates: turned(&problem.rates),
            detector: Levels::new(read(|level| &level.after), read(|level| &level.before)).unwrap(),
            initial: Rational::ONE - &problem.initial,
        };
        let one = twin::solve(&problem, &lifetime, usize::MAX, &()).unwrap();
        let two = twin::solve(&other, &lifetime, usize::MAX, &()).unwrap();
        for n in 0..one.to_first.len() {
            prop_assert_eq!(&one.to_first[n], &(Rational::ONE - &two.to_second[n]));
            prop_assert_eq!(&one.to_second[n], &(Rational::ONE - &two.to_first[n]));
        }
    }
}

/// Phases of some 50 and 25 steps, a detector that errs once in ten.
pub fn recurring() -> PhaseSwitching {
    PhaseSwitching {
        cycle: [[ratio(10, 10), ratio(18, 10)], [ratio(20, 10), ratio(11, 10)]],
        switch: [Some(ratio(4, 1)), Some(ratio(3, 1))],
        rates: [ratio(2, 100), ratio(4, 100)],
        detector: binary(ratio(1, 10), ratio(1, 10)),
        initial: Rational::ZERO,
    }
}
