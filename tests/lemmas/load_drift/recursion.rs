//! Drifting loads [NRS86, sections 2 and 3]: the lumped recursion against the plain one.

use super::problems::{
    Plain, charged_problems, cheaper, close, finish, intervals, prepared, problems, run, same,
};
use proptest::prelude::*;
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, MapPolicy, Objective, Rebalance,
};
use remapping::overlap::Overlap;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn optimum_equals_brute_force_on_the_full_tensor(problem in charged_problems()) {
        let plain = Plain::new(&problem, Overlap::NONE).play(&cheaper);
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
            let start = Backward::new(&problem, &states, &transition, never, Carry::Outcome);
            finish(start.playing(maps)).outcome().unwrap()
        };
        let outcome = evaluate(maps.clone());
        let plain = Plain::new(&problem, Overlap::NONE);
        let rank = |levels: &[usize]| {
            let mut sorted = levels.to_vec();
            sorted.sort_unstable();
            states.multisets().rank(&sorted)
        };
        let remaps = |k: u64, levels: &[usize]| maps.at(k).is_some_and(|map| map.remaps(rank(levels)));
        let expected = plain.play(&|k, levels, _, _| remaps(k, levels));
        prop_assert!(same(&outcome, expected, problem.objective), "{outcome:?} {expected:?}");
        // One's own decisions cost the optimum.
        let own = MapPolicy::solve(&problem, Overlap::NONE, (&states, &transition), &()).unwrap();
        let least = run(&problem, Control::Optimal);
        prop_assert!(close(evaluate(own).value, least.value));
        prop_assert!(least.value <= outcome.value * (1.0 + 1e-12));
    }

    #[test]
    fn threshold_rules_equal_brute_force(problem in charged_problems(), level in 0u32..12) {
        let plain = Plain::new(&problem, Overlap::NONE);
        let r = problem.processors;
        // Between the multiples of 1/r that max - mean takes.
        let threshold = (f64::from(level) + 0.5) / (2.0 * r as f64);
        let minimum = 0.9137 - 0.04 * f64::from(level);
        let above = |levels: &[usize]| plain.loads(levels).0 - plain.loads(levels).1 > threshold;
        // As large as it is itself is not larger, however either is rounded.
        let excess = |levels: &[usize]| r * levels.iter().max().unwrap() - levels.iter().sum::<usize>() > level as usize;
        let busy = |levels: &[usize]| plain.loads(levels).1 < minimum * plain.loads(levels).0;
        let rules = [
            (Control::Threshold(threshold), &above as &dyn Fn(&[usize]) -> bool),
            (Control::Threshold(f64::from(level) / r as f64), &excess),
            (Control::Utilization(minimum), &busy),
        ];
        for (control, rule) in rules {
            let (outcome, expected) = (run(&problem, control), plain.play(&|_, levels, _, _| rule(levels)));
            prop_assert!(same(&outcome, expected, problem.objective), "{outcome:?} {expected:?}");
        }
    }

    /// Convolutions of one-chain laws against the joint chain with the time since the last remap.
    #[test]
    fn fixed_intervals_equal_brute_force(problem in charged_problems(), interval in 1u64..8) {
        let plain = Plain::new(&problem, Overlap::NONE);
        let interval = interval.min(problem.steps);
        let found = intervals(&problem, 25).all()[interval as usize - 1].outcome;
        let expected = plain.play(&|k, _, _, _| k.is_multiple_of(interval));
        prop_assert!(same(&found, expected, problem.objective), "{found:?} {expected:?}");
        let never = Intervals::never(&problem);
        let expected = plain.play(&|_, _, _, _| false);
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
