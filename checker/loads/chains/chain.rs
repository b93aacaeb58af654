//! The Markov chain of one process's load.

use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::Number;
use crate::loads::chains::affine::Affine;
use crate::loads::chains::dense::dense;
use crate::loads::chains::rows::{Row, laws};
use crate::loads::{Chain, Edge};
use num_rational::BigRational;
use num_traits::{One, Zero};

impl Chain {
    pub fn levels(&self) -> usize {
        match self {
            Chain::Walk { levels, .. } | Chain::Affine(Affine { levels, .. }) => *levels,
            Chain::BirthDeath { up, .. } => up.len(),
            Chain::Matrix { rows, .. } => rows.len(),
        }
    }

    /// The lowest load, and the row of each level.
    pub fn rows(&self) -> Result<(i64, Vec<Row>), Refusal> {
        let (zero, one) = (BigRational::zero(), BigRational::one());
        let (lowest, moves): (_, Vec<[BigRational; 2]>) = match self {
            Chain::Matrix { lowest, rows } => return Ok((*lowest, dense(rows)?)),
            Chain::Affine(own) => return Ok((own.lowest, laws(own.rows()?)?)),
            Chain::BirthDeath { lowest, up, down } if up.len() == down.len() => {
                let moves = down.iter().zip(up).map(|(down, up)| [down.0.clone(), up.0.clone()]);
                (lowest, moves.collect())
            }
            Chain::BirthDeath { .. } => return model_error("up and down differ in length"),
            Chain::Walk { up, down, .. } if up.0 > one || down.0 > one => {
                return model_error("a probability is more than 1");
            }
            Chain::Walk { lowest, levels, up: Number(up), down: Number(down), edge } => {
                let back = |p: &BigRational| if *edge == Edge::Reflect { p } else { &zero }.clone();
                let at = |i: usize| match i {
                    0 => [zero.clone(), up + back(down)],
                    _ if i + 1 == *levels => [down + back(up), zero.clone()],
                    _ => [down.clone(), up.clone()],
                };
                (lowest, (0..*levels).map(at).collect())
            }
        };
        // A row that leads outside the levels is kept as it is; a later check refuses it.
        let row = |(i, [down, up]): (usize, [BigRational; 2])| {
            let stay = (&one - &down - &up).max(zero.clone());
            let row = [(i.wrapping_sub(1), down), (i, stay), (i + 1, up)];
            row.into_iter().filter(|(_, p)| !p.is_zero()).collect()
        };
        let rows = moves.into_iter().enumerate().map(row).collect();
        Ok((*lowest, laws(rows)?))
    }
}
