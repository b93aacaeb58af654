//! Long and wide tables, separated by commas, semicolons, tabs or blanks.

use super::{Cell, Raw, RawRemap, at, flag, seconds, whole};
use crate::complaint::Complaint;
use csv::{ByteRecord, ReaderBuilder, Trim};
use std::io::BufRead;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Step,
    Rank,
    Seconds,
    Remapped,
    RemapSeconds,
    /// The time of a rank, in a wide table.
    OfRank(u32),
}

/// A name in lower case, without quotes and brackets.
fn plain(name: &str) -> String {
    let name = name.trim().trim_matches('"').to_lowercase().replace([' ', '-', '(', '['], "_");
    name.trim_end_matches([']', ')']).replace("__", "_")
}

/// What is before the unit in a name such as `time_ms` or `ms`, and the seconds in that unit.
fn unit(name: &str) -> Option<(&str, f64)> {
    let units = [
        ("ms msec milliseconds millis", 1e-3),
        ("us usec µs μs microseconds micros", 1e-6),
        ("ns nsec nanoseconds nanos", 1e-9),
        ("s sec seconds", 1.0),
    ];
    let (stem, last) = name.rsplit_once('_').unwrap_or(("", name));
    let known = units.iter().find(|(names, _)| names.split(' ').any(|unit| unit == last));
    known.map(|(_, seconds)| (stem, *seconds))
}

/// What a column holds, and the seconds in a unit of it, if it is named.
fn measured(name: &str) -> (Option<Column>, Option<f64>) {
    let name = plain(name);
    match (column(&name), unit(&name)) {
        (Some(known), _) => (Some(known), None),
        (None, Some((stem, seconds))) => {
            let column = match (stem, column(stem)) {
                ("" | "elapsed" | "wall", _) | (_, Some(Column::Seconds)) => Some(Column::Seconds),
                (_, Some(Column::Remapped | Column::RemapSeconds)) => Some(Column::RemapSeconds),
                _ => None,
            };
            (column, Some(seconds))
        }
        (None, None) => (None, None),
    }
}

fn column(name: &str) -> Option<Column> {
    Some(match name {
        "step" | "iteration" | "iter" | "cycle" | "timestep" => Column::Step,
        "rank" | "process" | "processor" | "proc" | "pe" | "worker" => Column::Rank,
        "seconds" | "time" | "duration" | "load" | "cost" | "secs" => Column::Seconds,
        "remapped" | "remap" | "rebalanced" | "lb" => Column::Remapped,
        "remap_seconds" | "remap_cost" | "remap_time" | "lb_seconds" | "lb_time" => {
            Column::RemapSeconds
        }
        _ => return None,
    })
}

/// `7`, `rank7`, `rank_7`, `seconds_7`, `r7`, `pe 7`, `rank_7_ms`.
fn rank_column(name: &str) -> Option<u32> {
    let name = plain(name);
    let digits = unit(&name).map_or(name.as_str(), |(stem, _)| stem);
    let start = digits.find(|c: char| c.is_ascii_digit())?;
    digits[start..].trim_end_matches([']', ')']).parse().ok()
}

pub(super) fn delimiter(line: &str) -> u8 {
    let separators = [b',', b';', b'\t'];
    separators.into_iter().find(|d| line.as_bytes().contains(d)).unwrap_or(b' ')
}

/// Reads a table that starts as `start` does.
pub(super) fn read(input: impl BufRead, name: &str, start: &str) -> Result<Raw, Complaint> {
    let mut lines = start.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = first else { return Err(at(name, 1, "the file is empty")) };
    let delimiter = delimiter(first);
    let blanks = delimiter == b' ';
    let cells = |line: &str| -> Vec<String> {
        let cells: Vec<String> =
            line.split(char::from(delimiter)).map(|cell| cell.trim().to_owned()).collect();
        if blanks { cells.into_iter().filter(|cell| !cell.is_empty()).collect() } else { cells }
    };
    let names = cells(first);
    let header = names.iter().any(|cell| cell.parse::<f64>().is_err() && !cell.is_empty());
    let mut raw = Raw::default();
    let second: Vec<String> =
        lines.find(|line| !line.is_empty() && !line.starts_with('#')).map_or_else(Vec::new, cells);
    let columns = if header { columns(&names) } else { guessed(&names, &second, &mut raw) };
    let columns = columns.map_err(|what| at(name, 1, &what))?;
    let place = |wanted| columns.iter().position(|column| *column == Some(wanted));
    let wide = place(Column::Rank).is_none();
    let units: Vec<Option<f64>> = match header {
        true => names.iter().map(|name| measured(name).1).collect(),
        false => vec![None; columns.len()],
    };
    let times = |at: &usize| match columns[*at] {
        Some(Column::OfRank(_)) => wide,
        Some(Column::Seconds) => !wide,
        _ => false,
    };
    let first = (0..columns.len()).find(times).filter(|first| units[*first].is_some());
    if let Some(first) = first {
        raw.unit_seconds = units[first];
        let one = (0..columns.len()).filter(times).all(|at| units[at] == units[first]);
        if !one {
            return Err(at(name, 1, "the columns of times have different units"));
        }
        if let Some(seconds) = units[first].filter(|seconds| *seconds != 1.0) {
            let column = &names[first];
            raw.repairs.push(format!(
                "`{column}` is in units of {seconds} seconds: times are converted to seconds"
            ));
        }
    }
    let units: Vec<f64> = units.into_iter().map(|unit| unit.unwrap_or(1.0)).collect();
    raw.knows_remaps = place(Column::Remapped).is_some() || place(Column::RemapSeconds).is_some();
    raw.form = if wide { "wide table" } else { "long table" };
    if !wide && place(Column::Seconds).is_none() {
        let what = format!("there is no column `seconds` among {}", names.join(", "));
        return Err(at(name, 1, &what));
    }
    if !wide && place(Column::Step).is_none() {
        let what = format!("there is no column `step` among {}", names.join(", "));
        return Err(at(name, 1, &what));
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(header)
        .flexible(true)
        .delimiter(delimiter)
        .comment(Some(b'#'))
        .trim(Trim::All)
        .from_reader(input);
    let mut record = ByteRecord::new();
    let mut rows = 0_u32;
    loop {
        let more = reader.read_byte_record(&mut record);
        let line = record.position().map_or(0, csv::Position::line);
        if !more.map_err(|error| at(name, line, &format!("cannot be read: {error}")))? {
            break;
        }
        let fields: Vec<&[u8]> = match blanks {
            false => Vec::new(),
            true => record.iter().filter(|field| !field.is_empty()).collect(),
        };
        let count = if blanks { fields.len() } else { record.len() };
        if count == 0 || (count == 1 && record.get(0).is_none_or(<[u8]>::is_empty)) {
            continue;
        }
        if count != columns.len() {
            let what = format!("{count} fields where the first line has {}", columns.len());
            return Err(at(name, line, &what));
        }
        let field = |at: usize| if blanks { fields.get(at).copied() } else { record.get(at) };
        let text = |at: usize| -> Result<&str, String> {
            std::str::from_utf8(field(at).unwrap_or(b"")).map_err(|_| "this is not text".to_owned())
        };
        let read = row(&columns, &units, &text, rows, &mut raw);
        read.map_err(|what| at(name, line, &what))?;
        rows = rows.saturating_add(1);
    }
    Ok(raw)
}

/// Reads one row.
fn row<'a>(
    columns: &[Option<Column>],
    units: &[f64],
    text: &dyn Fn(usize) -> Result<&'a str, String>,
    number: u32,
    raw: &mut Raw,
) -> Result<(), String> {
    let (mut step, mut rank, mut time) = (number, None, None);
    let (mut remapped, mut cost) = (false, None);
    for (place, column) in columns.iter().enumerate() {
        match column {
            None | Some(Column::OfRank(_)) => {}
            Some(Column::Step) => step = whole(text(place)?, "step")?,
            Some(Column::Rank) => rank = Some(whole(text(place)?, "rank")?),
            Some(Column::Seconds) => time = Some(units[place] * seconds(text(place)?)?),
            Some(Column::Remapped) => remapped = flag(text(place)?)?,
            Some(Column::RemapSeconds) => {
                cost = Some(units[place] * seconds(text(place)?)?).filter(|cost| !cost.is_nan());
            }
        }
    }
    if remapped || cost.is_some_and(|cost| cost > 0.0) {
        raw.remaps.push(RawRemap { step, seconds: cost });
    }
    if let (Some(rank), Some(seconds)) = (rank, time) {
        raw.cells.push(Cell { step, rank, seconds });
        return Ok(());
    }
    for (place, column) in columns.iter().enumerate() {
        if let Some(Column::OfRank(rank)) = column {
            let seconds = units[place] * seconds(text(place)?)?;
            raw.cells.push(Cell { step, rank: *rank, seconds });
        }
    }
    Ok(())
}

/// The columns by their names, in any order.
fn columns(names: &[String]) -> Result<Vec<Option<Column>>, String> {
    let mut columns: Vec<Option<Column>> = names.iter().map(|name| measured(name).0).collect();
    for wanted in [Column::Step, Column::Rank, Column::Seconds] {
        let known = columns.iter().zip(names).filter(|(column, _)| **column == Some(wanted));
        let known: Vec<&str> = known.map(|(_, name)| name.as_str()).collect();
        if let [first, second, ..] = known[..] {
            let what = match wanted {
                Column::Step => "the number of the step",
                Column::Rank => "the number of the rank",
                _ => "the seconds of a rank",
            };
            return Err(if first == second {
                format!("two columns are called `{first}`")
            } else {
                format!("`{first}` and `{second}` both seem to be {what}: rename one of them")
            });
        }
    }
    if columns.contains(&Some(Column::Rank)) {
        return Ok(columns);
    }
    // Wide: what has a number in its name is a rank.
    let mut seen = std::collections::HashSet::new();
    for (column, name) in columns.iter_mut().zip(names) {
        let Some(rank) = rank_column(name).filter(|_| column.is_none()) else { continue };
        if !seen.insert(rank) {
            return Err(format!("two columns are rank {rank}"));
        }
        *column = Some(Column::OfRank(rank));
    }
    if seen.len() < 2 {
        let names = names.join(", ");
        return Err(format!(
            "there are neither `rank` and `seconds` nor columns of ranks: {names}"
        ));
    }
    Ok(columns)
}

/// Without a header: a column a rank, after one that counts the steps if there is one.
fn guessed(
    cells: &[String],
    second: &[String],
    raw: &mut Raw,
) -> Result<Vec<Option<Column>>, String> {
    // The same step and the next rank: a long table.
    let whole = |cells: &[String], at: usize| cells.get(at)?.parse::<u32>().ok();
    let same = whole(cells, 0).is_some() && whole(cells, 0) == whole(second, 0);
    let next = whole(cells, 1).zip(whole(second, 1)).is_some_and(|(a, b)| b == a + 1);
    if same && next {
        return Err("there is no header line: put `step,rank,seconds` above the first".to_owned());
    }
    if cells.len() < 2 {
        return Err("one column and no header: this is no trace of several ranks".to_owned());
    }
    let counts = cells[0] == "0" || cells[0] == "1";
    let first = usize::from(counts);
    let mut columns: Vec<Option<Column>> =
        (0..cells.len() - first).map(|rank| Some(Column::OfRank(rank as u32))).collect();
    if counts {
        columns.insert(0, Some(Column::Step));
    }
    raw.repairs
        .push(format!("there is no header: {} columns are taken as ranks", cells.len() - first));
    Ok(columns)
}
