//! Construction of the nodes that an expectation over joint moves needs; nodes that lead nowhere
//! are removed.

use super::shapes::{Packing, Successors};
use crate::parallel;
use rayon::prelude::*;

/// The nodes with the same processors that have not moved: those at one level, and others below.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Probabilities of the moves from that level.
    pub chances: Vec<f64>,
    /// For each node the beginning of its moves, and the end of the last.
    pub begins: Vec<u32>,
    /// Targets, as positions in the part in which that level has moved, or in the slots.
    pub targets: Vec<u32>,
    /// Index of each move.
    pub which: Vec<u16>,
    /// Number of positions of each node: the largest that a member needs.
    pub places: usize,
    /// Number of members computed from the nodes, and number of products.
    pub members: usize,
    pub terms: usize,
    /// The parts with one more level not moved; empty where all processors are included.
    pub higher: Vec<Part>,
}

impl Part {
    pub fn nodes(&self) -> usize {
        self.begins.len().saturating_sub(1)
    }

    /// Largest number of terms summed for a member.
    pub fn longest(&self) -> usize {
        let own = self.begins.windows(2).map(|ends| (ends[1] - ends[0]) as usize);
        let higher = self.higher.iter().map(Part::longest);
        own.max().unwrap_or(0) + higher.max().unwrap_or(0)
    }
}

/// Fewer shapes than this are not split among threads.
const ALONE: usize = 64;

/// Moves of shapes, each at one position or at several with the same moves.
///
/// Counts of processors that have moved are packed with the level below the lowest of the shape
/// first.
pub(super) struct Moving<R, S, L> {
    pub packing: Packing,
    pub processors: u32,
    /// Probabilities of one down, none and one up, for each level of a shape from the lowest on.
    pub row: R,
    /// Whether counts of processors that have moved may be part of a wanted shape. Counts from the
    /// given field on are final.
    pub seen: S,
    /// The slot of counts in which all have moved, if it is wanted.
    pub slot: L,
}

/// Processors that have not moved (at one level, and below it), with the nodes they require.
struct Needed {
    /// Moves from that level.
    moves: Successors,
    /// Counts of processors that have moved, in ascending order.
    moved: Vec<u128>,
    places: usize,
    members: usize,
    higher: Vec<Needed>,
}

impl<R, S, L> Moving<R, S, L>
where
    R: Fn(usize) -> [f64; 3] + Sync,
    S: Fn(u128, usize) -> bool + Sync,
    L: Fn(u128) -> Option<u32> + Sync,
{
    /// The parts for these shapes with their numbers of positions, in the order of
    /// [`along`](Packing::along).
    pub fn parts(&self, shapes: &[(u128, usize)]) -> Vec<Part> {
        let needed = self.needed(shapes, 0, 0).into_par_iter();
        needed.map(|needed| self.part(needed, &mut |_, counts| (self.slot)(counts))).collect()
    }

    /// Requirements of these shapes, which agree in the processors at levels before `level`; these
    /// number `below`.
    fn needed(&self, shapes: &[(u128, usize)], level: usize, below: u32) -> Vec<Needed> {
        let next = |(shape, _): &(u128, usize)| self.packing.next(*shape, level);
        let of_group = |group: &&[(u128, usize)]| {
            let (at, count) = next(&group[0]);
            let moves = self.packing.moves((self.row)(at), at as u32, count);
            if below + count == self.processors {
                let (moved, places) = (vec![0], group[0].1);
                return Needed { moves, moved, places, members: places, higher: Vec::new() };
            }
            let higher = self.needed(group, at + 1, below + count);
            let mut moved = Vec::new();
            for Needed { moves, moved: with, .. } in &higher {
                let all =
                    with.iter().flat_map(|with| moves.iter().map(move |(more, _)| with + more));
                // Processors that have not moved reach at most the level above.
                moved.extend(all.filter(|counts| (self.seen)(*counts, at + 3)));
            }
            moved.sort_unstable();
            moved.dedup();
            moved.shrink_to_fit();
            let places = higher.iter().map(|needed| needed.places).max().unwrap_or(0);
            let members = higher.iter().map(|needed| needed.members).sum();
            Needed { moves, moved, places, members, higher }
        };
        let groups: Vec<_> = shapes.chunk_by(|a, b| next(a) == next(b)).collect();
        match shapes.len() < ALONE {
            true => groups.iter().map(of_group).collect(),
            false => parallel::map_all(&groups, &of_group),
        }
    }

    /// The part with the nodes that lead somewhere; `target` gives the target of the counts after
    /// each move.
    fn part(&self, needed: Needed, target: &mut dyn FnMut(usize, u128) -> Option<u32>) -> Part {
        let Needed { moves, moved, places, members, higher } = needed;
        let mut part = Part { begins: vec![0], places, members, ..Part::default() };
        part.chances = moves.iter().map(|(_, p)| *p).collect();
        let mut kept = Vec::new();
        for counts in moved {
            for (which, (more, _)) in moves.iter().enumerate() {
                if let Some(target) = target(which, counts + more) {
                    part.targets.push(target);
                    part.which.push(which as u16);
                }
            }
            let end = part.targets.len() as u32;
            if part.begins.last() != Some(&end) {
                part.begins.push(end);
                kept.push(counts);
            }
        }
        part.terms = part.targets.len() * places;
        if kept.is_empty() {
            return part;
        }
        let higher = higher.into_par_iter().map(|needed| {
            let mut passed = vec![0; needed.moves.len()];
            self.part(needed, &mut |which, counts| {
                // Counts ascend, and remain ascending after adding the same move.
                let at = not_below(&kept, passed[which], counts);
                passed[which] = at;
                (kept.get(at) == Some(&counts)).then(|| (at * places) as u32)
            })
        });
        part.higher = higher.collect();
        part.terms += part.higher.iter().map(|part| part.terms).sum::<usize>();
        part
    }
}

/// The first of these ascending counts, from index `from` on, that is not below `counts` (galloping
/// search).
fn not_below(all: &[u128], from: usize, counts: u128) -> usize {
    let (mut from, mut stride) = (from, 1);
    while all.get(from + stride).is_some_and(|other| *other < counts) {
        from += stride;
        stride *= 2;
    }
    let near = &all[from.min(all.len())..all.len().min(from + stride + 1)];
    from + near.partition_point(|other| *other < counts)
}
