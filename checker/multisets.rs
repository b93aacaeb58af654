//! Equal processes lumped: functions of the multiset of their levels, and their expectations.
//!
//! Multisets stand in colexicographic order: those of m items below level z come first, and those whose
//! highest item is at z next, in the order of what the others make up.

use crate::Refusal;
use crate::model::Row;
use crate::number::{WEIGHT, floor, over, wide};
use rayon::prelude::*;

/// How equal processes move that move by at most one level.
pub struct Lumped {
    size: usize,
    /// `ways[n][m]`: how many multisets of m items on n levels there are.
    ways: Vec<Vec<usize>>,
    /// The probabilities to go down, to stay and to go up, rounded down.
    moves: Vec<[u64; 3]>,
    /// By how many units an expectation may be too low.
    pub deficit: u64,
}

impl Lumped {
    pub fn new(rows: &[Row], size: usize) -> Result<Lumped, Refusal> {
        let mut ways = vec![vec![0usize; size + 1]];
        ways[0][0] = 1;
        for n in 0..=rows.len() {
            let mut more = ways[n].clone();
            (1..=size).for_each(|m| more[m] = more[m].saturating_add(more[m - 1]));
            ways.push(more);
        }
        let (mut moves, mut worst) = (vec![[0; 3]; rows.len()], 0);
        for (level, row) in rows.iter().enumerate() {
            let mut rounded = 0;
            for (to, p) in row {
                let weight = floor(p, WEIGHT)?;
                moves[level][to + 1 - level] = weight as u64;
                rounded += u64::from(over(weight, WEIGHT) != *p);
            }
            worst = rounded.max(worst);
        }
        // What is multiplied stays below 2^62: a rounded weight takes away less than a unit.
        let deficit = (1 + worst) * size as u64;
        let small = ways[rows.len()][size] <= 1 << 28;
        if small { Ok(Lumped { size, ways, moves, deficit }) } else { Err(Refusal::TooLarge) }
    }

    /// How many multisets there are.
    pub fn count(&self) -> usize {
        self.ways[self.moves.len()][self.size]
    }

    /// Every multiset, ascending, in order.
    pub fn for_each(&self, mut visit: impl FnMut(&[usize])) {
        let mut items = vec![0; self.size];
        for _ in 1..self.count() {
            visit(&items);
            let together = items.iter().take_while(|item| **item == items[0]).count();
            items[together - 1] += 1;
            items[..together - 1].fill(0);
        }
        visit(&items);
    }

    /// Replaces a function by its expectation after all have moved, rounded down. It has `width` entries for
    /// each multiset, next to each other.
    pub fn apply(&self, function: &mut [u64], width: usize) {
        // None can be at a level beyond the highest.
        let mut after = function.to_vec();
        after.resize(self.ways[self.moves.len() + 1][self.size] * width, 0);
        let mut rest = function;
        let mut starts = Vec::new();
        for z in 0..self.moves.len() {
            let (start, others) = rest.split_at_mut(self.ways[z + 1][self.size - 1] * width);
            starts.push((z, start));
            rest = others;
        }
        starts.into_par_iter().for_each(|(z, start)| self.from(z, self.size, &after, start, width));
    }

    /// From a function of where `items` items are after the move, its expectation for starts with the highest
    /// one at z. That one moves first; for the others, at z or below, the same problem is left.
    fn from(&self, z: usize, items: usize, after: &[u64], start: &mut [u64], width: usize) {
        let others = items - 1;
        // Where multisets of m items on n levels begin that have c at the highest.
        let begin =
            |n: usize, m: usize, c: usize| self.ways[n][m].saturating_sub(self.ways[n][m - c]);
        let mut buffer = vec![0; if others == 0 { 0 } else { self.ways[z + 2][others] * width }];
        let left = if others == 0 { &mut *start } else { &mut buffer[..] };
        for a in 0..=others {
            for b in 0..=others - a {
                // Others with a items at z + 1, b at z, c below.
                let c = others - a - b;
                let own = begin(z + 2, others, a) + begin(z + 1, others - a, b);
                let down = begin(z + 2, items, a) + begin(z + 1, items - a, b) + begin(z, c + 1, 1);
                let stay = begin(z + 2, items, a) + begin(z + 1, items - a, b + 1);
                let up = begin(z + 2, items, a + 1) + begin(z + 1, others - a, b);
                let length = self.ways[z][c] * width;
                let part = |at: usize| &after[at * width..][..length];
                let left = &mut left[own * width..][..length];
                let [p, q, r] = self.moves[z];
                for (((left, x), y), z) in
                    left.iter_mut().zip(part(down)).zip(part(stay)).zip(part(up))
                {
                    *left = ((wide(*x, p) + wide(*y, q) + wide(*z, r)) >> WEIGHT) as u64;
                }
            }
        }
        let mut rest = start;
        for y in 0..=z {
            if others == 0 {
                return;
            }
            let (first, more) = rest.split_at_mut(self.ways[y + 1][others - 1] * width);
            self.from(y, others, &buffer, first, width);
            rest = more;
        }
    }
}
