//! What the name of a column says: what it holds, in which unit, and of which rank.

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

/// What a column may hold: its name in `--columns` and in accounts, and its description in the
/// message about two such columns, empty where two are no fault.
pub(super) const NAMED: [(Column, &str, &str); 10] = [
    (Column::Step, "step", "the number of the step"),
    (Column::Rank, "rank", "the number of the rank"),
    (Column::Seconds, "seconds", "the seconds of a rank"),
    (Column::Wait, "wait", "the seconds a rank waits"),
    (Column::Begin, "begin", "when a step begins"),
    (Column::End, "end", "when a step ends"),
    (Column::Remapped, "remapped", "the mark of a remap"),
    (Column::RemapSeconds, "cost", "the cost of a remap"),
    (Column::Most, "max", ""),
    (Column::Mean, "mean", ""),
];

impl Column {
    /// The name in an account, and of `--columns`.
    pub(in crate::logs) fn holds(self) -> &'static str {
        let same = match self {
            Column::Work | Column::OfRank(_) => Column::Seconds,
            other => other,
        };
        NAMED.iter().find(|(column, ..)| *column == same).map_or("", |(_, name, _)| name)
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
pub(in crate::logs) fn listed(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    const MOST: usize = 12;
    let short = |name: &str| name.chars().filter(|c| !c.is_control()).take(40).collect::<String>();
    let mut names = names.into_iter();
    let shown: Vec<String> = names.by_ref().take(MOST).map(|name| short(name.as_ref())).collect();
    let more = match names.count() {
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

pub(super) fn column(name: &str) -> Option<Column> {
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
pub(super) fn is_host(name: &str) -> bool {
    let hosts = ["host", "hostname", "host_name", "node", "nodename", "node_name", "nodelist"];
    hosts.contains(&plain(name).as_str())
}

/// Whether a name is that of a rank on a computer, `nid001234:0`.
pub(super) fn is_rank_on_host(name: &str) -> bool {
    let number = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.trim().trim_matches('"').split_once(':');
    parts.is_some_and(|(host, rank)| !host.is_empty() && !rank.is_empty() && number(rank))
}

/// The stem and the number of `7`, `rank7`, `rank_7`, `seconds_7`, `r7`, `pe 7`, `rank_7_ms`,
/// `rank7_time`.
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
