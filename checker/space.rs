//! The states of several processes, equal ones lumped, and how they move.

use crate::chain::{Row, by_one, orders};
use crate::loads::Processes;
use crate::multisets::Lumped;
use crate::number::{Span, WEIGHT, up, wide};
use crate::{Refusal, model_error};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::collections::BTreeSet;
use std::path::Path;

/// States a certificate may speak of: a check takes some sixty bytes for each.
const MOST: usize = 1 << 23;

/// What loads are at most: sums of up to 2^20 of them are to be 64-bit integers.
const LARGE: u64 = 1 << 40;

/// The states in the order of a certificate.
pub struct Space {
    pub(crate) groups: Vec<Group>,
    pub(crate) processes: usize,
    /// Whether joint states have the same loads, which then say not which of them it is.
    pub(crate) shared: bool,
}

/// Processes that move independently of the others.
pub(crate) struct Group {
    /// Equal ones, whose levels ascend; or all, if they move jointly.
    pub(crate) members: Vec<usize>,
    /// The load of each level, or the loads of all in each joint state.
    pub(crate) loads: Vec<i64>,
    /// Where each level or joint state leads, with what weight, rounded down.
    rows: Vec<Vec<(usize, u64)>>,
    lumped: Option<Lumped>,
    /// By how many units an expectation over their moves may be too low.
    deficit: u64,
    /// By how much a row exceeds 1 at most, and by how much one falls short of it.
    missed: [BigRational; 2],
    /// Joint states in the order of their loads.
    pub(crate) order: Vec<usize>,
}

impl Space {
    /// Of these processes; paths are relative to `folder`.
    pub fn new(
        processes: &Processes,
        capacities: &[BigRational],
        folder: &Path,
    ) -> Result<Space, Refusal> {
        let (mut groups, mut shared) = (Vec::new(), false);
        if let Processes::Joint { loads, transition } = processes {
            let members = Vec::from_iter(0..loads.first().map_or(0, Vec::len));
            let rows = transition.rows(loads.len(), folder)?;
            if loads.iter().any(|l| l.len() != members.len()) {
                return model_error("joint states differ in size");
            }
            let mut order = Vec::from_iter(0..loads.len());
            order.sort_by_key(|state| &loads[*state]);
            shared = order.windows(2).any(|two| loads[two[0]] == loads[two[1]]);
            groups.push(Group { order, ..Group::new(members, loads.concat(), &rows)? });
        }
        for (members, (lowest, rows)) in processes.equal(capacities)? {
            let loads = (0..rows.len() as i64).map(|level| lowest.saturating_add(level));
            groups.push(Group::new(members, loads.collect(), &rows)?);
        }
        let processes = groups.iter().map(|group| group.members.len()).sum();
        let space = Space { groups, processes, shared };
        match space.count() {
            _ if processes == 0 => model_error("there are no processes"),
            0..=MOST => Ok(space),
            _ => Err(Refusal::TooLarge),
        }
    }

    /// How many states there are.
    pub fn count(&self) -> usize {
        self.groups.iter().map(Group::count).fold(1, usize::saturating_mul)
    }

    /// What a function makes of the place and the loads of each state.
    pub fn each<T>(
        &self,
        mut make: impl FnMut(usize, &[i64]) -> Result<T, Refusal>,
    ) -> Result<Vec<T>, Refusal> {
        let (mut all, mut loads) = (Vec::with_capacity(self.count()), vec![0; self.processes]);
        let start = |group: &Group| vec![0; group.lumped.as_ref().map_or(1, |l| l.size)];
        let mut places = Vec::from_iter(self.groups.iter().map(start));
        self.groups.iter().zip(&places).for_each(|(group, place)| group.write(place, &mut loads));
        loop {
            all.push(make(all.len(), &loads)?);
            let mut moving = self.groups.iter().zip(&mut places).rev();
            // The last group moves fastest.
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

    /// What an expectation must be lowered and raised by, so that it bounds those of all chains with rows
    /// that sum to 1, and that lack at most what is more than 1 here, or have what is missing here besides:
    /// for functions from 0 up that are at most this.
    pub fn missed(&self, most: u64) -> Result<[u64; 2], Refusal> {
        // Rows above 1 may have enlarged it before other processes move: 26 of them, by 1e-9 each.
        let most = most + (most >> 20) + 1;
        let all = |side: usize| {
            let missed = self.groups.iter().map(|group| &group.missed[side]);
            Ok(up(most, Span::from(&missed.sum::<BigRational>()).units(WEIGHT)?[1]))
        };
        Ok([all(0)?, all(1)?])
    }

    /// Whether all rows sum to 1.
    pub fn conserves(&self) -> bool {
        self.groups.iter().all(|group| group.missed.iter().all(Zero::is_zero))
    }

    /// Products that an expectation takes, about.
    pub fn work(&self) -> u64 {
        let each = self.groups.iter().map(|group| {
            let levels = group.rows.len() as u64;
            let moves = group.rows.iter().map(Vec::len).sum::<usize>() as u64 / levels;
            let items = group.lumped.as_ref().map_or(1, |lumped| lumped.size as u64);
            (moves + 1) * items * (1 + items / levels)
        });
        each.sum::<u64>().saturating_mul(self.count() as u64)
    }

    /// The totals there are, ascending, and for each state which of them it has.
    pub fn totals(&self) -> Result<(Vec<i64>, Vec<usize>), Refusal> {
        let all = self.each(|_, loads| Ok(loads.iter().sum()))?;
        let totals: Vec<i64> = BTreeSet::from_iter(all.iter().copied()).into_iter().collect();
        let own = all.iter().map(|total| totals.partition_point(|other| other < total)).collect();
        Ok((totals, own))
    }

    /// How many load vectors a state stands for, if they are fewer than 2^66.
    pub fn orders(&self, loads: &[i64]) -> Option<u128> {
        let mut lumped = self.groups.iter().filter(|group| group.lumped.is_some());
        let all = |all: u128, group: &Group| all.checked_mul(orders(&group.members, loads)?);
        lumped.try_fold(1, all).filter(|orders| *orders < 1 << 66)
    }

    /// The state that stands for given loads.
    pub fn find(&self, loads: &[i64]) -> Result<usize, Refusal> {
        let next = |place, group: &Group| Some(place * group.count() + group.find(loads)?);
        let place = self.groups.iter().try_fold(0, next);
        place.map_or_else(|| model_error("a load lies outside the levels"), Ok)
    }

    /// Replaces functions by their expectations in the next state, rounded down. For each state there are
    /// equally many values, below 2^61, next to each other. Returns how many units too low they may be.
    pub fn expect(&self, values: &mut [u64]) -> u64 {
        // Rows may sum to a little more than 1, and enlarge what the first motions took away.
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
}

impl Group {
    fn new(members: Vec<usize>, loads: Vec<i64>, exact: &[Row]) -> Result<Group, Refusal> {
        let (mut rows, mut most) = (Vec::new(), 0);
        let (one, mut missed) = (BigRational::one(), [BigRational::zero(), BigRational::zero()]);
        for row in exact {
            let sum: BigRational = row.iter().map(|(_, p)| p).sum();
            let own = [&sum - &one, &one - &sum];
            missed
                .iter_mut()
                .zip(own)
                .filter(|(all, own)| *own > **all)
                .for_each(|(all, own)| *all = own);
            let (mut weights, mut rounded) = (Vec::new(), 0);
            for (to, p) in row {
                let [low, high] = Span::from(p).units(WEIGHT)?;
                weights.push((*to, low));
                rounded += high - low;
            }
            rows.push(weights);
            most = rounded.max(most);
        }
        let width = loads.len().checked_div(rows.len()).unwrap_or(0);
        if width == 0 || loads.len() != width * rows.len() {
            return model_error("loads and transitions differ in size");
        }
        if members.len() > 1 << 20 || loads.iter().any(|load| load.unsigned_abs() > LARGE) {
            return Err(Refusal::TooLarge);
        }
        // A unit for each expectation, and one for each weight that has been rounded.
        let deficit = (1 + most) * (members.len() / width) as u64;
        let lumps = width == 1 && by_one(exact);
        let lumped = if lumps { Some(Lumped::new(&rows, members.len())?) } else { None };
        Ok(Group { members, loads, rows, lumped, deficit, missed, order: Vec::new() })
    }

    /// Goes to the next multiset of levels, or joint state; back to the first one after the last.
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

    /// Where the loads of its members stand.
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

    /// How many states there are.
    fn count(&self) -> usize {
        self.lumped.as_ref().map_or(self.rows.len(), Lumped::count)
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
}
