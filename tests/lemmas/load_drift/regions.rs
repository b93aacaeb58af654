//! The lumped recursion with certain remaps left out, over regions of the states, and resumed: the
//! same values as over all states.

use super::problems::{close, figure, finish, prepared, problems, rules, wide_problems};
use crate::shared::{edges, meet};
use crate::thorough::few_or_all;
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::chain::{BirthDeath, Wanted};
use remapping::load_drift::{
    Backward, Carry, Control, LoadDrift, Objective, ProcessChain, States, Timing, Transition,
};

/// Whether states that are left out change nothing; the fewest that are left at a step. Decisions
/// are compared where no two branches cost nearly the same.
fn leaving_out_changes_nothing(problem: &LoadDrift, carry: Carry, decisions_too: bool) -> usize {
    let (states, transition) = prepared(problem);
    let mut backward = Backward::new(problem, &states, &transition, Control::Optimal, carry);
    let mut fewest = backward.active_states();
    assert_eq!(fewest, states.count());
    let mut plain = vec![0.0; states.count()];
    let rows = Plainly { problem, states: &states, transition: &transition };
    if problem.timing == Timing::BeforeStep {
        rows.pay(&mut plain);
    }
    while backward.remaining() > 0 {
        let last = backward.remaining() == problem.steps;
        backward.advance();
        fewest = fewest.min(backward.active_states());
        let decided = rows.step(&mut plain, last);
        let same = |s: usize| decided[s] == backward.decisions().remaps(s);
        let decided_alike = last || !decisions_too || (0..states.count()).all(same);
        assert!(decided_alike, "{problem:?} with {} to go", backward.remaining());
        let costs = backward.cost_to_go();
        assert_eq!(costs.len(), states.count());
        assert_eq!(costs.iter().flatten().count(), backward.active_states());
        let agrees = |(found, plain): (&Option<f64>, &f64)| found.is_none_or(|v| close(v, *plain));
        assert!(costs.iter().zip(&plain).all(agrees), "{problem:?}");
    }
    let start = states.multisets().rank(&vec![problem.initial; problem.processors]);
    assert!(close(backward.value(), plain[start]));
    fewest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn leaving_out_certain_remaps_changes_no_cost(problem in wide_problems()) {
        leaving_out_changes_nothing(&problem, Carry::Value, false);
    }

    #[test]
    fn resuming_changes_no_bit(problem in problems(), at in 0.0f64..1.0) {
        let (states, transition) = prepared(&problem);
        let start = || Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Outcome);
        let (whole, mut first) = (finish(start()), start());
        let stop = (at * problem.steps as f64) as u64;
        while first.remaining() > stop {
            first.advance();
        }
        let mut second = start();
        second.resume(first.snapshot()).unwrap();
        prop_assert_eq!(second.remaining(), stop.min(first.remaining()));
        prop_assert_eq!(second.snapshot(), first.snapshot());
        let second = finish(second);
        prop_assert_eq!(whole.outcome(), second.outcome());
        prop_assert_eq!(whole.cost_to_go(), second.cost_to_go());
    }
}

/// Whole horizons with the states left out in which a remap is certain, against all of them.
#[test]
fn leaving_out_certain_remaps_changes_nothing() {
    for (timing, processors) in
        [(Timing::AfterStep, 3), (Timing::BeforeStep, 3), (Timing::AfterStep, 5)]
    {
        let problem = LoadDrift { timing, ..figure(processors, 60, 2.0) };
        let fewest = leaving_out_changes_nothing(&problem, Carry::Outcome, true);
        let all = prepared(&problem).0.count();
        assert!((2..all / 2).contains(&fewest), "{timing:?}: {fewest}");
    }
}

/// Problems whose steps from the end go over a region soon.
fn problems_with_regions() -> impl Strategy<Value = LoadDrift> {
    // Alike at all levels, or not.
    let moves = (0.05f64..0.5, 0.05f64..0.5, edges(), prop_oneof![Just(0.0), 0.0f64..0.9]);
    let sizes = prop::sample::select(vec![(4usize, 14usize), (5, 12), (6, 9), (3, 30)]);
    (moves, sizes, rules(), 0.3f64..4.0, 20u64..120, 0.0f64..1.0).prop_map(
        |((up, down, edge, slower), (processors, levels), rules, remap_cost, steps, at)| {
            let walk = BirthDeath::walk(levels, up, down, edge).unwrap();
            let at_levels = |p: fn(&BirthDeath, usize) -> f64| {
                let share = |level: usize| 1.0 - slower * level as f64 / levels as f64;
                (0..levels).map(|level| p(&walk, level) * share(level)).collect()
            };
            let moves = (at_levels(BirthDeath::up), at_levels(BirthDeath::down));
            let chain =
                if slower > 0.0 { BirthDeath::new(moves.0, moves.1).unwrap() } else { walk };
            let (rebalance, timing, objective) = rules;
            LoadDrift {
                chain: ProcessChain::BirthDeath(chain),
                initial: (at * (levels - 1) as f64) as usize,
                rebalance,
                timing,
                objective,
                ..figure(processors, steps, remap_cost)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(8, 48)))]

    #[test]
    fn regions_change_nothing(problem in problems_with_regions(), stop in 0.0f64..1.0) {
        let (states, transition) = prepared(&problem);
        let new = |least| {
            Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Outcome)
                .regions_from(least)
        };
        let (mut with, mut without) = (new(0), new(usize::MAX));
        while with.remaining() > 0 {
            let ahead = without.snapshot().vectors.swap_remove(0);
            with.advance();
            without.advance();
            let decided: Vec<(f64, f64)> = (0..states.count())
                .map(|state| {
                    let to = problem.balanced(states.totals()[state] as usize);
                    let to = to.iter().map(|(p, sorted)| p * ahead[states.multisets().rank(sorted)]);
                    (ahead[state], problem.remap_cost + to.sum::<f64>())
                })
                .collect();
            // Where two branches cost the same up to rounding, either may be taken.
            for (state, (value, remapped)) in decided.into_iter().enumerate() {
                if with.decisions().remaps(state) != without.decisions().remaps(state) {
                    prop_assert!(abs_diff_eq!(value, remapped, epsilon = 1e-9 * remapped), "{value} {remapped}");
                }
            }
            let bounds = with.value_bounds();
            prop_assert!(meet(bounds, without.value_bounds()));
            prop_assert!(bounds.width() <= 1e-9 * bounds.upper.max(1.0), "{bounds:?}");
            let costs = with.cost_to_go();
            for (found, plain) in costs.iter().zip(without.cost_to_go()) {
                if let (Some(found), Some(plain)) = (found, plain) {
                    prop_assert!(close(*found, plain), "{found} {plain}");
                }
            }
        }
        let (a, b) = (with.outcome().unwrap(), without.outcome().unwrap());
        prop_assert!(close(a.value, b.value) && close(a.work, b.work), "{a:?} {b:?}");
        prop_assert!(abs_diff_eq!(a.remaps, b.remaps, epsilon = 1e-6 * b.remaps.max(1.0)), "{a:?} {b:?}");
        // And one that is stopped and goes on.
        let mut first = new(0);
        while first.remaining() > (stop * problem.steps as f64) as u64 {
            first.advance();
        }
        let mut second = new(0);
        second.resume(first.snapshot()).unwrap();
        prop_assert_eq!(finish(second).outcome(), with.outcome());
    }
}

/// Most steps of a long program go over few states.
#[test]
fn regions_are_found() {
    let problem = LoadDrift { steps: 200, ..figure(6, 200, 2.0) };
    let (states, transition) = prepared(&problem);
    let mut backward =
        Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Outcome);
    let mut on_region = 0;
    while backward.remaining() > 0 {
        on_region += u64::from(backward.region().is_some_and(|few| 20 * few < states.count()));
        backward.advance();
    }
    assert!(on_region > 150, "{on_region}");
}

/// The lumped recursion without any shortcut.
struct Plainly<'a> {
    problem: &'a LoadDrift,
    states: &'a States,
    transition: &'a Transition,
}

impl Plainly<'_> {
    fn pay(&self, v: &mut [f64]) {
        let r = self.problem.processors as f64;
        for (state, v) in v.iter_mut().enumerate() {
            *v += match self.problem.objective {
                Objective::Imbalance => f64::from(self.states.excess(state)) / r,
                Objective::Makespan => {
                    self.problem.lowest + f64::from(self.states.largest()[state])
                }
            };
        }
    }

    fn step(&self, v: &mut Vec<f64>, last: bool) -> Vec<bool> {
        let timing = self.problem.timing;
        let ahead = v.clone();
        let mut decisions = vec![false; v.len()];
        if timing == Timing::BeforeStep || !last {
            for (state, v) in v.iter_mut().enumerate() {
                let to = self.problem.balanced(self.states.totals()[state] as usize);
                let to =
                    to.iter().map(|(p, levels)| p * ahead[self.states.multisets().rank(levels)]);
                let remapped = self.problem.remap_cost + to.sum::<f64>();
                decisions[state] = *v - remapped > 1e-12 * v.abs().max(remapped.abs());
                *v = v.min(remapped);
            }
        }
        let all = vec![self.states.largest_excess(); self.states.distinct_totals()];
        let wanted = Wanted::new(self.problem.processors, &all);
        let mut out = vec![0.0; v.len()];
        if timing == Timing::AfterStep {
            self.pay(v);
        }
        self.transition.apply_where(&wanted, v, &mut out);
        if timing == Timing::BeforeStep {
            self.pay(&mut out);
        }
        *v = out;
        decisions
    }
}
