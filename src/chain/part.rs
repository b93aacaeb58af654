//! Parts of the work on equal processes, and pruning of irrelevant ones.

use super::wanted::Wanted;

/// A part of the work: states that have `items` items with `highest` or a lower level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'w> {
    pub items: usize,
    pub highest: usize,
    pub above: Above<'w>,
}

/// Starting positions of the items that do not belong to a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Above<'w> {
    /// The highest of their levels, if there are any.
    largest: Option<usize>,
    sum: usize,
    pub wanted: Option<&'w Wanted>,
}

impl<'w> Above<'w> {
    /// No items; `wanted` are the wanted starts, all if `None`.
    pub fn none(wanted: Option<&'w Wanted>) -> Self {
        Self { largest: None, sum: 0, wanted }
    }

    /// With one more at `level`, at the highest or lower.
    pub fn and(self, level: usize) -> Self {
        Self { largest: self.largest.or(Some(level)), sum: self.sum + level, ..self }
    }

    /// Whether no wanted start has, in addition to these, `items` items with `level` the highest.
    pub fn excludes(self, level: usize, items: usize) -> bool {
        self.wanted.is_some_and(|wanted| {
            let largest = self.largest.unwrap_or(level);
            !wanted.any(largest, self.sum + level, self.sum + items * level)
        })
    }

    /// The least sum that `items` items at `highest` or below must have after the move to affect a
    /// wanted start.
    pub fn least_after(self, highest: usize, items: usize) -> usize {
        let Some(wanted) = self.wanted else { return 0 };
        let least = wanted.least[self.largest.unwrap_or(highest)];
        least.saturating_sub(self.sum + items)
    }
}
