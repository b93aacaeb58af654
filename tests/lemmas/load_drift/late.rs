//! Remaps that come into force some steps after their decision, over all states.

use super::problems::{Plain, charged_problems, cheaper, figure, finish, prepared, same};
use crate::shared::walk as chain;
use approx::assert_abs_diff_eq;
use proptest::prelude::*;
use remapping::Bounds;
use remapping::chain::Edge;
use remapping::load_drift::{
    Backward, Carry, Control, IntervalOutcome, Intervals, LoadDrift, MapPolicy, Objective, Outcome,
    Ranks,
};
use remapping::overlap::Overlap;
use std::collections::HashMap;

pub fn walk(processors: usize, levels: usize, steps: u64) -> LoadDrift {
    let chain = chain(levels, 0.3, 0.2, Edge::Hold);
    LoadDrift { chain, initial: levels / 2, ..figure(processors, steps, 0.7) }
}

/// The recursion over all states, with that of its bounds.
pub fn found(
    problem: &LoadDrift,
    overlap: Overlap,
    control: Control,
    maps: Option<MapPolicy>,
) -> (Outcome, Bounds) {
    let (states, transition) = prepared(problem);
    let all = (&states, &transition);
    let mut backward = Backward::overlapping(problem, overlap, all, control, Carry::Outcome);
    if let Some(maps) = maps {
        backward = backward.playing(maps);
    }
    let backward = finish(backward);
    let outcome = backward.outcome().unwrap();
    assert_abs_diff_eq!(outcome.value, backward.value());
    (outcome, backward.value_bounds())
}

fn model() -> impl Strategy<Value = (LoadDrift, Overlap)> {
    let late = (0u64..5, prop_oneof![Just(0.0), Just(0.05), 0.0..0.5, Just(1e6)]);
    let sizes = (2usize..4, 1u64..9, prop_oneof![Just(0.0), 0.0..4.0]);
    (charged_problems(), sizes, late).prop_map(
        |(problem, (processors, steps, remap_cost), (late, slowdown))| {
            let problem = LoadDrift { processors, steps, remap_cost, ..problem };
            (problem, Overlap { steps: late, slowdown })
        },
    )
}

/// The steps done, those until a remap under way comes into force, the old loads and the new.
type Situation = (u64, Option<u64>, [usize; 2], [usize; 2]);

/// The value of two ranks that decide after steps, in plain words: the old and the new loads move
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

    /// What a step costs with these loads.
    fn step(&self, x: [usize; 2], slowdown: f64) -> f64 {
        let [a, b] = x.map(|level| self.problem.lowest + level as f64);
        let cost = match self.problem.objective {
            Objective::Imbalance => a.max(b) - (a + b) / 2.0,
            Objective::Makespan => a.max(b),
        };
        cost + slowdown * a.max(b)
    }

    /// What is to come after step k with these loads where no remap is under way; whether something
    /// may be decided now.
    fn free(&mut self, k: u64, x: [usize; 2], may_decide: bool) -> f64 {
        let on = self.going_on(k, x);
        let late = self.overlap.steps;
        if !may_decide || k == 0 || k + late >= self.problem.steps {
            return on;
        }
        let total = x[0] + x[1];
        on.min(self.problem.remap_cost + self.under_way(k, x, late, [total / 2, total.div_ceil(2)]))
    }

    /// The same where nothing is decided now.
    fn going_on(&mut self, k: u64, x: [usize; 2]) -> f64 {
        if k == self.problem.steps {
            return 0.0;
        }
        let key = (k, None, x, x);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut sum = 0.0;
        for (p, to) in self.moves(x) {
            sum += p * (self.step(to, 0.0) + self.free(k + 1, to, true));
        }
        self.known.insert(key, sum);
        sum
    }

    /// The same where a remap to these new loads comes into force in so many steps.
    fn under_way(&mut self, k: u64, x: [usize; 2], left: u64, new: [usize; 2]) -> f64 {
        if left == 0 {
            return self.free(k, new, false);
        }
        let key = (k, Some(left), x, new);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut sum = 0.0;
        for (p, to) in self.moves(x) {
            let paid = self.step(to, self.overlap.slowdown);
            for (q, next) in self.moves(new) {
                sum += p * q * (paid + self.under_way(k + 1, to, left - 1, next));
            }
        }
        self.known.insert(key, sum);
        sum
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
        let value = literal.free(0, [problem.initial; 2], false);
        let plain = Plain::new(&problem, overlap).play(&cheaper)[0];
        assert_abs_diff_eq!(plain, value, epsilon = 1e-12);
        let (found, _) = found(&problem, overlap, Control::Optimal, None);
        assert_abs_diff_eq!(found.value, value, epsilon = 1e-12);
        assert!(found.remaps > 0.0 || steps == 6, "{overlap:?} is never worth it");
    }
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
        let plain = Plain::new(&problem, overlap);
        let (Outcome { value, .. }, Bounds { lower, upper }) = found(&problem, overlap, Control::Optimal, None);
        let defined = plain.play(&cheaper)[0];
        assert!((value - defined).abs() <= 1e-9 * defined.max(1.0), "{what}: {value} {defined}");
        assert!(lower <= value && value <= upper && upper - lower <= 1e-9 * (1.0 + overlap.slowdown) * value.max(1.0), "{what}");
        // The definition is rounded too.
        let slack = 1e-13 * defined.max(1.0);
        assert!(lower <= defined + slack && defined <= upper + slack, "{what}: {defined}");
        // No threshold is a value of max - mean, up to rounding.
        let threshold = (6.0 * threshold).floor() / 6.0 + 0.01;
        let rule = |_: u64, levels: &[usize], _: f64, _: f64| {
            let (max, mean) = plain.loads(levels);
            max - mean > threshold
        };
        let (given, _) = found(&problem, overlap, Control::Threshold(threshold), None);
        prop_assert!(same(&given, plain.play(&rule), problem.objective), "{what}: {given:?}");
        let (never, _) = found(&problem, overlap, Control::Threshold(f64::INFINITY), None);
        prop_assert!(same(&never, plain.play(&|_, _, _, _| false), problem.objective), "{what}: {never:?}");
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
            let defined = Plain::new(&problem, overlap).play(&|moment, _, _, _| moment.is_multiple_of(steps));
            prop_assert!(same(outcome, defined, problem.objective), "{interval} {what}: {outcome:?} {defined:?}");
        }
    }

    /// The maps are optimal: who follows them pays the value.
    #[test]
    fn maps_of_late_remaps_cost_the_value((problem, overlap) in model()) {
        let (states, transition) = prepared(&problem);
        let maps = MapPolicy::solve(&problem, overlap, (&states, &transition), &()).unwrap();
        let (value, what) = (maps.value(), format!("{problem:?} {overlap:?}"));
        let followed = found(&problem, overlap, Control::Optimal, Some(maps)).0.value;
        assert!((value - followed).abs() <= 1e-9 * value.max(1.0), "{what}: {value} {followed}");
    }
}
