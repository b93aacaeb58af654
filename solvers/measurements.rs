//! Measurements read line by line: plain numbers, or one column of a CSV.

use crate::complaint::Complaint;
use csv::{ReaderBuilder, StringRecord, Trim};
use std::io::Read;

/// Which column to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// By its name in the header.
    Named(String),
    /// By its place, from 1.
    Place(usize),
    /// The last of every line.
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

/// A measurement and the line it stands on.
pub struct Measurement {
    /// Line, from 1.
    pub line: u64,
    /// The number, or what stands in its place.
    pub value: Result<f64, String>,
}

/// The measurements of `input`, read as they come.
///
/// A first line without a number in the column is the header. Empty lines and `#` lines are left out.
pub fn measurements<R: Read>(
    input: R,
    column: &Column,
) -> impl Iterator<Item = Result<Measurement, Complaint>> {
    let reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(input);
    let mut records = reader.into_records();
    let mut place = match column {
        Column::Place(place) => Some(*place - 1),
        Column::Last | Column::Named(_) => None,
    };
    let column = column.clone();
    let mut first = true;
    std::iter::from_fn(move || {
        loop {
            let record = match records.next()? {
                Ok(record) => record,
                Err(error) => return Some(Err(unreadable(&error))),
            };
            let is_first = std::mem::take(&mut first);
            if let (true, Column::Named(name)) = (is_first, &column) {
                place = record.iter().position(|field| field == name);
                if place.is_none() {
                    let columns = record.iter().collect::<Vec<_>>().join(", ");
                    let message = format!("standard input has no column {name}");
                    let help = format!("its first line names {columns}");
                    return Some(Err(Complaint::elsewhere(message, help)));
                }
                continue;
            }
            let value = number(&record, place);
            if is_first && value.is_err() {
                continue;
            }
            let line = record.position().map_or(0, csv::Position::line);
            return Some(Ok(Measurement { line, value }));
        }
    })
}

/// A complaint about a line of standard input.
pub fn wrong_line(line: u64, reason: &str, help: &str) -> Complaint {
    Complaint::elsewhere(format!("standard input, line {line}: {reason}"), help)
}

fn number(record: &StringRecord, place: Option<usize>) -> Result<f64, String> {
    let field = match place {
        Some(place) => record.get(place),
        None => record.iter().next_back(),
    };
    match field {
        Some(field) => match field.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(format!("{field:?} is not a finite number")),
        },
        None => Err("the column is missing".to_owned()),
    }
}

fn unreadable(error: &csv::Error) -> Complaint {
    let line = error.position().map_or_else(String::new, |at| format!(", line {}", at.line()));
    Complaint::elsewhere(
        format!("standard input{line} cannot be read: {error}"),
        "give one number a line, or comma-separated values",
    )
}
