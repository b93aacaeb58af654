//! Samples of every format of logs: three that its reader takes, and three near misses that it must
//! not take.

mod dialects;
mod printed;
mod tables;
mod tools;

use self::dialects::{dialects, pairs};
use self::printed::{lammps_logs, printed};
use self::tables::{json_lines, tables};
use self::tools::{codes, tools, vt};
use crate::logs::streams::Kept;
use remap::logs::{self, Beginning, How, Trace};

/// A text, and what is right: how it is called with its ranks, steps and remaps, or what the
/// refusal says.
pub struct Sample {
    pub text: String,
    /// What the user says a unit is.
    unit: Option<f64>,
    right: Result<(&'static str, usize, usize, usize), &'static str>,
}

fn read(
    text: impl Into<String>,
    form: &'static str,
    (ranks, steps, remaps): (usize, usize, usize),
) -> Sample {
    Sample { text: text.into(), unit: None, right: Ok((form, ranks, steps, remaps)) }
}

/// Its loads are no times: the user says what one is worth.
fn in_units(unit: f64, sample: Sample) -> Sample {
    Sample { unit: Some(unit), ..sample }
}

fn refused(text: impl Into<String>, says: &'static str) -> Sample {
    Sample { text: text.into(), unit: None, right: Err(says) }
}

/// Lines of the steps, 0 to 49.
fn steps(line: impl Fn(usize) -> String) -> String {
    (0..50).map(line).collect()
}

/// The time of a rank, which grows from every tenth step on.
fn time(step: usize, rank: usize) -> f64 {
    1.0 + 0.01 * ((step % 10) * rank) as f64
}

/// All of them; the corpus has true samples of vt, which are several files each.
pub fn samples() -> Vec<Sample> {
    let nodes = vec![
        refused(vt("LBDatafile", "tasks", 0), "50 steps of 1 rank"),
        refused(vt("LBDatafile", "tasks", 3), "the file of node 0, 1, 2 is missing"),
        refused(vt("LBStatsfile", "tasks", 0), "not \"LBDatafile\""),
    ];
    [tables(), dialects(), pairs(), json_lines(), lammps_logs(), printed(), tools(), codes(), nodes]
        .into_iter()
        .flatten()
        .collect()
}

/// Reads a sample as a file, as users give it.
fn taken(sample: &Sample) -> Result<Trace, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sample.log");
    std::fs::write(&file, &sample.text).unwrap();
    let how = How { unit: sample.unit, ..How::default() };
    let beginning = Beginning { cells: 1 << 20, steps: 1024 };
    logs::follow(&[file], &how, beginning, &mut Kept::default())
        .map_err(|complaint| complaint.to_string())
}

#[test]
fn formats_take_their_samples_and_no_near_misses() {
    let mut wrong = Vec::new();
    for sample in samples() {
        let found = taken(&sample).map(|trace| {
            let record = &trace.record;
            (trace.account.format, record.ranks(), record.steps(), record.remaps().len())
        });
        let is_right = match (&found, &sample.right) {
            (Ok(found), Ok(right)) => found == right,
            (Err(message), Err(says)) => message.contains(says),
            _ => false,
        };
        if !is_right {
            let start: String = sample.text.chars().take(160).collect();
            wrong.push(format!("{found:?}\n  where {:?} is right, of\n{start}\n", sample.right));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A row of a step in several is told by the lines of vLLM and OpenFOAM themselves; weights of
/// LAMMPS give max/mean.
#[test]
fn what_lines_say_of_rows_and_loads_is_read() {
    let find = |form: &str, row: &str| {
        let rows = |trace: &Trace| trace.account.format == form && trace.account.row.contains(row);
        samples().iter().filter_map(|sample| taken(sample).ok()).find(rows).unwrap()
    };
    let eplb = find("EPLB lines of vLLM", "one step in 10");
    // Two models of so many tokens each, ten steps of which stand for one row.
    assert!((eplb.record.row(3)[0] - 2.0 * 103e-6 * 10.0).abs() < 1e-12);
    assert_eq!((eplb.stride, eplb.mean_remap_cost()), (10, Some(1.23)));
    let foam = find("log of OpenFOAM", "one step in 5");
    assert_eq!((foam.stride, foam.record.steps()), (5, 9));
    assert!((foam.record.row(0)[0] - 5.0 * 1.2).abs() < 1e-9);
    for trace in lammps_logs()[..2].iter().map(|sample| taken(sample).unwrap()) {
        let row = trace.record.row(24);
        let ratio = row[0] / (row.iter().sum::<f64>() / row.len() as f64);
        // Row 25 of the log: 250 x 1.1 atoms, or as many weights times 2.5, where the mean is 250
        // of them.
        assert!((ratio - 1.1).abs() < 1e-9, "{ratio}");
    }
}
