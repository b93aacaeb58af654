//! What a remap leads to, and which processes may exchange their loads.

use crate::core::budget::Refusal;
use crate::loads::imbalance::Imbalance;
use crate::loads::states::space::{Group, Space};
use num_integer::Integer;
use num_rational::Ratio;
use std::collections::BTreeSet;

impl Space {
    /// The distinct totals, ascending, and for each state the index of its total.
    pub fn totals(&self) -> Result<(Vec<i64>, Vec<usize>), Refusal> {
        let all = self.each(|_, loads| Ok(loads.iter().sum()))?;
        let totals: Vec<i64> = BTreeSet::from_iter(all.iter().copied()).into_iter().collect();
        let own = all.iter().map(|total| totals.partition_point(|other| other < total)).collect();
        Ok((totals, own))
    }

    /// The loads that a remap leads to from each of these ascending totals. They are as even as the
    /// levels allow.
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

    /// For each state the index of the one that a remap leads to, and whether the remap moves
    /// nothing.
    pub fn evened(&self, imbalance: &Imbalance) -> Result<(Vec<usize>, Vec<bool>), Refusal> {
        let (totals, own) = self.totals()?;
        let (even, kinds) = (self.targets(imbalance, &totals), self.alike(imbalance));
        let to = even.iter().map(|loads| self.place_of(loads));
        let (to, mut still) = (to.collect::<Result<Vec<usize>, Refusal>>()?, Vec::new());
        let back = self.each(|s, loads| {
            still.push(extra(&kinds, loads, &even[own[s]]).iter().all(|above| *above == 0));
            self.twin(s, to[own[s]])
        });
        Ok((back?, still))
    }
}

impl Imbalance {
    /// Splits a total into whole shares proportional to the capacities. Each is rounded down; the
    /// remaining units go to the largest remainders, to the first of equal ones.
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

    /// Adds a unit where the scaled load becomes least, at the first of equal ones. Processes at
    /// their highest load are left out.
    pub fn add_unit(&self, loads: &mut [i64], highest: &[i64]) {
        let free = (0..loads.len()).filter(|i| loads[*i] < highest[*i]);
        let scaled = |i: &usize| Ratio::new(i128::from(loads[*i]) + 1, self.capacities[*i].into());
        if let Some(next) = free.min_by_key(scaled) {
            loads[next] += 1;
        }
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
