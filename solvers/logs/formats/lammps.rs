//! Thermo output of LAMMPS, in lines or in YAML, with the vector of `fix balance`.
//!
//! In LAMMPS (src/fix_balance.cpp) the scalar `f_ID` is max/mean right after the last rebalance and
//! `f_ID[3]` the one right before it; both are 0 before the first and stand still in between.
//! `f_ID[1]` is the largest number of atoms on a rank at the last check: with the ranks and atoms
//! of the log it gives max/mean then. With `weight` it is the largest weight of a rank, and
//! max/mean follows if the mean weight stays: right after a rebalance that is `f_ID[1]` / `f_ID`. A
//! rebalance took place where `f_ID` or `f_ID[3]` changes. Logs in which `f_ID` and `f_ID[3]` agree
//! and move from row to row are of variables that are evaluated in each row: these say the present.
//! Compared with src/fix_balance.cpp of LAMMPS, commit aca8bc4, on 28 November 2026, and with
//! output of Debian's LAMMPS.

use super::{Raw, RawRemap, at};
use crate::complaint::Complaint;
use std::io::BufRead;

const HELP: &str = "thermo_style custom step cpu f_ID[1] f_ID f_ID[3] prints what is read, ID being that of fix balance";

/// The columns of a block of thermo output.
#[derive(Debug, Clone, PartialEq)]
struct Columns {
    names: Vec<String>,
    step: usize,
    /// Seconds since the run began, or of a step.
    clock: Option<usize>,
    each: Option<usize>,
    /// max/mean after the last rebalance, before it, and the largest number of atoms on a rank.
    after: Option<usize>,
    before: Option<usize>,
    atoms: Option<usize>,
}

/// A row, and what was spent since the one before.
struct Row {
    line: u64,
    step: u32,
    seconds: Option<f64>,
    after: Option<f64>,
    before: Option<f64>,
    atoms: Option<f64>,
}

/// What the lines around the rows say.
#[derive(Default)]
struct Said {
    /// The IDs of `fix balance`, and whether one has weights.
    fixes: Vec<String>,
    weighted: bool,
    ranks: Option<f64>,
    atoms: Option<f64>,
}

/// Whether a file that starts like this is a log of LAMMPS.
pub(in crate::logs) fn is_log(start: &str) -> bool {
    start.lines().any(|line| line.starts_with("LAMMPS (") || header(line, &[]).is_some())
}

/// Reads a header line such as `Step CPU Temp f_bal f_bal[3]`, or that of YAML. Without `fix
/// balance` in the log its vector is told by its third number.
fn header(line: &str, fixes: &[String]) -> Option<Columns> {
    let list = line.trim().strip_prefix("keywords:");
    let clean = |name: &str| name.trim_matches(['\'', '"', '[', ',']).to_owned();
    let names: Vec<String> = match list {
        Some(list) => {
            let list = list.trim().strip_prefix('[')?.trim_end_matches(']');
            list.split(',')
                .map(|name| name.trim().trim_matches(['\'', '"']).to_owned())
                .filter(|name| !name.is_empty())
                .collect()
        }
        None => line
            .split_whitespace()
            .map(|name| if name.starts_with('[') { name.to_owned() } else { clean(name) })
            .collect(),
    };
    let place = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    let step = names.iter().position(|name| name == "Step")?;
    let is_known = |id: &str| match fixes.is_empty() {
        true => names.iter().any(|name| name == &format!("f_{id}[3]")),
        false => fixes.iter().any(|fix| fix == id),
    };
    let ids = names.iter().filter_map(|name| name.strip_prefix("f_"));
    let id = ids.map(|name| name.split('[').next().unwrap_or(name)).find(|id| is_known(id))?;
    let of = |part: &str| place(&format!("f_{id}{part}"));
    Some(Columns {
        step,
        clock: ["cpu", "cpuuse", "elapsed_cpu"].iter().find_map(|name| place(name)),
        each: place("S/CPU"),
        after: of(""),
        before: of("[3]"),
        atoms: of("[1]"),
        names,
    })
}

/// The number before this word, as in `4 by 1 by 1 MPI processor grid` or `on 4 procs`.
fn before<T: std::str::FromStr>(line: &str, word: &str) -> Option<T> {
    line[..line.find(word)?].split_whitespace().next_back()?.parse().ok()
}

impl Said {
    fn take(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["fix", id, _, "balance", rest @ ..] = &words[..] {
            self.fixes.push((*id).to_owned());
            self.weighted |= rest.contains(&"weight");
        }
        if line.contains("MPI processor grid") {
            let product = words.iter().filter_map(|word| word.parse::<f64>().ok()).product();
            self.ranks = Some(product);
        }
        self.ranks = before(line, " procs for ").or(self.ranks);
        let atoms = before(line, " atoms")
            .filter(|_| line.starts_with("Loop time") || line.starts_with("Created"));
        self.atoms = atoms.or(self.atoms);
    }
}

pub(in crate::logs) fn read(
    input: impl BufRead,
    name: &str,
    raw: &mut Raw<'_>,
) -> Result<(), Complaint> {
    raw.account.format = "LAMMPS thermo output";
    let (mut said, mut rows) = (Said::default(), Vec::new());
    let mut columns: Option<Columns> = None;
    let mut known: Option<Columns> = None;
    let mut last: Option<(u32, f64)> = None;
    for (number, line) in (1..).zip(input.split(b'\n')) {
        let line = line.map_err(|error| at(name, number, &format!("cannot be read: {error}")))?;
        let line = String::from_utf8_lossy(&line);
        said.take(&line);
        if let Some(found) = header(&line, &said.fixes) {
            (columns, last) = (Some(found), None);
            known = columns.clone();
            continue;
        }
        if line.starts_with("Loop time") || line.starts_with("...") {
            columns = None;
        }
        let Some(shape) = &columns else { continue };
        let listed = line.trim().trim_start_matches("- [").trim_end_matches(']');
        let split = listed.split([',', ' ', '\t']).filter(|field| !field.is_empty());
        let fields: Vec<f64> = split.map_while(|field| field.parse().ok()).collect();
        if fields.len() != shape.names.len() {
            continue;
        }
        let step = fields[shape.step];
        if !(step.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&step)) {
            return Err(at(name, number, "the step is not a whole number"));
        }
        let step = step as u32;
        let of = |place: Option<usize>| place.map(|place| fields[place]);
        let clock = of(shape.clock);
        let gone = last.zip(clock).map(|((_, before), now)| now - before);
        let steps = last.map_or(0, |(before, _)| step.saturating_sub(before));
        let each = of(shape.each).filter(|_| steps > 0).map(|rate| f64::from(steps) / rate);
        let is_first = last.is_none();
        last = Some((step, clock.unwrap_or(0.0)));
        // The first row of a run is the last of the one before, or has spent nothing.
        let again = rows.last().is_some_and(|row: &Row| step <= row.step);
        if again || is_first && (shape.clock.is_some() || shape.each.is_some()) {
            continue;
        }
        rows.push(Row {
            line: number,
            step,
            seconds: gone.or(each),
            after: of(shape.after),
            before: of(shape.before),
            atoms: of(shape.atoms),
        });
    }
    let wrong = |what: &str| Complaint::elsewhere(format!("{name}: {what}"), HELP);
    let Some(columns) = known else {
        return Err(wrong(
            "there is no thermo output with an imbalance of fix balance (f_ID, f_ID[1], f_ID[3])",
        ));
    };
    if columns.clock.is_none() && columns.each.is_none() {
        return Err(wrong(
            "the thermo output has no times: neither `cpu` nor `spcpu` (S/CPU) is printed, so that no cost of a \
             remap in seconds can be weighed",
        ));
    }
    raw.account.recognized_by = "its thermo output with numbers of fix balance".to_owned();
    for (holds, place) in [
        ("step", Some(columns.step)),
        ("seconds", columns.clock.or(columns.each)),
        ("max", columns.before.or(columns.after)),
    ] {
        if let Some(place) = place {
            raw.account.column(holds, &columns.names[place]);
        }
    }
    raw.summary_ranks = said.ranks.filter(|ranks| *ranks >= 2.0).map(|ranks| ranks as u32);
    ratios(&rows, &said, raw).map_err(|(line, what)| match line {
        0 => wrong(&what),
        line => at(name, line, &what),
    })
}

/// By how much mean weights may differ that are taken to stay.
const STAYS: f64 = 0.01;

/// The mean weight of a rank, by rebalances that agree in it.
fn mean_weight(rows: &[Row]) -> Result<f64, String> {
    let pairs = rows.windows(2).map(|pair| (&pair[0], &pair[1]));
    let rebalanced = pairs
        .filter(|(old, new)| old.after != new.after || old.before != new.before)
        .filter_map(|(_, new)| Some(new.atoms? / new.after.filter(|after| *after >= 1.0)?));
    let mut means: Vec<f64> = rebalanced.filter(|mean| mean.is_finite() && *mean > 0.0).collect();
    means.sort_by(f64::total_cmp);
    match means[..] {
        [least, .., most] if most <= least * (1.0 + STAYS) => Ok(means[means.len() / 2]),
        [least, .., most] => Err(format!(
            "`f_ID[1]` is a weight as fix balance has `weight`, and the mean weight does not stay (`f_ID[1]` / `f_ID` right \
             after rebalances is {least} to {most}): balance by atoms, or log the times of the ranks"
        )),
        _ => Err("`f_ID[1]` is a weight as fix balance has `weight`, and fewer than two rebalances tell the mean weight: \
                  balance by atoms, or log the times of the ranks"
            .to_owned()),
    }
}

/// max/mean of each row, and where it was rebalanced.
fn ratios(rows: &[Row], said: &Said, raw: &mut Raw<'_>) -> Result<(), (u64, String)> {
    let Some(shape) = rows.first() else {
        return Err((0, "the thermo output has no rows".to_owned()));
    };
    let pairs = || rows.windows(2).filter(|pair| pair[1].before.or(pair[1].after).is_some());
    let moves = pairs()
        .filter(|pair| pair[0].before != pair[1].before || pair[0].after != pair[1].after)
        .count();
    let is_present = 2 * moves > rows.len();
    raw.knows_remaps = shape.after.is_some() || shape.before.is_some();
    let mut remapped = false;
    let mean_weight = match said.weighted && !is_present {
        true => Some(mean_weight(rows).map_err(|what| (0, what))?),
        false => None,
    };
    if mean_weight.is_some() {
        raw.repairs.push(
            "`f_ID[1]`, the largest weight of a rank, gives the imbalance, with `f_ID[1]` / `f_ID` right after rebalances as \
             the mean weight"
                .to_owned(),
        );
    } else if !is_present {
        raw.repairs.push(
            "`f_ID[1]`, the largest number of atoms on a rank, gives the imbalance: LAMMPS counts it when fix balance \
             checks, and repeats it in between; atoms stand for work"
                .to_owned(),
        );
    }
    for (at, row) in rows.iter().enumerate() {
        let seconds = row.seconds.unwrap_or(0.0);
        let changed =
            at > 0 && (row.before != rows[at - 1].before || row.after != rows[at - 1].after);
        let ratio = match (is_present, row.atoms) {
            (true, _) => row.before.or(row.after).unwrap_or(0.0),
            // The steps up to a rebalance had the imbalance right before it.
            (false, Some(_)) if changed && row.before.is_some_and(|before| before >= 1.0) => {
                row.before.unwrap_or(0.0)
            }
            (false, Some(most)) => {
                if let Some(mean) = mean_weight {
                    // Means that differ a little make it less than 1 right after a rebalance.
                    (most / mean).max(1.0)
                } else {
                    let (Some(ranks), Some(atoms)) = (said.ranks, said.atoms) else {
                        return Err((0, "f_ID[1] is a number of atoms, and the log does not say how many ranks and atoms \
                                    there are (`Loop time of .. on .. procs for .. steps with .. atoms`)".to_owned()));
                    };
                    most * ranks / atoms
                }
            }
            (false, None) => {
                return Err((0, "`f_ID` and `f_ID[3]` stand still between rebalances: they are the imbalance right after \
                                and right before the last one, and say nothing of the present".to_owned()));
            }
        };
        if !(ratio >= 1.0 - 1e-6 && ratio.is_finite() && seconds >= 0.0) {
            return Err((
                row.line,
                format!("an imbalance of {ratio} or a time of {seconds} is impossible"),
            ));
        }
        raw.summary.push((row.step, seconds, seconds / ratio.max(1.0)));
        let refused = |what: String| (row.line, what);
        // A rebalance comes after the steps of the row that tells of it.
        if std::mem::take(&mut remapped) {
            raw.remap(RawRemap { step: row.step, seconds: None }).map_err(refused)?;
        }
        remapped = match is_present {
            true => row
                .before
                .zip(row.after)
                .is_some_and(|(before, after)| after < before * (1.0 - 1e-9)),
            false => changed,
        };
    }
    Ok(())
}
