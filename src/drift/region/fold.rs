//! What the members of a run are expected to become, by the list of their moves.

use pulp::{Simd, WithSimd};

/// Adds to each of the own entries, `width` for a member, what the entries are expected to be to which it moves.
pub(super) struct Fold<'a> {
    pub own: &'a mut [f64],
    pub from: &'a [f64],
    pub width: usize,
    /// Where the first member moves; the others move as far.
    pub targets: &'a [u32],
    /// How likely that is, and for how many of the targets, one after the other.
    pub chances: &'a [(f64, u32)],
}

/// Entries read beyond the last.
pub(super) const PADDING: usize = 24;

impl WithSimd for Fold<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        let mut begin = 0;
        while begin < self.own.len() {
            begin += match self.own.len() - begin {
                ..=4 => self.fold::<4>(begin),
                5..=8 => self.fold::<8>(begin),
                9..=16 => self.fold::<16>(begin),
                _ => self.fold::<24>(begin),
            };
        }
    }
}

impl Fold<'_> {
    /// The same for so many entries from this one on; says how many they are.
    #[inline(always)]
    fn fold<const LANES: usize>(&mut self, begin: usize) -> usize {
        let from = &self.from[begin..];
        let mut sums = [0.0; LANES];
        let mut targets = self.targets;
        for &(p, count) in self.chances {
            let (equal, others) = targets.split_at(count as usize);
            targets = others;
            let mut sum = [0.0; LANES];
            for &to in equal {
                let values = &from[to as usize * self.width..][..LANES];
                sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            sums.iter_mut().zip(&sum).for_each(|(sums, sum)| *sums += p * sum);
        }
        let own = &mut self.own[begin..];
        let count = own.len().min(LANES);
        own.iter_mut().zip(&sums).for_each(|(own, sum)| *own += sum);
        count
    }
}
