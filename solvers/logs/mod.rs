//! Recorded step times, read from the logs people have: long and wide CSV, JSON lines, the logs of
//! LAMMPS, DARMA/vt, WarpX and SWIFT, lines by a regular expression, each also compressed by gzip
//! or brotli, and Parquet.
//!
//! Logs that are long need not fit into memory: [`follow`] keeps the beginning and hands on the
//! steps after it.

mod account;
mod assemble;
mod clock;
mod fields;
mod formats;
mod gather;
mod opened;
pub mod parts;
mod row;
mod waiting;
mod window;

pub use account::Account;
pub use formats::form::Form;
pub use formats::pattern::Pattern;
pub use formats::summary::Printed;
pub use formats::table::columns::Named;

use crate::complaint::Complaint;
use fields::{TABLE, at, checked, decimal, fault, flag, name, seconds, whole};
use formats::form::{rows, told};
use formats::{columnar, vt};
use gather::Raw;
use remapping::record::{MOST_SECONDS, Record, Remap};
use std::fs::File;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

/// A trace as it was read.
#[derive(Debug)]
pub struct Trace {
    /// The steps; of a long log that was followed those of its beginning.
    pub record: Record,
    /// What was repaired.
    pub repairs: Vec<String>,
    /// Steps of the program in a step of the record.
    pub stride: u64,
    /// Whether the log says where the run was remapped, be it never.
    pub knows_remaps: bool,
    /// Seconds in the unit of the file's times; those of the record are seconds.
    pub unit_seconds: f64,
    /// What came after the record.
    pub after: After,
    /// What was understood.
    pub account: Account,
}

/// The steps of a long log after its beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct After {
    /// Steps.
    pub steps: usize,
    /// Remaps recorded among them.
    pub remaps: usize,
    /// The costs of those whose cost was recorded, together with those of the beginning, and their
    /// number.
    costs: (f64, usize),
}

impl After {
    /// One step more.
    fn add(&mut self, remap: Option<Remap>) {
        self.steps += 1;
        self.remaps += usize::from(remap.is_some());
        if let Some(cost) = remap.and_then(|remap| remap.seconds) {
            self.costs = (self.costs.0 + cost, self.costs.1 + 1);
        }
    }
}

/// Takes the steps of a long log, after those of its beginning.
pub trait Follow {
    /// The log goes on after this beginning, whose steps have this stride.
    ///
    /// # Errors
    /// What cannot be done with a log that is long.
    fn begin(&mut self, beginning: &Record, stride: u64) -> Result<(), Complaint>;

    /// Some times of the next step are filled in, those of the ranks of which that is said.
    fn filled(&mut self, _ranks: &[bool]) {}

    /// The next step, and the remap just before it.
    fn step(&mut self, seconds: &[f64], remap: Option<Remap>);
}

/// How much of a log is held in memory at least: what is shorter is held as a whole.
#[derive(Debug, Clone, Copy)]
pub struct Beginning {
    /// Times.
    pub cells: usize,
    /// Steps.
    pub steps: usize,
}

impl Trace {
    /// Steps of the whole log.
    pub fn steps(&self) -> usize {
        self.record.steps() + self.after.steps
    }

    /// Remaps recorded in the whole log.
    pub fn remaps(&self) -> usize {
        self.record.remaps().len() + self.after.remaps
    }

    /// The mean cost of the remaps whose cost was recorded.
    pub fn mean_remap_cost(&self) -> Option<f64> {
        match self.after {
            After { steps: 0, .. } => self.record.mean_remap_cost(),
            After { costs: (_, 0), .. } => None,
            After { costs: (sum, many), .. } => Some(sum / many as f64),
        }
    }
}

/// What the user says of a log.
#[derive(Debug, Clone, Default)]
pub struct How {
    /// How it is written; otherwise that is told by the content.
    pub form: Option<Form>,
    /// Seconds in a unit of its times.
    pub unit: Option<f64>,
    /// Which columns are what.
    pub columns: Named,
    /// A row is one step of so many.
    pub every: Option<u32>,
}

/// The time of a rank at a step; NaN where it is missing.
#[derive(Debug, Clone, Copy)]
struct Cell {
    step: u32,
    rank: u32,
    seconds: f64,
}

#[derive(Debug, Clone, Copy)]
struct RawRemap {
    step: u32,
    seconds: Option<f64>,
}

/// Reads a trace; `-` is standard input. Without a `form` it is told by the content.
pub fn read(path: &Path, form: Option<Form>) -> Result<Trace, Complaint> {
    let mut raw = Raw::default();
    gather(path, form.as_ref(), &mut raw)?;
    let paths = [path.to_owned()];
    raw.trace(&shown(path), &|cell| second(&paths, form.as_ref(), cell))
}

/// Reads files once more, to say on which line the second time of a step and rank stands.
fn second(paths: &[PathBuf], form: Option<&Form>, cell: Cell) -> Option<Complaint> {
    let may_be_read = |path: &PathBuf| path.is_file() || path.is_dir();
    if !paths.iter().all(may_be_read) {
        return None;
    }
    let mut raw = Raw::seeking(cell);
    let fault = paths.iter().find_map(|path| gather(path, form, &mut raw).err())?;
    raw.has_found().then_some(fault)
}

/// Reads a trace called `name`.
pub fn read_from(
    input: impl Read + 'static,
    name: &str,
    form: Option<Form>,
) -> Result<Trace, Complaint> {
    let mut raw = Raw::default();
    take(input, name, form.as_ref(), &mut raw)?;
    raw.close().map_err(|what| Complaint::elsewhere(format!("{name}: {what}"), TABLE))?;
    raw.trace(name, &|_| None)
}

/// Reads a trace that is written in these files, one after the other, with times in a `unit` of so
/// many seconds if it is given. Of a long one the `beginning` is held, and the steps after it are
/// handed to `then`; their rows may come 255 steps late.
pub fn follow(
    paths: &[PathBuf],
    how: &How,
    beginning: Beginning,
    then: &mut dyn Follow,
) -> Result<Trace, Complaint> {
    let (form, unit) = (how.form.as_ref(), how.unit);
    let mut raw = Raw::long(beginning.cells, beginning.steps, then);
    (raw.forced_unit, raw.how) = (unit, how.clone());
    let mut known = true;
    let mut first: Option<f64> = None;
    for path in paths {
        (raw.knows_remaps, raw.marked, raw.unit_seconds) = (false, false, first);
        raw.scale = raw.forced_unit;
        gather(path, form, &mut raw).map_err(|fault| raw.refused.take().unwrap_or(fault))?;
        known &= raw.knows_remaps;
        let unit = unit.or(raw.unit_seconds).unwrap_or(1.0);
        if first.is_some_and(|first| first != unit) {
            let message = format!("{}: its times have another unit than those before", shown(path));
            return Err(Complaint::elsewhere(message, "give the parts of one log"));
        }
        first = Some(unit);
    }
    raw.knows_remaps = known;
    let name = match paths {
        [only] => shown(only),
        _ => names(paths),
    };
    let trace = raw.trace(&name, &|cell| second(paths, form, cell))?;
    if let Some([first, last]) = clock::readings(&trace.record) {
        let message = format!(
            "{name}: the times of all ranks grow at every step, from {first} to {last} seconds: these are readings of a \
             clock, sums of all steps so far"
        );
        let help = "give what each step took, the difference of two readings; in pandas: log.seconds = \
                    log.groupby('rank').seconds.diff()";
        return Err(Complaint::elsewhere(message, help));
    }
    if let Some(fall) = waiting::falls(&trace.record) {
        let message = format!(
            "{name}: all ranks take equally long, and that falls by {:.1} % at recorded remaps: these times include \
             the time that ranks wait for each other, and do not say what each of them worked",
            100.0 * fall
        );
        let help = "log the seconds before the ranks wait (before the barrier or MPI call), or the seconds they \
                    wait as a column `wait`";
        return Err(Complaint::elsewhere(message, help));
    }
    Ok(trace)
}

/// The files of a log, in a word.
pub fn names(paths: &[PathBuf]) -> String {
    match paths {
        [] => String::new(),
        [only] => only.display().to_string(),
        [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
    }
}

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Reads a file.
fn gather(path: &Path, form: Option<&Form>, raw: &mut Raw<'_>) -> Result<(), Complaint> {
    let shown = shown(path);
    let refused = |what: String| Complaint::elsewhere(format!("{shown}: {what}"), TABLE);
    read_file(path, &shown, form, raw)?;
    raw.close().map_err(refused)
}

fn read_file(
    path: &Path,
    shown: &str,
    form: Option<&Form>,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    if path == Path::new("-") {
        return take(std::io::stdin(), shown, form, raw);
    }
    if path.is_dir() {
        return vt::read(path, raw);
    }
    let (mut input, start) = open(path)?;
    match form.cloned().map_or_else(|| told(&start, shown), Ok)? {
        Form::Vt => vt::read(path, raw),
        Form::Parquet => columnar::read_path(path, &mut input, shown, raw),
        form => rows(&mut input, shown, &form, raw),
    }
}

fn take(
    input: impl Read + 'static,
    name: &str,
    form: Option<&Form>,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let mut input = opened::text(input, name)?;
    let start = peek(&mut input, name)?;
    let form = form.cloned().map_or_else(|| told(&start, name), Ok)?;
    rows(&mut input, name, &form, raw)
}

/// Whether a file is a log rather than a model or a solution.
pub fn is_log(path: &Path) -> Result<bool, Complaint> {
    // What is in a pipe can be read only once.
    let whole = std::fs::metadata(path).is_ok_and(|facts| !facts.is_file());
    if path == Path::new("-") || whole {
        return Ok(true);
    }
    let start = open(path)?.1;
    let is_model = || start.lines().any(|line| line.trim_start().starts_with("Model("));
    Ok(match path.extension().and_then(|ending| ending.to_str()) {
        Some("ron") => false,
        Some("json") => vt::is_data(&start),
        _ => !is_model(),
    })
}

fn open(path: &Path) -> Result<(Box<dyn BufRead>, String), Complaint> {
    let shown = path.display().to_string();
    let file = File::open(path).map_err(|error| {
        let help = "give a log: `remap fit --help` says which";
        Complaint::elsewhere(format!("cannot read {shown}: {error}"), help)
    })?;
    let mut input = opened::text(file, &shown)?;
    let start = peek(&mut input, &shown)?;
    Ok((input, start))
}

/// The first letters of a text.
fn peek(input: &mut Box<dyn BufRead>, name: &str) -> Result<String, Complaint> {
    let start = input.fill_buf().map_err(|error| {
        let help = "give a log, plain or compressed by gzip, brotli, zstd or xz";
        Complaint::elsewhere(format!("cannot read {name}: {error}"), help)
    })?;
    Ok(String::from_utf8_lossy(start).into_owned())
}
