//! Streaming estimation from all steps of a run: memory grows with the ranks and the levels, not
//! with the steps.
//!
//! Counts equal those of a record in memory. Means, the growth of the imbalance, drifts and
//! deviations are the same sums in another order, block by block. Outliers are judged by the spread
//! at the beginning of the run. The beginning is kept in memory as a record; tests that simulate
//! records use it. Several processes may each process a part of the steps: [`Taking::join`] gives
//! the bits of a single process.
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

pub use super::blocks::BLOCK;

use super::blocks::Blocks;
use super::chain::{MEASURED, Moves, lattice, measure, measured};
use super::drifts::changing::Changing;
use super::growth::{self, Growing, Point};
use super::increments::Increments;
use super::levels::counting::Counting;
use super::transitions::Transitions;
use crate::record::{Record, mean};
use std::ops::Range;

/// Results from all steps of a run.
#[derive(Debug, Clone)]
pub struct Whole {
    /// Number of steps.
    pub steps: usize,
    /// Number of recorded remaps.
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
    /// Moves from any level to any other by rank, where there are not too many.
    pub transitions: Option<Transitions>,
}

/// Longest lag at which growth is measured.
const LONGEST: usize = 34;

/// The lags at which growth is measured; none where every step is remapped.
fn lags(record: &Record) -> Vec<usize> {
    let stretch = record.stretches().iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    growth::lags(LONGEST.min(record.steps() / 3).min(stretch.saturating_sub(1)))
}

impl Whole {
    /// From a record in memory.
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

/// Number of steps before and after its own ones that a part of a run must receive.
pub const AROUND: usize = 64;

/// Streaming state.
#[derive(Debug, Clone)]
pub struct Taking {
    /// The steps that are counted, and the number of the next one.
    own: Range<usize>,
    next: usize,
    steps: usize,
    remaps: usize,
    means: Blocks,
    range: (f64, f64),
    changing: Changing,
    growing: Growing,
    /// The first times, which determine the lattice.
    first: Vec<f64>,
    counting: Option<Counting>,
    /// Counts of the beginning.
    moves: Option<Moves>,
    transitions: Option<Transitions>,
    /// Ranks whose time in the next step is filled in; empty where there are none.
    filled: Vec<bool>,
}

impl Taking {
    /// The state after the steps of `beginning`.
    ///
    /// # Panics
    /// If there are fewer than forty steps.
    pub fn after(beginning: &Record) -> Taking {
        let quantum = lattice(beginning);
        let mut taking = Taking {
            moves: quantum.map(|quantum| Moves::of(beginning, quantum)),
            transitions: quantum.and_then(|quantum| Transitions::of(beginning, quantum)),
            ..Taking::new(beginning, 0, 0)
        };
        let mut remaps = beginning.remaps().iter().map(|remap| remap.before).peekable();
        for step in 0..beginning.steps() {
            let mut remapped = 0;
            while remaps.next_if_eq(&step).is_some() {
                remapped += 1;
            }
            taking.filled(beginning.filled(step));
            taking.take(beginning.row(step), remapped > 0 && step > 0);
            taking.remaps += remapped;
        }
        taking
    }

    /// A later part of the run: its steps from number `own` on, a multiple of [`BLOCK`]. It must
    /// receive the steps from [`AROUND`] before that one on.
    ///
    /// # Panics
    /// If `own` is not a positive multiple, or the beginning has fewer than forty steps.
    pub fn part(beginning: &Record, own: usize) -> Taking {
        assert!(own >= BLOCK && own.is_multiple_of(BLOCK), "a part begins where a block does");
        Taking::new(beginning, own, own - AROUND)
    }

    fn new(beginning: &Record, own: usize, first: usize) -> Taking {
        assert!(beginning.steps() >= 40, "a beginning of forty steps");
        let ranks = beginning.ranks();
        let quantum = lattice(beginning);
        Taking {
            own: own..usize::MAX,
            next: first,
            steps: 0,
            remaps: 0,
            means: Blocks::new(1, own > 0),
            range: (f64::INFINITY, 0.0),
            changing: Changing::new(beginning, own, first),
            growing: Growing::new(ranks, lags(beginning), own > 0),
            first: Vec::new(),
            counting: quantum.map(|quantum| Counting::new(ranks, quantum)),
            moves: None,
            transitions: None,
            filled: Vec::new(),
        }
    }

    /// The same without the steps from number `end` on, a multiple of [`BLOCK`]. It must receive
    /// [`AROUND`] of them nevertheless.
    pub fn until(mut self, end: usize) -> Taking {
        (self.own.end, self.changing.own.end) = (end, end);
        self
    }

    /// Declares which ranks have filled-in times in the next step.
    pub fn filled(&mut self, ranks: &[bool]) {
        self.filled.extend(ranks);
    }

    /// Processes the times of the next step; `remapped` if the run was remapped just before it.
    pub fn step(&mut self, seconds: &[f64], remapped: bool) {
        self.remaps += usize::from(remapped && self.own.contains(&self.next));
        self.take(seconds, remapped);
    }

    fn take(&mut self, row: &[f64], remapped: bool) {
        let step = self.next;
        self.next += 1;
        let filled = std::mem::take(&mut self.filled);
        self.changing.step(row, &filled, remapped);
        if step >= self.own.end {
            return;
        }
        let counts = step >= self.own.start;
        self.growing.step(row, remapped, counts);
        if let Some(counting) = &mut self.counting {
            counting.step(row, &filled, remapped || !counts);
        }
        if !counts {
            return;
        }
        self.steps += 1;
        self.means.now[0] += mean(row);
        self.means.after(step);
        self.growing.sums.after(step);
        let (low, high) = &mut self.range;
        row.iter().for_each(|time| (*low, *high) = (low.min(*time), high.max(*time)));
        let room = MEASURED - self.first.len().min(MEASURED);
        if self.own.start == 0 && self.counting.is_some() && room > 0 {
            self.first.extend(measured(row, &filled).take(room));
        }
    }

    /// Ends the run if it ends with the steps of this part.
    fn end(&mut self) {
        if self.own.end == usize::MAX {
            self.changing.end();
        }
    }

    /// The state of a part, to be sent to another process.
    pub fn numbers(mut self) -> Vec<f64> {
        self.end();
        let steps = self.steps;
        let none = || Counting { regular: false, ..Counting::new(0, 1.0) };
        let counting = self.counting.unwrap_or_else(none);
        let each = counting.ranks.as_ref().map_or(0, Vec::len);
        let mut numbers = vec![
            steps as f64,
            self.remaps as f64,
            self.range.0,
            self.range.1,
            self.changing.outliers as f64,
            f64::from(u8::from(counting.regular)),
            counting.lowest as f64,
            counting.sides.len() as f64,
            counting.jumps as f64,
            each as f64,
        ];
        numbers.extend(counting.sides.iter().flatten().map(|count| *count as f64));
        let ranks = counting.ranks.iter().flatten().flatten();
        numbers.extend(ranks.map(|count| *count as f64));
        numbers.extend(self.means.list(steps));
        numbers.extend(self.growing.sums.list(steps));
        numbers.extend(self.changing.sums.list(steps));
        numbers
    }

    /// Adds the steps after its own ones from the numbers of another process. Returns the remaining
    /// numbers, or `None` if they do not describe a part.
    pub fn join<'n>(&mut self, numbers: &'n [f64]) -> Option<&'n [f64]> {
        let (head, rest) = numbers.split_first_chunk::<10>()?;
        let [steps, remaps, low, high, outliers, regular, lowest, levels, jumps, each] = *head;
        let (steps, levels) = (steps as usize, levels as usize);
        let (sides, mut rest) = rest.split_at_checked(3 * levels)?;
        let mut ranks = Vec::new();
        for _ in 0..each as usize {
            let (counts, others) = rest.split_at_checked(levels * levels)?;
            ranks.push(counts.iter().map(|count| *count as u64).collect());
            rest = others;
        }
        if let Some(counting) = &mut self.counting {
            counting.join(Counting {
                lowest: lowest as i64,
                sides: sides.as_chunks().0.iter().map(|side| side.map(|n| n as u64)).collect(),
                jumps: jumps as u64,
                ranks: (each > 0.0).then_some(ranks),
                regular: regular == 1.0,
                ..Counting::new(0, counting.quantum)
            });
        }
        self.steps += steps;
        self.remaps += remaps as usize;
        self.range = (self.range.0.min(low), self.range.1.max(high));
        self.changing.outliers += outliers as usize;
        self.changing.steps = self.steps;
        let rest = self.means.join(steps, rest)?;
        let rest = self.growing.sums.join(steps, rest)?;
        self.changing.sums.join(steps, rest)
    }

    /// The results.
    pub fn whole(mut self) -> Whole {
        self.end();
        let Taking { steps, remaps, range, first, moves, transitions, .. } = self;
        // The measure of the first times depends on the largest of all times.
        let counting = self.counting.filter(|found| found.regular).and_then(|mut found| {
            let quantum = measure(first.iter().copied(), range.1)?;
            let same = (quantum - found.quantum).abs() <= 1e-9 * quantum;
            found.quantum = quantum;
            same.then_some(found)
        });
        Whole {
            steps,
            remaps,
            mean: self.means.sums()[0] / steps as f64,
            range,
            increments: self.changing.increments(remaps),
            growth: self.growing.points(),
            moves: counting.as_ref().map(|found| Moves::counted(found, moves.map(Box::new))),
            transitions: counting
                .and_then(|found| Transitions::counted(found, transitions.map(Box::new))),
        }
    }
}
