//! Encoding of a region as words, so that an interrupted recursion resumes with the same bits.

use super::Region;
use super::advance::SHARE;
use super::shapes::Packing;
use crate::chain::ChainError;
use crate::load_drift::Backward;

impl Backward<'_> {
    /// The words needed to resume the region with the same bits.
    pub(in crate::load_drift) fn saved_region(&self) -> Vec<u64> {
        let mut words = vec![self.search.until, self.search.largest, self.lost.to_bits()];
        words.extend(self.expected.iter().map(|excess| u64::from(*excess)));
        if let Some(region) = &self.region {
            words.extend([region.rounding.to_bits(), region.shapes.len() as u64]);
            words.extend(region.shapes.iter().flat_map(|s| [*s as u64, (*s >> 64) as u64]));
            let numbers = region.slack.iter().chain(&region.moved);
            let numbers = numbers.chain(&region.changed).chain(&region.risen);
            words.extend(numbers.map(|x| x.to_bits()));
        }
        words
    }

    /// Restores what [`saved_region`](Self::saved_region) returned.
    pub(in crate::load_drift) fn resume_region(&mut self, words: &[u64]) -> Result<(), ChainError> {
        self.region = None;
        match words.is_empty() || self.restore(words).is_some() {
            true => Ok(()),
            false => Err(ChainError::Shape {
                what: "words of the region".into(),
                expected: 3,
                found: words.len(),
            }),
        }
    }

    fn restore(&mut self, words: &[u64]) -> Option<()> {
        let (&[until, largest, lost], rest) = words.split_first_chunk::<3>()?;
        (self.search.until, self.search.largest) = (until, largest);
        self.lost = f64::from_bits(lost);
        let totals = self.limits.len();
        let (expected, rest) = rest.split_at_checked(totals)?;
        // A limit above the largest excess means all states.
        self.expected =
            expected.iter().map(|&excess| excess.min(u64::from(u32::MAX)) as u32).collect();
        let Some((&[rounding, count], rest)) = rest.split_first_chunk::<2>() else {
            return Some(());
        };
        let (shapes, rest) = rest.split_at_checked(usize::try_from(count).ok()?.checked_mul(2)?)?;
        let (pairs, _) = shapes.as_chunks::<2>();
        let shapes = pairs.iter().map(|&[low, high]| u128::from(low) | u128::from(high) << 64);
        let shapes: Vec<u128> = shapes.collect();
        let (processors, levels) = (self.problem.processors, self.problem.chain.levels());
        let packing = Packing::new(processors, levels)?;
        if !shapes.iter().all(|shape| packing.is_shape(*shape, processors, levels)) {
            return None;
        }
        let most = self.states.all() / SHARE;
        let mut region = Region::new(self.problem, self.states, shapes, most, &self.ranks)?;
        let classes = totals * region.classes();
        if rest.len() != 2 * (classes + totals) {
            return None;
        }
        let (slacks, changes) = rest.split_at(2 * classes);
        let numbers = |words: &[u64]| words.iter().map(|word| f64::from_bits(*word)).collect();
        (region.slack, region.moved) = (numbers(&slacks[..classes]), numbers(&slacks[classes..]));
        (region.changed, region.risen) = (numbers(&changes[..totals]), numbers(&changes[totals..]));
        region.rounding = f64::from_bits(rounding);
        self.goes_on = Some(self.decide(self.remaining));
        region.read(&self.vectors, &self.upcoming, &self.ranks);
        self.region = Some(region);
        Some(())
    }
}
