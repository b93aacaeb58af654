//! The states of several processes, and expectations over their moves.

use crate::core::budget::{Refusal, model_error};
use crate::core::span::{Span, WEIGHT, up, wide};
use crate::loads::chains::rows::Row;
use crate::loads::states::equal::orders;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::collections::BTreeSet;

/// The most states of a certificate: a check takes about sixty bytes for each.
const MOST: usize = 1 << 23;

/// The largest load: sums of up to 2^20 loads must be 64-bit integers.
const LARGE: u64 = 1 << 40;

/// All states, in the order of a certificate.
pub struct Space {
    pub(crate) groups: Vec<Group>,
    pub(crate) processes: usize,
}

/// Processes that move independently of all others.
pub(crate) struct Group {
    /// Equal processes, whose levels ascend; or all processes, if they move jointly.
    pub(crate) members: Vec<usize>,
    /// The load of each level, or the loads of all processes in each joint state.
    pub(crate) loads: Vec<i64>,
    /// The successors of each level or joint state, with weights rounded down.
    pub(crate) rows: Vec<Vec<(usize, u64)>>,
    /// Present if the members are exchangeable.
    pub(crate) lumped: Option<Box<dyn Together>>,
    /// The most units by which an expectation over their moves is too low.
    deficit: u64,
    /// The distinct sums of rows.
    pub(crate) sums: BTreeSet<BigRational>,
    /// Joint states in the order of their loads.
    pub(crate) order: Vec<usize>,
}

/// Functions of the multiset of the levels of equal processes.
pub(crate) trait Together: Send + Sync {
    /// The number of multisets.
    fn count(&self) -> usize;
    /// The index of the multiset of these ascending levels.
    fn place(&self, levels: &[usize]) -> usize;
    /// Replaces a function by its expectation after all processes have moved, rounded down. The
    /// function has `width` adjacent entries for each multiset.
    fn apply(&self, function: &mut [u64], width: usize);
}

impl Space {
    /// The space of these groups.
    pub(crate) fn of(groups: Vec<Group>) -> Result<Space, Refusal> {
        let processes = groups.iter().map(|group| group.members.len()).sum();
        let space = Space { groups, processes };
        match space.count() {
            _ if processes == 0 => model_error("there are no processes"),
            0..=MOST => Ok(space),
            _ => Err(Refusal::TooLarge),
        }
    }

    /// The number of states.
    pub fn count(&self) -> usize {
        self.groups.iter().map(Group::count).fold(1, usize::saturating_mul)
    }

    /// Calls a function with the index and the loads of each state, and collects the results.
    pub fn each<T>(
        &self,
        mut make: impl FnMut(usize, &[i64]) -> Result<T, Refusal>,
    ) -> Result<Vec<T>, Refusal> {
        let (mut all, mut loads) = (Vec::with_capacity(self.count()), vec![0; self.processes]);
        let start = |group: &Group| vec![0; group.items()];
        let mut places = Vec::from_iter(self.groups.iter().map(start));
        self.groups.iter().zip(&places).for_each(|(group, place)| group.write(place, &mut loads));
        loop {
            all.push(make(all.len(), &loads)?);
            let mut moving = self.groups.iter().zip(&mut places).rev();
            // The last group changes fastest.
            let moved = moving.any(|(group, place)| {
                let moved = group.advance(place);
                group.write(place, &mut loads);
                moved
            });
            if !moved {
                return Ok(all);
            }
        }
    }

    /// The approximate number of products that an expectation takes.
    pub fn work(&self) -> u64 {
        let each = self.groups.iter().map(|group| {
            let levels = group.rows.len() as u64;
            let moves = group.rows.iter().map(Vec::len).sum::<usize>() as u64 / levels;
            let items = group.items() as u64;
            (moves + 1) * items * (1 + items / levels)
        });
        each.sum::<u64>().saturating_mul(self.count() as u64)
    }

    /// The number of load vectors that a state stands for, if it is below 2^66.
    pub fn orders(&self, loads: &[i64]) -> Option<u128> {
        let mut lumped = self.groups.iter().filter(|group| group.lumped.is_some());
        let all = |all: u128, group: &Group| all.checked_mul(orders(&group.members, loads)?);
        lumped.try_fold(1, all).filter(|orders| *orders < 1 << 66)
    }

    /// Replaces functions by their expectations in the next state, rounded down. Each state has
    /// equally many adjacent values, below 2^61. Returns the largest error in units.
    pub fn expect(&self, values: &mut [u64]) -> u64 {
        // Rows may sum to a little more than 1, and then enlarge the error of earlier groups.
        let (mut right, mut deficit) = (values.len(), 1);
        for group in &self.groups {
            right /= group.count();
            deficit += group.deficit;
            values.chunks_mut(group.count() * right).for_each(|block| match &group.lumped {
                Some(lumped) => lumped.apply(block, right),
                None => group.apply(block, right),
            });
        }
        deficit
    }

    /// By how much an expectation must be lowered and raised so that it bounds those of all nearby
    /// chains. These have rows that sum to 1: the excess is removed, or the missing probability
    /// added. Functions lie between 0 and `most`.
    pub fn missed(&self, most: u64) -> Result<[u64; 2], Refusal> {
        // Rows above 1 may enlarge the function before other processes move: 26 processes, by 1e-9
        // each.
        let most = most + (most >> 20) + 1;
        let (one, none) = (BigRational::one(), BigRational::zero());
        let (mut above, mut short) = (none.clone(), none.clone());
        for group in &self.groups {
            above += group.sums.last().map_or(none.clone(), |sum| sum - &one).max(none.clone());
            short += group.sums.first().map_or(none.clone(), |sum| &one - sum).max(none.clone());
        }
        let units = |missed: BigRational| Ok(up(most, Span::from(&missed).units(WEIGHT)?[1]));
        Ok([units(above)?, units(short)?])
    }

    /// Whether all rows sum to 1.
    pub fn conserves(&self) -> bool {
        self.groups.iter().all(|group| group.sums.iter().all(One::is_one))
    }

    /// The index of the state that stands for given loads.
    pub fn place_of(&self, loads: &[i64]) -> Result<usize, Refusal> {
        let next = |place, group: &Group| Some(place * group.count() + group.find(loads)?);
        let place = self.groups.iter().try_fold(0, next);
        place.map_or_else(|| model_error("a load lies outside the levels"), Ok)
    }
}

impl Group {
    /// A group of processes with these loads at each level or joint state, not lumped.
    pub fn new(members: Vec<usize>, loads: Vec<i64>, exact: &[Row]) -> Result<Group, Refusal> {
        let (mut rows, mut most, mut sums) = (Vec::new(), 0, BTreeSet::new());
        for row in exact {
            sums.insert(row.iter().map(|(_, p)| p).sum());
            let (mut weights, mut rounded) = (Vec::new(), 0);
            for (to, p) in row {
                let [low, high] = Span::from(p).units(WEIGHT)?;
                weights.push((*to, low));
                rounded += high - low;
            }
            rows.push(weights);
            most = rounded.max(most);
        }
        // There are rows, and each has one load for every member.
        let width = loads.len() / rows.len();
        if members.len() > 1 << 20 || loads.iter().any(|load| load.unsigned_abs() > LARGE) {
            return Err(Refusal::TooLarge);
        }
        // One unit for each expectation, and one for each rounded weight.
        let deficit = (1 + most) * (members.len() / width) as u64;
        Ok(Group { members, loads, rows, lumped: None, deficit, sums, order: Vec::new() })
    }

    /// The number of entries of an index: one, or one for each member.
    fn items(&self) -> usize {
        if self.lumped.is_some() { self.members.len() } else { 1 }
    }

    /// Moves to the next multiset of levels or joint state. After the last one it returns to the
    /// first.
    fn advance(&self, place: &mut [usize]) -> bool {
        let together = place.iter().take_while(|item| **item == place[0]).count();
        place[together - 1] += 1;
        place[..together - 1].fill(0);
        let moved = place[together - 1] < self.rows.len();
        place[together - 1] %= self.rows.len();
        moved
    }

    fn write(&self, place: &[usize], loads: &mut [i64]) {
        let width = self.loads.len() / self.rows.len();
        let own = place.iter().flat_map(|item| &self.loads[item * width..][..width]);
        self.members.iter().zip(own).for_each(|(i, load)| loads[*i] = *load);
    }

    /// The number of states.
    pub(crate) fn count(&self) -> usize {
        self.lumped.as_ref().map_or(self.rows.len(), |lumped| lumped.count())
    }

    fn apply(&self, block: &mut [u64], width: usize) {
        let old = block.to_vec();
        for (row, out) in self.rows.iter().zip(block.chunks_mut(width)) {
            for (i, out) in out.iter_mut().enumerate() {
                let terms = row.iter().map(|(to, p)| wide(old[to * width + i], *p));
                *out = (terms.sum::<u128>() >> WEIGHT) as u64;
            }
        }
    }

    /// The index of the loads of the group's members.
    fn find(&self, loads: &[i64]) -> Option<usize> {
        let mut own: Vec<i64> = self.members.iter().map(|i| loads[*i]).collect();
        if !self.order.is_empty() {
            let at = |state: &usize| &self.loads[state * own.len()..][..own.len()];
            let found = self.order.binary_search_by(|state| at(state).cmp(&own[..]));
            return found.ok().map(|place| self.order[place]);
        }
        own.sort_unstable();
        let level = |load: &i64| {
            let level = usize::try_from(load.checked_sub(self.loads[0])?).ok();
            level.filter(|level| *level < self.rows.len())
        };
        let levels = own.iter().map(level).collect::<Option<Vec<_>>>()?;
        Some(self.lumped.as_ref().map_or(levels[0], |lumped| lumped.place(&levels)))
    }
}
