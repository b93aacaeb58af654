//! Where the members of shapes go in a move: the slots that hold what they have to save, and the ends of a chain.

use super::fold::Graph;
use super::parts::Moving;
use super::shapes::Packing;
use crate::chain::BirthDeath;
use rayon::prelude::*;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;

/// The most moves that are looked at, on each rank, of so many states: what is kept of them is to take less memory than
/// functions of all states do, but for few states.
pub(super) fn most_moves(states: usize) -> usize {
    (states / 4).max(states.saturating_mul(2).min(16_000_000))
}

/// Where the members of shapes are.
///
/// What members have to save stands in slots: those of a shape from one level below the lowest place to one above the
/// highest. Where the levels at the two ends move like all others, but for moves beyond them, which are folded back, the
/// moves of a shape are the same at all places; the slots beyond the ends hold what stands where these moves are folded to.
pub(super) struct Places<'p> {
    pub chain: &'p BirthDeath,
    pub packing: Packing,
    pub processors: usize,
    /// In ascending order.
    pub shapes: &'p [u128],
    /// The first member of each shape, and one beyond the last of all.
    pub first: &'p [usize],
    /// Where moves beyond the two ends lead, if the ends differ from other levels in that alone.
    pub folds: Option<[usize; 2]>,
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

/// Members that move alike, and to what.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// All, where moves beyond the ends lead to slots beyond them.
    All,
    /// Those at this place, the first or the last of their shape, and only moves beyond an end to shapes that are there
    /// when these are folded back.
    Beyond(usize),
    /// Those at this place, in a chain whose levels move otherwise each.
    At(usize),
}

impl Places<'_> {
    /// How the own shapes move; `None` if that takes more moves than `most`.
    pub fn graphs(&self, own: Range<usize>, most: usize) -> Option<Vec<Graph>> {
        let levels = self.chain.levels();
        let kinds: Vec<Kind> = match self.folds {
            Some(_) => [Kind::All].into_iter().chain((0..levels).map(Kind::Beyond)).collect(),
            None => (0..levels).map(Kind::At).collect(),
        };
        let first = self.first[own.start];
        let mut along: Vec<usize> = own.collect();
        along.sort_unstable_by_key(|shape| self.packing.along(self.shapes[*shape]));
        let (ends, looked_at) = (self.ends(), AtomicUsize::new(0));
        let graph = |kind: Kind| {
            let members = |&shape: &usize| Some((shape, self.members(kind, shape)?));
            let members: Vec<_> = along.iter().filter_map(members).collect();
            let moving = Moving {
                packing: self.packing,
                processors: self.processors as u32,
                row: |level| self.row(kind, level),
                seen: |counts, field| self.is_seen(kind, &ends[field], counts, field),
                slot: |counts| self.slot(kind, counts),
                most,
                looked_at: &looked_at,
            };
            let shapes = members.iter().map(|(shape, places)| (self.shapes[*shape], places.len()));
            let parts = moving.parts(&shapes.collect::<Vec<_>>())?;
            let member =
                |(shape, places): &(usize, Range<usize>)| (self.first[*shape] + places.start - first, places.len());
            Some(Graph::new(parts, members.iter().map(member).collect()))
        };
        kinds.into_iter().map(graph).collect()
    }

    /// The places of a shape whose moves are of this kind.
    fn members(&self, kind: Kind, shape: usize) -> Option<Range<usize>> {
        let places = self.first[shape + 1] - self.first[shape];
        match kind {
            Kind::All => Some(0..places),
            Kind::Beyond(place) => {
                (place == 0 || place + 1 == places).then_some(place..place + 1)
            }
            Kind::At(place) => (place < places).then_some(place..place + 1),
        }
    }

    fn row(&self, kind: Kind, level: usize) -> [f64; 3] {
        let level = match kind {
            // Those at the ends are folded back.
            Kind::All | Kind::Beyond(_) => 1,
            Kind::At(place) => place + level,
        };
        [self.chain.down(level), self.chain.stay(level), self.chain.up(level)]
    }

    /// The slot that a move of this kind leads to, if it leads to one.
    fn slot(&self, kind: Kind, counts: u128) -> Option<u32> {
        match kind {
            Kind::All => self.slot_of(counts, 0),
            Kind::At(place) => self.slot_of(counts, place),
            Kind::Beyond(place) => match self.slot_of(counts, place) {
                None => self.slot_beyond(counts, place),
                Some(_) => None,
            },
        }
    }

    /// Whether counts may become some of a shape that is there, where those from a field on are to stay, and these are the
    /// ends of such counts.
    fn is_seen(&self, kind: Kind, ends: &HashSet<u128>, counts: u128, field: usize) -> bool {
        let is_end = |counts| ends.contains(&self.packing.above(counts, field));
        let (Kind::Beyond(place), Some([_, high])) = (kind, self.folds) else { return is_end(counts) };
        let (beyond, folded) = (self.chain.levels() + 1 - place, high + 1 - place);
        match self.packing.count(counts, beyond) {
            // The highest have moved already.
            0 => place == 0 && is_end(counts),
            _ => field > folded || is_end(self.packing.moved(counts, beyond, folded)),
        }
    }

    /// By field, the counts from it on of all shapes that are there, one level lower, as high or higher.
    fn ends(&self) -> Vec<HashSet<u128>> {
        let ends = |field: usize| {
            let raised = |shape: u128| {
                let once = self.packing.raised(shape);
                [shape, once, self.packing.raised(once)]
            };
            let all = self.shapes.iter().flat_map(|shape| raised(*shape));
            all.map(|counts| self.packing.above(counts, field)).collect()
        };
        (0..self.chain.levels() + 3).into_par_iter().map(ends).collect()
    }

    /// The slot of a shape one level below its lowest place.
    fn first_slot(&self, shape: usize) -> usize {
        self.first[shape] + 2 * shape
    }

    /// Slots beyond the ends, and those whose members they stand for.
    pub fn folded(&self) -> Vec<(u32, u32)> {
        if self.folds.is_none() {
            return Vec::new();
        }
        let pairs = |shape: usize| {
            let places = self.first[shape + 1] - self.first[shape];
            let first = self.first_slot(shape);
            let low = (first, self.slot_beyond(self.shapes[shape], 0));
            // Moves that are turned back may end two levels lower.
            let raised = self.packing.raised(self.packing.raised(self.shapes[shape]));
            let high = (first + places + 1, self.slot_beyond(raised, places - 1));
            [low, high]
        };
        let pairs = (0..self.shapes.len()).flat_map(pairs);
        pairs.filter_map(|(slot, of)| Some((slot as u32, of?))).collect()
    }

    /// The slot of these counts, which begin one level below `lowest`.
    fn slot_of(&self, counts: u128, lowest: usize) -> Option<u32> {
        let (shape, empty) = self.packing.lowered(counts);
        let at = self.shapes.binary_search(&shape).ok()?;
        Some((self.first_slot(at) + lowest + empty) as u32)
    }

    /// The same where they may lie beyond the ends, folded back.
    fn slot_beyond(&self, counts: u128, lowest: usize) -> Option<u32> {
        let [low, high] = self.folds?;
        let mut counts = counts;
        if lowest == 0 {
            counts = self.packing.moved(counts, 0, low + 1);
        }
        let top = self.chain.levels() + 1 - lowest;
        self.slot_of(self.packing.moved(counts, top, high + 1 - lowest), lowest)
    }
}
