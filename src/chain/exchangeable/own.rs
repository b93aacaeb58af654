//! The rows of some states only: of those that one rank has, or that one thread computes.

use super::{Exchangeable, Part, Wanted};
use crate::chain::Operator;
use std::ops::Range;

impl Exchangeable {
    /// The rows of the states with ranks in `own` only, of a function that is given from the rank `base` on, as
    /// far as [`needed`](Self::needed).
    pub(in crate::chain) fn apply_own(
        &self,
        v: (&[f64], usize),
        own: Range<usize>,
        out: &mut [f64],
    ) {
        self.compute_own(self.all_of(None), v, own, out);
    }

    /// [`apply_where`](Self::apply_where) for the states with these ranks only: `out` begins with the first of them.
    ///
    /// # Panics
    /// When `v` has not [`states`](Operator::states) entries, or `out` not one for each of these.
    pub fn apply_part_where(
        &self,
        wanted: &Wanted,
        part: Range<usize>,
        v: &[f64],
        out: &mut [f64],
    ) {
        assert!(v.len() == self.states() && out.len() == part.len());
        self.compute_own(self.all_of(Some(wanted)), (v, 0), part, out);
    }

    /// The ranks of the states at which a function must be known for [`apply_own`](Self::apply_own): those with
    /// the highest levels next to the own ones.
    pub(in crate::chain) fn needed(&self, own: &Range<usize>) -> Range<usize> {
        if own.is_empty() {
            return own.clone();
        }
        let (items, levels) = (self.sets.items(), self.chain.levels());
        let highest = |rank: usize| self.sets.unrank(rank)[items - 1];
        let (lowest, top) = (highest(own.start), highest(own.end - 1));
        let start = self.count(items, lowest.saturating_sub(1));
        start..self.count(items, (top + 2).min(levels))
    }

    /// Weights of detailed balance of these states, not scaled.
    pub(in crate::chain) fn weights_of(&self, states: Range<usize>) -> Option<Vec<f64>> {
        let weights = self.chain.weights()?;
        let mut walk = self.sets.from(states.start);
        let mut own = Vec::with_capacity(states.len());
        while let (Some(sorted), true) = (walk.get(), own.len() < states.len()) {
            let product: f64 = sorted.iter().map(|&level| weights[level]).product();
            own.push(self.sets.orderings(sorted) * product);
            walk.advance();
        }
        Some(own)
    }

    fn compute_own(
        &self,
        part: Part<'_>,
        (v, base): (&[f64], usize),
        own: Range<usize>,
        out: &mut [f64],
    ) {
        let all = self.count(part.items, part.highest + 1);
        if base == 0 && own == (0..all) {
            return self.share(part, v, out, 1);
        }
        if part.items <= 2 && base == 0 {
            return self.with_scratch(all, |whole| {
                // What is not wanted stays as it is.
                whole[own.clone()].copy_from_slice(out);
                self.alone(part, v, whole, 1);
                out.copy_from_slice(&whole[own]);
            });
        }
        for z in 0..=part.highest {
            let block = self.count(part.items, z)..self.count(part.items, z + 1);
            let mine = block.start.max(own.start)..block.end.min(own.end);
            if mine.is_empty() || part.above.excludes(z, part.items) {
                continue;
            }
            let rest = Part { items: part.items - 1, highest: z, above: part.above.and(z) };
            let out = &mut out[mine.start - own.start..mine.end - own.start];
            let mine = mine.start - block.start..mine.end - block.start;
            self.with_scratch(self.count(rest.items, self.levels_after(z)), |others| {
                self.move_highest(z, rest, (v, base), others, 1);
                self.compute_own(rest, (others, 0), mine, out);
            });
        }
    }
}
