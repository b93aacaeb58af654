//! Distribution of the sum of all levels after one joint move.

use crate::chain::BirthDeath;
use crate::load_drift::state_space::distributions::convolve;
use std::collections::HashMap;

/// Distributions of the change of the sum. They depend on the number of processors at each kind of
/// level.
#[derive(Debug)]
pub(super) struct SumLaws {
    processors: usize,
    levels: usize,
    /// For each level its kind: levels of one kind have the same moves.
    kinds: Vec<usize>,
    /// For each kind, the probabilities of one down, none and one up.
    moves: Vec<[f64; 3]>,
    /// Whether only the two edges differ from the other levels.
    plain: bool,
    /// `laws[i][k]`: probability that the sum changes by k - r.
    laws: Vec<Vec<f64>>,
    by_counts: HashMap<Vec<u32>, usize>,
}

impl SumLaws {
    /// For this chain and number of processors.
    pub fn new(chain: &BirthDeath, processors: usize) -> SumLaws {
        let levels = chain.levels();
        let mut moves: Vec<[f64; 3]> = Vec::new();
        let kinds: Vec<usize> = (0..levels)
            .map(|level| {
                let row = [chain.down(level), chain.stay(level), chain.up(level)];
                let known = moves.iter().position(|other| *other == row);
                known.unwrap_or_else(|| {
                    moves.push(row);
                    moves.len() - 1
                })
            })
            .collect();
        let plain = levels >= 3 && kinds[1..levels - 1].iter().all(|kind| *kind == kinds[1]);
        let (laws, by_counts) = (Vec::new(), HashMap::new());
        SumLaws { processors, levels, kinds, moves, plain, laws, by_counts }
    }

    /// Index of the distribution for these numbers of processors at these levels.
    pub fn of(&mut self, counts: impl Iterator<Item = (usize, u32)>) -> usize {
        let mut by_kind = vec![0; self.moves.len()];
        counts.for_each(|(level, count)| by_kind[self.kinds[level]] += count);
        if let Some(&known) = self.by_counts.get(&by_kind) {
            return known;
        }
        let mut law = vec![1.0];
        for (&count, row) in by_kind.iter().zip(&self.moves) {
            (0..count).for_each(|_| law = convolve(&law, row));
        }
        self.laws.push(law);
        self.by_counts.insert(by_kind, self.laws.len() - 1);
        self.laws.len() - 1
    }

    /// The expectation of `table`, by sum, after a move from the sum `total`.
    pub fn expect(&self, law: usize, total: usize, table: &[f64]) -> f64 {
        let r = self.processors;
        let law = &self.laws[law];
        let from = total.saturating_sub(r);
        let skipped = from + r - total;
        law[skipped..].iter().zip(&table[from..]).map(|(p, value)| p * value).sum()
    }

    /// Computes the distributions for all numbers of processors at the two edges, where only these
    /// differ.
    pub fn complete(&mut self) -> Vec<usize> {
        let (r, top) = (self.processors, self.levels - 1);
        let mut all = Vec::new();
        if self.plain {
            for low in 0..=r {
                for high in 0..=r - low {
                    let counts = [(0, low), (top, high), (1, r - low - high)];
                    all.push(self.of(counts.into_iter().map(|(l, n)| (l, n as u32))));
                }
            }
        }
        all
    }

    /// The expectation of `table` after a move from a state with this sum, with processors at the
    /// two edges as in this class. Where classes do not determine it, a lower bound.
    pub fn least(&self, class: usize, total: usize, table: &[f64], ends: &[usize]) -> f64 {
        match ends.get(class) {
            Some(&law) => self.expect(law, total, table),
            None => {
                let r = self.processors;
                let near = total.saturating_sub(r)..=(total + r).min(table.len() - 1);
                table[near].iter().copied().fold(f64::INFINITY, f64::min)
            }
        }
    }
}
