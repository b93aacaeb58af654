//! Reads measurements line by line: plain numbers, or one column of a CSV file.

use crate::complaint::Complaint;
use crate::records::Records;
use std::io::BufRead;

/// The column to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By its name in the header.
    Named(String),
    /// By its index, from 1.
    Place(usize),
    /// The last field of every line.
    Last,
}

impl std::str::FromStr for Column {
    type Err = String;
    fn from_str(text: &str) -> Result<Column, String> {
        match text.parse::<usize>() {
            Ok(0) => Err("columns are counted from 1".to_owned()),
            Ok(place) => Ok(Column::Place(place)),
            Err(_) => Ok(Column::Named(text.to_owned())),
        }
    }
}

/// A measurement and its line.
pub struct Measurement {
    /// Line, from 1.
    pub line: u64,
    /// The number, or the text that is not one.
    pub value: Result<f64, String>,
}

/// The measurements of `input`, one by one as they arrive.
///
/// The first line is the header if its field does not look like a number. Empty lines and lines
/// that begin with `#` are skipped.
pub fn measurements<R: BufRead>(
    input: R,
    column: &Column,
) -> impl Iterator<Item = Result<Measurement, Complaint>> {
    let mut records = Records::new(input, b',', 0);
    let mut place = match column {
        Column::Place(place) => Some(*place - 1),
        Column::Last | Column::Named(_) => None,
    };
    let column = column.clone();
    let mut first = true;
    std::iter::from_fn(move || {
        loop {
            let line = records.line() + 1;
            let (line, fields) = match records.next() {
                Ok(record) => record?,
                Err(error) => return Some(Err(unreadable(line, &error))),
            };
            let is_first = std::mem::take(&mut first);
            if let (true, Column::Named(name)) = (is_first, &column) {
                place = fields.iter().position(|field| field == name.as_bytes());
                if place.is_none() {
                    let columns: Vec<_> =
                        fields.iter().map(|field| String::from_utf8_lossy(field)).collect();
                    let message = format!("standard input has no column {name}");
                    let help = format!("its first line names {}", columns.join(", "));
                    return Some(Err(Complaint::elsewhere(message, help)));
                }
                continue;
            }
            let field = match place {
                Some(place) => fields.get(place),
                None => fields.last(),
            };
            if is_first && !is_meant(field, fields) {
                continue;
            }
            return Some(Ok(Measurement { line, value: number(field) }));
        }
    })
}

/// Whether the field of a first line looks like a number: it begins like one. If it is empty, the
/// other fields decide.
fn is_meant(field: Option<&Vec<u8>>, all: &[Vec<u8>]) -> bool {
    let begins = |field: &Vec<u8>| {
        let Ok(text) = std::str::from_utf8(field) else { return false };
        let digits = text.trim_start_matches(['+', '-', '.', ',']);
        text.parse::<f64>().is_ok() || digits.starts_with(|first: char| first.is_ascii_digit())
    };
    match field.filter(|field| !field.is_empty()) {
        Some(field) => begins(field),
        None => all.iter().any(begins),
    }
}

/// A diagnostic about a line of standard input.
pub fn wrong_line(line: u64, reason: &str, help: &str) -> Complaint {
    Complaint::elsewhere(format!("standard input, line {line}: {reason}"), help)
}

fn number(field: Option<&Vec<u8>>) -> Result<f64, String> {
    let field = field.ok_or("the column is missing")?;
    let text = std::str::from_utf8(field).map_err(|_| "this is not text in UTF-8")?;
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("{text:?} is not a finite number")),
    }
}

fn unreadable(line: u64, error: &std::io::Error) -> Complaint {
    Complaint::elsewhere(
        format!("standard input, line {line} cannot be read: {error}"),
        "give one number a line, or comma-separated values",
    )
}
