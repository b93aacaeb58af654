//! The chains of model files: how the load of one processor moves.

use super::complaint::Review;
use super::number::Decimal;
use remapping::chain::{BirthDeath, ChainError, Dense, Edge as EngineEdge};
use remapping::drift;
use serde::Deserialize;

/// `Walk(...)`, `BirthDeath(...)` or `Matrix(...)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Chain {
    /// The same probabilities at every inner level.
    Walk {
        /// Load of the lowest level.
        #[serde(default)]
        lowest: i64,
        /// Number of levels.
        levels: usize,
        /// Probability of moving up.
        up: Decimal,
        /// Probability of moving down.
        down: Decimal,
        /// What happens to moves out of the range.
        edge: Edge,
    },
    /// Probabilities that depend on the level.
    BirthDeath {
        /// Load of the lowest level.
        #[serde(default)]
        lowest: i64,
        /// Probability of moving up from each level, 0 at the last.
        up: Vec<Decimal>,
        /// Probability of moving down from each level, 0 at the first.
        down: Vec<Decimal>,
    },
    /// Any transition matrix.
    Matrix {
        /// Load of the lowest level.
        #[serde(default)]
        lowest: i64,
        /// One row for each level.
        rows: Vec<Vec<Decimal>>,
    },
}

/// What a walk does at the ends of its range.
#[derive(Debug, Clone, Copy, Deserialize)]
pub enum Edge {
    /// The outward probability is added to the inward move.
    Reflect,
    /// The outward probability is added to staying.
    Hold,
}

impl Chain {
    /// Load of the lowest level.
    pub fn lowest(&self) -> i64 {
        match self {
            Chain::Walk { lowest, .. }
            | Chain::BirthDeath { lowest, .. }
            | Chain::Matrix { lowest, .. } => *lowest,
        }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        match self {
            Chain::Walk { levels, .. } => *levels,
            Chain::BirthDeath { up, .. } => up.len(),
            Chain::Matrix { rows, .. } => rows.len(),
        }
    }

    /// The engine's chain.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn build(&self) -> Result<drift::Chain, ChainError> {
        let doubles = |list: &[Decimal]| list.iter().map(|p| p.value).collect::<Vec<_>>();
        Ok(match self {
            Chain::Walk { levels, up, down, edge, .. } => {
                let edge = match edge {
                    Edge::Reflect => EngineEdge::Reflect,
                    Edge::Hold => EngineEdge::Hold,
                };
                drift::Chain::BirthDeath(BirthDeath::walk(*levels, up.value, down.value, edge)?)
            }
            Chain::BirthDeath { up, down, .. } => {
                drift::Chain::BirthDeath(BirthDeath::new(doubles(up), doubles(down))?)
            }
            Chain::Matrix { rows, .. } => {
                let rows: Vec<Vec<f64>> = rows.iter().map(|row| doubles(row)).collect();
                drift::Chain::Dense(Dense::new(&rows)?)
            }
        })
    }

    /// Records what is wrong with the chain at `path`.
    pub fn review(&self, review: &mut Review<'_>, path: &str) {
        if let Err(error) = self.build() {
            let place = match (&error, self) {
                (ChainError::RowSum { row, .. }, Chain::Matrix { .. }) => {
                    format!("{path}.rows[{row}]")
                }
                (ChainError::NotAProbability { what, .. }, Chain::Walk { .. }) => {
                    format!("{path}.{what}")
                }
                _ => path.to_owned(),
            };
            let help = "probabilities lie in [0, 1] and are never renormalised";
            review.fault(&place, "this is not a Markov chain", &error.to_string(), help);
        }
    }
}
