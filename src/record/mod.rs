//! A recorded run of a program: the time of every rank in every step, and the remaps.
//!
//! Without remaps the ranks would follow paths x_k(i), the sums of the recorded increments. Over a
//! recorded remap the increment of a rank is its distance from the balanced loads of the step
//! before. O(ranks x steps) time and memory.
//!
//! ```
//! use remapping::record::Record;
//!
//! // Two ranks, three steps; nothing was remapped.
//! let record = Record::new(2, vec![1.0, 1.0, 1.0, 1.5, 1.0, 2.0], Vec::new())?;
//! assert_eq!((record.ranks(), record.steps()), (2, 3));
//! # Ok::<(), remapping::record::RecordError>(())
//! ```

mod paths;

use crate::kept::Kept;
use std::ops::Range;

/// Greatest accepted time, and greatest cost of a remap: sums of their squares stay finite.
pub const MOST_SECONDS: f64 = 1e100;

/// An upper bound on the sum of the squares of such times in any run.
pub(crate) const MOST_SQUARES: f64 = 1e250;

/// Step times of every rank, in time order.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    ranks: usize,
    seconds: Vec<f64>,
    remaps: Vec<Remap>,
    /// Rank times if there had been no remaps, not rounded: `paths[t * ranks + i]`.
    paths: Vec<f64>,
    /// Measurement noise in the times, in the same order; empty if unknown.
    noise: Vec<f64>,
    /// The same without the rounding of a timer, as simulated steps show it; empty if equal.
    unrounded: Vec<f64>,
    /// The paths without noise and remainders of remaps; empty if they equal the paths.
    loads: Vec<f64>,
    /// Which times were filled in rather than measured, in the same order; empty if none were.
    filled: Vec<bool>,
    /// The imbalance that remaps left; empty if unknown.
    left: Vec<Left>,
    computed: Computed,
}

/// Estimates that several evaluations of a record need: each is computed once. They do not count
/// when records are compared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Computed {
    /// From the times and the remaps alone.
    pub of_times: Kept,
    /// From the paths.
    pub of_paths: Kept,
}

impl PartialEq for Computed {
    fn eq(&self, _: &Computed) -> bool {
        true
    }
}

/// The imbalance that a recorded remap left.
#[derive(Debug, Clone, PartialEq)]
pub struct Left {
    /// The step right after the remap, from 0.
    pub before: usize,
    /// Distance of each rank from the mean.
    pub off: Vec<f64>,
}

/// A recorded remap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Remap {
    /// The step right after it, from 0.
    pub before: usize,
    /// Its cost, if it was recorded.
    pub seconds: Option<f64>,
}

/// Why step times are not a valid record.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Fewer than two ranks.
    #[error("{0} rank: a record needs at least two")]
    TooFewRanks(usize),
    /// The number of times is not a multiple of the ranks.
    #[error("the steps differ in their number of ranks")]
    Ragged,
    /// No steps.
    #[error("there are no steps")]
    Empty,
    /// A time that is negative or not finite.
    #[error("the time of rank {rank} at step {step} is negative or not finite")]
    Time {
        /// Step, from 0.
        step: usize,
        /// Rank, from 0.
        rank: usize,
    },
    /// A remap beyond the steps, or whose cost is negative or not finite.
    #[error("the remap before step {0} is not valid")]
    Remap(usize),
}

impl Record {
    /// A record of `ranks` ranks; `seconds` lists the ranks of the first step, then of the second,
    /// and so on. Time and memory proportional to its length.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn new(
        ranks: usize,
        seconds: Vec<f64>,
        mut remaps: Vec<Remap>,
    ) -> Result<Record, RecordError> {
        if ranks < 2 {
            return Err(RecordError::TooFewRanks(ranks));
        }
        if seconds.is_empty() {
            return Err(RecordError::Empty);
        }
        if !seconds.len().is_multiple_of(ranks) {
            return Err(RecordError::Ragged);
        }
        if let Some(at) = seconds.iter().position(|time| !(time.is_finite() && *time >= 0.0)) {
            return Err(RecordError::Time { step: at / ranks, rank: at % ranks });
        }
        let steps = seconds.len() / ranks;
        let valid = |remap: &Remap| {
            remap.before < steps && remap.seconds.is_none_or(|cost| cost.is_finite() && cost >= 0.0)
        };
        if let Some(wrong) = remaps.iter().find(|remap| !valid(remap)) {
            return Err(RecordError::Remap(wrong.before));
        }
        remaps.sort_by_key(|remap| remap.before);
        let mut record = Record::of(ranks, seconds, remaps);
        record.follow();
        Ok(record)
    }

    fn of(ranks: usize, seconds: Vec<f64>, remaps: Vec<Remap>) -> Record {
        let [paths, noise, unrounded, loads] = [const { Vec::new() }; 4];
        let (filled, left) = (Vec::new(), Vec::new());
        let computed = Computed::default();
        Record { ranks, seconds, remaps, paths, noise, unrounded, loads, filled, left, computed }
    }

    /// The same record with some times marked as filled in: they carry no information on changes of
    /// the loads.
    ///
    /// # Panics
    /// Unless `filled` is empty or has one entry per time.
    #[must_use]
    pub fn with_filled(mut self, filled: Vec<bool>) -> Record {
        assert!([0, self.seconds.len()].contains(&filled.len()), "said of each time");
        self.filled = filled;
        self.computed.of_paths = Kept::default();
        self
    }

    /// The times of a step that were filled in, by rank; empty if all times of the record were
    /// measured.
    pub fn filled(&self, step: usize) -> &[bool] {
        self.filled.get(step * self.ranks..(step + 1) * self.ranks).unwrap_or_default()
    }

    /// The same record with this noise in its times. `unrounded` is the noise without the rounding
    /// of a timer, which simulated steps show; empty if it is the same. Recorded and simulated
    /// remaps balance the loads without noise.
    ///
    /// # Panics
    /// Unless `noise` has one number per time, and `unrounded` as many or none.
    #[must_use]
    pub fn with_noise(&self, noise: Vec<f64>, unrounded: Vec<f64>) -> Record {
        assert_eq!(noise.len(), self.seconds.len(), "noise of each time");
        assert!([0, noise.len()].contains(&unrounded.len()), "noise of each time");
        let computed = Computed { of_times: self.computed.of_times.clone(), ..Computed::default() };
        Record { computed, ..self.like(self.seconds.clone(), [noise, unrounded]) }
    }

    /// Other times and noise with the same remaps.
    fn like(&self, seconds: Vec<f64>, [noise, unrounded]: [Vec<f64>; 2]) -> Record {
        let (filled, left) = (self.filled.clone(), self.left.clone());
        let record = Record::of(self.ranks, seconds, self.remaps.clone());
        let mut record = Record { noise, unrounded, filled, left, ..record };
        record.follow();
        record
    }

    /// The noise in each of its times, where that is told; else empty.
    pub fn noise(&self) -> &[f64] {
        &self.noise
    }

    /// The same record with the imbalance that its remaps left, in time order. A simulated remap
    /// leaves that of the nearest recorded one.
    ///
    /// # Panics
    /// Unless each remap has one entry per rank.
    #[must_use]
    pub fn with_left(mut self, left: Vec<Left>) -> Record {
        assert!(left.iter().all(|left| left.off.len() == self.ranks), "of each rank");
        self.left = left;
        self.follow();
        self
    }

    /// The same record with other times, what is taken off them being noise where that is told.
    ///
    /// # Panics
    /// Unless there is one valid time for each.
    #[must_use]
    pub fn with_times(&self, seconds: Vec<f64>) -> Record {
        assert_eq!(seconds.len(), self.seconds.len(), "each time");
        assert!(seconds.iter().all(|time| time.is_finite() && *time >= 0.0), "times of a record");
        let changed = |noise: &Vec<f64>| {
            let changes = self.seconds.iter().zip(&seconds).map(|(before, now)| before - now);
            noise.iter().zip(changes).map(|(noise, change)| noise - change).collect()
        };
        let noise = [&self.noise, &self.unrounded].map(changed);
        self.like(seconds, noise)
    }

    /// The same record with these remaps.
    ///
    /// # Errors
    /// See [`RecordError`].
    pub fn with_remaps(&self, remaps: Vec<Remap>) -> Result<Record, RecordError> {
        let found = Record::new(self.ranks, self.seconds.clone(), remaps)?;
        Ok(found.with_filled(self.filled.clone()))
    }

    /// The imbalance that recorded remaps left; empty if unknown.
    pub fn left(&self) -> &[Left] {
        &self.left
    }

    /// A nonempty range of the steps as a record of its own.
    pub fn part(&self, steps: Range<usize>) -> Record {
        let inside = |remap: &&Remap| steps.contains(&remap.before) && remap.before > steps.start;
        let shift = |remap: &Remap| Remap { before: remap.before - steps.start, ..*remap };
        let earlier = |left: &Left| Left { before: left.before - steps.start, ..left.clone() };
        let remaps = self.remaps.iter().filter(inside).map(shift).collect();
        let left = self.left.iter().filter(|left| steps.contains(&left.before));
        let cells = steps.start * self.ranks..steps.end * self.ranks;
        let mut part = Record {
            noise: self.noise.get(cells.clone()).unwrap_or_default().to_vec(),
            unrounded: self.unrounded.get(cells.clone()).unwrap_or_default().to_vec(),
            filled: self.filled.get(cells.clone()).unwrap_or_default().to_vec(),
            left: left.map(earlier).collect(),
            ..Record::of(self.ranks, self.seconds[cells].to_vec(), remaps)
        };
        part.follow();
        part
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.seconds.len() / self.ranks
    }

    /// The remaps, in time order.
    pub fn remaps(&self) -> &[Remap] {
        &self.remaps
    }

    /// The greatest number among the times and the costs of remaps.
    pub fn largest(&self) -> f64 {
        let costs = self.remaps.iter().filter_map(|remap| remap.seconds);
        self.seconds.iter().copied().chain(costs).fold(0.0, f64::max)
    }

    /// The mean cost of the remaps whose cost was recorded; `None` if there is none.
    pub fn mean_remap_cost(&self) -> Option<f64> {
        let costs: Vec<f64> = self.remaps.iter().filter_map(|remap| remap.seconds).collect();
        (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64)
    }

    /// The times of a step, by rank.
    pub fn row(&self, step: usize) -> &[f64] {
        &self.seconds[step * self.ranks..(step + 1) * self.ranks]
    }

    /// The times of all steps, those of a step adjacent.
    pub fn times(&self) -> &[f64] {
        &self.seconds
    }

    /// The paths of all steps, as [`Record::path`] has them.
    pub(crate) fn paths(&self) -> &[f64] {
        &self.paths
    }

    /// Where estimates are kept.
    pub(crate) fn computed(&self) -> &Computed {
        &self.computed
    }

    /// The mean time of a step.
    pub fn mean(&self, step: usize) -> f64 {
        mean(self.row(step))
    }

    /// max - mean of the recorded times of a step.
    pub fn imbalance(&self, step: usize) -> f64 {
        imbalance(self.row(step))
    }

    /// The rank times at a step if there had been no remaps: the sum of the recorded increments. At
    /// a recorded remap the increment is the distance to the mean of the step before, which assumes
    /// that the remap restored balance. Without the rounding of a timer, where that is known.
    pub fn path(&self, step: usize) -> &[f64] {
        &self.paths[step * self.ranks..(step + 1) * self.ranks]
    }

    /// The same without noise and remainders of remaps, if these are known. A simulated remap after
    /// this step balances these loads.
    pub fn loads(&self, step: usize) -> &[f64] {
        let cells = step * self.ranks..(step + 1) * self.ranks;
        self.loads.get(cells).unwrap_or_else(|| self.path(step))
    }

    /// The ranges of steps without a remap, in time order.
    pub fn stretches(&self) -> Vec<Range<usize>> {
        let mut stretches = Vec::new();
        let mut first = 0;
        for remap in &self.remaps {
            if remap.before > first {
                stretches.push(first..remap.before);
                first = remap.before;
            }
        }
        stretches.push(first..self.steps());
        stretches
    }
}

/// The mean of at least one number.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The distance of each from their mean.
pub(crate) fn deviations(values: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let mean = mean(values);
    values.iter().map(move |value| value - mean)
}

/// max - mean.
pub(crate) fn imbalance(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - mean(values)
}
