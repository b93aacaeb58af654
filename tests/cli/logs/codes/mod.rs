//! Logs as other codes write them: vt, WarpX, SWIFT, and lines by an expression. All are made from
//! the same tasks, and are read as the table of their sums.

mod lines;
mod swift;
mod vt;
mod warpx;

use crate::support::prelude::*;
use remap::logs::{self, Trace};
use std::path::Path;

const STEPS: usize = 60;
const TASKS: usize = 8;
const RANKS: usize = 4;

/// Steps before which tasks are moved.
const MOVES: [usize; 2] = [20, 50];

/// Seconds of a task in a step: some grow.
fn seconds(step: usize, task: usize) -> f64 {
    let scramble = ((step * 31 + task * 17) % 101) as f64 / 101.0;
    1.0 + 0.01 * scramble + if task == 5 { 0.03 * step as f64 } else { 0.0 }
}

/// The rank of a task.
fn place(step: usize, task: usize) -> usize {
    let moved = MOVES.iter().filter(|at| **at <= step).count();
    match moved {
        0 => task / 2,
        1 => task % RANKS,
        _ => task.div_ceil(2) % RANKS,
    }
}

fn load(step: usize, rank: usize) -> f64 {
    (0..TASKS).filter(|task| place(step, *task) == rank).map(|task| seconds(step, task)).sum()
}

/// A trace is the table of these steps: loads, and where it was remapped.
fn assert_is(trace: &Trace, steps: usize, remaps: &[usize], what: &str) {
    let record = &trace.record;
    assert_eq!((record.ranks(), record.steps()), (RANKS, steps), "{what}");
    for step in 0..steps {
        for (rank, found) in record.row(step).iter().enumerate() {
            let truth = load(step, rank);
            let close = abs_diff_eq!(*found, truth, epsilon = 1e-6 * truth);
            assert!(close, "{what}: {step} {rank}: {found} {truth}");
        }
    }
    let found: Vec<usize> = record.remaps().iter().map(|remap| remap.before).collect();
    assert_eq!(found, remaps, "{what}");
}

fn read(path: &Path) -> Trace {
    logs::read(path, None).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn refused(path: &Path) -> String {
    logs::read(path, None).expect_err(&path.display().to_string()).to_string()
}

/// Every verb takes every log, and a form can be forced.
#[test]
fn all_verbs_take_logs_of_codes() {
    let place = Workplace::new();
    vt::write(&place, |_, _| {});
    place.write("LBC.txt", warpx::rows(STEPS, 9, " ", &seconds).concat());
    place.write("rank_cpu_balance.log", swift::log(true));
    place.write("run.log", lines::lists());
    for (log, form) in [
        ("vt", &["--format", "vt"][..]),
        ("LBC.txt", &["--format", "warpx"]),
        ("rank_cpu_balance.log", &["--format", "swift"]),
        ("run.log", &["--regex", lines::LISTS]),
    ] {
        let shown = |verb: &[&str], form: &[&str]| {
            place.run(&[verb, &[log, "--remap-cost", "1"], form].concat()).exits(0)
        };
        let by_content = if log == "run.log" { form } else { &[] };
        for forced in [by_content, form] {
            let fitted = shown(&["fit"], forced).out;
            assert!(fitted.contains("4 ranks") || fitted.contains("processors: 4"), "{fitted}");
            let found = shown(&["replay", "--policies", "fixed,never", "--json"], forced).json();
            assert_eq!([&found["ranks"], &found["steps"]], [RANKS, STEPS]);
        }
        let [advice, page] = ["advise", "report"].map(|verb| shown(&[verb], by_content).out);
        let sentence = advice.lines().next().unwrap().replace('&', "&amp;");
        has(&page, &[&format!("<h1>{sentence}</h1>")]);
        if log == "rank_cpu_balance.log" {
            has(&page, &["user CPU times of all threads"]);
        }
    }
    place.remap("fit LBC.txt --format swift").exits(1).says("LBC.txt, line 1: 82 fields");
    place.remap("fit run.log --format vt").exits(1).says("run.log");
    place.run(&["fit", "run.log", "--format", "vt", "--regex", lines::LISTS]).exits(2);
    place.remap("report run.log LBC.txt").exits(1).says("one log alone");
    place.write("model.ron", MODEL);
    place.remap("report model.ron --remap-cost 3").exits(1).says("there is none");
}
