//! Long computations under a rule: the recursion against every path.

use super::*;
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
            assert!((found - paths).abs() < 1e-12, "{found} {paths}");
        }
    }
}
