//! JSON lines: an object for each rank and step, or for each step with a list of times.

use super::gather::Raw;
use super::{Cell, RawRemap, at, seconds, whole};
use crate::complaint::Complaint;
use serde::Deserialize;
use serde_json::Value;
use std::io::BufRead;

#[derive(Deserialize)]
struct Line {
    #[serde(alias = "iteration", alias = "cycle")]
    step: Option<Value>,
    rank: Option<Value>,
    #[serde(alias = "time", alias = "times", alias = "load", alias = "loads")]
    seconds: Option<Value>,
    #[serde(default, alias = "remap")]
    remapped: Option<Value>,
    #[serde(default, alias = "remap_cost")]
    remap_seconds: Option<Value>,
}

pub(super) fn read(input: impl BufRead, name: &str, raw: &mut Raw<'_>) -> Result<(), Complaint> {
    raw.form = "JSON lines";
    for (number, line) in (1..).zip(input.lines()) {
        let line = line.map_err(|error| at(name, number, &format!("cannot be read: {error}")))?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |what: String| at(name, number, &what);
        let parsed: Line = serde_json::from_str(&line)
            .map_err(|error| wrong(format!("not a JSON object: {error}")))?;
        object(&parsed, raw.rows, raw).map_err(wrong)?;
        raw.rows = raw.rows.saturating_add(1);
    }
    Ok(())
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn object(line: &Line, number: u32, raw: &mut Raw<'_>) -> Result<(), String> {
    let step = line.step.as_ref().map_or(Ok(number), |step| whole(&text(step), "step"))?;
    let time = line.seconds.as_ref().ok_or("there is no field `seconds`")?;
    let cost = line.remap_seconds.as_ref().map(|cost| seconds(&text(cost))).transpose()?;
    let cost = cost.filter(|cost| !cost.is_nan());
    let marked = match &line.remapped {
        Some(Value::Bool(marked)) => *marked,
        Some(other) => super::flag(&text(other))?,
        None => false,
    };
    raw.knows_remaps |= line.remapped.is_some() || line.remap_seconds.is_some();
    if marked || cost.is_some_and(|cost| cost > 0.0) {
        raw.remap(RawRemap { step, seconds: cost })?;
    }
    match (time, &line.rank) {
        (Value::Array(times), None) => {
            for (rank, time) in (0..).zip(times) {
                raw.push(Cell { step, rank, seconds: seconds(&text(time))? })?;
            }
            Ok(())
        }
        (time, Some(rank)) if !time.is_array() => {
            let rank = whole(&text(rank), "rank")?;
            raw.push(Cell { step, rank, seconds: seconds(&text(time))? })
        }
        _ => Err("give `rank` with one time, or a list of times without it".to_owned()),
    }
}
