//! States of r equal processes: multisets of r levels, ranked in colexicographic order.

use super::ChainError;
use std::ops::Range;

/// The multisets of r levels out of L, in colexicographic order of their sorted members: the
/// largest member is the most significant. There are C(L+r-1, r).
///
/// The rank of `x_1 <= ... <= x_r` is the sum of `C(x_k + k - 1, k)`, so all multisets of levels
/// below l come before every multiset with a member l or above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Multisets {
    items: usize,
    levels: usize,
    /// `table[k][x]` = number of multisets of k members out of x levels = C(x + k - 1, k).
    table: Vec<Vec<usize>>,
}

impl Multisets {
    /// The multisets of `items` members out of `levels` levels.
    ///
    /// # Errors
    /// No members, no levels, or more multisets than a `usize` can count.
    pub fn new(items: usize, levels: usize) -> Result<Self, ChainError> {
        if items == 0 {
            return Err(ChainError::NoProcess);
        }
        if levels == 0 {
            return Err(ChainError::TooFewLevels(0));
        }
        let overflow = || ChainError::TooManyStates(format!("C({}, {items})", levels + items - 1));
        // Row 0 counts the empty multiset; table[k][x] = table[k][x - 1] + table[k - 1][x].
        let mut table = vec![vec![1usize; levels + 1]];
        for k in 1..=items {
            let mut row = vec![0usize; levels + 1];
            for x in 1..=levels {
                row[x] = row[x - 1].checked_add(table[k - 1][x]).ok_or_else(overflow)?;
            }
            table.push(row);
        }
        Ok(Self { items, levels, table })
    }

    /// The number of members r.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The number of levels L.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// How many multisets there are: C(L+r-1, r).
    pub fn states(&self) -> usize {
        self.table[self.items][self.levels]
    }

    /// The number of multisets of `items` members out of the lowest `levels` levels, for
    /// `items` <= r and `levels` <= L.
    pub fn count(&self, items: usize, levels: usize) -> usize {
        self.table[items][levels]
    }

    /// The rank of the multiset with these members, in ascending order.
    ///
    /// # Panics
    /// When there are not r members or one is not a level; unsorted members give a wrong rank.
    pub fn rank(&self, sorted: &[usize]) -> usize {
        assert_eq!(sorted.len(), self.items);
        debug_assert!(sorted.is_sorted());
        sorted.iter().enumerate().map(|(k, &x)| self.table[k + 1][x]).sum()
    }

    /// The rank of the multiset with these numbers of members at the given levels, which ascend.
    ///
    /// # Panics
    /// When there are more than r members, or one is not at a level.
    pub fn rank_of_counts(&self, counts: impl IntoIterator<Item = (usize, usize)>) -> usize {
        let mut members = 0;
        let mut rank = 0;
        for (level, count) in counts {
            for _ in 0..count {
                members += 1;
                rank += self.table[members][level];
            }
        }
        debug_assert_eq!(members, self.items);
        rank
    }

    /// The highest member of the multiset of `items` members with this rank: the largest level x
    /// with C(x + items - 1, items) <= rank.
    pub(crate) fn highest(&self, items: usize, rank: usize) -> usize {
        self.table[items].partition_point(|&count| count <= rank) - 1
    }

    /// Writes the members of the multiset with this rank, in ascending order.
    ///
    /// # Panics
    /// When `rank` is not below [`states`](Self::states) or `sorted` has not r entries.
    pub fn unrank_into(&self, mut rank: usize, sorted: &mut [usize]) {
        assert!(rank < self.states() && sorted.len() == self.items);
        for k in (1..=self.items).rev() {
            let x = self.highest(k, rank);
            sorted[k - 1] = x;
            rank -= self.table[k][x];
        }
    }

    /// The members of the multiset with this rank, in ascending order.
    ///
    /// # Panics
    /// If there is no such multiset.
    pub fn unrank(&self, rank: usize) -> Vec<usize> {
        let mut sorted = vec![0; self.items];
        self.unrank_into(rank, &mut sorted);
        sorted
    }

    /// The number of orderings of the members: how many vectors of loads this multiset stands for,
    /// r! / prod of counts!, in floating point.
    pub fn orderings(&self, sorted: &[usize]) -> f64 {
        let mut product = 1.0;
        let mut run = 0;
        for k in 0..sorted.len() {
            run = if k > 0 && sorted[k] == sorted[k - 1] { run + 1 } else { 1 };
            // In this order all quotients are integers.
            product = product * (k + 1) as f64 / run as f64;
        }
        product
    }

    /// Walks through the multisets from `rank` on, in order of rank.
    pub fn from(&self, rank: usize) -> Occupancies {
        let mut sorted = vec![0; self.items];
        if rank < self.states() {
            self.unrank_into(rank, &mut sorted);
        }
        Occupancies { sorted, levels: self.levels, left: self.states().saturating_sub(rank) }
    }

    /// `f` of the members, in ascending order, of each multiset with a rank in this range.
    pub(crate) fn tabulate<T>(
        &self,
        ranks: Range<usize>,
        mut f: impl FnMut(&[usize]) -> T,
    ) -> Vec<T> {
        let mut walk = self.from(ranks.start);
        let next = |_| {
            let value = f(walk.get().expect("a rank"));
            walk.advance();
            value
        };
        ranks.map(next).collect()
    }
}

/// An iteration over multisets in order of rank; see [`Multisets::from`].
#[derive(Debug, Clone)]
pub struct Occupancies {
    sorted: Vec<usize>,
    levels: usize,
    left: usize,
}

impl Occupancies {
    /// The members of the current multiset, ascending; `None` past the last one.
    pub fn get(&self) -> Option<&[usize]> {
        (self.left > 0).then_some(&self.sorted)
    }

    /// Steps to the next multiset.
    pub fn advance(&mut self) {
        self.left = self.left.saturating_sub(1);
        let items = self.sorted.len();
        for k in 0..items {
            let bound = if k + 1 < items { self.sorted[k + 1] } else { self.levels - 1 };
            if self.sorted[k] < bound {
                self.sorted[k] += 1;
                self.sorted[..k].fill(0);
                return;
            }
        }
    }
}
