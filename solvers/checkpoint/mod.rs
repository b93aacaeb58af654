//! Checkpoints of long recursions: written atomically, with a checksum, and bound to their model.

mod identity;
mod shared;

pub use identity::{Identity, Iteration};

use crate::complaint::Complaint;
use crate::output::write_with;
use crc32fast::Hasher;
use remapping::load_drift::Snapshot;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The first bytes of a checkpoint; the number is the version of the layout.
const MAGIC: &[u8; 16] = b"remap-snapshot-3";

/// The least time between two saves; and the least ratio of computing to saving time.
const INTERVAL: Duration = Duration::from_secs(2);
const WORTH: u32 = 20;

/// The assumed speed of writing files.
const BYTES_IN_A_SECOND: u64 = 500_000_000;

/// How many numbers are written or read at once.
const CHUNK: usize = 1 << 13;

/// The path of the checkpoint in the folder of the results of the model at `name`.
pub fn beside(folder: &Path, name: &Path) -> PathBuf {
    let mut path = folder.join(name.file_stem().unwrap_or_default()).into_os_string();
    path.push(".checkpoint");
    path.into()
}

/// The content of a checkpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    /// The state of the recursion.
    pub snapshot: Snapshot,
    /// Results recorded so far.
    pub notes: Vec<u64>,
}

/// The checkpoint of one computation.
pub struct Checkpoint {
    path: PathBuf,
    identity: Identity,
    saved: Instant,
    /// The duration of the last save, or the expected one of the first.
    took: Duration,
}

impl Checkpoint {
    /// The checkpoint of the computation with this identity. It is next to the results if there is
    /// a folder for them, and otherwise in the user's cache.
    pub fn new(folder: Option<&Path>, name: &Path, identity: Identity) -> Checkpoint {
        let path = match folder {
            Some(folder) => beside(folder, name),
            None => cache().join(identity.name()),
        };
        Checkpoint::at(path, identity)
    }

    /// The checkpoint of the computation in this file.
    pub fn at(path: PathBuf, identity: Identity) -> Checkpoint {
        let (saved, took) = (Instant::now(), Duration::ZERO);
        Checkpoint { path, identity, saved, took }
    }

    /// Sets the expected size: the longer a save is expected to take, the later the first one is
    /// made.
    #[must_use]
    pub fn of_size(self, bytes: u64) -> Checkpoint {
        Checkpoint { took: Duration::from_secs(bytes / BYTES_IN_A_SECOND), ..self }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The saved snapshot, if there is one.
    ///
    /// # Errors
    /// The file is damaged, or belongs to another computation.
    pub fn load(&self) -> Result<Option<Saved>, Complaint> {
        match self.beginning() {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => self.rest(&bytes).map(Some).map_err(|reason| self.refuse(reason)),
            Err(error) => Err(self.refuse(&format!("cannot be read: {error}"))),
        }
    }

    /// Reads the whole file, which has this beginning.
    fn rest(&self, bytes: &[u8]) -> Result<Saved, &'static str> {
        let (bytes, sum) = bytes.split_last_chunk::<4>().ok_or(DAMAGED)?;
        let mut head = read_head(bytes, &self.identity)?;
        let (vectors, sums) = self.vectors(&head, 0..head.states).ok_or(DAMAGED)?;
        let parts = sums.into_iter().map(|sum| (sum, head.states));
        let is_same = combined(&bytes[..head.length], parts) == u32::from_le_bytes(*sum);
        head.saved.snapshot.vectors = vectors;
        if is_same { Ok(head.saved) } else { Err(DAMAGED) }
    }

    /// This part of each vector, with its checksum; `None` if one cannot be read or is not finite.
    fn vectors(&self, head: &Head, part: Range<usize>) -> Option<(Vec<Vec<f64>>, Vec<u32>)> {
        let read = |vector: usize| {
            let place = head.length + 8 * (vector * head.states + part.start);
            let (numbers, sum) = read_part(&self.path, place as u64, part.len()).ok()?;
            numbers.iter().all(|number| number.is_finite()).then_some((numbers, sum))
        };
        (0..head.vectors).map(read).collect()
    }

    /// The part before the vectors, and the sum at the end. A file of the wrong length is
    /// truncated, so that it is refused.
    fn beginning(&self) -> io::Result<Option<Vec<u8>>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let all = file.metadata()?.len();
        let mut bytes = Vec::new();
        let mut length = 1 << 16;
        loop {
            Read::by_ref(&mut file).take(length).read_to_end(&mut bytes)?;
            // All ranks must report the same fault. A beginning that is too short looks damaged.
            let short = bytes.starts_with(MAGIC)
                && read_head(&bytes, &self.identity).is_err_and(|reason| reason == DAMAGED);
            if !short || bytes.len() as u64 >= all.min(1 << 32) {
                break;
            }
            length *= 2;
        }
        if let Ok(Head { vectors, states, length, .. }) = read_head(&bytes, &self.identity) {
            let numbers = vectors.checked_mul(states).and_then(|numbers| numbers.checked_mul(8));
            let expected = numbers.and_then(|numbers| numbers.checked_add(length + 4));
            if expected != usize::try_from(all).ok() {
                // The length must be exact.
                bytes.truncate(3);
                return Ok(Some(bytes));
            }
            bytes.truncate(length);
        }
        if all < 4 {
            return Ok(Some(bytes));
        }
        let mut sum = [0; 4];
        file.seek(SeekFrom::Start(all - 4))?;
        file.read_exact(&mut sum)?;
        bytes.extend(sum);
        Ok(Some(bytes))
    }

    /// Whether the last save is long enough ago.
    pub fn is_due(&self) -> bool {
        self.saved.elapsed() >= INTERVAL.max(WORTH * self.took)
    }

    /// Records a save that began at `begun`.
    fn note(&mut self, begun: Instant) {
        self.saved = Instant::now();
        self.took = self.saved - begun;
    }

    /// Saves the snapshot with the recorded notes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&mut self, snapshot: &Snapshot, notes: &[u64]) -> Result<(), Complaint> {
        let begun = Instant::now();
        if let Some(folder) = self.path.parent() {
            // A fault of the folder is reported when the file is written.
            let _ = std::fs::create_dir_all(folder);
        }
        let written =
            write_with(&self.path, true, |file| encode(snapshot, notes, &self.identity, file));
        self.note(begun);
        written
    }

    /// Removes the file when the computation is finished.
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

/// The layout: MAGIC, length and JSON of the identity, remaining steps, number of notes, limits,
/// words of the region and vectors, states, the notes, the limits, the words, the vectors, and the
/// CRC-32 of all this. Numbers are little-endian.
fn encode(
    snapshot: &Snapshot,
    notes: &[u64],
    identity: &Identity,
    mut file: impl Write,
) -> io::Result<()> {
    let states = snapshot.vectors.first().map_or(0, Vec::len);
    let head = head(snapshot, notes, (snapshot.vectors.len(), states), identity);
    let mut hasher = Hasher::new();
    hasher.update(&head);
    file.write_all(&head)?;
    for vector in &snapshot.vectors {
        write_numbers(vector, &mut hasher, &mut file)?;
    }
    file.write_all(&hasher.finalize().to_le_bytes())
}

/// Writes these numbers and adds them to the checksum.
fn write_numbers(numbers: &[f64], sum: &mut Hasher, file: &mut impl Write) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(8 * CHUNK);
    for numbers in numbers.chunks(CHUNK) {
        bytes.clear();
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        sum.update(&bytes);
        file.write_all(&bytes)?;
    }
    Ok(())
}

/// Reads `count` numbers at this offset of a file, and returns them with their checksum.
fn read_part(path: &Path, place: u64, count: usize) -> io::Result<(Vec<f64>, u32)> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(place))?;
    let (mut hasher, mut numbers) = (Hasher::new(), Vec::with_capacity(count));
    let mut bytes = vec![0; 8 * CHUNK];
    while numbers.len() < count {
        let bytes = &mut bytes[..8 * CHUNK.min(count - numbers.len())];
        file.read_exact(bytes)?;
        hasher.update(bytes);
        numbers.extend(bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)));
    }
    Ok((numbers, hasher.finalize()))
}

/// The checksum of a beginning and of parts with these checksums and numbers of entries.
fn combined(head: &[u8], parts: impl Iterator<Item = (u32, usize)>) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(head);
    for (sum, numbers) in parts {
        hasher.combine(&Hasher::new_with_initial_len(sum, 8 * numbers as u64));
    }
    hasher.finalize()
}

/// The part before the vectors. Each vector has an entry for each state.
fn head(
    snapshot: &Snapshot,
    notes: &[u64],
    (vectors, states): (usize, usize),
    identity: &Identity,
) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let identity = identity.to_json();
    bytes.extend_from_slice(&(identity.len() as u64).to_le_bytes());
    bytes.extend_from_slice(identity.as_bytes());
    let (limits, region) = (&snapshot.limits, &snapshot.region);
    let sizes = [notes.len(), limits.len(), region.len(), vectors, states];
    let sizes = sizes.map(|size| size as u64);
    let limits = limits.iter().map(|&limit| u64::from(limit));
    let numbers = [snapshot.remaining].into_iter().chain(sizes).chain(notes.iter().copied());
    for number in numbers.chain(limits).chain(region.iter().copied()) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes
}

const DAMAGED: &str = "is damaged";

/// The part before the vectors, the number of vectors and of states, and the length of that part in
/// bytes.
struct Head {
    saved: Saved,
    vectors: usize,
    states: usize,
    length: usize,
}

fn read_head(bytes: &[u8], identity: &Identity) -> Result<Head, &'static str> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("is not a checkpoint of this version")?;
    let (length, rest) = number(rest).ok_or(DAMAGED)?;
    let (text, rest) = rest.split_at_checked(length as usize).ok_or(DAMAGED)?;
    if Identity::from_json(text).ok_or(DAMAGED)? != *identity {
        return Err("belongs to another model, or to other options");
    }
    let (words, _) = rest.as_chunks::<8>();
    let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().ok_or(DAMAGED);
    let [remaining, notes, limits, region] = [next()?, next()?, next()?, next()?];
    let [vectors, states] = [next()?, next()?].map(|count| count as usize);
    let left = words.len() as u64;
    let lists = notes.checked_add(limits).and_then(|both| both.checked_add(region));
    let lists = lists.filter(|all| *all <= left && states > 0).ok_or(DAMAGED)? as usize;
    let mut list = |count: u64| -> Vec<u64> { words.by_ref().take(count as usize).collect() };
    let (notes, limits, region) = (list(notes), list(limits), list(region));
    let limits = limits.iter().map(|&limit| u32::try_from(limit)).collect::<Result<_, _>>();
    let limits = limits.map_err(|_| DAMAGED)?;
    let snapshot = Snapshot { remaining, limits, vectors: Vec::new(), region };
    let length = MAGIC.len() + 8 + text.len() + 8 * (6 + lists);
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

    fn identity(steps: u64) -> Identity {
        let problem = serde_json::json!({"": "LoadDrift", "steps": steps.to_string()});
        Identity::new(problem, None, Iteration::Recursion { step: None })
    }

    /// Reads a file with these bytes as a program of `steps` steps does.
    fn read(bytes: &[u8], steps: u64) -> Result<Option<Saved>, String> {
        let folder = tempfile::tempdir().unwrap();
        let name = Path::new("model.ron");
        let checkpoint = Checkpoint::new(Some(folder.path()), name, identity(steps));
        std::fs::write(checkpoint.path(), bytes).unwrap();
        checkpoint.load().map_err(|complaint| complaint.to_string())
    }

    fn encoded() -> Vec<u8> {
        let (Saved { snapshot, notes }, mut bytes) = (saved(), Vec::new());
        encode(&snapshot, &notes, &identity(7), &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn comes_back_bit_for_bit() {
        let bytes = encoded();
        assert_eq!(read(&bytes, 7), Ok(Some(saved())));
        assert!(read(&bytes, 8).is_err_and(|reason| reason.contains("another model")));
        let older = [b"remap-snapshot-2", &bytes[16..]].concat();
        assert!(
            read(&older, 7)
                .is_err_and(|reason| reason.contains("not a checkpoint of this version"))
        );
    }

    proptest! {
        #[test]
        fn any_damage_shows(at in 0usize..1000, bit in 0u8..8, cut in 0usize..1000) {
            let bytes = encoded();
            let mut flipped = bytes.clone();
            flipped[at % bytes.len()] ^= 1 << bit;
            prop_assert!(read(&flipped, 7).is_err());
            prop_assert!(read(&bytes[..cut % bytes.len()], 7).is_err());
        }
    }
}
