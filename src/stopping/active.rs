//! Solving where it matters only: around balance.
//!
//! A state saves something by going on only if it can reach balance through states that do. So the
//! savings on any set A of states, with those outside taken to save nothing, are a lower bound on
//! the true ones, and they are the true ones once going on does not pay outside, given what can be saved
//! in A. A starts with the balanced states and takes in those for which it pays until there are no
//! more. Neither the other states nor their transitions are ever listed.

use super::forecast::Grid;
use super::predecessors::{Predecessors, Ways};
use super::states::{Group, Kind};
use super::tube::{self, TubeRegion};
use super::weight::NEARLY;
use super::{
    Method, ProblemError, ProcessChain, Settings, Solution, Solved, States, memory_estimate,
    problem,
};
use crate::chain::{Operator, Restricted};
use crate::imbalance::Imbalance;
use crate::{Observer, Status};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// What finding a region may take. A way is a move of all processes into a state of it; where all processes are different,
/// of one process next to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// The most ways into its states, which take some 32 bytes each.
    pub ways: usize,
    /// How many ways may be gone through by all applications of the chain.
    pub work: u64,
    /// One state in so many may go on.
    pub share: usize,
    /// Whether there is nothing else, so that the last region is worth its bounds.
    pub alone: bool,
}

/// States from which on it is worth looking for a small region around balance that will do.
const WORTHWHILE: usize = 20_000;

/// The most ways into the states of a region for each state of all.
const WAYS_PER_STATE: usize = 3;

/// The most ways into the states of a region where all states fit, too.
const MOST_WAYS: usize = 40_000_000;

/// Bytes that a way takes.
const WAY_BYTES: u64 = 32;

/// Ways gone through for each state and process from which on solving for all states takes about as long.
const WORK_PER_STATE: usize = 150;

/// The same where a region is gone through mode by mode, as all states are: a fifth of what they take, and what share of
/// all states it may touch.
const WORK_OF_TUBES: usize = 70;
const TUBE_SHARE: usize = 8;

impl Effort {
    /// What looking for a region may take where the alternative is to solve for all states, with
    /// `memory` bytes: half of them where all states need more. `None` where the states are too few for it to
    /// be worth a try.
    pub fn beside_all(states: &States, memory: u64) -> Option<Effort> {
        let count = states.count();
        let room = usize::try_from(memory / WAY_BYTES).unwrap_or(usize::MAX);
        if memory_estimate(states, Method::Auto) > memory {
            // The lists grow by doubling.
            return Some(Effort { ways: room / 2, work: u64::MAX, share: 1, alone: true });
        }
        let processes = states.processes();
        let (ways, work) = match tube::applies(states) {
            true => (count.saturating_mul(tube::TERMS * processes) / TUBE_SHARE, WORK_OF_TUBES),
            false => (count.saturating_mul(WAYS_PER_STATE), WORK_PER_STATE),
        };
        let effort = Effort {
            ways: ways.min(room).min(MOST_WAYS),
            work: count.saturating_mul(work * processes) as u64,
            share: SHARE,
            alone: false,
        };
        (count >= WORTHWHILE).then_some(effort)
    }
}

/// Up to how many ways a region takes in neighbours before it is solved for the first time: one for so many
/// states of all, and at most so many.
const FIRST: [usize; 2] = [64, 1_000_000];

/// How many times more ways that makes at most from then on.
const GROWTH: usize = 2;

/// The tolerance at which a region is tried.
const ROUGHLY: f64 = 1e-3;

/// The same on coarser grids, which only say where a region will lie.
const ABOUT: f64 = 1e-2;

/// A region of more than one state in so many, or a forecast by which more go on, is no quicker than all states, where these fit.
const SHARE: usize = 25;

/// The same on coarser grids, where regions are wider.
const COARSER_SHARE: usize = 4;

/// A region on a coarser grid need not grow if it would by less than one in so many.
const FEW: usize = 20;

/// Solves the problem that a remap ends ([`AfterRemap::Stop`](super::AfterRemap::Stop)) on a region around balance, if the
/// processes are independent birth–death chains, at most 100 of them equal, and `effort` suffices.
/// `settings.iterations` limits each of the few regions. `None` if no region was found within `effort`; what is halted
/// has bounds of the full model for the last region there was, and so has, with the status of a limit, what needs more than
/// `effort` where there is nothing else.
///
/// # Errors
/// Those of [`Problem::new`](super::Problem::new).
pub fn solve_region(
    all: &States,
    imbalance: &Imbalance,
    remap_cost: f64,
    effort: Effort,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Option<Solved>, ProblemError> {
    problem::fits(all, all.count(), imbalance, remap_cost)?;
    Ok(search(&Grid::finest(all, imbalance), remap_cost, effort, settings, observer))
}

fn search(
    grid: &Grid<'_>,
    remap_cost: f64,
    effort: Effort,
    settings: &Settings,
    observer: &dyn Observer,
) -> Option<Solved> {
    let Effort { ways: most, mut work, share, alone } = effort;
    let empty = || region(&grid.states, most);
    let mut region = empty()?;
    let is_finest = grid.is_finest();
    let worth = tube::applies(&grid.states) && grid.states.count() >= WORTHWHILE;
    let forecast = if worth { grid.coarser() } else { None };
    let mut guess: Option<Vec<f64>> = None;
    if let Some(coarser) = &forecast {
        let roughly = Settings { tolerance: settings.tolerance.max(ABOUT), ..*settings };
        let share = if is_finest { share.max(COARSER_SHARE) } else { COARSER_SHARE };
        let effort = Effort { ways: most, work, share, alone: false };
        let solved = search(coarser, remap_cost, effort, &roughly, observer);
        let begun = solved.and_then(|solved| {
            let (members, saving) = grid.interpolate(coarser, &solved);
            region.take_in(members, false, observer)?;
            Some(saving)
        });
        if begun.is_none() && !alone {
            return None;
        }
        guess = begun;
    }
    if guess.is_none() {
        region = empty()?;
        let found = grid.balanced();
        if found.is_empty() {
            return None;
        }
        region.take_in(found, true, observer)?;
    }
    let most_members = grid.states.count() / if is_finest { share } else { COARSER_SHARE };
    let mut tolerance = settings.tolerance.max(ROUGHLY);
    let mut before: Option<(States, Solution)> = None;
    let mut posed = None;
    loop {
        let (states, problem) = posed.take().unwrap_or_else(|| {
            let (states, operator) = region.states();
            if let Some((fewer, solution)) = before.take() {
                guess = Some(carried(fewer.members(), solution.savings(), states.members()));
            }
            let problem = grid.problem(&states, operator, remap_cost);
            (states, problem)
        });
        if states.count() > most_members {
            return None;
        }
        let ways = region.ways().max(1) as u64;
        let iterations = settings.iterations.min(work / ways);
        let limits = Settings { tolerance, iterations, ..*settings };
        let solution = super::solve_from(&problem, guess.take(), &limits, observer);
        work = work.saturating_sub(solution.iterations.saturating_mul(ways));
        let running = |loads: &[i64]| grid.running(loads);
        if solution.status.is_halted() {
            let share = share_outside(&mut region, &solution, &running);
            let solution = solution.with_lower(share);
            return Some(Solved { states, problem, solution });
        }
        let precise = tolerance == settings.tolerance;
        let lower = |s: usize| if precise { solution.bounds(s).lower } else { solution.value(s) };
        // What is saved is no more than this, so that the share is not too large.
        let Beyond { pay: found, share: least } =
            region.beyond(&|s| remap_cost - lower(s), &running);
        match solution.status {
            Status::Converged if precise && found.is_empty() => {
                return Some(Solved { states, problem, solution });
            }
            Status::Converged => {}
            Status::IterationLimit if precise && iterations == settings.iterations => {
                if found.is_empty() {
                    return Some(Solved { states, problem, solution });
                }
            }
            _ => return None,
        }
        if !is_finest && solution.going_on(&problem).count() > grid.states.count() / share {
            return None;
        }
        if !is_finest && found.len() <= states.count() / FEW {
            return Some(Solved { states, problem, solution });
        }
        if found.is_empty() {
            tolerance = settings.tolerance;
            guess = Some(solution.savings().to_vec());
            posed = Some((states, problem));
        } else {
            let share = alone.then(|| share_outside(&mut region, &solution, &running));
            let taken = region.take_in(found, forecast.is_none(), observer);
            let ended = match (taken, observer.check()) {
                (None, _) => Some((share?, Status::IterationLimit)),
                // To list the larger region takes long, too.
                (Some(()), ControlFlow::Break(halt)) => Some((least, halt.into())),
                (Some(()), ControlFlow::Continue(())) => None,
            };
            if let Some((share, status)) = ended {
                let mut solution = solution.with_lower(share);
                solution.status = status;
                return Some(Solved { states, problem, solution });
            }
            before = Some((states, solution));
        }
    }
}

/// What a lower bound of J is to be scaled by to hold outside of the region, too.
fn share_outside(
    region: &mut Box<dyn Region + '_>,
    solution: &Solution,
    running: &Running<'_>,
) -> f64 {
    let saved = solution.savings();
    region.beyond(&|s| saved[s], running).share
}

/// What is saved in each of more states; nothing in those that are new.
fn carried(fewer: &[usize], saving: &[f64], more: &[usize]) -> Vec<f64> {
    let mut known = fewer.iter().zip(saving).peekable();
    let own =
        |state: &usize| known.next_if(|(before, _)| *before == state).map_or(0.0, |(_, d)| *d);
    more.iter().map(own).collect()
}

/// A region that can be solved on, empty at first: mode by mode where processes are few and all different, otherwise by
/// lists of all ways.
fn region<'a>(all: &'a States, most: usize) -> Option<Box<dyn Region + 'a>> {
    if let Some(tube) = TubeRegion::new(all, most) {
        return Some(Box::new(tube));
    }
    let predecessors = Predecessors::new(all)?;
    Some(Box::new(Listed { all, predecessors, most, members: Vec::new(), ways: 0 }))
}

/// Some states of independent birth–death chains, and how they move.
pub(super) trait Region {
    /// Terms of one application.
    fn ways(&self) -> usize;

    /// Takes in states, with neighbours while they are few, and nobody calls a halt, if it is to look `ahead`; `None` if it
    /// grows too large.
    fn take_in(&mut self, found: Vec<usize>, ahead: bool, observer: &dyn Observer) -> Option<()>;

    /// The states and the chain on them.
    fn states(&mut self) -> (States, Box<dyn Operator>);

    /// What going on outside is worth, given what is saved in each member.
    fn beyond(&mut self, saved: &dyn Fn(usize) -> f64, running: &Running<'_>) -> Beyond;
}

/// What a step costs at some loads.
pub(super) type Running<'r> = dyn Fn(&[i64]) -> f64 + Sync + 'r;

/// What going on outside of a region is worth.
pub(super) struct Beyond {
    /// The states that gain by it, or nearly, in order.
    pub pay: Vec<usize>,
    /// The least share of the running cost in what may be saved after a step; 1 if it is more.
    pub share: f64,
}

impl Beyond {
    /// From the states outside, with their running cost beside what may be saved after a step, which may be rounded
    /// by so many units.
    pub fn of(outside: Vec<(usize, f64)>, rounding: f64) -> Self {
        let least = outside.iter().map(|(_, share)| *share).fold(1.0, f64::min);
        let share = least * (1.0 - (rounding + 8.0) * f64::EPSILON);
        let pays = |(_, share): &(usize, f64)| share * (1.0 - 2.0 * NEARLY) < 1.0;
        let pay = outside.into_iter().filter(pays).map(|(state, _)| state).collect();
        Self { pay, share }
    }
}

/// Up to how many ways a region takes in neighbours.
pub(super) fn enough(ways: usize, all: &States) -> usize {
    (GROWTH * ways).max((all.count() / FIRST[0]).min(FIRST[1]))
}

/// With all ways into them.
struct Listed<'a> {
    all: &'a States,
    predecessors: Predecessors<'a>,
    /// In order of their states.
    members: Vec<Member>,
    /// Into members, and how many there may be.
    ways: usize,
    most: usize,
}

struct Member {
    state: usize,
    ways: Ways,
    /// Whether all ways are known to come from members.
    inner: bool,
}

impl Listed<'_> {
    /// Where a state is among the members.
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
            let counts = found.par_iter().map(|&state| self.predecessors.count(state));
            counts.reduce(|| 0, usize::saturating_add)
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
            let new: Vec<Member> = found.par_iter().map(member).collect();
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
        let columns: Vec<Vec<(u32, f64)>> = self.members.par_iter().map(own).collect();
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
        // Sums must not depend on the number of threads.
        gains.par_sort_by_key(|(state, _)| *state);
        let each: Vec<&[(usize, f64)]> = gains.chunk_by(|a, b| a.0 == b.0).collect();
        let longest = each.iter().map(|ways| ways.len()).max().unwrap_or(0);
        let share = |ways: &&[(usize, f64)]| {
            let state = ways[0].0;
            let gain: f64 = ways.iter().map(|(_, gain)| gain).sum();
            (state, running(&self.all.loads(state)) / gain)
        };
        Beyond::of(each.par_iter().map(share).collect(), rounding + longest as f64)
    }
}

impl Group {
    /// Of the levels of one process.
    pub(super) fn reversing_weights(&self) -> Option<Vec<f64>> {
        match &self.chain {
            ProcessChain::BirthDeath(chain) => chain.reversing_weights(),
            ProcessChain::Dense(_) => None,
        }
    }
}
