//! The distribution of a problem over ranks, and collective operations on it.

use super::states::{Group, Kind, States, joint};
use crate::chain::{Divided, ProcessChain, Shared};
use crate::communicator::{Communicator, Shares, Standing};
use std::sync::Arc;

/// The ranks that solve a problem together with their shares of the states; `None` for one rank.
pub(in crate::stopping) type Others = Option<(Arc<dyn Communicator>, Shares)>;

/// The maximum over all ranks, component by component.
pub(in crate::stopping) fn largest<const N: usize>(others: &Others, mut own: [f64; N]) -> [f64; N] {
    if let Some((communicator, _)) = others {
        communicator.largest(&mut own);
    }
    own
}

/// The numbers of all ranks, concatenated in their order.
pub(in crate::stopping) fn gather(others: &Others, own: Vec<f64>) -> Vec<f64> {
    match others {
        Some((communicator, _)) => communicator.gather(&own),
        None => own,
    }
}

/// The saved state of an earlier run of the iteration that begins here.
pub(in crate::stopping) fn resume(others: &Others) -> Option<Standing<'static>> {
    others.as_ref().and_then(|(communicator, shares)| communicator.resume(shares))
}

/// Lets the ranks save the state of an iteration.
pub(in crate::stopping) fn save<'s>(
    others: &Others,
    standing: &dyn Fn() -> Standing<'s>,
    is_last: bool,
) {
    if let Some((communicator, shares)) = others {
        communicator.save(shares, standing, is_last);
    }
}

/// The index of the first own state among all states.
pub(in crate::stopping) fn first(others: &Others) -> usize {
    others.as_ref().map_or(0, |(communicator, shares)| shares.own(communicator.rank()).start)
}

/// Another process is divided instead of the first if it has this many times as many levels.
const LONGER: usize = 2;

impl States {
    /// The same states in the best order for ranks: the process whose levels they divide comes
    /// first. That is the first process, unless another one without equals has twice as many
    /// levels, or the first cannot be divided. The order does not depend on the number of ranks, so
    /// neither do the results.
    pub fn for_ranks(mut self) -> States {
        let Kind::Groups { groups, .. } = &mut self.0 else { return self };
        let levels = |group: &Group| match &group.chain {
            ProcessChain::BirthDeath(chain) if group.members.len() == 1 => chain.levels(),
            _ => 0,
        };
        let first = groups.first().map_or(0, levels);
        // The first of equally long ones.
        let longest = (0..groups.len()).rev().max_by_key(|&k| levels(&groups[k]));
        if let Some(longest) = longest.filter(|&k| levels(&groups[k]) >= LONGER * first.max(1)) {
            groups[..=longest].rotate_right(1);
        }
        self
    }

    /// The process that comes first in the order of the states.
    pub fn leading(&self) -> usize {
        self.groups().and_then(|groups| groups.first()).map_or(0, |group| group.members[0])
    }

    /// The greatest number of ranks that can [share](Self::share) the states; 1 if they cannot be
    /// shared.
    pub fn most_ranks(&self) -> usize {
        match self.divided() {
            Some(parts) => parts.most().unwrap_or(1),
            // Rows of a listed chain.
            None if self.groups().is_none() => self.count(),
            None => 1,
        }
    }

    /// The part of the rank of `communicator` in the joint chain of these states. `None` if the
    /// states are listed, or there are fewer levels (or multisets) than ranks. Also `None` if the
    /// first of several processes is lumped or has no birth–death chain (see
    /// [`for_ranks`](Self::for_ranks)).
    pub fn share(&self, communicator: Arc<dyn Communicator>) -> Option<Shared> {
        Shared::divided(self.divided()?, communicator)
    }

    /// The most states of one of so many ranks, and the most it needs from others.
    pub fn largest_share(&self, ranks: usize) -> Option<(usize, usize)> {
        let shares = self.divided()?.shares(ranks)?;
        let own = (0..ranks).map(|rank| shares.own(rank).len());
        let others = (0..ranks).zip(own.clone()).map(|(rank, own)| shares.window(rank).len() - own);
        Some((own.max()?, others.max()?))
    }

    fn divided(&self) -> Option<Divided> {
        joint(self.groups()?).ok()
    }
}
