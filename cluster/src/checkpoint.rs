//! What value iteration needs to go on, saved by all ranks in one file that any number of ranks can take up.

use crate::ffi;
use crate::files;
use crate::ranks::Ranks;
use remap::output::say;
use remapping::Communicator;
use remapping::communicator::Shares;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MAGIC: &[u8; 16] = b"remap-mpi-value1";

/// How often it is saved: not before so long, and so many times as long as it took, or before the first time
/// would take on a disk that writes so many bytes a second.
const LEAST: Duration = Duration::from_secs(2);
const SHARE: u32 = 20;
const BYTES_A_SECOND: f64 = 1e8;

/// A checkpoint of one computation.
pub struct Checkpoint {
    path: PathBuf,
    /// The whole problem in words.
    identity: String,
    /// Whether there may be an earlier one to go on from.
    resumes: bool,
    saved: Instant,
    /// How long it took last time.
    took: Option<Duration>,
    exists: bool,
}

impl Checkpoint {
    /// The checkpoint at this path of the computation with this identity.
    pub fn new(path: PathBuf, identity: String, resumes: bool) -> Self {
        Self { path, identity, resumes, saved: Instant::now(), took: None, exists: false }
    }

    /// Removes the file: the computation is done. Rank 0 does.
    pub fn remove(&self) {
        // It may never have been written.
        let _ = std::fs::remove_file(&self.path);
    }

    /// Where it is kept, if it has been written.
    pub fn written(&self) -> Option<&Path> {
        self.exists.then_some(&self.path)
    }

    /// MAGIC, the length of the identity, it, counts, number of entries, and the sum of all numbers.
    fn head(&self, total: usize, counts: [u64; 2], sum: u64) -> Vec<u8> {
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&(self.identity.len() as u64).to_le_bytes());
        head.extend_from_slice(self.identity.as_bytes());
        for number in [counts[0], counts[1], total as u64, sum] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        head
    }

    /// Takes up the counts and the own parts of the vectors.
    pub fn resume(
        &self,
        ranks: &Ranks,
        shares: &Shares,
        vectors: [&mut [f64]; 2],
    ) -> Option<[u64; 2]> {
        // Rank 0 looks whether there is one, and for this computation.
        let told = ranks.tell(&self.counts_of_file(shares.total()).unwrap_or_default());
        let mut numbers = told.split(' ').map(|number| number.parse::<u64>().ok());
        let (counts, sum) = ([numbers.next()??, numbers.next()??], numbers.next()??);
        let (total, start) = (shares.total(), shares.own(ranks.rank()).start);
        let name = files::name(&self.path)?;
        let head = self.head(total, counts, sum).len() as u64;
        let (mut found, mut read) = (0u64, true);
        for (k, vector) in vectors.into_iter().enumerate() {
            let first = k * total + start;
            let mut numbers = vec![0.0; vector.len()];
            read &= ffi::read(&name, head + 8 * first as u64, &mut numbers);
            found = found.wrapping_add(weighted(first, &numbers));
            vector.copy_from_slice(&numbers);
        }
        let whole = ranks.all(read) && all_sums(ranks, found) == sum;
        if !whole {
            if ranks.rank() == 0 {
                let path = self.path.display();
                say(&format!(
                    "error: the checkpoint {path} is damaged: delete it, or start anew with --force"
                ));
            }
            ffi::stop();
            std::process::exit(1);
        }
        if ranks.rank() == 0 {
            say(&format!("resuming after {} applications from {}", counts[0], self.path.display()));
        }
        Some(counts)
    }

    /// The counts and the sum of a file of this computation, in words, on rank 0.
    fn counts_of_file(&self, total: usize) -> Option<String> {
        use std::io::Read;
        if !self.resumes {
            return None;
        }
        let mut head = vec![0; self.head(total, [0; 2], 0).len()];
        std::fs::File::open(&self.path).ok()?.read_exact(&mut head).ok()?;
        let numbers = &head[head.len() - 32..];
        let (numbers, _) = numbers.as_chunks::<8>();
        let [first, second, count, sum] = [0, 1, 2, 3].map(|k| u64::from_le_bytes(numbers[k]));
        let same = count == total as u64 && head == self.head(total, [first, second], sum);
        same.then(|| format!("{first} {second} {sum}"))
    }

    /// Saves, if it is time.
    pub fn save(
        &mut self,
        ranks: &Ranks,
        shares: &Shares,
        counts: [u64; 2],
        vectors: [&[f64]; 2],
        is_last: bool,
    ) {
        let due = is_last || self.saved.elapsed() > pause(16 * shares.total(), self.took);
        // Rank 0 says when.
        let mut saves = [if due && ranks.rank() == 0 { 1.0 } else { 0.0 }];
        ffi::largest(&mut saves);
        if saves == [0.0] {
            return;
        }
        let started = Instant::now();
        let (total, start) = (shares.total(), shares.own(ranks.rank()).start);
        let place = |k: usize| k * total + start;
        let own = weighted(place(0), vectors[0]).wrapping_add(weighted(place(1), vectors[1]));
        let head = self.head(total, counts, all_sums(ranks, own));
        let parts = [0, 1].map(|k| (8 * place(k) as u64, ffi::bytes(vectors[k])));
        match files::write(ranks, &self.path, &head, &parts) {
            Ok(()) => self.exists = true,
            Err(Some(reason)) => {
                say(&format!("warning: not saved: {}: {reason}", self.path.display()));
            }
            Err(None) => {}
        }
        (self.saved, self.took) = (Instant::now(), Some(started.elapsed()));
    }
}

/// How long to compute before so many bytes are saved, which took so long the last time.
fn pause(bytes: usize, took: Option<Duration>) -> Duration {
    let expected = || Duration::from_secs_f64(bytes as f64 / BYTES_A_SECOND);
    LEAST.max(SHARE * took.unwrap_or_else(expected))
}

/// A sum that shows if a number is another, or in another place.
fn weighted(first: usize, numbers: &[f64]) -> u64 {
    let each = numbers.iter().enumerate().map(|(k, number)| {
        number.to_bits().wrapping_mul(((first + k) as u64).wrapping_mul(2).wrapping_add(1))
    });
    each.fold(0, u64::wrapping_add)
}

fn all_sums(ranks: &Ranks, own: u64) -> u64 {
    let all = ffi::counts(own as i64, ranks.ranks());
    all.into_iter().fold(0, |sum, own| sum.wrapping_add(own as u64))
}
