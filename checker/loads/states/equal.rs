//! Groups of processes that move independently and alike.

use crate::core::budget::Refusal;
use crate::loads::chains::rows::{Row, by_one};
use crate::loads::{Chain, Processes};
use num_rational::BigRational;

/// The most processes (each is a nested call), and the most levels of all processes together.
const MOST: [usize; 2] = [1000, 1 << 20];

/// The members of a group, the load of its lowest level, and the row of each level. Members have
/// equal chains and capacities; a group of several moves by at most one level a step.
pub type Equal = (Vec<usize>, (i64, Vec<Row>));

impl Processes {
    /// The groups of processes that move independently.
    pub fn equal(&self, capacities: &[BigRational]) -> Result<Vec<Equal>, Refusal> {
        let each: Vec<&Chain> = match self {
            Processes::Identical { count, chain } => vec![chain; *count.min(&(MOST[0] + 1))],
            Processes::Distinct(chains) => chains.iter().collect(),
            Processes::Joint { .. } | Processes::Unbounded(_) => Vec::new(),
        };
        let levels = each.iter().fold(0, |all, chain| chain.levels().saturating_add(all));
        if each.len() > MOST[0] || levels > MOST[1] {
            return Err(Refusal::TooLarge);
        }
        let mut groups: Vec<Equal> = Vec::new();
        for (i, chain) in each.into_iter().enumerate() {
            let chain = chain.rows()?;
            let lumps = by_one(&chain.1);
            let equal = |(members, other): &&mut Equal| {
                lumps && *other == chain && capacities.get(members[0]) == capacities.get(i)
            };
            match groups.iter_mut().find(equal) {
                Some((members, _)) => members.push(i),
                None => groups.push((vec![i], chain)),
            }
        }
        Ok(groups)
    }
}

/// The number of distinct orders of ascending loads among equal processes.
pub fn orders(members: &[usize], loads: &[i64]) -> Option<u128> {
    let (mut orders, mut equal) = (1u128, 0);
    for (at, &i) in members.iter().enumerate() {
        equal = if at > 0 && loads[members[at - 1]] == loads[i] { equal + 1 } else { 1 };
        orders = orders.checked_mul(at as u128 + 1)? / equal;
    }
    Some(orders)
}
