//! What the columns of a table make together, and what of them is left out.

use super::super::super::row::Waiting;
use super::super::Raw;
use super::names::{Column, listed, numbered, plain, unit};

/// Checks that these columns make a table, and notes its form and the unit of its times; the
/// seconds in a unit of each.
pub(in crate::logs) fn layout(
    names: &[String],
    columns: &[Option<Column>],
    units: &[Option<f64>],
    raw: &mut Raw<'_>,
) -> Result<Vec<f64>, String> {
    let has = |wanted| columns.contains(&Some(wanted));
    let of_ranks = columns.iter().any(|column| matches!(column, Some(Column::OfRank(_))));
    let summary = has(Column::Most) && has(Column::Mean);
    raw.by_rank = of_ranks && has(Column::Rank) && !has(Column::Step);
    let is_interval = has(Column::Begin) && has(Column::End);
    let wide = of_ranks || !has(Column::Rank);
    (raw.marked, raw.knows_remaps) =
        (has(Column::Remapped), has(Column::Remapped) || has(Column::RemapSeconds));
    raw.account.format = match (summary, wide) {
        _ if raw.by_rank => "table with a row for each rank",
        (true, _) => "table of largest and mean times",
        (false, true) => "wide table",
        (false, false) => "long table",
    };
    for (wanted, name) in [(Column::Seconds, "seconds"), (Column::Step, "step")] {
        let is_there = has(wanted) || wanted == Column::Seconds && is_interval;
        if !wide && !is_there {
            return Err(format!(
                "there is no column `{name}` among {}: say which it is with --columns {name}=NAME",
                listed(names)
            ));
        }
    }
    if !wide && has(Column::Wait) && raw.waiting == Waiting::Apart {
        raw.waiting = Waiting::Unknown;
    }
    let is_time = |at: &usize| match columns[*at] {
        Some(Column::OfRank(_)) => wide,
        Some(Column::Most | Column::Mean) => summary,
        Some(Column::Seconds | Column::Wait | Column::Begin | Column::End) => !wide,
        _ => false,
    };
    for (name, column) in names.iter().zip(columns) {
        let Some(column) = column.filter(|column| !(wide && *column == Column::Seconds)) else {
            continue;
        };
        raw.account.column(column.holds(), name.trim().trim_matches('"'));
    }
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
            Some(Column::RemapSeconds) if raw.counted.is_some() => own.unwrap_or(1.0),
            Some(Column::RemapSeconds) => own.unwrap_or(forced),
            _ => forced,
        }
    };
    let converted: Vec<f64> = (0..columns.len()).map(unit_of).collect();
    let apart = (0..columns.len()).find(|at| {
        columns[*at] == Some(Column::RemapSeconds)
            && raw.counted.is_none()
            && forced.is_some_and(|unit| unit != converted[*at])
    });
    raw.repairs.extend(
        apart.map(|at| {
            format!("`{}` says its unit: --log-unit is that of the times alone", names[at])
        }),
    );
    Ok(converted)
}

/// Notes which columns of a wide table are left out. Fields of objects are many, and those that may
/// be `of_ranks` are told alone.
pub(in crate::logs) fn left_out(
    names: &[String],
    columns: &[Option<Column>],
    of_ranks: bool,
    raw: &mut Raw<'_>,
) {
    let long = columns.contains(&Some(Column::Rank));
    let is_told = |(name, column): &(&String, &Option<Column>)| match column {
        None if of_ranks => numbered(name).is_some(),
        None => !of_ranks && !name.trim_matches('"').is_empty(),
        Some(Column::Seconds) => !long && !of_ranks && !name.is_empty(),
        Some(_) => false,
    };
    let left = names.iter().zip(columns).filter(is_told);
    let left: Vec<String> = left.map(|(name, _)| format!("`{name}`")).collect();
    if !left.is_empty() {
        let names = listed(&left);
        let said = format!("not called as the ranks are, and left out: {names}");
        match long {
            true => raw
                .account
                .left_out
                .push(format!("{names} (no part of a time, a remap or its cost)")),
            false => raw.repairs.push(said),
        }
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
    let counts = matches!(whole(cells, 0), Some(0 | 1))
        && (second.is_empty() || whole(second, 0) > whole(cells, 0));
    let first = usize::from(counts);
    // Times of ranks are written alike: counts, ids and times in one line are another table.
    let is_whole = |cell: &String| cell.bytes().all(|byte| byte.is_ascii_digit());
    let wholes = cells[first..].iter().filter(|cell| is_whole(cell)).count();
    let next = second.iter().skip(first).filter(|cell| is_whole(cell)).count();
    if wholes != 0 && wholes != cells.len() - first && wholes == next {
        return Err(format!(
            "there is no header line, and of the {} columns {wholes} have whole numbers and the others not: \
             put a line with their names above the first",
            cells.len()
        ));
    }
    let mut columns: Vec<Option<Column>> =
        (0..cells.len() - first).map(|rank| Some(Column::OfRank(rank as u32))).collect();
    if counts {
        columns.insert(0, Some(Column::Step));
    }
    raw.unnamed = true;
    raw.repairs
        .push(format!("there is no header: {} columns are taken as ranks", cells.len() - first));
    Ok(columns)
}
