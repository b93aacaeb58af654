//! A joint chain with any dependence between processes: a sparse transition matrix.

use super::{ChainError, Operator, misses_one, probability, usable};
use rayon::prelude::*;
use sprs::{CsMat, TriMat};

/// A transition matrix in compressed row storage.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    matrix: CsMat<f64>,
    longest_row: usize,
}

/// The largest number of entries of a row, if all rows are distributions; the first row is that of
/// state `first`.
pub(super) fn checked(matrix: &CsMat<f64>, first: usize) -> Result<usize, ChainError> {
    let mut longest = 0;
    for (i, row) in (first..).zip(matrix.outer_iterator()) {
        for (j, &p) in row.iter() {
            probability(p, || format!("entry ({i}, {j})"))?;
        }
        let sum: f64 = row.data().iter().sum();
        if misses_one(sum, row.nnz()) {
            return Err(ChainError::RowSum { row: i, sum });
        }
        longest = longest.max(row.nnz());
    }
    Ok(longest)
}

impl Joint {
    /// The chain with this transition matrix.
    ///
    /// # Errors
    /// A matrix that is not square or has fewer than two rows, entries outside [0, 1], or a row
    /// whose sum misses one by more than [`ROW_SUM_TOLERANCE`](super::ROW_SUM_TOLERANCE).
    pub fn new(matrix: CsMat<f64>) -> Result<Self, ChainError> {
        let matrix = matrix.into_csr();
        let rows = matrix.rows();
        if rows < 2 {
            return Err(ChainError::TooFewLevels(rows));
        }
        if matrix.cols() != rows {
            let what = format!("a row of the {rows} x {rows} transition matrix");
            return Err(ChainError::Shape { what, expected: rows, found: matrix.cols() });
        }
        let longest_row = checked(&matrix, 0)?;
        Ok(Self { matrix, longest_row })
    }

    /// The chain with these entries `(row, column, probability)`; duplicates are added.
    ///
    /// # Errors
    /// As [`new`](Self::new), or a position out of range.
    pub fn from_entries(
        states: usize,
        entries: &[(usize, usize, f64)],
    ) -> Result<Self, ChainError> {
        let mut triplets = TriMat::new((states, states));
        for &(i, j, p) in entries {
            if i >= states || j >= states {
                let what = format!("position ({i}, {j}) of the transition matrix");
                return Err(ChainError::Shape { what, expected: states, found: i.max(j) + 1 });
            }
            triplets.add_triplet(i, j, p);
        }
        Self::new(triplets.to_csr())
    }

    /// The matrix.
    pub fn matrix(&self) -> &CsMat<f64> {
        &self.matrix
    }

    /// Detailed-balance weights, computed along a spanning forest and checked on every entry.
    fn weights(&self) -> Option<Vec<f64>> {
        let matrix = &self.matrix;
        let mut weights = vec![0.0; matrix.rows()];
        for root in 0..matrix.rows() {
            if weights[root] > 0.0 {
                continue;
            }
            weights[root] = 1.0;
            let mut queue = vec![root];
            while let Some(i) = queue.pop() {
                for (j, &there) in matrix.outer_view(i)?.iter() {
                    let back = matrix.get(j, i).copied().unwrap_or(0.0);
                    if weights[j] == 0.0 && there > 0.0 && back > 0.0 {
                        weights[j] = weights[i] * there / back;
                        queue.push(j);
                    }
                }
            }
        }
        let balanced = matrix.iter().all(|(&p, (i, j))| {
            let back = matrix.get(j, i).copied().unwrap_or(0.0);
            let (a, b) = (weights[i] * p, weights[j] * back);
            (a - b).abs() <= 1e-13 * a.max(b)
        });
        if balanced { usable(weights) } else { None }
    }
}

impl Operator for Joint {
    fn states(&self) -> usize {
        self.matrix.rows()
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states() && out.len() == self.states());
        let (indptr, indices, data) =
            (self.matrix.indptr(), self.matrix.indices(), self.matrix.data());
        let starts = indptr.raw_storage();
        out.par_iter_mut().with_min_len(1024).enumerate().for_each(|(i, out)| {
            let row = starts[i]..starts[i + 1];
            let terms = data[row.clone()].iter().zip(&indices[row]);
            *out = terms.map(|(p, &j)| p * v[j]).sum();
        });
    }

    fn rounding(&self) -> f64 {
        self.longest_row as f64 + 1.0
    }

    fn conserves(&self) -> bool {
        false
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        self.weights()
    }
}
