//! Where the members of shapes go in a move, and which shapes a rank has the lists of.

use super::shapes::Packing;
use super::sums::SumLaws;
use crate::chain::BirthDeath;
use crate::communicator::Shares;
use crate::drift::Ranks;
use rayon::prelude::*;
use std::ops::Range;

/// The most moves that are listed, on all ranks.
pub(super) const MOST_MOVES: usize = 16_000_000;

/// Members and how likely they are, those side by side that are equally likely.
type Moves = Vec<(u32, f64)>;

/// Where the members of shapes go.
pub(super) struct Lists<'l> {
    pub chain: &'l BirthDeath,
    pub packing: Packing,
    pub laws: &'l SumLaws,
    pub shapes: &'l [u128],
    /// The first member of each shape, and one beyond the last of all.
    pub first: &'l [usize],
}

impl Lists<'_> {
    /// The lists of these shapes: the first member, how many there are that move alike, and where the first goes.
    pub fn of(&self, shapes: Range<usize>) -> Vec<(usize, usize, Moves)> {
        let lists = shapes.into_par_iter().map(|shape| self.of_shape(shape));
        lists.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn of_shape(&self, shape: usize) -> Vec<(usize, usize, Moves)> {
        let (first, places) = (self.first[shape], self.first[shape + 1] - self.first[shape]);
        let (shape, packing) = (self.shapes[shape], self.packing);
        let mut lists: Vec<(usize, usize, Moves)> = Vec::new();
        let mut last = Vec::new();
        for lowest in 0..places {
            let counts = packing.counts(shape).collect::<Vec<_>>();
            let occupied = (lowest..).zip(&counts).filter(|(_, n)| **n > 0).map(|(l, _)| l);
            let kinds = self.laws.kinds(occupied);
            if let Some((_, count, _)) = lists.last_mut().filter(|_| kinds == last) {
                *count += 1;
                continue;
            }
            last = kinds;
            let moves = packing.successors(self.chain, shape, lowest).into_iter();
            // Counts ascend, and with them the shapes that lie as high.
            let mut passed = [0; 3];
            let listed = moves.filter_map(|(counts, p)| {
                let (to, empty) = packing.lowered(counts);
                let at = not_below(self.shapes, passed[empty], to);
                passed[empty] = at;
                let found = self.shapes.get(at) == Some(&to);
                // The counts begin one level below.
                found.then(|| ((self.first[at] + lowest + empty - 1) as u32, p))
            });
            let mut listed: Moves = listed.collect();
            listed.sort_unstable_by_key(|(to, p)| (p.to_bits(), *to));
            lists.push((first + lowest, 1, listed));
        }
        lists
    }

    /// The shapes of the own rank, with about as many terms as those of any other; all of them on one rank. `None` if
    /// there are too many moves.
    pub fn own(&self, ranks: &Ranks) -> Option<Range<usize>> {
        let (count, rank) = ranks.place();
        if count == 1 {
            return Some(0..self.shapes.len());
        }
        // How long the lists are each rank finds out for some.
        let stripes = Shares::evenly(self.shapes.len(), count);
        let sizes = (stripes[rank]..stripes[rank + 1]).into_par_iter().map(|shape| {
            let lists = self.of_shape(shape);
            let moves = lists.iter().map(|(_, _, moves)| moves.len()).sum::<usize>();
            let terms =
                lists.iter().map(|(_, members, moves)| members * moves.len()).sum::<usize>();
            [moves as f64, terms as f64]
        });
        let sizes = ranks.gather(sizes.collect::<Vec<_>>().into_flattened());
        let (sizes, _) = sizes.as_chunks::<2>();
        if sizes.iter().map(|[moves, _]| moves).sum::<f64>() > MOST_MOVES as f64 {
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
