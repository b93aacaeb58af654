//! Recorded step times, read from the logs people have: long and wide CSV, JSON lines, the logs of LAMMPS,
//! DARMA/vt, WarpX and SWIFT, lines by a regular expression, each also compressed by gzip or brotli.

mod assemble;
mod jsonl;
mod lammps;
mod opened;
mod pattern;
mod swift;
mod table;
mod vt;
mod warpx;

pub use pattern::Pattern;

use crate::complaint::Complaint;
use remapping::record::{Record, Remap};
use std::fs::File;
use std::io::{BufRead, Read};
use std::path::Path;

/// A trace as it was read.
#[derive(Debug)]
pub struct Trace {
    /// The steps.
    pub record: Record,
    /// How the file was understood.
    pub form: &'static str,
    /// What was repaired.
    pub repairs: Vec<String>,
    /// Steps of the program in a step of the record.
    pub stride: u64,
    /// Whether the log says where the run was remapped, be it never.
    pub knows_remaps: bool,
    /// Seconds in the unit of the file's times; those of the record are seconds.
    pub unit_seconds: f64,
}

impl Trace {
    /// The same, with times in units of so many seconds, whatever the file says.
    pub fn in_units_of(&mut self, seconds: f64) {
        let scale = seconds / self.unit_seconds;
        self.unit_seconds = seconds;
        let record = &self.record;
        let times = (0..record.steps()).flat_map(|step| record.row(step)).map(|time| scale * time);
        let scaled =
            |remap: &Remap| Remap { seconds: remap.seconds.map(|cost| scale * cost), ..*remap };
        let remaps = record.remaps().iter().map(scaled).collect();
        self.record =
            Record::new(record.ranks(), times.collect(), remaps).expect("times of a record");
    }
}

/// How a trace is written.
#[derive(Debug, Clone)]
pub enum Form {
    /// Rows and columns.
    Table,
    /// An object a line.
    JsonLines,
    /// A log of LAMMPS.
    Lammps,
    /// Load balancing data of DARMA/vt.
    Vt,
    /// `LoadBalanceCosts` of WarpX.
    Warpx,
    /// `rank_cpu_balance.log` of SWIFT.
    Swift,
    /// Lines that match.
    Lines(Pattern),
}

/// What is read from a file, before it is put in order.
#[derive(Debug, Default)]
struct Raw {
    form: &'static str,
    cells: Vec<Cell>,
    remaps: Vec<RawRemap>,
    knows_remaps: bool,
    repairs: Vec<String>,
    /// Seconds in a unit of the times, where the file says; they have been converted.
    unit_seconds: Option<f64>,
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
    let shown = path.display().to_string();
    if path == Path::new("-") {
        return read_from(std::io::stdin(), "standard input", form);
    }
    if path.is_dir() {
        return assemble::assemble(vt::read(path)?, &shown);
    }
    let (mut input, start) = open(path)?;
    let raw = match form.map_or_else(|| told(&start, &shown), Ok)? {
        Form::Vt => vt::read(path),
        form => rows(&mut input, &shown, &start, &form),
    };
    assemble::assemble(raw?, &shown)
}

/// Reads a trace called `name`.
pub fn read_from(
    input: impl Read + 'static,
    name: &str,
    form: Option<Form>,
) -> Result<Trace, Complaint> {
    let mut input = opened::text(input, name)?;
    let start = peek(&mut input, name)?;
    let form = form.map_or_else(|| told(&start, name), Ok)?;
    assemble::assemble(rows(&mut input, name, &start, &form)?, name)
}

/// Whether a file is a log rather than a model or a solution.
pub fn is_log(path: &Path) -> Result<bool, Complaint> {
    if path == Path::new("-") || path.is_dir() {
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
        let help = "give a log, plain or compressed by gzip or brotli";
        Complaint::elsewhere(format!("cannot read {name}: {error}"), help)
    })?;
    Ok(String::from_utf8_lossy(start).into_owned())
}

/// How a trace that starts like this is written.
fn told(start: &str, name: &str) -> Result<Form, Complaint> {
    let first = start.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    Ok(match first {
        list if list.starts_with('[') => {
            return Err(at(name, 1, "a JSON list: give JSON lines, one object a line"));
        }
        _ if vt::is_data(start) => Form::Vt,
        object if object.starts_with('{') => Form::JsonLines,
        _ if swift::is_log(start) => Form::Swift,
        _ if warpx::is_log(start) => Form::Warpx,
        _ if lammps::is_log(start) => Form::Lammps,
        _ => Form::Table,
    })
}

fn rows(input: &mut dyn BufRead, name: &str, start: &str, form: &Form) -> Result<Raw, Complaint> {
    match form {
        Form::JsonLines => jsonl::read(input, name),
        Form::Lammps => lammps::read(input, name),
        Form::Table => table::read(input, name, start),
        Form::Vt => vt::read_alone(input, name),
        Form::Warpx => warpx::read(input, name),
        Form::Swift => swift::read(input, name),
        Form::Lines(pattern) => pattern::read(input, name, pattern),
    }
}

/// A complaint about a line of a trace.
fn at(name: &str, line: u64, what: &str) -> Complaint {
    let help = "a trace has step, rank and seconds, or one row a step and one column a rank";
    fault(name, line, what, help)
}

/// The same for a form that has other fields.
fn fault(name: &str, line: u64, what: &str, help: &str) -> Complaint {
    Complaint::elsewhere(format!("{name}, line {line}: {what}"), help)
}

/// A time as it stands in a file: NaN if it is missing.
fn seconds(text: &str) -> Result<f64, String> {
    let missing = ["", "nan", "na", "null", "none", "-"];
    if missing.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Ok(f64::NAN);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_nan() => Ok(f64::NAN),
        Ok(value) if value.is_infinite() => Err(format!("{text:?} is not finite")),
        // Its square is taken, and summed.
        Ok(value) if value.abs() > 1e100 => Err(format!("{text:?} is too large")),
        Ok(value) if value < 0.0 => Err(format!("{text} is negative: times are not")),
        Ok(value) => Ok(value),
        Err(_) if text.contains(',') => {
            Err(format!("{text:?} is not a number: decimals are written with a point"))
        }
        Err(_) => Err(format!("{text:?} is not a number")),
    }
}

/// Whether a remap is marked.
fn flag(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "" | "0" | "false" | "no" | "0.0" => Ok(false),
        "1" | "true" | "yes" | "1.0" => Ok(true),
        _ => Err(format!("{text:?} is neither 0 nor 1")),
    }
}

/// The number of a step or rank.
fn whole(text: &str, what: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().ok().or_else(|| {
        let value = text.parse::<f64>().ok()?;
        (value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value))
            .then_some(value as u32)
    });
    number.ok_or_else(|| format!("{text:?} is not the number of a {what}"))
}
