//! The long run of recurring phases: against finite horizons, a grid, a simulation, one mapping and
//! a known phase.

use super::grid::Grid;
use super::policies::simulated;
use super::values::{recurring, switching};
use crate::phase_change::problems::{binary, cases, ratio};
use crate::shared::{Asked, double, meet};
use approx::{abs_diff_eq, assert_abs_diff_eq};
use proptest::prelude::*;
use remapping::Bounds;
use remapping::lifetime::Lifetime;
use remapping::phase_switching::evaluation::Beliefs;
use remapping::phase_switching::{PhaseSwitching, SwitchingError, long_run, solve};
use remapping::{Rational, Status};

#[test]
fn finite_horizons_approach_the_long_run() {
    let problem = recurring();
    let endless = long_run(&problem, 1e-9, &()).unwrap();
    assert_eq!(endless.status, Status::Converged);
    let Bounds { lower: least, upper: most } = endless.average;
    assert!(most - least <= 1e-9 && most > least, "{endless:?}");
    for last in [2_000u64, 200_000] {
        let solution = solve(&problem, &Lifetime::fixed(last), 1e-9, &()).unwrap();
        assert_eq!(solution.status, Status::Converged);
        assert!(solution.steps < 1_000, "{}", solution.steps);
        let Bounds { lower, upper } = solution.value.unwrap();
        assert!(upper - lower <= 1e-9 * upper);
        let cycles = last as f64 + 1.0;
        // What the start costs or saves does not grow with the horizon.
        assert_abs_diff_eq!(upper / cycles, most, epsilon = 20.0 / cycles);
        for (curve, bounds) in
            [(&solution.to_second, endless.to_second), (&solution.to_first, endless.to_first)]
        {
            let start = curve.at(0).unwrap();
            assert!(meet(start, bounds));
        }
    }
}

#[test]
fn the_long_run_is_that_of_a_fine_grid() {
    let problem = recurring();
    let endless = long_run(&problem, 1e-9, &()).unwrap();
    let grid = Grid::new(&problem, 4000);
    let before = (0..399).fold(vec![[0.0; 2]; 4001], |value, _| grid.back(&value, 1.0));
    let average = grid.back(&before, 1.0)[0][0] - before[0][0];
    // Interpolating a concave function errs to one side, by the square of a cell's width.
    assert!(abs_diff_eq!(average, endless.average.lower, epsilon = 1e-5), "{average} {endless:?}");
    assert!(average < endless.average.upper + 1e-9);
}

#[test]
fn simulated_switches_cost_the_average_and_other_thresholds_more() {
    let problem = recurring();
    let endless = long_run(&problem, 1e-9, &()).unwrap();
    let simulate = |up: f64, down: f64| simulated(&problem, Beliefs::Bayes, [up, down]);
    let best = simulate(endless.to_second.middle(), endless.to_first.middle());
    assert!(best.agrees(endless.average.lower, 2.0), "{best:?} {endless:?}");
    for (up, down) in [(0.5, 0.5), (0.99, 0.01), (1.0, 0.0)] {
        assert!(simulate(up, down).value > best.upper, "{up} {down}");
    }
}

#[test]
fn a_detector_that_says_nothing_leaves_the_better_mapping() {
    let problem = PhaseSwitching { detector: binary(ratio(3, 10), ratio(7, 10)), ..recurring() };
    let endless = long_run(&problem, 1e-9, &()).unwrap();
    // The belief is 1/3 for good, where the first mapping takes 4/3 a cycle and the second 47/30.
    assert_eq!(endless.status, Status::Converged);
    assert!(meet(endless.average, [4.0 / 3.0; 2].into()), "{endless:?}");
}

/// A tie that leaves the difference of the mappings open, one nearly so, and mappings that are the
/// same.
#[test]
fn one_mapping_is_kept_where_no_other_pays() {
    let tie = PhaseSwitching {
        cycle: [[ratio(1, 1), ratio(105, 100)], [ratio(205, 100), ratio(2, 1)]],
        switch: [Some(Rational::ONE), Some(Rational::ONE)],
        rates: [ratio(1, 20), ratio(1, 20)],
        ..recurring()
    };
    let endless = long_run(&tie, 1e-9, &()).unwrap();
    assert_eq!(endless.status, Status::Converged);
    assert_eq!([endless.to_second, endless.to_first], [[1.0; 2].into(), [0.0; 2].into()]);
    assert_eq!(exact_within(1.525, endless.average), Ok(()));
    let same = PhaseSwitching {
        cycle: [[ratio(1, 1), ratio(1, 1)], [ratio(2, 1), ratio(2, 1)]],
        ..tie.clone()
    };
    let endless = long_run(&same, 1e-9, &()).unwrap();
    assert_eq!(endless.status, Status::Converged);
    assert_eq!(exact_within(1.5, endless.average), Ok(()));
    let near = PhaseSwitching { rates: [ratio(1, 20), ratio(5001, 100_000)], ..tie };
    let endless = long_run(&near, 1e-9, &()).unwrap();
    assert_eq!(endless.to_second, [1.0; 2].into());
    assert_eq!(exact_within(double(&near.average_under(0).unwrap()), endless.average), Ok(()));
}

fn exact_within(exact: f64, Bounds { lower, upper }: Bounds) -> Result<(), String> {
    let holds = lower <= exact && exact <= upper && upper - lower <= 1e-15;
    holds.then_some(()).ok_or_else(|| format!("{exact} and [{lower}, {upper}]"))
}

proptest! {
    #![proptest_config(cases(48))]

    /// Whatever was found, and however roughly: both mappings are policies, and knowing the phase
    /// is worth something.
    #[test]
    fn averages_lie_between_those_of_one_mapping_and_of_a_known_phase(
        problem in switching(), rates in [1i64..40, 1i64..40],
    ) {
        let problem = PhaseSwitching {
            rates: rates.map(|rate| ratio(rate, 100)),
            switch: problem.switch.map(|cost| cost.or(Some(Rational::ONE))),
            ..problem
        };
        let Ok(endless) = long_run(&problem, 1e-3, &()) else { return Ok(()) };
        let Bounds { lower, upper } = endless.average;
        let [a, b] = problem.rates.each_ref().map(double);
        let at = |z: usize, m: usize| double(&problem.cycle[z][m]);
        let both = problem.switch.iter().flatten().map(double).sum::<f64>();
        let one = [0, 1].map(|m| (b * at(0, m) + a * at(1, m)) / (a + b));
        let known = (b * at(0, 0) + a * at(1, 1) + a * b * both) / (a + b);
        let better = one[0].min(one[1]);
        prop_assert!(lower <= upper && upper <= better + 1e-12, "{lower} {upper} {one:?}");
        prop_assert!(lower >= better.min(known) - 1e-12, "{lower} {upper} {known}");
        // Finite programs of many cycles cost no less for each, but for a few switches and one
        // phase.
        let last = 3000u64;
        let cycles = (last + 1) as f64;
        let whole = solve(&problem, &Lifetime::fixed(last), 1e-6, &()).unwrap().value.unwrap();
        let gains = [0, 1].map(|z| double(&problem.gain(z)).abs());
        let start = (both + (gains[0] + gains[1] + at(0, 0) + at(1, 0)) / (a + b)) / cycles;
        prop_assert!(whole.lower / cycles <= upper + start, "{whole:?} {upper} {start}");
        prop_assert!(whole.upper / cycles >= lower - start, "{whole:?} {lower} {start}");
    }
}

#[test]
fn an_oracle_switches_at_once() {
    let problem =
        PhaseSwitching { detector: binary(Rational::ZERO, Rational::ZERO), ..recurring() };
    let endless = long_run(&problem, 1e-9, &()).unwrap();
    // A third of the cycles in the second phase; both switches once in 75 steps.
    let average = 2.0 / 3.0 + 1.1 / 3.0 + 7.0 / 75.0;
    assert!(meet(endless.average, [average; 2].into()), "{endless:?} {average}");
}

#[test]
fn what_the_theory_does_not_cover_is_refused() {
    let error = |problem: PhaseSwitching| long_run(&problem, 1e-9, &()).unwrap_err();
    let rates = [ratio(6, 10), ratio(5, 10)];
    assert_eq!(error(PhaseSwitching { rates, ..recurring() }), SwitchingError::Alternating);
    let [first, second] = recurring().cycle;
    let reversed = PhaseSwitching { cycle: [second, first], ..recurring() };
    assert_eq!(error(reversed), SwitchingError::Reversed);
    let rates = [Rational::ZERO, Rational::ZERO];
    assert_eq!(error(PhaseSwitching { rates, ..recurring() }), SwitchingError::NoChange);
    let switch = [Some(Rational::ONE), None];
    assert_eq!(error(PhaseSwitching { switch, ..recurring() }), SwitchingError::NoWayBack);
}

/// Both mappings take the same on average, and knowing the phase would not pay for a switch and one
/// back: never, at once, however many fixed points the recursion has. Elsewhere no average is
/// beyond that of never switching.
#[test]
fn ties_that_no_switch_pays_for() {
    for gain in [0, 1, 500, 1000] {
        let number = |digits: i64| ratio(digits, 10_000);
        let problem = |switch: i64| PhaseSwitching {
            cycle: [
                [number(10_000), number(10_000 + gain)],
                [number(20_000 + gain), number(20_000)],
            ],
            switch: [Some(number(switch)), Some(number(switch))],
            rates: [number(500), number(500)],
            ..recurring()
        };
        let never = 1.5 + 0.5e-4 * gain as f64;
        let found = long_run(&problem(10_000), 1e-9, &()).unwrap();
        assert_eq!(found.status, Status::Converged);
        assert_eq!((found.to_second.lower, found.to_first.upper), (1.0, 0.0), "{found:?}");
        let Bounds { lower, upper } = found.average;
        assert!(lower <= never && never <= upper && upper - lower < 1e-12, "{found:?}");
        // A switch could pay if the phase were known.
        let found = long_run(&problem(10), 1e-2, &Asked::at_most(2000)).unwrap();
        let Bounds { lower, upper } = found.average;
        assert!(1.5 - 1e-12 <= lower && lower <= upper && upper <= never + 1e-12, "{found:?}");
    }
}
