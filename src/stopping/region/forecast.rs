//! Predicts the location of a region and its savings from the same problem on every other level.
//!
//! Nothing is proved here; `active.rs` checks the region. O(states of the region x processes).

use crate::imbalance::Imbalance;
use crate::parallel;
use crate::stopping::evaluation::coarser::{STEPS, coarsen, is_long};
use crate::stopping::{AfterRemap, Problem, Process, ProcessChain, Solved, States};
use std::borrow::Cow;

/// Fewest states of a coarser grid: a smaller one does not show how large a fraction a region is.
const FEWEST: usize = 5000;

/// Savings below this multiple of the running cost are ignored: interpolation extends too far.
const MATTERS: f64 = 3.0;

/// Joint states of different processes, with their running cost.
pub(in crate::stopping) struct Grid<'a> {
    pub states: Cow<'a, States>,
    imbalance: &'a Imbalance,
    /// The load at each level of each process; empty if all levels are present.
    loads: Vec<Vec<i64>>,
    /// The cost of a step relative to one on the finest grid.
    steps: f64,
}

impl<'a> Grid<'a> {
    pub fn finest(states: &'a States, imbalance: &'a Imbalance) -> Self {
        Self { states: Cow::Borrowed(states), imbalance, loads: Vec::new(), steps: 1.0 }
    }

    pub fn is_finest(&self) -> bool {
        self.loads.is_empty()
    }

    /// The running cost at loads as `states` represent them.
    pub fn running(&self, loads: &[i64]) -> f64 {
        if self.loads.is_empty() {
            return self.imbalance.cost(loads);
        }
        let own = loads.iter().zip(&self.loads).map(|(level, loads)| loads[*level as usize]);
        self.steps * self.imbalance.cost(&own.collect::<Vec<_>>())
    }

    /// The balanced states, in order.
    pub fn balanced(&self) -> Vec<usize> {
        let all = &*self.states;
        let load = |process: usize, level: i64| match self.loads.get(process) {
            Some(loads) => loads[level as usize],
            None => level,
        };
        // For each level of the first process, the proportional loads of the others.
        let (lowest, levels) = (all.vector(0)[0], all.shape()[0] as i64);
        let with = |level| {
            let mut loads = self.imbalance.balanced_with(0, load(0, level))?;
            for (own, load) in self.loads.iter().zip(&mut loads) {
                *load = own.binary_search(load).ok()? as i64;
            }
            all.find(&loads)
        };
        let mut found: Vec<usize> = (lowest..lowest + levels).filter_map(with).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The problem on a subset of the states.
    pub fn problem(
        &self,
        states: &States,
        operator: Box<dyn crate::chain::Operator>,
        rho: f64,
    ) -> Problem {
        let running = states.tabulate(|loads| self.running(loads));
        Problem::posed(states, operator, running, rho, AfterRemap::Stop)
    }

    /// The grid on every other level; `None` if it is too small or has no balanced state.
    pub fn coarser(&self) -> Option<Grid<'a>> {
        let lowest = self.states.vector(0);
        let (mut processes, mut loads) = (Vec::new(), Vec::new());
        for (process, group) in self.states.groups()?.iter().enumerate() {
            let ProcessChain::BirthDeath(chain) = &group.chain else { return None };
            if !is_long(chain.levels()) || group.members != [process] {
                return None;
            }
            let last = chain.levels() - 1;
            let coarse = coarsen(chain)?;
            let load = |level: usize| match self.loads.get(process) {
                Some(loads) => loads[level],
                None => lowest[process] + level as i64,
            };
            loads.push((0..coarse.levels()).map(|level| load((2 * level).min(last))).collect());
            processes.push(Process { lowest: 0, chain: ProcessChain::BirthDeath(coarse) });
        }
        let (states, _) = States::independent(&processes, |_, _| false).ok()?;
        let grid = Grid {
            states: Cow::Owned(states),
            imbalance: self.imbalance,
            loads,
            steps: STEPS * self.steps,
        };
        (grid.states.count() >= FEWEST && !grid.balanced().is_empty()).then_some(grid)
    }

    /// The balanced states and those close to states that continue in the coarser solution, with
    /// savings by linear interpolation.
    pub fn interpolate(&self, coarser: &Grid<'_>, solved: &Solved) -> (Vec<usize>, Vec<f64>) {
        let Solved { states, problem, solution } = solved;
        let places: Vec<usize> = solution.going_on(problem).collect();
        let members = states.members();
        let mut at: Vec<(usize, f64)> =
            places.iter().map(|place| (members[*place], solution.savings()[*place])).collect();
        let (fine, coarse) = (self.states.shape(), coarser.states.shape());
        for mode in 0..fine.len() {
            let after: usize = coarse[mode + 1..].iter().product();
            let to = |state: usize, step: isize| {
                let (before, rest) =
                    (state / (coarse[mode] * after), state % (coarse[mode] * after));
                let level = (2 * (rest / after)).checked_add_signed(step)?;
                (level < fine[mode]).then(|| (before * fine[mode] + level) * after + rest % after)
            };
            at = merged([(-1, 0.5), (0, 1.0), (1, 0.5)].map(|(step, share)| {
                at.iter().filter_map(move |(s, d)| Some((to(*s, step)?, share * d))).peekable()
            }));
        }
        let matters = |(state, saving): &(usize, f64)| {
            *saving > MATTERS * self.running(&self.states.loads(*state))
        };
        let kept = parallel::map_all(&at, &matters);
        let kept = at.into_iter().zip(kept).filter_map(|(entry, kept)| kept.then_some(entry));
        let mut at: Vec<(usize, f64)> = kept.collect();
        // Balanced states are always members: all savings originate from them.
        let known = |state: &usize| at.binary_search_by_key(state, |(s, _)| *s).is_ok();
        let missing: Vec<usize> = self.balanced().into_iter().filter(|s| !known(s)).collect();
        at.extend(missing.into_iter().map(|state| (state, problem.remap_cost())));
        at.sort_unstable_by_key(|(state, _)| *state);
        at.into_iter().unzip()
    }
}

/// The sum of functions that are listed by state in ascending order.
fn merged<I: Iterator<Item = (usize, f64)>>(
    mut lists: [std::iter::Peekable<I>; 3],
) -> Vec<(usize, f64)> {
    let mut all = Vec::new();
    while let Some(state) = lists.iter_mut().filter_map(|list| Some(list.peek()?.0)).min() {
        let own = lists.iter_mut().filter_map(|list| list.next_if(|next| next.0 == state));
        all.push((state, own.map(|(_, d)| d).sum()));
    }
    all
}
