//! The joint motion of processes: a matrix in the model or in a file. A rank may read only its own
//! rows.

use super::matrix_market;
use super::number::Decimal;
use remapping::chain::{Joint, JointRows, Shared};
use serde::Deserialize;
use std::path::Path;
use std::sync::OnceLock;

/// `transition: ...` of a joint chain.
#[derive(Debug, Clone, Deserialize)]
pub enum Transition {
    /// Row by row.
    Dense(Vec<Vec<Decimal>>),
    /// A file in Matrix Market form.
    File(String),
}

/// The index of this rank and the number of ranks: each checks only its own rows of transition
/// files.
static RANK: OnceLock<(usize, usize)> = OnceLock::new();

/// From now on, reviews of models read only the rows of this rank. All ranks must call it.
pub fn share_rows(rank: usize, ranks: usize) {
    // It is called only once.
    let _ = RANK.set((rank, ranks));
}

/// The rank whose rows are checked, if not all rows are.
pub(crate) fn rank() -> Option<(usize, usize)> {
    RANK.get().copied()
}

impl Transition {
    /// The chain on this many states.
    ///
    /// # Errors
    /// The fault of the chain, in words.
    pub(crate) fn chain(&self, folder: &Path, states: usize) -> Result<Joint, String> {
        match self {
            Transition::Dense(rows) => dense(rows),
            Transition::File(name) => of_file(&folder.join(name), states),
        }
    }

    /// The rows of one of several ranks. The whole file is read, but only these rows are kept.
    ///
    /// # Errors
    /// As for [`chain`](Self::chain).
    pub(crate) fn rows(
        &self,
        folder: &Path,
        states: usize,
        place: (usize, usize),
    ) -> Result<JointRows, String> {
        let own = Shared::evenly(states, place);
        match self {
            Transition::File(name) => {
                let path = folder.join(name);
                let shown = path.display();
                if !path.is_file() {
                    return Err(format!("cannot read {shown}: there is no such file"));
                }
                let found = matrix_market::read_rows(&path, states, own.clone())?;
                JointRows::from_entries(found.size, own, &found.entries)
                    .map_err(|error| format!("{shown}: {error}"))
            }
            Transition::Dense(rows) => {
                let entries: Vec<_> = entries_of(rows).filter(|(i, ..)| own.contains(i)).collect();
                JointRows::from_entries(rows.len(), own, &entries)
                    .map_err(|error| error.to_string())
            }
        }
    }
}

fn dense(rows: &[Vec<Decimal>]) -> Result<Joint, String> {
    let entries: Vec<_> = entries_of(rows).collect();
    Joint::from_entries(rows.len(), &entries).map_err(|error| error.to_string())
}

fn entries_of(rows: &[Vec<Decimal>]) -> impl Iterator<Item = (usize, usize, f64)> {
    rows.iter().enumerate().flat_map(|(i, row)| {
        let positive = row.iter().enumerate().filter(|(_, p)| p.value != 0.0);
        positive.map(move |(j, p)| (i, j, p.value))
    })
}

/// Reads a transition matrix in Matrix Market format.
fn of_file(path: &Path, states: usize) -> Result<Joint, String> {
    let shown = path.display();
    if !path.is_file() {
        return Err(format!("cannot read {shown}: there is no such file"));
    }
    let found = matrix_market::read(path, states)?;
    Joint::from_entries(found.size, &found.entries).map_err(|error| format!("{shown}: {error}"))
}
