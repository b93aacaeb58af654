//! `rank_cpu_balance.log` of SWIFT: CPU times of the ranks in the steps that update most particles.

use super::Raw;
use super::{Cell, fault, seconds, whole};
use crate::complaint::Complaint;
use std::io::BufRead;

const HELP: &str = "a line has step, rank, user, sys, sum and, in newer versions, deadfrac";

/// SWIFT writes the ticks of times(2); Linux counts hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Whether a file that starts like this is such a log.
pub(in crate::logs) fn is_log(start: &str) -> bool {
    start.lines().any(is_header)
}

fn is_header(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|names| {
        names.split_whitespace().take(5).eq(["step", "rank", "user", "sys", "sum"])
    })
}

pub(in crate::logs) fn read(
    input: impl BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    raw.account.format = "rank_cpu_balance.log of SWIFT";
    let before = raw.rows;
    // The program's step of each row.
    let mut steps: Vec<u32> = Vec::new();
    let mut columns = 6;
    for (number, line) in (1..).zip(input.lines()) {
        let wrong = |what: String| fault(name, number, &what, HELP);
        let line = line.map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if is_header(&line) {
            columns = line.split_whitespace().count() - 1;
        }
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.len() != columns {
            return Err(wrong(format!("{} fields where there should be {columns}", fields.len())));
        }
        let step = whole(fields[0], "step").map_err(|what| wrong(format!("step: {what}")))?;
        let rank = whole(fields[1], "rank").map_err(|what| wrong(format!("rank: {what}")))?;
        let mut times = [0.0; 3];
        for ((time, text), of) in times.iter_mut().zip(&fields[2..]).zip(["user", "sys", "sum"]) {
            *time = seconds(text).map_err(|what| wrong(format!("{of}: {what}")))?;
        }
        let [user, system, sum] = times;
        if times.iter().any(|time| time.is_nan()) {
            return Err(wrong("user, sys, sum: one of them is not a number".to_owned()));
        }
        if (user + system - sum).abs() > 1e-5 * (1.0 + sum) {
            return Err(wrong(format!("sum: {sum} is not user + sys, {}", user + system)));
        }
        match steps.last() {
            Some(last) if *last > step => {
                return Err(wrong(format!(
                    "step {step} after step {last}: give one run at a time"
                )));
            }
            Some(last) if *last == step => {}
            _ => steps.push(step),
        }
        let step = before + steps.len() as u32 - 1;
        raw.push(Cell { step, rank, seconds: user / TICKS_PER_SECOND }).map_err(wrong)?;
    }
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
        return Err(fault(name, 1, "there are no times", HELP));
    };
    raw.rows = before + steps.len() as u32;
    raw.repairs.push(
        "the seconds are user CPU times of all threads of a rank, which SWIFT compares, not wall times: a step \
         takes about that divided by the threads, and --remap-cost is in the same seconds (wall time times \
         threads); a tick is taken to be 1/100 s"
            .to_owned(),
    );
    raw.repairs.push(format!(
        "a step here is one that was logged: {} of the steps {first}..={last}, those that update most \
         particles; when the domain was repartitioned is not in the log",
        steps.len()
    ));
    Ok(())
}
