//! Drifting loads [NRS86, sections 2 and 3]: the lumped recursion against the plain one.

use crate::thorough::few_or_all;
use approx::abs_diff_eq;
use proptest::prelude::*;
use remapping::Bounds;
use remapping::chain::{BirthDeath, Dense, Edge};
use remapping::load_drift::{
    Backward, Carry, Control, Intervals, LoadDrift, Loads, MapPolicy, Objective, Outcome,
    ProcessChain, Ranks, Rebalance, States, Timing, Transition,
};
use remapping::overlap::Overlap;
use remapping::policy::{Policy, Rule};
use remapping::simulate::{Estimate, compare};

/// The same problem over all L^r ordered load vectors, with nothing clever: per vector the expected
/// value, work and number of remaps still to come.
pub struct Plain<'a> {
    problem: &'a LoadDrift,
    rows: Vec<Vec<f64>>,
    vectors: Vec<Vec<usize>>,
}

pub(super) type Triple = [f64; 3];

impl<'a> Plain<'a> {
    pub fn new(problem: &'a LoadDrift) -> Self {
        let mut vectors = vec![vec![]];
        for _ in 0..problem.processors {
            let longer = |v: Vec<usize>| {
                (0..problem.chain.levels()).map(move |l| [v.clone(), vec![l]].concat())
            };
            vectors = vectors.into_iter().flat_map(longer).collect();
        }
        Plain { problem, rows: problem.chain.rows(), vectors }
    }

    fn loads(&self, levels: &[usize]) -> (f64, f64) {
        let load = |&level: &usize| self.problem.lowest + level as f64;
        let max = levels.iter().map(load).fold(0.0, f64::max);
        (max, levels.iter().map(load).sum::<f64>() / levels.len() as f64)
    }

    fn step(&self, levels: &[usize]) -> Triple {
        let (max, mean) = self.loads(levels);
        let cost = match self.problem.objective {
            Objective::Imbalance => max - mean,
            Objective::Makespan => max,
        };
        [cost, mean, 0.0]
    }

    fn at(&self, ahead: &[Triple], levels: &[usize]) -> Triple {
        ahead[levels.iter().fold(0, |index, level| index * self.rows.len() + level)]
    }

    /// After a remap, by the words of the rule.
    fn remapped(&self, ahead: &[Triple], levels: &[usize]) -> Triple {
        let r = levels.len();
        let total: usize = levels.iter().sum();
        let average = total as f64 / r as f64;
        let all = |level: usize| self.at(ahead, &vec![level; r]);
        let mut to = match self.problem.rebalance {
            Rebalance::Split => {
                let levels: Vec<usize> = (0..r).map(|i| (total + i) / r).collect();
                self.at(ahead, &levels)
            }
            Rebalance::Nearest => all((average + 0.5).floor() as usize),
            Rebalance::Stochastic => {
                let share = average - average.floor();
                let (low, high) = (all(average.floor() as usize), all(average.ceil() as usize));
                [0, 1, 2].map(|k| (1.0 - share) * low[k] + share * high[k])
            }
        };
        to[0] += self.problem.remap_cost;
        if self.problem.per_unit_moved > 0.0 {
            to[0] += self.problem.per_unit_moved * self.units_moved(levels) as f64;
        }
        to[2] += 1.0;
        to
    }

    /// The fewest units that change their processor, over all ways to say who gets the larger shares.
    fn units_moved(&self, levels: &[usize]) -> usize {
        let total: usize = levels.iter().sum();
        let (share, larger) = (total / levels.len(), total % levels.len());
        let ways = (0u32..1 << levels.len()).filter(|way| way.count_ones() as usize == larger);
        let moved = |way: u32| -> usize {
            let to = |i: usize| share + (way >> i & 1) as usize;
            levels.iter().enumerate().map(|(i, level)| level.saturating_sub(to(i))).sum()
        };
        ways.map(moved).min().unwrap()
    }

    fn decide(&self, ahead: &[Triple], remap: &dyn Fn(&[usize], f64, f64) -> bool) -> Vec<Triple> {
        let branch = |levels: &Vec<usize>| {
            let (on, remapped) = (self.at(ahead, levels), self.remapped(ahead, levels));
            if remap(levels, on[0], remapped[0]) { remapped } else { on }
        };
        self.vectors.iter().map(branch).collect()
    }

    fn transit(&self, ahead: &[Triple]) -> Vec<Triple> {
        let expectation = |from: &Vec<usize>| {
            let mut sum = [0.0; 3];
            for (to, ahead) in self.vectors.iter().zip(ahead) {
                let moves = from.iter().zip(to).map(|(&i, &j)| self.rows[i][j]);
                let p: f64 = moves.product();
                (0..3).for_each(|k| sum[k] += p * ahead[k]);
            }
            sum
        };
        self.vectors.iter().map(expectation).collect()
    }

    fn pay(&self, ahead: &[Triple]) -> Vec<Triple> {
        let paid = |(levels, ahead): (&Vec<usize>, &Triple)| {
            let step = self.step(levels);
            [0, 1, 2].map(|k| step[k] + ahead[k])
        };
        self.vectors.iter().zip(ahead).map(paid).collect()
    }

    /// The same when `remap(k, levels)` decides between steps k and k + 1.
    pub fn play(&self, remap: &dyn Fn(u64, &[usize]) -> bool) -> Triple {
        let decide =
            |ahead: &[Triple], k: u64| self.decide(ahead, &|levels, _, _| remap(k, levels));
        let mut ahead = vec![[0.0; 3]; self.vectors.len()];
        for step in (1..=self.problem.steps).rev() {
            match self.problem.timing {
                Timing::AfterStep => {
                    if step < self.problem.steps {
                        ahead = decide(&ahead, step);
                    }
                    ahead = self.transit(&self.pay(&ahead));
                }
                Timing::BeforeStep => {
                    ahead = self.pay(&ahead);
                    if step > 1 {
                        ahead = self.transit(&decide(&ahead, step - 1));
                    }
                }
            }
        }
        self.at(&ahead, &vec![self.problem.initial; self.problem.processors])
    }

    /// (value, work, remaps) from the initial state when `remap(levels, on, remapped)` decides.
    fn solve(&self, remap: &dyn Fn(&[usize], f64, f64) -> bool) -> Triple {
        let mut ahead = vec![[0.0; 3]; self.vectors.len()];
        for step in (1..=self.problem.steps).rev() {
            match self.problem.timing {
                Timing::AfterStep => {
                    if step < self.problem.steps {
                        ahead = self.decide(&ahead, remap);
                    }
                    ahead = self.transit(&self.pay(&ahead));
                }
                Timing::BeforeStep => {
                    ahead = self.pay(&ahead);
                    if step > 1 {
                        ahead = self.transit(&self.decide(&ahead, remap));
                    }
                }
            }
        }
        self.at(&ahead, &vec![self.problem.initial; self.problem.processors])
    }
}

pub fn prepared(problem: &LoadDrift) -> (States, Transition) {
    let states = States::new(problem.processors, problem.chain.levels()).unwrap();
    (states, Transition::new(&problem.chain, problem.processors).unwrap())
}

pub fn run(problem: &LoadDrift, control: Control) -> Outcome {
    let (states, transition) = prepared(problem);
    let mut backward = Backward::new(problem, &states, &transition, control, Carry::Outcome);
    while backward.remaining() > 0 {
        backward.advance();
    }
    backward.outcome().unwrap()
}

pub fn close(a: f64, b: f64) -> bool {
    abs_diff_eq!(a, b, epsilon = 1e-10 * a.abs().max(b.abs()).max(1.0))
}

/// Whether the outcome is the plain one; near ties may be decided either way, which the value does
/// not notice.
fn same(outcome: &Outcome, plain: Triple, objective: Objective) -> bool {
    let time = match objective {
        Objective::Imbalance => plain[0] + plain[1],
        Objective::Makespan => plain[0],
    };
    close(outcome.value, plain[0])
        && close(outcome.work, plain[1])
        && close(outcome.remaps, plain[2])
        && close(outcome.time, time)
}

fn chains() -> impl Strategy<Value = ProcessChain> {
    let walk = (2usize..6, 0.02f64..0.5, 0.02f64..0.5, any::<bool>()).prop_map(
        |(levels, up, down, hold)| {
            let edge = if hold { Edge::Hold } else { Edge::Reflect };
            ProcessChain::BirthDeath(BirthDeath::walk(levels, up, down, edge).unwrap())
        },
    );
    let dense = (2usize..5).prop_flat_map(|levels| {
        prop::collection::vec(prop::collection::vec(0.0f64..1.0, levels), levels)
    });
    let dense = dense.prop_map(|mut rows| {
        for row in &mut rows {
            let sum: f64 = row.iter().sum::<f64>() + 1e-3;
            row.iter_mut().for_each(|p| *p /= sum);
            row[0] += 1.0 - row.iter().sum::<f64>();
        }
        ProcessChain::Dense(Dense::new(&rows).unwrap())
    });
    prop_oneof![3 => walk, 1 => dense]
}

pub fn problems() -> impl Strategy<Value = LoadDrift> {
    let rules =
        prop_oneof![Just(Rebalance::Split), Just(Rebalance::Nearest), Just(Rebalance::Stochastic)];
    let timings = prop_oneof![Just(Timing::AfterStep), Just(Timing::BeforeStep)];
    let objectives = prop_oneof![Just(Objective::Imbalance), Just(Objective::Makespan)];
    let sizes = (1usize..4, chains(), 0u32..3, 0.0f64..1.0, 1u64..25, 0.05f64..4.0);
    (sizes, rules, timings, objectives).prop_map(|(sizes, rebalance, timing, objective)| {
        let (processors, chain, lowest, place, steps, remap_cost) = sizes;
        let initial = (place * chain.levels() as f64) as usize;
        let lowest = f64::from(lowest);
        LoadDrift {
            processors,
            chain,
            lowest,
            initial,
            steps,
            remap_cost,
            per_unit_moved: 0.0,
            rebalance,
            timing,
            objective,
        }
    })
}

/// The same, where units moved may be paid for.
pub fn charged_problems() -> impl Strategy<Value = LoadDrift> {
    let each = prop_oneof![Just(0.0), 1e-6f64..2.0, 5.0f64..50.0];
    (problems(), each, any::<bool>()).prop_map(|(problem, each, free)| match each {
        0.0 => problem,
        each => LoadDrift {
            per_unit_moved: each,
            remap_cost: if free { 0.0 } else { problem.remap_cost },
            rebalance: Rebalance::Split,
            ..problem
        },
    })
}

fn intervals(problem: &LoadDrift, longest: u64) -> Intervals {
    let (states, transition) = prepared(problem);
    Intervals::overlapping(
        problem,
        Overlap::NONE,
        (&states, &Ranks::alone()),
        &transition,
        longest,
        &(),
    )
}

/// With loads far enough apart that some remaps are certain, and any drift at each of them.
fn wide_problems() -> impl Strategy<Value = LoadDrift> {
    let moves = prop::collection::vec((0.0f64..0.5, 0.0f64..0.5), 8..22);
    let walk = (8usize..22, (0.02f64..0.5, 0.02f64..0.5));
    let moves = prop_oneof![moves, walk.prop_map(|(levels, same)| vec![same; levels])];
    let chain = moves.prop_map(|mut moves| {
        let last = moves.len() - 1;
        (moves[last].0, moves[0].1) = (0.0, 0.0);
        let (up, down) = moves.into_iter().unzip();
        ProcessChain::BirthDeath(BirthDeath::new(up, down).unwrap())
    });
    (2usize..4, chain, 0.05f64..6.0, problems()).prop_map(
        |(processors, chain, remap_cost, rest)| {
            let initial = rest.initial.min(chain.levels() - 1);
            LoadDrift { processors, chain, remap_cost, initial, steps: 40, ..rest }
        },
    )
}

/// The figure's walk on 1..=19 from load 10.
pub fn figure(processors: usize, steps: u64, remap_cost: f64) -> LoadDrift {
    LoadDrift {
        processors,
        chain: ProcessChain::BirthDeath(BirthDeath::walk(19, 0.25, 0.25, Edge::Hold).unwrap()),
        lowest: 1.0,
        initial: 9,
        steps,
        remap_cost,
        per_unit_moved: 0.0,
        rebalance: Rebalance::Split,
        timing: Timing::AfterStep,
        objective: Objective::Imbalance,
    }
}

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

    /// Decisions of a wrong model in the true one: what all load vectors say, and never less than the optimum.
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

    #[test]
    fn leaving_out_certain_remaps_changes_no_cost(problem in wide_problems()) {
        let (states, transition) = prepared(&problem);
        let mut backward =
            Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Value);
        let mut plain = vec![0.0; states.count()];
        let rows = Plainly { problem: &problem, states: &states, transition: &transition };
        if problem.timing == Timing::BeforeStep {
            rows.pay(&mut plain);
        }
        while backward.remaining() > 0 {
            let last = backward.remaining() == problem.steps;
            backward.advance();
            rows.step(&mut plain, problem.timing, last);
            let costs = backward.cost_to_go();
            let agrees = |(found, plain): (&Option<f64>, &f64)| found.is_none_or(|v| close(v, *plain));
            prop_assert!(costs.iter().zip(&plain).all(agrees));
        }
        let start = states.multisets().rank(&vec![problem.initial; problem.processors]);
        prop_assert!(close(backward.value(), plain[start]));
    }

    #[test]
    fn resuming_changes_no_bit(problem in problems(), at in 0.0f64..1.0) {
        let (states, transition) = prepared(&problem);
        let start = || Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Outcome);
        let (mut whole, mut first) = (start(), start());
        let stop = (at * problem.steps as f64) as u64;
        while first.remaining() > stop {
            first.advance();
        }
        let mut second = start();
        second.resume(first.snapshot()).unwrap();
        prop_assert_eq!(second.remaining(), stop.min(first.remaining()));
        prop_assert_eq!(second.snapshot(), first.snapshot());
        while second.remaining() > 0 {
            second.advance();
        }
        while whole.remaining() > 0 {
            whole.advance();
        }
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
        let (states, transition) = prepared(&problem);
        let mut backward =
            Backward::new(&problem, &states, &transition, Control::Optimal, Carry::Outcome);
        let mut fewest = backward.active_states();
        assert_eq!(fewest, states.count());
        let mut plain = vec![0.0; states.count()];
        let rows = Plainly { problem: &problem, states: &states, transition: &transition };
        if timing == Timing::BeforeStep {
            rows.pay(&mut plain);
        }
        while backward.remaining() > 0 {
            let last = backward.remaining() == problem.steps;
            backward.advance();
            fewest = fewest.min(backward.active_states());
            let decisions = rows.step(&mut plain, timing, last);
            let differing = (0..states.count())
                .filter(|&s| !last && decisions[s] != backward.decisions().remaps(s))
                .count();
            assert_eq!(differing, 0, "{timing:?} with {} to go", backward.remaining());
            let costs = backward.cost_to_go();
            assert_eq!(costs.len(), states.count());
            assert_eq!(costs.iter().flatten().count(), backward.active_states());
            let agrees =
                |(found, plain): (&Option<f64>, &f64)| found.is_none_or(|v| close(v, *plain));
            assert!(costs.iter().zip(&plain).all(agrees), "{timing:?}");
        }
        assert!((2..states.count() / 2).contains(&fewest), "{timing:?}: {fewest}");
        let start = states.multisets().rank(&vec![9; processors]);
        assert!(close(backward.value(), plain[start]));
    }
}

/// Problems whose steps from the end go over a region soon.
fn problems_with_regions() -> impl Strategy<Value = LoadDrift> {
    let edges = prop_oneof![Just(Edge::Hold), Just(Edge::Reflect)];
    // Alike at all levels, or not.
    let moves = (0.05f64..0.5, 0.05f64..0.5, edges, prop_oneof![Just(0.0), 0.0f64..0.9]);
    let sizes = prop_oneof![Just((4usize, 14usize)), Just((5, 12)), Just((6, 9)), Just((3, 30))];
    let rules = (
        prop_oneof![Just(Rebalance::Split), Just(Rebalance::Nearest), Just(Rebalance::Stochastic)],
        prop_oneof![Just(Timing::AfterStep), Just(Timing::BeforeStep)],
        prop_oneof![Just(Objective::Imbalance), Just(Objective::Makespan)],
    );
    (moves, sizes, rules, 0.3f64..4.0, 20u64..120, 0.0f64..1.0).prop_map(
        |((up, down, edge, slower), (processors, levels), rules, remap_cost, steps, at)| {
            let walk = BirthDeath::walk(levels, up, down, edge).unwrap();
            let at_level = |p: f64, level: usize| p * (1.0 - slower * level as f64 / levels as f64);
            let chain = match slower > 0.0 {
                true => BirthDeath::new(
                    (0..levels).map(|level| at_level(walk.up(level), level)).collect(),
                    (0..levels).map(|level| at_level(walk.down(level), level)).collect(),
                )
                .unwrap(),
                false => walk,
            };
            let (rebalance, timing, objective) = rules;
            LoadDrift {
                processors,
                chain: ProcessChain::BirthDeath(chain),
                lowest: 1.0,
                initial: (at * (levels - 1) as f64) as usize,
                steps,
                remap_cost,
                per_unit_moved: 0.0,
                rebalance,
                timing,
                objective,
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
            let Bounds { lower, upper } = with.value_bounds();
            let Bounds { lower: other_lower, upper: other_upper } = without.value_bounds();
            prop_assert!(lower <= other_upper && other_lower <= upper);
            prop_assert!(upper - lower <= 1e-9 * upper.max(1.0), "{lower} to {upper}");
            let costs = with.cost_to_go();
            let plain = without.cost_to_go();
            for (found, plain) in costs.iter().zip(&plain) {
                if let (Some(found), Some(plain)) = (found, plain) {
                    prop_assert!(close(*found, *plain), "{found} {plain}");
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
        while second.remaining() > 0 {
            second.advance();
        }
        prop_assert_eq!(second.outcome(), with.outcome());
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

    fn apply(&self, wanted: &remapping::chain::Wanted, v: &[f64], out: &mut [f64]) {
        self.transition.apply_where(wanted, v, out);
    }

    fn step(&self, v: &mut Vec<f64>, timing: Timing, last: bool) -> Vec<bool> {
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
        let wanted = remapping::chain::Wanted::new(self.problem.processors, &all);
        let mut out = vec![0.0; v.len()];
        if timing == Timing::AfterStep {
            self.pay(v);
            self.apply(&wanted, v, &mut out);
        } else {
            self.apply(&wanted, v, &mut out);
            self.pay(&mut out);
        }
        *v = out;
        decisions
    }
}

/// Simulated means agree with the exact expectations, for every policy evaluated both ways.
#[test]
fn simulation_agrees_with_exact_evaluation() {
    for (timing, rebalance, objective, per_unit_moved) in [
        (Timing::AfterStep, Rebalance::Split, Objective::Imbalance, 0.0),
        (Timing::AfterStep, Rebalance::Split, Objective::Imbalance, 0.6),
        (Timing::BeforeStep, Rebalance::Split, Objective::Makespan, 0.3),
        (Timing::BeforeStep, Rebalance::Stochastic, Objective::Makespan, 0.0),
    ] {
        let problem =
            LoadDrift { timing, rebalance, objective, per_unit_moved, ..figure(3, 100, 3.0) };
        let (states, transition) = prepared(&problem);
        let map = MapPolicy::solve(&problem, Overlap::NONE, (&states, &transition), &()).unwrap();
        let rules = ["never", "fixed:7", "threshold:1.8", "utilization:0.8"]
            .map(|r| r.parse::<Rule>().unwrap());
        let policies = || -> Vec<Box<dyn Policy>> {
            let mut all: Vec<Box<dyn Policy>> = vec![Box::new(map.clone())];
            all.extend(rules.iter().map(|rule| rule.start(3.0)));
            all
        };
        let runs = 4000;
        let result =
            compare(&Loads::new(problem.clone()), &policies, 0..runs, 7, false, &()).unwrap();
        let exact = [
            run(&problem, Control::Optimal),
            Intervals::never(&problem),
            intervals(&problem, 7).all()[6].outcome,
            run(&problem, Control::Threshold(1.8)),
            run(&problem, Control::Utilization(0.8)),
        ];
        for (tallies, exact) in result.tallies.iter().zip(exact) {
            let of = |read: fn(&remapping::simulate::Tally) -> f64| {
                Estimate::of(&tallies.iter().map(read).collect::<Vec<_>>())
            };
            // Four standard errors: a false alarm in 16,000, ten times over.
            assert!(of(|t| t.value).agrees(exact.value, 2.05), "{exact:?}");
            assert!(of(|t| t.work).agrees(exact.work, 2.05), "{exact:?}");
            let remaps = of(|t| t.remaps as f64);
            assert!(
                abs_diff_eq!(
                    remaps.value,
                    exact.remaps,
                    epsilon = 2.05 * remaps.half_width() + 1e-9
                ),
                "{exact:?}"
            );
        }
        assert!(close(map.value(), exact[0].value));
    }
}

/// Knowing the path beats every policy on it, and equals trying every sequence of remaps.
#[test]
fn clairvoyant_is_the_best_sequence_of_remaps() {
    for (timing, per_unit_moved) in
        [(Timing::AfterStep, 0.0), (Timing::BeforeStep, 0.0), (Timing::AfterStep, 0.2)]
    {
        let problem = LoadDrift { timing, per_unit_moved, ..figure(3, 8, 0.7) };
        let plans = || -> Vec<Box<dyn Policy>> {
            (0..128u64).map(|plan| Box::new(Planned { plan, next: 0 }) as Box<dyn Policy>).collect()
        };
        let result = compare(&Loads::new(problem), &plans, 0..50, 3, true, &()).unwrap();
        for (path, best) in result.clairvoyant.unwrap().into_iter().enumerate() {
            let tried = result
                .tallies
                .iter()
                .map(|tallies| tallies[path].value)
                .fold(f64::INFINITY, f64::min);
            assert!(abs_diff_eq!(tried, best, epsilon = 1e-12), "{tried} {best}");
        }
    }
}

/// Remaps at the moments whose bits are set.
struct Planned {
    plan: u64,
    next: u32,
}

impl Policy for Planned {
    fn observe(&mut self, _step: &remapping::policy::Step) {
        self.next += 1;
    }

    fn wants_remap(&self) -> bool {
        self.plan >> (self.next - 1) & 1 == 1
    }

    fn remapped(&mut self) {}
}

/// With a rule that rounds down load, minimising time makes the optimum remap for the rounding.
#[test]
fn minimising_time_exploits_a_rule_that_sheds_load() {
    let outcome = |rebalance, objective| {
        run(&LoadDrift { rebalance, objective, ..figure(3, 400, 1.0) }, Control::Optimal)
    };
    let sound = outcome(Rebalance::Split, Objective::Imbalance);
    let shed = outcome(Rebalance::Nearest, Objective::Makespan);
    assert!(abs_diff_eq!(sound.work, 4000.0, epsilon = 20.0), "{sound:?}");
    assert!(shed.work < 0.8 * sound.work, "{shed:?}");
}
