//! Long and wide tables, separated by commas, semicolons, tabs or blanks.

pub(in crate::logs) mod columns;
mod quick;

use super::Raw;
use super::{Cell, at, fault, flag, seconds, whole};
use crate::complaint::Complaint;
use crate::records::Records;
use columns::{Column, columns, guessed, layout, left_out, measured};
use std::io::{BufRead, Cursor, Read};

pub(in crate::logs) fn delimiter(line: &str) -> u8 {
    let separators = [b',', b';', b'\t'];
    separators.into_iter().find(|d| line.as_bytes().contains(d)).unwrap_or(b' ')
}

/// What helps where the first line names no columns of a table.
const NO_TABLE: &str = "a trace has step, rank and seconds, or one row a step and one column a rank; lines of other \
                        forms are read by --regex, which names what is in them: see --help";

/// How a table is laid out.
struct Table {
    delimiter: u8,
    /// Whether a line with names comes first.
    header: bool,
    /// What each is called.
    names: Vec<String>,
    columns: Vec<Option<Column>>,
    /// Seconds in a unit of each.
    units: Vec<f64>,
}

/// The layout of a table that starts as `start` does.
fn table(name: &str, start: &str, raw: &mut Raw<'_>) -> Result<Table, Complaint> {
    let mut lines = start.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = first else { return Err(at(name, 1, "the file is empty")) };
    if first.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\r')) {
        return Err(at(name, 1, "this is not text"));
    }
    let delimiter = delimiter(first);
    let blanks = delimiter == b' ';
    let cells = |line: &str| -> Vec<String> {
        let cells: Vec<String> =
            line.split(char::from(delimiter)).map(|cell| cell.trim().to_owned()).collect();
        if blanks { cells.into_iter().filter(|cell| !cell.is_empty()).collect() } else { cells }
    };
    let names = cells(first);
    let header = names.iter().any(|cell| cell.parse::<f64>().is_err() && !cell.is_empty());
    let second: Vec<String> =
        lines.find(|line| !line.is_empty() && !line.starts_with('#')).map_or_else(Vec::new, cells);
    let columns = if header { columns(&names) } else { guessed(&names, &second, raw) };
    let columns = columns.map_err(|what| fault(name, 1, &what, NO_TABLE))?;
    let units: Vec<Option<f64>> = match header {
        true => names.iter().map(|name| measured(name).1).collect(),
        false => vec![None; columns.len()],
    };
    let units = layout(&names, &columns, &units, raw).map_err(|what| at(name, 1, &what))?;
    left_out(&names, &columns, false, raw);
    let names = match header {
        true => names.iter().map(|name| unquoted(name)).collect(),
        false => (1..=columns.len()).map(|place| format!("column {place}")).collect(),
    };
    Ok(Table { delimiter, header, names, columns, units })
}

/// The name of a column without the quotes around it.
fn unquoted(name: &str) -> String {
    name.trim_matches('"').to_owned()
}

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
    let mut place = Place { number: 0, header: table.header };
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

/// The lines up to the second that is not empty, nor a comment: by these the layout is told.
fn head(input: &mut dyn BufRead) -> std::io::Result<Vec<u8>> {
    let (mut head, mut lines) = (Vec::new(), 0);
    while lines < 2 {
        let first = head.len();
        if input.read_until(b'\n', &mut head)? == 0 {
            break;
        }
        let line = head[first..].trim_ascii();
        lines += usize::from(!line.is_empty() && line[0] != b'#');
    }
    Ok(head)
}

/// The first lines of a table that names its columns, the step among them.
pub(in crate::logs) fn named(input: &mut dyn BufRead, name: &str) -> Option<Vec<u8>> {
    let head = head(input).ok()?;
    let table = table(name, std::str::from_utf8(&head).ok()?, &mut Raw::default()).ok()?;
    (table.header && table.columns.contains(&Some(Column::Step))).then_some(head)
}

/// Where one is in a table: lines so far, and whether the line of names is yet to come.
struct Place {
    number: u64,
    header: bool,
}

/// Reads what is left of a table after so many lines, with its quotes.
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
        let fields: Vec<&[u8]> =
            fields.iter().map(Vec::as_slice).filter(|field| !blanks || !field.is_empty()).collect();
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
        let (mut from, mut times) = (0, Vec::new());
        while from < text.len() {
            let rest = &text[from..];
            let row = match place.header {
                true => None,
                false => quick::row(rest, self.delimiter, &self.columns, &self.units, &mut times),
            };
            if let Some((row, length)) = row {
                place.number += 1;
                from += length;
                let step = row.step.unwrap_or(raw.rows);
                let time = row.rank.map(|rank| (rank, row.seconds));
                raw.row(step, row.remapped, row.cost, time)?;
                for (rank, seconds) in &times {
                    raw.push(Cell { step, rank: *rank, seconds: *seconds })?;
                }
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
        if memchr::memchr2(b'"', b'\r', &line[..end]).is_some() {
            return Ok(true);
        }
        place.number += 1;
        if line[0] == b'#' || line[..end].trim_ascii().is_empty() {
            return Ok(false);
        }
        if std::mem::take(&mut place.header) {
            return Ok(false);
        }
        self.split(&line[..end], fields);
        let text = |at: usize| {
            let (first, end): (usize, usize) = fields[at];
            text_of(&line[first..end])
        };
        self.take(fields.len(), &text, raw)?;
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
        let (mut step, mut rank, mut time) = (raw.rows, None, None);
        let (mut remapped, mut cost) = (false, None);
        let mut take = |place: usize, column| {
            match column {
                Column::OfRank(_) => {}
                Column::Step => step = whole(text(place)?, "step")?,
                Column::Rank => rank = Some(whole(text(place)?, "rank")?),
                Column::Seconds => time = Some(units[place] * seconds(text(place)?)?),
                Column::Remapped => remapped = flag(text(place)?)?,
                Column::RemapSeconds => {
                    let text = text(place)?;
                    if !text.is_empty() {
                        cost = Some(units[place] * seconds(text)?).filter(|cost| !cost.is_nan());
                    }
                }
            }
            Ok(())
        };
        for (place, column) in columns.iter().enumerate() {
            let Some(column) = *column else { continue };
            take(place, column).map_err(|what: String| format!("{}: {what}", names[place]))?;
        }
        raw.row(step, remapped, cost, rank.zip(time))?;
        for (place, column) in columns.iter().enumerate() {
            if let Some(Column::OfRank(rank)) = column {
                let time = text(place).and_then(seconds);
                let time = time.map_err(|what| format!("rank {rank}: {what}"))?;
                let seconds = units[place] * time;
                raw.push(Cell { step, rank: *rank, seconds })?;
            }
        }
        Ok(())
    }
}
