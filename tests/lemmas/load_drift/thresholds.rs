//! Thresholds on max - mean: where they lie, and what rules of them cost.

use super::problems::{Plain, charged_problems, close, finish, prepared, problems, run};
use proptest::prelude::*;
use remapping::load_drift::{Backward, Carry, Control, Curve, Unremapped};
use remapping::overlap::Overlap;

/// r (max - mean), a whole number.
fn excess(levels: &[usize]) -> usize {
    levels.len() * levels.iter().max().unwrap() - levels.iter().sum::<usize>()
}

/// Whether r times this lies halfway between two whole numbers.
fn is_halfway(threshold: f64, processors: usize) -> bool {
    let before = threshold * processors as f64 - 0.5;
    close(before, before.round())
}

/// What is given so many steps later each time, by step.
fn from_step_to_step<T>(list: Vec<(u64, T)>) -> Vec<(u64, T)> {
    let mut from = 0;
    let mut at = |(later, value)| {
        from += later;
        (from, value)
    };
    list.into_iter().map(&mut at).collect()
}

proptest! {
    /// Thresholds lie between the values that max - mean may have: loads in doubles, however they
    /// are added up, decide as whole ones.
    #[test]
    fn closest_thresholds_lie_between_values(problem in charged_problems(), lowest in 0.0f64..1e6) {
        let (states, transition) = prepared(&problem);
        let all = (&states, &transition);
        let mut backward = Backward::new(&problem, all.0, all.1, Control::Optimal, Carry::Value);
        while backward.remaining() > 0 {
            backward.advance();
            let closest = backward.closest_threshold();
            prop_assert!(is_halfway(closest.threshold, problem.processors), "{closest:?}");
            let (mut wrong, mut count) = (0.0, 0.0);
            for state in 0..states.count() {
                let levels = states.multisets().unrank(state);
                let loads: Vec<f64> = levels.iter().map(|level| lowest + *level as f64).collect();
                let mean = loads.iter().sum::<f64>() / loads.len() as f64;
                let largest = loads.iter().copied().fold(0.0, f64::max);
                let remaps = largest - mean > closest.threshold;
                let orderings = states.multisets().orderings(&levels);
                count += orderings;
                wrong += if remaps == backward.decisions().remaps(state) { 0.0 } else { orderings };
            }
            prop_assert!(close(wrong / count, closest.disagreement), "{closest:?} {wrong} {count}");
        }
    }

    /// No rule with one threshold costs less than the best near the start; none of those at the
    /// ends does.
    #[test]
    fn the_best_threshold_is_the_best_of_those_searched(problem in problems(), start in 0.0f64..4.0) {
        let (states, transition) = prepared(&problem);
        let best = problem.best_threshold(Overlap::NONE, (&states, &transition), start, &()).unwrap();
        let cost = |excess: u32| run(&problem, Control::Threshold(states.threshold_at(excess))).value;
        let [from, to] = best.searched.map(|threshold| states.within(threshold));
        let (at, last) = (states.within(best.threshold), states.largest_excess());
        let all = [best.threshold, best.searched[0], best.searched[1]];
        prop_assert!(all.iter().all(|threshold| is_halfway(*threshold, problem.processors)), "{best:?}");
        prop_assert!((from..=to).contains(&at) || at == 0 || at == last);
        prop_assert!(close(cost(at), best.value));
        let tried = (from..=to).chain([0, last]);
        prop_assert!(tried.clone().all(|excess| cost(excess) >= best.value * (1.0 - 1e-11)));
        let near = tried.filter(|excess| (from..=to).contains(excess)).map(cost);
        let near = near.fold(f64::INFINITY, f64::min);
        prop_assert!(from == 0 || cost(from) > 1.0099 * near);
        prop_assert!(to == last || cost(to) > 1.0099 * near);
        prop_assert!(best.value <= Unremapped::of(&problem, &()).unwrap().never.value * (1.0 + 1e-11));
    }

    /// What thresholds by the step cost is what they cost over all load vectors.
    #[test]
    fn thresholds_by_the_step_equal_brute_force(
        problem in charged_problems(),
        tried in prop::collection::vec((1u64..8, 0u32..12), 1..5),
    ) {
        let (states, transition) = prepared(&problem);
        let list = from_step_to_step(tried);
        let thresholds: Vec<(u64, f64)> =
            list.iter().map(|(from, excess)| (*from, states.threshold_at(*excess))).collect();
        let all = (&states, &transition);
        let found = problem.value_of_thresholds(Overlap::NONE, all, &thresholds, &()).unwrap();
        let expected = Plain::new(&problem, Overlap::NONE).play(&|k, levels, _, _| {
            let at = list.iter().rev().find(|(from, _)| *from <= k).unwrap_or(&list[0]);
            excess(levels) > at.1 as usize
        });
        prop_assert!(close(found, expected[0]), "{found} {expected:?}");
    }

    /// Where remaps come into force later, one threshold at all steps costs the same listed by
    /// step.
    #[test]
    fn thresholds_by_the_step_may_come_into_force_later(
        problem in charged_problems(),
        (steps, slowdown) in (0u64..5, 0.0f64..1.0),
        excess in 0u32..12,
    ) {
        let (states, transition) = prepared(&problem);
        let (all, overlap) = ((&states, &transition), Overlap { steps, slowdown });
        let at = states.threshold_at(excess);
        let listed = problem.value_of_thresholds(overlap, all, &[(1, at), (3, at)], &()).unwrap();
        let control = Control::Threshold(at);
        let backward = finish(Backward::overlapping(&problem, overlap, all, control, Carry::Value));
        prop_assert!(close(listed, backward.value()), "{listed} {}", backward.value());
    }

    /// A curve on whole loads is moved between the values they have, and decides as before.
    #[test]
    fn curves_between_whole_loads_decide_as_before(
        processors in 2u64..70,
        since in prop::collection::vec((1u64..5, 0u32..400, any::<bool>()), 1..4),
    ) {
        let r = processors as f64;
        let at = |(later, halves, never)| {
            (later, if never { Curve::NEVER } else { f64::from(halves) / 2.0 / r })
        };
        let since = from_step_to_step(since.into_iter().map(at).collect());
        let curve = Curve { since: since.clone(), step: vec![(1, 0.0)] };
        let moved = curve.clone().between_whole_loads(processors);
        prop_assert_eq!(&moved.step, &curve.step);
        for (before, after) in since.iter().zip(&moved.since) {
            prop_assert_eq!(before.0, after.0);
            prop_assert!(after.1 == Curve::NEVER || is_halfway(after.1, processors as usize));
            for excess in 0..300 {
                let whole = f64::from(excess);
                // The threshold times r is a whole number of halves.
                let due = before.1 != Curve::NEVER && 2.0 * whole > (2.0 * before.1 * r).round();
                prop_assert_eq!(whole / r > after.1, due, "{} {:?}", excess, before);
            }
        }
    }
}
