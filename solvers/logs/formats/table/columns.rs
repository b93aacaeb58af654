//! What the columns of a table hold, by their names or, without names, by what is in them.

use std::collections::{BTreeMap, HashSet};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::logs) enum Column {
    Step,
    Rank,
    Seconds,
    /// Seconds of work alone, where there may be others.
    Work,
    /// Seconds a rank waited.
    Wait,
    /// When a rank began a step, and when it ended it: the seconds are the difference.
    Begin,
    End,
    Remapped,
    RemapSeconds,
    /// The largest and the mean time of a step whose ranks are not told apart.
    Most,
    Mean,
    /// The time of a rank, in a wide table.
    OfRank(u32),
}

impl Column {
    /// The name in an account, and of `--columns`.
    pub(in crate::logs) fn holds(self) -> &'static str {
        match self {
            Column::Step => "step",
            Column::Rank => "rank",
            Column::Seconds | Column::Work | Column::OfRank(_) => "seconds",
            Column::Wait => "wait",
            Column::Begin => "begin",
            Column::End => "end",
            Column::Remapped => "remapped",
            Column::RemapSeconds => "cost",
            Column::Most => "max",
            Column::Mean => "mean",
        }
    }
}

/// A name in lower case, without quotes and brackets.
pub(super) fn plain(name: &str) -> String {
    let name = name.trim().trim_matches('"').to_lowercase().replace([' ', '-', '(', '['], "_");
    name.trim_end_matches([']', ')', '?']).replace("__", "_")
}

/// What is before the unit in a name such as `time_ms` or `ms`, and the seconds in that unit.
pub(super) fn unit(name: &str) -> Option<(&str, f64)> {
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

/// Names for a message: some, of a length that can be read, without control characters.
pub(in crate::logs) fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let short =
        |name: &String| name.chars().filter(|c| !c.is_control()).take(40).collect::<String>();
    let shown: Vec<String> = names.iter().take(MOST).map(short).collect();
    let more = match names.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}

/// What a column holds, and the seconds in a unit of it, if it is named.
pub(in crate::logs) fn measured(name: &str) -> (Option<Column>, Option<f64>) {
    let name = plain(name);
    if let Some((known, unit)) = of_caliper(&name) {
        return (Some(known), unit);
    }
    match (column(&name), unit(&name)) {
        (Some(known), _) => (Some(known), None),
        (None, Some((stem, seconds))) => {
            let column = match (stem, column(stem)) {
                ("", _) => Some(Column::Seconds),
                (_, Some(Column::Remapped | Column::RemapSeconds)) => Some(Column::RemapSeconds),
                (_, Some(Column::Step | Column::Rank)) => None,
                (_, known) => known,
            };
            (column, Some(seconds))
        }
        (None, None) => (None, None),
    }
}

/// What an attribute of Caliper holds, as tables of cali-query and of its reader in Python name it.
/// The unit of `time.duration` is one of two, by the settings of a run; that of `time.duration.ns`
/// is known. Compared with src/services/timer of Caliper on 28 November 2026.
fn of_caliper(name: &str) -> Option<(Column, Option<f64>)> {
    if name == "mpi.rank" {
        return Some((Column::Rank, None));
    }
    if name.starts_with("iteration#") {
        return Some((Column::Step, None));
    }
    let (how, attribute) = name.rsplit_once('#').unwrap_or(("", name));
    if !["time.duration.ns", "time.inclusive.duration.ns"].contains(&attribute) {
        return None;
    }
    let column = match how.split('#').next() {
        Some("max") => Column::Most,
        Some("avg" | "mean") => Column::Mean,
        Some("" | "sum" | "inclusive") => Column::Seconds,
        _ => return None,
    };
    Some((column, Some(1e-9)))
}

fn column(name: &str) -> Option<Column> {
    Some(match name {
        "step" | "iteration" | "iter" | "it" | "cycle" | "timestep" | "time_step"
        | "step_number" | "nstep" | "istep" | "forward_pass_id" => Column::Step,
        "rank" | "process" | "processor" | "proc" | "pe" | "worker" | "mpi_rank" | "rank_id"
        | "global_rank" | "world_rank" | "ep_rank" | "proc_id" | "process_id" | "irank"
        | "myrank" | "my_rank" | "mype" => Column::Rank,
        "seconds" | "time" | "duration" | "load" | "cost" | "secs" | "elapsed" | "wall"
        | "wall_time" | "walltime" | "elapsed_time" | "step_time" | "total_time" | "total"
        | "t_step" => Column::Seconds,
        "compute" | "compute_time" | "comp" | "comp_time" | "work" | "work_time" | "busy"
        | "busy_time" | "compute_seconds" | "useful" | "useful_time" | "t_comp" | "tcomp"
        | "t_compute" | "t_work" => Column::Work,
        "wait" | "wait_time" | "waiting" | "waiting_time" | "mpi_wait" | "mpi_wait_time"
        | "mpi_time" | "idle" | "idle_time" | "wait_seconds" | "t_wait" | "twait" | "t_mpi"
        | "barrier" | "barrier_time" => Column::Wait,
        "begin" | "begin_time" | "time_begin" | "t_begin" | "tbegin" | "start" | "start_time"
        | "time_start" | "t_start" | "tstart" | "t0" => Column::Begin,
        "end" | "end_time" | "time_end" | "t_end" | "tend" | "stop" | "stop_time" | "time_stop"
        | "t_stop" | "tstop" | "finish" | "t1" => Column::End,
        "remapped" | "remap" | "rebalanced" | "rebalance" | "lb" | "migrated" | "repartitioned"
        | "redistributed" | "load_balanced" => Column::Remapped,
        "remap_seconds" | "remap_cost" | "remap_time" | "lb_seconds" | "lb_time" | "lb_cost"
        | "rebalance_time" | "rebalance_seconds" | "rebalance_cost" | "migration_time" => {
            Column::RemapSeconds
        }
        "max" | "max_time" | "time_max" | "max_seconds" | "maximum" | "t_max" | "tmax"
        | "max_load" => Column::Most,
        "mean" | "avg" | "average" | "mean_time" | "time_mean" | "mean_seconds" | "avg_time"
        | "time_avg" | "t_mean" | "tmean" | "t_avg" | "tavg" | "mean_load" | "avg_load" => {
            Column::Mean
        }
        _ => return None,
    })
}

/// Whether a column of this name has the name of a computer, which is that of a rank where each has
/// one.
fn is_host(name: &str) -> bool {
    let hosts = ["host", "hostname", "host_name", "node", "nodename", "node_name", "nodelist"];
    hosts.contains(&plain(name).as_str())
}

/// What stands for the stem of all ranks on computers.
const ON_HOSTS: &str = ":";

/// Whether a name is that of a rank on a computer, `nid001234:0`.
fn is_rank_on_host(name: &str) -> bool {
    let number = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.trim().trim_matches('"').split_once(':');
    parts.is_some_and(|(host, rank)| !host.is_empty() && !rank.is_empty() && number(rank))
}

/// The stem and the number of `7`, `rank7`, `rank_7`, `seconds_7`, `r7`, `pe 7`, `rank_7_ms`, `rank7_time`.
pub(super) fn numbered(name: &str) -> Option<(String, u32)> {
    let name = plain(name);
    let digits = unit(&name).map_or(name.as_str(), |(stem, _)| stem);
    let start = digits.find(|c: char| c.is_ascii_digit())?;
    let (stem, number) = digits.split_at(start);
    let number = number.trim_end_matches([']', ')']);
    let is_time = |last: &str| matches!(column(last), Some(Column::Seconds | Column::Work));
    let measured = number.split_once('_').filter(|(_, last)| is_time(last));
    let (number, what) = measured.unwrap_or((number, ""));
    let number = number.parse().ok()?;
    let stem = stem.trim_end_matches('_');
    Some((if what.is_empty() { stem.to_owned() } else { format!("{stem}_#_{what}") }, number))
}

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

/// Whether columns of this stem and a number are times of ranks by their names alone: others may be counts, levels,
/// or parts of a per cent.
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

/// What the user says of columns: `--columns step=it,seconds=cpu*`.
#[derive(Debug, Clone, Default)]
pub struct Named(Vec<(Column, String)>);

impl std::str::FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        let all = [
            Column::Step,
            Column::Rank,
            Column::Seconds,
            Column::Wait,
            Column::Begin,
            Column::End,
            Column::Remapped,
            Column::RemapSeconds,
            Column::Most,
            Column::Mean,
        ];
        let pair = |pair: &str| {
            let (holds, name) = pair.split_once('=').unwrap_or((pair, ""));
            let known = all.into_iter().find(|column| column.holds() == holds.trim());
            known.filter(|_| !name.is_empty()).map(|column| (column, name.trim().to_owned())).ok_or_else(|| {
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
            let work = (*wanted == Column::Seconds).then_some(Column::Work);
            let same = [Some(*wanted), work];
            columns
                .iter_mut()
                .filter(|column| same.contains(column))
                .for_each(|column| *column = None);
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
        let others = [Some(Column::Seconds), Some(Column::Wait)];
        columns
            .iter_mut()
            .filter(|column| others.contains(column))
            .for_each(|column| *column = None);
    }
    for column in &mut columns {
        *column = if *column == Some(Column::Work) { Some(Column::Seconds) } else { *column };
    }
    let has = |columns: &[Option<Column>], column| columns.contains(&Some(column));
    let is_interval = has(&columns, Column::Step)
        && has(&columns, Column::Begin)
        && has(&columns, Column::End)
        && !has(&columns, Column::Seconds);
    if !is_interval {
        let is_moment =
            |column: &&mut Option<Column>| matches!(column, Some(Column::Begin | Column::End));
        columns.iter_mut().filter(is_moment).for_each(|column| *column = None);
    }
    for wanted in [
        Column::Step,
        Column::Rank,
        Column::Seconds,
        Column::Wait,
        Column::Begin,
        Column::End,
        Column::Remapped,
        Column::RemapSeconds,
    ] {
        let known = columns.iter().zip(names).filter(|(column, _)| **column == Some(wanted));
        let known: Vec<&str> = known.map(|(_, name)| name.as_str()).collect();
        if let [first, second, ..] = known[..] {
            let what = match wanted {
                Column::Step => "the number of the step",
                Column::Rank => "the number of the rank",
                Column::Seconds => "the seconds of a rank",
                Column::Wait => "the seconds a rank waits",
                Column::Begin => "when a step begins",
                Column::End => "when a step ends",
                Column::Remapped => "the mark of a remap",
                _ => "the cost of a remap",
            };
            return Err(if first == second {
                format!("two columns are called `{first}`")
            } else {
                let holds = wanted.holds();
                format!(
                    "`{first}` and `{second}` both seem to be {what}: say which with --columns {holds}=NAME"
                )
            });
        }
    }
    let without_summary = |columns: &mut Vec<Option<Column>>| {
        columns.iter_mut().filter(|column| is_part(column)).for_each(|column| *column = None);
    };
    let of_ranks = |columns: &[Option<Column>]| {
        columns.iter().any(|column| matches!(column, Some(Column::OfRank(_))))
    };
    let has_rank = has(&columns, Column::Rank);
    if has_rank && has(&columns, Column::Step) || of_ranks(&columns) {
        without_summary(&mut columns);
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
    without_summary(&mut columns);
    Ok(columns)
}

/// Whether a column has the largest or the mean time of a step.
fn is_part(column: &Option<Column>) -> bool {
    matches!(column, Some(Column::Most | Column::Mean))
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
        columns.iter_mut().filter(|column| is_part(column)).for_each(|column| *column = None);
    }
    Ok(columns)
}
