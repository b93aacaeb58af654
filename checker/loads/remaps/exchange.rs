//! Processes that may exchange their shares of the load.

use crate::loads::imbalance::Imbalance;
use crate::loads::states::space::{Group, Space};
use std::collections::BTreeSet;

impl Space {
    /// A number for each process, equal for processes with the same chain and capacity. Processes
    /// that move jointly all have different numbers.
    pub fn alike(&self, imbalance: &Imbalance) -> Vec<i64> {
        let mut alike = Vec::from_iter(0..self.processes as i64);
        let kind = |g: &Group| (imbalance.capacities[g.members[0]], g.loads[0]);
        for group in self.groups.iter().filter(|group| group.order.is_empty()) {
            let same = |g: &&Group| kind(g) == kind(group) && g.rows == group.rows;
            let first = self.groups.iter().find(same);
            group.members.iter().for_each(|i| alike[*i] = first.unwrap_or(group).members[0] as i64);
        }
        alike
    }
}

/// The excess of each load over its share. The processes of one kind take their shares in the order
/// of their loads.
pub fn extra(kinds: &[i64], loads: &[i64], even: &[i64]) -> Vec<i64> {
    let sorted =
        |loads: &[i64]| BTreeSet::from_iter((0..loads.len()).map(|i| (kinds[i], loads[i], i)));
    let mut above = loads.to_vec();
    sorted(loads).iter().zip(&sorted(even)).for_each(|((.., i), (.., j))| above[*i] -= even[*j]);
    above
}
