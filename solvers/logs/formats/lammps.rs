//! LAMMPS thermo output with imbalance columns.
//!
//! `fix balance` prints max/mean: `f_ID` after its last remap, `f_ID[3]` before it. From the ratio and
//! the time of a step (column `CPU` or `S/CPU` where there is one, otherwise 1) the slowest rank and the
//! mean are known; the other ranks are taken as one that has the rest of twice the mean.

use super::Raw;
use super::{Cell, RawRemap, at};
use crate::complaint::Complaint;
use std::io::BufRead;

/// Whether a file that starts like this is a log of LAMMPS.
pub(in crate::logs) fn is_log(start: &str) -> bool {
    start.lines().any(|line| line.starts_with("LAMMPS (") || header(line).is_some())
}

/// The columns of a block of thermo output.
#[derive(Debug, Clone, PartialEq)]
struct Columns {
    count: usize,
    step: usize,
    cpu: Option<usize>,
    /// max/mean, before a remap if both are printed.
    ratio: usize,
    /// max/mean after the last remap.
    after: Option<usize>,
}

/// Reads a header line such as `Step CPU Temp f_bal f_bal[3]`.
fn header(line: &str) -> Option<Columns> {
    let names: Vec<&str> = line.split_whitespace().collect();
    let step = names.iter().position(|name| *name == "Step")?;
    let place = |wanted: &dyn Fn(&str) -> bool| names.iter().position(|name| wanted(name));
    let computed =
        |name: &str| name.starts_with("f_") || name.starts_with("v_") || name.starts_with("c_");
    // Whatever the fix is called, the third number of its vector is the imbalance before the remap.
    let third = |name: &str| name.strip_suffix("[3]").is_some_and(|id| names.contains(&id));
    let imbalance = |name: &str| {
        let lower = name.to_ascii_lowercase();
        let named = ["imb", "bal", "lb"].iter().any(|part| lower.contains(part));
        computed(name) && (named || third(name) || names.contains(&format!("{name}[3]").as_str()))
    };
    let before = place(&|name| imbalance(name) && name.ends_with("[3]"));
    let plain = place(&|name| imbalance(name) && !name.ends_with(']'));
    let ratio = before.or(plain)?;
    let cpu = place(&|name| name.eq_ignore_ascii_case("cpu"));
    Some(Columns {
        count: names.len(),
        step,
        cpu,
        ratio,
        after: plain.filter(|_| before.is_some()),
    })
}

pub(in crate::logs) fn read(
    input: impl BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    raw.form = "LAMMPS thermo output";
    let mut columns: Option<Columns> = None;
    let (mut last_step, mut last_cpu, mut remapped) = (None, None, false);
    for (number, line) in (1..).zip(input.split(b'\n')) {
        let line = line.map_err(|error| at(name, number, &format!("cannot be read: {error}")))?;
        let line = String::from_utf8_lossy(&line);
        if let Some(found) = header(&line) {
            (columns, last_cpu) = (Some(found), None);
            continue;
        }
        if line.starts_with("Loop time") {
            columns = None;
        }
        let Some(shape) = &columns else { continue };
        let fields: Vec<f64> = line.split_whitespace().map_while(|f| f.parse().ok()).collect();
        if fields.len() != shape.count {
            continue;
        }
        let wrong = |what: &str| at(name, number, what);
        let refused = |what: String| at(name, number, &what);
        let step = fields[shape.step];
        if !(step.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&step)) {
            return Err(wrong("the step is not a whole number"));
        }
        let step = step as u32;
        let cpu = shape.cpu.map(|place| fields[place]);
        let spent = match (cpu, last_cpu) {
            (Some(now), Some(before)) => Some(now - before),
            (Some(_), None) => None,
            (None, _) => Some(1.0),
        };
        last_cpu = cpu;
        // The last row of a run is the first of the next one.
        let again = last_step.is_some_and(|last| step <= last);
        let Some(spent) = spent.filter(|_| !again) else { continue };
        last_step = Some(step);
        raw.knows_remaps |= shape.after.is_some();
        let ratio = fields[shape.ratio];
        if !(ratio >= 1.0 && ratio.is_finite() && spent >= 0.0) {
            return Err(wrong(&format!(
                "an imbalance of {ratio} or a time of {spent} is impossible"
            )));
        }
        // With one rank for all the others, 2 mean - max must not be negative.
        let ratio = ratio.min(2.0);
        let (most, mean) = (spent, spent / ratio);
        raw.push(Cell { step, rank: 0, seconds: most }).map_err(refused)?;
        raw.push(Cell { step, rank: 1, seconds: 2.0 * mean - most }).map_err(refused)?;
        if std::mem::take(&mut remapped) {
            raw.remap(RawRemap { step, seconds: None }).map_err(refused)?;
        }
        // The remap came after this row was measured.
        remapped =
            shape.after.is_some_and(|place| fields[place] < fields[shape.ratio] * (1.0 - 1e-9));
    }
    if raw.is_empty() {
        return Err(at(
            name,
            1,
            "there is no thermo output with an imbalance column (f_ID of fix balance)",
        ));
    }
    raw.repairs.push(
        "the log knows the slowest rank and the mean only: two ranks stand for all".to_owned(),
    );
    Ok(())
}
