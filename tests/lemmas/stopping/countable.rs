//! Walks without a highest load: bounds by truncation hold what any chain costs that agrees on the
//! levels kept.

use super::*;

use remapping::stopping::Unbounded;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_cut_changes_nothing(
        (up, down) in (1u8..8, 1u8..8),
        reflect in any::<bool>(),
        count in 2usize..4,
        rho in 1u8..12,
        lowest in -2i64..3,
        edge in any::<bool>(),
    ) {
        let (up, down, rho) = (f64::from(up) / 16.0, f64::from(down) / 16.0, f64::from(rho) / 2.0);
        let walks = Unbounded { count, lowest, up, down, reflect };
        let imbalance =
            Imbalance::new(RunningCost::MaxMinusMean, &capacities(&vec![1; count]), 1000).unwrap();
        let found = walks.solve(&imbalance, rho, 4, (1e-6, 200_000), &()).unwrap();
        prop_assert_eq!(found.status, Status::Converged);
        // Another chain, with a highest load beyond what was kept.
        let levels = found.levels + 3;
        let (mut ups, mut downs) = (vec![up; levels], vec![down; levels]);
        (ups[levels - 1], downs[0]) = (0.0, 0.0);
        if reflect {
            ups[0] += down;
        }
        if edge {
            downs[levels - 1] += up;
        }
        let chain = ProcessChain::BirthDeath(BirthDeath::new(ups, downs).unwrap());
        let process = Process { lowest, chain };
        let (states, operator) = States::independent(&vec![process; count], |_, _| true).unwrap();
        let problem = Problem::new(&states, operator, &imbalance, rho, AfterRemap::Stop).unwrap();
        let solution = solve(&problem, &Settings::default(), &());
        for s in 0..found.states.count() {
            let state = states.find(&found.states.loads(s)).unwrap();
            prop_assert!(meet((found.lower[s], found.upper[s]).into(), solution.bounds(state)));
            prop_assert!(found.upper[s] - found.lower[s] <= 1e-6 * rho.max(1.0));
            if !found.ties[s] && !solution.is_tie(&problem, state) {
                prop_assert_eq!(found.decision[s], solution.decision(&problem, state));
            }
        }
    }

    /// Few levels: what is left open is what may happen beyond them.
    #[test]
    fn bounds_of_few_levels_hold(up in 1u8..8, down in 1u8..8, rho in 1u8..12) {
        let (up, down, rho) = (f64::from(up) / 16.0, f64::from(down) / 16.0, f64::from(rho) / 2.0);
        let walks = Unbounded { count: 2, lowest: 0, up, down, reflect: false };
        let imbalance =
            Imbalance::new(RunningCost::MaxMinusMean, &capacities(&[1, 1]), 1000).unwrap();
        let rough = walks.solve(&imbalance, rho, 3, (1e-9, 1), &()).unwrap();
        let fine = walks.solve(&imbalance, rho, 3, (1e-9, 1_000_000), &()).unwrap();
        prop_assert_eq!(fine.status, Status::Converged);
        prop_assert_eq!(rough.levels, 6);
        for s in 0..rough.states.count() {
            prop_assert!(rough.lower[s] <= fine.upper[s] && fine.lower[s] <= rough.upper[s]);
        }
    }
}
