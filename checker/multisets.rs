//! Equal processes lumped: functions of the multiset of their levels, and their expectations.
//!
//! Multisets stand in colexicographic order: those of m items below level z come first, and those whose
//! highest item is at z next, in the order of what the others make up.

use crate::Refusal;
use crate::number::{WEIGHT, wide};
use rayon::prelude::*;

/// How equal processes move that move by at most one level.
pub struct Lumped {
    pub size: usize,
    /// `ways[n][m]`: how many multisets of m items on n levels there are.
    ways: Vec<Vec<usize>>,
    /// The weights to go down, to stay and to go up.
    moves: Vec<[u64; 3]>,
}

impl Lumped {
    /// From the weights of each level.
    pub fn new(rows: &[Vec<(usize, u64)>], size: usize) -> Result<Lumped, Refusal> {
        let mut moves = vec![[0; 3]; rows.len()];
        for (level, row) in rows.iter().enumerate() {
            row.iter().for_each(|(to, weight)| moves[level][to + 1 - level] = *weight);
        }
        let mut ways = vec![vec![0usize; size + 1]];
        ways[0][0] = 1;
        for n in 0..=moves.len() {
            let mut more = ways[n].clone();
            (1..=size).for_each(|m| more[m] = more[m].saturating_add(more[m - 1]));
            ways.push(more);
        }
        let lumped = Lumped { size, ways, moves };
        if lumped.count() <= 1 << 26 { Ok(lumped) } else { Err(Refusal::TooLarge) }
    }

    /// How many multisets there are.
    pub fn count(&self) -> usize {
        self.ways[self.moves.len()][self.size]
    }

    /// Where the multiset of some ascending levels stands.
    pub fn place(&self, levels: &[usize]) -> usize {
        levels.iter().zip(1..).map(|(level, items): (_, usize)| self.ways[*level][items]).sum()
    }

    /// Replaces a function by its expectation after all have moved, rounded down. It has `width` entries for
    /// each multiset, next to each other.
    pub fn apply(&self, function: &mut [u64], width: usize) {
        // None can be at a level beyond the highest.
        let mut after = vec![0; self.ways[self.moves.len() + 1][self.size] * width];
        after[..function.len()].copy_from_slice(function);
        let (mut rest, mut starts) = (function, Vec::new());
        for z in 0..self.moves.len() {
            let (start, more) = rest.split_at_mut(self.ways[z + 1][self.size - 1] * width);
            starts.push((z, start));
            rest = more;
        }
        starts.into_par_iter().for_each(|(z, start)| {
            let room = self.ways[z + 2][..self.size].iter().sum::<usize>() * width;
            self.expect(z, self.size, &after, start, width, &mut vec![0; room]);
        });
    }

    /// From a function of where `items` items are after the move, its expectation for starts with the highest
    /// one at z. That one moves first; for the others, at z or below, the same is left to do.
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
            return mix(start, self.moves[z], [at(z.saturating_sub(1)), at(z), at(z + 1)]);
        }
        let (left, room) = room.split_at_mut(self.ways[z + 2][items - 1] * width);
        self.highest(z, items - 1, after, left, width);
        let mut rest = start;
        for y in 0..=z {
            let (start, more) = rest.split_at_mut(self.ways[y + 1][items - 2] * width);
            self.expect(y, items - 1, left, start, width, room);
            rest = more;
        }
    }

    /// The expectation over the move of an item at z, as a function of where `others` others are afterwards.
    fn highest(&self, z: usize, others: usize, after: &[u64], left: &mut [u64], width: usize) {
        let ways = &self.ways;
        // Where those begin that have a at z + 1, b at z and c below.
        let begin = |a: usize, b: usize, c: usize| {
            ways[z + 2][a + b + c] - ways[z + 2][b + c] + ways[z + 1][b + c] - ways[z + 1][c]
        };
        for a in 0..=others {
            for b in 0..=others - a {
                let c = others - a - b;
                let length = ways[z][c] * width;
                let part = |at: usize| &after[at * width..][..length];
                let lower = begin(a, b, c + 1) + ways[z][c + 1];
                let down = part(lower.saturating_sub(ways[z][c]));
                let (stay, up) = (part(begin(a, b + 1, c)), part(begin(a + 1, b, c)));
                mix(&mut left[begin(a, b, c) * width..][..length], self.moves[z], [down, stay, up]);
            }
        }
    }
}

/// The mean of three functions by weight, rounded down.
fn mix(mean: &mut [u64], [p, q, r]: [u64; 3], [down, stay, up]: [&[u64]; 3]) {
    for (((mean, x), y), z) in mean.iter_mut().zip(down).zip(stay).zip(up) {
        *mean = ((wide(*x, p) + wide(*y, q) + wide(*z, r)) >> WEIGHT) as u64;
    }
}
