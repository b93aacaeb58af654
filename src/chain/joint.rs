//! A joint chain with any dependence between processes: a sparse transition matrix, or the rows of
//! it that belong to one of several ranks.

use super::{ChainError, Operator, balanced_weights, misses_one, probability};
use crate::parallel;
use sprs::{CsMat, TriMat};
use std::ops::Range;

/// A transition matrix in compressed row storage.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint(JointRows);

impl Joint {
    /// The chain with these entries `(row, column, probability)`; duplicates are added.
    ///
    /// # Errors
    /// As [`JointRows::from_entries`].
    pub fn from_entries(
        states: usize,
        entries: &[(usize, usize, f64)],
    ) -> Result<Self, ChainError> {
        JointRows::from_entries(states, 0..states, entries).map(Self)
    }
}

impl Operator for Joint {
    fn states(&self) -> usize {
        self.0.states()
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states() && out.len() == self.states());
        self.0.apply_own((v, 0), out);
    }

    fn rounding(&self) -> f64 {
        self.0.longest() as f64 + 1.0
    }

    fn conserves(&self) -> bool {
        false
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        let (starts, matrix) = (self.0.matrix.indptr(), &self.0.matrix);
        let row = |i| {
            let row = starts.raw_storage()[i]..starts.raw_storage()[i + 1];
            matrix.indices()[row.clone()].iter().copied().zip(matrix.data()[row].iter().copied())
        };
        let entry = |i, j| matrix.get(i, j).copied().unwrap_or(0.0);
        balanced_weights(self.states(), row, entry)
    }
}

/// The rows of consecutive states of a transition matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct JointRows {
    first: usize,
    matrix: CsMat<f64>,
    longest_row: usize,
}

impl JointRows {
    /// The rows `own` of a chain of `states` states, with these entries `(row, column,
    /// probability)`; duplicates are added.
    ///
    /// # Errors
    /// Fewer than two states, a position out of range, entries outside [0, 1], or a row whose sum
    /// misses one by more than [`ROW_SUM_TOLERANCE`](super::ROW_SUM_TOLERANCE).
    pub fn from_entries(
        states: usize,
        own: Range<usize>,
        entries: &[(usize, usize, f64)],
    ) -> Result<Self, ChainError> {
        if states < 2 {
            return Err(ChainError::TooFewLevels(states));
        }
        let mut triplets = TriMat::new((own.len(), states));
        for &(i, j, p) in entries {
            if !own.contains(&i) || j >= states {
                let what = format!("position ({i}, {j}) of the transition matrix");
                return Err(ChainError::Shape { what, expected: states, found: i.max(j) + 1 });
            }
            triplets.add_triplet(i - own.start, j, p);
        }
        let matrix: CsMat<f64> = triplets.to_csr();
        let longest_row = checked(&matrix, own.start)?;
        Ok(Self { first: own.start, matrix, longest_row })
    }

    /// The states whose rows these are.
    pub fn own(&self) -> Range<usize> {
        self.first..self.first + self.matrix.rows()
    }

    /// The number of states of the chain.
    pub fn states(&self) -> usize {
        self.matrix.cols()
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.matrix.nnz()
    }

    /// The largest number of entries of a row.
    pub(super) fn longest(&self) -> usize {
        self.longest_row
    }

    /// The range of states in which a function must be known, including the own ones.
    pub fn needed(&self) -> Range<usize> {
        let own = self.own();
        let columns = self.matrix.indices();
        let least = columns.iter().copied().min().unwrap_or(own.start);
        let most = columns.iter().copied().max().map_or(own.end, |most| most + 1);
        least.min(own.start)..most.max(own.end)
    }

    /// The probability of staying in each own state.
    pub(super) fn staying(&self) -> Vec<f64> {
        let at = |i: usize| self.matrix.get(i, self.first + i).copied().unwrap_or(0.0);
        (0..self.matrix.rows()).map(at).collect()
    }

    /// The expectation of a function from the own states; the function is given from the state
    /// `base` on.
    pub(super) fn apply_own(&self, (v, base): (&[f64], usize), out: &mut [f64]) {
        assert_eq!(out.len(), self.matrix.rows());
        let (indptr, indices, data) =
            (self.matrix.indptr(), self.matrix.indices(), self.matrix.data());
        let starts = indptr.raw_storage();
        parallel::fill(out, 1024, &|i| {
            let row = starts[i]..starts[i + 1];
            let terms = data[row.clone()].iter().zip(&indices[row]);
            terms.map(|(p, &j)| p * v[j - base]).sum()
        });
    }
}

/// The largest number of entries of a row, if all rows are distributions; the first row is that of
/// state `first`.
fn checked(matrix: &CsMat<f64>, first: usize) -> Result<usize, ChainError> {
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
