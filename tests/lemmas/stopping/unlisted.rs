//! Bounds that need no list of the states, beside what solving for all states gives.

use super::*;
use crate::thorough::{few_or_all, some};
use remapping::stopping::{Anywhere, Blind, Paid};

/// The best average of independent processes, and what is known of it without their joint states.
fn beside(chains: &[ProcessChain], capacities: &[i64], cost: RunningCost, rho: f64) -> [f64; 4] {
    let mut model = Model::new(chains.to_vec(), capacities, cost);
    model.processes.iter_mut().for_each(|process| process.lowest = 1);
    let (states, problem) = model.problem(true, rho, AfterRemap::Stop);
    let back = rebalanced(&states, &model.imbalance).unwrap();
    let best = long_run(&problem, &back, None, &Settings::default(), &()).average;
    let lower = Anywhere::new(&model.processes, &super::capacities(capacities)).average(rho, &());
    let blind = Blind::new(&model.processes, &model.imbalance);
    let (_, every) = blind.every(rho, &());
    let upper = blind.never().map_or(every, |never| never.min(every));
    [lower, best.lower, best.upper, upper]
}

#[test]
fn the_best_average_lies_between_bounds_without_states() {
    let kinds =
        [RunningCost::MaxMinusMean, RunningCost::MaxAbsDeviation, RunningCost::EuclideanDeviation];
    for (levels, r, rho) in
        some(2, [(6, 2, 1.0), (8, 4, 3.0), (9, 3, 0.1), (5, 7, 2.0), (4, 3, 500.0)])
    {
        for kind in kinds {
            let [lower, low, high, upper] = beside(&vec![walk(levels); r], &vec![1; r], kind, rho);
            assert!(0.0 < lower && lower <= high, "{levels} {r} {rho}: {lower} {high}");
            assert!(low <= upper, "{levels} {r} {rho}: {low} {upper}");
            if kind == RunningCost::MaxMinusMean {
                // Never remapping is best where remaps are dear, and one group is all there is.
                // Cheap remaps lead to balance in the lower bound, and to what the total allows in
                // truth.
                let close = if rho < 1.0 { 0.2 } else { 0.6 };
                let near = upper <= 2.2 * high && lower >= close * low;
                assert!(near, "{levels} {r} {rho}: {lower} {low} {high} {upper}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(few_or_all(6, 16)))]

    #[test]
    fn of_different_processes_too(
        chains in prop::collection::vec(chain(2..6), 2..4),
        capacities in prop::collection::vec(1i64..4, 3),
        rho in 0.0..8.0f64,
    ) {
        let chains: Vec<_> = chains.into_iter().map(ProcessChain::BirthDeath).collect();
        for kind in [RunningCost::MaxMinusMean, RunningCost::EuclideanDeviation] {
            let capacities = &capacities[..chains.len()];
            let [lower, low, high, upper] = beside(&chains, capacities, kind, rho);
            // Chains that fall apart have an average for each part.
            prop_assert!(lower <= high.max(low) && low <= upper, "{lower} {low} {high} {upper}");
        }
    }
}

/// Drifting loads: what few processors cost if remaps led anywhere is less than what all of them
/// cost, and the bound of many steps from few of them holds.
#[test]
fn drifting_loads_cost_no_less_than_groups_of_them() {
    use crate::load_drift::problems::figure;
    use remapping::load_drift::{Intervals, LoadDrift, Timing};
    let chain = walk(7);
    for (timing, paid) in [(Timing::AfterStep, Paid::After), (Timing::BeforeStep, Paid::Before)] {
        for (processors, steps, remap_cost) in [(2, 30, 2.0), (4, 50, 3.0), (6, 2000, 1.0)] {
            let (chain, plain) = (chain.clone(), figure(processors, steps, remap_cost));
            let process = Process { lowest: 1, chain: chain.clone() };
            let problem = LoadDrift { chain, initial: 3, timing, ..plain };
            let groups =
                Anywhere::new(&vec![process; processors], &vec![Rational::ONE; processors]);
            let lower = groups.total(remap_cost, (4, steps), paid, &());
            let best = Intervals::new(&problem, 1000, &()).best().outcome.value;
            assert!(0.3 * best < lower && lower <= best, "{timing:?} {processors}: {lower} {best}");
        }
    }
}
