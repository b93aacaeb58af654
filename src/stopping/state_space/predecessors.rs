//! Predecessor states: the columns of the transition matrix of lumped birth–death processes.
//!
//! Equal processes are lumped. With |x| the number of load vectors in class x, `|x| P(x, y)` is the
//! sum of the probabilities from all of them to all of y's. So
//!
//! ```text
//! P(x, y) = |y| / |x| times the total probability from all vectors of x to one vector of y
//! ```
//!
//! Cost: proportional to the number of predecessors.

use super::states::{Group, States};
use crate::chain::BirthDeath;
use crate::stopping::ProcessChain;

/// Most equal processes: factorials of more, and their factors, may exceed the range of doubles.
const MOST_EQUAL: usize = 100;

/// The predecessors of a state.
pub(in crate::stopping) struct Ways {
    /// In ascending order, with transition probabilities.
    pub from: Vec<(usize, f64)>,
    /// Bound on their relative rounding error, in units of epsilon.
    pub rounding: f64,
}

/// The groups of equal processes with birth–death chains.
pub(in crate::stopping) struct Predecessors<'a> {
    all: &'a States,
    groups: Vec<(&'a Group, &'a BirthDeath)>,
    /// `n!`
    factorials: Vec<f64>,
}

impl<'a> Predecessors<'a> {
    /// `None` unless all processes have birth–death chains, with at most [`MOST_EQUAL`] equal ones.
    pub fn new(all: &'a States) -> Option<Self> {
        let chain = |group: &'a Group| match &group.chain {
            ProcessChain::BirthDeath(chain) => Some((group, chain)),
            ProcessChain::Dense(_) => None,
        };
        let groups: Vec<_> = all.groups()?.iter().map(chain).collect::<Option<_>>()?;
        let largest = groups.iter().map(|(group, _)| group.sets.items()).max()?;
        let next = |product: &mut f64, n: usize| {
            *product *= n.max(1) as f64;
            Some(*product)
        };
        let factorials = (0..=largest).scan(1.0, next).collect();
        (largest <= MOST_EQUAL).then_some(Self { all, groups, factorials })
    }

    /// The number of terms that [`of`](Self::of) processes: r equal processes at one level come
    /// from below, from above or stay in (r+1)(r+2)/2 combinations.
    pub fn count(&self, state: usize) -> usize {
        let levels = self.all.levels(state);
        let equal = levels.iter().flat_map(|levels| levels.chunk_by(|a, b| a == b));
        equal.map(|equal| (equal.len() + 1) * (equal.len() + 2) / 2).fold(1, usize::saturating_mul)
    }

    /// The states from which `state` can be reached in one step.
    pub fn of(&self, state: usize) -> Ways {
        let mut ways = Ways { from: vec![(0, 1.0)], rounding: 0.0 };
        for (&(group, chain), levels) in self.groups.iter().zip(self.all.levels(state)) {
            let own = self.of_group(group, chain, &levels);
            let states = group.sets.states();
            let with = |&(x, p): &(usize, f64)| {
                own.from.iter().map(move |&(rank, q)| (x * states + rank, p * q))
            };
            ways.from = ways.from.iter().flat_map(with).collect();
            ways.rounding += own.rounding;
        }
        ways
    }

    fn of_group(&self, group: &Group, chain: &BirthDeath, levels: &[usize]) -> Ways {
        let occupied: Vec<(usize, usize)> =
            levels.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len())).collect();
        // The levels around them, with the number of processes that were there before.
        let around = occupied.iter().flat_map(|(level, _)| level.saturating_sub(1)..level + 2);
        let mut counts: Vec<(usize, usize)> = around.map(|level| (level, 0)).collect();
        counts.sort_unstable();
        counts.dedup();
        let mut from = Vec::new();
        self.come(chain, &occupied, &mut counts, 1.0, &mut |counts, p| {
            from.push((group.sets.rank_of_counts(counts.iter().copied()), p));
        });
        from.sort_unstable_by_key(|(rank, _)| *rank);
        let (mut most, mut equal) = (0, 0);
        from.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            equal = if same { equal + 1 } else { 0 };
            most = equal.max(most);
            same
        });
        // Probabilities, powers, products and factorials lose less than 16 units per process.
        Ways { from, rounding: most as f64 + 16.0 * levels.len() as f64 }
    }

    /// Calls `visit` for each combination that leads to the levels `occupied`, with the number of
    /// processes at each level before, and the probability.
    fn come(
        &self,
        chain: &BirthDeath,
        occupied: &[(usize, usize)],
        counts: &mut [(usize, usize)],
        probability: f64,
        visit: &mut impl FnMut(&[(usize, usize)], f64),
    ) {
        let Some((&(level, all), others)) = occupied.split_first() else {
            let orderings: f64 = counts.iter().map(|(_, n)| self.factorials[*n]).product();
            return visit(counts, probability * orderings);
        };
        let below = level.checked_sub(1).map_or(0.0, |below| chain.up(below));
        let above = if level + 1 < chain.levels() { chain.down(level + 1) } else { 0.0 };
        let own = counts.partition_point(|(other, _)| *other < level);
        for up in 0..=if below > 0.0 { all } else { 0 } {
            for down in 0..=if above > 0.0 { all - up } else { 0 } {
                let stay = all - up - down;
                // The factor |y| / |x| of these processes: the number of orders is r! /
                // prod(counts!).
                let [u, s, d] = [up, stay, down].map(|n| self.factorials[n]);
                let moves = below.powi(up as i32)
                    * chain.stay(level).powi(stay as i32)
                    * above.powi(down as i32);
                if moves == 0.0 {
                    continue;
                }
                // No process comes from beyond the ends.
                let each = [(own.wrapping_sub(1), up), (own, stay), (own + 1, down)];
                each.iter().filter(|way| way.1 > 0).for_each(|(from, n)| counts[*from].1 += n);
                self.come(chain, others, counts, probability * moves / (u * s * d), visit);
                each.iter().filter(|way| way.1 > 0).for_each(|(from, n)| counts[*from].1 -= n);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stopping::Process;
    use crate::stopping::tests::chain;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn ways_into_a_class_are_those_of_its_load_vectors(
            chains in prop::collection::vec((chain(2..4), 1..4usize), 1..3),
        ) {
            let process = |chain: &BirthDeath| Process {
                lowest: 0,
                chain: ProcessChain::BirthDeath(chain.clone()),
            };
            let all: Vec<Process> = chains.iter()
                .flat_map(|(chain, count)| std::iter::repeat_n(process(chain), *count))
                .collect();
            let (states, _) = States::independent(&all, |_, _| true).unwrap();
            let rows: Vec<Vec<Vec<f64>>> = all.iter().map(|process| process.chain.rows()).collect();
            let predecessors = Predecessors::new(&states).unwrap();
            let vectors: Vec<Vec<i64>> =
                (0..states.vectors().unwrap()).map(|place| states.vector(place)).collect();
            // From the first vector of each class to all vectors of another class.
            let mut exact = BTreeMap::new();
            for x in 0..states.count() {
                let from = states.loads(x);
                for to in &vectors {
                    let steps = rows.iter().zip(from.iter().zip(to));
                    let p: f64 = steps.map(|(row, (a, b))| row[*a as usize][*b as usize]).product();
                    if p > 0.0 {
                        *exact.entry((states.find(to).unwrap(), x)).or_insert(0.0) += p;
                    }
                }
            }
            let (mut found, mut worst) = (0, 0.0f64);
            for y in 0..states.count() {
                let ways = predecessors.of(y);
                prop_assert!(ways.from.len() <= predecessors.count(y));
                prop_assert!(ways.from.is_sorted_by(|a, b| a.0 < b.0));
                prop_assert!(ways.rounding >= 16.0 * all.len() as f64);
                for (x, p) in &ways.from {
                    let exact: f64 = exact[&(y, *x)];
                    worst = worst.max((p - exact).abs() / exact / f64::EPSILON / ways.rounding);
                }
                found += ways.from.len();
            }
            prop_assert!(found == exact.len() && worst <= 1.0, "{found} {} {worst}", exact.len());
        }
    }
}
