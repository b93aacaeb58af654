//! Shapes: multisets of levels up to where they stand, and what one joint move makes of them.

use std::ops::Add;

/// How counts of processors by level are packed into one number, so many bits each, the lowest level first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packing {
    bits: u32,
}

/// Where a shape goes in one move: its packed counts, with the level below the lowest first.
pub(super) type Successors = Vec<(u128, f64)>;

impl Packing {
    /// For so many processors and levels; `None` if they do not fit.
    pub fn new(processors: usize, levels: usize) -> Option<Packing> {
        let bits = usize::BITS - processors.leading_zeros();
        ((levels + 2) * bits as usize <= 128).then_some(Packing { bits })
    }

    /// The shape of sorted levels, and the lowest of them.
    pub fn of(self, sorted: &[usize]) -> (u128, usize) {
        let lowest = sorted.first().copied().unwrap_or(0);
        let shape = sorted.iter().map(|level| 1u128 << (self.bits * (level - lowest) as u32)).sum();
        (shape, lowest)
    }

    /// The counts of a shape, from its lowest level on.
    pub fn counts(self, shape: u128) -> impl Iterator<Item = u32> {
        let mask = (1u128 << self.bits) - 1;
        let fields = (128 - shape.leading_zeros()).div_ceil(self.bits);
        (0..fields).map(move |level| (shape >> (level * self.bits) & mask) as u32)
    }

    /// Whether these are counts of so many processors, the first not 0, on no more than these levels.
    pub fn is_shape(self, counts: u128, processors: usize, levels: usize) -> bool {
        let sum: usize = self.counts(counts).map(|count| count as usize).sum();
        sum == processors && self.width(counts) <= levels && self.lowered(counts) == (counts, 0)
    }

    /// The counts of a shape with an empty level below it.
    pub fn raised(self, shape: u128) -> u128 {
        shape << self.bits
    }

    /// The counts with those on a field moved to another.
    pub fn moved(self, counts: u128, from: usize, to: usize) -> u128 {
        let [from, to] = [from, to].map(|field| field as u32 * self.bits);
        let count = counts >> from & ((1 << self.bits) - 1);
        counts - (count << from) + (count << to)
    }

    /// The number of levels from its lowest to its highest.
    pub fn width(self, shape: u128) -> usize {
        (128 - shape.leading_zeros()).div_ceil(self.bits) as usize
    }

    /// The shape of packed counts, and how many empty levels lie below it.
    pub fn lowered(self, counts: u128) -> (u128, usize) {
        let empty = counts.trailing_zeros() / self.bits;
        (counts >> (empty * self.bits), empty as usize)
    }

    /// All moves of a shape, in ascending order of the counts they lead to, where `row` has the probabilities of one
    /// down, none and one up for each of its levels, from the lowest on.
    pub fn successors(self, row: impl Fn(usize) -> [f64; 3], shape: u128) -> Successors {
        let counts = self.counts(shape).enumerate().filter(|(_, count)| *count > 0);
        let moves = counts.map(|(at, count)| self.moves(row(at), at as u32, count));
        if (self.width(shape) as u32 + 2) * self.bits > u64::BITS {
            return combined(moves);
        }
        // Half as long numbers are sorted faster.
        let short = |(counts, p): &(u128, f64)| (*counts as u64, *p);
        let moves = combined(moves.map(|moves| moves.iter().map(short).collect()));
        moves.into_iter().map(|(counts, p)| (u128::from(counts), p)).collect()
    }

    /// How `count` processors of one level may split: the multinomial law of those that go down, stay and go up.
    fn moves(self, [down, stay, up]: [f64; 3], at: u32, count: u32) -> Successors {
        let field = |level: u32, count: u32| u128::from(count) << (level * self.bits);
        let mut moves = Vec::new();
        // The binomial coefficients of those that go down, and then of those that go up.
        let mut choose_down = 1.0;
        for fall in 0..=count {
            let rest = count - fall;
            let mut choose_up = 1.0;
            for rise in 0..=rest {
                let p = choose_down
                    * choose_up
                    * down.powi(fall as i32)
                    * up.powi(rise as i32)
                    * stay.powi((rest - rise) as i32);
                if p > 0.0 {
                    let counts = field(at, fall) + field(at + 1, rest - rise) + field(at + 2, rise);
                    moves.push((counts, p));
                }
                choose_up = choose_up * f64::from(rest - rise) / f64::from(rise + 1);
            }
            choose_down = choose_down * f64::from(rest) / f64::from(fall + 1);
        }
        moves
    }
}

/// The moves of all levels together, where each level has its own, in ascending order of counts.
fn combined<C: Copy + Ord + Default + Add<Output = C>>(
    levels: impl Iterator<Item = Vec<(C, f64)>>,
) -> Vec<(C, f64)> {
    let mut partial = vec![(C::default(), 1.0)];
    for mut moves in levels {
        moves.sort_unstable_by_key(|(more, _)| *more);
        // As many ascending parts, one after the other, as the level has moves: these are merged.
        let parts = moves
            .iter()
            .flat_map(|(more, q)| partial.iter().map(move |(counts, p)| (*counts + *more, p * q)));
        let mut all: Vec<(C, f64)> = parts.collect();
        all.sort_by_key(|(counts, _)| *counts);
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        partial = all;
    }
    partial
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{BirthDeath, Edge};

    #[test]
    fn a_shape_comes_back() {
        let packing = Packing::new(8, 19).unwrap();
        let (shape, lowest) = packing.of(&[3, 3, 4, 6, 6, 6, 6, 7]);
        assert_eq!(lowest, 3);
        assert_eq!(packing.counts(shape).collect::<Vec<_>>(), [2, 1, 0, 4, 1]);
        assert_eq!(packing.width(shape), 5);
        assert_eq!(packing.lowered(shape << 8), (shape, 2));
        assert!(packing.is_shape(shape, 8, 5) && !packing.is_shape(shape, 8, 4));
        assert!(!packing.is_shape(shape << 4, 8, 19) && !packing.is_shape(shape, 7, 19));
        assert!(Packing::new(100, 19).is_none());
    }

    #[test]
    fn moves_are_those_of_single_processors() {
        let chain = BirthDeath::walk(6, 0.3, 0.2, Edge::Hold).unwrap();
        let packing = Packing::new(3, 6).unwrap();
        let (shape, lowest) = packing.of(&[0, 1, 1]);
        let mut plain = std::collections::BTreeMap::<u128, f64>::new();
        for moves in 0..27usize {
            let step = |i: u32| (moves / 3usize.pow(i)) % 3;
            let mut p = 1.0;
            let mut counts = 0u128;
            for (i, level) in [0usize, 1, 1].into_iter().enumerate() {
                let to = level + step(i as u32);
                p *= [chain.down(level), chain.stay(level), chain.up(level)][step(i as u32)];
                counts += 1u128 << (packing.bits * to as u32);
            }
            if p > 0.0 {
                *plain.entry(counts).or_default() += p;
            }
        }
        let row = |at| [chain.down(lowest + at), chain.stay(lowest + at), chain.up(lowest + at)];
        let found = packing.successors(row, shape);
        assert_eq!(found.len(), plain.len());
        for ((counts, p), (other, q)) in found.iter().zip(&plain) {
            assert_eq!(counts, other);
            assert!((p - q).abs() < 1e-15);
        }
    }
}
