//! Equal birth–death processes, lumped to multisets of levels.
//!
//! The operator moves the process at the highest level first; the remainder is the same problem
//! with one process fewer. Let f be a function of the positions of k items *after* the move, on
//! multisets in colexicographic order. For each starting level z of the highest item, it becomes a
//! function of the positions of the k - 1 others,
//!
//! ```text
//! g_z(X) = down(z) f(X + {z-1}) + stay(z) f(X + {z}) + up(z) f(X + {z+1}),    X on levels 0..=z+1
//! ```
//!
//! because the others, which start at z or below, are at z+1 or below afterward. The states with z
//! as the highest level are a contiguous block, which the same method computes from g_z. The three
//! terms are contiguous, too, as long as X has no member at z or z+1. Multisets with such members
//! are handled in runs of those with equally many. Almost all work is thus in long loops over three
//! arrays, depth first, within the cache.

mod effort;
mod few;
mod own;

pub(crate) use effort::Effort;

use few::Few;

use super::part::{Above, Part};
use super::wanted::Wanted;
use super::{BirthDeath, ChainError, Multisets, Operator, usable};
use crate::machine::widest;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// The joint chain of r independent processes with the same birth–death chain, on the C(L+r-1, r)
/// multisets of their levels in the order of [`Multisets`].
///
/// One application takes about 3r(1 + r/L) fused multiply–adds per state. It uses C(L+r-1, r-1)
/// numbers of scratch memory per thread, which are kept for the next application.
#[derive(Debug)]
pub struct Exchangeable {
    chain: BirthDeath,
    sets: Multisets,
    /// Multisets over one level more, to count those of k <= r items on n <= L + 1 levels.
    slots: Multisets,
    /// In ascending order of length.
    scratch: Mutex<Vec<Vec<f64>>>,
}

/// Runs of at most this many multisets are not searched for relevant ones.
const SHORT: usize = 128;

/// All entries of an image are kept.
const ALL: Range<usize> = 0..usize::MAX;

/// Parts of at least this many numbers are shared among threads.
const PARALLEL: usize = 1 << 15;

impl Exchangeable {
    /// `processes` independent copies of `chain`.
    ///
    /// # Errors
    /// No process, or more states (with the scratch memory) than a `usize` can count.
    pub fn new(chain: BirthDeath, processes: usize) -> Result<Self, ChainError> {
        let levels = chain.levels();
        let sets = Multisets::new(processes, levels)?;
        let slots = Multisets::new(processes, levels + 1)?;
        Ok(Self { chain, sets, slots, scratch: Mutex::new(Vec::new()) })
    }

    /// The chain of each process.
    pub fn chain(&self) -> &BirthDeath {
        &self.chain
    }

    /// The multisets that are the states.
    pub fn multisets(&self) -> &Multisets {
        &self.sets
    }

    /// The operator on the wanted states. `out` is correct there and holds no particular value
    /// elsewhere. Parts without a wanted state are skipped.
    pub fn apply_where(&self, wanted: &Wanted, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states() && out.len() == self.states());
        self.start(v, out, 1, Some(wanted));
    }

    /// Applies the operator to rows of `width` values.
    pub(super) fn apply_rows(&self, v: &[f64], out: &mut [f64], width: usize) {
        self.start(v, out, width, None);
    }

    fn start(&self, v: &[f64], out: &mut [f64], width: usize, wanted: Option<&Wanted>) {
        let part = self.all_of(wanted);
        if out.len() >= PARALLEL {
            self.share(part, v, out, width);
        } else {
            self.alone(part, v, out, width);
        }
    }

    /// [`compute`](Self::compute) with scratch memory of its own.
    fn alone(&self, part: Part<'_>, v: &[f64], out: &mut [f64], width: usize) {
        let levels = self.levels_after(part.highest);
        let others = (1..part.items).map(|items| self.count(items, levels)).sum::<usize>();
        // Two items use slightly more than a row.
        self.with_scratch((others + 2) * width, |scratch| {
            self.compute(part, v, out, scratch, width);
        });
    }

    /// The number of multisets of `items` items on the lowest `levels` levels.
    fn count(&self, items: usize, levels: usize) -> usize {
        self.slots.count(items, levels)
    }

    /// The number of levels that items can occupy after starting at `highest` or below.
    fn levels_after(&self, highest: usize) -> usize {
        (highest + 2).min(self.chain.levels())
    }

    /// Calls `f` with this many numbers of scratch memory. The smallest stored buffer that suffices
    /// is used, if it is not far too large: parts that wait for smaller ones hold theirs.
    fn with_scratch(&self, needed: usize, f: impl FnOnce(&mut [f64])) {
        let taken = self.scratch.lock().map_or(None, |mut kept| {
            let at = kept.partition_point(|scratch| scratch.len() < needed);
            let fits = kept.get(at).is_some_and(|scratch| scratch.len() / 2 <= needed);
            fits.then(|| kept.remove(at))
        });
        let mut scratch = taken.unwrap_or_else(|| vec![0.0; needed]);
        f(&mut scratch[..needed]);
        if let Ok(mut kept) = self.scratch.lock() {
            let at = kept.partition_point(|other| other.len() < scratch.len());
            kept.insert(at, scratch);
        }
    }

    /// The states of a part by their highest level, from the highest down.
    fn blocks<'o>(
        &self,
        part: Part<'_>,
        mut out: &'o mut [f64],
        width: usize,
    ) -> Vec<(usize, &'o mut [f64])> {
        let mut blocks = Vec::with_capacity(part.highest + 1);
        for z in (0..=part.highest).rev() {
            let (lower, block) = out.split_at_mut(self.count(part.items, z) * width);
            out = lower;
            if !part.above.excludes(z, part.items) {
                blocks.push((z, block));
            }
        }
        blocks
    }

    /// [`compute`](Self::compute), shared among threads.
    fn share(&self, part: Part<'_>, v: &[f64], out: &mut [f64], width: usize) {
        if part.items == 1 || out.len() < PARALLEL {
            return self.alone(part, v, out, width);
        }
        let blocks = self.blocks(part, out, width).into_par_iter().with_max_len(1);
        blocks.for_each(|(z, out)| {
            let rest = Part { items: part.items - 1, highest: z, above: part.above.and(z) };
            self.with_scratch(self.count(rest.items, self.levels_after(z)) * width, |others| {
                self.move_highest(z, rest, (v, 0), (others, ALL), width);
                self.share(rest, others, out, width);
            });
        });
    }

    fn all_of<'w>(&self, wanted: Option<&'w Wanted>) -> Part<'w> {
        let above = Above::none(wanted);
        Part { items: self.sets.items(), highest: self.chain.levels() - 1, above }
    }

    /// The expectation over the moves of the items of a part. `v` is a function of their positions
    /// afterward; `out` receives the function of their starting positions.
    fn compute(
        &self,
        part: Part<'_>,
        v: &[f64],
        out: &mut [f64],
        scratch: &mut [f64],
        width: usize,
    ) {
        let Part { items, highest, above } = part;
        if items == 1 {
            return self.chain.span_into(highest + 1, v, out, width);
        }
        if width == 1 && (items == 2 || items == 3 && above.wanted.is_none()) {
            return widest(Few { operator: self, part, v, out, scratch });
        }
        for z in 0..=highest {
            if above.excludes(z, items) {
                continue;
            }
            let others = self.count(items - 1, self.levels_after(z)) * width;
            let (others, scratch) = scratch.split_at_mut(others);
            let rest = Part { items: items - 1, highest: z, above: above.and(z) };
            self.move_highest(z, rest, (v, 0), (others, ALL), width);
            let out = &mut out[self.count(items, z) * width..self.count(items, z + 1) * width];
            self.compute(rest, others, out, scratch, width);
        }
    }

    /// g_z: the sum over the move of the highest item, from level `z`, as a function of the
    /// positions of the `others` afterward; `f` is a function of all positions. Skipped where it
    /// affects no wanted start. `f` comes with the rank of its first entry, and `kept` is the range
    /// of the others' ranks stored in `out`.
    fn move_highest(
        &self,
        z: usize,
        others: Part<'_>,
        f: (&[f64], usize),
        (out, kept): (&mut [f64], Range<usize>),
        width: usize,
    ) {
        let p = self.chain.row(z);
        if z == 0 {
            return self.move_lowest(f.0, out, width);
        }
        let least = others.above.least_after(z, others.items);
        let runs = (z, others.items, kept);
        self.by_run(runs, f, out, width, |below, fixed, from, [down, here, above], run| {
            if least <= fixed {
                return p.means(down, here, above, run);
            }
            self.heavy(below, z, least - fixed, 0, &mut |start, end| {
                let (start, end) = (start * width, end * width);
                let (start, end) =
                    (start.max(from) - from, end.min(from + run.len()).max(from) - from);
                if start < end {
                    let run = &mut run[start..end];
                    p.means(&down[start..], &here[start..], &above[start..], run);
                }
            });
        });
    }

    /// [`move_highest`](Self::move_highest) from level 0.
    fn move_lowest(&self, f: &[f64], out: &mut [f64], width: usize) {
        // On two levels the number of items at the upper one is the rank.
        self.chain.row(0).means(f, f, &f[width..], out);
    }

    /// Calls `each` for runs of [`move_highest`](Self::move_highest). Its arguments: the number of
    /// others below z; the sum of the levels of the remaining others; the number of entries at the
    /// beginning of the run that are not kept; `f` with the item at the levels around z; and the
    /// output.
    #[inline(always)]
    fn by_run(
        &self,
        (z, others, kept): (usize, usize, Range<usize>),
        (f, base): (&[f64], usize),
        out: &mut [f64],
        width: usize,
        mut each: impl FnMut(usize, usize, usize, [&[f64]; 3], &mut [f64]),
    ) {
        let count = |items: usize, levels: usize| self.count(items, levels) * width;
        let at = |place: usize| &f[place - base * width..];
        let last = z + 1 == self.chain.levels();
        let (mut from, mut out, mut place) = (0, out, 0);
        // With 0, 1, ... of the others at z + 1, which are fixed in f.
        for items in (0..=others).rev() {
            // f with the item at z + 1.
            let top = from + count(items + 1, z + 1);
            let (mut lower, mut above) = (from, top);
            // With 0, 1, ... of the others at z, which are fixed in both.
            for below in (0..=items).rev() {
                let length = count(below, z);
                let here = lower + count(below + 1, z);
                let down = lower + count(below + 1, z - 1);
                let fixed = (others - items) * (z + 1) + (items - below) * z;
                // From the highest level the item never moves up.
                let up = if last { here } else { above };
                let start = kept.start.max(place) - place;
                let end = kept.end.min(place + length).max(place) - place;
                if start < end {
                    let (run, rest) = out.split_at_mut(end - start);
                    let around = [at(down + start), at(here + start), at(up + start)];
                    each(below, fixed, start, around, run);
                    out = rest;
                }
                (lower, place) = (here, place + length);
                if below > 0 {
                    above += length;
                }
            }
            if last {
                return;
            }
            from = top;
        }
    }

    /// Calls `each` with runs of ranks, counted from `first`. They contain the multisets of `items`
    /// items on the lowest `levels` levels with a sum of at least `least`, and some others.
    fn heavy(
        &self,
        items: usize,
        levels: usize,
        least: usize,
        first: usize,
        each: &mut impl FnMut(usize, usize),
    ) {
        let count = self.count(items, levels);
        if least <= levels || count <= SHORT {
            if least <= items * (levels - 1) {
                each(first, first + count);
            }
            return;
        }
        // The highest item is at least at the mean.
        for y in least.div_ceil(items)..levels {
            let (rest, first) = (least.saturating_sub(y), first + self.count(items, y));
            self.heavy(items - 1, y + 1, rest, first, each);
        }
    }
}

impl Operator for Exchangeable {
    fn states(&self) -> usize {
        self.sets.states()
    }

    fn staying(&self) -> Option<Vec<f64>> {
        Some(self.staying_of(0..self.states()))
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states() && out.len() == self.states());
        self.apply_rows(v, out, 1);
    }

    fn rounding(&self) -> f64 {
        // Each process adds three products with probabilities that are rounded themselves.
        self.chain.rounding() * self.sets.items() as f64
    }

    fn conserves(&self) -> bool {
        true
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        usable(self.weights_of(0..self.states())?)
    }

    fn is_reversible(&self) -> bool {
        self.chain.is_reversible()
    }
}
