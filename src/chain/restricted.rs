//! A chain on some of its states, for functions that are 0 on the others.

use super::{Operator, usable};
use rayon::prelude::*;

/// The rows and columns of some states of a chain, compressed.
#[derive(Debug, Clone, PartialEq)]
pub struct Restricted {
    starts: Vec<usize>,
    columns: Vec<u32>,
    entries: Vec<f64>,
    longest_row: usize,
    weights: Option<Vec<f64>>,
}

impl Restricted {
    /// No rows yet, with reversing weights of the states if there are any.
    pub(crate) fn new(weights: Option<Vec<f64>>) -> Self {
        let weights = weights.and_then(usable);
        Self { starts: vec![0], columns: Vec::new(), entries: Vec::new(), longest_row: 0, weights }
    }

    /// Adds a row of column and probability, in any order; equal columns add up.
    pub(crate) fn push(&mut self, row: &mut [(u32, f64)]) {
        row.sort_unstable_by_key(|entry| entry.0);
        self.longest_row = self.longest_row.max(row.len());
        let start = self.columns.len();
        for &(column, p) in row.iter() {
            if self.columns.len() > start && self.columns.last() == Some(&column) {
                *self.entries.last_mut().expect("as many as columns") += p;
            } else {
                self.columns.push(column);
                self.entries.push(p);
            }
        }
        self.starts.push(self.columns.len());
    }
}

impl Operator for Restricted {
    fn states(&self) -> usize {
        self.starts.len() - 1
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        assert!(v.len() == self.states() && out.len() == self.states());
        out.par_iter_mut().with_min_len(1 << 13).enumerate().for_each(|(i, out)| {
            let row = self.starts[i]..self.starts[i + 1];
            let terms = self.entries[row.clone()].iter().zip(&self.columns[row]);
            *out = terms.map(|(p, &j)| p * v[j as usize]).sum();
        });
    }

    fn rounding(&self) -> f64 {
        // Products of a few rounded probabilities, added up twice.
        2.0 * self.longest_row as f64 + 8.0
    }

    /// What leaves for other states meets the constant there that is subtracted here.
    fn conserves(&self) -> bool {
        true
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        self.weights.clone()
    }
}
