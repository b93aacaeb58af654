//! From cells in any order to a record: steps in order, gaps filled or refused.

use super::{Cell, RawRemap};
use crate::complaint::Complaint;
use remapping::record::{Record, Remap};
use std::collections::BTreeMap;

/// The largest share of a rank's times that is filled in, and of the steps.
const MOST_FILLED: f64 = 0.1;

/// What is known of the gaps of a log.
pub(super) struct Gaps<'a> {
    pub name: &'a str,
    pub rows: u64,
    /// Rows of which nothing is there, and the first and the last step.
    pub lost: u64,
    pub steps: (u64, u64),
    pub ranks: &'a [u32],
    /// Times that are missing, of each rank.
    pub missing: &'a [u64],
    pub largest: f64,
}

impl Gaps<'_> {
    fn wrong(&self, message: &str, help: &str) -> Complaint {
        Complaint::elsewhere(format!("{}: {message}", self.name), help)
    }

    /// Refuses a log that lacks whole steps.
    pub fn few_lost(&self) -> Result<(), Complaint> {
        let Gaps { lost, rows, steps: (first, last), .. } = self;
        if *lost as f64 > MOST_FILLED * *rows as f64 {
            let message = format!("{lost} of the {rows} steps {first}..={last} are missing");
            return Err(self.wrong(&message, "give a trace without gaps, or a part of it"));
        }
        Ok(())
    }

    /// What is filled in, where it is not too much.
    pub fn said(&self) -> Result<Vec<String>, Complaint> {
        self.few_lost()?;
        if self.largest == 0.0 {
            let help = "are the times in another column, or in a unit in which they round to 0?";
            return Err(self.wrong("all times are 0", help));
        }
        let Gaps { lost, rows, .. } = self;
        let mut said = Vec::new();
        if *lost > 0 {
            said.push(format!("{lost} missing steps are filled in between their neighbours"));
        }
        let mut holes = 0;
        for (rank, missing) in self.ranks.iter().zip(self.missing) {
            if *missing as f64 > MOST_FILLED * *rows as f64 {
                let there = rows - missing;
                let message = format!("rank {rank} is there in {there} of {rows} steps only");
                let help = "give a trace in which the same ranks take part throughout";
                return Err(self.wrong(&message, help));
            }
            holes += missing - lost.min(missing);
        }
        if holes > 0 {
            said.push(format!("{holes} missing times are filled in between their neighbours"));
        }
        Ok(said)
    }
}

/// A rank that has two times.
pub(super) fn twice(cell: Cell) -> String {
    format!("two times of rank {} at step {}", cell.rank, cell.step)
}

/// That a step stands for several.
pub(super) fn apart(stride: u32) -> Option<String> {
    (stride > 1).then(|| {
        format!(
            "the steps are {stride} apart: a step here is {stride} of the program, and its times are taken \
             as those of all {stride}"
        )
    })
}

/// Two costs of one remap: the ranks may have recorded different ones.
pub(super) fn add_remap(cost: &mut Option<f64>, seconds: Option<f64>) {
    *cost = match (*cost, seconds) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
}

/// That a remap before the first step is none.
pub(super) fn first_partition(cost: Option<f64>) -> String {
    let cost = cost.map_or_else(String::new, |cost| format!(" of {cost} seconds"));
    format!(
        "the remap{cost} before the first step is the first partition: it does not count as a remap"
    )
}

/// The value at `row` on the line between two rows.
pub(super) fn on_line(row: u64, (a, from): (u64, f64), (b, to): (u64, f64)) -> f64 {
    let share = (row - a) as f64 / (b - a) as f64;
    from + share * (to - from)
}

/// The steps and ranks that occur, in order.
pub(super) fn occurring(cells: &[Cell]) -> (Vec<u32>, Vec<u32>) {
    let mut steps: Vec<u32> = Vec::new();
    let mut ranks: Vec<u32> = Vec::new();
    for cell in cells {
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
    (steps, ranks)
}

/// Puts what was read in order.
pub(super) fn assemble(
    cells: Vec<Cell>,
    remaps: &[RawRemap],
    name: &str,
    repairs: &mut Vec<String>,
) -> Result<(Record, u32), Complaint> {
    let wrong =
        |message: String, help: &str| Complaint::elsewhere(format!("{name}: {message}"), help);
    let (steps, ranks) = occurring(&cells);
    if ranks.len() < 2 || steps.len() < 2 {
        let (s, r) = (steps.len(), ranks.len());
        let help = "a trace has two steps and two ranks at least";
        return Err(wrong(format!("{s} steps of {r} ranks"), help));
    }
    let stride = stride(&steps);
    repairs.extend(apart(stride));
    let (first, last) = (steps[0], steps[steps.len() - 1]);
    let place = |step: u32| ((step - first) / stride) as usize;
    let rows = place(last) + 1;
    let mut gaps = Gaps {
        name,
        rows: rows as u64,
        lost: (rows - steps.len()) as u64,
        steps: (u64::from(first), u64::from(last)),
        ranks: &ranks,
        missing: &[],
        largest: 0.0,
    };
    gaps.few_lost()?;
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
            return Err(wrong(twice(*cell), "give one time for each rank and step"));
        }
        seconds[at] = cell.seconds;
    }
    drop((cells, filled));
    let missing = |column: usize| {
        (0..rows).filter(|row| seconds[row * columns + column].is_nan()).count() as u64
    };
    let missing: Vec<u64> = (0..columns).map(missing).collect();
    gaps.missing = &missing;
    gaps.largest = seconds.iter().copied().fold(0.0, f64::max);
    repairs.extend(gaps.said()?);
    for column in (0..columns).filter(|column| missing[*column] > 0) {
        fill(&mut seconds, rows, columns, column);
    }
    let mut at: BTreeMap<usize, Option<f64>> = BTreeMap::new();
    for remap in remaps.iter().filter(|remap| remap.step >= first) {
        let row = place(remap.step).min(rows - 1);
        add_remap(at.entry(row).or_default(), remap.seconds);
    }
    // Before the first step nothing was remapped yet.
    repairs.extend(at.remove(&0).map(first_partition));
    let remaps = at.into_iter().map(|(before, seconds)| Remap { before, seconds }).collect();
    let record = Record::new(columns, seconds, remaps)
        .map_err(|error| wrong(error.to_string(), "correct the trace"))?;
    Ok((record, stride))
}

/// The distance of most steps.
pub(super) fn stride(steps: &[u32]) -> u32 {
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
                    let (from, to) = (value(seconds, a), value(seconds, b));
                    on_line(gap as u64, (a as u64, from), (b as u64, to))
                }
                (Some(only), None) | (None, Some(only)) => value(seconds, only),
                (None, None) => 0.0,
            };
        }
        row = end;
    }
}
