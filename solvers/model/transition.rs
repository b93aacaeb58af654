//! The joint motion of processes: a matrix in the model or in a file. A rank may read only its own
//! rows.

use super::matrix_market::{self, Entry};
use super::number::Decimal;
use remapping::chain::{ChainError, Joint, JointRows, Shared};
use serde::Deserialize;
use std::ops::Range;
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
        let (size, entries) = self.entries(folder, states, None)?;
        Joint::from_entries(size, &entries).map_err(|error| self.fault(folder, &error))
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
        let (size, entries) = self.entries(folder, states, Some(own.clone()))?;
        JointRows::from_entries(size, own, &entries).map_err(|error| self.fault(folder, &error))
    }

    /// The number of rows, and the entries of all of them or of some.
    fn entries(
        &self,
        folder: &Path,
        states: usize,
        own: Option<Range<usize>>,
    ) -> Result<(usize, Vec<Entry>), String> {
        match self {
            Transition::File(name) => {
                let path = folder.join(name);
                if !path.is_file() {
                    let shown = path.display();
                    return Err(format!("cannot read {shown}: there is no such file"));
                }
                Ok((states, matrix_market::read(&path, states, own.unwrap_or(0..states))?))
            }
            Transition::Dense(rows) => {
                let of_row = |(i, row): (usize, &Vec<Decimal>)| {
                    let positive = row.iter().enumerate().filter(|(_, p)| p.value != 0.0);
                    positive.map(|(j, p)| (i, j, p.value)).collect::<Vec<_>>()
                };
                let wanted = |(i, _): &(usize, &Vec<Decimal>)| {
                    own.as_ref().is_none_or(|own| own.contains(i))
                };
                let entries = rows.iter().enumerate().filter(wanted).flat_map(of_row);
                Ok((rows.len(), entries.collect()))
            }
        }
    }

    /// A fault of the chain, with the file that states it.
    fn fault(&self, folder: &Path, error: &ChainError) -> String {
        match self {
            Transition::Dense(_) => error.to_string(),
            Transition::File(name) => format!("{}: {error}", folder.join(name).display()),
        }
    }
}
