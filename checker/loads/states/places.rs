//! Finds the index of the state with given loads.

use crate::core::budget::{Refusal, model_error};
use crate::loads::states::space::{Group, Space};

impl Space {
    /// The index of the state that stands for given loads.
    pub fn place_of(&self, loads: &[i64]) -> Result<usize, Refusal> {
        let next = |place, group: &Group| Some(place * group.count() + group.find(loads)?);
        let place = self.groups.iter().try_fold(0, next);
        place.map_or_else(|| model_error("a load lies outside the levels"), Ok)
    }
}

impl Group {
    /// The index of the loads of the group's members.
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
