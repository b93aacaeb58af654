//! Which processes may exchange their shares of the load, and the number of units that a remap then
//! moves.
//!
//! Minimal movement on a line: sort both loads and shares within each set. O(r log r) for r
//! processes.

use crate::imbalance::Imbalance;
use crate::stopping::States;
use std::ops::Range;

/// Sets of processes that may exchange their shares at no cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The first process of the set that each belongs to.
    first: Vec<usize>,
}

impl Exchange {
    /// Processes on equal processors. If nothing follows a remap, later moves of the loads do not
    /// matter.
    pub fn of_processors(imbalance: &Imbalance) -> Exchange {
        Exchange::sets(imbalance.processes(), |i, j| imbalance.same_capacity(i, j))
    }

    /// Processes with equal chains on equal processors: exchanged loads cost the same from then on.
    /// Each process is alone if the chain is a joint one.
    ///
    /// # Panics
    /// Unless there is one capacity for each process.
    pub fn of_equal_processes(states: &States, imbalance: &Imbalance) -> Exchange {
        assert_eq!(states.processes(), imbalance.processes(), "a capacity for each process");
        let mut of = vec![None; states.processes()];
        for group in states.whole().groups().unwrap_or_default() {
            group.members.iter().for_each(|&i| of[i] = Some(group));
        }
        let alike = |i: usize, j: usize| match (of[i], of[j]) {
            (Some(one), Some(other)) => {
                (one.lowest, &one.chain) == (other.lowest, &other.chain)
                    && imbalance.same_capacity(i, j)
            }
            _ => i == j,
        };
        Exchange::sets(of.len(), alike)
    }

    fn sets(processes: usize, alike: impl Fn(usize, usize) -> bool) -> Exchange {
        let first = |i: usize| (0..i).find(|&j| alike(j, i)).unwrap_or(i);
        Exchange { first: (0..processes).map(first).collect() }
    }

    /// The least number of units that must move from `loads` to `to`.
    ///
    /// # Panics
    /// When there is not one load and one share for each process.
    pub fn moved(&self, loads: &[i64], to: &[i64]) -> i64 {
        let shares = self.best(loads, to);
        loads.iter().zip(shares).map(|(load, share)| (load - share).max(0)).sum()
    }

    /// The shares `to`, assigned to processes such that the least number of units moves, as given
    /// by [`moved`](Self::moved).
    ///
    /// # Panics
    /// When there is not one load and one share for each process.
    pub fn best(&self, loads: &[i64], to: &[i64]) -> Vec<i64> {
        assert!(loads.len() == self.first.len() && to.len() == loads.len());
        let sorted = |loads: &[i64]| {
            let mut order: Vec<usize> = (0..loads.len()).collect();
            order.sort_by_key(|&i| (self.first[i], loads[i]));
            order
        };
        let mut shares = vec![0; to.len()];
        sorted(loads).into_iter().zip(sorted(to)).for_each(|(i, j)| shares[i] = to[j]);
        shares
    }
}

/// Whether a remap from the state `first + s` to `back[s]` moves nothing, or only exchanges the
/// loads of equal processes.
pub(in crate::stopping) fn unmoved(
    states: &States,
    imbalance: &Imbalance,
    (first, back): (usize, &[usize]),
) -> Vec<bool> {
    let exchange = Exchange::of_equal_processes(states, imbalance);
    let [mut loads, mut to] = [(); 2].map(|()| vec![0; states.processes()]);
    let still = |(s, &back): (usize, &usize)| {
        // Among states with equal loads each is led back to its own kind.
        states.loads_into(first + s, &mut loads);
        states.loads_into(back, &mut to);
        exchange.moved(&loads, &to) == 0
    };
    back.iter().enumerate().map(still).collect()
}

/// The least number of units that a remap moves from each state: the load above the shares it leads
/// to. Some processes may exchange shares: those on [equal processors](Exchange::of_processors) if
/// nothing follows, and [equal processes](Exchange::of_equal_processes) if the computation
/// continues.
pub fn units_moved(states: &States, imbalance: &Imbalance, exchange: &Exchange) -> Vec<i64> {
    units_moved_of(states, imbalance, exchange, 0..states.count())
}

/// [`units_moved`] for a range of states.
pub fn units_moved_of(
    states: &States,
    imbalance: &Imbalance,
    exchange: &Exchange,
    some: Range<usize>,
) -> Vec<i64> {
    let range = states.range();
    let mut loads = vec![0; states.processes()];
    let moved = |state: usize| {
        states.loads_into(state, &mut loads);
        let total: i64 = loads.iter().sum();
        let within =
            range.as_ref().and_then(|(low, high)| imbalance.split_within(total, low, high));
        exchange.moved(&loads, &within.unwrap_or_else(|| imbalance.split(total)))
    };
    some.map(moved).collect()
}
