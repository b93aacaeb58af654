//! The checkpoint of a recursion on one rank or several.

use crate::checkpoint::Checkpoint;
use crate::complaint::Complaint;
use remapping::communicator::Shares;
use remapping::load_drift::{Backward, Decisions, Ranks};
use std::path::Path;

/// Collects the costs of the states of all ranks on the first.
pub(in crate::problems::load_drift) fn collected(
    own: Vec<Option<f64>>,
    ranks: &Ranks,
) -> Vec<Option<f64>> {
    let Some((others, _)) = ranks.others() else { return own };
    let numbers: Vec<f64> = own.into_iter().map(|cost| cost.unwrap_or(-1.0)).collect();
    // Costs are not negative.
    others
        .collect(&numbers)
        .into_iter()
        .map(|cost| Some(cost).filter(|cost| *cost >= 0.0))
        .collect()
}

/// Collects the decisions of all ranks on the first.
pub(in crate::problems::load_drift) fn whole(own: &Decisions, ranks: &Ranks) -> Option<Decisions> {
    let Some((others, shares)) = ranks.others() else { return Some(own.clone()) };
    let words: Vec<f64> = own.words().iter().map(|word| f64::from_bits(*word)).collect();
    let words = others.collect(&words).into_iter().map(f64::to_bits).collect();
    Decisions::from_words(shares.total(), words)
}

/// Where the recursion is saved.
pub(in crate::problems::load_drift) struct Kept {
    checkpoint: Checkpoint,
    ranks: Ranks,
    /// The number of remaining steps in the file, if there is one.
    left: Option<u64>,
}

impl Kept {
    /// A checkpoint in this file, which has `left` remaining steps already.
    pub fn new(checkpoint: Checkpoint, ranks: Ranks, left: Option<u64>) -> Self {
        Self { checkpoint, ranks, left }
    }

    /// The ranks that share the recursion.
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// Assigns the states to the ranks anew.
    pub fn share(&mut self, shares: Shares) {
        self.ranks = self.ranks.with(shares);
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.checkpoint.path()
    }

    /// Removes the file when the recursion is done.
    pub fn remove(&self) {
        if self.is_first() {
            self.checkpoint.remove();
        }
    }

    /// Whether it is time to save; the first rank decides.
    pub fn is_due(&self) -> bool {
        let due = self.checkpoint.is_due();
        let Some((others, _)) = self.ranks.others() else { return due };
        let mut due = [if due && others.rank() == 0 { 1.0 } else { 0.0 }];
        others.largest(&mut due);
        due == [1.0]
    }

    /// Saves the recursion with the recorded notes, unless this step is saved already.
    pub fn save(&mut self, backward: &mut Backward<'_>, notes: Vec<u64>) -> Result<(), Complaint> {
        let left = Some(backward.remaining());
        if self.left == left {
            return Ok(());
        }
        backward.show(|snapshot| match self.ranks.others() {
            Some(others) => {
                let vectors: Vec<&[f64]> = snapshot.vectors.iter().map(|all| &all[..]).collect();
                self.checkpoint.save_shared(others, (snapshot, &vectors), &notes)
            }
            None => self.checkpoint.save(snapshot, &notes),
        })?;
        self.left = left;
        Ok(())
    }

    /// Whether this is the rank that prints messages.
    pub fn is_first(&self) -> bool {
        self.ranks.others().is_none_or(|(others, _)| others.rank() == 0)
    }
}
