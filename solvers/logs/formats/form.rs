//! How a log is written: told by its beginning, and read by the reader of its format.

use super::pattern::Pattern;
use super::{Raw, at};
use super::{columnar, jsonl, lammps, pairs, pattern, summary, swift, table, talp, vt, warpx};
use crate::complaint::Complaint;
use std::io::BufRead;

/// How a trace is written.
#[derive(Debug, Clone)]
pub enum Form {
    /// Rows and columns.
    Table,
    /// An object a line.
    JsonLines,
    /// Names and values in a line.
    Pairs,
    /// A log of LAMMPS.
    Lammps,
    /// Load balancing data of DARMA/vt.
    Vt,
    /// `LoadBalanceCosts` of WarpX.
    Warpx,
    /// `rank_cpu_balance.log` of SWIFT.
    Swift,
    /// Parquet: the table in columns.
    Parquet,
    /// Process summary of TALP.
    Talp,
    /// Lines with the largest and the mean load of ranks, or how balanced they are.
    Summary(summary::Printed),
    /// Lines that match.
    Lines(Pattern),
}

/// How a trace that starts like this is written.
pub(in crate::logs) fn told(start: &str, name: &str) -> Result<Form, Complaint> {
    let first = start.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    Ok(match first {
        _ if columnar::is_parquet(start.as_bytes()) => Form::Parquet,
        _ if talp::is_log(start) => Form::Talp,
        _ if vt::is_data(start) => Form::Vt,
        object if object.starts_with('{') => Form::JsonLines,
        _ if swift::is_log(start) => Form::Swift,
        _ if warpx::is_log(start) => Form::Warpx,
        _ if lammps::is_log(start) => Form::Lammps,
        _ => match summary::is_log(start) {
            Some(printed) => Form::Summary(printed),
            None if is_json_list(first) && !is_list_a_line(start) => {
                let what = "a JSON list: give JSON lines, one object a line, as jq -c '.[]' writes \
                            the objects of a list";
                return Err(at(name, 1, what));
            }
            None if pairs::is_log(start) => Form::Pairs,
            None => Form::Table,
        },
    })
}

/// Whether a line begins a list of JSON: logs have lines such as `[0] ready`, `[INFO]
/// ready` and `[1,0]<stdout>: ready`, too.
fn is_json_list(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('[') else { return false };
    let rest = rest.trim_start();
    let item = rest.split([',', ']']).next().unwrap_or_default().trim();
    let is_number = item.parse::<f64>().is_ok() && rest[item.len()..].trim_start().starts_with(',');
    let ends = rest.split_once(']').is_none_or(|(_, after)| after.trim().is_empty());
    rest.is_empty() || rest.starts_with(['{', '[', '"']) || is_number && ends
}

/// Whether the first lines are lists of numbers, a line each.
fn is_list_a_line(start: &str) -> bool {
    let mut lines = start.lines().map(str::trim).filter(|line| !line.is_empty()).take(2);
    let is_list = |line: &str| {
        let list = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        list.is_some_and(|list| !list.contains(['[', '{', '"']))
    };
    lines.next().is_some_and(is_list) && lines.next().is_some_and(is_list)
}

pub(in crate::logs) fn rows(
    input: &mut Box<dyn BufRead>,
    name: &str,
    form: &Form,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    match form {
        Form::JsonLines => jsonl::read(input, name, raw),
        Form::Pairs => pairs::read(input, name, raw),
        Form::Lammps => lammps::read(input, name, raw),
        Form::Summary(printed) => summary::read(input, name, *printed, raw),
        Form::Table => table::read(input, name, raw),
        Form::Talp => talp::read(input, name, raw),
        Form::Vt => vt::read_alone(input, name, raw),
        Form::Warpx => warpx::read(input, name, raw),
        Form::Swift => swift::read(input, name, raw),
        Form::Parquet => columnar::read(input, name, raw),
        Form::Lines(pattern) => pattern::read(input, name, pattern, raw),
    }
}
