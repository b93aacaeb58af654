//! What the columns of a table hold, by their names or, without names, by what is in them.

use super::super::Raw;
use std::collections::{BTreeMap, HashSet};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::logs) enum Column {
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
    let (stem, last) = name.rsplit_once('_').unwrap_or(("", name));
    Some((stem, seconds_in(last)?))
}

/// The seconds in a unit.
pub(in crate::logs) fn seconds_in(unit: &str) -> Option<f64> {
    let units = [
        ("ms msec milliseconds millis", 1e-3),
        ("us usec µs μs microseconds micros", 1e-6),
        ("ns nsec nanoseconds nanos", 1e-9),
        ("s sec seconds", 1.0),
    ];
    let known = units.iter().find(|(names, _)| names.split(' ').any(|name| name == unit));
    known.map(|(_, seconds)| *seconds)
}

/// What a column holds, and the seconds in a unit of it, if it is named.
pub(in crate::logs) fn measured(name: &str) -> (Option<Column>, Option<f64>) {
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

/// The stem and the number of `7`, `rank7`, `rank_7`, `seconds_7`, `r7`, `pe 7`, `rank_7_ms`, `rank7_time`.
fn numbered(name: &str) -> Option<(String, u32)> {
    let name = plain(name);
    let digits = unit(&name).map_or(name.as_str(), |(stem, _)| stem);
    let start = digits.find(|c: char| c.is_ascii_digit())?;
    let (stem, number) = digits.split_at(start);
    let number = number.trim_end_matches([']', ')']);
    let measured =
        number.rsplit_once('_').filter(|(_, last)| column(last) == Some(Column::Seconds));
    let (number, what) = measured.unwrap_or((number, ""));
    let number = number.parse().ok()?;
    let stem = stem.trim_end_matches('_');
    Some((if what.is_empty() { stem.to_owned() } else { format!("{stem}_#_{what}") }, number))
}

/// How well a stem names ranks: percentiles and other statistics have numbers, too.
fn likely(stem: &str) -> u8 {
    let is_rank = matches!(column(stem), Some(Column::Rank | Column::Seconds));
    match stem {
        "" | "r" => 2,
        _ if is_rank => 2,
        "p" | "q" | "pct" | "perc" | "percentile" | "quantile" | "top" | "max" | "min" | "mean"
        | "avg" | "std" => 0,
        _ => 1,
    }
}

/// The stem that the columns of the ranks share: of those of several columns the one that names ranks best, and then
/// the one of most columns.
fn stem_of_ranks(numbered: &[Option<(String, u32)>]) -> Result<Option<String>, String> {
    let mut stems: BTreeMap<&str, usize> = BTreeMap::new();
    for (stem, _) in numbered.iter().flatten() {
        *stems.entry(stem).or_default() += 1;
    }
    let merit = |(stem, many): (&str, usize)| (likely(stem), many);
    let several = || stems.iter().map(|(stem, many)| (*stem, *many)).filter(|(_, many)| *many > 1);
    let Some(best) = several().max_by_key(|one| merit(*one)) else { return Ok(None) };
    match several().find(|other| other.0 != best.0 && merit(*other) == merit(best)) {
        None => Ok(Some(best.0.to_owned())),
        Some((other, _)) => Err(format!(
            "the columns of ranks may be those called `{other}` or `{}` and a number: rename one of them",
            best.0
        )),
    }
}

/// The columns by their names, in any order.
pub(in crate::logs) fn columns(names: &[String]) -> Result<Vec<Option<Column>>, String> {
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
    // Wide: the ranks are columns that have one stem and a number each.
    let numbers = columns.iter().zip(names);
    let numbers = numbers.map(|(column, name)| numbered(name).filter(|_| column.is_none()));
    let numbers: Vec<Option<(String, u32)>> = numbers.collect();
    let stem = stem_of_ranks(&numbers)?;
    let mut seen = HashSet::new();
    for (column, number) in columns.iter_mut().zip(numbers) {
        let Some((_, rank)) = number.filter(|(its, _)| Some(its) == stem.as_ref()) else {
            continue;
        };
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

/// Checks that these columns make a table, and notes its form and the unit of its times; the seconds in a unit of each.
pub(in crate::logs) fn layout(
    names: &[String],
    columns: &[Option<Column>],
    units: &[Option<f64>],
    raw: &mut Raw<'_>,
) -> Result<Vec<f64>, String> {
    let has = |wanted| columns.contains(&Some(wanted));
    let wide = !has(Column::Rank);
    (raw.marked, raw.knows_remaps) =
        (has(Column::Remapped), has(Column::Remapped) || has(Column::RemapSeconds));
    raw.form = if wide { "wide table" } else { "long table" };
    for (wanted, name) in [(Column::Seconds, "seconds"), (Column::Step, "step")] {
        if !wide && !has(wanted) {
            return Err(format!("there is no column `{name}` among {}", names.join(", ")));
        }
    }
    let is_time = |at: &usize| match columns[*at] {
        Some(Column::OfRank(_)) => wide,
        Some(Column::Seconds) => !wide,
        _ => false,
    };
    let times: Vec<usize> = (0..columns.len()).filter(is_time).collect();
    let stated = times.first().and_then(|first| units[*first]);
    if stated.is_some() && times.iter().any(|at| units[*at] != stated) {
        return Err("the columns of times have different units".to_owned());
    }
    let forced = raw.forced_unit;
    raw.unit_seconds = forced.or(stated).or(raw.unit_seconds);
    // What stands in columns is converted here.
    raw.scale = None;
    match (stated.filter(|seconds| *seconds != 1.0), forced) {
        (Some(seconds), None) => raw.repairs.push(format!(
            "`{}` is in units of {seconds} seconds: times are converted to seconds",
            names[times[0]]
        )),
        (Some(seconds), Some(forced)) if seconds != forced => raw.repairs.push(format!(
            "`{}` says units of {seconds} seconds: --log-unit {forced} is taken instead",
            names[times[0]]
        )),
        _ => {}
    }
    let unit_of = |at: usize| {
        let Some(forced) = forced else { return units[at].unwrap_or(1.0) };
        // A cost has the unit of its own name, `remap_seconds` too.
        let own = units[at].or_else(|| unit(&plain(&names[at])).map(|(_, seconds)| seconds));
        match columns[at] {
            Some(Column::RemapSeconds) => own.unwrap_or(forced),
            _ => forced,
        }
    };
    let converted: Vec<f64> = (0..columns.len()).map(unit_of).collect();
    let apart = (0..columns.len()).find(|at| {
        columns[*at] == Some(Column::RemapSeconds)
            && forced.is_some_and(|unit| unit != converted[*at])
    });
    raw.repairs.extend(
        apart.map(|at| {
            format!("`{}` says its unit: --log-unit is that of the times alone", names[at])
        }),
    );
    Ok(converted)
}

/// Notes which columns of a wide table are left out. Fields of objects are many, and those that may be `of_ranks` are told
/// alone.
pub(in crate::logs) fn left_out(
    names: &[String],
    columns: &[Option<Column>],
    of_ranks: bool,
    raw: &mut Raw<'_>,
) {
    if columns.contains(&Some(Column::Rank)) {
        return;
    }
    let is_told = |(name, column): &(&String, &Option<Column>)| match column {
        None if of_ranks => numbered(name).is_some(),
        None | Some(Column::Seconds) => !of_ranks && !name.is_empty(),
        Some(_) => false,
    };
    let left = names.iter().zip(columns).filter(is_told);
    let left: Vec<String> = left.map(|(name, _)| format!("`{name}`")).collect();
    if !left.is_empty() {
        let names = left.join(", ");
        raw.repairs.push(format!("not called as the ranks are, and left out: {names}"));
    }
}

/// Without a header: a column a rank, after one that counts the steps if there is one.
pub(in crate::logs) fn guessed(
    cells: &[String],
    second: &[String],
    raw: &mut Raw<'_>,
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
