//! Targets of the members of shapes in a move: the slots that hold their savings, and reflection at
//! the edges of a chain.

use super::fold::Graph;
use super::parts::Moving;
use super::shapes::Packing;
use crate::chain::BirthDeath;
use crate::parallel;
use std::collections::HashSet;
use std::ops::Range;

/// Positions of the members of shapes.
///
/// The savings of members are stored in slots. Each shape has slots from one level below its lowest
/// position to one above its highest. Suppose the levels at the two edges move like all others,
/// except that moves beyond them are reflected. Then the moves of a shape are the same at all
/// positions, and the slots beyond the edges hold the values at the reflected positions.
pub(super) struct Places<'p> {
    pub chain: &'p BirthDeath,
    pub packing: Packing,
    pub processors: usize,
    /// Shapes in ascending order.
    pub shapes: &'p [u128],
    /// The first member of each shape, and the total number of members.
    pub first: &'p [usize],
    /// Targets of moves beyond the two edges, if the edges differ from other levels in that alone.
    pub folds: Option<[usize; 2]>,
}

/// Targets of moves beyond the two edges of a chain, if it is otherwise a homogeneous walk.
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

/// Members with the same moves, and the kind of their targets.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// All members; moves beyond the edges lead to slots beyond them.
    All,
    /// Members at this position, the first or last of their shape, and only moves beyond an edge
    /// whose target shape is present after reflection.
    Beyond(usize),
    /// Members at this position, in a chain whose levels move differently.
    At(usize),
}

impl Places<'_> {
    /// Graphs of the own shapes; every rank has the same number of graphs.
    pub fn graphs(&self, own: Range<usize>) -> Vec<Graph> {
        let levels = self.chain.levels();
        let kinds: Vec<Kind> = match self.folds {
            Some(_) => [Kind::All].into_iter().chain((0..levels).map(Kind::Beyond)).collect(),
            None => (0..levels).map(Kind::At).collect(),
        };
        let first = self.first[own.start];
        let mut along: Vec<usize> = own.collect();
        along.sort_unstable_by_key(|shape| self.packing.along(self.shapes[*shape]));
        let ends = self.ends();
        let graph = |kind: Kind| {
            let members = |&shape: &usize| Some((shape, self.members(kind, shape)?));
            let members: Vec<_> = along.iter().filter_map(members).collect();
            let moving = Moving {
                packing: self.packing,
                processors: self.processors as u32,
                row: |level| self.row(kind, level),
                seen: |counts, field| self.is_seen(kind, &ends[field], counts, field),
                slot: |counts| self.slot(kind, counts),
            };
            let shapes = members.iter().map(|(shape, places)| (self.shapes[*shape], places.len()));
            let parts = moving.parts(&shapes.collect::<Vec<_>>());
            let member = |(shape, places): &(usize, Range<usize>)| {
                (self.first[*shape] + places.start - first, places.len())
            };
            Graph::new(parts, members.iter().map(member).collect())
        };
        kinds.into_iter().map(graph).collect()
    }

    /// The positions of a shape whose moves are of this kind.
    fn members(&self, kind: Kind, shape: usize) -> Option<Range<usize>> {
        let places = self.first[shape + 1] - self.first[shape];
        match kind {
            Kind::All => Some(0..places),
            Kind::Beyond(place) => (place == 0 || place + 1 == places).then_some(place..place + 1),
            Kind::At(place) => (place < places).then_some(place..place + 1),
        }
    }

    fn row(&self, kind: Kind, level: usize) -> [f64; 3] {
        let level = match kind {
            // Moves beyond the edges are reflected.
            Kind::All | Kind::Beyond(_) => 1,
            Kind::At(place) => place + level,
        };
        [self.chain.down(level), self.chain.stay(level), self.chain.up(level)]
    }

    /// The slot that a move of this kind leads to, if there is one.
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

    /// Whether counts may become those of a present shape, where the counts from a field on are
    /// final. `ends` are the final parts of such counts.
    fn is_seen(&self, kind: Kind, ends: &HashSet<u128>, counts: u128, field: usize) -> bool {
        let is_end = |counts| ends.contains(&self.packing.above(counts, field));
        let (Kind::Beyond(place), Some([_, high])) = (kind, self.folds) else {
            return is_end(counts);
        };
        let (beyond, folded) = (self.chain.levels() + 1 - place, high + 1 - place);
        match self.packing.count(counts, beyond) {
            // The highest have moved already.
            0 => place == 0 && is_end(counts),
            _ => field > folded || is_end(self.packing.moved(counts, beyond, folded)),
        }
    }

    /// By field: the counts from it on of all present shapes, raised by 0, 1 and 2 levels.
    fn ends(&self) -> Vec<HashSet<u128>> {
        let ends = |field: usize| {
            let raised = |shape: u128| {
                let once = self.packing.raised(shape);
                [shape, once, self.packing.raised(once)]
            };
            let all = self.shapes.iter().flat_map(|shape| raised(*shape));
            all.map(|counts| self.packing.above(counts, field)).collect()
        };
        parallel::map(self.chain.levels() + 3, &ends)
    }

    /// The slot of a shape one level below its lowest position.
    fn first_slot(&self, shape: usize) -> usize {
        self.first[shape] + 2 * shape
    }

    /// Slots beyond the edges, and the slots whose values they hold.
    pub fn folded(&self) -> Vec<(u32, u32)> {
        if self.folds.is_none() {
            return Vec::new();
        }
        let pairs = |shape: usize| {
            let places = self.first[shape + 1] - self.first[shape];
            let first = self.first_slot(shape);
            let low = (first, self.slot_beyond(self.shapes[shape], 0));
            // Reflected moves may end two levels lower.
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

    /// The same for counts that may extend beyond the edges; they are reflected.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Edge;
    use std::collections::HashMap;

    /// Expectations by enumeration of the moves of single processors.
    fn plain(chain: &BirthDeath, from: &[usize], worth: &HashMap<Vec<usize>, f64>) -> f64 {
        let mut sum = 0.0;
        for moves in 0..3usize.pow(from.len() as u32) {
            let mut p = 1.0;
            let step = |(i, level): (usize, &usize)| {
                let to = level + moves / 3usize.pow(i as u32) % 3;
                p *= [chain.down(*level), chain.stay(*level), chain.up(*level)][to - level];
                to.wrapping_sub(1)
            };
            let mut to: Vec<usize> = from.iter().enumerate().map(step).collect();
            to.sort_unstable();
            sum += p * worth.get(&to).copied().unwrap_or(0.0);
        }
        sum
    }

    #[test]
    fn members_go_where_single_processors_do() {
        let walk = |edge| BirthDeath::walk(6, 0.3, 0.2, edge).unwrap();
        let uneven = BirthDeath::new(vec![0.3, 0.2, 0.1, 0.0], vec![0.0, 0.2, 0.3, 0.4]).unwrap();
        let short = BirthDeath::walk(4, 0.1, 0.6, Edge::Hold).unwrap();
        let mut numbers = 7u64;
        let mut random = || {
            numbers = numbers.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (numbers >> 40) as usize
        };
        for chain in [walk(Edge::Hold), walk(Edge::Reflect), uneven, short] {
            let levels = chain.levels();
            for processors in [2, 3, 4] {
                let packing = Packing::new(processors, levels).unwrap();
                let states = crate::chain::Multisets::new(processors, levels).unwrap();
                let mut shapes = vec![packing.of(&vec![0; processors]).0];
                let mut sorted = vec![0; processors];
                for state in 0..states.states() {
                    states.unrank_into(state, &mut sorted);
                    if random() % 2 == 0 {
                        shapes.push(packing.of(&sorted).0);
                    }
                }
                shapes.sort_unstable();
                shapes.dedup();
                let mut first = vec![0];
                shapes.iter().for_each(|s| {
                    first.push(first[first.len() - 1] + levels + 1 - packing.width(*s))
                });
                let folds = folds(&chain);
                let places = Places {
                    chain: &chain,
                    packing,
                    processors,
                    shapes: &shapes,
                    first: &first,
                    folds,
                };
                let levels_of = |shape: u128, lowest: usize| -> Vec<usize> {
                    let counts = (lowest..).zip(packing.counts(shape));
                    counts.flat_map(|(level, n)| vec![level; n as usize]).collect()
                };
                let (mut worth, mut slots) = (HashMap::new(), Vec::new());
                for (shape, places) in shapes.iter().zip(first.windows(2)) {
                    slots.push(0.0);
                    for lowest in 0..places[1] - places[0] {
                        let value = random() as f64;
                        worth.insert(levels_of(*shape, lowest), value);
                        slots.push(value);
                    }
                    slots.push(0.0);
                }
                for (slot, of) in places.folded() {
                    slots[slot as usize] = slots[of as usize];
                }
                slots.resize(slots.len() + levels + super::super::PADDING, 0.0);
                let middle = shapes.len() / 2;
                for own in [0..shapes.len(), 0..middle, middle..shapes.len(), 0..0] {
                    let begin = first[own.start];
                    let mut found = vec![0.0; first[own.end] - begin];
                    for graph in places.graphs(own.clone()) {
                        graph.add(&graph.fold(&slots, 1), 1, &mut found);
                    }
                    for shape in own {
                        for lowest in 0..first[shape + 1] - first[shape] {
                            let from = levels_of(shapes[shape], lowest);
                            let expected = plain(&chain, &from, &worth);
                            let found = found[first[shape] + lowest - begin];
                            assert!(
                                (found - expected).abs() <= 1e-13 * expected,
                                "{from:?} {found} {expected}"
                            );
                        }
                    }
                }
            }
        }
    }
}
