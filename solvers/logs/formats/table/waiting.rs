//! Whether waiting is part of the seconds of a table that has both.
//!
//! Ranks that wait for each other take equally long: where times agree much better with waiting than without it, it is
//! part of them.

use super::super::{Raw, seconds, whole};
use super::columns::Column;
use super::{Table, cells};
use std::collections::BTreeMap;

/// Decides by the first rows; what was decided is part of the account.
pub(super) fn is_in(table: &Table, sample: &[u8], raw: &mut Raw<'_>) -> Result<bool, String> {
    let place = |wanted| table.columns.iter().position(|column| *column == Some(wanted));
    let (Some(step), Some(time), Some(wait)) =
        (place(Column::Step), place(Column::Seconds), place(Column::Wait))
    else {
        return Ok(false);
    };
    let (times, waits) = (&table.names[time], &table.names[wait]);
    let end = sample.iter().rposition(|byte| *byte == b'\n').unwrap_or(sample.len());
    let text = String::from_utf8_lossy(&sample[..end]);
    let mut steps: BTreeMap<u32, Vec<[f64; 2]>> = BTreeMap::new();
    for line in text.lines() {
        let fields = cells(line, table.delimiter);
        let number = |at: usize| {
            Some(seconds(&fields.get(at)?.replacen(',', ".", 1)).ok()? * table.units[at])
        };
        let step = fields.get(step).and_then(|step| whole(step, "step").ok());
        if let (Some(step), Some(time), Some(wait)) = (step, number(time), number(wait)) {
            steps.entry(step).or_default().push([time, time - wait]);
        }
    }
    let range = |which: usize| -> f64 {
        let of = |ranks: &Vec<[f64; 2]>| {
            let times = || ranks.iter().map(|rank| rank[which]);
            times().fold(0.0, f64::max) - times().fold(f64::INFINITY, f64::min)
        };
        steps.values().filter(|ranks| ranks.len() > 1).map(of).sum()
    };
    let mut all = steps.values().flatten();
    let (with, without, less) = (range(0), range(1), all.any(|rank| rank[1] < 0.0));
    let said = raw.how.columns.says(Column::Wait);
    if said || !less && with < 0.5 * without {
        raw.repairs.push(format!(
            "`{times}` includes `{waits}`: the difference is what a rank worked, and is read{}",
            if said {
                ", as --columns says"
            } else {
                "; ranks agree much better in the sum than in the difference"
            }
        ));
        return Ok(true);
    }
    if less || without < 0.5 * with || steps.is_empty() {
        raw.account.columns.remove("wait");
        raw.account.left_out.push(format!("`{waits}` (not part of `{times}`)"));
        return Ok(false);
    }
    Err(format!(
        "does `{times}` include `{waits}`? Their ranks do not tell: say so with --columns wait={waits}, or leave it \
         out with --columns wait=-"
    ))
}

/// For a table that is not read from its beginning: refuses times with waiting in another column,
/// unless the user says what they are.
pub(in crate::logs) fn is_said(columns: &[Option<Column>], raw: &Raw<'_>) -> Result<(), String> {
    match columns.contains(&Some(Column::Wait)) && !raw.how.columns.says(Column::Wait) {
        false => Ok(()),
        true => Err("do the times include the time that ranks wait? Say so with --columns wait=NAME, or leave it out \
                     with --columns wait=-"
            .to_owned()),
    }
}
