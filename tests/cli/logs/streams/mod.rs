//! Logs that are longer than what is held of them: the same rows and the same counts as of the
//! whole log.

mod memory;
mod rules;

use crate::support::made_logs::Numbers;
use crate::support::prelude::*;
use flate2::{Compression, write::GzEncoder};
use remap::complaint::Complaint;
use remap::logs::{self, Beginning, Follow, How, Trace};
use remapping::record::{Record, Remap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// All that is handed on.
#[derive(Default)]
pub struct Kept {
    beginning: usize,
    seconds: Vec<f64>,
    /// Which of them were filled in, up to the last row that has such times.
    filled: Vec<bool>,
    remaps: Vec<Remap>,
}

impl Follow for Kept {
    fn begin(&mut self, beginning: &Record, _: u64) -> Result<(), Complaint> {
        self.beginning = beginning.steps();
        for step in 0..beginning.steps() {
            self.filled.extend(beginning.filled(step));
            self.seconds.extend(beginning.row(step));
        }
        self.remaps.extend(beginning.remaps());
        Ok(())
    }

    fn filled(&mut self, ranks: &[bool]) {
        self.filled.resize(self.seconds.len(), false);
        self.filled.extend(ranks);
    }

    fn step(&mut self, seconds: &[f64], remap: Option<Remap>) {
        self.seconds.extend(seconds);
        self.remaps.extend(remap);
    }
}

pub const LITTLE: Beginning = Beginning { cells: 2000, steps: 8 };

pub fn followed(paths: &[PathBuf], unit: Option<f64>) -> Result<(Trace, Kept), String> {
    let mut kept = Kept::default();
    let trace = logs::follow(paths, &How { unit, ..How::default() }, LITTLE, &mut kept);
    trace.map(|trace| (trace, kept)).map_err(|complaint| complaint.to_string())
}

/// A log whose times are in these units, as a whole.
pub fn in_units(path: &std::path::Path, unit: f64) -> Trace {
    let all = Beginning { cells: usize::MAX, steps: usize::MAX };
    logs::follow(
        &[path.to_owned()],
        &How { unit: Some(unit), ..How::default() },
        all,
        &mut Kept::default(),
    )
    .unwrap()
}

/// Lines of a long table: three ranks, rows up to so many steps late, some times missing.
fn lines(seed: u64, steps: usize, stride: usize, late: usize) -> Vec<(usize, String)> {
    let mut numbers = Numbers::new(seed);
    let mut rows = Vec::new();
    let lost = numbers.below(steps - 2) + 1;
    for step in (0..steps).filter(|step| *step != lost && *step % 97 != 96) {
        let remapped = step % 50 == 0 || step == lost + 1;
        for rank in [1, 4, 9] {
            let time = match numbers.below(40) {
                0 => "nan".to_owned(),
                1 => continue,
                _ => format!("{}", 1.0 + numbers.uniform()),
            };
            let (mark, cost) = match (remapped, numbers.below(3)) {
                (false, _) => (0, String::new()),
                (true, 0) => (1, String::new()),
                (true, _) => (1, format!("{}", numbers.uniform())),
            };
            let place = step + numbers.below(late.max(1));
            rows.push((place, format!("{},{rank},{time},{mark},{cost}", 7 + stride * step)));
        }
    }
    rows.sort_by_key(|(place, _)| *place);
    rows
}

const HEADER: &str = "step,rank,seconds,remapped,remap_seconds\n";

fn written(rows: &[(usize, String)]) -> String {
    rows.iter().fold(HEADER.to_owned(), |text, (_, row)| text + row + "\n")
}

#[track_caller]
pub fn assert_same(paths: &[PathBuf], whole: &Trace, unit: Option<f64>) {
    let (trace, mut kept) = followed(paths, unit).unwrap();
    if !kept.filled.is_empty() {
        kept.filled.resize(kept.seconds.len(), false);
    }
    assert!(trace.after.steps > 0 && kept.beginning < whole.record.steps(), "it is not long");
    let record = Record::new(whole.record.ranks(), kept.seconds, kept.remaps).unwrap();
    let record = record.with_filled(kept.filled);
    assert!(record == whole.record, "{paths:?}");
    assert_eq!((trace.steps(), trace.remaps()), (record.steps(), record.remaps().len()));
    assert_eq!(trace.mean_remap_cost(), record.mean_remap_cost());
    assert_eq!((trace.stride, trace.knows_remaps), (whole.stride, whole.knows_remaps));
    assert_eq!((&trace.repairs, trace.unit_seconds), (&whole.repairs, whole.unit_seconds));
}

#[test]
fn what_is_followed_is_what_is_read() {
    let place = Workplace::new();
    for seed in some(20, 0..40) {
        let (stride, late) = ([1, 1, 5][seed % 3], [0, 3, 120][seed / 2 % 3]);
        let rows = lines(seed as u64, 1200 + 10 * seed, stride, late);
        let text = written(&rows);
        place.write("run.csv", &text);
        let whole = logs::read(&place.path("run.csv"), None).unwrap();
        assert_same(&[place.path("run.csv")], &whole, None);
        // In parts, the second of them packed.
        let cut = rows.len() / 3;
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(written(&rows[cut..2 * cut]).as_bytes()).unwrap();
        place.write("a.csv", written(&rows[..cut]));
        place.write("b.csv.gz", packed.finish().unwrap());
        place.write("c.csv", written(&rows[2 * cut..]));
        let parts = ["a.csv", "b.csv.gz", "c.csv"].map(|name| place.path(name));
        assert_same(&parts, &whole, None);
        // Quotes here and there change nothing, nor do blanks, comments and the ends of lines.
        let at = text.len() * 2 / 3;
        let at = at + text[at..].find('\n').unwrap() + 1;
        let quoted = text[at..].replace(",nan,", ",\"nan\",").replace('\n', "\r\n");
        place.write("quoted.csv", format!("{}# so far\n\n \t\n{quoted}", &text[..at]));
        assert_same(&[place.path("quoted.csv")], &whole, None);
    }
}

/// A number as people and programs write them.
fn spelled(numbers: &mut Numbers) -> String {
    let digits = |numbers: &mut Numbers, most: usize| -> String {
        (0..=numbers.below(most)).map(|_| char::from(b'0' + numbers.below(10) as u8)).collect()
    };
    let value = 1.0 + numbers.uniform();
    match numbers.below(10) {
        0 => format!("{value}"),
        1 => format!("{value:e}"),
        2 => format!("{}", numbers.uniform() * 1e-7),
        3 => format!("{}.{}", digits(numbers, 3), digits(numbers, 19)),
        4 => format!("{}.", digits(numbers, 19)),
        5 => format!("{}E{}", digits(numbers, 4), numbers.below(30)),
        6 => format!("{}.{}e-{}", digits(numbers, 2), digits(numbers, 17), numbers.below(330)),
        7 => format!("{}", numbers.below(100)),
        8 => format!(".{}", digits(numbers, 5)),
        _ => format!("{value:.4}"),
    }
}

/// Plain lines are taken apart by themselves, and lines with blanks by a reader that takes
/// anything.
#[test]
fn plain_lines_are_read_as_any_others() {
    let place = Workplace::new();
    let mut numbers = Numbers::new(21);
    let headers = [
        "step,rank,seconds,remapped,remap_seconds",
        "rank;time_ms;host;remap_cost;step;lb",
        "rank_0\trank_3\tremapped\trank_7",
        "iteration,remap_cost,rank_1_us,node,rank_2_us,rank_0_us",
    ];
    for case in 0..120 {
        let header = headers[case % 4];
        let delimiter = [",", ";", "\t", ","][case % 4];
        let wrong = (case % 3 == 0).then(|| numbers.below(300));
        let mut rows = Vec::new();
        let mut row = |step: usize, rank: usize, wide: bool| {
            let names = header.split(delimiter);
            let cell = |name: &str| match name {
                "step" | "iteration" => format!("{}{step}", ["", "0", ""][numbers.below(3)]),
                "rank" if !wide => rank.to_string(),
                "remapped" | "lb" => ["", "0", "0", "1", "false"][numbers.below(5)].to_owned(),
                "remap_seconds" | "remap_cost" => match numbers.below(3) {
                    0 => spelled(&mut numbers),
                    _ => String::new(),
                },
                "host" | "node" => ["n1", "#", "", "n 2"][numbers.below(4)].to_owned(),
                _ if wrong == Some(rows.len()) => {
                    ["-1", "1,5", "x", "1e", "inf", "1e101", "1.2.3", "--"][numbers.below(8)].into()
                }
                _ if numbers.below(50) == 0 => ["", "nan", "-"][numbers.below(3)].to_owned(),
                _ => spelled(&mut numbers),
            };
            let mut cells: Vec<String> = names.map(cell).collect();
            // What begins so is a comment.
            if cells[0] == "#" {
                cells[0].clear();
            }
            rows.push(cells);
        };
        for step in 0..150 {
            match case % 4 {
                0 | 1 => (0..3).for_each(|rank| row(step, rank, false)),
                _ => row(step, 0, true),
            }
        }
        let text = |between: &str, end: &str| {
            let lines: String = rows.iter().map(|cells| cells.join(between) + end).collect();
            format!("{header}\n{lines}")
        };
        place.write("plain.csv", text(delimiter, "\n"));
        place.write("ended.csv", text(delimiter, "\r\n").strip_suffix("\r\n").unwrap());
        place.write("blanks.csv", text(&format!(" {delimiter} "), " \n"));
        let read = |name: &str| {
            let found = logs::read(&place.path(name), None);
            found
                .map(|found| (found.record, found.repairs, found.knows_remaps))
                .map_err(|error| error.to_string().rsplit('/').next().unwrap().replace(name, ""))
        };
        let expected = read("blanks.csv");
        let fails = wrong.is_some_and(|at| at < rows.len());
        assert_eq!(expected.is_err(), fails, "case {case}: {expected:?}");
        for name in ["plain.csv", "ended.csv"] {
            assert!(read(name) == expected, "case {case}: {:?} {:?}", read(name), expected);
        }
    }
}

/// The line of names is longer than what is looked at to tell the form of a file.
#[test]
fn tables_of_many_ranks_are_read() {
    let place = Workplace::new();
    let ranks = 9000;
    let names: Vec<String> = (0..ranks).map(|rank| format!("rank_{rank}")).collect();
    let mut text = format!("# {}\n\n{}\n", "a comment ".repeat(9000), names.join(","));
    for step in 0..5 {
        let row: Vec<String> = (0..ranks).map(|rank| (1 + (step + rank) % 7).to_string()).collect();
        let _ = writeln!(text, "{}", row.join(","));
    }
    place.write("run.csv", text);
    let record = logs::read(&place.path("run.csv"), None).unwrap().record;
    assert_eq!((record.ranks(), record.steps()), (ranks, 5));
    let right = |step: usize| {
        (0..ranks).all(|rank| record.row(step)[rank] == (1 + (step + rank) % 7) as f64)
    };
    assert!((0..5).all(right));
}

#[test]
fn other_forms_and_units_are_followed_too() {
    let place = Workplace::new();
    let (mut wide, mut lists) = (String::from("rank_0_ms,rank_1_ms,remapped\n"), String::new());
    let mut numbers = Numbers::new(5);
    for step in 0..1500 {
        let (a, b) = (1.0 + numbers.uniform(), 2.0 + numbers.uniform());
        let _ = writeln!(wide, "{a},{b},{}", u8::from(step % 100 == 99));
        let _ = writeln!(lists, "{{\"seconds\": [{a}, {b}], \"remapped\": {}}}", step % 100 == 99);
    }
    place.write("wide.csv", &wide);
    place.write("lists.jsonl", &lists);
    for name in ["wide.csv", "lists.jsonl"] {
        let whole = logs::read(&place.path(name), None).unwrap();
        assert_same(&[place.path(name)], &whole, None);
        let whole = in_units(&place.path(name), 1e-6);
        assert_same(&[place.path(name)], &whole, Some(1e-6));
    }
    // Rows without a step go on being counted in the next file.
    let cut = wide.match_indices('\n').nth(700).unwrap().0 + 1;
    place.write("a.csv", &wide[..cut]);
    place.write("b.csv", format!("rank_0_ms,rank_1_ms,remapped\n{}", &wide[cut..]));
    let whole = logs::read(&place.path("wide.csv"), None).unwrap();
    assert_same(&[place.path("a.csv"), place.path("b.csv")], &whole, None);
    place.write("b.csv", format!("rank_0_s,rank_1_s,remapped\n{}", &wide[cut..]));
    let error = followed(&[place.path("a.csv"), place.path("b.csv")], None).err().unwrap();
    assert!(error.contains("another unit"), "{error}");
    // Rank by rank: all of it is held.
    let mut columns = String::from("step,rank,seconds\n");
    for rank in 0..4 {
        (0..1000).for_each(|step| _ = writeln!(columns, "{step},{rank},{}", 1 + rank));
    }
    place.write("columns.csv", columns);
    let (trace, kept) = followed(&[place.path("columns.csv")], None).unwrap();
    assert_eq!((trace.record.steps(), trace.after.steps, kept.seconds.len()), (1000, 0, 0));
}

#[test]
fn what_does_not_fit_into_the_window_is_named() {
    let place = Workplace::new();
    let run = |change: &dyn Fn(usize) -> Option<usize>, extra: &str| {
        let mut text = String::from(HEADER);
        for step in (0..1500).filter_map(change) {
            let _ = writeln!(text, "{step},0,1.5,0,\n{step},1,2,0,");
        }
        place.write("run.csv", text + extra);
        followed(&[place.path("run.csv")], None).err().unwrap_or_default()
    };
    let all = |step: usize| Some(step);
    for (extra, words) in [
        ("700,0,1,0,\n", "line 3002: step 700 stands after step 1499"),
        ("1499,1,1,0,\n", "line 3002: two times of rank 1 at step 1499"),
        ("1500,7,1,0,\n", "line 3002: rank 7 appears first at step 1500"),
        ("1500,0,x,0,\n", "line 3002: seconds: \"x\" is not a number"),
        ("2500,0,1,0,\n", "line 3002: after step 1499 comes step 2500"),
    ] {
        let error = run(&all, extra);
        assert!(error.contains("run.csv") && error.contains(words), "{error}");
    }
    let error = run(&|step| Some(step * 2), "3001,0,1,0,\n");
    assert!(error.contains("step 3001 is none of 0, 2, 4"), "{error}");
    // A tenth of all may be missing, in gaps of 256.
    let error = run(&|step| (step < 1000 || step % 4 > 0).then_some(step), "");
    assert_eq!(error, "");
    let error = run(&|step| (step < 1000 || step % 2 > 0).then_some(step), "");
    assert!(error.contains("250 of the 1500 steps 0..=1499 are missing"), "{error}");
}
