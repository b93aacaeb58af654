//! Shapes: multisets of levels up to translation, packed into integers, and their joint moves.

/// Packing of counts of processors by level into one integer, with a fixed number of bits each,
/// lowest level first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packing {
    bits: u32,
}

/// Results of one move with their probabilities: packed counts, with the level below the lowest
/// first.
pub(super) type Successors = Vec<(u128, f64)>;

impl Packing {
    /// The packing for so many processors and levels; `None` if they do not fit.
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

    /// Whether these are counts of `processors` processors on at most `levels` levels, the first
    /// not 0.
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

    /// The number of levels from the lowest to the highest.
    pub fn width(self, shape: u128) -> usize {
        (128 - shape.leading_zeros()).div_ceil(self.bits) as usize
    }

    /// The shape of packed counts, and the number of empty levels below it.
    pub fn lowered(self, counts: u128) -> (u128, usize) {
        let empty = counts.trailing_zeros() / self.bits;
        (counts >> (empty * self.bits), empty as usize)
    }

    /// A sort key that places shapes with the same processors at their lowest levels next to each
    /// other.
    pub fn along(self, shape: u128) -> u128 {
        let fields = u128::BITS / self.bits;
        let counts = self.counts(shape).zip((0..fields).rev());
        counts.map(|(count, field)| u128::from(count) << (field * self.bits)).sum()
    }

    /// The lowest occupied level of a shape from this one on, and the number of processors there.
    pub fn next(self, shape: u128, level: usize) -> (usize, u32) {
        let (_, empty) = self.lowered(shape >> (level as u32 * self.bits));
        let at = level + empty;
        (at, self.count(shape, at))
    }

    /// The count of a field.
    pub fn count(self, counts: u128, field: usize) -> u32 {
        (counts >> (field as u32 * self.bits)) as u32 & ((1 << self.bits) - 1)
    }

    /// The fields from this one on.
    pub fn above(self, counts: u128, field: usize) -> u128 {
        counts.checked_shr(field as u32 * self.bits).unwrap_or(0)
    }

    /// The multinomial distribution of `count` processors of one level that go down, stay and go
    /// up.
    pub fn moves(self, [down, stay, up]: [f64; 3], at: u32, count: u32) -> Successors {
        let field = |level: u32, count: u32| u128::from(count) << (level * self.bits);
        let mut moves = Vec::new();
        // Binomial coefficients of those that go down, and of those that go up.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
