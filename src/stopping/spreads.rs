//! How loads of several processes lie around their mean.

use super::States;
use super::states::{Group, Kind};
use std::collections::BTreeMap;

/// States that are counted one by one.
const MOST: usize = 1 << 27;

impl States {
    /// How many states there are of each mean load per process, rounded down, and spread, the largest minus the
    /// smallest load: at most `r L` steps for each of them if r processes on L levels are all equal, otherwise
    /// one for each state; `None` where these are more than 2^27.
    pub fn spreads(&self) -> Option<BTreeMap<(i64, i64), usize>> {
        let mut table = BTreeMap::new();
        let mut add =
            |mean, spread, states: usize| *table.entry((mean, spread)).or_default() += states;
        if let Kind::Groups { groups, .. } = &self.0
            && let [group] = &groups[..]
        {
            for (spread, sums) in group.spreads().iter().enumerate() {
                for (sum, &states) in sums.iter().enumerate().filter(|(_, states)| **states > 0) {
                    let mean = group.lowest + (sum / group.sets.items()) as i64;
                    let lowest = 0..(group.sets.levels() - spread) as i64;
                    lowest.for_each(|level| add(mean + level, spread as i64, states));
                }
            }
        } else {
            let mut loads = vec![0; self.processes()];
            for state in 0..Some(self.count()).filter(|count| *count <= MOST)? {
                self.loads_into(state, &mut loads);
                let (mean, spread) = mean_and_spread(&loads);
                add(mean, spread, 1);
            }
        }
        Some(table)
    }
}

/// The mean of some loads, rounded down, and the largest minus the smallest one.
pub fn mean_and_spread(loads: &[i64]) -> (i64, i64) {
    let mean = loads.iter().sum::<i64>().div_euclid(loads.len() as i64);
    let ends = { loads.iter() }
        .fold((i64::MAX, i64::MIN), |(low, high), load| (low.min(*load), high.max(*load)));
    (mean, ends.1 - ends.0)
}

impl Group {
    /// For each spread how many multisets with the lowest member at level 0 have each sum.
    fn spreads(&self) -> Vec<Vec<usize>> {
        let (items, levels) = (self.sets.items(), self.sets.levels());
        // Besides the lowest and the highest one: multisets of so many members up to a level with each sum.
        let between = items.saturating_sub(2);
        let mut counts = vec![vec![0; between * (levels - 1) + 1]; between + 1];
        counts.iter_mut().for_each(|sums| sums[0] = 1);
        let mut all = vec![vec![1]];
        for level in 1..if items > 1 { levels } else { 1 } {
            for m in 1..=between {
                for sum in level..=m * level {
                    counts[m][sum] += counts[m - 1][sum - level];
                }
            }
            let highest = std::iter::repeat_n(0, level);
            all.push(highest.chain(counts[between][..=between * level].iter().copied()).collect());
        }
        all
    }
}
