//! `LoadBalanceCosts` of WarpX: a row for each output, with cost, rank and position of every box.
//!
//! A box that is on another rank than in the row before was moved in between. WarpX writes the
//! header when the run ends, and then fills shorter rows with NaN. A run that was cut off has
//! neither.

mod sums;

use super::Raw;
use super::table::header::delimiter;
use super::{Cell, RawRemap, fault, seconds, whole};
use crate::complaint::Complaint;
use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

const HELP: &str = "a row has step and time, and for each box cost, proc, lev, i_low, j_low, k_low, num_cells, \
                    ..., hostname";

/// The cost of a box, its rank, and its identity: level and lowest cell.
#[derive(Debug, Clone, PartialEq)]
struct Costing {
    seconds: f64,
    rank: u32,
    place: [u32; 4],
}

/// An output.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    step: u32,
    boxes: Vec<Costing>,
}

/// The layout of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    delimiter: u8,
    /// The number of fields of a box, including its host.
    group: usize,
}

/// The group sizes that versions of WarpX write: seven to ten numbers, and a host.
const GROUPS: std::ops::RangeInclusive<usize> = 8..=11;

/// Whether a file with this beginning is such a log.
pub(in crate::logs) fn is_log(start: &str) -> bool {
    let first = start.lines().map(str::trim).find(|line| !line.is_empty());
    first.is_some_and(|line| shape(line).is_some())
}

fn split(line: &str, delimiter: u8) -> Vec<&str> {
    match delimiter {
        b' ' => line.split_whitespace().collect(),
        other => line.split(char::from(other)).map(str::trim).collect(),
    }
}

/// The layout from the header, or from the first row where there is none.
fn shape(line: &str) -> Option<Shape> {
    let delimiter = delimiter(line);
    let fields = split(line, delimiter);
    if line.starts_with('#') {
        let place = |wanted: &str| fields.iter().position(|name| name.contains(wanted));
        let (first, host) = (place("]cost_box_0(")?, place("]hostname_box_0(")?);
        let group = (host + 1).checked_sub(first)?;
        return (first == 2).then_some(Shape { delimiter, group });
    }
    fields.first()?.parse::<u32>().ok()?;
    let is_number = |field: &&str| field.parse::<f64>().is_ok();
    let Some(host) = fields.iter().position(|field| !is_number(field)) else {
        return of_numbers(&fields).map(|group| Shape { delimiter, group });
    };
    let group = host.checked_sub(1)?;
    let hosts = (host..fields.len()).step_by(group.max(1));
    (GROUPS.contains(&group) && hosts.into_iter().all(|at| !is_number(&fields[at])))
        .then_some(Shape { delimiter, group })
}

/// The number of fields of a box where hosts are numbers. Only cost and time have decimals, and
/// only one division of the row has ranks, levels and cells in the right columns.
fn of_numbers(fields: &[&str]) -> Option<usize> {
    let body = fields.get(2..)?;
    let is_whole = |field: &&str| field.bytes().all(|byte| byte.is_ascii_digit());
    let fits = |group: &usize| {
        body.len() >= 2 * group
            && body.len().is_multiple_of(*group)
            && body
                .chunks(*group)
                .all(|of| !is_whole(&of[0]) && of[1..7].iter().all(is_whole) && of[6] != "0")
    };
    let mut fitting = GROUPS.filter(fits);
    fitting.next().filter(|_| !is_whole(&fields[1]) && fitting.next().is_none())
}

pub(in crate::logs) fn read(
    mut input: impl BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    (raw.account.format, raw.knows_remaps) = ("LoadBalanceCosts of WarpX", true);
    let mut known: Option<Shape> = None;
    let mut rows: Vec<Row> = Vec::new();
    let mut text = String::new();
    for number in 1.. {
        let wrong = |what: String| fault(name, number, &what, HELP);
        text.clear();
        let read = input.read_line(&mut text);
        if read.map_err(|error| wrong(format!("cannot be read: {error}")))? == 0 {
            break;
        }
        // WarpX ends every line. This one may lack boxes, and then its end cannot be recognized.
        if !text.ends_with('\n') {
            raw.repairs.push(format!("line {number}, the last, is cut short, and left out"));
            break;
        }
        let line = text.trim();
        if line.is_empty() {
            continue;
        }
        if line.starts_with('#') {
            known = Some(shape(line).ok_or_else(|| wrong("not the header of costs".to_owned()))?);
            continue;
        }
        let form = match known {
            Some(form) => form,
            None => shape(line).ok_or_else(|| {
                wrong("not a row of costs: the name of a host is missing".to_owned())
            })?,
        };
        known = Some(form);
        let row = row(&split(line, form.delimiter), form.group).map_err(wrong)?;
        if let Some(last) = rows.last().filter(|last| last.step >= row.step) {
            let (last, step) = (last.step, row.step);
            return Err(wrong(format!("step {step} after step {last}: give one run at a time")));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(fault(name, 1, "there are no rows", HELP));
    }
    let refused = |what: String| Complaint::elsewhere(format!("{name}: {what}"), HELP);
    for pair in rows.windows(2).filter(|pair| moved(&pair[0], &pair[1])) {
        raw.remap(RawRemap { step: pair[1].step, seconds: None }).map_err(refused)?;
    }
    match sums::taken_apart(&mut rows) {
        Ok(None) => {}
        Ok(Some(period)) => raw.repairs.push(format!(
            "costs fall every {period} steps: they are taken for the running sums that WarpX keeps of measured \
             seconds, and the seconds of each step are had back from them"
        )),
        Err(what) => {
            let help = "set the intervals of the diagnostic to 1, or to those of load balancing";
            return Err(Complaint::elsewhere(format!("{name}: {what}"), help));
        }
    }
    // A row stands for the steps up to it.
    let gaps = rows.windows(2).map(|pair| pair[1].step - pair[0].step);
    let stride = gaps.min().unwrap_or(1);
    let known: BTreeSet<u32> =
        rows.iter().flat_map(|row| &row.boxes).map(|costing| costing.rank).collect();
    // Ranks without a box have no work, and do not appear in any row.
    let ranks = known.last().map_or(0, |last| *last as usize + 1);
    if ranks > 16 * known.len() + 64 {
        let message =
            format!("{name}: rank {} has boxes, of {} that have any", ranks - 1, known.len());
        return Err(Complaint::elsewhere(message, HELP));
    }
    for row in &rows {
        let mut loads = vec![0.0; ranks];
        for costing in &row.boxes {
            loads[costing.rank as usize] += costing.seconds * f64::from(stride);
        }
        for (rank, seconds) in (0..).zip(loads) {
            raw.push(Cell { step: row.step, rank, seconds }).map_err(refused)?;
        }
    }
    raw.repairs.push(
        "loads are costs of boxes: seconds with algo.load_balance_costs_update = timers, otherwise weights, and \
         --remap-cost then too; boxes that moved tell where it was remapped"
            .to_owned(),
    );
    Ok(())
}

/// Parses a row with groups of `group` fields.
fn row(fields: &[&str], group: usize) -> Result<Row, String> {
    let step =
        whole(fields.first().unwrap_or(&""), "step").map_err(|what| format!("step: {what}"))?;
    let body = fields.get(2..).unwrap_or(&[]);
    if body.is_empty() || !body.len().is_multiple_of(group) {
        return Err(format!(
            "{} fields: after step and time there should be {group} for each box",
            fields.len()
        ));
    }
    let mut boxes = Vec::with_capacity(body.len() / group);
    for (number, fields) in body.chunks(group).enumerate() {
        let filler = |field: &&str| field.eq_ignore_ascii_case("nan");
        if fields.iter().all(filler) {
            continue;
        }
        if boxes.len() < number {
            return Err(format!("cost_box_{}: NaN, and a box after it", number - 1));
        }
        let of = |what: String, field: &str| format!("{field}_box_{number}: {what}");
        let cost = seconds(fields[0]).map_err(|what| of(what, "cost"))?;
        if cost.is_nan() {
            return Err(of("NaN".to_owned(), "cost"));
        }
        let count =
            |at: usize, field: &str| whole(fields[at], field).map_err(|what| of(what, field));
        let rank = count(1, "proc")?;
        if rank >= 1 << 22 {
            return Err(of(format!("{rank} is no rank"), "proc"));
        }
        // Cells may be negative.
        let mut place = [count(2, "lev")?, 0, 0, 0];
        for ((low, text), field) in
            place[1..].iter_mut().zip(&fields[3..]).zip(["i_low", "j_low", "k_low"])
        {
            let cell = text.parse::<f64>().ok().filter(|cell| cell.fract() == 0.0);
            let cell = cell.ok_or_else(|| of(format!("{text:?} is no cell"), field))?;
            *low = (cell as i32).cast_unsigned();
        }
        boxes.push(Costing { seconds: cost, rank, place });
    }
    Ok(Row { step, boxes })
}

/// Whether a box is on another rank, or the boxes are different ones.
fn moved(before: &Row, after: &Row) -> bool {
    let ranks: HashMap<[u32; 4], u32> =
        before.boxes.iter().map(|costing| (costing.place, costing.rank)).collect();
    after.boxes.len() != before.boxes.len()
        || after.boxes.iter().any(|costing| ranks.get(&costing.place) != Some(&costing.rank))
}
