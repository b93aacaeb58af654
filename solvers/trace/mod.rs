//! Recorded step times, read from the logs people have: long and wide CSV, JSON lines, LAMMPS thermo
//! output, each also compressed by gzip.

mod assemble;
mod jsonl;
mod lammps;
mod table;

use crate::complaint::Complaint;
use flate2::bufread::MultiGzDecoder;
use remapping::record::Record;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
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
}

/// How a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Rows and columns.
    Table,
    /// An object a line.
    JsonLines,
    /// A log of LAMMPS.
    Lammps,
}

/// What is read from a file, before it is put in order.
#[derive(Debug, Default)]
struct Raw {
    form: &'static str,
    cells: Vec<Cell>,
    remaps: Vec<RawRemap>,
    knows_remaps: bool,
    repairs: Vec<String>,
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

/// Bytes looked at to tell the form of a file.
const PEEK: usize = 1 << 16;

/// What some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// Reads a trace; `-` is standard input. Without a `form` it is told by the content.
pub fn read(path: &Path, form: Option<Form>) -> Result<Trace, Complaint> {
    let shown = path.display().to_string();
    if path == Path::new("-") {
        return read_from(std::io::stdin(), "standard input", form);
    }
    let file = File::open(path).map_err(|error| {
        let help = "give a CSV, JSON-lines or LAMMPS log file";
        Complaint::elsewhere(format!("cannot read {shown}: {error}"), help)
    })?;
    read_from(file, &shown, form)
}

/// Reads a trace called `name`.
pub fn read_from(
    input: impl Read + 'static,
    name: &str,
    form: Option<Form>,
) -> Result<Trace, Complaint> {
    let mut input: Box<dyn BufRead> = Box::new(BufReader::with_capacity(PEEK, input));
    let failed = |error: std::io::Error| {
        let help = "give a CSV, JSON-lines or LAMMPS log file, plain or compressed by gzip";
        Complaint::elsewhere(format!("cannot read {name}: {error}"), help)
    };
    if input.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]) {
        input = Box::new(BufReader::with_capacity(PEEK, MultiGzDecoder::new(input)));
    }
    let first = input.fill_buf().map_err(failed)?;
    if first.starts_with(&[0xff, 0xfe]) || first.starts_with(&[0xfe, 0xff]) {
        let message = format!("{name} is UTF-16 text");
        return Err(Complaint::elsewhere(message, "save it as UTF-8, or plain ASCII"));
    }
    if first.starts_with(BYTE_ORDER_MARK) {
        input.consume(BYTE_ORDER_MARK.len());
    }
    let start = String::from_utf8_lossy(input.fill_buf().map_err(failed)?).into_owned();
    let first = start.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let form = match form {
        Some(form) => form,
        None if first.starts_with('[') => {
            return Err(at(name, 1, "a JSON list: give JSON lines, one object a line"));
        }
        None if first.starts_with('{') => Form::JsonLines,
        None if lammps::is_log(&start) => Form::Lammps,
        None => Form::Table,
    };
    let raw = match form {
        Form::JsonLines => jsonl::read(input, name),
        Form::Lammps => lammps::read(input, name),
        Form::Table => table::read(input, name, &start),
    }?;
    assemble::assemble(raw, name)
}

/// A complaint about a line of a trace.
fn at(name: &str, line: u64, what: &str) -> Complaint {
    let help = "a trace has step, rank and seconds, or one row a step and one column a rank";
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
