//! What is read from files, gathered: in memory as long as it is little, otherwise only its
//! beginning.

mod trace;

use super::assemble;
use super::row::{Row, Waiting};
use super::window::{Out, To, WINDOW, Window};
use super::{Account, Cell, Follow, How, RawRemap};
use crate::complaint::Complaint;
use remapping::record::Record;
use std::collections::HashMap;
use std::ops::Range;

/// What is read from files, before it is put in order.
#[derive(Default)]
pub(super) struct Raw<'a> {
    pub account: Account,
    /// What loads are counted in, where these are no seconds.
    pub counted: Option<&'static str>,
    /// What the user says of the log.
    pub how: How,
    /// What in the log says that a row is one of several steps, where the user does not.
    pub every_by: Option<&'static str>,
    /// Step, largest and mean time, where ranks are not told apart, and how many there are.
    pub summary: Vec<(u32, f64, f64)>,
    pub summary_ranks: Option<u32>,
    pub knows_remaps: bool,
    pub repairs: Vec<String>,
    /// Seconds in a unit of the times, where the file says; they have been converted.
    pub unit_seconds: Option<f64>,
    /// Seconds in a unit of the times, whatever the file says.
    pub forced_unit: Option<f64>,
    /// What the times of this file are multiplied by, where its reader does not convert them
    /// itself.
    pub scale: Option<f64>,
    /// Whether the file marks its remaps, so that a cost alone is none.
    pub marked: bool,
    /// Whether there are costs of remaps that did not take place.
    pub costs_alone: bool,
    /// Rows so far, where they say no step.
    pub rows: u32,
    /// Whether a row has the times of a rank at all steps.
    pub by_rank: bool,
    /// Whether columns are taken for ranks without a name.
    pub unnamed: bool,
    /// The numbers of ranks that have names.
    pub names: HashMap<String, u32>,
    /// Whether the seconds include waiting, and the rows by which that is to be decided.
    pub waiting: Waiting,
    pub held: Vec<Row>,
    cells: Vec<Cell>,
    /// Each with the number of times before it.
    remaps: Vec<(usize, RawRemap)>,
    long: Option<Long<'a>>,
    /// Why nothing is to be done with a log that is long.
    pub refused: Option<Complaint>,
    /// The first step of a log that is long, their distance, and its ranks.
    pub started: Option<(u32, u32, Vec<u32>)>,
    /// The steps of a log that is long which are taken in, where these are not all.
    pub only: Option<Range<u64>>,
    /// Whether all of them have been read.
    pub enough: bool,
    /// Where this is set, nothing is taken in: the second time of this step and rank is refused.
    sought: Option<Sought>,
}

/// The largest imbalance of a program whose ranks are not told apart.
const MOST_STANDING: f64 = 256.0;

/// The time of a step and rank of which there are two.
#[derive(Debug, Clone, Copy)]
struct Sought {
    cell: Cell,
    /// How many of them have come.
    met: u64,
}

/// What becomes of a log that is long.
struct Long<'a> {
    /// It is when there are so many times, of so many steps.
    cells: usize,
    steps: usize,
    then: &'a mut dyn Follow,
    running: Option<(Window, Out)>,
}

/// The sum of the costs of the remaps whose cost was recorded, and their number.
pub(super) fn costs(record: &Record) -> (f64, usize) {
    let costs = record.remaps().iter().filter_map(|remap| remap.seconds);
    costs.fold((0.0, 0), |(sum, many), cost| (sum + cost, many + 1))
}

impl<'a> Raw<'a> {
    /// Of a log of which only the beginning is held, and the rest goes to `then`.
    pub fn long(cells: usize, steps: usize, then: &'a mut dyn Follow) -> Raw<'a> {
        Raw { long: Some(Long { cells, steps, then, running: None }), ..Raw::default() }
    }

    /// A part of a log whose beginning is known: the steps from this one on.
    pub fn part(beginning: Record, window: Window, then: &'a mut dyn Follow) -> Raw<'a> {
        let out = Out { beginning: Some(beginning), ..Out::default() };
        let long = Long { cells: 0, steps: 0, then, running: Some((window, out)) };
        Raw { long: Some(long), ..Raw::default() }
    }

    /// What only looks for the second time of a step and rank.
    pub fn seeking(cell: Cell) -> Raw<'a> {
        Raw { sought: Some(Sought { cell, met: 0 }), ..Raw::default() }
    }

    /// Whether what is sought has been found.
    pub fn has_found(&self) -> bool {
        self.sought.is_some_and(|sought| sought.met > 1)
    }

    /// Whether nothing is taken in.
    #[inline]
    pub fn is_seeking(&self) -> bool {
        self.sought.is_some()
    }

    /// The step of the first time.
    pub fn first_step(&self) -> Option<u32> {
        self.cells.first().map(|cell| cell.step)
    }

    /// Gives away the rest of a long log; whether nothing was missing in all of it.
    pub fn drain(&mut self) -> Result<bool, String> {
        let Some(Long { running: Some((window, out)), then, .. }) = &mut self.long else {
            return Ok(false);
        };
        window.drain(&mut To(out, *then))?;
        Ok(window.is_whole())
    }

    /// Whether the steps of a long log that are taken in have this one; they are all read when one
    /// comes that is far behind them.
    #[inline]
    fn has(&mut self, step: u32) -> Result<bool, String> {
        let Some(only) = &self.only else { return Ok(true) };
        let step = u64::from(step);
        let stride = self.started.as_ref().map_or(1, |(_, stride, _)| u64::from(*stride));
        if step >= only.end.saturating_add(WINDOW * stride) {
            self.enough = true;
            return Err("enough".to_owned());
        }
        Ok(only.contains(&step))
    }

    /// Whether there is no time yet.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.long.as_ref().is_none_or(|long| long.running.is_none())
    }

    /// Takes in a time.
    #[inline]
    pub fn push(&mut self, mut cell: Cell) -> Result<(), String> {
        if let Some(sought) = &mut self.sought {
            let is_it = (cell.step, cell.rank) == (sought.cell.step, sought.cell.rank);
            sought.met += u64::from(is_it);
            return if sought.met > 1 { Err(assemble::twice(cell)) } else { Ok(()) };
        }
        if let Some(scale) = self.scale {
            cell.seconds *= scale;
        }
        if let Some(every) = self.how.every {
            cell.seconds *= f64::from(every);
        }
        if self.only.is_some() && self.started.is_some() && !self.has(cell.step)? {
            return Ok(());
        }
        if let Some(Long { then, running: Some((window, out)), .. }) = &mut self.long {
            return window.put(cell, &mut To(out, *then));
        }
        self.cells.push(cell);
        match &self.long {
            Some(long) if self.cells.len() >= long.cells => self.run(),
            _ => Ok(()),
        }
    }

    /// Takes in a remap.
    pub fn remap(&mut self, mut remap: RawRemap) -> Result<(), String> {
        // Where loads are counted in other units, costs are seconds.
        if let Some(scale) = self.scale.filter(|_| self.counted.is_none()) {
            remap.seconds = remap.seconds.map(|cost| scale * cost);
        }
        if self.only.is_some() && self.started.is_some() && !self.has(remap.step)? {
            return Ok(());
        }
        match &mut self.long {
            Some(Long { running: Some((window, _)), .. }) => window.remap(remap),
            _ => {
                self.remaps.push((self.cells.len(), remap));
                Ok(())
            }
        }
    }

    /// Takes in what the end of a file decides.
    pub fn close(&mut self) -> Result<(), String> {
        self.decide()?;
        self.spread()
    }

    /// Ranks that are told apart, from the largest and the mean of each step: one has the largest,
    /// all others alike.
    fn spread(&mut self) -> Result<(), String> {
        let rows = std::mem::take(&mut self.summary);
        let ratio =
            rows.iter().map(|(_, most, mean)| most / mean).filter(|ratio| ratio.is_finite());
        let needed = ratio.fold(2.0, f64::max);
        if rows.is_empty() {
            return Ok(());
        }
        if needed > MOST_STANDING {
            return Err(format!("a largest time of {needed} means: {MOST_STANDING} are the most"));
        }
        let needed = (needed - 1e-9).ceil() as u32;
        let known = self.summary_ranks.filter(|ranks| (needed..=64).contains(ranks));
        let ranks = known.unwrap_or(needed);
        for (step, most, mean) in rows {
            if most < mean * (1.0 - 1e-6) {
                return Err(format!(
                    "step {step}: the largest time, {most}, is below the mean, {mean}"
                ));
            }
            let others = ((f64::from(ranks) * mean - most) / f64::from(ranks - 1)).max(0.0);
            self.push(Cell { step, rank: 0, seconds: most })?;
            for rank in 1..ranks {
                self.push(Cell { step, rank, seconds: others })?;
            }
        }
        self.repairs.push(format!(
            "the log knows the slowest rank and the mean only: {} ranks stand for all, one of them the slowest; rules \
             that need single ranks cannot be told from it",
            if ranks == 2 { "two".to_owned() } else { ranks.to_string() }
        ));
        Ok(())
    }

    /// Puts what has been read into a window, if it comes in order and has steps enough.
    fn run(&mut self) -> Result<(), String> {
        let Some(long) = &mut self.long else { return Ok(()) };
        let (steps, ranks) = assemble::occurring(&self.cells);
        if ranks.len() < 2 || steps.len() < long.steps.max(2 * WINDOW as usize) {
            long.cells *= 2;
            return Ok(());
        }
        let (first, stride) = (steps[0], assemble::stride(&steps));
        let mut newest = first;
        for cell in &self.cells {
            newest = newest.max(cell.step);
            if u64::from((newest - cell.step) / stride) >= WINDOW {
                // Rank by rank, perhaps: all of it has to be held.
                self.long = None;
                return Ok(());
            }
        }
        self.started = Some((first, stride, ranks.clone()));
        let mut window = Window::new(first, stride, ranks);
        let mut out = Out::default();
        for (_, remap) in std::mem::take(&mut self.remaps) {
            window.remap(remap)?;
        }
        let rows = &mut To(&mut out, long.then);
        for cell in std::mem::take(&mut self.cells) {
            window.put(cell, rows)?;
        }
        let Out { seconds, mut filled, remaps, .. } = std::mem::take(&mut out);
        if !filled.is_empty() {
            filled.resize(seconds.len(), false);
        }
        let beginning = Record::new(window.ranks.len(), seconds, remaps);
        let beginning = beginning.map_err(|error| error.to_string())?.with_filled(filled);
        if let Err(complaint) = long.then.begin(&beginning, u64::from(stride)) {
            self.refused = Some(complaint);
            return Err("refused".to_owned());
        }
        out.after.costs = costs(&beginning);
        out.beginning = Some(beginning);
        long.running = Some((window, out));
        Ok(())
    }
}
