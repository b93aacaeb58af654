//! Long and wide tables, separated by commas, semicolons, tabs, blanks or bars, as in Markdown.

pub(in crate::logs) mod columns;
pub(in crate::logs) mod header;
pub(in crate::logs) mod layout;
pub(in crate::logs) mod names;
mod quick;

use super::super::row::{Field, Row};
use super::Raw;
use super::{at, flag, name, seconds, whole};
use crate::complaint::Complaint;
use crate::records::Records;
use header::{Table, head, inner, is_aside, separator, table};
use names::Column;
use std::io::{BufRead, Cursor, Read};

/// Reads a table. Lines without quotes are taken apart here; from the first that has
/// some the rest is left to the reader of CSV.
pub(in crate::logs) fn read(
    input: &mut dyn BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let unread = |number, error| at(name, number, &format!("cannot be read: {error}"));
    let head = head(input).map_err(|error| unread(1, error))?;
    let table = table(name, &String::from_utf8_lossy(&head), raw)?;
    let input: &mut dyn BufRead = &mut head.as_slice().chain(input);
    let mut place = Place { number: 0, header: table.header.is_some() };
    let (mut line, mut fields) = (Vec::new(), Vec::new());
    loop {
        let buffer = input.fill_buf().map_err(|error| unread(place.number + 1, error))?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = memchr::memrchr(b'\n', buffer).map_or(0, |last| last + 1);
        let taken = table.lines(&buffer[..end], &mut place, &mut fields, raw);
        let taken = taken.map_err(|what| at(name, place.number, &what))?;
        input.consume(taken);
        if taken < end {
            return quoted(input, name, &table, &place, raw);
        }
        // What lies across the end of the buffer.
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        read.map_err(|error| unread(place.number + 1, error))?;
        let taken = table.lines(&line, &mut place, &mut fields, raw);
        if taken.map_err(|what| at(name, place.number, &what))? < line.len() {
            return quoted(Cursor::new(line).chain(input), name, &table, &place, raw);
        }
    }
}

/// Where one is in a table: lines so far, and whether the line of names is yet to come.
struct Place {
    number: u64,
    header: bool,
}

/// Reads the rest of a table after so many lines, with its quotes.
fn quoted(
    input: impl BufRead,
    name: &str,
    table: &Table,
    place: &Place,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let blanks = table.delimiter == b' ';
    let mut header = place.header;
    let mut records = Records::new(input, table.delimiter, place.number);
    loop {
        let line = records.line() + 1;
        let next = records.next();
        let next = next.map_err(|error| at(name, line, &format!("cannot be read: {error}")))?;
        let Some((line, fields)) = next else { return Ok(()) };
        let mut fields: Vec<&[u8]> =
            fields.iter().map(Vec::as_slice).filter(|field| !blanks || !field.is_empty()).collect();
        if table.delimiter == b'|' && matches!(fields[..], [[], .., []]) {
            fields = fields[1..fields.len() - 1].to_vec();
        }
        if std::mem::take(&mut header) || matches!(fields[..], [] | [[]]) {
            continue;
        }
        let text = |at: usize| text_of(fields[at]);
        table.take(fields.len(), &text, raw).map_err(|what| at(name, line, &what))?;
    }
}

fn text_of(field: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(field).map_err(|_| "this is not text".to_owned())
}

impl Table {
    /// Takes in lines up to the first with a quote; returns their bytes.
    fn lines(
        &self,
        text: &[u8],
        place: &mut Place,
        fields: &mut Vec<(usize, usize)>,
        raw: &mut Raw<'_>,
    ) -> Result<usize, String> {
        let (mut from, mut row) = (0, Row::default());
        while from < text.len() {
            let rest = &text[from..];
            let length = match place.header {
                true => None,
                false => quick::row(rest, self.delimiter, &self.columns, &self.units, &mut row),
            };
            if let Some(length) = length {
                place.number += 1;
                from += length;
                raw.take(&row)?;
                continue;
            }
            let end = memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |end| from + end + 1);
            if self.line(&text[from..end], place, fields, raw)? {
                return Ok(from);
            }
            from = end;
        }
        Ok(from)
    }

    /// Takes in a line, unless it has a quote: that it returns.
    fn line(
        &self,
        line: &[u8],
        place: &mut Place,
        fields: &mut Vec<(usize, usize)>,
        raw: &mut Raw<'_>,
    ) -> Result<bool, String> {
        let end = line.len() - usize::from(line.last() == Some(&b'\n'));
        let end = end - usize::from(line[..end].last() == Some(&b'\r'));
        if memchr::memchr2(b'"', b'\r', &line[..end]).is_some() && separator(line).is_none() {
            return Ok(true);
        }
        place.number += 1;
        if is_aside(&line[..end]) {
            return Ok(false);
        }
        let is_header = std::mem::take(&mut place.header);
        if is_header || self.header.as_deref() == Some(line[..end].trim_ascii()) {
            return Ok(false);
        }
        let row = inner(&line[..end]);
        self.split(row, fields);
        let text = |at: usize| {
            let (first, end): (usize, usize) = fields[at];
            text_of(&row[first..end])
        };
        match self.take(fields.len(), &text, raw) {
            Err(_) if !line.ends_with(b"\n") && place.number > 2 => {
                raw.repairs
                    .push(format!("line {}, the last, is cut short, and left out", place.number));
            }
            taken => taken?,
        }
        Ok(false)
    }

    /// Where the fields of a line without quotes begin and end.
    fn split(&self, line: &[u8], fields: &mut Vec<(usize, usize)>) {
        fields.clear();
        let blanks = self.delimiter == b' ';
        let is_text = |at: usize| line[at] > b' ';
        let mut field = |first: usize, end: usize| {
            if first < end && is_text(first) && is_text(end - 1) {
                return fields.push((first, end));
            }
            let text = line[first..end].trim_ascii_start();
            let first = end - text.len();
            let end = first + text.trim_ascii_end().len();
            if !blanks || first < end {
                fields.push((first, end));
            }
        };
        let mut first = 0;
        for end in memchr::memchr_iter(self.delimiter, line) {
            field(first, end);
            first = end + 1;
        }
        field(first, line.len());
    }

    /// Takes in a row of so many fields.
    fn take<'a>(
        &self,
        count: usize,
        text: &dyn Fn(usize) -> Result<&'a str, String>,
        raw: &mut Raw<'_>,
    ) -> Result<(), String> {
        let Table { names, columns, units, .. } = self;
        if count != columns.len() {
            return Err(format!("{count} fields where the first line has {}", columns.len()));
        }
        let mut row = Row::default();
        for (place, column) in columns.iter().enumerate() {
            let Some(column) = *column else { continue };
            let mut put = || {
                // A comma may be that of a decimal where it separates nothing.
                let field = Text { text: text(place)?, has_commas: self.delimiter != b',' };
                row.put(column, units[place], &field)
            };
            put().map_err(|what: String| match column {
                Column::OfRank(rank) => format!("rank {rank}: {what}"),
                _ => format!("{}: {what}", names[place]),
            })?;
        }
        raw.take(&row)
    }
}

/// A field of a line.
struct Text<'a> {
    text: &'a str,
    /// Whether decimals may have commas.
    has_commas: bool,
}

impl Field for Text<'_> {
    fn whole(&self, what: &str) -> Result<u32, String> {
        whole(self.text, what)
    }

    fn time(&self) -> Result<f64, String> {
        match self.has_commas && self.text.contains(',') && !self.text.contains('.') {
            true => seconds(&self.text.replacen(',', ".", 1)),
            false => seconds(self.text),
        }
    }

    fn name(&self) -> Option<&str> {
        name(self.text)
    }

    fn flag(&self) -> Result<bool, String> {
        flag(self.text)
    }
}
