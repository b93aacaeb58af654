//! Persistent drift rates: slopes that a remap does not change, until all ranks draw new ones at
//! random times.
//!
//! Knowledge of the slopes outlives a remap, so the value after a remap is not one number for each
//! step. The policy is the best curve policy on sample paths (`search`). The lower bound is the
//! perfect-information optimum without penalties: on each path the shortest path over all steps
//! that a remap may follow. The bound is tight where slopes dominate, as these are learned soon,
//! and weak where increments dominate. Time for a path: O(K^2 P) for K steps and P ranks.

use super::ContinuousDrift;
use super::search::{self, Costs};
use super::summary::{imbalance, units_moved};
use super::workload::Loads;
use crate::load_drift::Curve;
use crate::load_drift::many::Path;
use crate::observer::{Halt, Observer};
use crate::parallel;
use crate::random::stream;
use crate::simulate::Workload;
use std::ops::ControlFlow;

/// Least and largest number of paths for the search; `COSTS` bounds the total number of costs.
const PATHS: [usize; 2] = [16, 96];
const COSTS: usize = 20_000_000;

/// Initial number of steps after a remap that are considered.
const FIRST: usize = 64;

/// Bound on the total number of loads that the search computes.
const LOADS: usize = 2_000_000_000;

/// Approximate cost of a remap where it pays, including units moved, from a few paths.
pub fn usual_price(problem: &ContinuousDrift) -> f64 {
    let longest = (problem.steps as usize).min(FIRST);
    let one = |run: u64| costs(problem, longest, 0x0ca1, run, &());
    let paths = parallel::runs(0..PATHS[0] as u64, &one);
    search::usual_price(&paths.expect("nobody stops it"), problem.remap_cost)
}

/// The best curve policy on separate paths.
///
/// # Errors
/// The halt that the observer requested.
pub fn rule(problem: &ContinuousDrift, seed: u64, observer: &dyn Observer) -> Result<Curve, Halt> {
    let steps = problem.steps as usize;
    let all = |paths: usize, longest: usize| -> Result<Vec<Costs>, Halt> {
        let one = |run: u64| costs(problem, longest, seed ^ 0x5107e, run, observer);
        parallel::runs(0..paths as u64, &one)
    };
    // A few paths give the spacing of remaps.
    let mut longest = steps.min(FIRST);
    loop {
        let spacing = search::spacing(&all(PATHS[0], longest)?, problem.remap_cost);
        let wanted = steps.min((6.0 * spacing) as usize + 16);
        if wanted <= longest {
            longest = wanted;
            break;
        }
        longest = steps.min(2 * longest);
    }
    let each = steps * longest;
    let paths = (COSTS / each).min(LOADS / (each * problem.ranks())).clamp(PATHS[0], PATHS[1]);
    search::best(&all(paths, longest)?, problem.remap_cost, observer)
}

/// Cost of each step of a path by the last remap before it, up to `longest` steps earlier.
fn costs(
    problem: &ContinuousDrift,
    longest: usize,
    seed: u64,
    run: u64,
    observer: &dyn Observer,
) -> Result<Costs, Halt> {
    let steps = problem.steps as usize;
    let workload = Loads::new(problem.clone());
    let mut world = workload.start(stream(seed, run));
    let mut costs = Costs::new(steps, longest, problem.per_unit_moved > 0.0);
    let mut loads = Vec::with_capacity(problem.ranks());
    for step in 1..=steps {
        if let ControlFlow::Break(halt) = observer.check() {
            return Err(halt);
        }
        workload.advance(&mut world);
        for last in step.saturating_sub(longest)..step {
            workload.loads(&world, &last, &mut loads);
            let moved = match problem.per_unit_moved {
                0.0 => 0.0,
                each => each * units_moved(&loads),
            };
            costs.set(last, step - last, imbalance(&loads).0, moved);
        }
    }
    Ok(costs)
}

/// Path number `run`: the cost of the policy, and the perfect-information optimum.
///
/// # Errors
/// The halt that the observer requested.
pub fn path(
    problem: &ContinuousDrift,
    curve: &Curve,
    seed: u64,
    run: u64,
    observer: &dyn Observer,
) -> Result<Path, Halt> {
    let steps = problem.steps as usize;
    let costs = costs(problem, steps, seed, run, observer)?;
    let mut best = vec![0.0; steps + 1];
    for last in (0..steps).rev() {
        let (mut paid, mut least) = (0.0, f64::INFINITY);
        for (step, rest) in best.iter().enumerate().skip(last + 1) {
            let since = step - last;
            paid += costs.of(last, since);
            let remap =
                if step < steps { problem.remap_cost + costs.moved(last, since) } else { 0.0 };
            least = least.min(paid + remap + rest);
        }
        best[last] = least;
    }
    let remaps =
        |step: usize, since: usize, cost: f64| curve.remaps(step as u64, since as u64, cost);
    let (cost, remaps) = costs.follow(problem.remap_cost, remaps);
    Ok(Path { lower: best[0], upper: cost, cost, work: 0.0, remaps, ruled: (cost, remaps) })
}
