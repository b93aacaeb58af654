//! What the columns of a table hold, by their names or, without names, by what is in them.

use super::gather::Raw;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
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
pub(super) fn seconds_in(unit: &str) -> Option<f64> {
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
pub(super) fn measured(name: &str) -> (Option<Column>, Option<f64>) {
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

/// The columns by their names, in any order.
pub(super) fn columns(names: &[String]) -> Result<Vec<Option<Column>>, String> {
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

/// Checks that these columns make a table, and notes its form and the unit of its times; the seconds in a unit of each.
pub(super) fn layout(
    names: &[String],
    columns: &[Option<Column>],
    units: &[Option<f64>],
    raw: &mut Raw<'_>,
) -> Result<Vec<f64>, String> {
    let has = |wanted| columns.contains(&Some(wanted));
    let wide = !has(Column::Rank);
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
            return Err("the columns of times have different units".to_owned());
        }
        if let Some(seconds) = units[first].filter(|seconds| *seconds != 1.0) {
            let column = &names[first];
            raw.repairs.push(format!(
                "`{column}` is in units of {seconds} seconds: times are converted to seconds"
            ));
        }
    }
    raw.knows_remaps = has(Column::Remapped) || has(Column::RemapSeconds);
    raw.form = if wide { "wide table" } else { "long table" };
    for (wanted, name) in [(Column::Seconds, "seconds"), (Column::Step, "step")] {
        if !wide && !has(wanted) {
            return Err(format!("there is no column `{name}` among {}", names.join(", ")));
        }
    }
    Ok(units.iter().map(|unit| unit.unwrap_or(1.0)).collect())
}

/// Without a header: a column a rank, after one that counts the steps if there is one.
pub(super) fn guessed(
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
