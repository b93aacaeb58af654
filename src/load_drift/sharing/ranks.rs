//! Ranks that compute one recursion together, each with its own states.

use crate::chain::Wanted;
use crate::communicator::{Communicator, Shares};
use crate::load_drift::Transition;
use std::ops::Range;
use std::sync::Arc;

/// The partition of the states among ranks and their communicator, or a single rank with all
/// states.
#[derive(Clone, Default)]
pub struct Ranks {
    others: Option<(Arc<dyn Communicator>, Shares)>,
}

impl Ranks {
    /// A single rank with all states.
    pub fn alone() -> Ranks {
        Ranks::default()
    }

    /// The ranks of `communicator`, with these parts of the states; see [`Transition::shares`].
    ///
    /// # Panics
    /// When the number of parts differs from the number of ranks.
    pub fn new(communicator: Arc<dyn Communicator>, shares: Shares) -> Ranks {
        assert_eq!(communicator.ranks(), shares.ranks(), "each rank has a part");
        Ranks { others: Some((communicator, shares)) }
    }

    /// The same with other parts of the states. A single rank keeps all.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[must_use]
    pub fn with(&self, shares: Shares) -> Ranks {
        let others = self.others.as_ref();
        others.map_or_else(Ranks::alone, |(others, _)| Ranks::new(others.clone(), shares))
    }

    /// The communicator and the partition, if there are several ranks.
    pub fn others(&self) -> Option<(&dyn Communicator, &Shares)> {
        self.others.as_ref().map(|(communicator, shares)| (&**communicator, shares))
    }

    /// A buffer for a function of the own states and of those reached from them.
    pub(in crate::load_drift) fn room(&self, count: usize) -> Around {
        let (before, all) = self.others().map_or((0, count), |(others, shares)| {
            let (own, window) = (shares.own(others.rank()), shares.window(others.rank()));
            (own.start - window.start, window.len())
        });
        Around { all: vec![0.0; all], before, count }
    }

    /// Number of ranks, and the index of this one.
    pub(in crate::load_drift) fn place(&self) -> (usize, usize) {
        self.others().map_or((1, 0), |(others, _)| (others.ranks(), others.rank()))
    }

    /// Partition of items with different numbers of members: the range of this rank, with about as
    /// many members as on any other. `first` counts the members before each item, and all members
    /// at the end.
    pub(in crate::load_drift) fn evenly(&self, first: &[usize]) -> Range<usize> {
        let ((count, rank), things) = (self.place(), first.len() - 1);
        let start = |rank: usize| match rank {
            0 => 0,
            rank if rank == count => things,
            rank => first.partition_point(|before| before * count < first[things] * rank),
        };
        start(rank)..start(rank + 1)
    }

    /// The numbers of all ranks, in the order of the ranks.
    pub(in crate::load_drift) fn gather(&self, own: Vec<f64>) -> Vec<f64> {
        match self.others() {
            Some((others, _)) => others.gather(&own),
            None => own,
        }
    }

    /// Replaces each number by its maximum over all ranks.
    pub(in crate::load_drift) fn largest(&self, numbers: &mut [f64]) {
        if let Some((others, _)) = self.others() {
            others.largest(numbers);
        }
    }

    /// The same for integers.
    pub(in crate::load_drift) fn highest(&self, numbers: Vec<u32>) -> Vec<u32> {
        if self.others.is_none() {
            return numbers;
        }
        let mut all: Vec<f64> = numbers.into_iter().map(f64::from).collect();
        self.largest(&mut all);
        all.into_iter().map(|number| number as u32).collect()
    }

    /// Accumulates numbers rank by rank: each rank applies `add` to the result of the ranks before
    /// it.
    pub(in crate::load_drift) fn in_turn(
        &self,
        begin: Vec<f64>,
        add: impl FnOnce(&mut [f64]),
    ) -> Vec<f64> {
        let (count, rank) = self.place();
        let (mut numbers, mut add) = (begin, Some(add));
        for turn in 0..count {
            let mut own = Vec::new();
            if turn == rank
                && let Some(add) = add.take()
            {
                own = std::mem::take(&mut numbers);
                add(&mut own);
            }
            numbers = self.gather(own);
        }
        numbers
    }
}

/// A function of the own states and of those reached from them, which other ranks may hold.
pub(in crate::load_drift) struct Around {
    all: Vec<f64>,
    before: usize,
    count: usize,
}

impl Around {
    /// Values in the own states, mutable.
    pub fn own(&mut self) -> &mut [f64] {
        &mut self.all[self.before..][..self.count]
    }

    /// Values in the own states.
    pub fn seen(&self) -> &[f64] {
        &self.all[self.before..][..self.count]
    }

    /// Expectation of the function over the next state, from the wanted states among the own ones.
    pub fn expect(
        &mut self,
        ranks: &Ranks,
        transition: &Transition,
        wanted: &Wanted,
        out: &mut [f64],
    ) {
        match (ranks.others(), transition) {
            (Some((others, shares)), Transition::Exchangeable(operator)) => {
                let (below, rest) = self.all.split_at_mut(self.before);
                let (own, above) = rest.split_at_mut(self.count);
                others.exchange(shares, own, below, above);
                operator.apply_part_where(wanted, shares.own(others.rank()), &self.all, out);
            }
            _ => transition.apply_where(wanted, &self.all, out),
        }
    }
}
