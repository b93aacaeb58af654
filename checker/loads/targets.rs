//! What a remap makes of the loads.

use crate::core::budget::Refusal;
use crate::loads::imbalance::Imbalance;
use crate::loads::space::Space;
use num_integer::Integer;
use num_rational::Ratio;
use std::collections::BTreeSet;

impl Space {
    /// The totals there are, ascending, and for each state which of them it has.
    pub fn totals(&self) -> Result<(Vec<i64>, Vec<usize>), Refusal> {
        let all = self.each(|_, loads| Ok(loads.iter().sum()))?;
        let totals: Vec<i64> = BTreeSet::from_iter(all.iter().copied()).into_iter().collect();
        let own = all.iter().map(|total| totals.partition_point(|other| other < total)).collect();
        Ok((totals, own))
    }

    /// The loads that a remap leads to from each of these totals, which ascend: even ones, or where levels do not allow
    /// that, as even as they do.
    pub fn targets(&self, imbalance: &Imbalance, totals: &[i64]) -> Vec<Vec<i64>> {
        // The lowest and the highest load of each process, unless they move jointly.
        let [mut filled, mut highest] =
            [vec![i64::MIN; self.processes], vec![i64::MAX; self.processes]];
        for group in self.groups.iter().filter(|group| group.order.is_empty()) {
            let ends = [group.loads[0], group.loads[group.loads.len() - 1]];
            group.members.iter().for_each(|i| (filled[*i], highest[*i]) = (ends[0], ends[1]));
        }
        let lowest = filled.clone();
        let even = |total: &i64| {
            let loads = imbalance.shares(*total);
            while lowest[0] > i64::MIN && filled.iter().sum::<i64>() < *total {
                imbalance.add_unit(&mut filled, &highest);
            }
            let within = |i: usize| (lowest[i]..=highest[i]).contains(&loads[i]);
            if (0..loads.len()).all(within) { loads } else { filled.clone() }
        };
        totals.iter().map(even).collect()
    }
}

impl Imbalance {
    /// A total in shares proportional to the capacities, in whole units: each share rounded down, and the
    /// units left over to the largest remainders, the first of equal ones first.
    pub fn shares(&self, total: i64) -> Vec<i64> {
        let of = |c: &i64| (i128::from(total) * i128::from(*c)).div_mod_floor(&self.total.into());
        let shares: Vec<(i128, i128)> = self.capacities.iter().map(of).collect();
        let mut loads: Vec<i64> = shares.iter().map(|share| share.0 as i64).collect();
        let mut order: Vec<usize> = (0..loads.len()).collect();
        order.sort_by_key(|i| -shares[*i].1);
        let left = total - loads.iter().sum::<i64>();
        order.into_iter().take(left as usize).for_each(|i| loads[i] += 1);
        loads
    }

    /// Adds a unit where the scaled load becomes the least, the first of equal ones, if some are not yet
    /// at their highest.
    pub fn add_unit(&self, loads: &mut [i64], highest: &[i64]) {
        let free = (0..loads.len()).filter(|i| loads[*i] < highest[*i]);
        let scaled = |i: &usize| Ratio::new(i128::from(loads[*i]) + 1, self.capacities[*i].into());
        if let Some(next) = free.min_by_key(scaled) {
            loads[next] += 1;
        }
    }
}
