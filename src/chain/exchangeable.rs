//! Equal birth–death processes lumped to multisets of levels.
//!
//! The levels are processed one after another with a *moving buffer*: one slot more than levels,
//! where slot l holds the processes that have arrived at level l, and the slots above those that
//! are still to move. Before level i is processed the slots are
//!
//! ```text
//! slot      0 .. i-1           i                 i+1          i+2 .. L
//! holds     arrived there      arrived from i-1  start at i   start at i+1 .. L-1
//! ```
//!
//! and processing it moves each of the t items of slot i+1, independently, to slot i-1 (down), to
//! slot i (stay) or leaves it there (up): it has arrived at level i+1. As an operator on functions
//! the last level acts first. In colexicographic order the states with a given content of the slots
//! above i+1 are a contiguous block, the states of the block with t items in slot i+1 a contiguous
//! part of it, and those with s items in slot i a contiguous part of that, in the same order for
//! all s and t as far as the slots below agree. So every term of the multinomial sum is a scaled
//! addition of contiguous runs, done in place from the largest t downwards. Blocks are processed
//! depth first, so that all but the first levels work within the cache.

use super::{BirthDeath, ChainError, Multisets, Operator, usable};
use rayon::{Scope, prelude::*};
use std::sync::Mutex;

/// The joint chain of r independent processes with the same birth–death chain, on the
/// C(L+r-1, r) multisets of their levels in the order of [`Multisets`].
///
/// One application costs about r fused multiply–adds a state and uses C(L+r, r) numbers of scratch
/// memory, which are kept for the next one.
#[derive(Debug)]
pub struct Exchangeable {
    chain: BirthDeath,
    sets: Multisets,
    /// Multisets over the L + 1 slots.
    slots: Multisets,
    /// `moves[i][t]`: how t items that start at level i may move.
    moves: Vec<Vec<Moves>>,
    scratch: Mutex<Vec<Vec<f64>>>,
}

/// The ways t items of one level may move.
#[derive(Debug, Clone)]
struct Moves {
    /// The probability that all go up.
    all_up: f64,
    /// (number that go down, number that stay, probability), without `all_up`.
    others: Vec<(usize, usize, f64)>,
}

/// A block of the work in [`Exchangeable::descend`].
struct Block<'a> {
    top: usize,
    items: usize,
    above: Above<'a>,
    work: &'a mut [f64],
    out: &'a mut [f64],
}

/// Where the items of a block start that are not its own.
#[derive(Debug, Clone, Copy)]
struct Above<'w> {
    /// The highest of their levels, if there are any.
    largest: Option<usize>,
    sum: usize,
    wanted: Option<&'w Wanted>,
}

impl Above<'_> {
    /// With `count` more at `level`.
    fn and(self, count: usize, level: usize) -> Self {
        let largest = if count > 0 { self.largest.or(Some(level)) } else { self.largest };
        Self { largest, sum: self.sum + count * level, ..self }
    }

    /// Whether no start is wanted that has `count` items at `level` >= 1 and the other
    /// `items - count` below it.
    fn excludes(self, count: usize, level: usize, items: usize) -> bool {
        let Some(wanted) = self.wanted else { return false };
        let above = self.and(count, level);
        let most = above.sum + (items - count) * (level - 1);
        above.largest.is_some_and(|largest| !wanted.any(largest, above.sum, most))
    }
}

/// The states an application is wanted for: those with r max - sum <= limit, with a limit for every
/// sum of levels.
#[derive(Debug, Clone)]
pub struct Wanted {
    processes: usize,
    /// `most[k][s]`: the largest limit + sum over the sums s..s + 2^k.
    most: Vec<Vec<usize>>,
}

impl Wanted {
    /// By the limits for the sums 0, 1, ..., r (L - 1).
    pub fn new(processes: usize, limits: &[u32]) -> Self {
        let first = limits.iter().enumerate().map(|(sum, &limit)| sum + limit as usize);
        let mut most: Vec<Vec<usize>> = vec![first.collect()];
        let mut width = 1;
        while 2 * width <= limits.len() {
            let last = &most[most.len() - 1];
            let pairs = last.iter().zip(&last[width..]);
            let next = pairs.map(|(a, b)| *a.max(b)).collect();
            most.push(next);
            width *= 2;
        }
        Self { processes, most }
    }

    /// Whether a state with this largest level and a sum from `least` to `most` can be wanted.
    fn any(&self, largest: usize, least: usize, most: usize) -> bool {
        let power = (most - least + 1).ilog2() as usize;
        let row = &self.most[power];
        self.processes * largest <= row[least].max(row[most + 1 - (1 << power)])
    }
}

/// Blocks of at least this many numbers are shared among threads.
const PARALLEL: usize = 1 << 15;

impl Exchangeable {
    /// `processes` independent copies of `chain`.
    ///
    /// # Errors
    /// No process, or more states (with the scratch slot) than a `usize` can count.
    pub fn new(chain: BirthDeath, processes: usize) -> Result<Self, ChainError> {
        let levels = chain.levels();
        let sets = Multisets::new(processes, levels)?;
        let slots = Multisets::new(processes, levels + 1)?;
        let moves =
            (0..levels).map(|i| (0..=processes).map(|t| Moves::new(&chain, i, t)).collect());
        let moves = moves.collect();
        Ok(Self { chain, sets, slots, moves, scratch: Mutex::new(Vec::new()) })
    }

    /// The chain of each process.
    pub fn chain(&self) -> &BirthDeath {
        &self.chain
    }

    /// The multisets that are the states.
    pub fn multisets(&self) -> &Multisets {
        &self.sets
    }

    /// How many numbers of scratch memory an application to rows of width one uses: C(L+r, r).
    pub fn scratch_states(&self) -> usize {
        self.slots.states()
    }

    /// The operator on the wanted states: `out` is right there and holds no particular value
    /// elsewhere. Blocks without a wanted state are skipped. The function it is applied to is given
    /// in the first [`states`](Operator::states) entries of `work`, which is used up and has
    /// [`scratch_states`](Self::scratch_states) entries in all.
    ///
    /// # Panics
    /// When `work` or `out` has not the right length.
    pub fn apply_where(&self, wanted: &Wanted, work: &mut [f64], out: &mut [f64]) {
        assert!(work.len() == self.slots.states() && out.len() == self.states());
        self.start(work, out, 1, Some(wanted));
    }

    /// Applies the operator to rows of `width` values.
    pub(super) fn apply_rows(&self, v: &[f64], out: &mut [f64], width: usize) {
        let mut work = self.scratch.lock().map_or(None, |mut pool| pool.pop()).unwrap_or_default();
        work.resize(self.slots.states() * width, 0.0);
        if v.len() >= PARALLEL {
            let chunks = work[..v.len()].par_chunks_mut(PARALLEL).zip(v.par_chunks(PARALLEL));
            chunks.for_each(|(work, v)| work.copy_from_slice(v));
        } else {
            work[..v.len()].copy_from_slice(v);
        }
        self.start(&mut work, out, width, None);
        if let Ok(mut pool) = self.scratch.lock() {
            pool.push(work);
        }
    }

    fn start(&self, work: &mut [f64], out: &mut [f64], width: usize, wanted: Option<&Wanted>) {
        let above = Above { largest: None, sum: 0, wanted };
        let (top, items) = (self.chain.levels() - 1, self.sets.items());
        self.descend(Block { top, items, above, work, out }, width);
    }

    /// The expectation over the moves of `items` items that start at levels 0..=`top`: `work` holds
    /// a function of where they are afterwards, in slots 0..=`top` + 1, and is used up; `out`
    /// receives the function of where they start.
    fn descend(&self, block: Block<'_>, width: usize) {
        if block.work.len() >= PARALLEL {
            rayon::in_place_scope(|scope| self.levels(block, width, Some(scope)));
        } else {
            self.levels(block, width, None);
        }
    }

    /// Processes the levels of a block downwards, handing the parts that split off to the scope.
    fn levels<'a>(&'a self, block: Block<'a>, width: usize, scope: Option<&Scope<'a>>) {
        let Block { mut top, items, above, mut work, mut out } = block;
        loop {
            match (items, top) {
                (0, _) => return out.copy_from_slice(&work[..width]),
                (1, _) => return self.chain.span_into(top + 1, work, out, width),
                (_, 0) => return self.lowest(items, work, out, width),
                _ => self.level(top, items, above, work, width),
            }
            // The parts with t = 1, 2, .. items in the topmost slot; then on with t = 0.
            let counts = |k, slots| self.slots.count(k, slots) * width;
            let (lower, mut upper) = work.split_at_mut(counts(items, top + 1));
            let (lower_out, mut upper_out) = out.split_at_mut(counts(items, top));
            for t in 1..=items {
                let (work, rest) = upper.split_at_mut(counts(items - t, top + 1));
                let (out, rest_out) = upper_out.split_at_mut(counts(items - t, top));
                (upper, upper_out) = (rest, rest_out);
                if above.excludes(t, top, items) {
                    continue;
                }
                let (items, above) = (items - t, above.and(t, top));
                let block = Block { top: top - 1, items, above, work, out };
                match scope {
                    Some(scope) => scope.spawn(move |_| self.descend(block, width)),
                    None => self.levels(block, width, None),
                }
            }
            if above.excludes(0, top, items) {
                return;
            }
            (work, out, top) = (lower, lower_out, top - 1);
        }
    }

    /// Moves the items that start at level `i` >= 1, in a block of `items` items in slots
    /// 0..=`i` + 1.
    fn level(&self, i: usize, items: usize, above: Above<'_>, block: &mut [f64], width: usize) {
        let count = |k: usize, slots: usize| self.slots.count(k, slots);
        // Where the states with t items in slot i+1 and s in slot i begin.
        let start = |t: usize, s: usize| {
            count(items, i + 2) - count(items - t, i + 2) + count(items - t, i + 1)
                - count(items - t - s, i + 1)
        };
        for t in (1..=items).rev() {
            if above.excludes(t, i, items) {
                continue;
            }
            let moves = &self.moves[i][t];
            let (sources, targets) = block.split_at_mut(start(t, 0) * width);
            let mut targets = &mut targets[..count(items - t, i + 1) * width];
            for s in 0..=items - t {
                let left = items - t - s;
                let length = count(left, i) * width;
                let (target, rest) = targets.split_at_mut(length);
                targets = rest;
                let source = |down: usize, stay: usize| {
                    let begin = start(t - down - stay, s + stay) + count(left + down, i);
                    let begin = (begin - count(left, i)) * width;
                    &sources[begin..begin + length]
                };
                if length >= PARALLEL {
                    let chunk = PARALLEL / 4;
                    target.par_chunks_mut(chunk).enumerate().for_each(|(k, target)| {
                        let range = k * chunk..k * chunk + target.len();
                        moves.combine(target, |down, stay| &source(down, stay)[range.clone()]);
                    });
                } else {
                    moves.combine(target, source);
                }
            }
        }
    }

    /// Moves the `items` items that start at level 0, all of them in slot 1.
    fn lowest(&self, items: usize, block: &[f64], out: &mut [f64], width: usize) {
        let row = |t: usize| &block[t * width..(t + 1) * width];
        let moves = &self.moves[0][items];
        out.copy_from_slice(row(items));
        moves.combine(out, |_, stay| row(items - stay));
    }
}

impl Moves {
    fn new(chain: &BirthDeath, level: usize, items: usize) -> Self {
        let probability = |down: usize, stay: usize| {
            let up = items - down - stay;
            let power = |p: f64, n: usize| p.powi(n as i32);
            choose(items, down)
                * choose(items - down, stay)
                * power(chain.down(level), down)
                * power(chain.stay(level), stay)
                * power(chain.up(level), up)
        };
        let pairs = (0..=items).flat_map(|down| (0..=items - down).map(move |stay| (down, stay)));
        let others = pairs.skip(1).map(|(down, stay)| (down, stay, probability(down, stay)));
        let others = others.filter(|&(_, _, p)| p > 0.0).collect();
        Self { all_up: probability(0, 0), others }
    }

    /// `target = all_up * target + sum of p * source(down, stay)`; what `target` holds does not
    /// matter where `all_up` is 0.
    fn combine<'a>(&self, target: &mut [f64], source: impl Fn(usize, usize) -> &'a [f64]) {
        let mut terms = self.others.iter().map(|&(down, stay, p)| (source(down, stay), p));
        let keep = self.all_up;
        if keep == 0.0 {
            target.fill(0.0);
        } else if let Some((a, p)) = terms.next() {
            for (target, a) in target.iter_mut().zip(a) {
                *target = keep * *target + p * a;
            }
        }
        while let Some((a, p)) = terms.next() {
            if let Some((b, q)) = terms.next() {
                for ((target, a), b) in target.iter_mut().zip(a).zip(b) {
                    *target += p * a + q * b;
                }
            } else {
                for (target, a) in target.iter_mut().zip(a) {
                    *target += p * a;
                }
            }
        }
    }
}

/// The binomial coefficient C(n, k), exact below 2^53.
fn choose(n: usize, k: usize) -> f64 {
    (1..=k).fold(1.0, |product, j| product * (n - k + j) as f64 / j as f64)
}

impl Operator for Exchangeable {
    fn states(&self) -> usize {
        self.sets.states()
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states() && out.len() == self.states());
        self.apply_rows(v, out, 1);
    }

    fn rounding(&self) -> f64 {
        // In units of half an epsilon: a level with t items adds its terms in pairs, each with a
        // product and a probability of some factors (one of them where t = 1). The t may all be in
        // one place or spread out.
        let r = self.sets.items() as f64;
        let level = |t: f64| {
            let pairs = ((t + 1.0) * (t + 2.0) / 4.0).ceil() + 2.0;
            if t < 2.0 { 4.0 } else { pairs + t + 8.0 }
        };
        level(r).max(r * level(1.0)) / 2.0
    }

    fn conserves(&self) -> bool {
        true
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        let weights = self.chain.weights()?;
        let mut all = Vec::with_capacity(self.states());
        let mut walk = self.sets.from(0);
        while let Some(sorted) = walk.get() {
            let product: f64 = sorted.iter().map(|&level| weights[level]).product();
            all.push(self.sets.orderings(sorted) * product);
            walk.advance();
        }
        usable(all)
    }
}
