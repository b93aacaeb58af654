//! Checkpoints of long recursions: written whole or not at all, checksummed, bound to their model.

mod shared;

use crate::complaint::Complaint;
use crate::output::write_file;
use remapping::drift::Snapshot;
use std::path::{Path, PathBuf};
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

    /// The snapshot saved earlier, if there is one.
    ///
    /// # Errors
    /// A file that is damaged, or belongs to another computation.
    pub fn load(&self) -> Result<Option<Saved>, Complaint> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.refuse(&format!("cannot be read: {error}"))),
        };
        decode(&bytes, &self.identity).map(Some).map_err(|reason| self.refuse(reason))
    }

    /// Whether the last save is some seconds ago.
    pub fn is_due(&self) -> bool {
        self.saved.elapsed() >= INTERVAL
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
    let mut bytes = head(snapshot, notes, states, identity);
    bytes.reserve(8 * states * snapshot.vectors.len() + 4);
    for value in snapshot.vectors.iter().flatten() {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    let sum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// All that comes before the vectors, which have an entry for each of so many states.
fn head(snapshot: &Snapshot, notes: &[u64], states: usize, identity: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
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
    bytes
}

const DAMAGED: &str = "is damaged";

fn decode(bytes: &[u8], identity: &str) -> Result<Saved, &'static str> {
    let (body, sum) = bytes.split_last_chunk::<4>().ok_or(DAMAGED)?;
    layout(body)?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err(DAMAGED);
    }
    let Head { mut saved, vectors, states, length } = read_head(body, identity)?;
    let (numbers, odd) = body[length..].as_chunks::<8>();
    if !odd.is_empty() || vectors.checked_mul(states) != Some(numbers.len()) {
        return Err(DAMAGED);
    }
    let numbers = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes));
    let numbers: Vec<f64> = numbers.collect();
    if !numbers.iter().all(|number| number.is_finite()) {
        return Err(DAMAGED);
    }
    saved.snapshot.vectors = numbers.chunks(states).map(<[f64]>::to_vec).collect();
    Ok(saved)
}

/// Whether what begins like this has words of a region, and what follows.
fn layout(bytes: &[u8]) -> Result<(bool, &[u8]), &'static str> {
    let known = [(&MAGIC[..], true), (&FIRST[..], false)];
    let found = known.iter().find_map(|(magic, has)| Some((*has, bytes.strip_prefix(*magic)?)));
    found.ok_or("is not a checkpoint of this version")
}

/// What comes before the vectors, how many these are, how many states, and how many bytes that takes.
struct Head {
    saved: Saved,
    vectors: usize,
    states: usize,
    length: usize,
}

fn read_head(bytes: &[u8], identity: &str) -> Result<Head, &'static str> {
    let (has_region, rest) = layout(bytes)?;
    let (length, rest) = number(rest).ok_or(DAMAGED)?;
    let (text, rest) = rest.split_at_checked(length as usize).ok_or(DAMAGED)?;
    if text != identity.as_bytes() {
        return Err("belongs to another model, or to other options");
    }
    let (words, _) = rest.as_chunks::<8>();
    let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().ok_or(DAMAGED);
    let [remaining, notes, limits] = [next()?, next()?, next()?];
    let region = if has_region { next()? } else { 0 };
    let [vectors, states] = [next()?, next()?].map(|count| count as usize);
    let left = words.len() as u64;
    let lists = notes.checked_add(limits).and_then(|both| both.checked_add(region));
    let lists = lists.filter(|all| *all <= left && states > 0).ok_or(DAMAGED)? as usize;
    let mut list = |count: u64| -> Vec<u64> { words.by_ref().take(count as usize).collect() };
    let (notes, limits, region) = (list(notes), list(limits), list(region));
    let limits = limits.iter().map(|&limit| u32::try_from(limit)).collect::<Result<_, _>>();
    let limits = limits.map_err(|_| DAMAGED)?;
    let snapshot = Snapshot { remaining, limits, vectors: Vec::new(), region };
    let sizes = if has_region { 6 } else { 5 };
    let length = MAGIC.len() + 8 + identity.len() + 8 * (sizes + lists);
    Ok(Head { saved: Saved { snapshot, notes }, vectors, states, length })
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
