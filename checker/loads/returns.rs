//! What is needed where loads are even again after a remap and go on: where they stand, and what rows that miss 1
//! make of that.

use crate::loads::imbalance::Imbalance;
use crate::loads::space::{Group, Space};
use crate::number::{Span, WEIGHT, up};
use crate::{Refusal, model_error};
use num_rational::BigRational;
use num_traits::Zero;

impl Space {
    /// What an expectation must be lowered and raised by, so that it bounds those of all chains with rows
    /// that sum to 1, and that lack at most what is more than 1 here, or have what is missing here besides:
    /// for functions from 0 up that are at most this.
    pub fn missed(&self, most: u64) -> Result<[u64; 2], Refusal> {
        // Rows above 1 may have enlarged it before other processes move: 26 of them, by 1e-9 each.
        let most = most + (most >> 20) + 1;
        let all = |side: usize| {
            let missed = self.groups.iter().map(|group| &group.missed[side]);
            Ok(up(most, Span::from(&missed.sum::<BigRational>()).units(WEIGHT)?[1]))
        };
        Ok([all(0)?, all(1)?])
    }

    /// Whether all rows sum to 1.
    pub fn conserves(&self) -> bool {
        self.groups.iter().all(|group| group.missed.iter().all(Zero::is_zero))
    }

    /// The state that stands for given loads.
    pub fn find(&self, loads: &[i64]) -> Result<usize, Refusal> {
        let next = |place, group: &Group| Some(place * group.count() + group.find(loads)?);
        let place = self.groups.iter().try_fold(0, next);
        place.map_or_else(|| model_error("a load lies outside the levels"), Ok)
    }

    /// For each state the one that a remap leads to.
    pub fn evened(&self, imbalance: &Imbalance) -> Result<Vec<usize>, Refusal> {
        let (totals, own) = self.totals()?;
        let to = self.targets(imbalance, &totals).into_iter().map(|loads| self.find(&loads));
        let to = to.collect::<Result<Vec<usize>, Refusal>>()?;
        Ok(own.into_iter().map(|total| to[total]).collect())
    }
}

impl Group {
    /// Where the loads of its members stand.
    fn find(&self, loads: &[i64]) -> Option<usize> {
        let mut own: Vec<i64> = self.members.iter().map(|i| loads[*i]).collect();
        if !self.order.is_empty() {
            let at = |state: &usize| &self.loads[state * own.len()..][..own.len()];
            let found = self.order.binary_search_by(|state| at(state).cmp(&own[..]));
            return found.ok().map(|place| self.order[place]);
        }
        own.sort_unstable();
        let level = |load: &i64| {
            let level = usize::try_from(load.checked_sub(self.loads[0])?).ok();
            level.filter(|level| *level < self.rows.len())
        };
        let levels = own.iter().map(level).collect::<Option<Vec<_>>>()?;
        Some(self.lumped.as_ref().map_or(levels[0], |lumped| lumped.place(&levels)))
    }
}
