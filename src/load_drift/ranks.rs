//! Ranks that go through one recursion together, each with its own states.

use super::Transition;
use crate::chain::Wanted;
use crate::communicator::{Communicator, Shares};
use std::ops::Range;
use std::sync::Arc;

/// Who has which states, and how the others are told; or one rank that has all.
#[derive(Clone, Default)]
pub struct Ranks {
    others: Option<(Arc<dyn Communicator>, Shares)>,
}

impl Ranks {
    /// One that has all states.
    pub fn alone() -> Ranks {
        Ranks::default()
    }

    /// Those of `communicator`, with these parts of the states; see [`Transition::shares`].
    ///
    /// # Panics
    /// When there is not one part for each rank.
    pub fn new(communicator: Arc<dyn Communicator>, shares: Shares) -> Ranks {
        assert_eq!(communicator.ranks(), shares.ranks(), "each rank has a part");
        Ranks { others: Some((communicator, shares)) }
    }

    /// The same with other parts of the states; one that has all keeps them.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[must_use]
    pub fn with(&self, shares: Shares) -> Ranks {
        let others = self.others.as_ref();
        others.map_or_else(Ranks::alone, |(others, _)| Ranks::new(others.clone(), shares))
    }

    /// What connects them, and who has which states, if there are several.
    pub fn others(&self) -> Option<(&dyn Communicator, &Shares)> {
        self.others.as_ref().map(|(communicator, shares)| (&**communicator, shares))
    }

    /// Room for a function of the own states, and of those that are reached from them.
    pub(super) fn room(&self, count: usize) -> Around {
        let (before, all) = self.others().map_or((0, count), |(others, shares)| {
            let (own, window) = (shares.own(others.rank()), shares.window(others.rank()));
            (own.start - window.start, window.len())
        });
        Around { all: vec![0.0; all], before, count }
    }

    /// How many there are, and which of them this is.
    pub(super) fn place(&self) -> (usize, usize) {
        self.others().map_or((1, 0), |(others, _)| (others.ranks(), others.rank()))
    }

    /// Which of the things with so many members, counted up to the first member of each and to the end, are the own ones:
    /// about as many members as on any other rank.
    pub(super) fn evenly(&self, first: &[usize]) -> Range<usize> {
        let ((count, rank), things) = (self.place(), first.len() - 1);
        let start = |rank: usize| match rank {
            0 => 0,
            rank if rank == count => things,
            rank => first.partition_point(|before| before * count < first[things] * rank),
        };
        start(rank)..start(rank + 1)
    }

    /// The numbers of all ranks in their order.
    pub(super) fn gather(&self, own: Vec<f64>) -> Vec<f64> {
        match self.others() {
            Some((others, _)) => others.gather(&own),
            None => own,
        }
    }

    /// Each number becomes the largest that any rank has in its place.
    pub(super) fn largest(&self, numbers: &mut [f64]) {
        if let Some((others, _)) = self.others() {
            others.largest(numbers);
        }
    }

    /// The same of whole numbers.
    pub(super) fn highest(&self, numbers: Vec<u32>) -> Vec<u32> {
        if self.others.is_none() {
            return numbers;
        }
        let mut all: Vec<f64> = numbers.into_iter().map(f64::from).collect();
        self.largest(&mut all);
        all.into_iter().map(|number| number as u32).collect()
    }

    /// What the own numbers are together with those of the ranks before, which `add` takes up one after the other.
    pub(super) fn in_turn(&self, begin: Vec<f64>, add: impl FnOnce(&mut [f64])) -> Vec<f64> {
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

/// A function of the own states and of those that are reached from them, which other ranks may have.
pub(super) struct Around {
    all: Vec<f64>,
    before: usize,
    count: usize,
}

impl Around {
    /// It in the own states.
    pub fn own(&mut self) -> &mut [f64] {
        &mut self.all[self.before..][..self.count]
    }

    /// The same, to look at.
    pub fn seen(&self) -> &[f64] {
        &self.all[self.before..][..self.count]
    }

    /// Its expectation over the next state, from the wanted ones of the own states.
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
