//! Lines of names and values, as loggers write them: `INFO step=5 rank=0 time=0.25`,
//! `iter: 5, rank: 0, time: 250 ms`, `step=5 times=[0.25, 0.31]`.
//!
//! Names are those of the columns of tables. A unit behind a number is that of its name. Lines
//! without a step and a time are of other events, and are passed over.

use super::Raw;
use super::jsonl::{called, is_time, read_objects};
use super::table::names::{Column, measured, seconds_in};
use crate::complaint::Complaint;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::io::BufRead;

/// Whether two lines of this beginning at least have a step and a time.
pub(in crate::logs) fn is_log(start: &str) -> bool {
    start.lines().filter_map(object).nth(1).is_some()
}

pub(in crate::logs) fn read(
    input: impl BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let others = Cell::new(0_u64);
    let object = |line: &str| {
        let found = object(line);
        let is_other = found.is_none() && !line.trim().is_empty();
        others.set(others.get() + u64::from(is_other));
        Ok(found)
    };
    raw.account.recognized_by = "its names and values, step and time among them".to_owned();
    read_objects(input, name, "lines of names and values", &object, raw)?;
    if others.get() > 0 {
        raw.account.left_out.push(format!("{} lines without a step and a time", others.get()));
    }
    Ok(())
}

/// The names and values in a line with a step and a time.
fn object(line: &str) -> Option<Map<String, Value>> {
    if line.trim_start().starts_with(['#', '{']) {
        return None;
    }
    let mut found = Map::new();
    let mut rest = line;
    while let Some(at) = rest.find(['=', ':']) {
        let before = rest[..at].trim_end();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let name = &before[before.trim_end_matches(is_part).len()..];
        rest = &rest[at + 1..];
        if let (true, Some((name, value, left))) =
            (name.starts_with(char::is_alphabetic), value(name, rest))
        {
            found.insert(name, value);
            rest = left;
        }
    }
    let is = |wanted: &[Column]| {
        let holds = |name: &String| measured(name).0.is_some_and(|held| wanted.contains(&held));
        found.keys().any(holds)
    };
    let is_list = |(name, value): (&String, &Value)| value.is_array() && is_time(&called(name));
    let has_time = is(&[Column::Seconds, Column::Work, Column::Most]) || found.iter().any(is_list);
    (is(&[Column::Step]) && has_time).then_some(found)
}

/// The value at the beginning of a text, its name with its unit, and what comes after it.
fn value<'t>(name: &str, text: &'t str) -> Option<(String, Value, &'t str)> {
    let text = text.trim_start();
    let name = name.to_owned();
    if let Some(list) = text.strip_prefix('[') {
        let (list, left) = list.split_once(']')?;
        let items = list.split([',', ' ']).filter(|item| !item.is_empty());
        return Some((name, items.map(Value::from).collect(), left));
    }
    if let Some(quoted) = text.strip_prefix('"') {
        let (quoted, left) = quoted.split_once('"')?;
        return Some((name, quoted.into(), left));
    }
    let end = |text: &str, is_end: &dyn Fn(char) -> bool| text.find(is_end).unwrap_or(text.len());
    let (value, left) = text.split_at(end(text, &|c| c.is_whitespace() || ",;|)]}".contains(c)));
    let (number, unit) = value.split_at(end(value, &|c| c.is_alphabetic() && c != 'e' && c != 'E'));
    let (next, after) = left.trim_start().split_at(end(left.trim_start(), &|c| !c.is_alphabetic()));
    let is_number = number.parse::<f64>().is_ok();
    // A name is no unit: `rank=0 seconds=0.25`.
    let is_name = after.trim_start().starts_with(['=', ':']);
    let (value, unit, left) = match (seconds_in(unit), seconds_in(next)) {
        (Some(_), _) if is_number => (number, unit, left),
        (_, Some(_)) if is_number && unit.is_empty() && !is_name => (number, next, after),
        _ => (value, "", left),
    };
    let name = if unit.is_empty() { name } else { format!("{name}_{unit}") };
    (!value.is_empty()).then(|| (name, value.into(), left))
}
