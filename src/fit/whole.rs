//! What a fit needs of all steps, taken in one by one: memory grows with the ranks and the levels, not with the
//! steps.
//!
//! Counts are those of a record in memory, and so is the growth of the imbalance; drifts and deviations are the same
//! sums in another order, and values far off are told by how far off they usually are in the beginning. The
//! beginning of the run, some steps, is in memory as a record: on it are made the tests that draw records anew.
//!
//! ```
//! use remapping::fit::whole::Taking;
//! use remapping::record::Record;
//!
//! let row = |step: usize| [(step / 3 % 4) as f64, (step % 5) as f64];
//! let beginning = Record::new(2, (0..60).flat_map(row).collect(), Vec::new())?;
//! let mut taking = Taking::after(&beginning);
//! (60..100_000).for_each(|step| taking.step(&row(step), false));
//! let whole = taking.whole();
//! assert_eq!((whole.steps, whole.moves.unwrap().total()), (100_000, 2 * 99_999));
//! # Ok::<(), remapping::record::RecordError>(())
//! ```

use super::chain::{MEASURED, Moves, lattice, measure};
use super::changing::Changing;
use super::counting::Counting;
use super::growth::{self, Growing, Point};
use super::increments::Increments;
use super::transitions::Transitions;
use crate::record::{Record, mean};

/// What is known of all steps of a run.
#[derive(Debug, Clone)]
pub struct Whole {
    /// Steps.
    pub steps: usize,
    /// Remaps recorded.
    pub remaps: usize,
    /// Mean time of a step.
    pub mean: f64,
    /// The least and the largest time.
    pub range: (f64, f64),
    /// Changes per step; `None` if there are fewer than four steps.
    pub increments: Option<Increments>,
    /// Growth of the imbalance after a remap.
    pub growth: Vec<Point>,
    /// Moves between levels, where the times are on a lattice.
    pub moves: Option<Moves>,
    /// The same from any level to any other and for each rank, where these are not too many.
    pub transitions: Option<Transitions>,
}

/// Longest time after a remap at which growth is looked at.
const LONGEST: usize = 34;

/// The lags at which growth is looked at.
fn lags(record: &Record) -> Vec<usize> {
    let stretch = record.stretches().iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    growth::lags(LONGEST.min(record.steps() / 3).min(stretch.saturating_sub(1)).max(1))
}

impl Whole {
    /// Of a record in memory.
    pub fn of(record: &Record) -> Whole {
        let steps = record.steps();
        let loads = || (0..steps).flat_map(|step| record.row(step).iter().copied());
        let quantum = lattice(record);
        Whole {
            steps,
            remaps: record.remaps().len(),
            mean: (0..steps).map(|step| record.mean(step)).sum::<f64>() / steps as f64,
            range: loads().fold((f64::INFINITY, 0.0), |(l, h), x| (l.min(x), h.max(x))),
            increments: Increments::of(record),
            growth: growth::recorded(record, &lags(record)),
            moves: quantum.map(|quantum| Moves::of(record, quantum)),
            transitions: quantum.and_then(|quantum| Transitions::of(record, quantum)),
        }
    }
}

/// Takes in the steps of a run.
#[derive(Debug, Clone)]
pub struct Taking {
    steps: usize,
    remaps: usize,
    means: f64,
    range: (f64, f64),
    changing: Changing,
    growing: Growing,
    /// The first times, by which the lattice is known.
    first: Vec<f64>,
    counting: Option<Counting>,
    /// Of the beginning.
    moves: Option<Moves>,
    transitions: Option<Transitions>,
}

impl Taking {
    /// The steps of a run that begins as `beginning`, and has these behind it.
    ///
    /// # Panics
    /// If these are fewer than forty steps.
    pub fn after(beginning: &Record) -> Taking {
        assert!(beginning.steps() >= 40, "a beginning of forty steps");
        let ranks = beginning.ranks();
        let quantum = lattice(beginning);
        let mut taking = Taking {
            steps: 0,
            remaps: 0,
            means: 0.0,
            range: (f64::INFINITY, 0.0),
            changing: Changing::new(beginning),
            growing: Growing::new(ranks, lags(beginning)),
            first: Vec::new(),
            counting: quantum.map(|quantum| Counting::new(ranks, quantum)),
            moves: quantum.map(|quantum| Moves::of(beginning, quantum)),
            transitions: quantum.and_then(|quantum| Transitions::of(beginning, quantum)),
        };
        let mut remaps = beginning.remaps().iter().map(|remap| remap.before).peekable();
        for step in 0..beginning.steps() {
            let mut remapped = 0;
            while remaps.next_if_eq(&step).is_some() {
                remapped += 1;
            }
            taking.take(beginning.row(step), remapped > 0 && step > 0);
            taking.remaps += remapped;
        }
        taking
    }

    /// Takes in the times of the next step, and whether the run was remapped just before it.
    pub fn step(&mut self, seconds: &[f64], remapped: bool) {
        self.remaps += usize::from(remapped);
        self.take(seconds, remapped);
    }

    fn take(&mut self, row: &[f64], remapped: bool) {
        self.steps += 1;
        self.means += mean(row);
        let (low, high) = &mut self.range;
        row.iter().for_each(|time| (*low, *high) = (low.min(*time), high.max(*time)));
        let room = MEASURED - self.first.len().min(MEASURED);
        if self.counting.is_some() && room > 0 {
            self.first.extend(row.iter().take(room));
        }
        self.changing.step(row, remapped);
        self.growing.step(row, remapped);
        if let Some(counting) = &mut self.counting {
            counting.step(row, remapped);
        }
    }

    /// What is known of them all.
    pub fn whole(self) -> Whole {
        let Taking { steps, remaps, range, first, moves, transitions, .. } = self;
        // The first times have a measure that depends on the largest of all.
        let counting = self.counting.filter(|found| found.regular).and_then(|mut found| {
            let quantum = measure(first.iter().copied(), range.1)?;
            let same = (quantum - found.quantum).abs() <= 1e-9 * quantum;
            found.quantum = quantum;
            same.then_some(found)
        });
        Whole {
            steps,
            remaps,
            mean: self.means / steps as f64,
            range,
            increments: self.changing.increments(remaps),
            growth: self.growing.points(),
            moves: counting.as_ref().map(|found| Moves::counted(found, moves.map(Box::new))),
            transitions: counting
                .and_then(|found| Transitions::counted(found, transitions.map(Box::new))),
        }
    }
}
