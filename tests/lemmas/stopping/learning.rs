//! Learning what stopping costs: what is learnt comes to J.

use super::*;
use approx::abs_diff_eq;
use remapping::stopping::{Learner, School};

fn school(rho: f64) -> (School, Vec<f64>) {
    let Solved { problem, solution, .. } =
        Model::paper().solve(false, rho, AfterRemap::Stop, Method::Auto);
    let exact = (0..problem.states()).map(|s| solution.value(s)).collect();
    (School::new(&problem).unwrap(), exact)
}

/// Every learner comes as near as it pleases, and what it saw more often it knows better.
#[test]
fn all_learners_come_to_the_optimum() {
    let (school, exact) = school(6.0);
    for (learner, last) in
        [(Learner::Last, 5.0), (Learner::Averaged, 1.5), (Learner::Frequencies, 1.0)]
    {
        let mean = |k: usize| {
            let runs = (0..8)
                .map(|run| school.distances(learner, &exact, &[0, 1_000, 200_000], (7, run))[k]);
            runs.sum::<f64>() / 8.0
        };
        let [start, middle, end] = [mean(0), mean(1), mean(2)];
        assert!(start > middle && middle > end && end < last, "{learner:?} {start} {middle} {end}");
    }
}

/// Before anything is seen every learner remaps everywhere: the distance is that of rho from J.
#[test]
fn nothing_seen_is_rho() {
    let (school, exact) = school(6.0);
    let unbalanced: Vec<f64> = (0..36).filter(|s| s / 6 != s % 6).map(|s| 6.0 - exact[s]).collect();
    let expected = 100.0 * unbalanced.iter().sum::<f64>() / 30.0 / 6.0;
    for learner in [Learner::Last, Learner::Averaged, Learner::Frequencies] {
        let found = school.distances(learner, &exact, &[0], (1, 0))[0];
        assert!(abs_diff_eq!(found, expected, epsilon = 1e-9), "{learner:?} {found} {expected}");
    }
}

/// The policy of relative frequencies is the optimum of the frequencies: with every step seen in
/// proportion to its probability it is J itself. Chains with one successor show it exactly.
#[test]
fn frequencies_of_a_chain_without_chance_are_exact_at_once() {
    // Loads (k, 0) go down one by one.
    let loads: Vec<Vec<i64>> = (0..4).map(|k| vec![k, 0]).collect();
    let entries: Vec<(usize, usize, f64)> =
        (0..4).map(|k: usize| (k, k.saturating_sub(1), 1.0)).collect();
    let chain = remapping::chain::Joint::from_entries(4, &entries).unwrap();
    let states = States::joint(&loads, &chain).unwrap();
    let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &capacities(&[1, 1]), 4).unwrap();
    let problem =
        Problem::new(&states, Box::new(chain), &imbalance, 2.0, AfterRemap::Stop).unwrap();
    // psi = k / 2: J = min(2, 1/2 + ... + k/2) = 1/2, 3/2, 2.
    let exact = [0.0, 0.5, 1.5, 2.0];
    let school = School::new(&problem).unwrap();
    assert!(school.distances(Learner::Frequencies, &exact, &[200], (1, 0))[0] < 1e-6);
    assert!(school.distances(Learner::Averaged, &exact, &[5000], (1, 0))[0] < 0.2);
}
