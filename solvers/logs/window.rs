//! Sorts rows that are almost in order, within a window of steps, and fills gaps.

use super::assemble::{self, Gaps};
use super::{After, Cell, Follow, RawRemap};
use crate::complaint::Complaint;
use remapping::record::{Record, Remap};
use std::collections::BTreeMap;

/// The most steps by which a row may be late, and the longest gap that is filled.
pub(super) const WINDOW: u64 = 256;

/// The rows that come out of the window.
#[derive(Default)]
pub(super) struct Out {
    /// Those of the beginning, as long as it lasts.
    pub seconds: Vec<f64>,
    /// Which of them were filled in, up to the last row that has such times.
    pub filled: Vec<bool>,
    pub remaps: Vec<Remap>,
    pub beginning: Option<Record>,
    pub after: After,
}

/// Where rows go.
pub(super) struct To<'a, 'b>(pub &'a mut Out, pub &'a mut (dyn Follow + 'b));

impl To<'_, '_> {
    /// Some times of the next row are filled in.
    fn filled(&mut self, ranks: &[bool]) {
        let To(out, then) = self;
        if out.beginning.is_some() {
            return then.filled(ranks);
        }
        out.filled.resize(out.seconds.len(), false);
        out.filled.extend(ranks);
    }

    /// The next row, and the remap just before it.
    fn row(&mut self, seconds: &[f64], remap: Option<Remap>) {
        let To(out, then) = self;
        if out.beginning.is_none() {
            out.seconds.extend(seconds);
            out.remaps.extend(remap);
            return;
        }
        out.after.add(remap);
        then.step(seconds, remap);
    }
}

/// The last steps of a log, whose first step, stride and ranks are known.
#[derive(Default)]
pub(super) struct Window {
    first: u32,
    pub stride: u32,
    pub ranks: Vec<u32>,
    /// Whether the ranks are 0, 1, 2, ...
    counted: bool,
    /// A ring of the pending rows: their times, which of these have arrived, how many, and how many
    /// of them are numbers.
    times: Vec<f64>,
    there: Vec<bool>,
    come: Vec<usize>,
    numbers: Vec<usize>,
    /// The first of these rows, and the last that has any time.
    next: u64,
    newest: u64,
    /// The step that was looked up last, and its row.
    found: (u32, u64),
    /// The last number of each rank, with its row; [`NONE`] before the first.
    last: Vec<(u64, f64)>,
    /// The row since the last remap, and the last row that filled a gap before it.
    since: u64,
    looked: u64,
    /// The number of rows without any time, and of missing times of each rank.
    lost: u64,
    missing: Vec<u64>,
    /// The number of times that are the mean of the other ranks.
    alone: u64,
    largest: f64,
    remaps: BTreeMap<u64, Option<f64>>,
    first_partition: Option<Option<f64>>,
}

/// No row yet.
const NONE: u64 = u64::MAX;

impl Window {
    /// An empty window.
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
            found: (first, 0),
            last: vec![(NONE, 0.0); ranks.len()],
            missing: vec![0; ranks.len()],
            ranks,
            ..Window::default()
        }
    }

    /// Whether nothing was missing in the rows that were passed on.
    pub fn is_whole(&self) -> bool {
        self.lost == 0 && self.missing.iter().all(|missing| *missing == 0)
    }

    /// Adds a time. Rows that are then complete go to `out`.
    pub fn put(&mut self, cell: Cell, out: &mut To<'_, '_>) -> Result<(), String> {
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
            format!(
                "step {step} stands after step {}: in a log this long a row may come at most {} steps late; sort it \
                 by its steps",
                self.step(self.newest),
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

    /// Makes `row` the newest, and passes on those that leave the window.
    fn reach(&mut self, row: u64, out: &mut To<'_, '_>) -> Result<(), String> {
        if row - self.newest > WINDOW {
            return Err(format!(
                "after step {} comes step {}: gaps of at most {WINDOW} steps are filled",
                self.step(self.newest),
                self.step(row)
            ));
        }
        while self.next + WINDOW <= row {
            self.give(false, out)?;
        }
        self.newest = row;
        Ok(())
    }

    /// Adds a remap.
    pub fn remap(&mut self, remap: RawRemap) -> Result<(), String> {
        let Some(beyond) = remap.step.checked_sub(self.first) else { return Ok(()) };
        let row = u64::from(beyond / self.stride);
        // A gap before this remap was filled without it.
        let unseen = (1..=self.looked).contains(&row) && !self.remaps.contains_key(&row);
        if row < self.next || unseen {
            let what = format!("the remap before step {} stands too late", remap.step);
            return Err(format!("{what}: sort the log by its steps"));
        }
        assemble::add_remap(self.remaps.entry(row).or_default(), remap.seconds);
        Ok(())
    }

    /// Passes on the first row.
    fn give(&mut self, at_end: bool, out: &mut To<'_, '_>) -> Result<(), String> {
        let columns = self.ranks.len();
        let row = self.next;
        let ring = (row % WINDOW) as usize;
        let cells = ring * columns..(ring + 1) * columns;
        // A remap after the last step counts as one before it.
        let until = if at_end && row == self.newest { NONE } else { row };
        let mut remap: Option<Option<f64>> = None;
        while let Some(entry) = self.remaps.first_entry().filter(|entry| *entry.key() <= until) {
            assemble::add_remap(remap.get_or_insert_default(), entry.remove());
        }
        if row == 0 {
            self.first_partition = remap.take();
        }
        if remap.is_some() {
            self.since = row;
        }
        self.lost += u64::from(self.come[ring] == 0);
        if self.numbers[ring] < columns {
            for column in 0..columns {
                if self.there[cells.start + column] && !self.times[cells.start + column].is_nan() {
                    continue;
                }
                self.missing[column] += 1;
                let time = self.between(row, column, at_end)?;
                self.times[cells.start + column] = time.unwrap_or(f64::NAN);
                // A filled time is not a neighbor for other gaps.
                self.there[cells.start + column] = false;
            }
            let filled = assemble::as_others(&mut self.times[cells.clone()]);
            self.alone += filled.ok_or_else(|| assemble::unknown(self.step(row)))?;
        }
        let whole = self.numbers[ring] == columns;
        let times = &self.times[cells.clone()];
        for (column, time) in times.iter().enumerate() {
            if whole || self.there[cells.start + column] {
                self.last[column] = (row, *time);
            }
            self.largest = self.largest.max(*time);
        }
        let remap = remap.map(|seconds| Remap { before: row as usize, seconds });
        if !whole {
            let filled: Vec<bool> = self.there[cells.clone()].iter().map(|there| !there).collect();
            out.filled(&filled);
        }
        out.row(times, remap);
        self.there[cells].fill(false);
        (self.come[ring], self.numbers[ring]) = (0, 0);
        self.next += 1;
        Ok(())
    }

    /// The step of a row.
    fn step(&self, row: u64) -> u64 {
        u64::from(self.first) + row * u64::from(self.stride)
    }

    /// The time for a gap, from the rows between the same two remaps; `None` if the rank has no
    /// time there.
    fn between(&mut self, row: u64, column: usize, at_end: bool) -> Result<Option<f64>, String> {
        let columns = self.ranks.len();
        let number = |later: u64| {
            let place = (later % WINDOW) as usize * columns + column;
            Some(self.times[place]).filter(|time| self.there[place] && !time.is_nan())
        };
        let remap = self.remaps.keys().next().copied();
        // At the end, a remap after the last step counts as one before it.
        let remap = if at_end { remap.map(|remap| remap.min(self.newest)) } else { remap };
        let remap = remap.filter(|remap| *remap <= row + WINDOW);
        let ends = (self.newest + 1).min(row + WINDOW).min(remap.unwrap_or(NONE));
        let after = (row + 1..ends).find_map(|later| Some((later, number(later)?)));
        let before = Some(self.last[column]).filter(|(at, _)| *at != NONE && *at >= self.since);
        if after.is_none() && remap.is_none() && !at_end {
            return Err(format!(
                "rank {} has no times from step {} on for {WINDOW} steps: gaps of fewer are filled",
                self.ranks[column],
                self.step(row)
            ));
        }
        self.looked = after.map_or(self.looked, |(later, _)| self.looked.max(later));
        Ok(assemble::between(row, before, after))
    }

    /// Passes on the remaining rows.
    pub fn drain(&mut self, out: &mut To<'_, '_>) -> Result<(), String> {
        while self.next <= self.newest {
            self.give(true, out)?;
        }
        Ok(())
    }

    /// Passes on the remaining rows, and returns remarks about filled times.
    pub fn end(mut self, name: &str, out: &mut To<'_, '_>) -> Result<Vec<String>, Complaint> {
        self.drain(out)
            .map_err(|what| Complaint::elsewhere(format!("{name}: {what}"), "correct the trace"))?;
        let last = self.step(self.newest);
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
        repairs.extend(assemble::alone(self.alone));
        repairs.extend(self.first_partition.map(assemble::first_partition));
        Ok(repairs)
    }
}
