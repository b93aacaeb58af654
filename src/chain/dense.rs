//! A chain given as a full transition matrix.

use super::{ChainError, Operator, balanced_weights, misses_one, probability};
use crate::parallel;

/// A dense transition matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    levels: usize,
    entries: Vec<f64>,
}

impl Dense {
    /// The chain with these rows.
    ///
    /// # Errors
    /// Fewer than two rows, rows of another length, entries outside [0, 1], or a row whose sum
    /// misses one by more than [`ROW_SUM_TOLERANCE`](super::ROW_SUM_TOLERANCE).
    pub fn new(rows: &[Vec<f64>]) -> Result<Self, ChainError> {
        let levels = rows.len();
        if levels < 2 {
            return Err(ChainError::TooFewLevels(levels));
        }
        for (i, row) in rows.iter().enumerate() {
            if row.len() != levels {
                let what = format!("row {i} of a {levels} x {levels} transition matrix");
                return Err(ChainError::Shape { what, expected: levels, found: row.len() });
            }
            for (j, &p) in row.iter().enumerate() {
                probability(p, || format!("entry ({i}, {j})"))?;
            }
            let sum: f64 = row.iter().sum();
            if misses_one(sum, levels) {
                return Err(ChainError::RowSum { row: i, sum });
            }
        }
        Ok(Self { levels, entries: rows.concat() })
    }

    /// The number of rows.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Row `level`.
    pub fn row(&self, level: usize) -> &[f64] {
        &self.entries[level * self.levels..(level + 1) * self.levels]
    }

    pub(super) fn row_into(&self, level: usize, v: &[f64], out: &mut [f64]) {
        let width = out.len();
        out.fill(0.0);
        for (p, v) in self.row(level).iter().zip(v.chunks_exact(width)) {
            if *p != 0.0 {
                for (out, v) in out.iter_mut().zip(v) {
                    *out += p * v;
                }
            }
        }
    }
}

impl Operator for Dense {
    fn states(&self) -> usize {
        self.levels
    }

    fn staying(&self) -> Option<Vec<f64>> {
        Some((0..self.levels).map(|level| self.row(level)[level]).collect())
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.levels && out.len() == self.levels);
        parallel::fill(out, 64, &|row| {
            let row = &self.entries[row * self.levels..][..self.levels];
            row.iter().zip(v).map(|(p, v)| p * v).sum()
        });
    }

    fn rounding(&self) -> f64 {
        self.levels as f64 + 1.0
    }

    fn conserves(&self) -> bool {
        false
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        let row = |i| self.row(i).iter().copied().enumerate();
        balanced_weights(self.levels, row, |i, j| self.row(i)[j])
    }
}
