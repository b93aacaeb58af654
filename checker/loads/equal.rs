//! Processes that move independently, equal ones together.

use crate::core::budget::Refusal;
use crate::loads::rows::{Row, by_one};
use crate::loads::{Chain, Processes};
use num_rational::BigRational;

/// Processes, each a call within another, and levels of all together, which are listed.
const MOST: [usize; 2] = [1000, 1 << 20];

/// Processes with equal chains and equal capacities, which are exchangeable if they move by one level at
/// most; or one that moves in another way. The load of the lowest level, and a row for each.
pub type Equal = (Vec<usize>, (i64, Vec<Row>));

impl Processes {
    /// Those that move independently.
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

/// In how many orders equal processes may have these loads, which ascend.
pub fn orders(members: &[usize], loads: &[i64]) -> Option<u128> {
    let (mut orders, mut equal) = (1u128, 0);
    for (at, &i) in members.iter().enumerate() {
        equal = if at > 0 && loads[members[at - 1]] == loads[i] { equal + 1 } else { 1 };
        orders = orders.checked_mul(at as u128 + 1)? / equal;
    }
    Some(orders)
}
