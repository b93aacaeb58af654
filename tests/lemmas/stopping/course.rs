//! Long computations under a rule: the recursion against every path.

use super::*;
use approx::abs_diff_eq;
use remapping::stopping::Course;

/// Follows every path from `state` before step `step`, of which a remap has been decided or not.
fn by_paths(
    rows: &[Vec<f64>],
    psi: &[f64],
    back: &[usize],
    (rho, last): (f64, u64),
    remaps: &dyn Fn(u64, usize) -> bool,
    (step, state): (u64, usize),
) -> f64 {
    let remap = step > 1 && remaps(step, state);
    let (paid, state) = if remap { (rho, back[state]) } else { (0.0, state) };
    let ahead = match step == last {
        true => 0.0,
        false => rows[state]
            .iter()
            .enumerate()
            .filter(|(_, p)| **p > 0.0)
            .map(|(next, p)| p * by_paths(rows, psi, back, (rho, last), remaps, (step + 1, next)))
            .sum(),
    };
    paid + psi[state] + ahead
}

#[test]
fn the_cost_of_a_rule_is_that_of_every_path() {
    let model = Model::new(vec![walk(3), walk(3)], &[1, 1], RunningCost::MaxMinusMean);
    let (states, operator) = model.states(false);
    let back = rebalanced(&states, &model.imbalance).unwrap();
    let problem = Problem::new(&states, operator, &model.imbalance, 1.5, AfterRemap::Stop).unwrap();
    let (rows, psi) = (problem.transition_rows(), problem.running().to_vec());
    let (_, operator) = model.states(false);
    for start in [0, 4, 2] {
        let course = Course::new(&states, &rows, back.clone(), (1.5, start, 5));
        let above = |_: u64, s: usize| psi[s] > 0.5;
        let every = |step: u64, _: usize| (step - 1).is_multiple_of(2);
        let never = |_: u64, _: usize| false;
        let rules: [&dyn Fn(u64, usize) -> bool; 3] = [&above, &every, &never];
        for rule in rules {
            let found = course.cost(&*operator, rule);
            let paths = by_paths(&rows, &psi, &back, (1.5, 5), rule, (1, start));
            assert!(abs_diff_eq!(found, paths, epsilon = 1e-12), "{found} {paths}");
        }
    }
}

/// The least cost over all decisions, by every path.
fn least(
    rows: &[Vec<f64>],
    psi: &[f64],
    back: &[usize],
    (rho, last): (f64, u64),
    (step, state): (u64, usize),
) -> f64 {
    let go = |state: usize| {
        let ahead =
            |(next, p): (usize, &f64)| p * least(rows, psi, back, (rho, last), (step + 1, next));
        let possible = rows[state].iter().enumerate().filter(|(_, p)| **p > 0.0);
        psi[state] + if step == last { 0.0 } else { possible.map(ahead).sum() }
    };
    if step > 1 { go(state).min(rho + go(back[state])) } else { go(state) }
}

/// With an end the best decisions depend on the step, and cost the least there is; played, they
/// cost that.
#[test]
fn the_best_maps_of_an_end_cost_the_least() {
    let chains = vec![
        walk(3),
        ProcessChain::BirthDeath(BirthDeath::walk(3, 0.5, 0.25, Edge::Hold).unwrap()),
    ];
    let model = Model::new(chains, &[1, 1], RunningCost::MaxMinusMean);
    let (states, operator) = model.states(false);
    let back = rebalanced(&states, &model.imbalance).unwrap();
    let problem =
        Problem::new(&states, operator, &model.imbalance, 0.75, AfterRemap::Stop).unwrap();
    let (rows, psi) = (problem.transition_rows(), problem.running().to_vec());
    let (_, operator) = model.states(false);
    for start in [0, 4, 2] {
        let course = Course::new(&states, &rows, back.clone(), (0.75, start, 5));
        let maps = course.optimal(&*operator);
        assert_eq!(maps.len(), 5);
        let found = course.cost(&*operator, &|step, s| maps[step as usize - 1][s]);
        let exact = least(&rows, &psi, &back, (0.75, 5), (1, start));
        assert!(abs_diff_eq!(found, exact, epsilon = 1e-12), "{found} {exact}");
        let lists = maps.iter().map(|map| {
            let remaps = (0..states.count()).filter(|&s| map[s]);
            std::sync::Arc::new(remaps.map(|s| states.loads(s)).collect())
        });
        let rule = remapping::stopping::MapRule::by_step(lists.collect());
        let start = || vec![Box::new(rule.clone()) as Box<dyn remapping::policy::Policy>];
        let played =
            remapping::simulate::compare(&course, &start, 0..20_000, 1, false, &()).unwrap();
        let costs: Vec<f64> = played.tallies[0].iter().map(|tally| tally.value).collect();
        let mean = remapping::simulate::Estimate::of(&costs);
        assert!(
            abs_diff_eq!(mean.value, exact, epsilon = 2.0 * mean.half_width()),
            "{mean:?} {exact}"
        );
    }
}
