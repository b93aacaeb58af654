//! Drifting loads [NRS86, sections 2 and 3]: the lumped recursion against the plain one.

use super::problems::{Plain, charged_problems, close, intervals, prepared, problems, run, same};
use proptest::prelude::*;
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, MapPolicy, Objective, Rebalance, Timing,
};
use remapping::overlap::Overlap;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn optimum_equals_brute_force_on_the_full_tensor(problem in charged_problems()) {
        let plain = Plain::new(&problem).solve(&|_, on, remapped| {
            on - remapped > 1e-12 * on.abs().max(remapped.abs())
        });
        let outcome = run(&problem, Control::Optimal);
        prop_assert!(same(&outcome, plain, problem.objective), "{outcome:?} {plain:?}");
    }

    /// Decisions of a wrong model in the true one: what all load vectors say, and never less than
    /// the optimum.
    #[test]
    fn decisions_of_another_model_equal_brute_force(
        problem in charged_problems(),
        (dearer, steps) in (0.1f64..10.0, 1u64..25),
    ) {
        let believed =
            LoadDrift { remap_cost: dearer * problem.remap_cost, steps, ..problem.clone() };
        let (states, transition) = prepared(&problem);
        let maps = MapPolicy::solve(&believed, Overlap::NONE, (&states, &transition), &()).unwrap();
        let never = Control::Threshold(f64::INFINITY);
        let evaluate = |maps: MapPolicy| {
            let mut backward =
                Backward::new(&problem, &states, &transition, never, Carry::Outcome).playing(maps);
            while backward.remaining() > 0 {
                backward.advance();
            }
            backward.outcome().unwrap()
        };
        let outcome = evaluate(maps.clone());
        let plain = Plain::new(&problem);
        let rank = |levels: &[usize]| {
            let mut sorted = levels.to_vec();
            sorted.sort_unstable();
            states.multisets().rank(&sorted)
        };
        let remaps = |k: u64, levels: &[usize]| maps.at(k).is_some_and(|map| map.remaps(rank(levels)));
        let expected = plain.play(&remaps);
        prop_assert!(same(&outcome, expected, problem.objective), "{outcome:?} {expected:?}");
        // One's own decisions cost the optimum.
        let own = MapPolicy::solve(&problem, Overlap::NONE, (&states, &transition), &()).unwrap();
        let least = run(&problem, Control::Optimal);
        prop_assert!(close(evaluate(own).value, least.value));
        prop_assert!(least.value <= outcome.value * (1.0 + 1e-12));
    }

    #[test]
    fn threshold_rules_equal_brute_force(problem in charged_problems(), level in 0u32..12) {
        let plain = Plain::new(&problem);
        // Between the multiples of 1/r that max - mean takes.
        let threshold = (f64::from(level) + 0.5) / (2.0 * problem.processors as f64);
        let outcome = run(&problem, Control::Threshold(threshold));
        let expected = plain.solve(&|levels, _, _| {
            let (max, mean) = plain.loads(levels);
            max - mean > threshold
        });
        prop_assert!(same(&outcome, expected, problem.objective), "{outcome:?} {expected:?}");
        // As large as it is itself is not larger, however either is rounded.
        let r = problem.processors;
        let outcome = run(&problem, Control::Threshold(f64::from(level) / r as f64));
        let expected = plain.solve(&|levels, _, _| {
            let excess = r * levels.iter().max().unwrap() - levels.iter().sum::<usize>();
            excess > level as usize
        });
        prop_assert!(same(&outcome, expected, problem.objective), "{outcome:?} {expected:?}");
        let minimum = 0.9137 - 0.04 * f64::from(level);
        let outcome = run(&problem, Control::Utilization(minimum));
        let expected = plain.solve(&|levels, _, _| {
            let (max, mean) = plain.loads(levels);
            mean < minimum * max
        });
        prop_assert!(same(&outcome, expected, problem.objective), "{outcome:?} {expected:?}");
    }

    /// Convolutions of one-chain laws against the joint chain with the time since the last remap.
    #[test]
    fn fixed_intervals_equal_brute_force(problem in charged_problems(), interval in 1u64..8) {
        let plain = Plain::new(&problem);
        let intervals = intervals(&problem, 25);
        let interval = interval.min(problem.steps);
        let found = intervals.all()[interval as usize - 1].outcome;
        let mut ahead = vec![[0.0; 3]; plain.vectors.len()];
        for step in (1..=problem.steps).rev() {
            // Between steps k and k + 1 with k a multiple of the interval.
            let due = |k: u64| k > 0 && k < problem.steps && k.is_multiple_of(interval);
            match problem.timing {
                Timing::AfterStep => {
                    ahead = plain.decide(&ahead, &|_, _, _| due(step));
                    ahead = plain.transit(&plain.pay(&ahead));
                }
                Timing::BeforeStep => {
                    ahead = plain.pay(&ahead);
                    if step > 1 {
                        ahead = plain.transit(&plain.decide(&ahead, &|_, _, _| due(step - 1)));
                    }
                }
            }
        }
        let expected = plain.at(&ahead, &vec![problem.initial; problem.processors]);
        prop_assert!(same(&found, expected, problem.objective), "{found:?} {expected:?}");
        let never = Intervals::never(&problem);
        let expected = plain.solve(&|_, _, _| false);
        prop_assert!(same(&never, expected, problem.objective), "{never:?} {expected:?}");
    }

    #[test]
    fn no_policy_beats_the_optimum(problem in charged_problems(), level in 0u32..12) {
        let optimal = run(&problem, Control::Optimal).value;
        let slack = 1e-10 * optimal.max(1.0);
        for fixed in intervals(&problem, 25).all() {
            prop_assert!(optimal <= fixed.outcome.value + slack);
        }
        let threshold = f64::from(level) / 4.0;
        prop_assert!(optimal <= run(&problem, Control::Threshold(threshold)).value + slack);
        prop_assert!(optimal <= run(&problem, Control::Utilization(1.0 - threshold / 4.0)).value + slack);
    }

    /// A dearer remap is used in fewer states, at every step.
    #[test]
    fn remap_sets_are_nested_in_the_cost(problem in problems(), more in 0.05f64..2.0) {
        // With a rule that can change the total load the optimum may trade remaps for load.
        let cheap = LoadDrift { rebalance: Rebalance::Split, objective: Objective::Imbalance, ..problem };
        let dear = LoadDrift { remap_cost: cheap.remap_cost + more, ..cheap.clone() };
        let (states, transition) = prepared(&cheap);
        let start = |problem| Backward::new(problem, &states, &transition, Control::Optimal, Carry::Value);
        let (mut a, mut b) = (start(&cheap), start(&dear));
        while a.remaining() > 0 {
            a.advance();
            b.advance();
            for state in 0..states.count() {
                let (a, b) = (a.decisions().remaps(state), b.decisions().remaps(state));
                prop_assert!(a || !b, "state {state}");
            }
        }
    }

}
