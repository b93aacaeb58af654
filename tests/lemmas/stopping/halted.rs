//! What is halted has bounds that hold for the whole model, and is worth having near the end.

use super::*;
use remapping::stopping::{Model as Posed, Solved};
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
    ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() }
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
                let ((least, most), (low, high)) =
                    (truth.solution.bounds(state), found.bounds(&loads).unwrap());
                prop_assert!(low <= most && least <= high, "{:?}: {} {}", loads, low, high);
                let width = gap * rho.max(1.0) * (1.0 + 1e-9) + 1e-12 * rho;
                prop_assert!(high - low <= width, "{:?}: {} {} {}", loads, low, high, gap);
            }
        }
    }
}
