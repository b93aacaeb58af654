//! Checkpoints of long recursions: written whole or not at all, checksummed, bound to their model.

use crate::complaint::Complaint;
use crate::output::write_file;
use remapping::Communicator;
use remapping::drift::Snapshot;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// First bytes of a checkpoint; the number is that of its layout.
const MAGIC: &[u8; 16] = b"remap-snapshot-2";
/// Of the layout without words of a region.
const FIRST: &[u8; 16] = b"remap-snapshot-1";

/// How often a running computation is saved.
const INTERVAL: Duration = Duration::from_secs(5);

/// What is saved.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// Where the recursion stands.
    pub snapshot: Snapshot,
    /// What has been read off on the way.
    pub notes: Vec<u64>,
}

/// The checkpoint of one computation.
pub struct Checkpoint {
    path: PathBuf,
    identity: String,
    saved: Instant,
}

impl Checkpoint {
    /// The checkpoint of the computation with this identity (the whole problem in words): beside
    /// its results if it has a folder for them, and otherwise in the user's cache.
    pub fn new(folder: Option<&Path>, name: &Path, identity: String) -> Checkpoint {
        let path = match folder {
            Some(folder) => folder.join(name.file_stem().unwrap_or_default()),
            None => {
                let key = crc32fast::hash(identity.as_bytes());
                cache().join(format!("{key:08x}-{}", identity.len()))
            }
        };
        let mut path = path.into_os_string();
        path.push(".checkpoint");
        Checkpoint { path: path.into(), identity, saved: Instant::now() }
    }

    /// Where it is kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The snapshot saved earlier, if there is one. Of several ranks the first reads it, for all.
    ///
    /// # Errors
    /// A file that is damaged, or belongs to another computation.
    pub fn load(
        &self,
        communicator: Option<&Arc<dyn Communicator>>,
    ) -> Result<Option<Saved>, Complaint> {
        let read = || match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        let read = communicator.map_or_else(read, |communicator| told(&**communicator, read));
        let Some(bytes) = read.map_err(|reason| self.refuse(&reason))? else { return Ok(None) };
        decode(&bytes, &self.identity).map(Some).map_err(|reason| self.refuse(reason))
    }

    /// Saves if the last save is some seconds ago.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save_now_and_then(&mut self, saved: impl FnOnce() -> Saved) -> Result<(), Complaint> {
        if self.saved.elapsed() < INTERVAL {
            return Ok(());
        }
        self.save(&saved())
    }

    /// Saves.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&mut self, saved: &Saved) -> Result<(), Complaint> {
        if let Some(folder) = self.path.parent() {
            // What is wrong with the folder shows when the file is written.
            let _ = std::fs::create_dir_all(folder);
        }
        let written = write_file(&self.path, &encode(saved, &self.identity), true);
        self.saved = Instant::now();
        written
    }

    /// Removes the file: the computation is done.
    pub fn remove(&self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.path);
    }

    fn refuse(&self, reason: &str) -> Complaint {
        let message = format!("the checkpoint {} {reason}", self.path.display());
        Complaint::elsewhere(message, "delete it, or start anew with --force")
    }
}

type Read = Result<Option<Vec<u8>>, String>;

/// What the first rank reads, on all of them.
fn told(communicator: &dyn Communicator, read: impl Fn() -> Read) -> Read {
    let read = if communicator.rank() == 0 { Some(read()) } else { None };
    let mut words = Vec::new();
    if let Some(Ok(Some(bytes))) = &read {
        words.push(f64::from_bits(bytes.len() as u64));
        words.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            f64::from_le_bytes(word)
        }));
    } else if let Some(Err(_)) = &read {
        words.push(f64::from_bits(u64::MAX));
    }
    let words = communicator.gather(&words);
    if let Some(read) = read {
        return read;
    }
    let Some(length) = words.first().map(|length| length.to_bits()) else { return Ok(None) };
    if length == u64::MAX {
        return Err("cannot be read by the first rank".to_owned());
    }
    let mut bytes: Vec<u8> = words.iter().skip(1).flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(length as usize);
    Ok(Some(bytes))
}

fn cache() -> PathBuf {
    let absolute =
        |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("remap")
}

/// MAGIC, length and text of the identity, remaining, number of notes, limits, words of the region and vectors,
/// states, the notes, the limits, the words, the vectors, and the CRC-32 of all that; numbers are little endian.
fn encode(saved: &Saved, identity: &str) -> Vec<u8> {
    let Saved { snapshot, notes } = saved;
    let states = snapshot.vectors.first().map_or(0, Vec::len);
    let mut bytes = Vec::with_capacity(64 + identity.len() + 8 * states * snapshot.vectors.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&(identity.len() as u64).to_le_bytes());
    bytes.extend_from_slice(identity.as_bytes());
    let (limits, region) = (&snapshot.limits, &snapshot.region);
    let sizes = [notes.len(), limits.len(), region.len(), snapshot.vectors.len(), states];
    let sizes = sizes.map(|size| size as u64);
    let limits = limits.iter().map(|&limit| u64::from(limit));
    let numbers = [snapshot.remaining].into_iter().chain(sizes).chain(notes.iter().copied());
    for number in numbers.chain(limits).chain(region.iter().copied()) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    for value in snapshot.vectors.iter().flatten() {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    let sum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8], identity: &str) -> Result<Saved, &'static str> {
    const DAMAGED: &str = "is damaged";
    let (body, sum) = bytes.split_last_chunk::<4>().ok_or(DAMAGED)?;
    let known = [(&MAGIC[..], true), (&FIRST[..], false)];
    let found = known.iter().find_map(|(magic, has)| Some((body.strip_prefix(*magic)?, *has)));
    let (rest, has_region) = found.ok_or("is not a checkpoint of this version")?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err(DAMAGED);
    }
    let (length, rest) = number(rest).ok_or(DAMAGED)?;
    let (text, rest) = rest.split_at_checked(length as usize).ok_or(DAMAGED)?;
    if text != identity.as_bytes() {
        return Err("belongs to another model, or to other options");
    }
    let (chunks, odd) = rest.as_chunks::<8>();
    let mut words: Vec<u64> = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
    if !has_region && words.len() >= 3 {
        words.insert(3, 0);
    }
    let (&[remaining, notes, limits, region, vectors, states], rest) =
        words.split_first_chunk::<6>().ok_or(DAMAGED)?;
    let (notes, rest) = rest.split_at_checked(notes as usize).ok_or(DAMAGED)?;
    let (limits, rest) = rest.split_at_checked(limits as usize).ok_or(DAMAGED)?;
    let (region, rest) = rest.split_at_checked(region as usize).ok_or(DAMAGED)?;
    if !odd.is_empty() || states == 0 || vectors.checked_mul(states) != Some(rest.len() as u64) {
        return Err(DAMAGED);
    }
    let limits = limits.iter().map(|&limit| u32::try_from(limit)).collect::<Result<_, _>>();
    if rest.iter().any(|&word| !f64::from_bits(word).is_finite()) {
        return Err(DAMAGED);
    }
    let vector = |words: &[u64]| words.iter().map(|&word| f64::from_bits(word)).collect();
    let vectors = rest.chunks(states as usize).map(vector).collect();
    let limits = limits.map_err(|_| DAMAGED)?;
    let snapshot = Snapshot { remaining, limits, vectors, region: region.to_vec() };
    Ok(Saved { snapshot, notes: notes.to_vec() })
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (first, rest) = bytes.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*first), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn saved() -> Saved {
        let vectors = vec![vec![1.5, -0.25], vec![f64::MIN, 0.1]];
        Saved {
            snapshot: Snapshot { remaining: 7, limits: vec![3, 4, 5], vectors, region: vec![8, 1] },
            notes: vec![9],
        }
    }

    #[test]
    fn comes_back_bit_for_bit() {
        let bytes = encode(&saved(), "model");
        assert_eq!(decode(&bytes, "model"), Ok(saved()));
        assert!(decode(&bytes, "other").is_err_and(|reason| reason.contains("another model")));
    }

    proptest! {
        #[test]
        fn any_damage_shows(at in 0usize..1000, bit in 0u8..8, cut in 0usize..1000) {
            let bytes = encode(&saved(), "model");
            let mut flipped = bytes.clone();
            flipped[at % bytes.len()] ^= 1 << bit;
            prop_assert!(decode(&flipped, "model").is_err());
            prop_assert!(decode(&bytes[..cut % bytes.len()], "model").is_err());
        }
    }
}
