//! Transition operator on multisets for chains with any transition matrix, through the full tensor.

use crate::chain::{ChainError, Dense, Factor, Multisets, Operator, Product};
use crate::parallel;

/// The operator of r equal chains with any transition matrix, on multisets of levels. It expands
/// the function to the L^r vectors of levels, applies the matrix to one process after another, and
/// reads the result back. Memory: two full tensors. Time: O(r L^(r+1)).
pub struct Lifted {
    multisets: Multisets,
    product: Product,
}

impl Lifted {
    /// `processes` chains with the given transition matrix.
    ///
    /// # Errors
    /// No process, or more states than can be counted.
    pub fn new(chain: Dense, processes: usize) -> Result<Lifted, ChainError> {
        let multisets = Multisets::new(processes, chain.levels())?;
        let product = Product::new((0..processes).map(|_| Factor::Dense(chain.clone())).collect())?;
        Ok(Lifted { multisets, product })
    }

    /// The levels of the vector with row-major index `index`, sorted.
    fn sorted_levels(&self, mut index: usize, levels: &mut [usize]) {
        for level in levels.iter_mut() {
            *level = index % self.multisets.levels();
            index /= self.multisets.levels();
        }
        levels.sort_unstable();
    }

    /// Row-major index of a vector of levels.
    fn index(&self, levels: &[usize]) -> usize {
        levels.iter().fold(0, |index, level| index * self.multisets.levels() + level)
    }
}

impl Operator for Lifted {
    fn states(&self) -> usize {
        self.multisets.states()
    }

    fn apply_into(&self, v: &[f64], out: &mut [f64]) {
        const PIECE: usize = 1 << 10;
        let mut spread = vec![0.0; self.product.states()];
        parallel::pieces(&mut spread, PIECE, &|piece, spread| {
            let mut levels = vec![0; self.multisets.items()];
            for (index, value) in (piece * PIECE..).zip(spread) {
                self.sorted_levels(index, &mut levels);
                *value = v[self.multisets.rank(&levels)];
            }
        });
        let mut applied = vec![0.0; spread.len()];
        self.product.apply_into(&spread, &mut applied);
        parallel::pieces(out, PIECE, &|piece, out| {
            let mut levels = vec![0; self.multisets.items()];
            for (state, out) in (piece * PIECE..).zip(out) {
                self.multisets.unrank_into(state, &mut levels);
                *out = applied[self.index(&levels)];
            }
        });
    }

    fn rounding(&self) -> f64 {
        self.product.rounding()
    }

    fn reversing_weights(&self) -> Option<Vec<f64>> {
        None
    }
}
