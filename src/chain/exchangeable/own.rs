//! The operator on a range of states: those of one rank, or of one thread.

use super::{Exchangeable, Operator, Part, Wanted};
use std::ops::Range;

impl Exchangeable {
    /// The rows of the states with ranks in `own` only. The function is given from the rank `base`
    /// on, as far as [`needed`](Self::needed).
    pub(in crate::chain) fn apply_own(
        &self,
        v: (&[f64], usize),
        own: Range<usize>,
        out: &mut [f64],
    ) {
        self.compute_own(self.all_of(None), v, own, out);
    }

    /// [`apply_where`](Self::apply_where) for the states with these ranks only. `out` begins with
    /// the first of them; `v` covers exactly the range [`needed`](Self::needed).
    ///
    /// # Panics
    /// When `v` or `out` has another number of entries.
    pub fn apply_part_where(
        &self,
        wanted: &Wanted,
        part: Range<usize>,
        v: &[f64],
        out: &mut [f64],
    ) {
        let needed = self.needed(&part);
        assert!(v.len() == needed.len() && out.len() == part.len());
        self.compute_own(self.all_of(Some(wanted)), (v, needed.start), part, out);
    }

    /// The ranks of the states at which a function must be known for `apply_own`. They range from
    /// the first own state with all items one level lower to the last with all of them one level
    /// higher, because a move preserves the order below the highest level.
    pub fn needed(&self, own: &Range<usize>) -> Range<usize> {
        self.reached(self.sets.items(), self.chain.levels() - 1, own)
    }

    /// The same for the multisets of `items` items that start at `highest` or below.
    fn reached(&self, items: usize, highest: usize, own: &Range<usize>) -> Range<usize> {
        if own.is_empty() {
            return own.clone();
        }
        let top = self.chain.levels() - 1;
        let lowest = self.moved(items, own.start, |level| level.saturating_sub(1));
        let last = self.moved(items, own.end - 1, |level| (level + 1).min(top));
        // Items at the top stay there, so multisets with fewer of them may end up beyond.
        let mut at_top = 0;
        let _ = self.moved(items, own.end - 1, |level| {
            at_top += usize::from(level == top);
            level
        });
        let fewer = |k: usize| self.count(k, if k + at_top > items + 1 { top } else { top - 1 });
        let is_beyond =
            highest == top && at_top > 0 && (1..=items).map(fewer).sum::<usize>() >= own.start;
        lowest..if is_beyond { self.count(items, top + 1) } else { last + 1 }
    }

    /// The rank of the multiset after each item of that with this rank has moved, in an
    /// order-preserving way.
    fn moved(&self, items: usize, mut rank: usize, mut to: impl FnMut(usize) -> usize) -> usize {
        let mut moved = 0;
        for k in (1..=items).rev() {
            let level = self.sets.highest(k, rank);
            rank -= self.count(k, level);
            moved += self.count(k, to(level));
        }
        moved
    }

    /// Weights of detailed balance of these states, not scaled.
    pub(in crate::chain) fn weights_of(&self, states: Range<usize>) -> Option<Vec<f64>> {
        let weights = self.chain.reversing_weights()?;
        let of = |sorted: &[usize]| {
            let product: f64 = sorted.iter().map(|&level| weights[level]).product();
            self.sets.orderings(sorted) * product
        };
        Some(self.sets.tabulate(states, of))
    }

    /// The probability to stay in each of some states: as many processes rise from each level as
    /// fall to it.
    pub(in crate::chain) fn staying_of(&self, states: Range<usize>) -> Vec<f64> {
        self.sets.tabulate(states, |sorted| self.stays(sorted))
    }

    /// The probability that the occupied levels, in ascending order, are the same after a step.
    fn stays(&self, sorted: &[usize]) -> f64 {
        // By the number of processes that rise from the level below.
        let mut rising = vec![1.0];
        for members in sorted.chunk_by(|a, b| a == b) {
            let (level, n) = (members[0], members.len());
            let chain = &self.chain;
            let [down, stay, up] = [chain.down(level), chain.stay(level), chain.up(level)];
            let next_is_occupied = sorted.binary_search(&(level + 1)).is_ok();
            let most = if next_is_occupied { n } else { 0 };
            let mut next = vec![0.0; most + 1];
            for (falls, probability) in rising.iter().enumerate().take(n + 1) {
                for (rises, next) in next.iter_mut().enumerate().take(n - falls + 1) {
                    let ways = choose(n, falls) * choose(n - falls, rises);
                    let rest = (n - falls - rises) as i32;
                    *next += probability
                        * ways
                        * down.powi(falls as i32)
                        * up.powi(rises as i32)
                        * stay.powi(rest);
                }
            }
            rising = next;
        }
        rising[0]
    }

    /// The rows `own` of a part, of a function given from the rank `base` on as far as these need
    /// it.
    fn compute_own(
        &self,
        part: Part<'_>,
        (v, base): (&[f64], usize),
        own: Range<usize>,
        out: &mut [f64],
    ) {
        let Part { items, highest, above } = part;
        let (all, after) =
            (self.count(items, highest + 1), self.count(items, self.levels_after(highest)));
        if own == (0..all) && base == 0 {
            return self.share(part, v, out, 1);
        }
        if items <= 2 {
            return self.with_scratch(all + after, |scratch| {
                let (whole, around) = scratch.split_at_mut(all);
                // Unwanted entries stay as they are; results from zeros are never used.
                whole[own.clone()].copy_from_slice(out);
                around.fill(0.0);
                let known = v.len().min(after - base);
                around[base..base + known].copy_from_slice(&v[..known]);
                self.alone(part, around, whole, 1);
                out.copy_from_slice(&whole[own]);
            });
        }
        for z in 0..=highest {
            let block = self.count(items, z)..self.count(items, z + 1);
            let mine = block.start.max(own.start)..block.end.min(own.end);
            if mine.is_empty() || above.excludes(z, items) {
                continue;
            }
            let rest = Part { items: items - 1, highest: z, above: above.and(z) };
            let out = &mut out[mine.start - own.start..mine.end - own.start];
            let mine = mine.start - block.start..mine.end - block.start;
            let kept = self.reached(rest.items, z, &mine);
            self.with_scratch(kept.len(), |others| {
                self.move_highest(z, rest, (v, base), (&mut *others, kept.clone()), 1);
                self.compute_own(rest, (others, kept.start), mine, out);
            });
        }
    }
}

/// How many subsets of `k` there are among `n`.
fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}
