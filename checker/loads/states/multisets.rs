//! Equal processes lumped: functions of the multiset of their levels, and the expectations of
//! these.
//!
//! Multisets are in colexicographic order. Those of m items below level z come first. Those whose
//! highest item is at z follow, in the order of their other items.

use crate::core::budget::Refusal;
use crate::core::span::{WEIGHT, wide};
use crate::loads::Processes;
use crate::loads::chains::rows::by_one;
use crate::loads::states::space::{Group, Space, Together};
use num_rational::BigRational;
use rayon::prelude::*;

impl Space {
    /// The space of processes that move independently.
    pub fn independent(each: &Processes, capacities: &[BigRational]) -> Result<Space, Refusal> {
        let equal = each.equal(capacities)?.into_iter().map(|(members, (lowest, rows))| {
            let loads = (0..rows.len() as i64).map(|level| lowest.saturating_add(level));
            let mut group = Group::new(members, loads.collect(), &rows)?;
            if by_one(&rows) {
                group.lumped = Some(Box::new(Lumped::new(&group.rows, group.members.len())?));
            }
            Ok(group)
        });
        Space::of(equal.collect::<Result<_, Refusal>>()?)
    }
}

/// The motion of equal processes that move by at most one level a step. The probabilities of each
/// level sum to 1.
struct Lumped {
    size: usize,
    /// `ways[n][m]`: the number of multisets of m items on n levels.
    ways: Vec<Vec<usize>>,
    /// The weights of going down, staying and going up.
    moves: Vec<[u64; 3]>,
}

impl Lumped {
    /// From the row of each level.
    fn new(rows: &[Vec<(usize, u64)>], size: usize) -> Result<Lumped, Refusal> {
        let mut moves = vec![[0; 3]; rows.len()];
        for (level, row) in rows.iter().enumerate() {
            row.iter().for_each(|(to, weight)| moves[level][to + 1 - level] += *weight);
        }
        let mut ways = vec![vec![0usize; size + 1]];
        ways[0][0] = 1;
        for n in 0..moves.len() {
            let mut more = ways[n].clone();
            (1..=size).for_each(|m| more[m] = more[m].saturating_add(more[m - 1]));
            ways.push(more);
        }
        // Functions of any smaller number of items need room, too.
        let room = ways[moves.len()].iter().fold(0usize, |all, ways| all.saturating_add(*ways));
        if room > 1 << 27 { Err(Refusal::TooLarge) } else { Ok(Lumped { size, ways, moves }) }
    }

    /// The number of multisets, by size, on the levels that level z and those below lead to.
    fn reached(&self, z: usize) -> &[usize] {
        &self.ways[self.moves.len().min(z + 2)]
    }

    /// From a function of the levels of `items` items after the move, computes its expectation over
    /// starts whose highest item is at z. That item moves first; the others, at z or below, follow
    /// by recursion.
    fn expect(
        &self,
        z: usize,
        items: usize,
        after: &[u64],
        start: &mut [u64],
        width: usize,
        room: &mut [u64],
    ) {
        if items == 1 {
            let at = |level: usize| &after[level * width..][..width];
            let up = (z + 1).min(self.moves.len() - 1);
            return mix(start, self.moves[z], [at(z.saturating_sub(1)), at(z), at(up)]);
        }
        // Where all reachable values are equal, the expectation is that value.
        let (from, to) = (self.ways[z.saturating_sub(1)][items], self.reached(z)[items]);
        let reach = &after[from * width..to * width];
        if reach[width..] == reach[..reach.len() - width] {
            return start.chunks_mut(width).for_each(|own| own.copy_from_slice(&reach[..width]));
        }
        let (left, room) = room.split_at_mut(self.reached(z)[items - 1] * width);
        self.highest(z, items - 1, after, left, width);
        let mut rest = start;
        for y in 0..=z {
            let (start, more) = rest.split_at_mut(self.ways[y + 1][items - 2] * width);
            self.expect(y, items - 1, left, start, width, room);
            rest = more;
        }
    }

    /// The expectation over the move of an item at z, as a function of the later levels of `others`
    /// other items.
    fn highest(&self, z: usize, others: usize, after: &[u64], left: &mut [u64], width: usize) {
        let (ways, reached) = (&self.ways, self.reached(z));
        // The first index of the multisets with a items at z + 1, b at z and c below.
        let begin = |a: usize, b: usize, c: usize| {
            reached[a + b + c] - reached[b + c] + ways[z + 1][b + c] - ways[z + 1][c]
        };
        let above = z + 1 < self.moves.len();
        for a in 0..=if above { others } else { 0 } {
            for b in 0..=others - a {
                let c = others - a - b;
                let length = ways[z][c] * width;
                let part = |at: usize| &after[at * width..][..length];
                let lower = begin(a, b, c + 1) + ways[z][c + 1];
                let down = part(lower.saturating_sub(ways[z][c]));
                let stay = part(begin(a, b + 1, c));
                let up = if above { part(begin(a + 1, b, c)) } else { stay };
                mix(&mut left[begin(a, b, c) * width..][..length], self.moves[z], [down, stay, up]);
            }
        }
    }
}

impl Together for Lumped {
    fn count(&self) -> usize {
        self.ways[self.moves.len()][self.size]
    }

    fn place(&self, levels: &[usize]) -> usize {
        levels.iter().zip(1..).map(|(level, items): (_, usize)| self.ways[*level][items]).sum()
    }

    fn apply(&self, function: &mut [u64], width: usize) {
        let (after, mut rest, mut starts) = (function.to_vec(), function, Vec::new());
        for z in 0..self.moves.len() {
            let (start, more) = rest.split_at_mut(self.ways[z + 1][self.size - 1] * width);
            starts.push((z, start));
            rest = more;
        }
        starts.into_par_iter().for_each(|(z, start)| {
            let room = self.reached(z)[..self.size].iter().sum::<usize>() * width;
            self.expect(z, self.size, &after, start, width, &mut vec![0; room]);
        });
    }
}

/// The number of values processed together.
const BLOCK: usize = 64;

/// The weighted mean of three functions, rounded down.
fn mix(mean: &mut [u64], [p, q, r]: [u64; 3], [down, stay, up]: [&[u64]; 3]) {
    let three = down.chunks(BLOCK).zip(stay.chunks(BLOCK)).zip(up.chunks(BLOCK));
    for (mean, ((down, stay), up)) in mean.chunks_mut(BLOCK).zip(three) {
        // Savings are 0 in most blocks.
        let all = |part: &[u64]| part.iter().fold(0, |all, x| all | x);
        if all(down) | all(stay) | all(up) == 0 {
            mean.fill(0);
            continue;
        }
        for (((mean, x), y), z) in mean.iter_mut().zip(down).zip(stay).zip(up) {
            *mean = ((wide(*x, p) + wide(*y, q) + wide(*z, r)) >> WEIGHT) as u64;
        }
    }
}
