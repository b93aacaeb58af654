//! Logs that are longer than what is held of them: the same rows, the same counts, in bounded memory.

#![allow(clippy::print_stdout)] // What a child found, and what a long run took.

use crate::logs::columnar::in_columns;
use crate::support::made_logs::{DRIFTING, Made, Numbers};
use crate::support::workplace::{Json, Outcome, Workplace};
use approx::abs_diff_eq;
use flate2::{Compression, write::GzEncoder};
use remap::commands::fit::Steps;
use remap::complaint::Complaint;
use remap::logs::{self, Beginning, Follow, How, Trace};
use remap::replaying::contest::{contestants, table};
use remap::replaying::later;
use remap::replaying::long::{Asked, Long};
use remap::replaying::{Ground, Outset};
use remapping::fit::whole::Whole;
use remapping::overlap::Overlap;
use remapping::policy::Rule;
use remapping::record::{Record, Remap};
use remapping::replay::{play, recorded};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
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
    for seed in 0..40 {
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

/// Plain lines are taken apart by themselves, and lines with blanks by a reader that takes anything.
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

/// The largest memory of a child so far, in KiB.
#[cfg(target_os = "linux")]
fn peak(child: &std::process::Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Seconds of the processor that a child has had.
#[cfg(target_os = "linux")]
fn spent(child: &std::process::Child) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// What `remap fit -` says of a log that `remap simulate` makes, its largest memory, in KiB, and its seconds.
#[cfg(target_os = "linux")]
fn simulated_and_fitted(model: &str, steps: u64) -> (Outcome, u64, f64) {
    use std::process::{Command, Stdio};
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    let remap = env!("CARGO_BIN_EXE_remap");
    let steps = steps.to_string();
    let mut made = Command::new(remap)
        .args(["simulate", &format!("{models}/{model}"), "--steps", &steps])
        .args(["--policy", "fixed:40"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut fitted = Command::new(remap)
        .args(["fit", "-", "--json", "--model", "load-drift"])
        .stdin(made.stdout.take().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut most, mut seconds) = (0, 0.0);
    while fitted.try_wait().unwrap().is_none() {
        most = peak(&fitted).unwrap_or(0).max(most);
        seconds = spent(&fitted).unwrap_or(0.0).max(seconds);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(made.wait().unwrap().success());
    let output = fitted.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap_or(-1);
    let found = Outcome { code, out: text(output.stdout), err: text(output.stderr) };
    (found.exits(0), most, seconds)
}

/// Moves down, none and up of ranks between the ends of their levels, counted line by line.
fn counted(text: impl BufRead, ranks: usize, lowest: i64, highest: i64) -> [u64; 3] {
    let (mut last, mut counts) = (vec![0; ranks], [0; 3]);
    for line in text.lines().skip(1) {
        let line = line.unwrap();
        let fields: Vec<&str> = line.split(',').collect();
        let (rank, level) = (fields[1].parse::<usize>().unwrap(), fields[2].parse().unwrap());
        let before: i64 = std::mem::replace(&mut last[rank], level);
        if fields[0] != "0" && fields[3] == "0" && (lowest + 1..highest).contains(&before) {
            counts[((level - before).signum() + 1) as usize] += 1;
        }
    }
    counts
}

fn parameter(found: &Value, name: &str) -> f64 {
    let parameters = found["models"][0]["parameters"].list();
    let one = parameters.iter().find(|one| one["name"] == name);
    one.unwrap_or_else(|| panic!("{name} in {parameters:?}"))["value"].f64()
}

/// Takes in the log that the environment names, as a whole or as it comes, in a process of its own.
#[test]
#[cfg(target_os = "linux")]
#[ignore = "run by two_million_rows_are_counted_in_little_memory"]
fn takes_in_a_log() {
    let Some(path) = std::env::var_os("REMAP_LOG").map(PathBuf::from) else { return };
    let whole = if std::env::var_os("REMAP_WHOLE").is_some() {
        Whole::of(&logs::read(&path, None).unwrap().record)
    } else {
        let mut steps = Steps::default();
        let beginning = Beginning { cells: 1 << 18, steps: 1024 };
        logs::follow(&[path], &How::default(), beginning, &mut steps).unwrap();
        steps.0.unwrap().whole()
    };
    let (moves, increments) = (whole.moves.unwrap(), whole.increments.unwrap());
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("found {} {:?} {:?} {:?}", whole.steps, moves.counts, whole.growth, increments.drifts);
    println!("peak {}", peak.trim());
}

#[test]
#[cfg(target_os = "linux")]
fn two_million_rows_are_counted_in_little_memory() {
    let place = Workplace::new();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/load_drift/four_walks.ron");
    let made = ["simulate", model, "--steps", "500000", "--policy", "fixed:40"];
    let made = [&made[..], &["--trace", "run.csv"]].concat();
    let said = place.run(&made).exits(0).out;
    assert_eq!(said, "run.csv: 4 ranks x 500000 steps, 12499 remaps, seed 1\n");
    let taken = |name: &str, whole: bool| {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "streams::takes_in_a_log", "--ignored", "--nocapture"]);
        child.env("REMAP_LOG", place.path(name));
        if whole {
            child.env("REMAP_WHOLE", "1");
        }
        let text = String::from_utf8(child.output().unwrap().stdout).unwrap();
        let line = |start: &str| {
            let line = text.lines().find_map(|line| line.split_once(start));
            line.unwrap_or_else(|| panic!("{text}")).1.to_owned()
        };
        let peak = line("peak ");
        (line("found "), peak.split(' ').next().unwrap().parse::<u64>().unwrap())
    };
    let ((found, most), (known, all)) = (taken("run.csv", false), taken("run.csv", true));
    assert_eq!(found, known);
    assert!(most < 60_000 && all > 2 * most, "{most} KiB, and {all} KiB as a whole");
    // Half of it in Parquet.
    let file = std::fs::File::open(place.path("run.csv")).unwrap();
    let half: Vec<String> = BufReader::new(file).lines().take(1_000_001).flatten().collect();
    place.write("half.csv", half.join("\n"));
    place.write("half.parquet", in_columns(&half));
    let (found_in_columns, most) = taken("half.parquet", false);
    assert_eq!(found_in_columns, taken("half.csv", false).0);
    assert!(most < 60_000, "{most} KiB");
    // By hand: moves from the levels between the ends.
    let file = std::fs::File::open(place.path("run.csv")).unwrap();
    let [down, stay, up] = counted(BufReader::new(file), 4, 1, 12);
    let rows = found.split_once("[[").unwrap().1.split_once("]]").unwrap().0;
    let rows: Vec<Vec<u64>> = rows
        .split("], [")
        .map(|row| row.split(", ").map(|count| count.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 12);
    let sum = |side: usize| rows[1..11].iter().map(|row| row[side]).sum::<u64>();
    assert_eq!([sum(0), sum(1), sum(2)], [down, stay, up]);
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "minutes: cargo test --release --test cli a_billion_rows -- --ignored --nocapture"]
fn a_billion_rows_are_fitted_in_300_megabytes() {
    const STEPS: u64 = 250_000_000;
    let begun = std::time::Instant::now();
    let (found, most, seconds) = simulated_and_fitted("load_drift/four_walks.ron", STEPS);
    let wall = begun.elapsed().as_secs_f64();
    let rows = 4.0 * STEPS as f64;
    println!(
        "{rows:.0} rows: {:.1} million a second of the processor, {wall:.0} s, {most} KiB",
        rows / seconds / 1e6
    );
    let found = found.json();
    assert_eq!(found["steps"], STEPS);
    assert!(most < 300_000, "{most} KiB");
    // The model that the log was made by.
    let near =
        |name: &str, value: f64| abs_diff_eq!(parameter(&found, name), value, epsilon = 1e-4);
    assert!(near("up", 0.2) && near("down", 0.25));
}

#[test]
fn rules_pay_on_a_long_log_what_they_pay_in_memory() {
    let place = Workplace::new();
    let made = Made { ranks: 3, steps: 2500, every: 60, walk: 0.01, ..DRIFTING };
    place.write("run.csv", made.csv());
    let paths = [place.path("run.csv")];
    let whole = logs::read(&paths[0], None).unwrap();
    let (record, steps) = (&whole.record, whole.record.steps());
    let names = ["advised", "fixed", "threshold", "never", "menon", "fixed:9", "interval"];
    let names = names.map(str::to_owned);
    for overlap in [Overlap::NONE, Overlap { steps: 3, slowdown: 0.05 }] {
        for from in [Outset::Balance, Outset::Actual] {
            let mut long = Long::new(asked(&names, overlap, from, None));
            let trace = logs::follow(&paths, &How::default(), LITTLE, &mut long).unwrap();
            assert_eq!(trace.steps(), steps);
            let played = long.played(true).unwrap();
            let end = played.training.end;
            assert!(end < 1000 && played.training.start == 0);
            let ground = Ground {
                record,
                remap_cost: 0.8,
                overlap,
                training: 0..end,
                seed: 1,
                from,
                end_known: false,
            };
            let known = contestants(&ground, &names, None, &mut Vec::new()).unwrap();
            let found = &played.judged;
            for ((contestant, course), line) in known.iter().zip(&found.courses).zip(&found.lines) {
                let mut run = ground.run(contestant, u64::MAX);
                let alone = play(record, end..steps, ground.base(), ground.price(), &mut run);
                assert_eq!(course.tally, alone.tally, "{} {overlap:?} {from:?}", contestant.name);
                let sum: f64 = course.costs.iter().sum();
                assert!(
                    abs_diff_eq!(sum, line.cost, epsilon = 1e-9 * sum) && line.regret.is_none()
                );
            }
            let run = recorded(record, end..steps, 0.8);
            assert_eq!(found.courses[names.len()].tally, run.tally);
            let best = found.best_in_use.clone();
            let rule: Rule = best.0.parse().unwrap();
            let mut rule = rule.start(ground.remap_cost);
            if overlap == Overlap::NONE && from == Outset::Balance {
                let alone = play(record, end..steps, ground.base(), 0.8, rule.as_mut());
                assert_eq!(best.1, alone.tally.value);
            }
            assert!(found.clairvoyant.is_none());
            assert!(table(found, None).contains("not known of a log this long"));
        }
    }
    let refused = |names: &[&str], option| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut long = Long::new(asked(&names, Overlap::NONE, Outset::Balance, option));
        let error = logs::follow(&paths, &How::default(), LITTLE, &mut long).unwrap_err();
        error.to_string()
    };
    for (error, words) in [
        (refused(&["adaptive"], None), "adaptive plans for the steps that are left"),
        (refused(&[], Some("--what-if")), "--what-if needs them all"),
        (refused(&["nonsense"], None), "nonsense"),
    ] {
        assert!(error.contains(words), "{error}");
    }
}

/// By hand: what the run as it was cost after the beginning, and what a rule would have.
#[test]
fn what_is_chosen_on_a_beginning_is_valued_on_the_steps_after_it() {
    let place = Workplace::new();
    let made = Made { ranks: 3, steps: 2500, every: 60, walk: 0.01, ..DRIFTING };
    place.write("run.csv", made.csv());
    let paths = [place.path("run.csv")];
    let names = ["threshold:0.08", "advised"].map(str::to_owned);
    let asked = || asked(&names, Overlap::NONE, Outset::Actual, None);
    let later = later::later(&paths, &How::default(), LITTLE, asked(), true).unwrap().unwrap();
    let whole = logs::read(&paths[0], None).unwrap().record;
    let first = later.steps.start;
    assert!(first < 1100 && later.steps.end == 2500 && later.training.end == first);
    let remaps = whole.remaps().iter().filter(|remap| remap.before >= first).count();
    let cost = (first..2500).map(|step| whole.imbalance(step)).sum::<f64>() + 0.8 * remaps as f64;
    let lines = &later.judged.lines;
    assert!((lines[2].cost - cost).abs() < 1e-9 * cost && lines[2].policy == "recorded");
    let time = |step: usize| whole.row(step).iter().copied().fold(0.0, f64::max);
    let time = (first..2500).map(time).sum::<f64>() + 0.8 * remaps as f64;
    let saved = 100.0 * (cost - lines[0].cost) / time;
    let document = serde_json::to_value(later.document(&names[0])).unwrap();
    let percent = document["saves"]["percent"].f64();
    assert!((percent - saved).abs() < 1e-9, "{percent} {saved}");
    assert_eq!(
        (&document["judged_from"], &document["judged"]),
        (&first.into(), &(2500 - first).into())
    );
    let said =
        format!("on all {} steps after these, {first}..=2499, threshold:0.08 saves", 2500 - first);
    assert!(later.sentence(&names[0]).starts_with(&said), "{}", later.sentence(&names[0]));
    // What is held as a whole has nothing after it, and a pipe is read once.
    let all = Beginning { cells: 1 << 18, steps: 1024 };
    assert!(later::later(&paths, &How::default(), all, asked(), true).unwrap().is_none());
    assert!(later::is_readable_again(&paths) && !later::is_readable_again(&["-".into()]));
}

fn asked(
    names: &[String],
    overlap: Overlap,
    from: Outset,
    needs_all: Option<&'static str>,
) -> Asked {
    Asked {
        name: "run.csv".to_owned(),
        names: names.to_vec(),
        remap_cost: Some(0.8),
        overlap,
        from,
        seed: 1,
        solution: Box::new(|_| Ok(None)),
        needs_all,
    }
}
