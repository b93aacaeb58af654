//! Counts of states by mean load and spread (largest minus smallest load).

use super::states::{Group, Kind};
use crate::stopping::States;

/// Most combinations of group summaries: about a second of work.
const MOST_COMBINATIONS: usize = 1 << 27;

/// Most cells of the table of means and spreads.
const MOST_CELLS: usize = 1 << 24;

impl States {
    /// The number of states for each mean load per process, rounded down, and each spread, in this
    /// order. States with the same sum, smallest and largest load in each group of equal processes
    /// are counted together. `None` if that would take too long.
    pub fn spreads(&self) -> Option<Vec<(i64, i64, usize)>> {
        let (groups, processes) = match &self.0 {
            Kind::Groups { groups, shape, .. } => (groups, shape.len() as i64),
            Kind::Active { all, .. } => return all.spreads(),
            Kind::Listed(listed) => {
                let each = (0..listed.count()).map(|state| mean_and_spread(listed.loads(state)));
                let mut all: Vec<_> = each.collect();
                all.sort_unstable();
                let equal = all.chunk_by(|a, b| a == b);
                return Some(equal.map(|equal| (equal[0].0, equal[0].1, equal.len())).collect());
            }
        };
        let (lowest, highest) = self.range()?;
        let (least, most) = (*lowest.iter().min()?, *highest.iter().max()?);
        let width = usize::try_from(most - least + 1).ok()?;
        let steps = groups.iter().map(Group::summaries).try_fold(1usize, usize::checked_mul)?;
        if steps > MOST_COMBINATIONS || width.checked_mul(width)? > MOST_CELLS {
            return None;
        }
        let mut table = vec![0; width * width];
        let lists: Vec<_> = groups.iter().map(|group| (group, group.spreads())).collect();
        let none = Summary { sum: 0, low: most, high: least, states: 1 };
        combine(&lists, none, &mut |all| {
            let mean = (all.sum.div_euclid(processes) - least) as usize;
            table[mean * width + (all.high - all.low) as usize] += all.states;
        });
        let cells = table.iter().enumerate().filter(|(_, states)| **states > 0);
        let named = |(cell, &states): (usize, &usize)| {
            (least + (cell / width) as i64, (cell % width) as i64, states)
        };
        Some(cells.map(named).collect())
    }
}

/// Sum, smallest and largest load of a number of states.
#[derive(Clone, Copy)]
struct Summary {
    sum: i64,
    low: i64,
    high: i64,
    states: usize,
}

/// Calls `visit` for all combinations of group summaries.
fn combine(groups: &[(&Group, Vec<Vec<usize>>)], before: Summary, visit: &mut impl FnMut(Summary)) {
    let Some(((group, spreads), others)) = groups.split_first() else { return visit(before) };
    for (spread, sums) in spreads.iter().enumerate() {
        for level in 0..group.sets.levels() - spread {
            let low = group.lowest + level as i64;
            let least = before.sum + low * group.sets.items() as i64;
            for (more, &states) in sums.iter().enumerate().filter(|(_, states)| **states > 0) {
                let all = Summary {
                    sum: least + more as i64,
                    low: before.low.min(low),
                    high: before.high.max(low + spread as i64),
                    states: before.states * states,
                };
                combine(others, all, visit);
            }
        }
    }
}

/// The mean of the loads, rounded down, and the largest minus the smallest load.
pub fn mean_and_spread(loads: &[i64]) -> (i64, i64) {
    let mean = loads.iter().sum::<i64>().div_euclid(loads.len() as i64);
    let ends = { loads.iter() }
        .fold((i64::MAX, i64::MIN), |(low, high), load| (low.min(*load), high.max(*load)));
    (mean, ends.1 - ends.0)
}

impl Group {
    /// Approximate number of summaries.
    fn summaries(&self) -> usize {
        let (items, levels) = (self.sets.items(), self.sets.levels());
        match items {
            1 => levels,
            _ => levels.saturating_mul(levels).saturating_mul(1 + (items - 2) * levels / 3) / 2,
        }
    }

    /// For each spread, the number of multisets with lowest level 0 and each sum.
    fn spreads(&self) -> Vec<Vec<usize>> {
        let (items, levels) = (self.sets.items(), self.sets.levels());
        // Multisets of the other members up to a level, by size and sum (dynamic programming).
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
