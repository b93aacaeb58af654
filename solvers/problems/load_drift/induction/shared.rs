//! Solves `LoadDrift` on several ranks, each of which has its own states.

use super::course::Course;
use crate::complaint::Complaint;
use crate::model::file::ModelFile;
use crate::problems::load_drift::model::LoadDrift;
use crate::problems::load_drift::{bounds, solve};
use crate::problems::together::{Together, on_any, shortage};
use crate::problems::{Asked, Facts, Files, Found, Settings};
use crate::run::Watch;
use remapping::Status;
use remapping::chain::Multisets;
use remapping::communicator::{Communicator, Shares};
use remapping::load_drift::{Ranks, Transition};
use std::sync::Arc;

/// The bytes that a rank needs for any problem.
const RANK_BYTES: u64 = 60_000_000;

/// Whether this many ranks can share the model: the paths of the bounds, or all states where loads
/// move by at most a level.
pub fn is_possible(model: &LoadDrift, settings: &Settings, ranks: usize) -> bool {
    bounds::are_wanted(model, settings) || shares(model, ranks).is_some()
}

/// Whether they share the recursion itself.
pub fn is_recursion(model: &LoadDrift, settings: &Settings, ranks: usize) -> bool {
    !bounds::are_wanted(model, settings) && shares(model, ranks).is_some()
}

/// Solves the model with the other ranks; the first one has the answer. `None` where it cannot be
/// shared.
pub fn solve(
    loaded: &ModelFile,
    model: &LoadDrift,
    settings: &Settings,
    files: Files<'_>,
    (watch, communicator): (&Watch, &Arc<dyn Communicator>),
    course: Option<&mut Course>,
) -> Result<Option<Found>, Vec<Complaint>> {
    // Machines may differ in their free memory, so the ranks must agree.
    let (asked, others) = (Asked { loaded, settings, files, watch }, Some(&**communicator));
    if on_any(others, bounds::are_wanted(model, settings)) {
        return bounds::solve(&asked, model, others).map(Some);
    }
    let Some(shares) = shares(model, communicator.ranks()) else { return Ok(None) };
    let own = needed(model, &shares, communicator.rank());
    if let Some(shortage) = shortage(own, &**communicator) {
        return Err(solve::refused(loaded, &shortage, Some(Status::IterationLimit)));
    }
    let ranks = match communicator.ranks() {
        1 => Ranks::alone(),
        _ => Ranks::new(communicator.clone(), shares),
    };
    let together = Together::new(watch, &**communicator);
    solve::solve_on(&asked, model, &together, (&ranks, course))
}

/// The most ranks that can share the model, the reason for the limit, and what would help.
pub fn limit_of_ranks(model: &LoadDrift, settings: &Settings) -> (usize, &'static str) {
    if bounds::are_wanted(model, settings) {
        return (usize::MAX, "each rank needs paths");
    }
    if !model.stops() {
        let reason = "remaps that come into force later are looked ahead for on one rank: --method bounds shares paths";
        return (1, reason);
    }
    let problem = model.problem();
    let transition = Transition::new(&problem.chain, problem.processors);
    match transition.ok().and_then(|transition| transition.most_ranks()) {
        Some(most) => (most, "each rank needs a block of states: take fewer ranks"),
        None => (
            1,
            "all states are shared of three processors or more whose loads move by a level at most: --method bounds shares paths",
        ),
    }
}

/// The facts that `check` prints for this many ranks, which can share the model.
pub fn facts(model: &LoadDrift, ranks: usize) -> Facts {
    if bounds::are_wanted(model, &Settings::default()) {
        return Vec::new();
    }
    let Some(shares) = shares(model, ranks) else { return Vec::new() };
    let all = 0..ranks;
    let most = |of: &dyn Fn(usize) -> u64| all.clone().map(of).max().unwrap_or(0);
    let halo = |rank| (shares.window(rank).len() - shares.own(rank).len()) as u64;
    vec![
        ("states of each rank", most(&|rank| shares.own(rank).len() as u64).into()),
        ("bytes of each rank", most(&|rank| needed(model, &shares, rank)).into()),
        ("bytes received by a rank for each expectation", most(&|rank| 8 * halo(rank)).into()),
    ]
}

/// The states of each rank. Delayed remaps need look-ahead, which one rank must do alone.
fn shares(model: &LoadDrift, ranks: usize) -> Option<Shares> {
    if !model.stops() {
        return None;
    }
    let problem = model.problem();
    Transition::new(&problem.chain, problem.processors).ok()?.shares(ranks)
}

/// The bytes that a rank needs.
fn needed(model: &LoadDrift, shares: &Shares, rank: usize) -> u64 {
    if shares.ranks() == 1 {
        return model.memory() + RANK_BYTES;
    }
    let problem = model.problem();
    let (r, levels) = (problem.processors, problem.chain.levels());
    // The functions that remain after one processor has moved, after two, ...
    let scratch = Multisets::new(r - 1, levels + 1).map_or(0, |sets| sets.states() as u64);
    // Value, work, remaps; total, largest level, decisions; the cost of moved units.
    let vectors = if problem.per_unit_moved > 0.0 { 4 } else { 3 };
    let own = shares.own(rank).len() as u64;
    own * (8 * vectors + 4 + 2)
        + own / 2
        + 8 * (shares.window(rank).len() as u64 + scratch)
        + RANK_BYTES
}
