//! States that share loads: a chain of more than loads, against fractions.

use super::*;

use remapping::chain::Joint;

/// Rows of sixteenths and the loads of each state, of which there are fewer than states.
fn hidden() -> impl Strategy<Value = (Vec<Vec<i64>>, Vec<Vec<u32>>)> {
    let loads = prop::sample::select(vec![vec![0i64, 0], vec![0, 1], vec![2, 0], vec![1, 1]]);
    let row = prop::collection::vec(0usize..6, 16);
    prop::collection::vec((loads, row), 6).prop_map(|all| {
        let times = |row: &Vec<usize>, t| row.iter().filter(|x| **x == t).count() as u32;
        let rows = all.iter().map(|(_, row)| (0..6).map(|t| times(row, t)).collect()).collect();
        (all.into_iter().map(|(loads, _)| loads).collect(), rows)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_state_has_its_own_cost((loads, rows) in hidden(), rho in 1u8..20, after in after()) {
        let rho = f64::from(rho) / 4.0;
        let entries: Vec<(usize, usize, f64)> = (0..6)
            .flat_map(|i| (0..6).map(move |j| (i, j)))
            .filter(|&(i, j)| rows[i][j] > 0)
            .map(|(i, j)| (i, j, f64::from(rows[i][j]) / 16.0))
            .collect();
        let chain = Joint::from_entries(6, &entries).unwrap();
        let states = States::joint(&loads, &chain).unwrap();
        let distinct: std::collections::HashSet<_> = loads.iter().collect();
        prop_assert_eq!(states.share_loads(), distinct.len() < 6);
        let imbalance =
            Imbalance::new(RunningCost::MaxMinusMean, &capacities(&[1, 1]), 10).unwrap();
        let psi: Vec<f64> = loads.iter().map(|loads| imbalance.cost(loads)).collect();
        if psi.iter().all(|psi| *psi > 0.0) {
            return Ok(());
        }
        let share = |times: &u32| rational(f64::from(*times) / 16.0);
        let rows: Vec<Vec<Rational>> = rows.iter().map(|row| row.iter().map(share).collect()).collect();
        let (j, remap) = exact(&rows, &psi, &rational(rho), after);
        let problem = Problem::new(&states, Box::new(chain), &imbalance, rho, after).unwrap();
        let solution = solve(&problem, &Settings::default(), &());
        for s in 0..6 {
            prop_assert!(holds(solution.bounds(s), &j[s]), "{s}: {:?}", solution.bounds(s));
            if psi[s] > 0.0 && !solution.is_tie(&problem, s) {
                let remaps = solution.decision(&problem, s) == Decision::Remap;
                prop_assert_eq!(remaps, j[s] == remap);
            }
        }
    }
}

/// A remap keeps what is not load: the k-th state with some loads becomes the k-th with balanced
/// ones.
#[test]
fn a_remap_keeps_the_phase() {
    let chain = Joint::from_entries(6, &(0..6).map(|s| (s, s, 1.0)).collect::<Vec<_>>()).unwrap();
    let imbalance = Imbalance::new(RunningCost::MaxMinusMean, &capacities(&[1, 1]), 10).unwrap();
    let of = |loads: [[i64; 2]; 6]| {
        let states = States::joint(&loads.map(|loads| loads.to_vec()), &chain).unwrap();
        rebalanced(&states, &imbalance)
    };
    let [a, b, c] = [[2, 0], [1, 1], [0, 2]];
    assert_eq!(of([a, b, c, a, b, c]).unwrap(), [1, 1, 1, 4, 4, 4]);
    assert_eq!(of([a, a, b, b, c, c]).unwrap(), [2, 3, 2, 3, 2, 3]);
    // There is no second balanced state.
    assert_eq!(of([a, b, c, a, c, c]).unwrap_err(), a.to_vec());
}
