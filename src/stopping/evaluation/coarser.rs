//! The same problem on every other level, for an initial guess and for multigrid.
//!
//! A walk spreads in four steps as far as in one step of double length. So the coarser problem
//! charges four times the running cost per step; the remap cost is the same. No bounds follow from
//! it.

use crate::chain::{BirthDeath, Multisets};
use crate::stopping::operator::substochastic::Killed;
use crate::stopping::state_space::states::Group;
use crate::stopping::{Problem, Process, ProcessChain, States};
use std::borrow::Cow;

/// Shortest walk that is coarsened.
const SHORTEST: usize = 7;

/// Fewest states for which a coarser problem pays.
const FEWEST: usize = 60;

/// Most processes: with more, walks are too short for coarser ones to help.
const MOST_PROCESSES: usize = 4;

/// Steps of the fine walk per step on every other level.
pub(in crate::stopping) const STEPS: f64 = 4.0;

/// A coarser problem, and the position of its states among those of the finer one.
pub(in crate::stopping) struct Coarser {
    pub problem: Problem,
    /// Damping of a step on the fine grid: the inverse of a bound on the eigenvalues of `I - P`.
    pub damping: f64,
    /// Levels of the longest fine walk.
    pub levels: usize,
    /// By group of equal processes.
    links: Vec<Link>,
    /// The fine state at each coarse state.
    places: Vec<usize>,
}

/// The states of one group of equal processes on both grids.
struct Link {
    coarse: usize,
    near: Transfer,
}

/// Coarse states around a fine state, with weights. These are sums of products of halves, hence
/// exact.
type Shares = Vec<(u32, f32)>;

impl Link {
    fn new(fine: &Multisets, coarse: &Multisets) -> Self {
        let mut first = vec![0];
        let mut near = Shares::new();
        let mut sorted = vec![0; fine.items()];
        let add = |levels: &[usize]| {
            let odd: Vec<usize> = (0..levels.len()).filter(|&k| levels[k] % 2 == 1).collect();
            let (share, before) = (0.5f32.powi(odd.len() as i32), near.len());
            for choice in 0..1u32 << odd.len() {
                for (coarse, fine) in sorted.iter_mut().zip(levels) {
                    *coarse = fine / 2;
                }
                for (bit, &k) in odd.iter().enumerate() {
                    sorted[k] += (choice >> bit & 1) as usize;
                }
                sorted.sort_unstable();
                let rank = coarse.rank(&sorted) as u32;
                // Several choices may lead to the same state.
                match near[before..].iter_mut().find(|(place, _)| *place == rank) {
                    Some((_, all)) => *all += share,
                    None => near.push((rank, share)),
                }
            }
            near.len()
        };
        first.extend(fine.tabulate(0..fine.states(), add));
        Self { coarse: coarse.states(), near: Transfer { first, near } }
    }

    fn fine(&self) -> usize {
        self.near.first.len() - 1
    }
}

/// Whether a walk of so many levels is coarsened.
pub(in crate::stopping) fn is_long(levels: usize) -> bool {
    levels >= SHORTEST
}

/// Whether a coarser problem may exist.
pub(in crate::stopping) fn applies(states: &States) -> bool {
    let Some(groups) = states.groups() else { return false };
    let long = |group: &Group| is_long(group.sets.levels());
    (FEWEST..u32::MAX as usize).contains(&states.count())
        && states.processes() <= MOST_PROCESSES
        && groups.iter().all(long)
}

impl Coarser {
    /// The coarser problem; `None` if the states are not those of long walks.
    pub fn new(states: &States, problem: &Problem) -> Option<Self> {
        let groups = states.groups()?;
        if !applies(states) {
            return None;
        }
        let (mut all, mut home) = (vec![None; states.processes()], vec![0; states.processes()]);
        for (g, group) in groups.iter().enumerate() {
            let ProcessChain::BirthDeath(chain) = &group.chain else { return None };
            let chain = ProcessChain::BirthDeath(coarsen(chain)?);
            for &member in &group.members {
                all[member] = Some(Process { lowest: 0, chain: chain.clone() });
                home[member] = g;
            }
        }
        let all: Vec<Process> = all.into_iter().collect::<Option<_>>()?;
        let same = |i: usize, j: usize| home[i] == home[j];
        let (coarse, operator) = States::independent(&all, same).ok()?;
        let places = places(groups, &coarse)?;
        let running: Vec<f64> = places.iter().map(|&s| STEPS * problem.running()[s]).collect();
        if !running.contains(&0.0) {
            return None;
        }
        let problem = Problem::posed(&coarse, operator, running, problem.remap_cost, problem.after);
        let sets = coarse.groups()?.iter().map(|group| &group.sets);
        let links = groups.iter().zip(sets).map(|(fine, coarse)| Link::new(&fine.sets, coarse));
        let damping = 1.0 / groups.iter().map(Group::spectrum).fold(1.0, f64::max);
        let levels = groups.iter().map(|group| group.sets.levels()).max()?;
        Some(Self { problem, damping, levels, links: links.collect(), places })
    }

    /// A function on the fine grid from its values on the coarse one, by linear interpolation.
    pub fn interpolate(&self, coarse: &[f64]) -> Vec<f64> {
        let mut values = Cow::Borrowed(coarse);
        let mut before = 1;
        for link in &self.links {
            let after = values.len() / before / link.coarse;
            let mut next = Vec::with_capacity(before * link.fine() * after);
            for from in values.chunks_exact(link.coarse * after) {
                for near in link.near.lists() {
                    let start = next.len();
                    next.resize(start + after, 0.0);
                    let out = &mut next[start..];
                    for &(c, share) in near {
                        let (from, share) =
                            (&from[c as usize * after..][..after], f64::from(share));
                        out.iter_mut().zip(from).for_each(|(out, from)| *out += share * from);
                    }
                }
            }
            before *= link.fine();
            values = Cow::Owned(next);
        }
        values.into_owned()
    }

    /// Linear interpolation from the coarse states that continue to the fine ones.
    pub fn transfer(&self, fine: &Killed<'_>, coarse: &Killed<'_>) -> Transfer {
        let mut places = vec![None; self.problem.states()];
        coarse.states().zip(0..).for_each(|(state, place)| places[state] = Some(place));
        let (mut first, mut near) = (Vec::with_capacity(fine.count() + 1), Vec::new());
        let (mut around, mut longer) = (Vec::new(), Vec::new());
        for state in fine.states() {
            first.push(near.len());
            let (mut rest, mut stride) = (state, 1);
            around.clear();
            around.push((0, 1.0));
            for link in self.links.iter().rev() {
                let own = link.near.list(rest % link.fine());
                longer.clear();
                for &(place, share) in &around {
                    longer.extend(own.iter().map(|(c, part)| (place + c * stride, share * part)));
                }
                std::mem::swap(&mut around, &mut longer);
                (rest, stride) = (rest / link.fine(), stride * link.coarse as u32);
            }
            let place = |(state, share): &(u32, f32)| Some((places[*state as usize]?, *share));
            near.extend(around.iter().filter_map(place));
        }
        first.push(near.len());
        Transfer { first, near }
    }

    /// The coarse states whose fine states are marked.
    pub fn restrict(&self, marked: &[bool]) -> Vec<bool> {
        self.places.iter().map(|&s| marked[s]).collect()
    }
}

/// Linear interpolation between states: of one group, or those that continue.
pub(in crate::stopping) struct Transfer {
    /// For each fine state the start of its list of neighbors; one more entry at the end.
    first: Vec<usize>,
    /// Coarse states, or positions among those that continue, with their weights.
    near: Shares,
}

fn mean(near: &[(u32, f32)], coarse: &[f64]) -> f64 {
    near.iter().map(|&(place, share)| f64::from(share) * coarse[place as usize]).sum()
}

impl Transfer {
    /// The coarse states around a fine one, with weights.
    fn list(&self, fine: usize) -> &[(u32, f32)] {
        &self.near[self.first[fine]..self.first[fine + 1]]
    }

    fn lists(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        (0..self.first.len() - 1).map(|fine| self.list(fine))
    }

    /// Adds a function on the coarse grid to one on the fine grid.
    pub fn interpolate(&self, coarse: &[f64], fine: &mut [f64]) {
        for (fine, near) in fine.iter_mut().zip(self.lists()) {
            *fine += mean(near, coarse);
        }
    }

    /// The adjoint of the interpolation.
    pub fn adjoint(&self, fine: &[f64], coarse: &mut [f64]) {
        coarse.fill(0.0);
        for (fine, near) in fine.iter().zip(self.lists()) {
            near.iter()
                .for_each(|&(place, share)| coarse[place as usize] += f64::from(share) * fine);
        }
    }
}

impl Group {
    /// A bound on the eigenvalues of `I - P` that is at least 1.
    fn spectrum(&self) -> f64 {
        let ProcessChain::BirthDeath(chain) = &self.chain else { return 2.0 };
        let moves = (0..chain.levels()).map(|level| chain.up(level) + chain.down(level));
        2.0 * moves.fold(0.5, f64::max)
    }
}

/// The walk on every other level that spreads as far in one step as this one in four.
pub(in crate::stopping) fn coarsen(chain: &BirthDeath) -> Option<BirthDeath> {
    let levels = chain.levels();
    let count = levels / 2 + 1;
    let (mut up, mut down) = (vec![0.0; count], vec![0.0; count]);
    for k in 0..count {
        let level = (2 * k).min(levels - 1);
        let (rise, fall) = (chain.up(level), chain.down(level));
        (up[k], down[k]) = if k == 0 {
            (rise, 0.0)
        } else if k + 1 == count {
            (0.0, fall)
        } else {
            // Has the same probability to reach either neighbor first and, where that is a
            // probability, the same speed.
            let least = (rise + fall).max(2.0 * (rise * rise + fall * fall)).max(f64::MIN_POSITIVE);
            (rise * (2.0 * rise / least), fall * (2.0 * fall / least))
        };
    }
    BirthDeath::new(up, down).ok()
}

/// The fine state at each coarse state.
fn places(groups: &[Group], coarse: &States) -> Option<Vec<usize>> {
    let mut places = vec![0usize];
    for (fine, coarse) in groups.iter().zip(coarse.groups()?) {
        let mut levels = vec![0; fine.sets.items()];
        let own = coarse.sets.tabulate(0..coarse.sets.states(), |sorted| {
            for (level, k) in levels.iter_mut().zip(sorted) {
                *level = (2 * k).min(fine.sets.levels() - 1);
            }
            fine.sets.rank(&levels)
        });
        let count = fine.sets.states();
        places = places.iter().flat_map(|p| own.iter().map(move |q| p * count + q)).collect();
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Edge;
    use crate::stopping::AfterRemap;
    use crate::stopping::tests::equal;

    /// Walks with `levels` levels each, the first two of them equal.
    fn problem(levels: &[usize]) -> (States, Problem) {
        let walk = |&levels: &usize| BirthDeath::walk(levels, 0.25, 0.25, Edge::Reflect).unwrap();
        let chains = levels.iter().map(walk).map(ProcessChain::BirthDeath).collect();
        equal(chains, true, 9.0, AfterRemap::Stop)
    }

    #[test]
    fn interpolation_keeps_linear_functions_and_has_its_adjoint() {
        for levels in [&[13, 13][..], &[9, 9, 9], &[15, 15, 8], &[12, 9]] {
            let (states, problem) = problem(levels);
            let coarser = problem.coarser.as_ref().unwrap();
            let fine: Vec<f64> =
                (0..states.count()).map(|s| states.loads(s).iter().sum::<i64>() as f64).collect();
            let coarse: Vec<f64> = coarser.places.iter().map(|&s| fine[s]).collect();
            let between = coarser.interpolate(&coarse);
            for (s, value) in between.iter().enumerate() {
                // With an even number of levels the last coarse level lies beyond the end.
                let inside =
                    states.loads(s).iter().zip(levels).all(|(load, n)| *load + 2 < *n as i64);
                assert!(!inside || *value == fine[s], "{s}: {value} {}", fine[s]);
            }
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let waves: Vec<f64> = (0..fine.len()).map(|s| (s as f64).sin()).collect();
            let ripples: Vec<f64> = (0..coarse.len()).map(|s| (3.0 * s as f64).cos()).collect();
            let fine_grid = Killed::new(&problem, &vec![true; fine.len()]);
            let coarse_grid = Killed::new(&coarser.problem, &vec![true; coarse.len()]);
            let transfer = coarser.transfer(&fine_grid, &coarse_grid);
            let (mut raised, mut lowered) =
                (coarser.interpolate(&ripples), vec![0.0; coarse.len()]);
            transfer.adjoint(&waves, &mut lowered);
            let (a, b) = (dot(&raised, &waves), dot(&ripples, &lowered));
            assert!((a - b).abs() <= 1e-12 * fine.len() as f64);
            transfer.interpolate(&ripples.iter().map(|x| -x).collect::<Vec<_>>(), &mut raised);
            assert!(raised.iter().all(|left| left.abs() <= 1e-15));
        }
    }
}
