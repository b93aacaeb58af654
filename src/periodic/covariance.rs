//! Correlated changes: what their covariance matrix adds to the imbalance.

use nalgebra::{DMatrix, SymmetricEigen};

/// A covariance matrix of the changes of one step: symmetric, positive semidefinite.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    matrix: DMatrix<f64>,
}

/// Why a matrix is no covariance.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CovarianceError {
    /// Row of another length than the number of rows.
    #[error("row {row} has {found} entries, and there are {expected} rows")]
    Shape {
        /// The row, counted from 0.
        row: usize,
        /// Its length.
        found: usize,
        /// The number of rows.
        expected: usize,
    },
    /// An entry is NaN or infinite.
    #[error("entry ({0}, {1}) is not finite")]
    NotFinite(usize, usize),
    /// Two entries that mirror each other differ.
    #[error("entry ({row}, {column}) is {value}, but ({column}, {row}) is {mirror}")]
    Asymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
        /// Its mirror image.
        mirror: f64,
    },
    /// A variance, on the diagonal, is negative.
    #[error("the variance ({0}, {0}) is {1}, below zero")]
    NegativeVariance(usize, f64),
    /// The least eigenvalue is negative beyond rounding.
    #[error("not positive semidefinite: its least eigenvalue is {0:.6e}")]
    NegativeEigenvalue(f64),
}

impl Covariance {
    /// Checks that `rows` is symmetric and positive semidefinite. Mirror images may differ by
    /// `1e-12` relative to the largest entry, and the least eigenvalue be below zero by `1e-10`
    /// relative to the largest. Time O(N^3).
    ///
    /// # Errors
    /// The first of the conditions that fails.
    pub fn new(rows: &[Vec<f64>]) -> Result<Self, CovarianceError> {
        let expected = rows.len();
        for (row, entries) in rows.iter().enumerate() {
            if entries.len() != expected {
                return Err(CovarianceError::Shape { row, found: entries.len(), expected });
            }
            if let Some(column) = entries.iter().position(|entry| !entry.is_finite()) {
                return Err(CovarianceError::NotFinite(row, column));
            }
            if entries[row] < 0.0 {
                return Err(CovarianceError::NegativeVariance(row, entries[row]));
            }
        }
        let matrix = DMatrix::from_fn(expected, expected, |i, j| rows[i][j]);
        let largest = matrix.amax();
        for row in 0..expected {
            for column in 0..row {
                let (value, mirror) = (matrix[(row, column)], matrix[(column, row)]);
                if (value - mirror).abs() > 1e-12 * largest {
                    return Err(CovarianceError::Asymmetric { row, column, value, mirror });
                }
            }
        }
        if expected > 0 {
            let values = SymmetricEigen::new(matrix.clone()).eigenvalues;
            let least = values.min();
            if least < -1e-10 * values.amax() {
                return Err(CovarianceError::NegativeEigenvalue(least));
            }
        }
        Ok(Self { matrix })
    }

    /// Variance of the change of one processor.
    pub fn variance(&self, processor: usize) -> f64 {
        self.matrix[(processor, processor)]
    }
}
