//! Makes a record from cells in any order: sorts the steps, and fills or refuses gaps.

use super::{Cell, RawRemap};
use crate::complaint::Complaint;
use remapping::record::{Record, Remap};
use std::collections::BTreeMap;
use std::ops::Range;

/// The largest share of missing times of a rank, and of missing steps.
const MOST_FILLED: f64 = 0.1;

/// The gaps of a log.
pub(super) struct Gaps<'a> {
    pub name: &'a str,
    pub rows: u64,
    /// The number of rows without any time, and the first and the last step.
    pub lost: u64,
    pub steps: (u64, u64),
    pub ranks: &'a [u32],
    /// The number of missing times of each rank.
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

    /// Messages about the filled times, unless there are too many.
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

/// The error that a rank has two times at a step.
pub(super) fn twice(cell: Cell) -> String {
    let Cell { step, rank, .. } = cell;
    format!(
        "two times of rank {rank} at step {step}: give one for each rank and step (of a program that went back to a \
         checkpoint the later one; of ranks that are numbered on each host, numbers over all hosts)"
    )
}

/// The remark that a step stands for several.
pub(super) fn apart(stride: u32) -> Option<String> {
    (stride > 1).then(|| {
        format!(
            "the steps are {stride} apart: a step here is {stride} of the program, and its times are taken \
             as those of all {stride}"
        )
    })
}

/// Combines two costs of one remap: the ranks may have recorded different ones.
pub(super) fn add_remap(cost: &mut Option<f64>, seconds: Option<f64>) {
    *cost = match (*cost, seconds) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
}

/// The remark that a remap before the first step does not count.
pub(super) fn first_partition(cost: Option<f64>) -> String {
    let cost = cost.map_or_else(String::new, |cost| format!(" of {cost} seconds"));
    format!(
        "the remap{cost} before the first step is the first partition: it does not count as a remap"
    )
}

/// The time for a gap at `row`: by linear interpolation between its neighbors, or the one neighbor
/// it has. Both must be between the same two remaps: beyond a remap a rank had other work.
pub(super) fn between(
    row: u64,
    before: Option<(u64, f64)>,
    after: Option<(u64, f64)>,
) -> Option<f64> {
    match (before, after) {
        (Some((a, from)), Some((b, to))) => {
            let share = (row - a) as f64 / (b - a) as f64;
            Some(from + share * (to - from))
        }
        (before, after) => before.or(after).map(|(_, only)| only),
    }
}

/// Gives ranks that have no time between two remaps the mean of the others in a step, so that they
/// do not change its imbalance. Returns their number, or `None` if no rank has a time.
pub(super) fn as_others(times: &mut [f64]) -> Option<u64> {
    let there = times.iter().filter(|time| !time.is_nan());
    let (sum, many) = there.fold((0.0, 0_u64), |(sum, many), time| (sum + time, many + 1));
    if many == 0 {
        return None;
    }
    let missing = times.iter_mut().filter(|time| time.is_nan());
    missing.for_each(|time| *time = sum / many as f64);
    Some(times.len() as u64 - many)
}

/// The error that a step has no times.
pub(super) fn unknown(step: u64) -> String {
    format!(
        "no rank has a time at step {step}, nor at another between the remaps around it: leave one of these \
         remaps out, or give the times"
    )
}

/// The remark that ranks were given the mean of the others.
pub(super) fn alone(times: u64) -> Option<String> {
    (times > 0).then(|| {
        format!(
            "{times} missing times have no neighbour between the same two remaps: the mean of the other ranks is \
             taken"
        )
    })
}

/// The distinct steps and ranks, sorted.
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

/// Makes the record of the cells.
pub(super) fn assemble(
    mut cells: Vec<Cell>,
    mut remaps: Vec<(usize, RawRemap)>,
    every: Option<u32>,
    name: &str,
    second: &dyn Fn(Cell) -> Option<Complaint>,
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
    repairs.extend(restarted(&mut cells, &mut remaps, ranks.len()));
    let (steps, ranks) = occurring(&cells);
    let stride = stride(&steps);
    repairs.extend(apart(stride).filter(|_| every.is_none()));
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
    let mut known = vec![false; rows * columns];
    for cell in &cells {
        let at = ranks.binary_search(&cell.rank).unwrap_or(0);
        let at = place(cell.step) * columns + at;
        if std::mem::replace(&mut known[at], true) {
            let unplaced = || wrong(twice(*cell), "correct the trace");
            return Err(second(*cell).unwrap_or_else(unplaced));
        }
        seconds[at] = cell.seconds;
    }
    drop((cells, known));
    let missing = |column: usize| {
        (0..rows).filter(|row| seconds[row * columns + column].is_nan()).count() as u64
    };
    let missing: Vec<u64> = (0..columns).map(missing).collect();
    gaps.missing = &missing;
    gaps.largest = seconds.iter().copied().fold(0.0, f64::max);
    repairs.extend(gaps.said()?);
    let filled = match missing.iter().any(|missing| *missing > 0) {
        true => seconds.iter().map(|time| time.is_nan()).collect(),
        false => Vec::new(),
    };
    let mut at: BTreeMap<usize, Option<f64>> = BTreeMap::new();
    for (_, remap) in remaps.iter().filter(|(_, remap)| remap.step >= first) {
        let row = place(remap.step).min(rows - 1);
        add_remap(at.entry(row).or_default(), remap.seconds);
    }
    // A remap before the first step is the first partition.
    let partition = at.remove(&0).map(first_partition);
    for column in (0..columns).filter(|column| missing[*column] > 0) {
        let mut from = 0;
        for end in at.keys().copied().chain([rows]) {
            fill(&mut seconds, from..end, columns, column);
            from = end;
        }
    }
    let mut others = 0;
    for (row, times) in seconds.chunks_exact_mut(columns).enumerate().filter(|_| !filled.is_empty())
    {
        let step = u64::from(first) + row as u64 * u64::from(stride);
        let help = "give a trace without gaps, or a part of it";
        others += as_others(times).ok_or_else(|| wrong(unknown(step), help))?;
    }
    repairs.extend(alone(others));
    repairs.extend(partition);
    let remaps = at.into_iter().map(|(before, seconds)| Remap { before, seconds }).collect();
    let record = Record::new(columns, seconds, remaps)
        .map_err(|error| wrong(error.to_string(), "correct the trace"))?;
    Ok((record.with_filled(filled), stride))
}

/// For a run that was continued from an earlier step, or started again, in the same log: keeps only
/// the later times of repeated steps. The steps of each part ascend, and every part after the first
/// has all ranks and repeats some steps.
fn restarted(
    cells: &mut Vec<Cell>,
    remaps: &mut Vec<(usize, RawRemap)>,
    ranks: usize,
) -> Option<String> {
    let back = |at: &usize| cells[*at].step < cells[at - 1].step;
    let starts: Vec<usize> =
        std::iter::once(0).chain((1..cells.len()).filter(back).take(65)).collect();
    let ends = starts.iter().skip(1).copied().chain([cells.len()]);
    let parts: Vec<Range<usize>> =
        starts.iter().copied().zip(ends).map(|(from, to)| from..to).collect();
    let whole = |part: &Range<usize>| {
        let of_step = cells[part.clone()].chunk_by(|a, b| a.step == b.step);
        let (steps, whole) =
            of_step.fold((0, true), |(steps, whole), of| (steps + 1, whole && of.len() == ranks));
        steps >= 3 && (whole || part.end == cells.len() && part.len() > (steps - 1) * ranks)
    };
    let repeats = parts.windows(2).any(|pair| {
        let met = cells[pair[0].clone()]
            .iter()
            .rev()
            .take_while(|cell| cell.step >= cells[pair[1].start].step);
        met.into_iter().any(|cell| cell.step == cells[pair[1].start].step)
    });
    if parts.len() < 2 || parts.len() > 64 || !repeats || !parts[1..].iter().all(whole) {
        return None;
    }
    let mut until = vec![u32::MAX; parts.len()];
    for at in (0..parts.len() - 1).rev() {
        until[at] = until[at + 1].min(cells[parts[at + 1].start].step);
    }
    let part_of =
        |place: usize| parts.partition_point(|part| part.end <= place).min(parts.len() - 1);
    remaps.retain(|(place, remap)| remap.step < until[part_of(*place)]);
    let all = cells.len();
    let mut place = 0;
    cells.retain(|cell| {
        place += 1;
        cell.step < until[part_of(place - 1)]
    });
    Some(format!(
        "the run was started again {} times: of steps that are there twice the later ones count, and {} times of the \
         earlier ones are left out",
        parts.len() - 1,
        all - cells.len()
    ))
}

/// The most frequent distance of steps.
pub(super) fn stride(steps: &[u32]) -> u32 {
    let mut gaps: Vec<u32> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    let middle = gaps[gaps.len() / 2];
    if gaps.iter().all(|gap| gap % middle == 0) { middle } else { 1 }
}

/// Fills the gaps of a column in rows without a remap between them, if it has a time there.
fn fill(seconds: &mut [f64], rows: Range<usize>, columns: usize, column: usize) {
    let number = |seconds: &[f64], row: usize| {
        Some((row as u64, seconds[row * columns + column])).filter(|(_, time)| !time.is_nan())
    };
    let mut before = None;
    let mut row = rows.start;
    while row < rows.end {
        if let Some(there) = number(seconds, row) {
            before = Some(there);
            row += 1;
            continue;
        }
        let after = (row..rows.end).find_map(|later| number(seconds, later));
        let end = after.map_or(rows.end, |(later, _)| later as usize);
        for gap in row..end {
            let time = between(gap as u64, before, after);
            seconds[gap * columns + column] = time.unwrap_or(f64::NAN);
        }
        row = end;
    }
}
