//! Equal processes lumped: multisets of levels, and the expectation after all of them have moved.
//!
//! The levels are emptied one after another, from the lowest; those that have moved wait in slots
//! 0..=i+1 while level i and those above still stand in slots i+1, i+2, ... So r processes on L levels
//! need multisets of L+1 slots, each level being a split of one slot among itself and the two below.

use crate::Refusal;
use crate::chain::{Chain, Moves};
use crate::fixed::{WEIGHT, floor, times};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow};

/// Multisets of `size` levels out of `levels`, in colexicographic order of the ascending sequence.
#[derive(Debug, Clone)]
pub(crate) struct Multisets {
    pub levels: usize,
    pub size: usize,
    /// `sums[a][t]`: the ranks that t items at level a add as the 1st to t-th of the sequence.
    sums: Vec<Vec<usize>>,
}

fn binomial(n: usize, k: usize) -> usize {
    (1..=k)
        .fold(1u128, |c, i| c.saturating_mul((n - k + i) as u128) / i as u128)
        .min(usize::MAX as u128) as usize
}

impl Multisets {
    pub fn new(levels: usize, size: usize) -> Result<Multisets, Refusal> {
        if binomial(levels + size - 1, size) > 1 << 28 {
            return Err(Refusal::TooLarge);
        }
        let sums = |a: usize| {
            let mut sum = 0;
            let ranks = (1..=size).map(|t| if a == 0 { 0 } else { binomial(a + t - 1, t) });
            std::iter::once(0)
                .chain(ranks.map(|rank| {
                    sum += rank;
                    sum
                }))
                .collect()
        };
        Ok(Multisets { levels, size, sums: (0..levels).map(sums).collect() })
    }

    pub fn count(&self) -> usize {
        binomial(self.levels + self.size - 1, self.size)
    }

    /// Steps an ascending sequence to the next one; returns how many items were at the level that one
    /// of them leaves upward and the others downward to level 0, and that level. `None` at the end.
    pub fn advance(&self, items: &mut [usize]) -> Option<(usize, usize)> {
        let level = items[0];
        let together = items.iter().take_while(|item| **item == level).count();
        if level + 1 == self.levels && together == self.size {
            return None;
        }
        items[..together - 1].fill(0);
        items[together - 1] = level + 1;
        Some((together, level))
    }

    /// The rank of an ascending sequence.
    pub fn rank(&self, items: impl Iterator<Item = usize>) -> usize {
        items.enumerate().map(|(t, a)| self.sums[a][t + 1] - self.sums[a][t]).sum()
    }

    /// Every multiset, in order.
    pub fn for_each(&self, mut visit: impl FnMut(&[usize])) {
        let mut items = vec![0; self.size];
        loop {
            visit(&items);
            if self.advance(&mut items).is_none() {
                return;
            }
        }
    }
}

/// Splits of slot i+1 among slots i-1, i and i+1, by the number of items in it.
struct Split {
    /// Items down, items that stay, weight rounded down.
    parts: Vec<Vec<(usize, usize, u64)>>,
    /// Whether no weight was rounded.
    exact: bool,
}

/// The expectation of a function of the multiset after one move of all processes.
pub(crate) struct Lumped {
    pub states: Multisets,
    slots: Multisets,
    splits: Vec<Split>,
}

impl Lumped {
    pub fn new(chain: &Chain, size: usize) -> Result<Lumped, Refusal> {
        let Moves::Neighbours(moves) = &chain.moves else {
            return Err(Refusal::Model("only birth-death chains are lumped".to_owned()));
        };
        let states = Multisets::new(moves.len(), size)?;
        let slots = Multisets::new(moves.len() + 1, size)?;
        let splits = moves.iter().map(|level| Split::new(level, size)).collect::<Result<_, _>>()?;
        Ok(Lumped { states, slots, splits })
    }

    /// Replaces the function by its expectation, rounded down. It has `right` entries for each multiset,
    /// next to each other.
    pub fn apply(&self, function: &mut [i128], right: usize) {
        // The empty top slot comes last in colexicographic order: the function is a prefix.
        let mut next = vec![0; self.slots.count() * right];
        let mut now = next.clone();
        now[..function.len()].copy_from_slice(function);
        for (level, split) in self.splits.iter().enumerate().rev() {
            self.pass(level, split, &now, &mut next, right);
            std::mem::swap(&mut now, &mut next);
        }
        // And before the first move slot 0 is empty: levels stand one slot higher.
        let mut rank = 0;
        let mut at = 0;
        self.slots.for_each(|items| {
            if items[0] > 0 {
                function[at..at + right].copy_from_slice(&now[rank..rank + right]);
                at += right;
            }
            rank += right;
        });
    }

    fn pass(&self, level: usize, split: &Split, now: &[i128], next: &mut [i128], right: usize) {
        let sums = &self.slots.sums;
        let (low, middle, high) = (level.saturating_sub(1), level, level + 1);
        let (low, middle, high_sums) = (&sums[low], &sums[middle], &sums[high]);
        let mut items = vec![0; self.slots.size];
        // How many items lie below slot i, below slot i+1, and up to slot i+1.
        let upto = |items: &[usize], slot: usize| items.partition_point(|item| *item < slot);
        let mut bounds = [upto(&items, level), upto(&items, high), upto(&items, high + 1)];
        let mut rank = 0;
        loop {
            let [before, below, end] = bounds;
            let out = &mut next[rank * right..(rank + 1) * right];
            if end == below {
                out.copy_from_slice(&now[rank * right..(rank + 1) * right]);
            } else {
                out.fill(0);
                let fixed = rank + middle[before] + high_sums[below] - middle[below];
                let fixed = fixed - low[before];
                for &(down, stay, weight) in &split.parts[end - below] {
                    let (first, second) = (before + down, below + down + stay);
                    let moved = low[first] + middle[second] - middle[first];
                    let from = (fixed + moved - high_sums[second]) * right;
                    for (out, value) in out.iter_mut().zip(&now[from..from + right]) {
                        *out += times(*value, weight);
                    }
                }
            }
            let Some((together, left)) = self.slots.advance(&mut items) else { return };
            for (bound, slot) in bounds.iter_mut().zip([level, high, high + 1]) {
                let count = |x: usize| usize::from(x < slot);
                *bound =
                    *bound + (together - 1) * count(0) + count(left + 1) - together * count(left);
            }
            rank += 1;
        }
    }

    /// How much too low [`apply`](Self::apply) may be for a function between 0 and `largest`.
    pub fn deficit(&self, largest: i128) -> i128 {
        let of = |split: &Split| {
            let terms = split.parts.iter().map(Vec::len).max().unwrap_or(0) as i128;
            let weight = if split.exact { 0 } else { (largest >> WEIGHT) + 1 };
            terms * (1 + weight)
        };
        self.splits.iter().map(of).sum()
    }
}

impl Split {
    fn new([down, stay, up]: &[BigRational; 3], size: usize) -> Result<Split, Refusal> {
        let mut exact = true;
        let mut parts = Vec::new();
        for items in 0..=size {
            let mut row = Vec::new();
            for k in 0..=items {
                for j in 0..=items - k {
                    let ways = BigInt::from(binomial(items, k)) * binomial(items - k, j);
                    let powers: BigRational =
                        Pow::pow(down, k) * Pow::pow(stay, j) * Pow::pow(up, items - k - j);
                    let p = powers * BigRational::from(ways);
                    let weight = floor(&p, WEIGHT)? as u64;
                    exact &= p * BigRational::from(BigInt::one() << WEIGHT)
                        == BigRational::from(BigInt::from(weight));
                    if weight > 0 {
                        row.push((k, j, weight));
                    }
                }
            }
            parts.push(row);
        }
        Ok(Split { parts, exact })
    }
}
