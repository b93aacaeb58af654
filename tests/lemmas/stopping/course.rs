//! Long computations under a rule: the recursion against every path.

use super::*;
use approx::abs_diff_eq;
use remapping::policy::Policy;
use remapping::simulate::{Estimate, compare};
use remapping::stopping::{Course, MapRule};

/// Five steps of two walks, followed path by path.
struct Paths {
    states: States,
    operator: Box<dyn Operator>,
    rows: Vec<Vec<f64>>,
    psi: Vec<f64>,
    back: Vec<usize>,
    rho: f64,
}

const LAST: u64 = 5;

impl Paths {
    fn new(chains: Vec<ProcessChain>, rho: f64) -> Paths {
        let model = Model::of(chains);
        let (states, problem) = model.problem(false, rho, AfterRemap::Stop);
        let back = rebalanced(&states, &model.imbalance).unwrap();
        let (rows, psi) = (problem.transition_rows(), problem.running().to_vec());
        Paths { states, operator: model.states(false).1, rows, psi, back, rho }
    }

    fn course(&self, start: usize) -> Course {
        Course::new(&self.states, &self.rows, self.back.clone(), (self.rho, start, LAST))
    }

    /// The cost from a state before a step on. Where `remaps` does not decide, the cheaper branch
    /// is taken.
    fn cost(&self, remaps: &dyn Fn(u64, usize) -> Option<bool>, step: u64, state: usize) -> f64 {
        let go = |state: usize| {
            let ahead = |(next, p): (usize, &f64)| p * self.cost(remaps, step + 1, next);
            let possible = self.rows[state].iter().enumerate().filter(|(_, p)| **p > 0.0);
            self.psi[state] + if step == LAST { 0.0 } else { possible.map(ahead).sum() }
        };
        let remapped = || self.rho + go(self.back[state]);
        match if step > 1 { remaps(step, state) } else { Some(false) } {
            Some(false) => go(state),
            Some(true) => remapped(),
            None => go(state).min(remapped()),
        }
    }
}

#[test]
fn the_cost_of_a_rule_is_that_of_every_path() {
    let paths = Paths::new(vec![walk(3); 2], 1.5);
    for start in [0, 4, 2] {
        let above = |_: u64, s: usize| paths.psi[s] > 0.5;
        let every = |step: u64, _: usize| (step - 1).is_multiple_of(2);
        let never = |_: u64, _: usize| false;
        let rules: [&dyn Fn(u64, usize) -> bool; 3] = [&above, &every, &never];
        for rule in rules {
            let found = paths.course(start).cost(&*paths.operator, rule);
            let exact = paths.cost(&|step, s| Some(rule(step, s)), 1, start);
            assert!(abs_diff_eq!(found, exact, epsilon = 1e-12), "{found} {exact}");
        }
    }
}

/// With an end the best decisions depend on the step, and cost the least there is; played, they
/// cost that.
#[test]
fn the_best_maps_of_an_end_cost_the_least() {
    let paths = Paths::new(vec![walk(3), shared::walk(3, 0.5, 0.25, Edge::Hold)], 0.75);
    let states = &paths.states;
    for start in [0, 4, 2] {
        let course = paths.course(start);
        let maps = course.optimal(&*paths.operator);
        assert_eq!(maps.len(), 5);
        let found = course.cost(&*paths.operator, &|step, s| maps[step as usize - 1][s]);
        let exact = paths.cost(&|_, _| None, 1, start);
        assert!(abs_diff_eq!(found, exact, epsilon = 1e-12), "{found} {exact}");
        let lists = maps.iter().map(|map| {
            let remaps = (0..states.count()).filter(|&s| map[s]);
            std::sync::Arc::new(remaps.map(|s| states.loads(s)).collect())
        });
        let rule = MapRule::by_step(lists.collect());
        let start = || vec![Box::new(rule.clone()) as Box<dyn Policy>];
        let played = compare(&course, &start, 0..20_000, 1, false, &()).unwrap();
        let costs: Vec<f64> = played.tallies[0].iter().map(|tally| tally.value).collect();
        let mean = Estimate::of(&costs);
        assert!(mean.agrees(exact, 2.0), "{mean:?} {exact}");
    }
}
