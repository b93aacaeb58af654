//! What is halted, or has too little memory, has bounds that hold for the whole model; near the end
//! they are worth having.

use super::*;
use crate::shared::Asked;
use crate::thorough::samples;
use remapping::stopping::{Model as Posed, Solved, memory_estimate};

/// The solution after at most so much work, and how much there was: counted, so that runs are the
/// same.
fn halted(model: Posed, settings: &Settings, most: u64) -> (Solved, u64) {
    let work = Asked::at_most(most);
    let solved = model.solve(settings, &work).unwrap();
    (solved, work.times())
}

fn posed(processes: &[Process], rho: f64) -> Posed {
    Posed::independent(processes, RunningCost::MaxMinusMean).unwrap().remap_cost(rho)
}

/// The solution on all states.
fn known(processes: &[Process], rho: f64) -> Solved {
    let all = Settings { regions: false, ..Settings::default() };
    posed(processes, rho).solve(&all, &()).unwrap()
}

/// Three or four different walks, long enough for a forecast on every other level.
fn walks() -> impl Strategy<Value = Vec<Process>> {
    let one = (0.05..0.45f64, 0.05..0.45f64, edges(), 0..3usize);
    (3..5usize, prop::collection::vec(one, 4)).prop_map(|(count, all)| {
        let levels = if count == 3 { 36 } else { 17 };
        let process = |(up, down, edge, more): &(f64, f64, Edge, usize)| Process {
            lowest: 0,
            chain: shared::walk(levels + more, *up, *down, *edge),
        };
        all[..count].iter().map(process).collect()
    })
}

/// Each case is solved seven times.
fn few() -> ProptestConfig {
    ProptestConfig { cases: samples(10), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn what_is_halted_is_bounded_everywhere(
        processes in walks(), cost in 1.0..8.0f64, early in prop::collection::vec(0.0..1.0f64, 4),
    ) {
        let rho = cost.exp();
        let truth = known(&processes, rho);
        prop_assert_eq!(truth.solution.status, Status::Converged);
        let solve = |most| halted(posed(&processes, rho), &Settings::default(), most);
        let (_, all) = solve(u64::MAX);
        let part = |share: &f64| (share * share * all as f64) as u64;
        for most in early.iter().map(part).chain([all - 1, u64::MAX]) {
            let (found, _) = solve(most);
            let Solution { gap, status, .. } = found.solution;
            prop_assert!(gap <= rho / rho.max(1.0) * (1.0 + 1e-12));
            prop_assert!((status == Status::Converged) == (gap <= 1e-9), "{:?} {}", status, gap);
            // One step before the end only the last digits are missing.
            prop_assert!(most < all - 1 || gap <= 1e-2, "{} of {}: {}", most, all, gap);
            prop_assert!(encloses(&found, &truth, rho), "{:?} {}", status, gap);
        }
    }
}

/// The solution where all states together have too little memory, a `share` of what they need.
fn cramped(processes: &[Process], rho: f64, share: f64) -> Option<Solved> {
    let states = States::independent(processes, |_, _| true).unwrap().0;
    let needed = memory_estimate(&states, Method::Auto);
    let memory = (share * needed as f64) as u64;
    match posed(processes, rho).solve(&Settings { memory, ..Settings::default() }, &()) {
        Err(ModelError::Memory { needed: all, .. }) if all == needed => None,
        found => Some(found.unwrap()),
    }
}

/// Whether the bounds of `found` hold wherever those of `truth` do, and are no wider than they say.
fn encloses(found: &Solved, truth: &Solved, rho: f64) -> bool {
    (0..truth.states.count()).step_by(7).all(|state| {
        let loads = truth.states.loads(state);
        let bounds = found.bounds(&loads).unwrap();
        let width = found.solution.gap * rho.max(1.0) * (1.0 + 1e-9) + 1e-12 * rho;
        meet(bounds, truth.solution.bounds(state)) && bounds.width() <= width
    })
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn what_has_too_little_memory_is_bounded_everywhere(
        processes in walks(), cost in 1.0..8.0f64, shares in prop::collection::vec(0.0..1.0f64, 3),
    ) {
        let rho = cost.exp();
        let truth = known(&processes, rho);
        for found in shares.iter().filter_map(|share| cramped(&processes, rho, share * share)) {
            let Solution { gap, status, .. } = found.solution;
            prop_assert!((status == Status::Converged) == (gap <= 1e-9), "{:?} {}", status, gap);
            prop_assert!(status == Status::Converged || status == Status::IterationLimit);
            prop_assert!(encloses(&found, &truth, rho), "{:?} {}", status, gap);
        }
    }
}

/// As memory grows there is nothing, then bounds, then the solution.
#[test]
fn the_last_region_that_fits_has_bounds() {
    for (levels, rho) in [(vec![40, 41, 42], 3000.0), (vec![30; 4], 300.0)] {
        let processes: Vec<Process> =
            levels.into_iter().map(|levels| Process { lowest: 0, chain: walk(levels) }).collect();
        let truth = known(&processes, rho);
        let mut seen = Vec::new();
        for k in 0..24 {
            let Some(found) = cramped(&processes, rho, 0.7f64.powi(k)) else {
                seen.push(Status::TimeLimit);
                continue;
            };
            assert!(encloses(&found, &truth, rho), "{k}");
            seen.push(found.solution.status);
        }
        assert!(seen.contains(&Status::IterationLimit), "{seen:?}");
        assert_eq!(seen[23], Status::TimeLimit, "nothing is known");
    }
}

/// Where a remap leads anywhere, what is halted halfway is known to a hundredth, and at any time
/// nothing false is.
#[test]
fn uniform_is_bounded_when_it_is_halted() {
    for (count, levels, edge, rho) in
        [(5, 9, Edge::Hold, 20.0), (3, 24, Edge::Reflect, 30.0), (2, 40, Edge::Hold, 5.0)]
    {
        let chain = shared::walk(levels, 0.25, 0.25, edge);
        let processes = vec![Process { lowest: 0, chain }; count];
        let solve = |most: u64| {
            let model = posed(&processes, rho).after(AfterRemap::Uniform);
            halted(model, &Settings::default(), most)
        };
        let (truth, all) = solve(u64::MAX);
        let states = truth.states.count();
        assert_eq!(truth.solution.status, Status::Converged);
        for part in 0..12 {
            let (found, _) = solve(part * all / 12);
            let (found, truth) = (&found.solution, &truth.solution);
            let gap = found.gap;
            assert!(gap.is_finite() && (part < 7 || gap <= 1e-2), "{part} {gap}");
            assert!(meet(found.remap_bounds(), truth.remap_bounds()), "{:?}", found.remap_bounds());
            for state in 0..states {
                let bounds = found.bounds(state);
                assert!(meet(bounds, truth.bounds(state)), "{part}, {state}: {bounds:?}");
            }
        }
    }
}
