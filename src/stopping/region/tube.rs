//! A region of joint states of processes that are all different, processed mode by mode
//! (tensor-product structure).
//!
//! An application takes O(terms x processes x states of the hull).

use super::active::{Beyond, Region, Running, enough};
use crate::Observer;
use crate::chain::{BirthDeath, Modes, Operator, Tube};
use crate::parallel;
use crate::stopping::state_space::states::{Group, Kind};
use crate::stopping::{ProcessChain, States};
use rayon::prelude::*;

/// Fewest processes: for one alone all ways are listed.
const FEWEST: usize = 2;

/// Terms of a mode.
pub(in crate::stopping) const TERMS: usize = 3;

/// The chains, if no two processes are equal and all move by at most one level.
fn chains(all: &States) -> Option<Vec<BirthDeath>> {
    let chain = |group: &Group| match (&group.chain, &group.members[..]) {
        (ProcessChain::BirthDeath(chain), [_]) if u16::try_from(chain.levels()).is_ok() => {
            Some(chain.clone())
        }
        _ => None,
    };
    let chains: Vec<BirthDeath> = all.groups()?.iter().map(chain).collect::<Option<_>>()?;
    (chains.len() >= FEWEST).then_some(chains)
}

/// Whether regions of these states are processed mode by mode.
pub(in crate::stopping) fn applies(all: &States) -> bool {
    chains(all).is_some()
}

/// A set of joint states of different processes.
pub(in crate::stopping) struct TubeRegion<'a> {
    all: &'a States,
    modes: Modes,
    /// Reversing weights of each process.
    weights: Option<Vec<Vec<f64>>>,
    /// In ascending order.
    members: Vec<usize>,
    most: usize,
    ways: usize,
}

impl<'a> TubeRegion<'a> {
    /// An empty region; `None` where the method does not apply.
    pub fn new(all: &'a States, most: usize) -> Option<Self> {
        let modes = Modes::new(chains(all)?);
        let weights = all.groups()?.iter().map(Group::reversing_weights).collect();
        Some(Self { all, modes, weights, members: Vec::new(), most, ways: 0 })
    }

    /// Number of terms of an application on this hull.
    fn terms(&self, hull: &[usize]) -> usize {
        TERMS * self.modes.count() * hull.len()
    }

    fn tube(&self) -> Tube {
        let weight = |state: &usize| {
            let mut rest = *state;
            let own = self.weights.as_ref()?.iter().rev().map(|own| {
                let level = rest % own.len();
                rest /= own.len();
                own[level]
            });
            Some(own.product::<f64>())
        };
        let weights = parallel::map_all(&self.members, &weight).into_iter().collect();
        Tube::new(&self.modes, &self.members, weights)
    }
}

impl Region for TubeRegion<'_> {
    fn ways(&self) -> usize {
        self.ways
    }

    fn take_in(&mut self, found: Vec<usize>, ahead: bool, observer: &dyn Observer) -> Option<()> {
        let enough = enough(self.ways, self.all);
        self.members.extend(found);
        self.members.par_sort_unstable();
        self.members.dedup();
        let mut hull = self.modes.hull(&self.members);
        loop {
            self.ways = self.terms(&hull);
            if self.ways > self.most || u32::try_from(hull.len()).is_err() {
                return None;
            }
            if !ahead || observer.check().is_break() {
                return Some(());
            }
            let wider = self.modes.hull(&hull);
            if self.terms(&wider) > enough || wider.len() == hull.len() {
                return Some(());
            }
            self.members = std::mem::replace(&mut hull, wider);
        }
    }

    fn states(&mut self) -> (States, Box<dyn Operator>) {
        let kind = Kind::Active { all: Box::new(self.all.clone()), members: self.members.clone() };
        (States(kind), Box::new(self.tube()))
    }

    fn beyond(&mut self, saved: &dyn Fn(usize) -> f64, running: &Running<'_>) -> Beyond {
        let saved: Vec<f64> = (0..self.members.len()).map(|place| saved(place).max(0.0)).collect();
        let tube = self.tube();
        let (hull, gains) = tube.around(&saved);
        let mut inside = self.members.iter().peekable();
        let mut outside = Vec::new();
        for (state, gain) in hull.iter().zip(gains) {
            if inside.next_if(|member| *member == state).is_none() && gain > 0.0 {
                outside.push((*state, gain));
            }
        }
        let share = |&(state, gain): &(usize, f64)| (state, running(&self.all.loads(state)) / gain);
        Beyond::of(parallel::map_all(&outside, &share), tube.rounding())
    }
}
