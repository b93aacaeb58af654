//! The rows of a joint chain that belong to one of several ranks.

use super::ChainError;
use super::joint::checked;
use rayon::prelude::*;
use sprs::{CsMat, TriMat};
use std::ops::Range;

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
    /// As of [`Joint::from_entries`](super::Joint::from_entries), for these rows.
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
        out.par_iter_mut().with_min_len(1024).enumerate().for_each(|(i, out)| {
            let row = starts[i]..starts[i + 1];
            let terms = data[row.clone()].iter().zip(&indices[row]);
            *out = terms.map(|(p, &j)| p * v[j - base]).sum();
        });
    }
}
