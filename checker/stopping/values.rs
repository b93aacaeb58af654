//! A lower and an upper value for each state, as certificates store them.

use crate::core::budget::{Budget, Refusal};
use crate::loads::states::space::Space;
use std::iter::repeat_n;

/// The number of consecutive states with the same values; the lower value less that of the run
/// before; and the excess of the upper value.
pub type Run = (u64, i64, u64);

/// Runs of states with both values, in units of 2^-bits.
pub(crate) struct Values {
    pub runs: Vec<(u64, [u64; 2])>,
    pub bits: u32,
}

impl Values {
    /// Reads the values of all states, and pays the work of visiting each.
    pub fn read(
        (bits, runs): (u32, &[Run]),
        space: &Space,
        budget: &Budget,
    ) -> Result<Values, Refusal> {
        budget.spend(space.work())?;
        let mut last = 0u64;
        let value = |&(count, step, more): &Run| {
            last = last.wrapping_add_signed(step);
            (count, [last, last.wrapping_add(more)])
        };
        let values = Values { runs: runs.iter().map(value).collect(), bits };
        let states = runs.iter().fold(0u64, |all, (count, ..)| all.saturating_add(*count));
        let large = values.end(u64::max).iter().any(|value| *value >= 1 << 60);
        let fit = bits <= 60 && states == space.count() as u64 && !large;
        if fit { Ok(values) } else { Err(Refusal::Malformed) }
    }

    /// The values state by state.
    pub fn each(&self) -> impl Iterator<Item = [u64; 2]> {
        self.runs.iter().flat_map(|(count, value)| repeat_n(*value, *count as usize))
    }

    /// The least or the largest of both values.
    pub fn end(&self, of: fn(u64, u64) -> u64) -> [u64; 2] {
        let ends = self.runs.iter().map(|(_, value)| *value);
        ends.reduce(|a, b| [of(a[0], b[0]), of(a[1], b[1])]).unwrap_or_default()
    }

    /// Bounds on the expected values in the next state.
    pub fn expected(&self, space: &Space) -> Vec<[u64; 2]> {
        let mut all = Vec::with_capacity(space.count());
        all.extend(self.each());
        let deficit = space.expect(all.as_flattened_mut());
        all.iter_mut().for_each(|[_, most]| *most += deficit);
        all
    }
}
