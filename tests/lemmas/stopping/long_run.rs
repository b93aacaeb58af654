//! The long-run average.

use super::*;

/// The stationary average of a fixed policy, by solving for the stationary law exactly.
fn average_of(rows: &[Vec<Rational>], step_cost: &[Rational]) -> Rational {
    let n = rows.len();
    // Unknowns: relative costs (0 at state 0) and, in its place, the average.
    let mut system = vec![vec![Rational::ZERO; n + 1]; n];
    for s in 0..n {
        for t in 1..n {
            system[s][t] = -rows[s][t].clone();
        }
        if s > 0 {
            system[s][s] = &system[s][s] + Rational::ONE;
        }
        system[s][0] = Rational::ONE;
        system[s][n] = step_cost[s].clone();
    }
    eliminate(system)[0].clone()
}

#[test]
fn the_best_average_is_that_of_its_policy_and_no_worse_than_others() {
    let model = Model::of(vec![walk(4); 2]);
    for rho in [0.5, 2.0, 7.0] {
        let (states, problem) = model.problem(false, rho, AfterRemap::Stop);
        let back = rebalanced(&states, &model.imbalance).unwrap();
        let settings = Settings::default();
        let best = long_run(&problem, &back, None, &settings, &());
        let rows = model.rows();
        let exact = |policy: &[bool]| {
            let target = |s: usize| if policy[s] { back[s] } else { s };
            let moved: Vec<_> = (0..16).map(|s| rows[target(s)].clone()).collect();
            let cost = |s: usize| {
                let paid = if policy[s] { rational(rho) } else { Rational::ZERO };
                paid + rational(problem.running()[target(s)])
            };
            average_of(&moved, &(0..16).map(cost).collect::<Vec<_>>())
        };
        let chosen: Vec<bool> = best.advantage.iter().map(|a| *a > 0.0).collect();
        let average = exact(&chosen);
        assert!(best.average.width() <= 1e-9);
        assert!(holds(best.average, &average));
        let stop = model.solve(false, rho, AfterRemap::Stop, Method::Auto);
        let of_stop: Vec<bool> = (0..16).map(|s| stop.letter(s) == 'R').collect();
        let evaluated = long_run(&problem, &back, Some(&of_stop), &settings, &());
        let of_stop = exact(&of_stop);
        assert!(holds(evaluated.average, &of_stop));
        assert!(average <= of_stop);
        assert!(average <= exact(&[false; 16]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Policies that are solved for have the average that sweeps come to, too: on walks long enough
    /// for it.
    #[test]
    fn evaluations_agree_with_sweeps(
        chains in prop::collection::vec((8..14_usize, 1..6u8, 1..6u8), 2..=3),
        alike in any::<bool>(),
        edge in edges(),
        capacity in prop::collection::vec(1..4_i64, 3),
        rho in prop_oneof![0.2..3.0, 3.0..300.0],
        threshold in 1.0..6.0,
    ) {
        let chains: Vec<ProcessChain> = (0..chains.len())
            .map(|k| {
                let (levels, up, down) = chains[if alike { 0 } else { k }];
                let levels = if chains.len() > 2 { 8 } else { levels };
                shared::walk(levels, f64::from(up) / 16.0, f64::from(down) / 16.0, edge)
            })
            .collect();
        let capacity = if alike { &[1; 3] } else { &capacity[..] };
        let capacity = &capacity[..chains.len()];
        let model = Model::new(chains, capacity, RunningCost::MaxMinusMean);
        let (states, problem) = model.problem(alike, rho, AfterRemap::Stop);
        let back = rebalanced(&states, &model.imbalance).unwrap();
        let map: Vec<bool> = problem.running().iter().map(|psi| *psi > threshold).collect();
        for policy in [None, Some(&map[..])] {
            let [fast, slow] = [Method::Auto, Method::Value].map(|method| {
                let settings = Settings { method, ..Settings::default() };
                long_run(&problem, &back, policy, &settings, &())
            });
            let (quick, sure) = (fast.average, slow.average);
            prop_assert_eq!(slow.status, Status::Converged);
            prop_assert_eq!(fast.status, Status::Converged);
            prop_assert!(meet(quick, sure), "{quick:?} {sure:?}");
            prop_assert!(fast.iterations <= slow.iterations.max(1000), "{} {}", fast.iterations, slow.iterations);
            for s in 0..states.count() {
                let near = (fast.value[s] - slow.value[s] - fast.value[0] + slow.value[0]).abs();
                prop_assert!(near <= 1e-4 * rho.max(1.0), "{s}: {near}");
            }
        }
    }
}

/// Levels that are left once in hundreds of steps make biconjugate gradients stop short; a
/// factorisation does not.
#[test]
fn walks_that_hardly_leave_some_levels_take_few_applications() {
    let up = [
        0.321, 0.286, 0.009, 0.03, 0.029, 0.423, 0.296, 0.099, 0.266, 0.262, 0.391, 0.309, 0.072,
        0.314, 0.221, 0.1, 0.317, 0.173, 0.045, 0.403, 0.419, 0.428, 0.352, 0.452, 0.035, 0.132,
        0.336, 0.039, 0.459, 0.205, 0.347, 0.0,
    ];
    let down = [
        0.0, 0.061, 0.44, 0.305, 0.359, 0.188, 0.38, 0.47, 0.334, 0.045, 0.009, 0.04, 0.45, 0.259,
        0.347, 0.042, 0.344, 0.448, 0.255, 0.104, 0.414, 0.489, 0.101, 0.195, 0.365, 0.245, 0.242,
        0.001, 0.032, 0.066, 0.381, 0.209,
    ];
    let chain = ProcessChain::BirthDeath(BirthDeath::new(up.to_vec(), down.to_vec()).unwrap());
    let model = Model::new(vec![chain; 2], &[1, 1], RunningCost::MaxAbsDeviation);
    let (states, problem) = model.problem(true, 16.9507, AfterRemap::Stop);
    let back = rebalanced(&states, &model.imbalance).unwrap();
    let settings = Settings { iterations: 20_000, ..Settings::default() };
    let found = long_run(&problem, &back, None, &settings, &());
    assert_eq!(found.status, Status::Converged);
    let swept = Settings { method: Method::Value, iterations: 150_000, ..Settings::default() };
    let slow = long_run(&problem, &back, None, &swept, &()).average;
    assert!(slow.width() < 0.1 && meet(slow, found.average), "{slow:?}");
}

/// Two chains whose levels trap the loads, with too many states for a full matrix.
#[test]
fn chains_with_traps_take_few_applications() {
    let levels = 70;
    // Any numbers without a pattern, evenly spread in the logarithm.
    let part = |k: usize, root: f64| 0.01 * 50_f64.powf(((k + 1) as f64 * root).fract());
    let chain = |shift: usize| {
        let all = |root| (shift..shift + levels).map(|k| part(k * k, root)).collect::<Vec<f64>>();
        let (mut up, mut down) = (all(2_f64.sqrt()), all(3_f64.sqrt()));
        (up[levels - 1], down[0]) = (0.0, 0.0);
        ProcessChain::BirthDeath(BirthDeath::new(up, down).unwrap())
    };
    let model = Model::of(vec![chain(0), chain(7)]);
    for rho in [10.0, 700.0] {
        let (states, problem) = model.problem(false, rho, AfterRemap::Stop);
        let back = rebalanced(&states, &model.imbalance).unwrap();
        let settings = Settings { iterations: 5000, ..Settings::default() };
        let found = long_run(&problem, &back, None, &settings, &());
        assert_eq!(found.status, Status::Converged, "{rho}: {:?}", found.average);
        let swept = Settings { method: Method::Value, iterations: 3000, ..Settings::default() };
        let slow = long_run(&problem, &back, None, &swept, &()).average;
        assert!(meet(slow, found.average));
    }
}
