//! The joint states of several processes: load vectors, or classes of load vectors that are equal
//! up to permutations of equal processes (lumping).
//!
//! With r equal processes of L levels there are C(L + r - 1, r) classes instead of L^r vectors.

use super::listed::Listed;
use crate::chain::{
    ChainError, Divided, Exchangeable, Factor, Joint, Multisets, Operator, ProcessChain, Product,
};
use crate::parallel;
use std::ops::Range;
use std::sync::Arc;

/// States processed by a thread at a time.
const PIECE: usize = 1 << 12;

/// A process whose load is a Markov chain of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// The load at level 0; level l is load `lowest + l`.
    pub lowest: i64,
    /// The chain of the level.
    pub chain: ProcessChain,
}

impl Process {
    /// The load at the highest level.
    pub fn highest(&self) -> i64 {
        self.lowest.saturating_add(self.chain.levels() as i64 - 1)
    }
}

/// Processes that are interchangeable: the same chain and capacity.
#[derive(Debug, Clone)]
pub(in crate::stopping) struct Group {
    pub members: Vec<usize>,
    pub lowest: i64,
    pub chain: ProcessChain,
    /// The states of the group; single members if it is not lumped.
    pub sets: Multisets,
}

impl Group {
    /// The joint chain of its processes.
    fn factor(&self) -> Result<Factor, ChainError> {
        Ok(match &self.chain {
            ProcessChain::BirthDeath(chain) if self.members.len() > 1 => {
                Factor::Exchangeable(Exchangeable::new(chain.clone(), self.members.len())?)
            }
            ProcessChain::BirthDeath(chain) => Factor::BirthDeath(chain.clone()),
            ProcessChain::Dense(chain) => Factor::Dense(chain.clone()),
        })
    }
}

/// The joint chain of the processes of all groups.
pub(super) fn joint(groups: &[Group]) -> Result<Divided, ChainError> {
    let mut factors = groups.iter().map(Group::factor).collect::<Result<Vec<_>, _>>()?;
    match factors.pop().ok_or(ChainError::NoProcess)? {
        Factor::Exchangeable(only) if factors.is_empty() => Ok(Divided::Blocks(only)),
        last => {
            factors.push(last);
            Ok(Divided::Slabs(Product::new(factors)?))
        }
    }
}

/// A numbered set of states, each of which represents one or several load vectors.
#[derive(Debug, Clone)]
pub struct States(pub(in crate::stopping) Kind);

#[derive(Debug, Clone)]
pub(in crate::stopping) enum Kind {
    /// Row-major over the groups, the last one fastest; with the lowest load and the number of
    /// levels of each process.
    Groups { groups: Vec<Group>, lowest: Vec<i64>, shape: Vec<usize>, count: usize },
    /// A subset of the states of groups, by their numbers in ascending order.
    Active { all: Box<States>, members: Vec<usize> },
    /// A list of load vectors, shared by clones.
    Listed(Arc<Listed>),
}

impl States {
    /// The states of independent processes, and their joint chain. Processes i and j are lumped if
    /// they have the same birth–death chain and `same(i, j)` holds; pass `|_, _| false` for one
    /// state per load vector.
    ///
    /// # Errors
    /// No process, or more states than a `usize` can count.
    pub fn independent(
        processes: &[Process],
        same: impl Fn(usize, usize) -> bool,
    ) -> Result<(Self, Box<dyn Operator>), ChainError> {
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (i, process) in processes.iter().enumerate() {
            let lumps = matches!(process.chain, ProcessChain::BirthDeath(_));
            let home = members.iter_mut().find(|group: &&mut Vec<usize>| {
                lumps && same(group[0], i) && &processes[group[0]] == process
            });
            match home {
                Some(group) => group.push(i),
                None => members.push(vec![i]),
            }
        }
        let mut groups = Vec::new();
        let mut count = 1usize;
        for members in members {
            let Process { lowest, chain } = &processes[members[0]];
            let sets = Multisets::new(members.len(), chain.levels())?;
            let total = count.checked_mul(sets.states());
            count = total.ok_or_else(|| {
                ChainError::TooManyStates(format!("more than {count} x {}", sets.states()))
            })?;
            groups.push(Group { members, lowest: *lowest, chain: chain.clone(), sets });
        }
        let operator: Box<dyn Operator> = match joint(&groups)? {
            Divided::Slabs(all) => Box::new(all),
            Divided::Blocks(equal) => Box::new(equal),
        };
        let lowest = processes.iter().map(|process| process.lowest).collect();
        let shape = processes.iter().map(|process| process.chain.levels()).collect();
        Ok((Self(Kind::Groups { groups, lowest, shape, count }), operator))
    }

    /// The states of a joint chain, with the loads of each. Several states may have the same loads,
    /// if something other than loads moves too; they are distinguished by their order, see
    /// [`twin`](Self::twin).
    ///
    /// # Errors
    /// A number of load vectors other than the number of states, load vectors of different lengths,
    /// or without loads.
    pub fn joint(loads: &[Vec<i64>], chain: &Joint) -> Result<Self, ChainError> {
        if loads.len() != chain.states() {
            let what = "loads (one vector for each row of the transition matrix)".to_owned();
            let (expected, found) = (chain.states(), loads.len());
            return Err(ChainError::Shape { what, expected, found });
        }
        States::listed(loads)
    }

    /// The same without a chain.
    ///
    /// # Errors
    /// No load vectors, load vectors of different lengths, or without loads.
    pub fn listed(loads: &[Vec<i64>]) -> Result<Self, ChainError> {
        Ok(Self(Kind::Listed(Arc::new(Listed::new(loads)?))))
    }

    /// The groups of interchangeable processes; `None` for joint chains.
    pub(in crate::stopping) fn groups(&self) -> Option<&[Group]> {
        match &self.0 {
            Kind::Groups { groups, .. } => Some(groups),
            Kind::Active { .. } | Kind::Listed(_) => None,
        }
    }

    /// The number of states.
    pub fn count(&self) -> usize {
        match &self.0 {
            Kind::Groups { count, .. } => *count,
            Kind::Active { members, .. } => members.len(),
            Kind::Listed(listed) => listed.count(),
        }
    }

    /// The number of processes.
    pub fn processes(&self) -> usize {
        match &self.0 {
            Kind::Groups { shape, .. } => shape.len(),
            Kind::Active { all, .. } => all.processes(),
            Kind::Listed(listed) => listed.processes(),
        }
    }

    /// The number of levels of each process, or the number of listed states.
    pub fn shape(&self) -> Vec<usize> {
        match &self.0 {
            Kind::Groups { shape, .. } => shape.clone(),
            Kind::Active { all, .. } => all.shape(),
            Kind::Listed(listed) => vec![listed.count()],
        }
    }

    /// The lowest and the highest load of each process; `None` for listed load vectors.
    pub fn range(&self) -> Option<(Vec<i64>, Vec<i64>)> {
        let Kind::Groups { lowest, shape, .. } = &self.whole().0 else { return None };
        let last = |(low, levels): (&i64, &usize)| low + *levels as i64 - 1;
        Some((lowest.clone(), lowest.iter().zip(shape).map(last).collect()))
    }

    /// The number of load vectors; `None` if it overflows.
    pub fn vectors(&self) -> Option<usize> {
        self.shape().iter().try_fold(1usize, |n, &levels| n.checked_mul(levels))
    }

    /// Whether some states represent several load vectors.
    pub fn is_lumped(&self) -> bool {
        match &self.0 {
            Kind::Groups { groups, .. } => groups.iter().any(|group| group.members.len() > 1),
            Kind::Active { all, .. } => all.is_lumped(),
            Kind::Listed(_) => false,
        }
    }

    /// Writes a load vector that `state` represents; the others are permutations among equal
    /// processes.
    pub fn loads_into(&self, state: usize, loads: &mut [i64]) {
        match &self.0 {
            Kind::Groups { groups, .. } => {
                let mut rest = state;
                for group in groups.iter().rev() {
                    let rank = rest % group.sets.states();
                    rest /= group.sets.states();
                    if let [process] = group.members[..] {
                        loads[process] = group.lowest + rank as i64;
                        continue;
                    }
                    for (&level, &process) in group.sets.unrank(rank).iter().zip(&group.members) {
                        loads[process] = group.lowest + level as i64;
                    }
                }
            }
            Kind::Active { all, members } => all.loads_into(members[state], loads),
            Kind::Listed(listed) => loads.copy_from_slice(listed.loads(state)),
        }
    }

    /// A load vector that `state` represents.
    pub fn loads(&self, state: usize) -> Vec<i64> {
        let mut loads = vec![0; self.processes()];
        self.loads_into(state, &mut loads);
        loads
    }

    /// Whether several listed states have the same loads.
    pub fn share_loads(&self) -> bool {
        match &self.0 {
            Kind::Listed(listed) => listed.is_shared(),
            Kind::Groups { .. } | Kind::Active { .. } => false,
        }
    }

    /// The state that corresponds to `state` among those with these loads: the k-th in the list, if
    /// `state` is the k-th with its own loads.
    pub fn twin(&self, state: usize, loads: &[i64]) -> Option<usize> {
        match &self.0 {
            Kind::Listed(listed) => listed.twin(state, loads),
            Kind::Groups { .. } | Kind::Active { .. } => self.find(loads),
        }
    }

    /// The state that represents these loads, if there is exactly one.
    pub fn find(&self, loads: &[i64]) -> Option<usize> {
        match &self.0 {
            Kind::Listed(listed) => listed.find(loads),
            Kind::Active { all, members } => members.binary_search(&all.find(loads)?).ok(),
            Kind::Groups { groups, lowest, shape, .. } => {
                let levels = each_level(loads, lowest, shape)?;
                Some(from_levels(groups, &levels, &mut Vec::new()))
            }
        }
    }

    /// The number of load vectors per state; `None` if all are 1.
    pub fn multiplicities(&self) -> Option<Vec<f64>> {
        self.multiplicities_of(0..self.count())
    }

    /// [`multiplicities`](Self::multiplicities) of a range of states.
    pub fn multiplicities_of(&self, some: Range<usize>) -> Option<Vec<f64>> {
        // Enumerating the multisets is faster than unranking each.
        if let Some([Group { sets, .. }]) = self.groups() {
            return self.is_lumped().then(|| sets.tabulate(some, |sorted| sets.orderings(sorted)));
        }
        let mut all = self.is_lumped().then(|| vec![0.0; some.len()])?;
        parallel::fill(&mut all, PIECE, &|place| self.orderings(some.start + place));
        Some(all)
    }

    /// The levels of the processes of each group in a state of groups, ascending.
    pub(in crate::stopping) fn levels(&self, state: usize) -> Vec<Vec<usize>> {
        let mut rest = state;
        let own = self.groups().unwrap_or_default().iter().rev().map(|group| {
            let rank = rest % group.sets.states();
            rest /= group.sets.states();
            group.sets.unrank(rank)
        });
        let mut levels: Vec<Vec<usize>> = own.collect();
        levels.reverse();
        levels
    }

    /// The number of load vectors that a state represents.
    pub(in crate::stopping) fn orderings(&self, state: usize) -> f64 {
        if let Kind::Active { all, members } = &self.0 {
            return all.orderings(members[state]);
        }
        let groups = self.groups().unwrap_or_default().iter();
        let own = groups.zip(self.levels(state));
        own.map(|(group, levels)| group.sets.orderings(&levels)).product()
    }

    /// For an [active](Self::is_active) subset the states of all load vectors; otherwise these
    /// states.
    pub fn whole(&self) -> &States {
        match &self.0 {
            Kind::Active { all, .. } => all,
            Kind::Groups { .. } | Kind::Listed(_) => self,
        }
    }

    /// The indices of an active subset in [`whole`](Self::whole); otherwise empty.
    pub(in crate::stopping) fn members(&self) -> &[usize] {
        match &self.0 {
            Kind::Active { members, .. } => members,
            Kind::Groups { .. } | Kind::Listed(_) => &[],
        }
    }

    /// Whether they are a subset: the states in which the policy is not simply to remap.
    pub fn is_active(&self) -> bool {
        matches!(self.0, Kind::Active { .. })
    }

    /// `f` of a load vector of each state.
    pub fn tabulate(&self, f: impl Fn(&[i64]) -> f64 + Sync) -> Vec<f64> {
        self.tabulate_some(0..self.count(), f)
    }

    /// `f` of a load vector of each state in the range.
    pub(in crate::stopping) fn tabulate_some(
        &self,
        some: Range<usize>,
        f: impl Fn(&[i64]) -> f64 + Sync,
    ) -> Vec<f64> {
        let mut all = vec![0.0; some.len()];
        parallel::pieces(&mut all, PIECE, &|piece, out| {
            let mut loads = vec![0; self.processes()];
            let first = some.start + piece * PIECE;
            let states = first..first + out.len();
            // Enumerating the multisets is faster than unranking each.
            if let Some([Group { members, lowest, sets, .. }]) = self.groups() {
                let values = sets.tabulate(states, |sorted| {
                    for (&level, &process) in sorted.iter().zip(members) {
                        loads[process] = lowest + level as i64;
                    }
                    f(&loads)
                });
                return out.copy_from_slice(&values);
            }
            for (state, out) in states.zip(out) {
                self.loads_into(state, &mut loads);
                *out = f(&loads);
            }
        });
        all
    }

    /// Approximate number of scratch numbers of one application of the operator.
    pub(in crate::stopping) fn scratch(&self) -> u64 {
        let Kind::Groups { groups, count, .. } = &self.0 else { return 0 };
        // A lumped group needs one slot more than levels, and a copy if other groups follow.
        let lumped = groups.iter().filter(|group| group.members.len() > 1).map(|group| {
            let (items, levels) = (group.members.len() as u64, group.sets.levels() as u64);
            let copy = if groups.len() > 1 { 2 } else { 1 };
            (*count as u64).saturating_mul(levels + items) / levels * copy
        });
        lumped.sum()
    }
}

/// The level of each process at these loads; `None` if some process has no such load.
pub(super) fn each_level(loads: &[i64], lowest: &[i64], shape: &[usize]) -> Option<Vec<usize>> {
    let level = |((load, low), levels): ((&i64, &i64), &usize)| {
        usize::try_from(load - low).ok().filter(|level| level < levels)
    };
    let all = loads.iter().zip(lowest).zip(shape).map(level);
    if loads.len() == shape.len() { all.collect() } else { None }
}

/// The state with these levels.
pub(super) fn from_levels(groups: &[Group], levels: &[usize], sorted: &mut Vec<usize>) -> usize {
    groups.iter().fold(0, |state, group| {
        sorted.clear();
        sorted.extend(group.members.iter().map(|&process| levels[process]));
        sorted.sort_unstable();
        state * group.sets.states() + group.sets.rank(sorted)
    })
}
