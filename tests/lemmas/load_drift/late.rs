//! Remaps that come into force some steps after their decision, over all states.

use super::problems::{figure, prepared};
use approx::assert_abs_diff_eq;
use proptest::prelude::*;
use remapping::Bounds;
use remapping::chain::{BirthDeath, Dense, Edge};
use remapping::load_drift::{
    Backward, Carry, Control, IntervalOutcome, Intervals, LoadDrift, MapPolicy, Objective,
    ProcessChain, Ranks, Rebalance, Timing,
};
use remapping::overlap::Overlap;
use std::collections::HashMap;

/// Whether to remap: by the moment, the levels, the cost of going on and that of a remap.
pub type Decide<'d> = &'d dyn Fn(usize, &[usize], f64, f64) -> bool;

/// By the cheaper branch.
pub fn cheaper(_moment: usize, _levels: &[usize], on: f64, remapped: f64) -> bool {
    remapped < on
}

/// Value, work and number of remaps by definition, over all vectors of levels: the decision at
/// moment k is in force from moment k + d on, on the split of the loads at moment k and what they
/// moved since; the next is made after that step at the earliest. Moment k is after step k, with
/// `BeforeStep` before step k + 1.
pub fn by_definition(problem: &LoadDrift, overlap: Overlap, decide: Decide<'_>) -> [f64; 3] {
    let (levels, ranks) = (problem.chain.levels(), problem.processors);
    let rows = problem.chain.rows();
    let states = levels.pow(ranks as u32);
    let digits = |state: usize| -> Vec<usize> {
        (0..ranks).map(|rank| state / levels.pow(rank as u32) % levels).collect()
    };
    type Table = Vec<[f64; 3]>;
    let mean = |mut v: Table| -> Table {
        for rank in 0..ranks {
            let place = levels.pow(rank as u32);
            let one = |state: usize| {
                let (from, base) = (state / place % levels, state - state / place % levels * place);
                let near = rows[from].iter().enumerate().filter(|(_, p)| **p > 0.0);
                near.fold([0.0; 3], |sum, (to, p)| {
                    let to = v[base + to * place];
                    std::array::from_fn(|i| sum[i] + p * to[i])
                })
            };
            v = (0..states).map(one).collect();
        }
        v
    };
    let add = |a: Table, b: &Table| -> Table {
        a.iter().zip(b).map(|(a, b)| std::array::from_fn(|i| a[i] + b[i])).collect()
    };
    let largest = |levels: &[usize]| problem.lowest + *levels.iter().max().unwrap() as f64;
    let load =
        |levels: &[usize]| problem.lowest + levels.iter().sum::<usize>() as f64 / ranks as f64;
    let step = |slowdown: f64| -> Table {
        let all = (0..states).map(digits);
        let one = |x: Vec<usize>| {
            let (max, mean) = (largest(&x), load(&x));
            [problem.step_cost(max, mean) + slowdown * max, mean, 0.0]
        };
        all.map(one).collect()
    };
    let (steps, late) = (problem.steps as usize, overlap.steps as usize);
    let (costs, slow) = (step(0.0), step(overlap.slowdown));
    let after = problem.timing == Timing::AfterStep;
    // What a step and what follows the next move come to.
    let back = |then: Table, step: &Table| match after {
        true => mean(add(then, step)),
        false => add(mean(then), step),
    };
    let nothing = || vec![[0.0; 3]; states];
    let beside = (0..late).fold(nothing(), |then, _| back(then, &slow));
    let index = |levels: &Vec<usize>| -> usize {
        let at = |(rank, level): (usize, &usize)| level * problem.chain.levels().pow(rank as u32);
        levels.iter().enumerate().map(at).sum()
    };
    let last = if after { steps } else { steps - 1 };
    let mut on = if after { nothing() } else { costs.clone() };
    let mut force = vec![Vec::new(); steps + 1];
    force[last] = (0..late).fold(on.clone(), |on, _| mean(on));
    for moment in (1..=last).rev() {
        let decided: Table = match moment + late < steps {
            true => (0..states)
                .map(|x| {
                    let then: &Table = &force[moment + late];
                    let levels = digits(x);
                    let moved = match problem.per_unit_moved > 0.0 {
                        true => problem.per_unit_moved * problem.units_moved(&levels) as f64,
                        false => 0.0,
                    };
                    let mut remapped = beside[x];
                    remapped[0] += problem.remap_cost + moved;
                    remapped[2] += 1.0;
                    for (p, even) in problem.balanced(levels.iter().sum()) {
                        let even = then[index(&even)];
                        (0..3).for_each(|i| remapped[i] += p * even[i]);
                    }
                    match decide(moment, &levels, on[x][0], remapped[0]) {
                        true => remapped,
                        false => on[x],
                    }
                })
                .collect(),
            false => on,
        };
        on = back(decided, &costs);
        force[moment - 1] = (0..late).fold(on.clone(), |on, _| mean(on));
    }
    on[index(&vec![problem.initial; ranks])]
}

/// The steps done, those until a remap under way comes into force, the old loads and the new.
type Situation = (u64, Option<u64>, [usize; 2], [usize; 2]);

/// The same of two ranks that decide after steps, in plain words: the old and the new loads move
/// side by side until the counter of the steps that are left is down.
struct Literal<'l> {
    problem: &'l LoadDrift,
    overlap: Overlap,
    rows: Vec<Vec<f64>>,
    known: HashMap<Situation, f64>,
}

impl Literal<'_> {
    fn moves(&self, x: [usize; 2]) -> Vec<(f64, [usize; 2])> {
        let row = |level: usize| self.rows[level].iter().enumerate().filter(|(_, p)| **p > 0.0);
        row(x[0]).flat_map(|(a, p)| row(x[1]).map(move |(b, q)| (p * q, [a, b]))).collect()
    }

    /// What is to come after step k with these loads, where a remap is under way (with so many
    /// steps to go, and these new loads) or not; whether something may be decided now.
    fn value(&mut self, k: u64, x: [usize; 2], way: Option<(u64, [usize; 2])>, free: bool) -> f64 {
        if k == self.problem.steps {
            return 0.0;
        }
        let Some((left, new)) = way else {
            let on = self.on(k, x);
            let late = self.overlap.steps;
            if !free || k == 0 || k + late >= self.problem.steps {
                return on;
            }
            let even = &self.problem.balanced(x[0] + x[1])[0].1;
            let even = [even[0], even[1]];
            return on.min(self.problem.remap_cost + self.value(k, x, Some((late, even)), false));
        };
        if left == 0 {
            return self.value(k, new, None, false);
        }
        let key = (k, Some(left), x, new);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut sum = 0.0;
        for (p, to) in self.moves(x) {
            let (max, mean) = (to[0].max(to[1]) as f64, (to[0] + to[1]) as f64 / 2.0);
            let max = self.problem.lowest + max;
            let paid = self.problem.step_cost(max, self.problem.lowest + mean);
            let paid = paid + self.overlap.slowdown * max;
            for (q, next) in self.moves(new) {
                sum += p * q * (paid + self.value(k + 1, to, Some((left - 1, next)), false));
            }
        }
        self.known.insert(key, sum);
        sum
    }

    fn on(&mut self, k: u64, x: [usize; 2]) -> f64 {
        let key = (k, None, x, x);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut sum = 0.0;
        for (p, to) in self.moves(x) {
            let (max, mean) = (to[0].max(to[1]) as f64, (to[0] + to[1]) as f64 / 2.0);
            let low = self.problem.lowest;
            let paid = self.problem.step_cost(low + max, low + mean);
            sum += p * (paid + self.value(k + 1, to, None, true));
        }
        self.known.insert(key, sum);
        sum
    }
}

pub fn walk(processors: usize, levels: usize, steps: u64) -> LoadDrift {
    let chain = BirthDeath::walk(levels, 0.3, 0.2, Edge::Hold).unwrap();
    LoadDrift {
        chain: ProcessChain::BirthDeath(chain),
        initial: levels / 2,
        ..figure(processors, steps, 0.7)
    }
}

/// The recursion over all states, with that of its bounds.
pub fn found(
    problem: &LoadDrift,
    overlap: Overlap,
    control: Control,
    maps: Option<MapPolicy>,
) -> ([f64; 3], Bounds) {
    let (states, transition) = prepared(problem);
    let all = (&states, &transition);
    let mut backward = Backward::overlapping(problem, overlap, all, control, Carry::Outcome);
    if let Some(maps) = maps {
        backward = backward.playing(maps);
    }
    while backward.remaining() > 0 {
        backward.advance();
    }
    let outcome = backward.outcome().unwrap();
    assert_abs_diff_eq!(outcome.value, backward.value());
    ([outcome.value, outcome.work, outcome.remaps], backward.value_bounds())
}

fn random_chain() -> impl Strategy<Value = ProcessChain> {
    let dense = proptest::collection::vec(proptest::collection::vec(0u32..4, 4), 4);
    let dense = dense.prop_map(|rows| {
        let row = |(at, mut row): (usize, Vec<u32>)| {
            row[at] += 1;
            let sum: u32 = row.iter().sum();
            row.into_iter().map(|weight| f64::from(weight) / f64::from(sum)).collect()
        };
        let rows: Vec<Vec<f64>> = rows.into_iter().enumerate().map(row).collect();
        ProcessChain::Dense(Dense::new(&rows).unwrap())
    });
    let walk =
        (2usize..5, 0.0..0.5, 0.0..0.5, prop::bool::ANY).prop_map(|(levels, up, down, hold)| {
            let edge = if hold { Edge::Hold } else { Edge::Reflect };
            ProcessChain::BirthDeath(BirthDeath::walk(levels, up, down, edge).unwrap())
        });
    prop_oneof![dense, walk]
}

fn model() -> impl Strategy<Value = (LoadDrift, Overlap)> {
    let way = (0u64..5, prop_oneof![Just(0.0), Just(0.05), 0.0..0.5, Just(1e6)]);
    let costs = (prop_oneof![Just(0.0), 0.0..4.0], prop_oneof![Just(0.0), 0.0..1.0]);
    let kinds = (0usize..3, prop::bool::ANY, prop::bool::ANY);
    (random_chain(), 2usize..4, 1u64..9, way, costs, kinds, 0usize..4).prop_map(
        |(chain, processors, steps, (late, slowdown), (cost, each), (rule, before, time), at)| {
            let rules = [Rebalance::Split, Rebalance::Nearest, Rebalance::Stochastic];
            let initial = at.min(chain.levels() - 1);
            let problem = LoadDrift {
                chain,
                initial,
                remap_cost: cost,
                per_unit_moved: if rule == 0 { each } else { 0.0 },
                rebalance: rules[rule],
                timing: if before { Timing::BeforeStep } else { Timing::AfterStep },
                objective: if time { Objective::Makespan } else { Objective::Imbalance },
                ..walk(processors, 5, steps)
            };
            (problem, Overlap { steps: late, slowdown })
        },
    )
}

fn agree(found: [f64; 3], defined: [f64; 3], what: &str) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
    assert!(
        near(found[0], defined[0]) && near(found[1], defined[1]),
        "{what}: {found:?} {defined:?}"
    );
    assert!(near(found[2], defined[2]), "{what}: {found:?} {defined:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// The optimal value, and value, work and remaps of rules, are those of the definition.
    #[test]
    fn late_remaps_over_all_states_are_those_of_the_definition(
        (problem, overlap) in model(),
        threshold in 0.0..2.0f64,
    ) {
        let what = format!("{problem:?} {overlap:?}");
        let ([value, ..], Bounds { lower, upper }) = found(&problem, overlap, Control::Optimal, None);
        let defined = by_definition(&problem, overlap, &cheaper)[0];
        assert!((value - defined).abs() <= 1e-9 * defined.max(1.0), "{what}: {value} {defined}");
        assert!(lower <= value && value <= upper && upper - lower <= 1e-9 * (1.0 + overlap.slowdown) * value.max(1.0), "{what}");
        // The definition is rounded too.
        let slack = 1e-13 * defined.max(1.0);
        assert!(lower <= defined + slack && defined <= upper + slack, "{what}: {defined}");
        // No threshold is a value of max - mean, up to rounding.
        let threshold = (6.0 * threshold).floor() / 6.0 + 0.01;
        let imbalance = |levels: &[usize]| {
            let mean = levels.iter().sum::<usize>() as f64 / levels.len() as f64;
            *levels.iter().max().unwrap() as f64 - mean
        };
        let rule = |_: usize, levels: &[usize], _: f64, _: f64| imbalance(levels) > threshold;
        let (given, _) = found(&problem, overlap, Control::Threshold(threshold), None);
        agree(given, by_definition(&problem, overlap, &rule), &what);
        let (never, _) = found(&problem, overlap, Control::Threshold(f64::INFINITY), None);
        agree(never, by_definition(&problem, overlap, &|_, _, _, _| false), &what);
    }

    /// Fixed intervals between decisions, by powers of one chain's matrix.
    #[test]
    fn intervals_of_late_remaps_are_those_of_the_definition((problem, overlap) in model()) {
        let what = format!("{problem:?} {overlap:?}");
        let (states, transition) = prepared(&problem);
        let all = (&states, &Ranks::alone());
        let found = Intervals::overlapping(&problem, overlap, all, &transition, 100, &());
        prop_assert_eq!(found.all().len() as u64, problem.steps);
        for IntervalOutcome { interval, outcome } in found.all() {
            let steps = (*interval).max(overlap.steps + 1);
            let due = |moment: usize, _: &[usize], _: f64, _: f64| (moment as u64).is_multiple_of(steps);
            let defined = by_definition(&problem, overlap, &due);
            agree([outcome.value, outcome.work, outcome.remaps], defined, &format!("{interval} {what}"));
        }
    }

    /// The maps are optimal: who follows them pays the value.
    #[test]
    fn maps_of_late_remaps_cost_the_value((problem, overlap) in model()) {
        let (states, transition) = prepared(&problem);
        let maps = MapPolicy::solve(&problem, overlap, (&states, &transition), &()).unwrap();
        let (value, what) = (maps.value(), format!("{problem:?} {overlap:?}"));
        let ([followed, ..], _) = found(&problem, overlap, Control::Optimal, Some(maps));
        assert!((value - followed).abs() <= 1e-9 * value.max(1.0), "{what}: {value} {followed}");
    }
}

/// No larger state is needed: two ranks whose old and new loads move side by side cost the same.
#[test]
fn late_remaps_need_no_counter() {
    for (steps, slowdown, objective, remap_cost) in [
        (1, 0.0, Objective::Imbalance, 0.1),
        (2, 0.1, Objective::Imbalance, 0.0),
        (3, 0.05, Objective::Imbalance, 0.2),
        (2, 0.02, Objective::Makespan, 0.1),
        (6, 0.0, Objective::Imbalance, 0.1),
    ] {
        let problem = LoadDrift { objective, remap_cost, ..walk(2, 5, 7) };
        let overlap = Overlap { steps, slowdown };
        let rows = problem.chain.rows();
        let mut literal = Literal { problem: &problem, overlap, rows, known: HashMap::new() };
        let value = literal.value(0, [problem.initial; 2], None, true);
        let (found, _) = found(&problem, overlap, Control::Optimal, None);
        assert_abs_diff_eq!(found[0], value, epsilon = 1e-12);
        assert!(found[2] > 0.0 || steps == 6, "{overlap:?} is never worth it");
    }
}
