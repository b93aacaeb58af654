//! From cells in any order to a record: steps in order, gaps filled or refused.

use super::{Raw, Trace};
use crate::complaint::Complaint;
use remapping::record::{Record, Remap};
use std::collections::BTreeMap;

/// The largest share of a rank's times that is filled in, and of the steps.
const MOST_FILLED: f64 = 0.1;

/// Puts a trace in order.
pub(super) fn assemble(raw: Raw, name: &str) -> Result<Trace, Complaint> {
    let Raw { form, cells, remaps, knows_remaps, mut repairs, unit_seconds } = raw;
    let unit_seconds = unit_seconds.unwrap_or(1.0);
    let wrong =
        |message: String, help: &str| Complaint::elsewhere(format!("{name}: {message}"), help);
    let mut steps: Vec<u32> = Vec::new();
    let mut ranks: Vec<u32> = Vec::new();
    for cell in &cells {
        if steps.last() != Some(&cell.step) {
            steps.push(cell.step);
        }
        if ranks.len() <= 1 << 20 && ranks.last() != Some(&cell.rank) {
            ranks.push(cell.rank);
        }
        if ranks.len() > 1 << 20 {
            ranks.sort_unstable();
            ranks.dedup();
        }
    }
    steps.sort_unstable();
    steps.dedup();
    ranks.sort_unstable();
    ranks.dedup();
    if ranks.len() < 2 || steps.len() < 2 {
        let (s, r) = (steps.len(), ranks.len());
        let help = "a trace has two steps and two ranks at least";
        return Err(wrong(format!("{s} steps of {r} ranks"), help));
    }
    let stride = stride(&steps);
    if stride > 1 {
        repairs.push(format!(
            "the steps are {stride} apart: a step here is {stride} of the program, and its times are taken \
             as those of all {stride}"
        ));
    }
    let first = steps[0];
    let place = |step: u32| ((step - first) / stride) as usize;
    let rows = place(steps[steps.len() - 1]) + 1;
    let lost = rows - steps.len();
    if lost as f64 > MOST_FILLED * rows as f64 {
        let message =
            format!("{lost} of the {rows} steps {first}..={} are missing", steps[steps.len() - 1]);
        return Err(wrong(message, "give a trace without gaps, or a part of it"));
    }
    let columns = ranks.len();
    if rows.saturating_mul(columns) > cells.len().saturating_mul(4).saturating_add(1000) {
        let message = format!("{columns} ranks come and go over {rows} steps");
        return Err(wrong(message, "give a trace in which the same ranks take part throughout"));
    }
    let mut seconds = vec![f64::NAN; rows * columns];
    let mut filled = vec![false; rows * columns];
    for cell in &cells {
        let at = ranks.binary_search(&cell.rank).unwrap_or(0);
        let at = place(cell.step) * columns + at;
        if std::mem::replace(&mut filled[at], true) {
            let message = format!("two times of rank {} at step {}", cell.rank, cell.step);
            return Err(wrong(message, "give one time for each rank and step"));
        }
        seconds[at] = cell.seconds;
    }
    drop((cells, filled));
    if seconds.iter().all(|time| time.is_nan() || *time == 0.0) {
        let help = "are the times in another column, or in a unit in which they round to 0?";
        return Err(wrong("all times are 0".to_owned(), help));
    }
    if lost > 0 {
        repairs.push(format!("{lost} missing steps are filled in between their neighbours"));
    }
    let mut holes = 0;
    for (column, rank) in ranks.iter().enumerate() {
        let missing = (0..rows).filter(|row| seconds[row * columns + column].is_nan()).count();
        let there = rows - missing;
        if missing as f64 > MOST_FILLED * rows as f64 {
            let message = format!("rank {rank} is there in {there} of {rows} steps only");
            let help = "give a trace in which the same ranks take part throughout";
            return Err(wrong(message, help));
        }
        if missing > 0 {
            holes += missing - lost.min(missing);
            fill(&mut seconds, rows, columns, column);
        }
    }
    if holes > 0 {
        repairs.push(format!("{holes} missing times are filled in between their neighbours"));
    }
    let mut at: BTreeMap<usize, Option<f64>> = BTreeMap::new();
    for remap in remaps.iter().filter(|remap| remap.step >= first) {
        let row = place(remap.step).min(rows - 1);
        let cost = at.entry(row).or_default();
        *cost = match (*cost, remap.seconds) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }
    // Before the first step nothing was remapped yet.
    if let Some(cost) = at.remove(&0) {
        let cost = cost.map_or_else(String::new, |cost| format!(" of {cost} seconds"));
        repairs.push(format!(
            "the remap{cost} before the first step is the first partition: it does not count as a remap"
        ));
    }
    let remaps = at.into_iter().map(|(before, seconds)| Remap { before, seconds }).collect();
    let record = Record::new(columns, seconds, remaps)
        .map_err(|error| wrong(error.to_string(), "correct the trace"))?;
    Ok(Trace { record, form, repairs, stride: u64::from(stride), knows_remaps, unit_seconds })
}

/// The distance of most steps.
fn stride(steps: &[u32]) -> u32 {
    let mut gaps: Vec<u32> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    let middle = gaps[gaps.len() / 2];
    if gaps.iter().all(|gap| gap % middle == 0) { middle } else { 1 }
}

/// Fills the gaps of a column along straight lines; at the ends with the nearest time.
fn fill(seconds: &mut [f64], rows: usize, columns: usize, column: usize) {
    let value = |seconds: &[f64], row: usize| seconds[row * columns + column];
    let mut before: Option<usize> = None;
    let mut row = 0;
    while row < rows {
        if !value(seconds, row).is_nan() {
            before = Some(row);
            row += 1;
            continue;
        }
        let after = (row..rows).find(|later| !value(seconds, *later).is_nan());
        let end = after.unwrap_or(rows);
        for gap in row..end {
            seconds[gap * columns + column] = match (before, after) {
                (Some(a), Some(b)) => {
                    let share = (gap - a) as f64 / (b - a) as f64;
                    let (from, to) = (value(seconds, a), value(seconds, b));
                    from + share * (to - from)
                }
                (Some(only), None) | (None, Some(only)) => value(seconds, only),
                (None, None) => 0.0,
            };
        }
        row = end;
    }
}
