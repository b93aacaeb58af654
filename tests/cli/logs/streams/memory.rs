//! Long logs in bounded memory: millions of rows are counted, a billion are fitted.

#![allow(clippy::print_stdout)] // What a child found, and what a long run took.

#[cfg(feature = "parquet")]
use crate::logs::columnar::in_columns;
use crate::support::prelude::*;
use remap::commands::fit::Steps;
use remap::logs::{self, Beginning, How};
use remapping::fit::whole::Whole;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

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

/// What `remap fit -` says of a log that `remap simulate` makes, its largest memory, in KiB, and
/// its seconds.
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
#[ignore = "run by rows_are_counted_in_little_memory"]
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
fn rows_are_counted_in_little_memory() {
    let place = Workplace::new();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/load_drift/four_walks.ron");
    let count = few_or_all(200_000, 500_000);
    let steps = count.to_string();
    let made = ["simulate", model, "--steps", &steps, "--policy", "fixed:40"];
    let made = [&made[..], &["--trace", "run.csv"]].concat();
    let said = place.run(&made).exits(0).out;
    let remaps = count / 40 - 1;
    assert_eq!(said, format!("run.csv: 4 ranks x {steps} steps, {remaps} remaps, seed 1\n"));
    let taken = |name: &str, whole: bool| {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let (_, module) = module_path!().split_once("::").unwrap();
        let test = format!("{module}::takes_in_a_log");
        child.args(["--exact", &test, "--ignored", "--nocapture"]);
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
    assert!(
        most < 60_000 && 2 * all > few_or_all(3, 4) * most,
        "{most} KiB, and {all} KiB as a whole"
    );
    // Half of it in Parquet.
    #[cfg(feature = "parquet")]
    {
        let file = std::fs::File::open(place.path("run.csv")).unwrap();
        let half: Vec<String> =
            BufReader::new(file).lines().take(2 * count + 1).flatten().collect();
        place.write("half.csv", half.join("\n"));
        place.write("half.parquet", in_columns(&half));
        let (found_in_columns, most) = taken("half.parquet", false);
        assert_eq!(found_in_columns, taken("half.csv", false).0);
        assert!(most < 60_000, "{most} KiB");
    }
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
