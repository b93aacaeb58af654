//! A chain restricted to some of its states, for functions that are 0 elsewhere: a substochastic
//! operator.

use super::{Operator, usable};
use crate::parallel;

/// The rows and columns of some states of a chain, in compressed row storage.
#[derive(Debug, Clone, PartialEq)]
pub struct Restricted {
    starts: Vec<usize>,
    columns: Vec<u32>,
    entries: Vec<f64>,
    rounding: f64,
    weights: Option<Vec<f64>>,
}

impl Restricted {
    /// From the columns, each a list of row and probability, with detailed-balance weights of the
    /// states if there are any. The probabilities have a relative error of at most `rounding` times
    /// epsilon.
    pub(crate) fn from_columns(
        all: &[Vec<(u32, f64)>],
        rounding: f64,
        weights: Option<Vec<f64>>,
    ) -> Self {
        let mut starts = vec![0; all.len() + 1];
        all.iter().flatten().for_each(|(row, _)| starts[*row as usize + 1] += 1);
        let longest_row = starts.iter().copied().max().unwrap_or(0);
        for row in 0..all.len() {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let (mut columns, mut entries) = (vec![0; starts[all.len()]], vec![0.0; starts[all.len()]]);
        for (column, list) in (0..).zip(all) {
            for &(row, p) in list {
                let place = &mut next[row as usize];
                (columns[*place], entries[*place]) = (column, p);
                *place += 1;
            }
        }
        let rounding = rounding + longest_row as f64 + 2.0;
        Self { starts, columns, entries, rounding, weights: weights.and_then(usable) }
    }
}

impl Operator for Restricted {
    fn states(&self) -> usize {
        self.starts.len() - 1
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states() && out.len() == self.states());
        parallel::fill(out, 1 << 13, &|i| {
            let row = self.starts[i]..self.starts[i + 1];
            let terms = self.entries[row.clone()].iter().zip(&self.columns[row]);
            terms.map(|(p, &j)| p * v[j as usize]).sum()
        });
    }

    fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The constant that is subtracted is also the value of the omitted states.
    fn conserves(&self) -> bool {
        true
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        self.weights.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_make_rows_and_errors_of_entries_and_sums_add_up() {
        let third = 1.0 / 3.0;
        let columns = [vec![(2, 0.5)], vec![(0, 0.25), (2, third)], vec![(1, 1.0), (2, 0.125)]];
        let chain = Restricted::from_columns(&columns, 7.0, None);
        let mut out = [0.0; 3];
        chain.apply_into(&[1.0, -2.0, 4.0], &mut out);
        assert_eq!(out, [-0.5, 4.0, 0.5 - 2.0 * third + 0.5]);
        // A product and a sum for each entry of the longest row.
        assert!((10.0..=13.0).contains(&chain.rounding()));
        assert_eq!(chain.reversing_weights(), None);
        let weights = Some(vec![0.25, 0.5, 1.0]);
        let chain = Restricted::from_columns(&columns, 7.0, weights.clone());
        assert_eq!(chain.reversing_weights(), weights);
    }
}
