//! What is proved of single states, by their loads.

use crate::core::budget::Refusal;
use crate::core::counts::Decision;
use crate::core::proof::Proof;
use crate::loads::Processes;
use crate::stopping::problem::{Stopping, Written};
use std::collections::HashMap;

/// The least and the largest number of remaining steps from which on one remaps; `None` where one
/// never does.
type From = [Option<u64>; 2];

/// A decision and bounds on the cost.
pub(crate) type State = (Decision, [u64; 2]);

/// A number of consecutive states and the bounds that they share.
pub(crate) type Bounds = (u64, [u64; 2]);

/// What is proved of each state, in units of 2^-bits.
pub(crate) enum States {
    /// Nothing is proved of single states.
    None,
    /// All states: their decisions, and runs of states that share bounds.
    All { bits: u32, decisions: Vec<Decision>, values: Vec<(u64, [u64; 2])>, from: Vec<From> },
    /// The visited states; in all others one remaps, at cost `rho`.
    Region { bits: u32, listed: HashMap<Vec<i64>, State>, rho: [u64; 2], equal: Vec<Equal> },
}

/// Equal processes, their lowest load, and their number of levels.
type Equal = (Vec<usize>, i64, usize);

/// The statement that is proved, and what is proved of each state.
pub(crate) type Shown = (Proof, States);

impl States {
    pub fn of_all(
        bits: u32,
        decisions: Vec<Decision>,
        runs: Vec<Bounds>,
        from: Vec<From>,
    ) -> States {
        let mut next = 0;
        let values = runs.into_iter().map(|(count, bounds)| {
            next += count;
            (next - count, bounds)
        });
        States::All { bits, decisions, values: values.collect(), from }
    }

    pub fn of_region(
        bits: u32,
        listed: HashMap<Vec<i64>, State>,
        rho: [u64; 2],
        model: &Written,
    ) -> Result<States, Refusal> {
        let equal = model.processes.equal(&model.capacities())?;
        let equal = equal.into_iter().map(|(members, (low, rows))| (members, low, rows.len()));
        Ok(States::Region { bits, listed, rho, equal: equal.collect() })
    }
}

impl Stopping {
    /// The index of the state with these loads. In a list it must be the entry `listed`.
    pub(crate) fn place_of(&self, loads: &[i64], listed: usize) -> Option<usize> {
        if let Processes::Joint { loads: all, .. } = &self.model.processes {
            return all.get(listed).filter(|own| *own == loads).map(|_| listed);
        }
        let space = self.space().ok().filter(|space| space.processes == loads.len())?;
        space.place_of(loads).ok()
    }
}

/// The same loads, ascending among equal processes, if they are within the levels.
pub(crate) fn ordered(equal: &[Equal], loads: &[i64]) -> Option<Vec<i64>> {
    let processes = equal.iter().map(|(members, ..)| members.len()).sum::<usize>();
    let mut all = Some(loads.to_vec()).filter(|loads| loads.len() == processes)?;
    for (members, lowest, levels) in equal {
        let mut own: Vec<i64> = members.iter().map(|i| loads[*i]).collect();
        own.sort_unstable();
        let level = |load: &i64| usize::try_from(load.checked_sub(*lowest)?).ok();
        if !own.iter().all(|load| level(load).is_some_and(|level| level < *levels)) {
            return None;
        }
        members.iter().zip(own).for_each(|(i, load)| all[*i] = load);
    }
    Some(all)
}
