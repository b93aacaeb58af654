//! The distribution of a problem over ranks, and collective operations on it.

use super::states::{Group, Kind, States};
use crate::chain::ProcessChain;
use crate::chain::{ChainError, Exchangeable, Factor, Product, Shared};
use crate::communicator::{Communicator, Shares, Standing};
use crate::parallel;
use std::ops::Range;
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

/// How the rows of a joint chain are distributed over ranks.
enum Sharing {
    Blocks(Exchangeable),
    Slabs(Product),
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
        let Some(sharing) = self.joint_factors() else {
            // Rows of a listed chain.
            return if self.groups().is_none() { self.count() } else { 1 };
        };
        let most = match sharing {
            Sharing::Blocks(operator) => Shared::most_of_blocks(&operator),
            Sharing::Slabs(product) => Shared::most_of_slabs(&product),
        };
        most.unwrap_or(1)
    }

    /// The part of the rank of `communicator` in the joint chain of these states. `None` if the
    /// states are listed, or there are fewer levels (or multisets) than ranks. Also `None` if the
    /// first of several processes is lumped or has no birth–death chain (see
    /// [`for_ranks`](Self::for_ranks)).
    pub fn share(&self, communicator: Arc<dyn Communicator>) -> Option<Shared> {
        match self.joint_factors()? {
            Sharing::Blocks(operator) => Shared::blocks(operator, communicator),
            Sharing::Slabs(product) => Shared::slabs(product, communicator),
        }
    }

    /// The most states of one of so many ranks, and the most it needs from others.
    pub fn largest_share(&self, ranks: usize) -> Option<(usize, usize)> {
        let shares = match self.joint_factors()? {
            Sharing::Blocks(operator) => Shared::shares_of_blocks(&operator, ranks)?,
            Sharing::Slabs(product) => Shared::shares_of_slabs(&product, ranks)?,
        };
        let all = (0..ranks).map(|rank| (shares.own(rank).len(), shares.window(rank).len()));
        let all: Vec<(usize, usize)> = all.collect();
        let own = all.iter().map(|(own, _)| *own).max()?;
        Some((own, all.iter().map(|(own, window)| window - own).max()?))
    }

    fn joint_factors(&self) -> Option<Sharing> {
        let groups = self.groups()?;
        let factors: Result<Vec<Factor>, ChainError> = groups.iter().map(Group::factor).collect();
        let mut factors = factors.ok()?;
        match factors.pop()? {
            Factor::Exchangeable(only) if factors.is_empty() => Some(Sharing::Blocks(only)),
            last => {
                factors.push(last);
                Some(Sharing::Slabs(Product::new(factors).ok()?))
            }
        }
    }

    /// `f` of a load vector of each state in the range.
    pub(in crate::stopping) fn tabulate_some(
        &self,
        some: Range<usize>,
        f: impl Fn(&[i64]) -> f64 + Sync,
    ) -> Vec<f64> {
        let mut all = vec![0.0; some.len()];
        const PIECE: usize = 1 << 10;
        parallel::pieces(&mut all, PIECE, &|piece, out| {
            let mut loads = vec![0; self.processes()];
            for (state, out) in (some.start + piece * PIECE..).zip(out) {
                self.loads_into(state, &mut loads);
                *out = f(&loads);
            }
        });
        all
    }

    /// [`multiplicities`](Self::multiplicities) of a range of states.
    pub fn multiplicities_of(&self, some: Range<usize>) -> Option<Vec<f64>> {
        self.is_lumped().then(|| some.map(|state| self.orderings(state)).collect())
    }
}
