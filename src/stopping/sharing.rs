//! Which states each of several ranks has, and what it computes of them.

use super::states::{Group, States};
use crate::chain::ProcessChain;
use crate::chain::{ChainError, Exchangeable, Factor, Product, Shared};
use crate::communicator::{Communicator, Shares};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// The ranks that solve a problem together and who has which states, or nobody else.
pub(super) type Others = Option<(Arc<dyn Communicator>, Shares)>;

/// The largest number in each place that any rank has.
pub(super) fn largest<const N: usize>(others: &Others, mut own: [f64; N]) -> [f64; N] {
    if let Some((communicator, _)) = others {
        communicator.largest(&mut own);
    }
    own
}

/// The numbers of all ranks in their order.
pub(super) fn gather(others: &Others, own: Vec<f64>) -> Vec<f64> {
    match others {
        Some((communicator, _)) => communicator.gather(&own),
        None => own,
    }
}

/// Which of all states the first of the own ones is.
pub(super) fn first(others: &Others) -> usize {
    others.as_ref().map_or(0, |(communicator, shares)| shares.own(communicator.rank()).start)
}

/// How the rows of a joint chain can be shared among ranks.
enum Sharing {
    Blocks(Exchangeable),
    Slabs(Product),
}

impl States {
    /// The part of the rank of `communicator` in the joint chain of these states. `None` where it cannot be
    /// shared: where states are listed, the first process is not alone of its kind or not a birth–death chain
    /// while there are others, or there are fewer levels (or multisets) than ranks.
    pub fn share(&self, communicator: Arc<dyn Communicator>) -> Option<Shared> {
        match self.joint_factors()? {
            Sharing::Blocks(operator) => Shared::blocks(operator, communicator),
            Sharing::Slabs(product) => Shared::slabs(product, communicator),
        }
    }

    /// How many states one of so many ranks has at most, and how many it needs of others.
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
        let factor = |Group { members, chain, .. }: &Group| match chain {
            ProcessChain::BirthDeath(chain) if members.len() > 1 => {
                Exchangeable::new(chain.clone(), members.len()).map(Factor::Exchangeable)
            }
            ProcessChain::BirthDeath(chain) => Ok(Factor::BirthDeath(chain.clone())),
            ProcessChain::Dense(chain) => Ok(Factor::Dense(chain.clone())),
        };
        let factors: Result<Vec<Factor>, ChainError> = groups.iter().map(factor).collect();
        let mut factors = factors.ok()?;
        match factors.pop()? {
            Factor::Exchangeable(only) if factors.is_empty() => Some(Sharing::Blocks(only)),
            last => {
                factors.push(last);
                Some(Sharing::Slabs(Product::new(factors).ok()?))
            }
        }
    }

    /// `f` of a load vector of each of some states.
    pub(super) fn tabulate_some(
        &self,
        some: Range<usize>,
        f: impl Fn(&[i64]) -> f64 + Sync,
    ) -> Vec<f64> {
        let mut all = vec![0.0; some.len()];
        let entries = all.par_iter_mut().with_min_len(1 << 10).enumerate();
        entries.for_each_init(
            || vec![0; self.processes()],
            |loads, (state, out)| {
                self.loads_into(some.start + state, loads);
                *out = f(loads);
            },
        );
        all
    }

    /// [`multiplicities`](Self::multiplicities) of some states.
    pub fn multiplicities_of(&self, some: Range<usize>) -> Option<Vec<f64>> {
        self.is_lumped().then(|| some.map(|state| self.orderings(state)).collect())
    }
}
