//! Reads a long log with several readers, each of which takes a part of its steps from a position
//! in the files.
//!
//! This works for plain tables in files that name their columns and have no gaps. Any other log is
//! left to one reader, which also reports its faults.

use super::formats::table;
use super::gather::{Raw, costs};
use super::window::{WINDOW, Window};
use super::{After, Beginning, Follow, Form, Trace, gather, names, shown, told};
use crate::complaint::Complaint;
use remapping::fit::whole::{AROUND, BLOCK, Taking, Whole};
use remapping::record::{Record, Remap};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The result of reading a part.
#[derive(Debug)]
pub struct Part {
    taking: Option<Taking>,
    /// The costs of the remaps in it, where they are recorded.
    pub costs: Vec<f64>,
    /// For the first reader: the beginning of the log and its format.
    trace: Option<Trace>,
}

impl Part {
    /// The numbers that are sent to the first reader.
    pub fn numbers(&mut self) -> Vec<f64> {
        self.taking.take().map(Taking::numbers).unwrap_or_default()
    }

    /// The log, and the facts about all its steps. It joins the first part with the numbers and
    /// costs of all others in order.
    pub fn join(self, numbers: &[f64], more: &[f64]) -> Option<(Trace, Whole)> {
        let (mut taking, mut trace) = (self.taking?, self.trace?);
        let mut rest = numbers;
        while !rest.is_empty() {
            rest = taking.join(rest)?;
        }
        let whole = taking.whole();
        let add = |(sum, many): (f64, usize), cost: &f64| (sum + cost, many + 1);
        trace.after = After {
            steps: whole.steps - trace.record.steps(),
            remaps: whole.remaps - trace.record.remaps().len(),
            costs: self.costs.iter().chain(more).fold(costs(&trace.record), add),
        };
        Some((trace, whole))
    }
}

/// Collects the steps of a part. Of those that are passed from `next` on, only `own` count.
struct Steps {
    taking: Option<Taking>,
    own: Range<usize>,
    next: usize,
    costs: Vec<f64>,
}

impl Follow for Steps {
    fn begin(&mut self, beginning: &Record, _: u64) -> Result<(), Complaint> {
        self.taking = Some(Taking::after(beginning).until(self.own.end));
        self.next = beginning.steps();
        Ok(())
    }

    fn step(&mut self, seconds: &[f64], remap: Option<Remap>) {
        if let Some(taking) = &mut self.taking {
            taking.step(seconds, remap.is_some());
        }
        if self.own.contains(&self.next) {
            self.costs.extend(remap.and_then(|remap| remap.seconds));
        }
        self.next += 1;
    }
}

/// Stops after the beginning.
struct Stop(Option<Record>);

impl Follow for Stop {
    fn begin(&mut self, beginning: &Record, _: u64) -> Result<(), Complaint> {
        self.0 = Some(beginning.clone());
        Err(Complaint::elsewhere("the log is long", ""))
    }

    fn step(&mut self, _: &[f64], _: Option<Remap>) {}
}

/// Reads the part of one of at least two readers; `None` if the log must be read by a single one.
pub fn read(
    paths: &[PathBuf],
    form: Option<&Form>,
    beginning: Beginning,
    (reader, readers): (usize, usize),
) -> Option<Part> {
    let files = Files::plain(paths, form)?;
    let mut stop = Stop(None);
    let mut raw = Raw::long(beginning.cells, beginning.steps, &mut stop);
    for path in paths {
        if gather(path, Some(&Form::Table), &mut raw).is_err() {
            break;
        }
    }
    let started = raw.started.take()?;
    let record = stop.0?;
    let (first, stride) = (u64::from(started.0), u64::from(started.1));
    // Rows are at most a window late, and a part also receives some steps before its own.
    let mut starts = vec![0];
    for cut in 1..readers {
        let step = files.step_at(files.total() * cut as u64 / readers as u64)?;
        let row = (u64::from(step).checked_sub(first)? / stride + WINDOW) as usize + AROUND;
        starts.push(row.next_multiple_of(BLOCK));
    }
    let end = starts.get(reader + 1).copied().unwrap_or(usize::MAX);
    let start = starts[reader];
    if starts.get(1).is_none_or(|second| *second < record.steps()) || start >= end {
        return None;
    }
    let step = |row: usize| first.saturating_add(stride.saturating_mul(row as u64));
    let until = step(end.saturating_add(AROUND));
    let mut steps = Steps { taking: None, own: start..end, next: 0, costs: Vec::new() };
    if reader == 0 {
        let mut raw = Raw::long(beginning.cells, beginning.steps, &mut steps);
        raw.only = Some(0..until);
        for path in paths {
            let read = gather(path, Some(&Form::Table), &mut raw);
            if raw.enough {
                break;
            }
            read.ok()?;
        }
        let whole = raw.drain().ok()? && raw.enough && !raw.costs_alone;
        let name = match paths {
            [only] => shown(only),
            _ => names(paths),
        };
        let trace = raw.trace(&name, &|_| None);
        let trace = trace.ok().filter(|_| whole)?;
        return Some(Part { taking: steps.taking, costs: steps.costs, trace: Some(trace) });
    }
    steps.taking = Some(Taking::part(&record, start).until(end));
    steps.next = start - AROUND;
    let from = step(start - AROUND);
    let window = Window::new(u32::try_from(from).ok()?, started.1, started.2.clone());
    let mut raw = Raw::part(record, window, &mut steps);
    (raw.only, raw.started) = (Some(from..until), Some(started));
    files.read_from(files.total() * reader as u64 / readers as u64, &mut raw)?;
    let enough = (raw.enough || end == usize::MAX) && !raw.costs_alone;
    raw.drain().ok().filter(|whole| *whole && enough)?;
    Some(Part { taking: steps.taking, costs: steps.costs, trace: None })
}

/// Plain tables with the same columns, one after the other.
struct Files<'p> {
    /// The files with their lengths.
    files: Vec<(&'p Path, u64)>,
    /// The lines that name the columns, and one more.
    head: Vec<u8>,
}

/// A number of bytes that contains a whole line.
const LOOKED_AT: usize = 1 << 16;

impl<'p> Files<'p> {
    /// `None` if one of the files is not a plain table.
    fn plain(paths: &'p [PathBuf], form: Option<&Form>) -> Option<Self> {
        if form.is_some_and(|form| !matches!(form, Form::Table)) {
            return None;
        }
        let (mut files, mut head) = (Vec::new(), Vec::new());
        for path in paths {
            let facts = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
            let mut input = BufReader::with_capacity(LOOKED_AT, File::open(path).ok()?);
            let start = input.fill_buf().ok()?;
            // Packed files are not text, and neither are files with a mark.
            let end = start.iter().rposition(|byte| *byte == b'\n')?;
            let text = std::str::from_utf8(&start[..end]).ok()?;
            if text.starts_with('\u{feff}') || text.contains(['\0', '"']) {
                return None;
            }
            matches!(told(text, "").ok()?, Form::Table).then_some(())?;
            let found = table::header::named(&mut input, "")?;
            let names = |head: &[u8]| head.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
            let first = names(&found)?;
            let is_named = !first.trim_ascii().is_empty() && first[0] != b'#';
            if !is_named || !head.is_empty() && names(&head)? != first {
                return None;
            }
            head = if head.is_empty() { found } else { head };
            files.push((path.as_path(), facts.len()));
        }
        Some(Self { files, head })
    }

    fn total(&self) -> u64 {
        self.files.iter().map(|(_, length)| length).sum()
    }

    /// The text after the line at this position: the header line and the rest of the file, and the
    /// index of the next file.
    fn behind(&self, mut place: u64) -> Option<(Box<dyn BufRead>, usize)> {
        let at = self.files.iter().position(|(_, length)| {
            let here = place < *length;
            place -= if here { 0 } else { *length };
            here
        })?;
        let mut file = File::open(self.files[at].0).ok()?;
        file.seek(SeekFrom::Start(place)).ok()?;
        let mut input = BufReader::with_capacity(LOOKED_AT, file);
        input.read_until(b'\n', &mut Vec::new()).ok()?;
        let names = self.head.iter().position(|byte| *byte == b'\n')? + 1;
        let names = std::io::Cursor::new(self.head[..names].to_vec());
        Some((Box::new(names.chain(input)), at + 1))
    }

    /// The step of the first line after this position.
    fn step_at(&self, place: u64) -> Option<u32> {
        let (input, _) = self.behind(place)?;
        let mut text = Vec::new();
        input.take(LOOKED_AT as u64).read_to_end(&mut text).ok()?;
        let end = text.iter().rposition(|byte| *byte == b'\n')? + 1;
        let mut raw = Raw::default();
        table::read(&mut &text[..end], "", &mut raw).ok()?;
        raw.first_step()
    }

    /// Reads everything after this position, up to the wanted end.
    fn read_from(&self, place: u64, raw: &mut Raw<'_>) -> Option<()> {
        let (mut input, next) = self.behind(place)?;
        let mut read = table::read(&mut input, "", raw);
        for (path, _) in &self.files[next..] {
            if raw.enough {
                break;
            }
            read.ok()?;
            read = gather(path, Some(&Form::Table), raw);
        }
        (raw.enough || read.is_ok()).then_some(())
    }
}
