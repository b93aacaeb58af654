//! The states of several processes, equal ones lumped, and how they move.

use crate::Refusal;
use crate::model::{Processes, Row};
use crate::multisets::Lumped;
use crate::number::{WEIGHT, floor, wide};
use num_rational::BigRational;
use num_traits::{One, Signed};
use std::collections::HashMap;
use std::path::Path;

/// States a certificate may speak of.
const MOST: usize = 1 << 26;

/// The states in the order of a certificate.
pub struct Space {
    motions: Vec<Motion>,
    /// Whose motions they are; the loads of lumped processes ascend.
    members: Vec<Vec<usize>>,
    pub processes: usize,
    loads: Vec<i64>,
}

/// How some processes move, independently of the others.
enum Motion {
    /// Equal ones, by at most one level.
    Lumped(Lumped),
    /// In any way: for each state where to, with what probability rounded down.
    Rows(Vec<Vec<(usize, u64)>>),
}

impl Space {
    /// Processes with equal chains and equal capacities are exchangeable.
    pub fn new(
        processes: &Processes,
        capacities: Option<&[BigRational]>,
        folder: &Path,
    ) -> Result<Space, Refusal> {
        let chains = match processes {
            Processes::Joint { loads, transition } => {
                let rows = weights(&transition.rows(folder)?)?;
                let processes = loads.first().map_or(0, Vec::len);
                let alike = loads.iter().all(|loads| loads.len() == processes);
                if rows.len() != loads.len() || processes == 0 || !alike {
                    return Refusal::model("loads and transition matrix differ in size");
                }
                let (motions, members) = (vec![Motion::Rows(rows)], Vec::new());
                return Ok(Space { motions, members, processes, loads: loads.concat() });
            }
            Processes::Identical { count, chain } => vec![chain.rows(); (*count).min(1000)],
            Processes::Distinct(chains) => chains.iter().map(|chain| chain.rows()).collect(),
        };
        let mut members: Vec<Vec<usize>> = Vec::new();
        let capacity = |i: usize| capacities.and_then(|list| list.get(i));
        for (i, chain) in chains.iter().enumerate() {
            let near =
                |(from, row): (usize, &Row)| row.iter().all(|(to, _)| to.abs_diff(from) <= 1);
            let lumps = chain.1.iter().enumerate().all(near);
            let equal = |j: usize| chains[j] == *chain && capacity(j) == capacity(i);
            match members.iter_mut().find(|group| lumps && equal(group[0])) {
                Some(group) => group.push(i),
                None => members.push(vec![i]),
            }
        }
        let processes = chains.len();
        let (mut motions, mut loads) = (Vec::new(), vec![0; processes]);
        for group in &members {
            let ((lowest, rows), mut levels) = (&chains[group[0]], Vec::new());
            let single = weights(rows)?;
            if group.len() == 1 {
                levels.extend(0..rows.len());
                motions.push(Motion::Rows(single));
            } else {
                let lumped = Lumped::new(rows, group.len())?;
                lumped.for_each(|items| levels.extend_from_slice(items));
                motions.push(Motion::Lumped(lumped));
            }
            if levels.len().saturating_mul(loads.len()) > MOST * group.len() * processes {
                return Err(Refusal::TooLarge);
            }
            let mut longer = Vec::new();
            for vector in loads.chunks(processes) {
                for levels in levels.chunks(group.len()) {
                    let mut vector = vector.to_vec();
                    let place = |(i, level): (&usize, &usize)| vector[*i] = lowest + *level as i64;
                    group.iter().zip(levels).for_each(place);
                    longer.extend(vector);
                }
            }
            loads = longer;
        }
        let space = Space { motions, members, processes, loads };
        if processes > 0 { Ok(space) } else { Refusal::model("there are no processes") }
    }

    /// The loads of each state.
    pub fn states(&self) -> std::slice::ChunksExact<'_, i64> {
        self.loads.chunks_exact(self.processes)
    }

    /// How many load vectors a state stands for.
    pub fn orders(&self, loads: &[i64]) -> Result<u128, Refusal> {
        let mut orders = 1u128;
        for group in &self.members {
            let mut equal = 0;
            for (at, &i) in group.iter().enumerate() {
                equal = if at > 0 && loads[group[at - 1]] == loads[i] { equal + 1 } else { 1 };
                orders = orders.checked_mul(at as u128 + 1).ok_or(Refusal::TooLarge)? / equal;
            }
        }
        if orders < 1 << 66 { Ok(orders) } else { Err(Refusal::TooLarge) }
    }

    /// Finds the state that stands for given loads.
    pub fn finder(&self) -> impl Fn(Vec<i64>) -> Result<usize, Refusal> {
        let states: HashMap<&[i64], usize> = self.states().zip(0..).collect();
        move |mut loads| {
            for group in &self.members {
                let mut own: Vec<i64> = group.iter().map(|i| loads[*i]).collect();
                own.sort_unstable();
                group.iter().zip(own).for_each(|(i, load)| loads[*i] = load);
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
        for motion in &self.motions {
            match motion {
                Motion::Lumped(lumped) => {
                    right /= lumped.count();
                    deficit += lumped.deficit;
                    let blocks = values.chunks_mut(lumped.count() * right);
                    blocks.for_each(|block| lumped.apply(block, right));
                }
                Motion::Rows(rows) => {
                    right /= rows.len();
                    deficit += 1 + rows.iter().map(Vec::len).max().unwrap_or(0) as u64;
                    values
                        .chunks_mut(rows.len() * right)
                        .for_each(|block| apply(rows, block, right));
                }
            }
        }
        deficit
    }
}

fn apply(rows: &[Vec<(usize, u64)>], block: &mut [u64], right: usize) {
    let old = block.to_vec();
    for (row, out) in rows.iter().zip(block.chunks_mut(right)) {
        for (i, out) in out.iter_mut().enumerate() {
            let terms = row.iter().map(|(to, p)| wide(old[to * right + i], *p));
            *out = (terms.sum::<u128>() >> WEIGHT) as u64;
        }
    }
}

/// Rows are used as they are: one may miss 1 by what model files are allowed to.
fn weights(rows: &[Row]) -> Result<Vec<Vec<(usize, u64)>>, Refusal> {
    let slack = BigRational::new(1.into(), 1_000_000_000.into());
    let row = |row: &Row| {
        let sum: BigRational = row.iter().map(|(_, p)| p).sum();
        let within = row.iter().all(|(to, p)| *to < rows.len() && !p.is_negative());
        if !within || (sum - BigRational::one()).abs() > slack {
            return Refusal::model(
                "a row is no distribution over as many levels as there are rows",
            );
        }
        row.iter().map(|(to, p)| Ok((*to, floor(p, WEIGHT)? as u64))).collect()
    };
    rows.iter().map(row).collect()
}
