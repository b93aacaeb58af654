//! The chain of one process, of either kind.

use super::{BirthDeath, Dense};

/// Dynamics of the level of one process.
#[derive(Debug, Clone, PartialEq)]
pub enum ProcessChain {
    /// By at most one level per step.
    BirthDeath(BirthDeath),
    /// By any transition matrix.
    Dense(Dense),
}

impl ProcessChain {
    /// The number of levels L.
    pub fn levels(&self) -> usize {
        match self {
            ProcessChain::BirthDeath(chain) => chain.levels(),
            ProcessChain::Dense(chain) => chain.levels(),
        }
    }

    /// The transition matrix, row by row.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        match self {
            ProcessChain::BirthDeath(chain) => chain.rows(),
            ProcessChain::Dense(chain) => {
                (0..chain.levels()).map(|i| chain.row(i).to_vec()).collect()
            }
        }
    }
}
