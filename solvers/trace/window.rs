//! Rows in order from rows that come nearly so: a window over the steps, in which gaps are filled.

use super::assemble::{self, Gaps};
use super::{Cell, RawRemap};
use crate::complaint::Complaint;
use remapping::record::Remap;
use std::collections::BTreeMap;

/// Steps by which a row may come late, and the longest gap that is filled.
pub(super) const WINDOW: u64 = 256;

/// Takes the rows in order, each with the remap just before it.
pub(super) trait Rows {
    /// The next row.
    fn row(&mut self, seconds: &[f64], remap: Option<Remap>);
}

/// The last steps of a log, whose first step, stride and ranks are known.
pub(super) struct Window {
    first: u32,
    stride: u32,
    ranks: Vec<u32>,
    /// Whether the ranks are 0, 1, 2, ...
    counted: bool,
    /// The rows that are not yet given away, in turn: times, which of them have come, and how many of these are
    /// numbers.
    times: Vec<f64>,
    there: Vec<bool>,
    come: Vec<usize>,
    numbers: Vec<usize>,
    /// The first of these rows, and the last of which something has come.
    next: u64,
    newest: u64,
    /// The last step that was looked for, and its row.
    found: (u32, u64),
    /// The last number of each rank and its row; none before the first.
    last: Vec<(u64, f64)>,
    /// Rows of which nothing came, and times that are missing, of each rank.
    lost: u64,
    missing: Vec<u64>,
    largest: f64,
    remaps: BTreeMap<u64, Option<f64>>,
    first_partition: Option<Option<f64>>,
}

/// No row yet.
const NONE: u64 = u64::MAX;

impl Window {
    /// Nothing yet.
    pub fn new(first: u32, stride: u32, ranks: Vec<u32>) -> Window {
        let (rows, cells) = (WINDOW as usize, WINDOW as usize * ranks.len());
        Window {
            first,
            stride,
            counted: (0..).zip(&ranks).all(|(at, rank)| at == *rank),
            times: vec![f64::NAN; cells],
            there: vec![false; cells],
            come: vec![0; rows],
            numbers: vec![0; rows],
            next: 0,
            newest: 0,
            found: (first, 0),
            last: vec![(NONE, 0.0); ranks.len()],
            lost: 0,
            missing: vec![0; ranks.len()],
            largest: 0.0,
            remaps: BTreeMap::new(),
            first_partition: None,
            ranks,
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// Steps of the program in a step.
    pub fn stride(&self) -> u32 {
        self.stride
    }

    /// Whether nothing was missing in the rows that were given away.
    pub fn is_whole(&self) -> bool {
        self.lost == 0 && self.missing.iter().all(|missing| *missing == 0)
    }

    /// Takes in a time; rows that are complete by then go to `out`.
    pub fn put(&mut self, cell: Cell, out: &mut dyn Rows) -> Result<(), String> {
        let row = if cell.step == self.found.0 { self.found.1 } else { self.find(cell.step)? };
        if row > self.newest {
            self.reach(row, out)?;
        }
        let columns = self.ranks.len();
        let column = match cell.rank as usize {
            rank if self.counted && rank < columns => rank,
            _ => self.ranks.binary_search(&cell.rank).map_err(|_| self.stranger(cell))?,
        };
        let ring = (row % WINDOW) as usize;
        let place = ring * columns + column;
        if std::mem::replace(&mut self.there[place], true) {
            return Err(assemble::twice(cell));
        }
        self.times[place] = cell.seconds;
        self.come[ring] += 1;
        self.numbers[ring] += usize::from(!cell.seconds.is_nan());
        Ok(())
    }

    fn stranger(&self, Cell { step, rank, .. }: Cell) -> String {
        format!(
            "rank {rank} appears first at step {step}: give a trace in which the same ranks take part \
             throughout"
        )
    }

    /// The row of a step.
    fn find(&mut self, step: u32) -> Result<u64, String> {
        let late = || {
            let newest = u64::from(self.first) + self.newest * u64::from(self.stride);
            format!(
                "step {step} stands after step {newest}: in a log this long a row may come at most \
                 {} steps late; sort it by its steps",
                WINDOW - 1
            )
        };
        let beyond = step.checked_sub(self.first).ok_or_else(late)?;
        if beyond % self.stride != 0 {
            let Window { first, stride, .. } = self;
            return Err(format!(
                "step {step} is none of {first}, {}, {}, ...: the steps of a log this long have one distance",
                u64::from(*first) + u64::from(*stride),
                u64::from(*first) + 2 * u64::from(*stride)
            ));
        }
        let row = u64::from(beyond / self.stride);
        if row < self.next {
            return Err(late());
        }
        self.found = (step, row);
        Ok(row)
    }

    /// Makes `row` the newest, and gives away those that leave the window.
    fn reach(&mut self, row: u64, out: &mut dyn Rows) -> Result<(), String> {
        if row - self.newest > WINDOW {
            let step = |row: u64| u64::from(self.first) + row * u64::from(self.stride);
            return Err(format!(
                "after step {} comes step {}: gaps of at most {WINDOW} steps are filled",
                step(self.newest),
                step(row)
            ));
        }
        while self.next + WINDOW <= row {
            self.give(false, out)?;
        }
        self.newest = row;
        Ok(())
    }

    /// Takes in a remap.
    pub fn remap(&mut self, remap: RawRemap) -> Result<(), String> {
        let Some(beyond) = remap.step.checked_sub(self.first) else { return Ok(()) };
        let row = u64::from(beyond / self.stride);
        if row < self.next {
            let what = format!("the remap before step {} stands too late", remap.step);
            return Err(format!("{what}: sort the log by its steps"));
        }
        assemble::add_remap(self.remaps.entry(row).or_default(), remap.seconds);
        Ok(())
    }

    /// Gives away the first row.
    fn give(&mut self, at_end: bool, out: &mut dyn Rows) -> Result<(), String> {
        let columns = self.ranks.len();
        let row = self.next;
        let ring = (row % WINDOW) as usize;
        let cells = ring * columns..(ring + 1) * columns;
        self.lost += u64::from(self.come[ring] == 0);
        if self.numbers[ring] < columns {
            for column in 0..columns {
                if self.there[cells.start + column] && !self.times[cells.start + column].is_nan() {
                    continue;
                }
                self.missing[column] += 1;
                self.times[cells.start + column] = self.between(row, column, at_end)?;
                // What was filled in is no neighbour.
                self.there[cells.start + column] = false;
            }
        }
        let whole = self.numbers[ring] == columns;
        let times = &self.times[cells.clone()];
        for (column, time) in times.iter().enumerate() {
            if whole || self.there[cells.start + column] {
                self.last[column] = (row, *time);
            }
            self.largest = self.largest.max(*time);
        }
        // What comes after the last step is taken to come before it.
        let until = if at_end && row == self.newest { NONE } else { row };
        let mut remap: Option<Option<f64>> = None;
        while let Some(entry) = self.remaps.first_entry().filter(|entry| *entry.key() <= until) {
            assemble::add_remap(remap.get_or_insert_default(), entry.remove());
        }
        if row == 0 {
            self.first_partition = remap.take();
        }
        let remap = remap.map(|seconds| Remap { before: row as usize, seconds });
        out.row(times, remap);
        self.there[cells].fill(false);
        (self.come[ring], self.numbers[ring]) = (0, 0);
        self.next += 1;
        Ok(())
    }

    /// What fills a gap: on the line between its neighbours, at the ends the nearest.
    fn between(&self, row: u64, column: usize, at_end: bool) -> Result<f64, String> {
        let columns = self.ranks.len();
        let number = |later: u64| {
            let place = (later % WINDOW) as usize * columns + column;
            Some(self.times[place]).filter(|time| self.there[place] && !time.is_nan())
        };
        let ends = (self.newest + 1).min(row + WINDOW);
        let after = (row + 1..ends).find_map(|later| Some((later, number(later)?)));
        let before = Some(self.last[column]).filter(|(at, _)| *at != NONE);
        match (before, after) {
            (_, None) if !at_end => {
                let step = u64::from(self.first) + row * u64::from(self.stride);
                Err(format!(
                    "rank {} has no times from step {step} on for {WINDOW} steps: gaps of fewer are filled",
                    self.ranks[column]
                ))
            }
            (Some(before), Some(after)) => Ok(assemble::on_line(row, before, after)),
            (Some((_, only)), None) | (None, Some((_, only))) => Ok(only),
            (None, None) => Ok(0.0),
        }
    }

    /// Gives away what is left.
    pub fn drain(&mut self, out: &mut dyn Rows) -> Result<(), String> {
        while self.next <= self.newest {
            self.give(true, out)?;
        }
        Ok(())
    }

    /// Gives away what is left, and says what was filled in.
    pub fn end(mut self, name: &str, out: &mut dyn Rows) -> Result<Vec<String>, Complaint> {
        self.drain(out)
            .map_err(|what| Complaint::elsewhere(format!("{name}: {what}"), "correct the trace"))?;
        let last = u64::from(self.first) + self.newest * u64::from(self.stride);
        let gaps = Gaps {
            name,
            rows: self.next,
            lost: self.lost,
            steps: (u64::from(self.first), last),
            ranks: &self.ranks,
            missing: &self.missing,
            largest: self.largest,
        };
        let mut repairs = gaps.said()?;
        repairs.extend(self.first_partition.map(assemble::first_partition));
        Ok(repairs)
    }
}
