//! Where the iterations of a stopping problem stand, saved by all ranks so that any number of ranks
//! can go on from there.
//!
//! A problem may take several iterations one after the other (with `Restart`: that of `Stop`, the
//! average of the best policy, the average of that of `Stop`). Each has a file of its own:
//! `NAME.checkpoint`, `NAME.checkpoint-2`, `NAME.checkpoint-3`.

use crate::ffi;
use crate::ranks::Ranks;
use remap::checkpoint::{self, Identity, Saved};
use remap::commands::report;
use remap::complaint::Complaint;
use remap::output::say;
use remapping::Communicator;
use remapping::communicator::{Shares, Standing};
use remapping::load_drift::Snapshot;
use std::path::{Path, PathBuf};

/// The most iterations of one problem.
const ITERATIONS: usize = 3;

/// The checkpoints of one computation.
pub struct Checkpoint {
    path: PathBuf,
    identity: Identity,
    /// Whether there may be earlier ones to go on from.
    resumes: bool,
    /// That of the iteration under way.
    current: Option<checkpoint::Checkpoint>,
    /// How many iterations have begun.
    begun: usize,
    /// Whether an iteration has been stopped: what follows it is not worth saving.
    stopped: bool,
    exists: bool,
}

impl Checkpoint {
    /// Those at this path of the computation with this identity.
    pub fn new(path: PathBuf, identity: Identity, resumes: bool) -> Self {
        let (current, begun, stopped, exists) = (None, 0, false, false);
        Self { path, identity, resumes, current, begun, stopped, exists }
    }

    /// Whether the computation may go on from what is there, or replace it. All ranks call it.
    ///
    /// # Errors
    /// A file of another computation, which is not overwritten unless that was asked for.
    pub fn check(&self, ranks: &Ranks) -> Result<(), Complaint> {
        if !self.resumes {
            if ranks.rank() == 0 {
                self.remove();
            }
            return Ok(());
        }
        (0..ITERATIONS).try_for_each(|k| self.file(k).check_shared(ranks))
    }

    fn file(&self, iteration: usize) -> checkpoint::Checkpoint {
        let mut path = self.path.clone().into_os_string();
        if iteration > 0 {
            path.push(format!("-{}", iteration + 1));
        }
        checkpoint::Checkpoint::at(path.into(), self.identity.clone())
    }

    /// Removes the files: the computation is done. Rank 0 does.
    pub fn remove(&self) {
        (0..ITERATIONS).for_each(|k| self.file(k).remove());
    }

    /// Where they are kept, if any has been written or gone on from.
    pub fn written(&self) -> Option<&Path> {
        self.exists.then_some(&self.path)
    }

    /// Where the next iteration stands in its file.
    pub fn resume(&mut self, ranks: &Ranks, shares: &Shares) -> Option<Standing<'static>> {
        // Iterations save two or three vectors.
        let file = self.file(self.begun).of_size(24 * shares.total() as u64);
        self.begun += 1;
        let found = if self.resumes { file.load_shared((ranks, shares)) } else { Ok(None) };
        let place = file.path().display().to_string();
        self.current = Some(file);
        match found {
            Ok(None) => None,
            Ok(Some(Saved { snapshot, notes })) => {
                self.exists = true;
                if ranks.rank() == 0 {
                    say(&format!(
                        "resuming after {} applications from {place}",
                        snapshot.remaining
                    ));
                }
                let vectors = snapshot.vectors.into_iter().map(Into::into).collect();
                Some(Standing { words: notes, vectors })
            }
            Err(complaint) => {
                if ranks.rank() == 0 {
                    report(&[complaint]);
                }
                ffi::stop();
                std::process::exit(1);
            }
        }
    }

    /// Saves, if it is time.
    pub fn save<'s>(
        &mut self,
        ranks: &Ranks,
        shares: &Shares,
        standing: &dyn Fn() -> Standing<'s>,
        is_last: bool,
    ) {
        let Some(file) = self.current.as_mut().filter(|_| !self.stopped) else { return };
        // Rank 0 says when.
        let mut saves = [if ranks.rank() == 0 && (is_last || file.is_due()) { 1.0 } else { 0.0 }];
        ranks.largest(&mut saves);
        self.stopped = is_last;
        if saves == [0.0] {
            return;
        }
        let Standing { words, vectors } = standing();
        // All begin their words with how far they are.
        let remaining = words.first().copied().unwrap_or(0);
        let snapshot = Snapshot { remaining, ..Snapshot::default() };
        let vectors: Vec<&[f64]> = vectors.iter().map(|vector| &vector[..]).collect();
        match file.save_shared((ranks, shares), (&snapshot, &vectors), &words) {
            Ok(()) => self.exists = true,
            Err(complaint) if ranks.rank() == 0 => say(&format!("warning: not saved: {complaint}")),
            Err(_) => {}
        }
    }
}
