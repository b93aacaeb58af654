//! The states of several processes, equal ones lumped, and how they move.

use crate::Refusal;
use crate::model::{Processes, Row};
use crate::multisets::Lumped;
use crate::number::{Span, WEIGHT, wide};
use num_rational::BigRational;
use num_traits::{One, Signed};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// States a certificate may speak of.
const MOST: usize = 1 << 26;

/// Where a state leads, with what weight, rounded down.
type Weights = Vec<(usize, u64)>;

/// The states in the order of a certificate.
pub struct Space {
    groups: Vec<Group>,
    pub processes: usize,
    loads: Vec<i64>,
}

/// Processes that move independently of the others.
struct Group {
    members: Vec<usize>,
    motion: Motion,
    /// By how many units an expectation may be too low.
    deficit: u64,
}

enum Motion {
    /// Equal ones, by at most one level; their loads ascend.
    Lumped(Lumped),
    /// In any way.
    Rows(Vec<Weights>),
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
                let (rows, deficit) = weights(&transition.rows(folder)?)?;
                let processes = loads.first().map_or(0, Vec::len);
                let alike = loads.iter().all(|loads| loads.len() == processes);
                if rows.len() != loads.len() || processes == 0 || !alike {
                    return Refusal::model("loads and transition matrix differ in size");
                }
                let (members, motion) = ((0..processes).collect(), Motion::Rows(rows));
                let groups = vec![Group { members, motion, deficit }];
                return Ok(Space { groups, processes, loads: loads.concat() });
            }
            Processes::Identical { count, chain } => vec![chain.rows(); (*count).min(1000)],
            Processes::Distinct(chains) => chains.iter().map(|chain| chain.rows()).collect(),
        };
        let processes = chains.len();
        let mut space = Space { groups: Vec::new(), processes, loads: vec![0; processes] };
        for (i, chain) in chains.iter().enumerate() {
            let equal = |j: &usize| chains[*j] == *chain && capacities.get(*j) == capacities.get(i);
            let lumps = by_one(&chain.1);
            let members: Vec<usize> =
                (0..processes).filter(|j| *j == i || lumps && equal(j)).collect();
            if members[0] == i {
                space.add(members, chain)?;
            }
        }
        if processes > 0 { Ok(space) } else { Refusal::model("there are no processes") }
    }

    /// Adds processes with this lowest load and these rows.
    fn add(
        &mut self,
        members: Vec<usize>,
        (lowest, rows): &(i64, Vec<Row>),
    ) -> Result<(), Refusal> {
        let ((weights, deficit), size) = (weights(rows)?, members.len());
        let (motion, levels) = if by_one(rows) {
            let lumped = Lumped::new(&weights, size)?;
            let levels = lumped.all().flatten().collect();
            (Motion::Lumped(lumped), levels)
        } else {
            (Motion::Rows(weights), Vec::from_iter(0..rows.len()))
        };
        if self.loads.len().saturating_mul(levels.len()) > MOST * self.processes * size {
            return Err(Refusal::TooLarge);
        }
        let mut loads = Vec::with_capacity(self.loads.len() * levels.len() / size);
        for others in self.loads.chunks(self.processes) {
            for levels in levels.chunks(size) {
                let start = loads.len();
                loads.extend(others);
                for (i, level) in members.iter().zip(levels) {
                    loads[start + i] = lowest.saturating_add(*level as i64);
                }
            }
        }
        self.loads = loads;
        self.groups.push(Group { members, motion, deficit: deficit * size as u64 });
        Ok(())
    }

    /// The loads of each state.
    pub fn states(&self) -> std::slice::ChunksExact<'_, i64> {
        self.loads.chunks_exact(self.processes)
    }

    /// The totals there are, ascending, and for each state which of them it has.
    pub fn totals(&self) -> (Vec<i64>, Vec<usize>) {
        let all: Vec<i64> = self.states().map(|loads| loads.iter().sum()).collect();
        let totals = BTreeSet::from_iter(&all).into_iter().copied().collect::<Vec<_>>();
        let own = all.iter().map(|total| totals.partition_point(|other| other < total)).collect();
        (totals, own)
    }

    /// How many load vectors a state stands for.
    pub fn orders(&self, loads: &[i64]) -> Result<u128, Refusal> {
        let mut orders = 1u128;
        for members in self.lumped() {
            let mut equal = 0;
            for (at, &i) in members.iter().enumerate() {
                equal = if at > 0 && loads[members[at - 1]] == loads[i] { equal + 1 } else { 1 };
                orders = orders.checked_mul(at as u128 + 1).ok_or(Refusal::TooLarge)? / equal;
            }
        }
        if orders < 1 << 66 { Ok(orders) } else { Err(Refusal::TooLarge) }
    }

    /// Those whose loads ascend.
    fn lumped(&self) -> impl Iterator<Item = &Vec<usize>> {
        let lumped = |group: &&Group| matches!(group.motion, Motion::Lumped(_));
        self.groups.iter().filter(lumped).map(|group| &group.members)
    }

    /// Finds the state that stands for given loads.
    pub fn finder(&self) -> impl Fn(Vec<i64>) -> Result<usize, Refusal> {
        let states: HashMap<&[i64], usize> = self.states().zip(0..).collect();
        move |mut loads| {
            for members in self.lumped() {
                let mut own: Vec<i64> = members.iter().map(|i| loads[*i]).collect();
                own.sort_unstable();
                members.iter().zip(own).for_each(|(i, load)| loads[*i] = load);
            }
            let place = states.get(loads.as_slice()).copied();
            place.map_or_else(|| Refusal::model("a load lies outside the levels"), Ok)
        }
    }

    /// Replaces functions by their expectations in the next state, rounded down. For each state there are
    /// equally many values, below 2^61, next to each other. Returns how many units too low they may be.
    pub fn expect(&self, values: &mut [u64]) -> u64 {
        // Rows may sum to a little more than 1, and enlarge what the first motions took away.
        let (mut right, mut deficit) = (values.len(), 1);
        for Group { motion, deficit: own, .. } in &self.groups {
            let count = match motion {
                Motion::Lumped(lumped) => lumped.count(),
                Motion::Rows(rows) => rows.len(),
            };
            right /= count;
            deficit += own;
            values.chunks_mut(count * right).for_each(|block| match motion {
                Motion::Lumped(lumped) => lumped.apply(block, right),
                Motion::Rows(rows) => apply(rows, block, right),
            });
        }
        deficit
    }
}

fn apply(rows: &[Weights], block: &mut [u64], width: usize) {
    let old = block.to_vec();
    for (row, out) in rows.iter().zip(block.chunks_mut(width)) {
        for (i, out) in out.iter_mut().enumerate() {
            let terms = row.iter().map(|(to, p)| wide(old[to * width + i], *p));
            *out = (terms.sum::<u128>() >> WEIGHT) as u64;
        }
    }
}

/// Whether one moves by at most one level.
fn by_one(rows: &[Row]) -> bool {
    let near = |(from, row): (usize, &Row)| row.iter().all(|(to, _)| to.abs_diff(from) <= 1);
    rows.iter().enumerate().all(near)
}

/// Rows as they are: one may miss 1 by what model files are allowed to. And how many units too low an
/// expectation may be: one, and one for each weight that has been rounded.
fn weights(rows: &[Row]) -> Result<(Vec<Weights>, u64), Refusal> {
    let slack = BigRational::new(1.into(), 1_000_000_000.into());
    let (mut weights, mut most) = (Vec::new(), 0);
    for row in rows {
        let sum: BigRational = row.iter().map(|(_, p)| p).sum();
        let within = row.iter().all(|(to, p)| *to < rows.len() && !p.is_negative());
        if !within || (sum - BigRational::one()).abs() > slack {
            return Refusal::model(
                "a row is no distribution over as many levels as there are rows",
            );
        }
        let (mut own, mut rounded) = (Vec::new(), 0);
        for (to, p) in row {
            let [low, high] = Span::from(p).units(WEIGHT)?;
            own.push((*to, low));
            rounded += high - low;
        }
        weights.push(own);
        most = rounded.max(most);
    }
    Ok((weights, 1 + most))
}
