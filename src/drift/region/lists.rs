//! Where the members of shapes go in a move, and which shapes a rank has the lists of.

use super::shapes::{Packing, Successors};
use super::sums::SumLaws;
use crate::chain::BirthDeath;
use crate::communicator::Shares;
use crate::drift::Ranks;
use rayon::prelude::*;
use std::ops::Range;

/// The most moves that are listed, on all ranks, of so many states: lists are to take less memory than functions of all
/// states do, but for few states.
pub(super) fn most_moves(states: usize) -> usize {
    (states / 4).max(states.saturating_mul(2).min(16_000_000))
}

/// One of so many shapes tells how long the lists are about.
const LOOKED_AT: usize = 256;

/// Slots and how likely they are, those side by side that are equally likely.
type Moves = Vec<(u32, f64)>;

/// Where the members of shapes go.
///
/// What members have to save stands in slots: those of a shape from one level below the lowest place to one above the
/// highest. Where the levels at the two ends move like all others, but for moves beyond them, which are folded back, one
/// list serves all places of a shape; the slots beyond the ends hold what stands where these moves are folded to.
pub(super) struct Lists<'l> {
    pub chain: &'l BirthDeath,
    pub packing: Packing,
    pub laws: &'l SumLaws,
    pub shapes: &'l [u128],
    /// The first member of each shape, and one beyond the last of all.
    pub first: &'l [usize],
    /// Where moves beyond the two ends lead, if the ends differ from other levels in that alone.
    pub folds: Option<[usize; 2]>,
}

/// Members side by side that move alike.
pub(super) struct Listed {
    /// The first of them, and how many there are.
    pub first: usize,
    pub count: usize,
    /// Where the first goes; the others go as far.
    pub moves: Moves,
    /// Moves of the first and of the last alone, beyond the ends.
    pub beyond: [Moves; 2],
}

impl Listed {
    pub fn moves(&self) -> usize {
        self.moves.len() + self.beyond.iter().map(Vec::len).sum::<usize>()
    }

    pub fn terms(&self) -> usize {
        self.moves() + (self.count - 1) * self.moves.len()
    }
}

/// Where moves beyond the two ends of a chain lead, if it is a walk but for these.
pub(super) fn folds(chain: &BirthDeath) -> Option<[usize; 2]> {
    let row = |level| [chain.down(level), chain.stay(level), chain.up(level)];
    let top = chain.levels().checked_sub(1).filter(|top| *top > 2)?;
    let [down, stay, up] = row(1);
    let equal = |a: [f64; 3], b: [f64; 3]| {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 2.0 * f64::EPSILON)
    };
    let low = [[0.0, stay + down, up], [0.0, stay, up + down]];
    let high = [[down, stay + up, 0.0], [down + up, stay, 0.0]];
    let inwards = |level, rows: [[f64; 3]; 2]| rows.into_iter().position(|r| equal(r, row(level)));
    let even = (1..top).all(|level| row(level) == row(1));
    let folds = [inwards(0, low)?, top - inwards(top, high)?];
    even.then_some(folds)
}

impl Lists<'_> {
    /// The lists of these shapes.
    pub fn of(&self, shapes: Range<usize>) -> Vec<Listed> {
        let lists = shapes.into_par_iter().map(|shape| self.of_shape(shape));
        lists.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// About how many moves the lists have.
    pub fn about(&self) -> usize {
        let some = (0..self.shapes.len()).into_par_iter().step_by(LOOKED_AT);
        let moves = |shape| self.of_shape(shape).iter().map(Listed::moves).sum::<usize>();
        let some: Vec<usize> = some.map(moves).collect();
        some.iter().sum::<usize>() * self.shapes.len() / some.len().max(1)
    }

    /// The slot of a shape one level below its lowest place.
    fn slot(&self, shape: usize) -> usize {
        self.first[shape] + 2 * shape
    }

    /// Slots beyond the ends, and those whose members they stand for.
    pub fn folded(&self) -> Vec<(u32, u32)> {
        if self.folds.is_none() {
            return Vec::new();
        }
        let pairs = |shape: usize| {
            let places = self.first[shape + 1] - self.first[shape];
            let low = (self.slot(shape), self.slot_beyond(self.shapes[shape], 0));
            // Moves that are turned back may end two levels lower.
            let raised = self.packing.raised(self.packing.raised(self.shapes[shape]));
            let high = (self.slot(shape) + places + 1, self.slot_beyond(raised, places - 1));
            [low, high]
        };
        let pairs = (0..self.shapes.len()).flat_map(pairs);
        pairs.filter_map(|(slot, of)| Some((slot as u32, of?))).collect()
    }

    /// The slot of these counts, which begin one level below `lowest` and may lie beyond the ends, folded back.
    fn slot_beyond(&self, counts: u128, lowest: usize) -> Option<u32> {
        let [low, high] = self.folds?;
        let levels = self.chain.levels();
        let mut counts = counts;
        if lowest == 0 {
            counts = self.packing.moved(counts, 0, low + 1);
        }
        let top = levels + 1 - lowest;
        counts = self.packing.moved(counts, top, high + 1 - lowest);
        let (shape, empty) = self.packing.lowered(counts);
        let at = self.shapes.binary_search(&shape).ok()?;
        Some((self.slot(at) + lowest + empty) as u32)
    }

    fn of_shape(&self, at: usize) -> Vec<Listed> {
        let (first, places) = (self.first[at], self.first[at + 1] - self.first[at]);
        let (shape, packing) = (self.shapes[at], self.packing);
        let row = |level| [self.chain.down(level), self.chain.stay(level), self.chain.up(level)];
        if self.folds.is_some() {
            let moves = packing.successors(|_| row(1), shape);
            let mut beyond = [Vec::new(), Vec::new()];
            let top = packing.width(shape) + 1;
            let moves = self.listed(moves, 0, |counts, p| {
                let (below, above) = (
                    packing.moved(counts, 0, 1) != counts,
                    packing.moved(counts, top, 0) != counts,
                );
                let ends = [below || above && places == 1, above && places > 1];
                for (end, lowest) in
                    [0, places - 1].into_iter().enumerate().filter(|(i, _)| ends[*i])
                {
                    beyond[end].extend(self.slot_beyond(counts, lowest).map(|slot| (slot, p)));
                }
            });
            let beyond = beyond.map(sorted);
            return vec![Listed { first, count: places, moves, beyond }];
        }
        let mut lists: Vec<Listed> = Vec::new();
        let mut last = Vec::new();
        for lowest in 0..places {
            let occupied = (lowest..).zip(packing.counts(shape)).filter(|(_, n)| *n > 0);
            let kinds = self.laws.kinds(occupied.map(|(level, _)| level));
            if let Some(list) = lists.last_mut().filter(|_| kinds == last) {
                list.count += 1;
                continue;
            }
            last = kinds;
            let moves = packing.successors(|at| row(lowest + at), shape);
            let moves = self.listed(moves, lowest, |_, _| ());
            let beyond = [Vec::new(), Vec::new()];
            lists.push(Listed { first: first + lowest, count: 1, moves, beyond });
        }
        lists
    }

    /// The slots that these moves lead to from `lowest`; `other` is called with those to shapes that are not there.
    fn listed(&self, moves: Successors, lowest: usize, mut other: impl FnMut(u128, f64)) -> Moves {
        // Counts ascend, and with them the shapes that lie as high.
        let mut passed = [0; 3];
        let listed = moves.into_iter().filter_map(|(counts, p)| {
            let (to, empty) = self.packing.lowered(counts);
            let at = not_below(self.shapes, passed[empty], to);
            passed[empty] = at;
            if self.shapes.get(at) != Some(&to) {
                other(counts, p);
                return None;
            }
            // The counts begin one level below, as the slots do.
            Some(((self.slot(at) + lowest + empty) as u32, p))
        });
        sorted(listed.collect())
    }

    /// The shapes of the own rank, with about as many terms as those of any other; all of them on one rank. `None` if
    /// there are more moves than `most`.
    pub fn own(&self, ranks: &Ranks, most: usize) -> Option<Range<usize>> {
        let (count, rank) = ranks.place();
        if count == 1 {
            return Some(0..self.shapes.len());
        }
        // How long the lists are each rank finds out for some.
        let stripes = Shares::evenly(self.shapes.len(), count);
        let sizes = (stripes[rank]..stripes[rank + 1]).into_par_iter().map(|shape| {
            let lists = self.of_shape(shape);
            let moves = lists.iter().map(Listed::moves).sum::<usize>();
            let terms = lists.iter().map(Listed::terms).sum::<usize>();
            [moves as f64, terms as f64]
        });
        let sizes = ranks.gather(sizes.collect::<Vec<_>>().into_flattened());
        let (sizes, _) = sizes.as_chunks::<2>();
        if sizes.iter().map(|[moves, _]| moves).sum::<f64>() > most as f64 {
            return None;
        }
        let mut sum = 0.0;
        let before = sizes.iter().map(|[_, terms]| {
            sum += terms;
            sum - terms
        });
        let before: Vec<f64> = before.collect();
        let place = |rank: usize| {
            let terms = sum * rank as f64 / count as f64;
            if rank == 0 { 0 } else { before.partition_point(|before| *before < terms) }
        };
        let end = if rank + 1 == count { self.shapes.len() } else { place(rank + 1) };
        Some(place(rank)..end)
    }
}

fn sorted(mut moves: Moves) -> Moves {
    moves.sort_unstable_by_key(|(to, p)| (p.to_bits(), *to));
    moves
}

/// The first of the ascending shapes, from this one on, that is not below a shape.
fn not_below(shapes: &[u128], from: usize, shape: u128) -> usize {
    let (mut from, mut stride) = (from, 1);
    while shapes.get(from + stride).is_some_and(|other| *other < shape) {
        from += stride;
        stride *= 2;
    }
    let near = &shapes[from..shapes.len().min(from + stride + 1)];
    from + near.partition_point(|other| *other < shape)
}
