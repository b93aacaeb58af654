//! The layout of a table, by its first lines: the separator, the names of its columns, and what
//! these hold.

use super::super::{Raw, at, decimal, fault};
use super::columns::columns;
use super::layout::{guessed, layout, left_out};
use super::names::{Column, listed, measured, numbered};
use crate::complaint::Complaint;
use std::io::BufRead;

pub(in crate::logs) fn delimiter(line: &str) -> u8 {
    let separators = [b';', b'\t', b',', b'|'];
    match line.trim_ascii_start().starts_with('|') {
        true => b'|',
        false => separators.into_iter().find(|d| line.as_bytes().contains(d)).unwrap_or(b' '),
    }
}

/// The separator that a first line such as `sep=;` states for Excel.
pub(super) fn separator(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii().strip_prefix(b"\"").unwrap_or(line.trim_ascii());
    let (word, rest) = line.split_at_checked(4)?;
    match rest.strip_suffix(b"\"").unwrap_or(rest) {
        _ if !word.eq_ignore_ascii_case(b"sep=") => None,
        [] => Some(b'\t'),
        [separator] => Some(*separator),
        _ => None,
    }
}

/// Whether a line is none of a table: it is empty, a comment, a ruler as Markdown has, or states
/// the separator.
pub(super) fn is_aside(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_ruler = || {
        line.iter().all(|byte| b"|+-=: ".contains(byte))
            && line.windows(2).any(|two| matches!(two, b"--" | b"==" | b"|-"))
    };
    match line.first() {
        None => true,
        Some(first) if COMMENT.contains(&char::from(*first)) => {
            !line.starts_with(b"/") || line.starts_with(b"//")
        }
        Some(b'|' | b'+' | b'-' | b'=' | b':') => is_ruler(),
        Some(b's' | b'S' | b'"') => separator(line).is_some(),
        _ => false,
    }
}

/// Characters with which comments begin: two strokes, and those of scripts, of MATLAB and Fortran.
const COMMENT: [char; 4] = ['#', '%', '!', '/'];

/// A line without the bars around it, or the brackets of a list.
pub(super) fn inner(line: &[u8]) -> &[u8] {
    match line.trim_ascii() {
        [b'[', list @ .., b']'] | [b'|', list @ .., b'|'] | [b'|', list @ ..] => list,
        _ => line,
    }
}

/// What helps where the first line names no columns of a table.
const NO_TABLE: &str = "a trace has step, rank and seconds, or one row a step and one column a rank; --columns \
                        says which column is what, and --regex reads lines of other forms: see --help";

/// The most columns of a table: their names alone take a hundred bytes each.
const MOST_COLUMNS: usize = 1 << 18;

/// How a table is laid out.
pub(super) struct Table {
    pub(super) delimiter: u8,
    /// The line with names, where that comes first.
    pub(super) header: Option<Vec<u8>>,
    /// What each is called.
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Option<Column>>,
    /// Seconds in a unit of each.
    pub(super) units: Vec<f64>,
}

/// The fields of a line.
fn cells(line: &str, delimiter: u8) -> Vec<String> {
    let line = std::str::from_utf8(inner(line.as_bytes())).unwrap_or(line);
    let cells = line.split(char::from(delimiter)).map(|cell| cell.trim().to_owned());
    cells.filter(|cell| delimiter != b' ' || !cell.is_empty()).collect()
}

/// Whether a field may be a number, be it missing or with a decimal comma.
fn is_number(cell: &str) -> bool {
    cell.is_empty() || decimal(&cell.replacen(',', ".", 1)).is_ok()
}

/// The last comment that names as many columns as rows have. Comments that name others are refused:
/// what rows hold would be guessed.
fn named_in_comment(
    start: &str,
    columns: usize,
    delimiter: u8,
) -> Result<Option<Vec<String>>, String> {
    let first = start.lines().position(|line| !is_aside(line.as_bytes()));
    let comments = start.lines().take(first.unwrap_or(0)).filter(|line| !line.trim().is_empty());
    let comments: Vec<&str> =
        comments.map(|line| line.trim().trim_start_matches(&COMMENT[..]).trim()).collect();
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
    // Below the names there may be a line of units.
    let mut headers: Vec<Vec<String>> =
        comments.iter().rev().map(|line| split(line)).filter(is_header).collect();
    let is_name = |name: &String| {
        matches!(measured(name).0, Some(Column::Step | Column::Rank)) || numbered(name).is_some()
    };
    let is_known = |names: &Vec<String>| names.iter().any(is_name);
    let known = headers.iter().position(is_known).unwrap_or(0);
    if known < headers.len() {
        let names = headers.swap_remove(known);
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
            listed([line])
        )),
        None => Ok(None),
    }
}

/// The layout of a table that starts as `start` does.
pub(super) fn table(name: &str, start: &str, raw: &mut Raw<'_>) -> Result<Table, Complaint> {
    let mut rows = start.lines().map(str::trim).filter(|line| !is_aside(line.as_bytes()));
    let Some(first) = rows.next() else { return Err(at(name, 1, "the file is empty")) };
    if first.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\r')) {
        return Err(at(name, 1, "this is not text"));
    }
    let stated = start.lines().find(|line| !line.trim().is_empty());
    let stated = stated.and_then(|line| separator(line.as_bytes()));
    let delimiter = stated.unwrap_or_else(|| delimiter(first));
    let wrong = |what: String| fault(name, 1, &what, NO_TABLE);
    if memchr::memchr_iter(delimiter, first.as_bytes()).count() > MOST_COLUMNS {
        return Err(wrong(format!(
            "more than {MOST_COLUMNS} columns: write a row for each step and rank"
        )));
    }
    let mut fields = cells(first, delimiter);
    let header = !fields.iter().all(|cell| is_number(cell));
    if header && fields[0].starts_with(|c: char| c.is_ascii_digit()) {
        let other = listed(fields.iter().find(|cell| !is_number(cell)));
        return Err(wrong(format!(
            "the first line is a row, not a header, and `{other}` in it is no number: put a line with the names of the \
             columns above it"
        )));
    }
    let second: Vec<String> =
        rows.clone().next().map_or_else(Vec::new, |row| cells(row, delimiter));
    // Lines of text have the same first word, or differ in their digits only.
    let is_word = |word: &&str| word.contains(char::is_alphabetic) && !is_number(word);
    let word = first.split_whitespace().next().filter(is_word);
    let letters = |row: &str| row.replace(|c: char| c.is_ascii_digit(), "");
    let is_text = rows.next().is_some_and(|row| {
        let same_word = row.split_whitespace().next() == word;
        row != first && (same_word || letters(row) == letters(first))
    });
    if let Some(word) = word.filter(|_| is_text) {
        let word = listed([word]);
        return Err(wrong(format!(
            "its lines begin with the word `{word}`, and are no table: give --regex with a group for each number, as \
             `step (?<step>[0-9]+).*rank (?<rank>[0-9]+).*took (?<seconds>[0-9.]+)`; with (?<loads>.*), a list of all ranks, \
             or (?<max>[0-9.]+) and (?<mean>[0-9.]+) in place of rank and seconds"
        )));
    }
    // R and pandas count the rows in a column without a name.
    let counts = |cell: &String| ["0", "1"].contains(&cell.trim_matches('"'));
    if header && second.len() == fields.len() + 1 && counts(&second[0]) {
        fields.insert(0, String::new());
        raw.repairs.push("the first column has no name: it counts the rows".to_owned());
    }
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

/// The lines up to the second that is not empty, nor a comment: by these the layout is told.
pub(super) fn head(input: &mut dyn BufRead) -> std::io::Result<Vec<u8>> {
    let (mut head, mut lines) = (Vec::new(), 0);
    while lines < 2 {
        let first = head.len();
        if input.read_until(b'\n', &mut head)? == 0 {
            break;
        }
        lines += usize::from(!is_aside(&head[first..]));
    }
    Ok(head)
}

/// The first lines of a table that begins with the names of its columns, the step among them, and
/// numbers its ranks.
pub(in crate::logs) fn named(input: &mut dyn BufRead, name: &str) -> Option<Vec<u8>> {
    let head = head(input).ok()?;
    let text = std::str::from_utf8(&head).ok()?;
    let table = table(name, text, &mut Raw::default()).ok()?;
    let place = |wanted| table.columns.iter().position(|column| *column == Some(wanted));
    let first = cells(text.lines().last()?, table.delimiter);
    let is_numbered = |rank: usize| first.get(rank).is_some_and(|cell| is_number(cell));
    (head.starts_with(table.header.as_deref()?)
        && place(Column::Step).is_some()
        && place(Column::Wait).is_none()
        && place(Column::Rank).is_none_or(is_numbered))
    .then_some(head)
}
