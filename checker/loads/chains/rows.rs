//! Rows of transition matrices.

use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::is_one;
use num_rational::BigRational;
use num_traits::{One, Signed};

/// The successors of a state with their probabilities.
pub type Row = Vec<(usize, BigRational)>;

/// Whether every move is by at most one level.
pub fn by_one(rows: &[Row]) -> bool {
    let near = |(from, row): (usize, &Row)| {
        let near = |to: usize| to < rows.len() && to.abs_diff(from) <= 1;
        row.iter().all(|(to, p)| near(*to) && !p.is_negative())
            && row.iter().map(|(_, p)| p).sum::<BigRational>().is_one()
    };
    rows.iter().enumerate().all(near)
}

/// Returns the same rows if there are at least two and each is a distribution over their indices. A
/// sum may differ from 1 as much as in a model file; it is used as it is.
pub fn laws(rows: Vec<Row>) -> Result<Vec<Row>, Refusal> {
    let one = BigRational::one();
    let law = |row: &Row| {
        row.iter().all(|(to, p)| *to < rows.len() && !p.is_negative() && *p <= one)
            && is_one(&row.iter().map(|(_, p)| p).sum())
    };
    if rows.len() >= 2 && rows.iter().all(law) {
        return Ok(rows);
    }
    model_error("a row is no distribution over the levels there are, of which there must be two")
}
