//! Chains that are given by all their probabilities.

use crate::loads::chain::{Row, laws};
use crate::model::Number;
use crate::{Refusal, model_error};
use num_traits::Zero;

/// Rows of a square matrix.
pub fn dense(rows: &[Vec<Number>]) -> Result<Vec<Row>, Refusal> {
    if rows.iter().any(|row| row.len() != rows.len()) {
        return model_error("a transition matrix is not square");
    }
    let exact = |row: &Vec<Number>| {
        let row = row.iter().map(|p| p.0.clone()).enumerate();
        row.filter(|(_, p)| !p.is_zero()).collect()
    };
    laws(rows.iter().map(exact).collect())
}
