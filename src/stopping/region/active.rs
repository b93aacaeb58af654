//! Solves a stopping problem on a small set of states around balance, with bounds for all states
//! (an active-set method).
//!
//! A state saves something by continuing only if it can reach balance through states that do. So
//! the savings on any set A of states, with savings 0 outside, are a lower bound on the true
//! savings. They are the true ones once continuing does not pay outside A, given the savings in A.
//! A starts with the balanced states and takes in those for which continuing pays, until there are
//! none. Neither the other states nor their transitions are listed.
//!
//! Cost: that of solving on A, plus the transitions into A.

use super::forecast::Grid;
use super::listed::Listed;
use super::tube::{self, TubeRegion};
use crate::chain::Operator;
use crate::imbalance::Imbalance;
use crate::stopping::operator::weight::NEARLY;
use crate::stopping::state_space::predecessors::Predecessors;
use crate::stopping::state_space::states::Group;
use crate::stopping::{
    Method, ProblemError, ProcessChain, Settings, Solution, Solved, States, memory_estimate,
    problem,
};
use crate::{Observer, Status};
use std::ops::ControlFlow;

/// Limits on the search for a region. A "way" is a transition of all processes into a state of it.
/// Where all processes differ, it is a transition of one process next to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Most ways into its states; each takes about 32 bytes.
    pub ways: usize,
    /// Most ways processed by all applications of the chain.
    pub work: u64,
    /// Limit on the region: one in `share` of all states may continue.
    pub share: usize,
    /// Whether all states together are not feasible, so that the last region is reported with its
    /// bounds.
    pub alone: bool,
}

/// Number of states from which a region around balance may pay.
const WORTHWHILE: usize = 20_000;

/// Most ways into a region per state of the whole problem.
const WAYS_PER_STATE: usize = 3;

/// Absolute limit on those ways, if all states fit into memory too.
const MOST_WAYS: usize = 40_000_000;

/// Memory of a way in bytes.
const WAY_BYTES: u64 = 32;

/// Ways processed per state and process at which solving on all states takes about as long.
const WORK_PER_STATE: usize = 150;

/// The same for regions that are processed mode by mode, as all states are: a fifth of that cost.
/// And the fraction of all states that such a region may touch.
const WORK_OF_TUBES: usize = 70;
const TUBE_SHARE: usize = 8;

impl Effort {
    /// Limits for a region if the alternative is all states within `memory` bytes; half of the
    /// memory is used if all states need more. `None` if there are too few states.
    pub fn beside_all(states: &States, memory: u64) -> Option<Effort> {
        let count = states.count();
        let room = usize::try_from(memory / WAY_BYTES).unwrap_or(usize::MAX);
        if memory_estimate(states, Method::Auto) > memory {
            // Lists grow by doubling.
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

/// Ways up to which a region takes in neighbors before its first solution: a fraction of all
/// states, and an absolute limit.
const FIRST: [usize; 2] = [64, 1_000_000];

/// Most growth of the ways between later solutions.
const GROWTH: usize = 2;

/// Tolerance of the first solutions on a region.
const ROUGHLY: f64 = 1e-3;

/// Tolerance on coarser grids, which only predict the location of a region.
const ABOUT: f64 = 1e-2;

/// A region larger than one in `SHARE` of all states is not faster than all states, if those fit
/// into memory.
const SHARE: usize = 25;

/// The same on coarser grids, where regions are wider.
const COARSER_SHARE: usize = 4;

/// A region on a coarser grid may be used if it would grow by less than one in `FEW`.
const FEW: usize = 20;

/// Solves the problem that a remap ends ([`AfterRemap::Stop`](crate::stopping::AfterRemap::Stop))
/// on a region around balance. The processes must be independent birth–death chains, at most 100 of
/// them equal. `settings.iterations` limits each of the few regions.
///
/// Returns `None` if no region was found within `effort`. After a halt the bounds of the last
/// region are extended to the full model. The same happens, with the status of a limit, if `effort`
/// does not suffice and all states are not feasible.
///
/// # Errors
/// Those of [`Problem::new`](crate::stopping::Problem::new).
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
        let solution = crate::stopping::solve_from(&problem, guess.take(), &limits, observer);
        work = work.saturating_sub(solution.iterations.saturating_mul(ways));
        let running = |loads: &[i64]| grid.running(loads);
        if solution.status.is_halted() {
            let share = share_outside(&mut region, &solution, &running);
            let solution = solution.with_lower(share);
            return Some(Solved { states, problem, solution });
        }
        let precise = tolerance == settings.tolerance;
        let lower = |s: usize| if precise { solution.bounds(s).lower } else { solution.value(s) };
        // `lower` is a lower bound, so the share is not too large.
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
                // The lists of the larger region take long to build.
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

/// The factor by which a lower bound of J must be scaled to hold outside the region too.
fn share_outside(
    region: &mut Box<dyn Region + '_>,
    solution: &Solution,
    running: &Running<'_>,
) -> f64 {
    let saved = solution.savings();
    region.beyond(&|s| saved[s], running).share
}

/// Savings of the states `more`; 0 for new ones.
fn carried(fewer: &[usize], saving: &[f64], more: &[usize]) -> Vec<f64> {
    let mut known = fewer.iter().zip(saving).peekable();
    let own =
        |state: &usize| known.next_if(|(before, _)| *before == state).map_or(0.0, |(_, d)| *d);
    more.iter().map(own).collect()
}

/// An empty region: processed mode by mode if processes are few and all different, otherwise by
/// lists of ways.
fn region<'a>(all: &'a States, most: usize) -> Option<Box<dyn Region + 'a>> {
    if let Some(tube) = TubeRegion::new(all, most) {
        return Some(Box::new(tube));
    }
    let predecessors = Predecessors::new(all)?;
    Some(Box::new(Listed::new(all, predecessors, most)))
}

/// A set of states of independent birth–death chains with its transitions.
pub(in crate::stopping) trait Region {
    /// Number of terms of one application of the operator.
    fn ways(&self) -> usize;

    /// Takes in states. If it looks `ahead` it adds neighbors while they are few, until a halt.
    /// `None` if the region gets too large.
    fn take_in(&mut self, found: Vec<usize>, ahead: bool, observer: &dyn Observer) -> Option<()>;

    /// The states and the operator on them.
    fn states(&mut self) -> (States, Box<dyn Operator>);

    /// The value of continuing outside the region, given the savings of its members.
    fn beyond(&mut self, saved: &dyn Fn(usize) -> f64, running: &Running<'_>) -> Beyond;
}

/// Running cost of a step at given loads.
pub(in crate::stopping) type Running<'r> = dyn Fn(&[i64]) -> f64 + Sync + 'r;

/// The value of continuing outside a region.
pub(in crate::stopping) struct Beyond {
    /// States for which continuing pays, or almost pays, in order.
    pub pay: Vec<usize>,
    /// The least ratio of running cost to the savings possible after a step; 1 if it is larger.
    pub share: f64,
}

impl Beyond {
    /// From the states outside, each with its ratio of running cost to possible savings, rounded by
    /// at most `rounding` units.
    pub fn of(outside: Vec<(usize, f64)>, rounding: f64) -> Self {
        let least = outside.iter().map(|(_, share)| *share).fold(1.0, f64::min);
        let share = least * (1.0 - (rounding + 8.0) * f64::EPSILON);
        let pays = |(_, share): &(usize, f64)| share * (1.0 - 2.0 * NEARLY) < 1.0;
        let pay = outside.into_iter().filter(pays).map(|(state, _)| state).collect();
        Self { pay, share }
    }
}

/// Ways up to which a region takes in neighbors.
pub(in crate::stopping) fn enough(ways: usize, all: &States) -> usize {
    (GROWTH * ways).max((all.count() / FIRST[0]).min(FIRST[1]))
}

impl Group {
    /// Reversing weights of the levels of one process.
    pub(in crate::stopping) fn reversing_weights(&self) -> Option<Vec<f64>> {
        match &self.chain {
            ProcessChain::BirthDeath(chain) => chain.reversing_weights(),
            ProcessChain::Dense(_) => None,
        }
    }
}
