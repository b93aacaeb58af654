//! What is halted, or has too little memory, has bounds that hold for the whole model; near the end
//! they are worth having.

use super::*;
use crate::thorough::samples;
use remapping::Bounds;
use remapping::stopping::{Model as Posed, Solved, memory_estimate};
use remapping::{Halt, Observer};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

/// Halts when it has been asked so many times: counted work, so that runs are the same.
struct Work {
    asked: AtomicU64,
    most: u64,
}

impl Observer for Work {
    fn progress(&self, _: u64, _: u64) -> ControlFlow<Halt> {
        match self.asked.fetch_add(1, Ordering::Relaxed) < self.most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Halt::TimeLimit),
        }
    }
}

/// The solution after at most so much work, and how much there was.
fn halted(processes: &[Process], rho: f64, regions: bool, most: u64) -> (Solved, u64) {
    let work = Work { asked: AtomicU64::new(0), most };
    let settings = Settings { regions, ..Settings::default() };
    let model = Posed::independent(processes, RunningCost::MaxMinusMean).unwrap();
    let solved = model.remap_cost(rho).solve(&settings, &work).unwrap();
    (solved, work.asked.into_inner())
}

/// Three or four different walks, long enough for a forecast on every other level.
fn walks() -> impl Strategy<Value = Vec<Process>> {
    let one = (0.05..0.45f64, 0.05..0.45f64, any::<bool>(), 0..3usize);
    (3..5usize, prop::collection::vec(one, 4)).prop_map(|(count, all)| {
        let levels = if count == 3 { 36 } else { 17 };
        let process = |(up, down, reflect, more): &(f64, f64, bool, usize)| {
            let edge = if *reflect { Edge::Reflect } else { Edge::Hold };
            let chain = BirthDeath::walk(levels + more, *up, *down, edge).unwrap();
            Process { lowest: 0, chain: ProcessChain::BirthDeath(chain) }
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
        let (truth, _) = halted(&processes, rho, false, u64::MAX);
        prop_assert_eq!(truth.solution.status, Status::Converged);
        let (_, all) = halted(&processes, rho, true, u64::MAX);
        let part = |share: &f64| (share * share * all as f64) as u64;
        for most in early.iter().map(part).chain([all - 1, u64::MAX]) {
            let (found, _) = halted(&processes, rho, true, most);
            let Solution { gap, status, .. } = found.solution;
            prop_assert!(gap <= rho / rho.max(1.0) * (1.0 + 1e-12));
            prop_assert!((status == Status::Converged) == (gap <= 1e-9), "{:?} {}", status, gap);
            // One step before the end only the last digits are missing.
            prop_assert!(most < all - 1 || gap <= 1e-2, "{} of {}: {}", most, all, gap);
            for state in (0..truth.states.count()).step_by(7) {
                let loads = truth.states.loads(state);
                let Bounds { lower: least, upper: most } = truth.solution.bounds(state);
 let Bounds { lower: low, upper: high } = found.bounds(&loads).unwrap();
                prop_assert!(low <= most && least <= high, "{:?}: {} {}", loads, low, high);
                let width = gap * rho.max(1.0) * (1.0 + 1e-9) + 1e-12 * rho;
                prop_assert!(high - low <= width, "{:?}: {} {} {}", loads, low, high, gap);
            }
        }
    }
}

/// The solution where all states together have too little memory, a `share` of what they need.
fn cramped(processes: &[Process], rho: f64, share: f64) -> Option<Solved> {
    let model = Posed::independent(processes, RunningCost::MaxMinusMean).unwrap();
    let states = States::independent(processes, |_, _| true).unwrap().0;
    let needed = memory_estimate(&states, Method::Auto);
    let memory = (share * needed as f64) as u64;
    let found = model.remap_cost(rho).solve(&Settings { memory, ..Settings::default() }, &());
    match found {
        Err(ModelError::Memory { needed: all, .. }) if all == needed => None,
        found => Some(found.unwrap()),
    }
}

/// Whether the bounds of `found` hold wherever those of `truth` do, and are no wider than they say.
fn encloses(found: &Solved, truth: &Solved, rho: f64) -> bool {
    (0..truth.states.count()).step_by(7).all(|state| {
        let loads = truth.states.loads(state);
        let Bounds { lower: least, upper: most } = truth.solution.bounds(state);
        let Bounds { lower: low, upper: high } = found.bounds(&loads).unwrap();
        let width = found.solution.gap * rho.max(1.0) * (1.0 + 1e-9) + 1e-12 * rho;
        low <= most && least <= high && high - low <= width
    })
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn what_has_too_little_memory_is_bounded_everywhere(
        processes in walks(), cost in 1.0..8.0f64, shares in prop::collection::vec(0.0..1.0f64, 3),
    ) {
        let rho = cost.exp();
        let (truth, _) = halted(&processes, rho, false, u64::MAX);
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
    let walk = |levels| {
        let chain = BirthDeath::walk(levels, 0.25, 0.25, Edge::Reflect).unwrap();
        Process { lowest: 0, chain: ProcessChain::BirthDeath(chain) }
    };
    let processes = [walk(40), walk(41), walk(42)];
    let (truth, _) = halted(&processes, 3000.0, false, u64::MAX);
    let equal = vec![walk(30); 4];
    let (of_equal, _) = halted(&equal, 300.0, false, u64::MAX);
    for (processes, truth, rho) in [(&processes[..], &truth, 3000.0), (&equal, &of_equal, 300.0)] {
        let mut seen = Vec::new();
        for k in 0..24 {
            let Some(found) = cramped(processes, rho, 0.7f64.powi(k)) else {
                seen.push(Status::TimeLimit);
                continue;
            };
            assert!(encloses(&found, truth, rho), "{k}");
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
        let chain = ProcessChain::BirthDeath(BirthDeath::walk(levels, 0.25, 0.25, edge).unwrap());
        let processes = vec![Process { lowest: 0, chain }; count];
        let solve = |most: u64| {
            let work = Work { asked: AtomicU64::new(0), most };
            let model = Posed::independent(&processes, RunningCost::MaxMinusMean).unwrap();
            let model = model.remap_cost(rho).after(AfterRemap::Uniform);
            let solved = model.solve(&Settings::default(), &work).unwrap();
            (solved, work.asked.into_inner())
        };
        let (truth, all) = solve(u64::MAX);
        let states = truth.states.count();
        assert_eq!(truth.solution.status, Status::Converged);
        for part in 0..12 {
            let (found, _) = solve(part * all / 12);
            let (found, truth) = (&found.solution, &truth.solution);
            assert!(
                found.gap.is_finite() && (part < 7 || found.gap <= 1e-2),
                "{part} {}",
                found.gap
            );
            let bounds = [found.remap_bounds(), truth.remap_bounds()];
            let [one, other] = bounds;
            assert!(one.lower <= other.upper && other.lower <= one.upper, "{bounds:?}");
            for state in 0..states {
                let Bounds { lower: least, upper: most } = truth.bounds(state);
                let Bounds { lower: low, upper: high } = found.bounds(state);
                assert!(low <= most && least <= high, "{part}, {state}: {low} {high}");
            }
        }
    }
}
