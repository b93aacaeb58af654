//! The checkpoint of several ranks, each of which has its own states: one file, in which each
//! writes and reads its part.

use super::{Checkpoint, DAMAGED, Saved, combined, head, read_head, write_numbers};
use crate::complaint::Complaint;
use crc32fast::Hasher;
use remapping::communicator::{Communicator, Shares};
use remapping::load_drift::Snapshot;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The connection of the ranks, and the owners of the states.
type Others<'o> = (&'o dyn Communicator, &'o Shares);

impl Checkpoint {
    /// The snapshot of the own states, from a file that any number of ranks, or `remap solve`, has
    /// saved. All ranks call it.
    ///
    /// # Errors
    /// The file is damaged or belongs to another computation: the same error on all ranks.
    pub fn load_shared(&self, (others, shares): Others<'_>) -> Result<Option<Saved>, Complaint> {
        let found = if others.rank() == 0 { self.beginning() } else { Ok(None) };
        let (found, reason) = match found {
            Ok(found) => (found, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let mut state = [if found.is_some() { 1.0 } else { 0.0 }, reason.iter().len() as f64];
        others.largest(&mut state);
        match state {
            [_, 1.0] => {
                let reason = reason.unwrap_or_else(|| "the first rank".to_owned());
                return Err(self.refuse(&format!("cannot be read: {reason}")));
            }
            [0.0, _] => return Ok(None),
            _ => {}
        }
        let bytes = told(others, found);
        let (bytes, sum) = bytes.split_last_chunk::<4>().ok_or_else(|| self.refuse(DAMAGED))?;
        let mut head = read_head(bytes, &self.identity).map_err(|reason| self.refuse(reason))?;
        let own = shares.own(others.rank());
        let fits = head.states == shares.total();
        let found = fits.then(|| self.vectors(&head, own)).flatten();
        let mut broken = [if found.is_some() { 0.0 } else { 1.0 }];
        others.largest(&mut broken);
        let (vectors, sums) =
            found.filter(|_| broken == [0.0]).ok_or_else(|| self.refuse(DAMAGED))?;
        let all = together((others, shares), &bytes[..head.length], &sums);
        head.saved.snapshot.vectors = vectors;
        if all == u32::from_le_bytes(*sum) {
            Ok(Some(head.saved))
        } else {
            Err(self.refuse(DAMAGED))
        }
    }

    /// Checks whether the computation can continue from an existing file, without reading its
    /// vectors. All ranks call it.
    ///
    /// # Errors
    /// As of [`load_shared`](Self::load_shared), without damage.
    pub fn check_shared(&self, others: &dyn Communicator) -> Result<(), Complaint> {
        let found = if others.rank() == 0 { self.beginning() } else { Ok(None) };
        let reason = match found {
            Ok(None) => None,
            Ok(Some(bytes)) => read_head(&bytes, &self.identity).err().map(str::to_owned),
            Err(error) => Some(format!("cannot be read: {error}")),
        };
        let reason = told(others, reason.map(String::into_bytes));
        match String::from_utf8_lossy(&reason) {
            reason if reason.is_empty() => Ok(()),
            reason => Err(self.refuse(&reason)),
        }
    }

    /// Saves a snapshot and the vectors, of which each rank passes its own part. The notes are
    /// those of the first rank.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save_shared(
        &mut self,
        (others, shares): Others<'_>,
        (snapshot, vectors): (&Snapshot, &[&[f64]]),
        notes: &[u64],
    ) -> Result<(), Complaint> {
        let (first, own) = (others.rank() == 0, shares.own(others.rank()));
        let head = head(snapshot, notes, (vectors.len(), shares.total()), &self.identity);
        let beside = beside(&self.path);
        let begun = Instant::now();
        let mut failed = None;
        let mut length = [0.0];
        if first {
            length = [head.len() as f64];
            failed = begin(&beside, &head).err();
        }
        others.largest(&mut length);
        if all_can(others, &failed) {
            let place =
                |vector: usize| length[0] as u64 + 8 * (vector * shares.total() + own.start) as u64;
            let parts = vectors.iter().enumerate();
            let written =
                parts.map(|(vector, numbers)| write_part(&beside, place(vector), numbers));
            let written: io::Result<Vec<u32>> = written.collect();
            let sums = written.unwrap_or_else(|error| {
                failed = Some(error);
                Vec::new()
            });
            if all_can(others, &failed) {
                let sum = together((others, shares), &head, &sums);
                if first {
                    let end = place(vectors.len());
                    failed = finish(&beside, end, sum, &self.path).err();
                }
            }
        }
        self.note(begun);
        if all_can(others, &failed) {
            return Ok(());
        }
        if first {
            // The file may not exist.
            let _ = std::fs::remove_file(&beside);
        }
        let reason =
            failed.map_or_else(|| "another rank failed".to_owned(), |error| error.to_string());
        let message = format!("cannot write {}: {reason}", self.path.display());
        Err(Complaint::elsewhere(message, "choose a folder that all ranks can write to"))
    }
}

/// The name of the file until it is complete.
fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".remap-mpi-");
    name.push(path.file_name().unwrap_or_default());
    path.with_file_name(name)
}

fn begin(path: &Path, head: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = File::create(path)?;
    file.write_all(head)?;
    file.sync_all()
}

fn finish(path: &Path, end: u64, sum: u32, name: &Path) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    file.seek(SeekFrom::Start(end))?;
    file.write_all(&sum.to_le_bytes())?;
    file.sync_all()?;
    std::fs::rename(path, name)
}

/// Writes numbers at this offset of an existing file; returns their checksum.
fn write_part(path: &Path, place: u64, numbers: &[f64]) -> io::Result<u32> {
    let mut file = File::options().write(true).open(path)?;
    file.seek(SeekFrom::Start(place))?;
    let mut hasher = Hasher::new();
    write_numbers(numbers, &mut hasher, &mut file)?;
    file.sync_all()?;
    Ok(hasher.finalize())
}

/// The checksum of the whole file, from those of the parts of all ranks.
fn together((others, shares): Others<'_>, head: &[u8], own: &[u32]) -> u32 {
    let own: Vec<f64> = own.iter().map(|sum| f64::from(*sum)).collect();
    let all = others.gather(&own);
    let parts =
        (0..own.len()).flat_map(|vector| (0..others.ranks()).map(move |rank| (vector, rank)));
    let part = |(vector, rank)| (all[rank * own.len() + vector] as u32, shares.own(rank).len());
    combined(head, parts.map(part))
}

/// Whether nothing has failed on any rank.
fn all_can(others: &dyn Communicator, failed: &Option<io::Error>) -> bool {
    let mut fails = [if failed.is_some() { 1.0 } else { 0.0 }];
    others.largest(&mut fails);
    fails == [0.0]
}

/// The bytes of the first rank, on all ranks.
fn told(others: &dyn Communicator, bytes: Option<Vec<u8>>) -> Vec<u8> {
    let numbers = bytes.iter().flatten().map(|byte| f64::from(*byte)).collect::<Vec<_>>();
    others.gather(&numbers).into_iter().map(|byte| byte as u8).collect()
}
