//! Snapshots of the backward recursion, from which it can be resumed.

use super::backward::Backward;
use crate::chain::ChainError;
use crate::load_drift::variants::delayed::Late;

/// State of the recursion: all that is needed to resume it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// Steps still to be computed.
    pub remaining: u64,
    /// By total: states with r (max - mean) beyond this are not in the vectors.
    pub limits: Vec<u32>,
    /// Value, and if carried work and number of remaps, of every state.
    pub vectors: Vec<Vec<f64>>,
    /// The region that the next steps visit, or the values of remaps in progress, encoded as words.
    pub region: Vec<u64>,
}

impl Backward<'_> {
    /// Resumes from a snapshot of the same recursion.
    ///
    /// # Errors
    /// A snapshot of another shape.
    pub fn resume(&mut self, snapshot: Snapshot) -> Result<(), ChainError> {
        check("vectors of the snapshot", self.vectors.len(), snapshot.vectors.len())?;
        for vector in &snapshot.vectors {
            check("states of the snapshot", self.states.count(), vector.len())?;
        }
        let most = self.problem.steps.min(snapshot.remaining);
        check("steps of the snapshot", most as usize, snapshot.remaining as usize)?;
        check("totals of the snapshot", self.limits.len(), snapshot.limits.len())?;
        // A limit may lie one move, and the safety margin added to it, beyond the largest excess.
        let beyond = self.remapping.balanced_excess() + self.remapping.farthest() + 1;
        for &limit in &snapshot.limits {
            let most = (self.states.largest_excess() + beyond).min(limit);
            check("limits of the snapshot", most as usize, limit as usize)?;
        }
        self.remaining = snapshot.remaining;
        self.expected.clone_from(&snapshot.limits);
        self.limits = snapshot.limits;
        self.vectors = snapshot.vectors;
        self.goes_on = None;
        match self.late {
            Some(_) => self.resume_late(&snapshot.region),
            None => self.resume_region(&snapshot.region),
        }
    }

    /// What is needed to resume from here, for the own states.
    pub fn snapshot(&self) -> Snapshot {
        let (limits, vectors) = (self.limits.clone(), self.written());
        Snapshot { remaining: self.remaining, limits, vectors, region: self.words() }
    }

    /// Passes [`snapshot`](Self::snapshot) to a function without a copy of the vectors.
    pub fn show<T>(&mut self, to: impl FnOnce(&Snapshot) -> T) -> T {
        let snapshot = self.taken();
        let seen = to(&snapshot);
        self.vectors = snapshot.vectors;
        seen
    }

    /// [`snapshot`](Self::snapshot) of a recursion that stops here, without a copy of the vectors.
    pub fn into_snapshot(mut self) -> Snapshot {
        self.taken()
    }

    /// A snapshot with the vectors themselves.
    fn taken(&mut self) -> Snapshot {
        if let Some(region) = &self.region {
            region.write(&mut self.vectors, &self.ranks);
        }
        let (limits, region) = (self.limits.clone(), self.words());
        let vectors = std::mem::take(&mut self.vectors);
        Snapshot { remaining: self.remaining, limits, vectors, region }
    }

    /// The encoded part of a snapshot.
    fn words(&self) -> Vec<u64> {
        self.late.as_ref().map_or_else(|| self.saved_region(), Late::words)
    }

    /// The vectors, with the values of the region written to them.
    pub(in crate::load_drift) fn written(&self) -> Vec<Vec<f64>> {
        let mut vectors = self.vectors.clone();
        if let Some(region) = &self.region {
            region.write(&mut vectors, &self.ranks);
        }
        vectors
    }
}

/// Fails where a part of a snapshot has another shape than expected.
pub(in crate::load_drift) fn check(
    what: &str,
    expected: usize,
    found: usize,
) -> Result<(), ChainError> {
    match expected == found {
        true => Ok(()),
        false => Err(ChainError::Shape { what: what.into(), expected, found }),
    }
}
