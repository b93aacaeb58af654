//! A region that lists every transition into its members.

use super::active::{Beyond, Region, Running, enough};
use crate::Observer;
use crate::chain::{Operator, Restricted};
use crate::parallel;
use crate::stopping::States;
use crate::stopping::state_space::predecessors::{Predecessors, Ways};
use crate::stopping::state_space::states::{Group, Kind};
use rayon::prelude::*;

/// A region with lists of all ways into it.
pub(super) struct Listed<'a> {
    all: &'a States,
    predecessors: Predecessors<'a>,
    /// In the order of their states.
    members: Vec<Member>,
    /// Number of ways into members, and its limit.
    ways: usize,
    most: usize,
}

struct Member {
    state: usize,
    ways: Ways,
    /// Whether all ways into it are known to come from members.
    inner: bool,
}

impl<'a> Listed<'a> {
    /// A region without members that may list so many ways.
    pub(super) fn new(all: &'a States, predecessors: Predecessors<'a>, most: usize) -> Self {
        Listed { all, predecessors, most, members: Vec::new(), ways: 0 }
    }

    /// The position of a state among the members.
    fn find(&self, state: usize) -> Option<usize> {
        self.members.binary_search_by_key(&state, |member| member.state).ok()
    }

    /// Reversing weights of the members.
    fn weights(&self) -> Option<Vec<f64>> {
        let groups = self.all.groups()?;
        let own: Vec<Vec<f64>> =
            groups.iter().map(Group::reversing_weights).collect::<Option<_>>()?;
        let weight = |member: &Member| {
            let levels = self.all.levels(member.state);
            let each =
                own.iter().zip(&levels).flat_map(|(own, levels)| levels.iter().map(|l| own[*l]));
            self.all.orderings(member.state) * each.product::<f64>()
        };
        Some(self.members.iter().map(weight).collect())
    }
}

impl Region for Listed<'_> {
    fn ways(&self) -> usize {
        self.ways
    }

    fn take_in(
        &mut self,
        mut found: Vec<usize>,
        ahead: bool,
        observer: &dyn Observer,
    ) -> Option<()> {
        let enough = enough(self.ways, self.all);
        let ways = |found: &[usize]| {
            let counts = parallel::map_all(found, &|&state| self.predecessors.count(state));
            counts.into_iter().fold(0, usize::saturating_add)
        };
        self.ways = self.ways.saturating_add(ways(&found));
        while !found.is_empty() {
            if self.ways > self.most {
                return None;
            }
            let member = |&state: &usize| {
                let ways = self.predecessors.of(state);
                Member { state, ways, inner: false }
            };
            let new = parallel::map_all(&found, &member);
            found = new.iter().flat_map(|member| &member.ways.from).map(|(x, _)| *x).collect();
            self.members.extend(new);
            self.members.sort_unstable_by_key(|member| member.state);
            found.par_sort_unstable();
            found.dedup();
            found.retain(|state| self.find(*state).is_none());
            let more = self.ways.saturating_add(ways(&found));
            if more > enough || !ahead || observer.check().is_break() {
                break;
            }
            self.ways = more;
        }
        Some(())
    }

    fn states(&mut self) -> (States, Box<dyn Operator>) {
        let members = self.members.iter().map(|member| member.state).collect();
        let kind = Kind::Active { all: Box::new(self.all.clone()), members };
        let own = |member: &Member| {
            let from = member.ways.from.iter();
            let place = |&(state, p): &(usize, f64)| Some((self.find(state)? as u32, p));
            from.filter_map(place).collect()
        };
        let columns: Vec<Vec<(u32, f64)>> = parallel::map_all(&self.members, &own);
        let rounding = self.members.iter().map(|member| member.ways.rounding).fold(0.0, f64::max);
        (States(kind), Box::new(Restricted::from_columns(&columns, rounding, self.weights())))
    }

    fn beyond(&mut self, saved: &dyn Fn(usize) -> f64, running: &Running<'_>) -> Beyond {
        let (mut gains, mut rounding) = (Vec::new(), 0.0f64);
        for place in 0..self.members.len() {
            let saved = saved(place);
            if saved <= 0.0 || self.members[place].inner {
                continue;
            }
            let before = gains.len();
            let ways = &self.members[place].ways;
            let outside = ways.from.iter().filter(|(state, _)| self.find(*state).is_none());
            gains.extend(outside.map(|(state, p)| (*state, p * saved)));
            rounding = rounding.max(ways.rounding);
            self.members[place].inner = gains.len() == before;
        }
        // Sorted, so that sums do not depend on the number of threads.
        gains.par_sort_by_key(|(state, _)| *state);
        let each: Vec<&[(usize, f64)]> = gains.chunk_by(|a, b| a.0 == b.0).collect();
        let longest = each.iter().map(|ways| ways.len()).max().unwrap_or(0);
        let share = |ways: &&[(usize, f64)]| {
            let state = ways[0].0;
            let gain: f64 = ways.iter().map(|(_, gain)| gain).sum();
            (state, running(&self.all.loads(state)) / gain)
        };
        Beyond::of(parallel::map_all(&each, &share), rounding + longest as f64)
    }
}
