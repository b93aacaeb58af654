//! Snapshots of the backward recursion, from which it can be resumed.

use super::backward::Backward;
use super::late::Late;
use crate::chain::ChainError;

/// Where the recursion stands: all that must be kept to resume it.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Steps still to be gone through.
    pub remaining: u64,
    /// By total: states with r (max - mean) beyond this are left out of the vectors.
    pub limits: Vec<u32>,
    /// Value, and if carried work and number of remaps, of every state.
    pub vectors: Vec<Vec<f64>>,
    /// The region that the next steps go over, or what remaps under way lead to, in words of their own.
    pub region: Vec<u64>,
}

impl Backward<'_> {
    /// Goes on from a snapshot of the same recursion.
    ///
    /// # Errors
    /// A snapshot of another shape.
    pub fn resume(&mut self, snapshot: Snapshot) -> Result<(), ChainError> {
        let check = |what: &str, expected: usize, found: usize| match expected == found {
            true => Ok(()),
            false => Err(ChainError::Shape { what: what.into(), expected, found }),
        };
        check("vectors of the snapshot", self.vectors.len(), snapshot.vectors.len())?;
        for vector in &snapshot.vectors {
            check("states of the snapshot", self.states.count(), vector.len())?;
        }
        let most = self.problem.steps.min(snapshot.remaining);
        check("steps of the snapshot", most as usize, snapshot.remaining as usize)?;
        check("totals of the snapshot", self.limits.len(), snapshot.limits.len())?;
        // Limits may lie a move, and the one that is added for good measure, beyond the largest excess.
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

    /// What must be kept to resume from here, of the own states.
    pub fn snapshot(&self) -> Snapshot {
        let (limits, vectors) = (self.limits.clone(), self.written());
        Snapshot { remaining: self.remaining, limits, vectors, region: self.words() }
    }

    /// Shows [`snapshot`](Self::snapshot) without a copy of the vectors.
    pub fn show<T>(&mut self, to: impl FnOnce(&Snapshot) -> T) -> T {
        if let Some(region) = &self.region {
            region.write(&mut self.vectors, &self.ranks);
        }
        let vectors = std::mem::take(&mut self.vectors);
        let (limits, region) = (self.limits.clone(), self.words());
        let snapshot = Snapshot { remaining: self.remaining, limits, vectors, region };
        let seen = to(&snapshot);
        self.vectors = snapshot.vectors;
        seen
    }

    /// [`snapshot`](Self::snapshot) of a recursion that ends here, without a copy of the vectors.
    pub fn into_snapshot(mut self) -> Snapshot {
        if let Some(region) = &self.region {
            region.write(&mut self.vectors, &self.ranks);
        }
        let region = self.words();
        let limits = std::mem::take(&mut self.limits);
        Snapshot { remaining: self.remaining, limits, vectors: self.vectors, region }
    }

    /// What a snapshot has besides numbers of states and totals.
    fn words(&self) -> Vec<u64> {
        self.late.as_ref().map_or_else(|| self.saved_region(), Late::words)
    }

    /// The vectors with what stands in the region.
    pub(super) fn written(&self) -> Vec<Vec<f64>> {
        let mut vectors = self.vectors.clone();
        if let Some(region) = &self.region {
            region.write(&mut vectors, &self.ranks);
        }
        vectors
    }
}
