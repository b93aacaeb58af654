//! Chains that are given by all their transition probabilities.

use crate::core::budget::{Refusal, model_error};
use crate::core::decimal::Number;
use crate::loads::chains::rows::{Row, laws};
use num_traits::Zero;

/// The rows of a square matrix.
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
