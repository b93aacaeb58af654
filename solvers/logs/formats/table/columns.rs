//! What the columns of a table hold, by their names or, without names, by what is in them.

use super::names::{
    Column, NAMED, column, is_host, is_rank_on_host, listed, measured, numbered, plain, unit,
};
use std::collections::{BTreeMap, HashSet};

/// What stands for the stem of all ranks on computers.
const ON_HOSTS: &str = ":";

/// How well a stem names ranks: percentiles and other statistics have numbers, too.
fn likely(stem: &str) -> u8 {
    let is_rank = matches!(column(stem), Some(Column::Rank | Column::Seconds | Column::Work));
    match stem {
        "" | "r" => 2,
        _ if is_rank => 2,
        "p" | "q" | "pct" | "perc" | "percentile" | "quantile" | "top" | "max" | "min" | "mean"
        | "avg" | "std" => 0,
        _ => 1,
    }
}

/// Whether columns of this stem and a number are times of ranks by their names alone: others may be
/// counts, levels, or parts of a per cent.
fn is_time_of_ranks(stem: &str, names: &[&String]) -> bool {
    const RANKS: [&str; 15] = [
        "p", "t", "mpi", "node", "gpu", "device", "dev", "core", "thread", "host", "domain",
        "ranks", "procs", "dp", "ep",
    ];
    let has_unit = |name: &&String| unit(&plain(name)).is_some_and(|(_, unit)| unit > 0.0);
    let is_known = |part: &str| likely(part) == 2 || part == ON_HOSTS || RANKS.contains(&part);
    is_known(stem)
        || stem.split('_').all(is_known)
        || stem.contains("_#_")
        || names.iter().all(has_unit)
}

/// The stem that the columns of the ranks share: of those of several columns the one that names
/// ranks best, and then the one of most columns.
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

/// What the user says of columns: `--columns step=it,seconds=cpu*`.
#[derive(Debug, Clone, Default)]
pub struct Named(Vec<(Column, String)>);

impl std::str::FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        let pair = |pair: &str| {
            let (holds, name) = pair.split_once('=').unwrap_or((pair, ""));
            let known = NAMED.iter().find(|(_, name, _)| *name == holds.trim());
            known.filter(|_| !name.is_empty()).map(|(column, ..)| (*column, name.trim().to_owned())).ok_or_else(|| {
                format!(
                    "{pair:?} is none of step=.., rank=.., seconds=.., wait=.., begin=.., end=.., remapped=.., \
                     cost=.., max=.., mean=.. with the name of a column or its place from 1"
                )
            })
        };
        text.split(',').map(pair).collect::<Result<_, _>>().map(Named)
    }
}

impl Named {
    /// Whether the user says anything.
    pub fn is_given(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether the user said which column holds this.
    pub(in crate::logs) fn says(&self, column: Column) -> bool {
        self.0.iter().any(|(wanted, _)| *wanted == column)
    }

    /// Puts what the user says in the place of what names say.
    fn put(&self, names: &[String], columns: &mut [Option<Column>]) -> Result<(), String> {
        for (wanted, given) in &self.0 {
            match wanted {
                Column::Seconds => without(columns, &[Column::Seconds, Column::Work]),
                other => without(columns, &[*other]),
            }
            if given == "-" {
                continue;
            }
            let clean = |name: &str| name.trim().trim_matches('"').to_owned();
            let stem = given.strip_suffix('*').filter(|_| *wanted == Column::Seconds);
            let is_meant = |(_, name): &(usize, &String)| match stem {
                Some(stem) => clean(name).strip_prefix(stem).is_some_and(|end| !end.is_empty()),
                None => clean(name) == *given,
            };
            let mut places: Vec<usize> =
                names.iter().enumerate().filter(is_meant).map(|(at, _)| at).collect();
            if let (true, Ok(place)) = (places.is_empty(), given.parse::<usize>()) {
                places.extend(place.checked_sub(1).filter(|place| *place < names.len()));
            }
            if places.is_empty() {
                return Err(format!(
                    "--columns: there is no column `{given}` among {}",
                    listed(names)
                ));
            }
            for (rank, place) in (0..).zip(places) {
                columns[place] = Some(if stem.is_some() { Column::OfRank(rank) } else { *wanted });
            }
        }
        Ok(())
    }
}

/// The columns by their names, in any order, and by what the user says of them.
pub(in crate::logs) fn columns(
    names: &[String],
    named: &Named,
) -> Result<Vec<Option<Column>>, String> {
    let mut columns: Vec<Option<Column>> = names.iter().map(|name| measured(name).0).collect();
    named.put(names, &mut columns)?;
    // Where there are seconds of work, these are meant, not the other seconds.
    if columns.contains(&Some(Column::Work)) {
        without(&mut columns, &[Column::Seconds, Column::Wait]);
    }
    for column in columns.iter_mut().filter(|column| **column == Some(Column::Work)) {
        *column = Some(Column::Seconds);
    }
    let has = |columns: &[Option<Column>], column| columns.contains(&Some(column));
    let is_interval = has(&columns, Column::Step)
        && has(&columns, Column::Begin)
        && has(&columns, Column::End)
        && !has(&columns, Column::Seconds);
    if !is_interval {
        without(&mut columns, &[Column::Begin, Column::End]);
    }
    for (wanted, holds, what) in NAMED.into_iter().filter(|(.., what)| !what.is_empty()) {
        let known = columns.iter().zip(names).filter(|(column, _)| **column == Some(wanted));
        let known: Vec<&str> = known.map(|(_, name)| name.as_str()).collect();
        if let [first, second, ..] = known[..] {
            return Err(if first == second {
                format!("two columns are called `{first}`")
            } else {
                format!(
                    "`{first}` and `{second}` both seem to be {what}: say which with --columns {holds}=NAME"
                )
            });
        }
    }
    let of_ranks = |columns: &[Option<Column>]| {
        columns.iter().any(|column| matches!(column, Some(Column::OfRank(_))))
    };
    let has_rank = has(&columns, Column::Rank);
    if has_rank && has(&columns, Column::Step) || of_ranks(&columns) {
        without(&mut columns, &[Column::Most, Column::Mean]);
        return Ok(columns);
    }
    // Wide: the ranks, or in a row for each rank the steps, are columns that have one stem and a
    // number each. Ranks on computers are numbered in their order.
    let mut on_hosts = 0..;
    let mut number = |(column, name): (&Option<Column>, &String)| match column {
        Some(_) => None,
        None if is_rank_on_host(name) => Some((ON_HOSTS.to_owned(), on_hosts.next()?)),
        None => numbered(name),
    };
    let numbers: Vec<Option<(String, u32)>> = columns.iter().zip(names).map(&mut number).collect();
    let stem = stem_of_ranks(&numbers)?;
    let host = names.iter().position(|name| is_host(name));
    let host = host.filter(|_| stem.is_none() && has(&columns, Column::Step));
    match host.filter(|_| !has_rank && (has(&columns, Column::Seconds) || is_interval)) {
        Some(host) => columns[host] = Some(Column::Rank),
        None if has_rank && stem.as_deref().is_none_or(|stem| !is_of_steps(stem)) => {}
        None => return wide(columns, names, &numbers, stem, has_rank),
    }
    without(&mut columns, &[Column::Most, Column::Mean]);
    Ok(columns)
}

/// Takes away what these columns hold.
fn without(columns: &mut [Option<Column>], unwanted: &[Column]) {
    let is_unwanted =
        |column: &&mut Option<Column>| column.is_some_and(|it| unwanted.contains(&it));
    columns.iter_mut().filter(is_unwanted).for_each(|column| *column = None);
}

/// Whether the columns of a table with a row for each rank may be those of steps by their stem:
/// `step_7`, `7`, `time_7`.
fn is_of_steps(stem: &str) -> bool {
    likely(stem) == 2 && stem != "r"
        || matches!(stem, "s" | "t")
        || column(stem) == Some(Column::Step)
}

/// The columns where those of the ranks, or of the steps `of_a_rank` in each row, have this stem
/// and a number.
fn wide(
    mut columns: Vec<Option<Column>>,
    names: &[String],
    numbers: &[Option<(String, u32)>],
    stem: Option<String>,
    of_a_rank: bool,
) -> Result<Vec<Option<Column>>, String> {
    let is_meant = |number: &Option<(String, u32)>| {
        number.as_ref().is_some_and(|(its, _)| Some(its) == stem.as_ref())
    };
    let meant: Vec<&String> = names
        .iter()
        .zip(numbers)
        .filter(|(_, number)| is_meant(number))
        .map(|(name, _)| name)
        .collect();
    let has_both = [Column::Most, Column::Mean].iter().all(|part| columns.contains(&Some(*part)));
    let stem = match stem {
        Some(stem) if of_a_rank || is_time_of_ranks(&stem, &meant) => Some(stem),
        Some(_) if has_both => None,
        Some(stem) => {
            let first = meant.first().map_or("", |name| name.as_str());
            return Err(format!(
                "`{first}` and the columns like it are not called as seconds of ranks are, and may be counts or per cent: \
                 if they are seconds, say so with --columns 'seconds={stem}*', and if they are loads, also how many \
                 seconds one takes, with --seconds-per-load"
            ));
        }
        None => None,
    };
    let mut seen = HashSet::new();
    for (column, number) in columns.iter_mut().zip(numbers) {
        let Some((_, rank)) = number.as_ref().filter(|(its, _)| Some(its) == stem.as_ref()) else {
            // Of all steps of a rank together nothing is read.
            *column = column.filter(|column| !of_a_rank || *column == Column::Rank);
            continue;
        };
        if !seen.insert(*rank) {
            let what = if of_a_rank { "step" } else { "rank" };
            return Err(format!("two columns are {what} {rank}"));
        }
        *column = Some(Column::OfRank(*rank));
    }
    if seen.len() < 2 && !has_both {
        let alone = match columns.contains(&Some(Column::Seconds)) {
            true => "; of files of one rank each make one table, with a column `rank`",
            false => "",
        };
        return Err(format!(
            "there are neither `rank` and `seconds` nor columns of ranks: {}{alone}",
            listed(names)
        ));
    }
    if seen.len() >= 2 {
        without(&mut columns, &[Column::Most, Column::Mean]);
    }
    Ok(columns)
}
