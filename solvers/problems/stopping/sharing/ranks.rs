//! The number of ranks that can share a stopping problem, and the memory of each.

use crate::model::file::ModelFile;
use crate::problems::Facts;
use crate::problems::stopping::model::Stopping;
use remapping::stopping::States;

/// Whether ranks can share models of this kind.
pub(in crate::problems::stopping) fn is_shared(model: &Stopping) -> bool {
    !(model.is_partial() || model.unbounded().is_some())
}

/// The vectors over the own states that value and policy iteration need. Below: the bytes of a rank
/// for any problem.
const VECTORS: [u64; 2] = [6, 22];
const RANK_BYTES: u64 = 60_000_000;

/// The vectors where programs continue after remaps.
const LONG_RUN_VECTORS: [u64; 2] = [14, 26];

/// The vectors where the remap cost depends on the loads, or there is an end; and the bytes of the
/// results in a state.
const VARIED_VECTORS: u64 = 24;
const VARIED_BYTES: u64 = 200;

/// The part of one rank.
pub(in crate::problems::stopping) struct Share {
    pub states: usize,
    /// The states of other ranks that it needs.
    pub halo: usize,
    /// The bytes of its rows while they are read, and of the loads of all states.
    pub listed: u64,
}

impl Share {
    /// The bytes that it needs for one of two methods; all ranks together have `all` states.
    pub fn bytes(&self, model: &Stopping, by_values: bool, all: usize) -> u64 {
        let way = if by_values { 0 } else { 1 };
        let (vectors, found) = match (model.is_varied(), model.restarts()) {
            // All results are sent to rank 0.
            (true, _) => (VARIED_VECTORS, VARIED_BYTES.saturating_mul(all as u64)),
            (false, true) => (LONG_RUN_VECTORS[way], 0),
            (false, false) => (VECTORS[way], 0),
        };
        let numbers = vectors.saturating_mul(self.states as u64).saturating_add(self.halo as u64);
        numbers.saturating_mul(8).saturating_add(found + self.listed + RANK_BYTES)
    }
}

/// The bytes of matrix entries while they are read and afterwards; and of the load vectors, in the
/// list and as names of their states.
pub(in crate::problems::stopping) fn listed(entries: u64, states: &States) -> u64 {
    40 * entries + states.count() as u64 * 2 * (64 + 8 * states.processes() as u64)
}

/// The largest part of this many ranks.
fn largest_share(
    loaded: &ModelFile,
    model: &Stopping,
    (states, ranks): (&States, usize),
) -> Option<Share> {
    if !model.is_joint() {
        let (own, halo) = states.largest_share(ranks)?;
        return Some(Share { states: own, halo, listed: 0 });
    }
    let count = states.count();
    let mut most = (0, 0, 0);
    for rank in (0..ranks).filter(|_| count >= ranks) {
        let rows = model.rows(loaded.folder(), (rank, ranks)).ok()?;
        let (own, needed) = (rows.own().len(), rows.needed().len());
        most.0 = most.0.max(own);
        most.1 = most.1.max(needed - own);
        most.2 = most.2.max(rows.entries() as u64);
    }
    let (own, halo, entries) = most;
    (own > 0).then(|| Share { states: own, halo, listed: listed(entries, states) })
}

/// The most ranks that can share the model, the reason for the limit, and what would help.
pub fn limit_of_ranks(model: &Stopping) -> (usize, &'static str) {
    if model.is_partial() {
        return (
            1,
            "partial remaps are solved on one rank: without partial_remaps ranks share them",
        );
    }
    if model.unbounded().is_some() {
        return (
            1,
            "Unbounded walks are solved on one rank: walks with a highest level are shared",
        );
    }
    let Ok(states) = model.space().map(States::for_ranks) else {
        return (1, "the model has no states");
    };
    let reason = match (model.is_joint(), states.most_ranks()) {
        (true, _) => "each rank needs a row of the transition matrix",
        (_, 1) if states.processes() < 3 => {
            "one process alone, or two that are equal, are not shared: they have few states"
        }
        (_, 1) => {
            "no process is alone of its kind and moves by a level at most: one such process, or a capacity of its own for \
             one, could be divided"
        }
        (_, most) if most == states.count() => "each rank needs a multiset of levels",
        _ => {
            "each rank needs a level of the process that is divided: the first, or the longest alone of its kind where that has \
             twice as many"
        }
    };
    (states.most_ranks(), reason)
}

/// The facts that `check` prints for this many ranks, which can share the model.
pub fn facts(loaded: &ModelFile, model: &Stopping, ranks: usize) -> Facts {
    let states = is_shared(model).then(|| model.space().ok().map(States::for_ranks)).flatten();
    let share = states
        .and_then(|states| Some((largest_share(loaded, model, (&states, ranks))?, states.count())));
    let Some((share, count)) = share else { return Vec::new() };
    let mut facts: Facts = vec![("states of each rank", share.states.into())];
    if model.is_varied() {
        facts.push(("bytes of each rank", share.bytes(model, false, count).into()));
    } else {
        let bytes = |by_values| share.bytes(model, by_values, count).into();
        facts.push(("bytes of each rank by value iteration", bytes(true)));
        facts.push(("bytes of each rank by policy iteration", bytes(false)));
    }
    facts.push(("bytes received by a rank in each application", (8 * share.halo as u64).into()));
    facts
}
