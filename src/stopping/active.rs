//! Solving where it matters only: around balance.
//!
//! A state saves something by going on only if it can reach balance through states that do. So the
//! savings on any set A of states, with those outside taken to save nothing, are a lower bound on
//! the true ones, and they are the true ones once no state on the edge of A goes on: outside, no
//! step then leads to a saving, and to remap is optimal there. A starts as what a few steps from balance reach
//! and grows until that holds. Neither the states outside nor their transitions are ever listed.

use super::states::{Group, Kind};
use super::{AfterRemap, Problem, ProblemError, ProcessChain, Settings, Solution, States};
use crate::chain::{BirthDeath, Operator, Restricted};
use crate::imbalance::Imbalance;
use crate::{Observer, Status};

/// A region, its problem and its solution.
pub struct Active {
    /// The states of the region; in all others of the full space one remaps.
    pub states: States,
    /// The problem on them.
    pub problem: Problem,
    /// Its solution; the bounds hold for the full problem.
    pub solution: Solution,
}

/// Steps from balance that the first region reaches.
const FIRST: usize = 8;

/// The tolerance at which a region is tried.
const ROUGHLY: f64 = 1e-3;

/// The most processes: a row has 3^r entries.
const MOST_PROCESSES: usize = 3;

/// Solves the problem that a remap ends ([`AfterRemap::Stop`]) on a region around balance of at
/// most `most` states, if that is enough and the processes are at most three independent
/// birth–death chains. `settings.iterations` limits each of the few regions.
///
/// # Errors
/// Those of [`Problem::new`].
pub fn solve_active(
    all: &States,
    imbalance: &Imbalance,
    remap_cost: f64,
    most: usize,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Option<Active>, ProblemError> {
    let Some(space) = Space::new(all) else { return Ok(None) };
    let mut region = space.balanced(all, imbalance);
    let mut edge = region.clone();
    let mut layers = FIRST;
    while !region.is_empty() {
        for _ in 0..layers {
            edge = space.beyond(&region, &edge);
            region = merged(&region, &edge);
            if region.len() > most {
                return Ok(None);
            }
        }
        layers *= 2;
        let operator = Box::new(space.restricted(&region));
        let kind = Kind::Active { all: Box::new(all.clone()), members: region.clone() };
        let states = States(kind);
        let problem = Problem::new(&states, operator, imbalance, remap_cost, AfterRemap::Stop)?;
        let stops_at_edge = |solution: &Solution| {
            edge.iter().all(|full| {
                region.binary_search(full).is_ok_and(|s| solution.surely_stops(&problem, s))
            })
        };
        let tolerance = settings.tolerance.max(ROUGHLY);
        let roughly = super::solve(&problem, &Settings { tolerance, ..*settings }, observer);
        if roughly.status != Status::Converged {
            return Ok(None);
        }
        if stops_at_edge(&roughly) {
            let solution = super::solve(&problem, settings, observer);
            if stops_at_edge(&solution) {
                return Ok(Some(Active { states, problem, solution }));
            }
        }
    }
    Ok(None)
}

/// The members of either sorted list.
fn merged(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// The full space of a few independent birth–death chains.
struct Space<'a> {
    groups: &'a [Group],
    /// The chain of each process, group by group.
    chains: Vec<&'a BirthDeath>,
}

impl<'a> Space<'a> {
    fn new(all: &'a States) -> Option<Self> {
        let groups = all.groups()?;
        let mut chains = Vec::new();
        for group in groups {
            let ProcessChain::BirthDeath(chain) = &group.chain else { return None };
            chains.extend(group.members.iter().map(|_| chain));
        }
        (chains.len() <= MOST_PROCESSES).then_some(Self { groups, chains })
    }

    /// The balanced states, in order.
    fn balanced(&self, all: &States, imbalance: &Imbalance) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        // The first process runs through its levels, the others follow in proportion.
        let loads = all.vector(0);
        for level in 0..self.chains[0].levels() {
            let first = loads[self.groups[0].members[0]] + level as i64;
            let balanced = imbalance.balanced_with(self.groups[0].members[0], first);
            found.extend(balanced.and_then(|loads| all.find(&loads)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Calls `visit` with each combination of moves from a state by at most one level: the state it
    /// leads to and its probability. A state can come up several times, or with probability 0.
    fn moves(&self, state: usize, mut visit: impl FnMut(usize, f64)) {
        let r = self.chains.len();
        let mut levels = Vec::with_capacity(r);
        let mut rest = state;
        let mut ranks = vec![0; self.groups.len()];
        for (rank, group) in ranks.iter_mut().zip(self.groups).rev() {
            *rank = rest % group.sets.states();
            rest /= group.sets.states();
        }
        for (rank, group) in ranks.iter().zip(self.groups) {
            levels.extend(group.sets.unrank(*rank));
        }
        let mut moved = vec![0; r];
        'moves: for code in 0..3usize.pow(r as u32) {
            let mut code = code;
            let mut probability = 1.0;
            for k in 0..r {
                let (chain, level) = (self.chains[k], levels[k]);
                let (to, p) = match code % 3 {
                    0 if level > 0 => (level - 1, chain.down(level)),
                    1 => (level, chain.stay(level)),
                    2 if level + 1 < chain.levels() => (level + 1, chain.up(level)),
                    _ => continue 'moves,
                };
                (moved[k], probability) = (to, probability * p);
                code /= 3;
            }
            let mut state = 0;
            let mut levels = &mut moved[..];
            for group in self.groups {
                let (own, others) = levels.split_at_mut(group.sets.items());
                own.sort_unstable();
                state = state * group.sets.states() + group.sets.rank(own);
                levels = others;
            }
            visit(state, probability);
        }
    }

    /// The states next to some of a region that do not belong to it.
    fn beyond(&self, region: &[usize], edge: &[usize]) -> Vec<usize> {
        let mut found = Vec::new();
        for &state in edge {
            self.moves(state, |next, _| found.push(next));
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|state| region.binary_search(state).is_err());
        found
    }

    /// The chain on a region.
    fn restricted(&self, region: &[usize]) -> Restricted {
        let mut rows = Restricted::new(self.weights(region));
        let mut row = Vec::new();
        for &state in region {
            row.clear();
            self.moves(state, |next, p| {
                if p > 0.0
                    && let Ok(column) = region.binary_search(&next)
                {
                    row.push((column as u32, p));
                }
            });
            rows.push(&mut row);
        }
        rows
    }

    /// Reversing weights of a region.
    fn weights(&self, region: &[usize]) -> Option<Vec<f64>> {
        let own: Vec<Vec<f64>> =
            self.groups.iter().map(Group::reversing_weights).collect::<Option<_>>()?;
        let weight = |&state: &usize| {
            let mut rest = state;
            let factors = self.groups.iter().zip(&own).rev().map(|(group, own)| {
                let levels = group.sets.unrank(rest % group.sets.states());
                rest /= group.sets.states();
                let weights = levels.iter().map(|&level| own[level]);
                group.sets.orderings(&levels) * weights.product::<f64>()
            });
            factors.product()
        };
        Some(region.iter().map(weight).collect())
    }
}

impl Group {
    /// Of the levels of one process.
    fn reversing_weights(&self) -> Option<Vec<f64>> {
        match &self.chain {
            ProcessChain::BirthDeath(chain) => chain.reversing_weights(),
            ProcessChain::Dense(_) => None,
        }
    }
}
