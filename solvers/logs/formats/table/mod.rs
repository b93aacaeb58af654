//! Long and wide tables, separated by commas, semicolons, tabs or blanks.

pub(in crate::logs) mod columns;
pub(in crate::logs) mod layout;
mod quick;

use super::super::row::{Field, Row};
use super::Raw;
use super::{at, decimal, fault, flag, seconds, whole};
use crate::complaint::Complaint;
use crate::records::Records;
use columns::{Column, columns, listed, measured};
use layout::{guessed, layout, left_out};
use std::io::{BufRead, Cursor, Read};

pub(in crate::logs) fn delimiter(line: &str) -> u8 {
    let separators = [b';', b'\t', b','];
    separators.into_iter().find(|d| line.as_bytes().contains(d)).unwrap_or(b' ')
}

/// What helps where the first line names no columns of a table.
const NO_TABLE: &str = "a trace has step, rank and seconds, or one row a step and one column a rank; --columns \
                        says which column is what, and --regex reads lines of other forms: see --help";

/// How a table is laid out.
struct Table {
    delimiter: u8,
    /// The line with names, where that comes first.
    header: Option<Vec<u8>>,
    /// What each is called.
    names: Vec<String>,
    columns: Vec<Option<Column>>,
    /// Seconds in a unit of each.
    units: Vec<f64>,
}

/// The fields of a line.
fn cells(line: &str, delimiter: u8) -> Vec<String> {
    let cells = line.split(char::from(delimiter)).map(|cell| cell.trim().to_owned());
    cells.filter(|cell| delimiter != b' ' || !cell.is_empty()).collect()
}

/// Whether a field may be a number, be it missing or with a decimal comma.
fn is_number(cell: &str) -> bool {
    cell.is_empty() || decimal(&cell.replacen(',', ".", 1)).is_ok()
}

/// The last comment that names as many columns as rows have. Comments that name others are refused: what rows hold would be
/// guessed.
fn named_in_comment(
    start: &str,
    columns: usize,
    delimiter: u8,
) -> Result<Option<Vec<String>>, String> {
    let first = start
        .lines()
        .position(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let comments = start.lines().take(first.unwrap_or(0)).filter(|line| !line.trim().is_empty());
    let comments: Vec<&str> =
        comments.map(|line| line.trim().trim_start_matches('#').trim()).collect();
    let split = |line: &str| {
        let found = cells(line, delimiter);
        if found.len() == columns {
            found
        } else {
            line.split_whitespace().map(str::to_owned).collect()
        }
    };
    let is_header =
        |names: &Vec<String>| names.len() == columns && !names.iter().any(|cell| is_number(cell));
    if let Some(names) = comments.iter().rev().map(|line| split(line)).find(is_header) {
        // WarpX counts its columns: `[2]lev0`.
        let clean = |name: String| match name.split_once(']') {
            Some((count, rest)) if count.starts_with('[') && !rest.is_empty() => {
                rest.trim_end_matches("()").to_owned()
            }
            _ => name,
        };
        return Ok(Some(names.into_iter().map(clean).collect()));
    }
    let names_steps = |line: &&&str| {
        let first = line.split([' ', ',', ';', '\t']).next().unwrap_or("");
        measured(first.rsplit(']').next().unwrap_or(first).trim_end_matches("()")).0
            == Some(Column::Step)
    };
    match comments.iter().rev().find(names_steps) {
        Some(line) => Err(format!(
            "the rows have {columns} fields and the comment above them, `{}`, names another number of columns: say \
             what they hold with --columns, by their places",
            listed(&[(*line).to_owned()])
        )),
        None => Ok(None),
    }
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
    let wrong = |what: String| fault(name, 1, &what, NO_TABLE);
    let fields = cells(first, delimiter);
    let header = !fields.iter().all(|cell| is_number(cell));
    if header && !fields[0].is_empty() && is_number(&fields[0]) {
        let other: Vec<String> =
            fields.iter().find(|cell| !is_number(cell)).cloned().into_iter().collect();
        let other = listed(&other);
        return Err(wrong(format!(
            "the first line is a row, not a header, and `{other}` in it is no number: put a line with the names of the \
             columns above it"
        )));
    }
    let second: Vec<String> = lines
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .map_or_else(Vec::new, |line| cells(line, delimiter));
    let in_comment = match header || raw.how.columns.is_given() {
        true => None,
        false => named_in_comment(start, fields.len(), delimiter).map_err(wrong)?,
    };
    let places = || (1..=fields.len()).map(|place| format!("column {place}")).collect();
    let is_named = header || in_comment.is_some();
    let names: Vec<String> = match (header, in_comment) {
        (true, _) => fields.clone(),
        (false, Some(names)) => {
            raw.account.recognized_by =
                format!("the comment that names its {} columns", names.len());
            names
        }
        (false, None) => places(),
    };
    let columns = match is_named || raw.how.columns.is_given() {
        true => columns(&names, &raw.how.columns),
        false => guessed(&fields, &second, raw),
    };
    let columns = columns.map_err(wrong)?;
    let units: Vec<Option<f64>> = match is_named {
        true => names.iter().map(|name| measured(name).1).collect(),
        false => vec![None; columns.len()],
    };
    let units = layout(&names, &columns, &units, raw).map_err(|what| at(name, 1, &what))?;
    left_out(&names, &columns, false, raw);
    if raw.account.recognized_by.is_empty() {
        raw.account.recognized_by = match header {
            true => "the names in its first line".to_owned(),
            false => "rows of numbers without a header".to_owned(),
        };
    }
    let names = names.iter().map(|name| unquoted(name)).collect();
    let header = header.then(|| first.as_bytes().to_vec());
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
    (table.header.is_some()
        && table.columns.contains(&Some(Column::Step))
        && !table.columns.contains(&Some(Column::Wait)))
    .then_some(head)
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
        if memchr::memchr2(b'"', b'\r', &line[..end]).is_some() {
            return Ok(true);
        }
        place.number += 1;
        if line[0] == b'#' || line[..end].trim_ascii().is_empty() {
            return Ok(false);
        }
        let is_header = std::mem::take(&mut place.header);
        if is_header || self.header.as_deref() == Some(line[..end].trim_ascii()) {
            return Ok(false);
        }
        self.split(&line[..end], fields);
        let text = |at: usize| {
            let (first, end): (usize, usize) = fields[at];
            text_of(&line[first..end])
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

    fn flag(&self) -> Result<bool, String> {
        flag(self.text)
    }
}
