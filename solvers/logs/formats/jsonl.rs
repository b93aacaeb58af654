//! JSON lines: an object for each rank and step, or for each step with a list of times or a field
//! for each rank. Fields are called as the columns of tables are.

use super::super::row::{Field, Row};
use super::Raw;
use super::table::columns::columns;
use super::table::layout::{layout, left_out};
use super::table::names::{Column, measured};
use super::{MOST_SECONDS, checked, fault, flag, name, seconds, whole};
use crate::complaint::Complaint;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

const HELP: &str = "a line is an object, as json.dumps writes it, with step, rank and seconds, or step and a list of \
                    the ranks' seconds; leave out lines of other events, and say of remaps in the line of the step: \
                    \"remapped\": true, \"remap_seconds\": 0.8";

/// Fields that count the tokens of experts.
const EXPERT_COUNTS: [&str; 2] = ["logical_count", "physical_count"];

pub(in crate::logs) fn read(
    input: impl BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let object = |line: &str| match line.trim().is_empty() {
        true => Ok(None),
        false => parsed(line).map(Some).map_err(|error| {
            // Of the line, which is all that was parsed, only the column says something.
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            format!("column {}: not a JSON object: {what}", error.column())
        }),
    };
    read_objects(input, name, "JSON lines", &object, raw)
}

/// The fields of a line.
type Object = Map<String, Value>;

/// Reads lines of a `form` by the `object` of each; lines without one are passed over. What is
/// wrong with one begins with its place in the line.
pub(in crate::logs) fn read_objects(
    input: impl BufRead,
    name: &str,
    form: &'static str,
    object: &dyn Fn(&str) -> Result<Option<Object>, String>,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    let mut reader = Reader::default();
    for (number, line) in (1..).zip(input.lines()) {
        let wrong = |what: String| fault(name, number, &what, HELP);
        let line = line.map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let place = |what| Complaint::elsewhere(format!("{name}, line {number}, {what}"), HELP);
        if let Some(object) = object(&line).map_err(place)? {
            reader.take(&in_tokens(object, raw), raw).map_err(wrong)?;
        }
    }
    // Also of an empty file, and whatever its objects are.
    raw.account.format = form;
    Ok(())
}

/// An object; numbers that are none may stand in it, as Python writes them.
fn parsed(line: &str) -> Result<Map<String, Value>, serde_json::Error> {
    serde_json::from_str(line).or_else(|_| serde_json::from_str(&without_nan(line)))
}

/// The same with the tokens that the experts of a rank took, in lists of lists, added up to the
/// load of the rank.
fn in_tokens(mut object: Map<String, Value>, raw: &mut Raw<'_>) -> Map<String, Value> {
    fn total(counts: &Value) -> f64 {
        match counts {
            Value::Array(parts) => parts.iter().map(total).sum(),
            count => count.as_f64().unwrap_or(f64::NAN),
        }
    }
    if let Some(counts) = EXPERT_COUNTS.iter().find_map(|name| object.remove(*name)) {
        raw.counted = Some("tokens");
        object.insert("load".to_owned(), total(&counts).into());
    }
    object
}

/// The line with NaN and infinities as texts, in place, so that columns stay what they are.
fn without_nan(line: &str) -> Cow<'_, str> {
    const TEXTS: [(&str, &str); 3] =
        [("NaN", "\"\" "), ("-Infinity", "\"-inf\"   "), ("Infinity", "\"inf\"   ")];
    if !TEXTS.iter().any(|(word, _)| line.contains(word)) {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let (mut rest, mut quoted) = (line, false);
    while let Some(next) = rest.chars().next() {
        let word = TEXTS.iter().find(|(word, _)| !quoted && rest.starts_with(word));
        let taken = match (word, next) {
            (Some((word, instead)), _) => {
                text.push_str(instead);
                word.len()
            }
            // The next letter is part of the text, be it a quote.
            (None, '\\') => {
                let taken = rest.chars().take(2).map(char::len_utf8).sum();
                text.push_str(&rest[..taken]);
                taken
            }
            (None, other) => {
                quoted ^= other == '"';
                text.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Cow::Owned(text)
}

/// What the fields of an object hold, in their order.
struct Layout {
    columns: Vec<Option<Column>>,
    /// Seconds in a unit of each.
    units: Vec<f64>,
    /// The place of the times of all ranks.
    list: Option<usize>,
    /// The ranks that have a field.
    ranks: Vec<u32>,
    marked: bool,
}

#[derive(Default)]
struct Reader {
    /// By the names of the fields, and whether there is a list of times.
    layouts: HashMap<(Vec<String>, bool), Layout>,
    /// The ranks of the first object of a step.
    ranks: Option<Vec<u32>>,
    /// Whether a line so far has said whether there was a remap, or its cost alone was taken to say
    /// so.
    marked: bool,
    by_cost: bool,
}

impl Reader {
    fn take(&mut self, object: &Map<String, Value>, raw: &mut Raw<'_>) -> Result<(), String> {
        let is_list = |(name, value): (&String, &Value)| value.is_array() && is_time(&called(name));
        let key = (object.keys().cloned().collect(), object.iter().any(is_list));
        if !self.layouts.contains_key(&key) {
            let knows_remaps = raw.knows_remaps;
            let found = laid_out(object, raw)?;
            raw.knows_remaps |= knows_remaps;
            self.layouts.insert(key.clone(), found);
        }
        let Layout { columns, units, list, ranks, marked } = &self.layouts[&key];
        let mut row = Row::default();
        let fields = object.iter().zip(columns).zip(units);
        for (at, (((name, value), column), unit)) in fields.enumerate() {
            // The list of all ranks is taken apart below.
            let Some(column) = column.filter(|_| *list != Some(at)) else { continue };
            row.put(column, *unit, value).map_err(|what| match column {
                Column::OfRank(rank) => format!("rank {rank}: {what}"),
                _ => format!("{name}: {what}"),
            })?;
        }
        if *marked && self.by_cost {
            return Err("`remapped` is here for the first time, and a cost alone was a remap before: give it in \
                        every line"
                .to_owned());
        }
        self.marked |= marked;
        self.by_cost |= !self.marked && row.cost.is_some_and(|cost| cost > 0.0);
        raw.marked = self.marked;
        if let Some(place) = list {
            let times = object.values().nth(*place).and_then(Value::as_array);
            let times = times.map(Vec::as_slice).unwrap_or_default();
            let first = self.ranks.get_or_insert_with(|| (0..times.len() as u32).collect());
            if first.len() != times.len() {
                return Err(fewer(times.len(), first.len()));
            }
            for (rank, time) in (0..).zip(times) {
                let seconds = number(time).map_err(|what| format!("rank {rank}: {what}"))?;
                row.times.push((rank, units[*place] * seconds));
            }
        } else if !ranks.is_empty() {
            let first = self.ranks.get_or_insert_with(|| ranks.clone());
            if first.len() != ranks.len() {
                return Err(fewer(ranks.len(), first.len()));
            }
            if first != ranks {
                return Err("these are not the ranks of the first line".to_owned());
            }
        }
        raw.take(&row)
    }
}

/// That an object has not the times of as many ranks as the first.
fn fewer(times: usize, first: usize) -> String {
    format!("{times} times where the first line has {first}: a time that is missing is null")
}

/// The name of a column that has what a field has: a list is called `times`, `loads_ms` or
/// `compute_times`, too.
pub(super) fn called(field: &str) -> String {
    let field = field.to_lowercase();
    let of_ranks =
        field.strip_prefix("rank_").or(field.strip_prefix("per_rank_")).unwrap_or(&field);
    let many = ["times", "loads"].iter().find_map(|many| {
        let (stem, rest) = of_ranks.split_once(many)?;
        Some(format!("{stem}{}{rest}", &many[..4]))
    });
    many.filter(|one| is_time(one)).unwrap_or(field)
}

pub(super) fn is_time(name: &str) -> bool {
    matches!(measured(name).0, Some(Column::Seconds | Column::Work))
}

/// What the fields of an object hold.
fn laid_out(object: &Map<String, Value>, raw: &mut Raw<'_>) -> Result<Layout, String> {
    let called = |(field, value): (&String, &Value)| match value.is_object() {
        true => field.clone(),
        false => called(field),
    };
    let all: Vec<String> = object.iter().map(called).collect();
    let columnwise = object.iter().find(|(name, value)| {
        measured(name).0 == Some(Column::Step) && (value.is_array() || value.is_object())
    });
    if let Some((name, _)) = columnwise {
        return Err(format!(
            "`{name}` has all steps at once: write an object for each, in pandas \
             to_json(path, orient=\"records\", lines=True)"
        ));
    }
    // Where there is `seconds`, `duration` may be anything, and so on: objects often hold more than
    // the log.
    let is_meant = |name: &String| {
        let plain = match measured(name).0 {
            Some(Column::Step) => "step",
            Some(Column::Rank) => "rank",
            Some(Column::Seconds | Column::Work) => "seconds",
            _ => return true,
        };
        name == plain || !all.iter().any(|other| other == plain)
    };
    let places: Vec<usize> = (0..all.len()).filter(|at| is_meant(&all[*at])).collect();
    let names: Vec<String> = places.iter().map(|at| all[*at].clone()).collect();
    let values: Vec<&Value> = object.values().collect();
    let lists =
        (0..names.len()).filter(|at| is_time(&names[*at]) && values[places[*at]].is_array());
    let lists: Vec<usize> = lists.collect();
    let has_rank = names.iter().any(|name| measured(name).0 == Some(Column::Rank));
    if has_rank && !lists.is_empty() {
        return Err("give `rank` with one time, or a list of times without it".to_owned());
    }
    if has_rank && !names.iter().any(|name| is_time(name)) {
        return Err("there is no field `seconds`".to_owned());
    }
    let found = match lists[..] {
        [] => columns(&names, &raw.how.columns).map_err(|what| {
            let is_objects = |value: &Value| value.get(0).is_some_and(Value::is_object);
            let nested = |(_, value): &(&String, &Value)| value.is_object() || is_objects(value);
            match object.iter().find(nested) {
                Some((name, Value::Object(_))) => {
                    format!("{what}; put the fields of `{name}` in the line itself")
                }
                Some((name, _)) => format!(
                    "{what}; put each object of `{name}` in a line of its own, as jq -c '.[\"{name}\"][]' does"
                ),
                None => what,
            }
        })?,
        // A list is a row of a wide table.
        [list] => {
            let what = |at: usize| match measured(&names[at]).0 {
                Some(Column::Seconds | Column::Work) => (at == list).then_some(Column::OfRank(0)),
                other => other,
            };
            (0..names.len()).map(what).collect()
        }
        [first, second, ..] => {
            let (first, second) = (&names[first], &names[second]);
            return Err(format!("`{first}` and `{second}` are lists of times: rename one of them"));
        }
    };
    let units: Vec<Option<f64>> = names.iter().map(|name| measured(name).1).collect();
    let converted = layout(&names, &found, &units, raw)?;
    left_out(&names, &found, true, raw);
    let rank = |column: &Option<Column>| match column {
        Some(Column::OfRank(rank)) => Some(*rank),
        _ => None,
    };
    // Fields may stand in any order.
    let mut ranks: Vec<u32> = found.iter().filter_map(rank).collect();
    ranks.sort_unstable();
    let (mut columns, mut units) = (vec![None; all.len()], vec![1.0; all.len()]);
    for (at, (column, unit)) in places.iter().zip(found.into_iter().zip(converted)) {
        (columns[*at], units[*at]) = (column, unit);
    }
    let list = lists.first().map(|list| places[*list]);
    Ok(Layout { columns, units, list, ranks, marked: raw.marked })
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        // As far as messages show it.
        Value::Array(_) => "[...]".to_owned(),
        Value::Object(_) => "{...}".to_owned(),
        other => other.to_string(),
    }
}

/// A time; NaN if it is missing.
fn number(value: &Value) -> Result<f64, String> {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(time) if (0.0..=MOST_SECONDS).contains(&time) => Ok(time),
            time => checked(time.unwrap_or(f64::NAN), &number.to_string()),
        },
        other => seconds(&text(other)),
    }
}

impl Field for Value {
    fn whole(&self, what: &str) -> Result<u32, String> {
        whole(&text(self), what)
    }

    fn time(&self) -> Result<f64, String> {
        number(self)
    }

    fn name(&self) -> Option<&str> {
        name(self.as_str()?)
    }

    fn flag(&self) -> Result<bool, String> {
        flag(&text(self))
    }
}
