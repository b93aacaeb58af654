//! Remaps of some units: against a long recursion over load vectors, with remaps made by hand.

use super::*;
use crate::thorough::few_or_all;
use remapping::stopping::{
    Exchange, Partial, long_run_at, long_run_partial, partial_targets, units_moved,
};
use std::collections::HashMap;

/// What moving 1, 2, ... units from the largest load to the least leads to.
fn by_hand(loads: &[i64]) -> Vec<Vec<i64>> {
    let (mut now, mut all) = (loads.to_vec(), Vec::new());
    loop {
        now.sort_unstable();
        let last = now.len() - 1;
        if now[last] - now[0] <= 1 {
            return all;
        }
        now[0] += 1;
        now[last] -= 1;
        all.push(now.clone());
    }
}

/// The average cost of a step far from the end.
fn by_recursion(model: &Model, [fixed, each]: [f64; 2], whole: bool) -> f64 {
    let (states, _) = model.states(false);
    let place: HashMap<Vec<i64>, usize> =
        (0..states.count()).map(|s| (states.loads(s), s)).collect();
    let rows = model.doubles();
    let psi: Vec<f64> =
        (0..states.count()).map(|s| model.imbalance.cost(&states.loads(s))).collect();
    let moves: Vec<Vec<(f64, usize)>> = (0..states.count())
        .map(|s| {
            let to = by_hand(&states.loads(s));
            let costs = (1..).map(|units: i32| fixed + each * f64::from(units));
            let all: Vec<_> = costs.zip(to.iter().map(|loads| place[loads])).collect();
            if whole { all.last().copied().into_iter().collect() } else { all }
        })
        .collect();
    let mut v = vec![0.0; psi.len()];
    let mut before = 0.0;
    for step in 0..6000 {
        if step == 4000 {
            before = v[0];
        }
        let go: Vec<f64> = rows
            .iter()
            .zip(&psi)
            .map(|(row, psi)| psi + row.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>())
            .collect();
        let least =
            |s: usize| moves[s].iter().map(|(cost, to)| cost + go[*to]).fold(go[s], f64::min);
        v = (0..psi.len()).map(least).collect();
    }
    (v[0] - before) / 2000.0
}

/// Remaps of some units and whole ones; that they agree with what is known of them is asserted.
fn partial_and_whole(model: &Model, lump: bool, costs: [f64; 2]) -> [Partial; 2] {
    let (states, problem) = model.problem(lump, costs[0], AfterRemap::Stop);
    let targets = partial_targets(&states, &model.imbalance).unwrap();
    let exchange = Exchange::of_equal_processes(&states, &model.imbalance);
    let moved = units_moved(&states, &model.imbalance, &exchange);
    let back = rebalanced(&states, &model.imbalance).unwrap();
    for s in 0..states.count() {
        assert_eq!(targets[s].len() as i64, moved[s]);
        // Equal shares have no order of their own.
        assert!(!lump || targets[s].last().is_none_or(|last| *last == back[s]));
    }
    let limits = (1e-9, 1_000_000);
    let [partial, whole] = [false, true]
        .map(|whole| long_run_partial(&problem, &targets, (costs, whole), limits, &()));
    assert!(partial.average.lower <= whole.average.upper);
    let all: Vec<f64> = moved.iter().map(|units| costs[0] + costs[1] * *units as f64).collect();
    let known = long_run_at(&problem, &all, &back, None, &Settings::default(), &());
    assert!(meet(whole.average, known.average));
    for ((targets, some), all) in targets.iter().zip(&partial.units).zip(&whole.units) {
        assert!(*some <= targets.len() && [0, targets.len()].contains(all));
    }
    [partial, whole]
}

fn sixteenths((up, down): (u8, u8), levels: usize) -> ProcessChain {
    shared::walk(levels, f64::from(up) / 16.0, f64::from(down) / 16.0, Edge::Hold)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(4, 12)))]

    #[test]
    fn the_best_average_is_that_of_a_long_recursion(
        (levels, count) in prop::sample::select(vec![(3usize, 2usize), (6, 2), (3, 3), (4, 3)]),
        moves in (1u8..5, 1u8..5),
        (fixed, each) in (0u8..8, 0u8..8),
    ) {
        let costs = [f64::from(fixed) / 4.0, f64::from(each) / 4.0];
        let model = Model::of(vec![sixteenths(moves, levels); count]);
        for lump in [false, true] {
            for (found, whole) in partial_and_whole(&model, lump, costs).iter().zip([false, true]) {
                prop_assert_eq!(found.status, Status::Converged);
                let (exact, average) = (by_recursion(&model, costs, whole), found.average);
                prop_assert!(average.lower - 1e-7 < exact && exact < average.upper + 1e-7, "{found:?} {exact}");
            }
        }
    }

    #[test]
    fn processes_that_move_differently_keep_their_shares(
        levels in 2..5usize,
        moves in prop::collection::vec((1u8..8, 1u8..8), 2..4),
        (fixed, each) in (0u8..4, 0u8..4),
    ) {
        let costs = [f64::from(fixed) / 8.0, f64::from(each) / 8.0];
        let model = Model::of(moves.into_iter().map(|moves| sixteenths(moves, levels)).collect());
        partial_and_whole(&model, true, costs);
    }
}
