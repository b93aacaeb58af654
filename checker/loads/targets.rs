//! What a remap makes of the loads.

use crate::Refusal;
use crate::loads::imbalance::Imbalance;
use crate::loads::space::Space;
use num_integer::Integer;
use std::collections::BTreeSet;

impl Space {
    /// The totals there are, ascending, and for each state which of them it has.
    pub fn totals(&self) -> Result<(Vec<i64>, Vec<usize>), Refusal> {
        let all = self.each(|_, loads| Ok(loads.iter().sum()))?;
        let totals: Vec<i64> = BTreeSet::from_iter(all.iter().copied()).into_iter().collect();
        let own = all.iter().map(|total| totals.partition_point(|other| other < total)).collect();
        Ok((totals, own))
    }

    /// The lowest and the highest load of each process, unless they move jointly.
    pub fn range(&self) -> Option<[Vec<i64>; 2]> {
        let mut ends = [vec![0; self.processes], vec![0; self.processes]];
        for group in &self.groups {
            if !group.order.is_empty() {
                return None;
            }
            for i in &group.members {
                ends[0][*i] = group.loads[0];
                ends[1][*i] = group.loads[group.loads.len() - 1];
            }
        }
        Some(ends)
    }

    /// The loads that a remap leads to from each of these totals, which ascend: even ones, or where levels do not allow
    /// that, as even as they do.
    pub fn targets(&self, imbalance: &Imbalance, totals: &[i64]) -> Vec<Vec<i64>> {
        let range = self.range();
        let mut filled = range.as_ref().map(|[lowest, _]| lowest.clone());
        let even = |total: &i64| {
            let mut loads = imbalance.split(*total);
            if let (Some([lowest, highest]), Some(filled)) = (&range, &mut filled) {
                while filled.iter().sum::<i64>() < *total {
                    imbalance.add_unit(filled, highest);
                }
                let ends = lowest.iter().zip(highest);
                if loads.iter().zip(ends).any(|(load, (low, high))| load < low || load > high) {
                    loads.clone_from(filled);
                }
            }
            loads
        };
        totals.iter().map(even).collect()
    }
}

impl Imbalance {
    /// A total in shares proportional to the capacities, in whole units: each share rounded down, and the
    /// units left over to the largest remainders, the first of equal ones first.
    pub fn split(&self, total: i64) -> Vec<i64> {
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
        let above = |i: usize, j: usize| {
            let scaled =
                |i: usize, j: usize| i128::from(loads[i] + 1) * i128::from(self.capacities[j]);
            scaled(i, j).cmp(&scaled(j, i))
        };
        if let Some(next) = free.min_by(|i, j| above(*i, *j)) {
            loads[next] += 1;
        }
    }
}
