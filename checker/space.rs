//! The states of several processes, equal ones lumped, and how they move.

use crate::model::{Processes, Row};
use crate::multisets::Lumped;
use crate::number::{Span, WEIGHT, wide};
use crate::{Refusal, model_error};
use num_rational::BigRational;
use num_traits::{One, Signed};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// States a certificate may speak of.
const MOST: usize = 1 << 26;

/// What loads must stay below.
const LARGE: u64 = 1 << 40;

/// The states in the order of a certificate.
pub struct Space {
    groups: Vec<Group>,
    pub processes: usize,
    loads: Vec<i64>,
}

/// Processes that move independently of the others.
struct Group {
    /// Equal ones, whose loads ascend; none if all processes move jointly.
    members: Vec<usize>,
    /// Where each level or joint state leads, with what weight, rounded down.
    rows: Vec<Vec<(usize, u64)>>,
    lumped: Option<Lumped>,
    /// By how many units an expectation over their moves may be too low.
    deficit: u64,
}

impl Space {
    /// Processes with equal chains and equal capacities are exchangeable.
    pub fn new(
        processes: &Processes,
        capacities: &[BigRational],
        folder: &Path,
    ) -> Result<Space, Refusal> {
        let chains = match processes {
            Processes::Joint { loads, transition } => {
                let group = Group::new(Vec::new(), &transition.rows(folder)?)?;
                let processes = loads.first().map_or(0, Vec::len);
                let alike = loads.iter().all(|loads| loads.len() == processes);
                let large = loads.iter().flatten().any(|load| load.unsigned_abs() >= LARGE);
                if group.rows.len() != loads.len() || processes == 0 || !alike || large {
                    return model_error(
                        "loads are too large or differ in size from the transitions",
                    );
                }
                return Ok(Space { groups: vec![group], processes, loads: loads.concat() });
            }
            Processes::Identical { count, chain } => vec![chain.rows(); (*count).min(1000)],
            Processes::Distinct(chains) => chains.iter().map(|chain| chain.rows()).collect(),
        };
        let processes = chains.len();
        let mut space = Space { groups: Vec::new(), processes, loads: vec![0; processes] };
        for (i, chain) in chains.iter().enumerate() {
            let equal = |j: &usize| chains[*j] == *chain && capacities.get(*j) == capacities.get(i);
            let lumps = by_one(&chain.1);
            let members = Vec::from_iter((0..processes).filter(|j| *j == i || lumps && equal(j)));
            if members[0] == i {
                space.add(Group::new(members, &chain.1)?, chain.0)?;
            }
        }
        if processes > 0 { Ok(space) } else { model_error("there are no processes") }
    }

    fn add(&mut self, group: Group, lowest: i64) -> Result<(), Refusal> {
        let others = self.loads.chunks(self.processes);
        let states = others.len().saturating_mul(group.count());
        if states > MOST || lowest.unsigned_abs() >= LARGE / 2 {
            return Err(Refusal::TooLarge);
        }
        let mut loads = Vec::with_capacity(states * self.processes);
        for others in others {
            let mut add = |levels: &[usize]| {
                let start = loads.len();
                loads.extend(others);
                for (i, level) in group.members.iter().zip(levels) {
                    loads[start + i] = lowest + *level as i64;
                }
            };
            match &group.lumped {
                Some(lumped) => lumped.all().for_each(|levels| add(&levels)),
                None => (0..group.rows.len()).for_each(|level| add(&[level])),
            }
        }
        self.loads = loads;
        self.groups.push(group);
        Ok(())
    }

    /// The loads of each state.
    pub fn states(&self) -> std::slice::ChunksExact<'_, i64> {
        self.loads.chunks_exact(self.processes)
    }

    /// The totals there are, ascending, and for each state which of them it has.
    pub fn totals(&self) -> (Vec<i64>, Vec<usize>) {
        let all: Vec<i64> = self.states().map(|loads| loads.iter().sum()).collect();
        let totals = Vec::from_iter(BTreeSet::from_iter(all.iter().copied()));
        let own = all.iter().map(|total| totals.partition_point(|other| other < total)).collect();
        (totals, own)
    }

    /// How many load vectors a state stands for.
    pub fn orders(&self, loads: &[i64]) -> Result<u128, Refusal> {
        let mut orders = 1u128;
        for Group { members, .. } in &self.groups {
            let mut equal = 0;
            for (at, &i) in members.iter().enumerate() {
                equal = if at > 0 && loads[members[at - 1]] == loads[i] { equal + 1 } else { 1 };
                orders = orders.checked_mul(at as u128 + 1).ok_or(Refusal::TooLarge)? / equal;
            }
        }
        if orders < 1 << 66 { Ok(orders) } else { Err(Refusal::TooLarge) }
    }

    /// Finds the state that stands for given loads.
    pub fn finder(&self) -> impl Fn(Vec<i64>) -> Result<usize, Refusal> {
        let states: HashMap<&[i64], usize> = self.states().zip(0..).collect();
        move |mut loads| {
            for Group { members, .. } in &self.groups {
                let mut own: Vec<i64> = members.iter().map(|i| loads[*i]).collect();
                own.sort_unstable();
                members.iter().zip(own).for_each(|(i, load)| loads[*i] = load);
            }
            let place = states.get(&loads[..]).copied();
            place.map_or_else(|| model_error("a load lies outside the levels"), Ok)
        }
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
    /// Rows are used as they are: one may miss 1 by what model files are allowed to.
    fn new(members: Vec<usize>, exact: &[Row]) -> Result<Group, Refusal> {
        let slack = BigRational::new(1.into(), 1_000_000_000.into());
        let (mut rows, mut most) = (Vec::new(), 0);
        for row in exact {
            let sum: BigRational = row.iter().map(|(_, p)| p).sum();
            let within = row.iter().all(|(to, p)| *to < exact.len() && !p.is_negative());
            if !within || (sum - BigRational::one()).abs() > slack {
                return model_error(
                    "a row is no distribution over as many levels as there are rows",
                );
            }
            let (mut weights, mut rounded) = (Vec::new(), 0);
            for (to, p) in row {
                let [low, high] = Span::from(p).units(WEIGHT)?;
                weights.push((*to, low));
                rounded += high - low;
            }
            rows.push(weights);
            most = rounded.max(most);
        }
        // A unit for each expectation, and one for each weight that has been rounded.
        let deficit = (1 + most) * members.len().max(1) as u64;
        let lumps = !members.is_empty() && by_one(exact);
        let lumped = if lumps { Some(Lumped::new(&rows, members.len())?) } else { None };
        Ok(Group { members, rows, lumped, deficit })
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

/// Whether one moves by at most one level.
fn by_one(rows: &[Row]) -> bool {
    let near = |(from, row): (usize, &Row)| row.iter().all(|(to, _)| to.abs_diff(from) <= 1);
    rows.iter().enumerate().all(near)
}
