//! Things that go wrong around a program: full disks, closed pipes, rivals, kills. (Ctrl-C is in
//! `interrupts`, read-only folders and links are in `files`, checkpoints in `load_drift` and
//! `fuzz`.)
#![cfg(unix)]

use crate::support::prelude::*;
use crate::support::workplace::{ended, moments, start, words};
use std::process::Command;
use std::time::Instant;

/// Saves its state when it is stopped; takes days.
const DRIFT: &str = "Model(title: \"x\", problem: LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 19, \
     up: 0.25, down: 0.25, edge: Hold), initial_load: 10, steps: 100000000, remap_cost: 8))";

/// Runs `remap` where no file may grow beyond `blocks` of 512 (or 1024) bytes, or a signal ends the
/// program: a full disk that kills.
fn on_a_full_disk(workplace: &Workplace, blocks: u32, arguments: &str) -> Outcome {
    let script = format!("ulimit -f {blocks}; exec \"$0\" {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_remap")]).current_dir(workplace.root());
    command.env("XDG_CACHE_HOME", workplace.root().join("cache"));
    Outcome::of(command.output().unwrap())
}

#[test]
fn a_full_disk_costs_no_result_and_leaves_no_half_file() {
    let workplace = Workplace::with_model();
    std::fs::create_dir(workplace.path("out")).unwrap();
    for blocks in [0, 1] {
        let full = on_a_full_disk(&workplace, blocks, "solve model.ron --json --out out").exits(1);
        has(&full.err, &["cannot write out/model.json", "help:"]);
        // The result has been shown all the same.
        assert_eq!(full.json()["status"], "converged");
        assert_eq!(workplace.names_in("out").len(), 0);
        let full = on_a_full_disk(&workplace, blocks, "solve model.ron --plot curve.svg").exits(1);
        full.says("cannot write curve.svg");
        assert_eq!(workplace.names(), ["model.ron", "out"]);
    }
}

#[test]
fn a_full_disk_keeps_what_was_there() {
    let workplace = Workplace::with_model();
    workplace.remap("solve model.ron --out out").exits(0);
    let before = workplace.read("out/model.json");
    on_a_full_disk(&workplace, 1, "solve model.ron --out out --force").exits(1);
    assert_eq!(workplace.read("out/model.json"), before);
    assert_eq!(workplace.names_in("out").len(), 1);
}

#[test]
fn a_checkpoint_that_cannot_be_saved_is_told() {
    let workplace = Workplace::of(DRIFT.replace("100000000", "100000"));
    let full = on_a_full_disk(&workplace, 0, "solve model.ron --json --time-limit 0.3").exits(3);
    let solution = full.says("not saved").json();
    assert_eq!(solution["status"], "time_limit");
    has(solution["warnings"][0].text(), &["not saved"]);
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let workplace = Workplace::with_model();
    workplace.write("large.ron", MODEL.replace("40", "100000"));
    for command in [
        "solve model.ron",
        "solve model.ron --json --values",
        "solve model.ron --out out",
        "solve large.ron --json",
        "verify model.ron --cases 2",
        "check model.ron",
        "compare model.ron --runs 10",
        "sweep model.ron --set problem.remap.test=1:3:1",
        "man",
    ] {
        let mut child = start(&workplace, command);
        drop(child.stdout.take());
        let err = ended(child).exits(0).err;
        assert!(!err.contains("standard output"), "{command}: {err}");
        assert!(err.is_empty() || !["man", "solve large.ron --json"].contains(&command), "{err}");
    }
    // The file is written nevertheless.
    assert!(workplace.read("out/model.json").ends_with("}\n"));
}

#[test]
fn a_link_in_the_way_is_not_followed() {
    let workplace = Workplace::with_model();
    std::fs::create_dir(workplace.path("out")).unwrap();
    workplace.write("mine.json", "mine");
    std::os::unix::fs::symlink("../mine.json", workplace.path("out/model.json")).unwrap();
    for force in ["", "--force"] {
        let outcome = workplace.remap(format!("solve model.ron --out out {force}")).exits(1);
        assert_eq!(outcome.says("is a symbolic link").out, "");
    }
    assert_eq!(workplace.read("mine.json"), "mine");
    // Nor one that stands where the computation is to be saved.
    workplace.write("long.ron", DRIFT);
    std::os::unix::fs::symlink("../mine.json", workplace.path("out/long.checkpoint")).unwrap();
    workplace.remap("solve long.ron --out out --time-limit 0.2 --force").exits(3).says("not saved");
    assert_eq!(workplace.read("mine.json"), "mine");
}

#[test]
fn nothing_is_written_outside_the_folder() {
    let workplace = Workplace::new();
    std::fs::create_dir_all(workplace.path("a/b")).unwrap();
    for name in ["a/model.ron", "a/...ron", "a/..ron", "a/.ron"] {
        workplace.write(name, MODEL);
    }
    let models = ["../model.ron", "../...ron", "../..ron", "../.ron"];
    let mut command = workplace.command();
    command.current_dir(workplace.path("a/b"));
    let output = command.arg("solve").args(models).args(["--out", "out"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(workplace.names(), ["a"]);
    assert_eq!(workplace.names_in("a"), ["...ron", "..ron", ".ron", "b", "model.ron"]);
    assert_eq!(workplace.names_in("a/b"), ["out"]);
    assert_eq!(workplace.names_in("a/b/out").len(), 4);
}

#[test]
fn of_two_rivals_for_a_file_one_wins_and_both_are_whole() {
    let workplace = Workplace::with_model();
    for round in 0..6 {
        let out = format!("out{round}");
        let solve = format!("solve model.ron --out {out}");
        let ends = [0; 4].map(|_| start(&workplace, &solve)).map(ended);
        let codes = ends.each_ref().map(|end| end.code);
        assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
        for end in ends.into_iter().filter(|end| end.code != 0) {
            end.exits(1).says("exists");
        }
        workplace.document(&format!("{out}/model.json"));
        assert_eq!(workplace.names_in(&out).len(), 1);
    }
    let forced = [0; 4].map(|_| start(&workplace, "solve model.ron --out out0 --force"));
    for end in forced.map(ended) {
        end.exits(0);
    }
    let _ = workplace.document("out0/model.json");
}

/// Killed while it writes: the file is absent, or whole; what was there stays.
#[test]
fn a_kill_leaves_no_half_file() {
    let workplace = Workplace::new();
    // Half a megabyte of thresholds and a plot.
    workplace.write("model.ron", MODEL.replace("Fixed(40)", "Uniform(first: 0, last: 4000)"));
    let solve = "solve model.ron --out out --plot curve.svg --force";
    workplace.remap(solve).exits(0);
    let before = timeless(workplace.document("out/model.json"));
    let started = Instant::now();
    workplace.remap(solve).exits(0);
    let usual = started.elapsed().as_millis() as u64;
    for moment in moments(20, usual + usual / 4) {
        let mut child = start(&workplace, solve);
        std::thread::sleep(moment);
        // It may have ended before.
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(timeless(workplace.document("out/model.json")), before);
        let plot = workplace.read("curve.svg");
        assert!(plot.starts_with("<svg") && plot.trim_end().ends_with("</svg>"));
    }
    // What a kill left behind is in nobody's way.
    workplace.remap(solve).exits(0);
}

/// A saved computation is whole whenever its program is killed, and others may work on it
/// meanwhile.
#[test]
fn kills_and_rivals_leave_a_whole_checkpoint() {
    let workplace = Workplace::new();
    let text = DRIFT.replace("100000000", "1000");
    workplace.write("model.ron", &text);
    let whole = timeless(workplace.answer("solve model.ron --out out --force"));
    let limited = "solve model.ron --json --out rivals --time-limit 0.2";
    for moment in some(2, moments(12, 500)) {
        let mut rivals = [0; 2].map(|_| start(&workplace, limited));
        std::thread::sleep(moment);
        for rival in &mut rivals {
            // It may have ended before.
            let _ = rival.kill();
            rival.wait().unwrap();
        }
        let _ = std::fs::remove_file(workplace.path("rivals/model.json"));
    }
    assert_eq!(timeless(workplace.answer("solve model.ron --out rivals")), whole);
}

/// Every option that names a file keeps a link, a folder and what is there, and leaves no half
/// file.
#[test]
fn no_command_writes_over_or_by_halves() {
    let workplace = Workplace::with_model();
    workplace.write("drift.ron", DRIFT.replace("100000000", "400"));
    workplace.remap("simulate drift.ron --policy fixed:9 --trace run.csv").exits(0);
    workplace.solved("model.ron");
    workplace.write("mine", "mine");
    for (command, kind) in [
        ("solve model.ron --plot", "svg"),
        ("solve model.ron --certificate", "proof"),
        ("compare model.ron --runs 5 --plot", "svg"),
        ("regret model.ron --set problem.hazard=0.04,0.05 --plot", "svg"),
        ("study models/studies/figure_3.ron --plot", "svg"),
        ("simulate drift.ron --trace", "csv"),
        ("fit run.csv --remap-cost 8 -o", "ron"),
        ("report model.ron -o", "html"),
        ("export solution.json --to c -o", "h"),
    ] {
        let name = format!("out.{kind}");
        let refused = |more: &str| workplace.remap(format!("{command} {name} {more}")).exits(1);
        let path = workplace.path(&name);
        for target in ["mine", "absent"] {
            std::os::unix::fs::symlink(target, &path).unwrap();
            for force in ["", "--force"] {
                refused(force).says("symbolic link");
            }
            std::fs::remove_file(&path).unwrap();
        }
        std::fs::create_dir(&path).unwrap();
        for force in ["", "--force"] {
            refused(force).says("is a directory");
        }
        std::fs::remove_dir(&path).unwrap();
        workplace.write(&name, "kept");
        refused("");
        let forced = words(&format!("{command} {name} --force")).join(" ");
        on_a_full_disk(&workplace, 0, &forced).exits(1);
        assert_eq!(workplace.read(&name), "kept", "{command}");
        std::fs::remove_file(&path).unwrap();
        workplace.remap(format!("{command} nowhere/out.svg")).exits(1).says("nowhere");
    }
    let there = ["drift.ron", "mine", "model.ron", "run.csv", "solution.json"];
    assert_eq!(workplace.names(), there);
    assert_eq!(workplace.read("mine"), "mine");
}

/// What a machine lacks is no fault of the input: bounds that need no states, and the exit code of
/// a limit.
#[test]
fn more_memory_than_there_is_leaves_bounds() {
    let workplace = Workplace::new();
    let walk = |levels: usize, edge: &str| {
        format!("Walk(levels: {levels}, up: 0.25, down: 0.25, edge: {edge})")
    };
    let equal = |count: usize, levels: usize| {
        format!("Identical(count: {count}, chain: {})", walk(levels, "Reflect"))
    };
    let three = [walk(9000, "Reflect"), walk(8000, "Reflect"), walk(7000, "Hold")].join(", ");
    let stopping =
        |processes: String, rest: &str| format!("Stopping(processes: {processes}, {rest})");
    let moved = "remap_cost: (fixed: 4, per_unit_moved: 0.5), after_remap";
    let drift = "LoadDrift(processors: 12, chain: Walk(lowest: 1, levels: 300, up: 0.25, down: 0.25, \
                 edge: Hold), initial_load: 10, steps: 400, remap_cost: 8)";
    let units = drift.replace("remap_cost: 8", "remap_cost: (fixed: 8, per_unit_moved: 0.5)");
    // Where bounds stand, and what they are to have between them.
    let wide = stopping(equal(4, 3000), "remap_cost: 1, after_remap: Uniform");
    let twenty = |rest: &str| stopping(equal(20, 30), rest);
    let apart = stopping(format!("Distinct([{three}])"), "remap_cost: 1, after_remap: Restart");
    let partial = twenty(&format!("{moved}: Restart, partial_remaps: true"));
    let short = twenty("remap_cost: 3, after_remap: Restart, steps: 7");
    let all = [
        (wide, "/remap_bounds", [1.0, 2.8e10]),
        (twenty("remap_cost: 20, after_remap: Restart"), "/average", [1.5, 5.0]),
        (twenty(&format!("{moved}: Restart")), "/average", [1.0, 10.0]),
        (twenty(&format!("{moved}: Stop")), "/remap_bounds", [149.0, 149.0]),
        (short, "/remap_bounds", [3.0, 3.0]),
        (partial, "/average", [1.0, 10.0]),
        (apart, "/average", [0.0, 1200.0]),
        (drift.to_owned(), "/value_bounds", [300.0, 1500.0]),
        (units, "/value_bounds", [300.0, 5500.0]),
    ];
    for (problem, place, [lowest, highest]) in some(4, all) {
        workplace.state(&problem);
        let started = Instant::now();
        let found = workplace.remap("solve model.ron --json").exits(3).json();
        assert!(started.elapsed().as_secs() < 60, "{problem}");
        assert_ne!(found["status"], "converged", "{problem}");
        let lacking = found["warnings"][0].text();
        assert!(lacking.contains("free") || lacking.contains("at most"), "{lacking}");
        assert!(lacking.contains("no states"), "{lacking}");
        let bounds = found.at(place);
        let end = |name: &str, k: usize| {
            bounds.get(name).or_else(|| bounds.get(k)).and_then(Value::as_f64).unwrap()
        };
        let (lower, upper) = (end("lower", 0), end("upper", 1));
        assert!(lowest <= lower && lower <= upper && upper <= highest, "{problem}: {bounds}");
        // The document is read again.
        workplace.write("solution.json", found.to_string());
        workplace.remap("report solution.json -o report.html --force").exits(0);
        workplace.remap("solve model.ron").exits(3).says("no states");
    }
    let many = workplace.remap("compare models/land_battle/figure7.ron --runs 10000000").exits(1);
    many.says("--runs 10000000").says("free").says("help:");
}
