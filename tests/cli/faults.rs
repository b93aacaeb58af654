//! Things that go wrong around a program: full disks, closed pipes, rivals, signals.
//! (Read-only folders and links are in `files`, checkpoints in `load_drift` and `fuzz`.)
#![cfg(unix)]

use crate::workplace::{MODEL, Workplace, endless};
use serde_json::Value;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Models that take minutes at least.
fn endless_models() -> Vec<(&'static str, String)> {
    let model = |problem: &str| format!("Model(title: \"x\", problem: {problem})");
    vec![
        ("phase_change", endless()),
        (
            "load_drift",
            model(
                "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, \
                 edge: Hold), initial_load: 10, steps: 100000000, remap_cost: 8)",
            ),
        ),
        (
            "stopping",
            model(
                "Stopping(processes: Identical(count: 2, chain: Walk(levels: 1500, up: 0.25, \
                 down: 0.25, edge: Reflect)), remap_cost: 100000000, after_remap: Stop)",
            ),
        ),
    ]
}

fn start(workplace: &Workplace, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_remap"))
        .args(arguments)
        .current_dir(workplace.root())
        .env("XDG_CACHE_HOME", workplace.root().join("cache"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}

fn ended(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(!err.contains("panicked"), "{err}");
    output
}

/// SplitMix64, for moments that differ and are the same in every run.
fn moments(count: u64, longest: u64) -> impl Iterator<Item = Duration> {
    (1..=count).map(move |k| {
        let z = k.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Duration::from_millis((z >> 33) % longest)
    })
}

/// Runs `remap` where no file may grow beyond `blocks` of 512 (or 1024) bytes: to a program, a full disk.
fn on_a_full_disk(workplace: &Workplace, blocks: u32, arguments: &str) -> Output {
    let remap = env!("CARGO_BIN_EXE_remap");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {remap} {arguments}");
    Command::new("sh")
        .args(["-c", &script])
        .current_dir(workplace.root())
        .env("XDG_CACHE_HOME", workplace.root().join("cache"))
        .output()
        .unwrap()
}

#[test]
fn a_full_disk_costs_no_result_and_leaves_no_half_file() {
    let workplace = Workplace::with_model();
    std::fs::create_dir(workplace.path("out")).unwrap();
    for blocks in [0, 1] {
        let output = on_a_full_disk(&workplace, blocks, "solve model.ron --json --out out");
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("cannot write out/model.json") && err.contains("help:"), "{err}");
        // The result has been shown all the same.
        let solution: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(solution["status"], "converged");
        assert_eq!(std::fs::read_dir(workplace.path("out")).unwrap().count(), 0);
        let output = on_a_full_disk(&workplace, blocks, "solve model.ron --plot curve.svg");
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("cannot write curve.svg"), "{err}");
        assert_eq!(workplace.names(), ["model.ron", "out"]);
    }
}

#[test]
fn a_full_disk_keeps_what_was_there() {
    let workplace = Workplace::with_model();
    workplace.run(&["solve", "model.ron", "--out", "out"]).exits(0);
    let before = workplace.read("out/model.json");
    let output = on_a_full_disk(&workplace, 1, "solve model.ron --out out --force");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(workplace.read("out/model.json"), before);
    assert_eq!(std::fs::read_dir(workplace.path("out")).unwrap().count(), 1);
}

#[test]
fn a_checkpoint_that_cannot_be_saved_is_told() {
    let workplace = Workplace::new();
    let (_, drift) = endless_models().swap_remove(1);
    workplace.write("model.ron", drift.replace("100000000", "100000"));
    let output = on_a_full_disk(&workplace, 0, "solve model.ron --json --time-limit 0.3");
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{err}");
    let solution: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(solution["status"], "time_limit");
    assert!(solution["warnings"][0].as_str().unwrap().contains("not saved"), "{solution}");
    assert!(err.contains("not saved"), "{err}");
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let workplace = Workplace::with_model();
    for arguments in [
        &["solve", "model.ron"][..],
        &["solve", "model.ron", "--json", "--values"],
        &["solve", "model.ron", "--out", "out"],
        &["verify", "model.ron", "--cases", "2"],
        &["check", "model.ron"],
        &["compare", "model.ron", "--runs", "10"],
        &["sweep", "model.ron", "--set", "problem.remap.test=1:3:1"],
    ] {
        let mut child = start(&workplace, arguments);
        drop(child.stdout.take());
        let output = ended(child);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
        assert!(!err.contains("standard output"), "{arguments:?}: {err}");
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
    for force in [&[][..], &["--force"]] {
        let arguments = [&["solve", "model.ron", "--out", "out"], force].concat();
        let outcome = workplace.run(&arguments).exits(1).says("is a symbolic link");
        assert_eq!(outcome.out, "");
    }
    assert_eq!(workplace.read("mine.json"), "mine");
    // Nor one that stands where the computation is to be saved.
    let (_, drift) = endless_models().swap_remove(1);
    workplace.write("long.ron", drift);
    std::os::unix::fs::symlink("../mine.json", workplace.path("out/long.checkpoint")).unwrap();
    let arguments = ["solve", "long.ron", "--out", "out", "--time-limit", "0.2", "--force"];
    workplace.run(&arguments).exits(3).says("not saved");
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
    let names = |folder: &str| {
        let entries = std::fs::read_dir(workplace.path(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(workplace.names(), ["a"]);
    assert_eq!(names("a"), ["...ron", "..ron", ".ron", "b", "model.ron"]);
    assert_eq!(names("a/b"), ["out"]);
    assert_eq!(names("a/b/out").len(), 4);
}

#[test]
fn of_two_rivals_for_a_file_one_wins_and_both_are_whole() {
    let workplace = Workplace::with_model();
    for round in 0..6 {
        let out = format!("out{round}");
        let children = [0; 4].map(|_| start(&workplace, &["solve", "model.ron", "--out", &out]));
        let outputs = children.map(ended);
        let codes = outputs.each_ref().map(|output| output.status.code().unwrap());
        assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
        for output in outputs.iter().filter(|output| output.status.code() != Some(0)) {
            let err = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1));
            assert!(err.contains("exists"), "{err}");
        }
        let _: Value = serde_json::from_str(&workplace.read(&format!("{out}/model.json"))).unwrap();
        assert_eq!(std::fs::read_dir(workplace.path(&out)).unwrap().count(), 1);
    }
    let forced = ["solve", "model.ron", "--out", "out0", "--force"];
    for output in [0; 4].map(|_| start(&workplace, &forced)).map(ended) {
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let _: Value = serde_json::from_str(&workplace.read("out0/model.json")).unwrap();
}

/// Whatever the moment: nothing printed, or one whole and honest document.
#[test]
fn interrupts_at_any_moment_stop_cleanly() {
    let workplace = Workplace::new();
    for (name, model) in endless_models() {
        workplace.write("model.ron", &model);
        for moment in moments(3, 700) {
            let child = start(&workplace, &["solve", "model.ron", "--json"]);
            std::thread::sleep(moment);
            signal(&child, "-INT");
            let asked = Instant::now();
            let output = ended(child);
            let waited = asked.elapsed();
            assert!(waited.as_secs() < 20, "{name}, {moment:?}: stopped after {waited:?}");
            // None: it had not begun to listen.
            let Some(code) = output.status.code() else {
                assert!(output.stdout.is_empty());
                continue;
            };
            assert_eq!(
                code,
                130,
                "{name}, {moment:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            if !output.stdout.is_empty() {
                let solution: Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(solution["status"], "interrupted", "{name}");
            }
        }
    }
}

#[test]
fn other_verbs_stop_cleanly_too() {
    let workplace = Workplace::with_model();
    workplace.write("long.ron", endless());
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let path = |name: &str| models.join(name).to_str().unwrap().to_owned();
    let (fluids, battle) = (path("fluids/figure6.ron"), path("land_battle/figure7.ron"));
    for arguments in [
        &["sweep", "long.ron", "--set", "problem.remap.test=1:100:1"][..],
        &["compare", &fluids, "--runs", "100000"],
        &["compare", &battle, "--runs", "1000000"],
        &["verify", "model.ron", "--cases", "1000000"],
    ] {
        let child = start(&workplace, arguments);
        std::thread::sleep(Duration::from_millis(900));
        signal(&child, "-INT");
        let asked = Instant::now();
        let output = ended(child);
        assert!(asked.elapsed().as_secs() < 20, "{arguments:?}: {:?}", asked.elapsed());
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {err}");
    }
}

#[test]
fn the_second_interrupt_quits() {
    let workplace = Workplace::new();
    workplace.write("model.ron", endless());
    let child = start(&workplace, &["solve", "model.ron", "--json"]);
    std::thread::sleep(Duration::from_millis(600));
    signal(&child, "-INT");
    // It may have ended in between.
    let id = child.id().to_string();
    let _ = Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status();
    let output = ended(child);
    assert_eq!(output.status.code(), Some(130));
}

/// Killed while it writes: the file is absent, or whole; what was there stays.
#[test]
fn a_kill_leaves_no_half_file() {
    let workplace = Workplace::new();
    // Half a megabyte of thresholds and a plot.
    workplace.write("model.ron", MODEL.replace("Fixed(40)", "Uniform(first: 0, last: 4000)"));
    let solve = ["solve", "model.ron", "--out", "out", "--plot", "curve.svg", "--force"];
    workplace.run(&solve).exits(0);
    let whole = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let stripped = |mut document: Value| {
        document.as_object_mut().unwrap().remove("seconds");
        document
    };
    let before = stripped(whole(workplace.read("out/model.json")));
    let started = Instant::now();
    workplace.run(&solve).exits(0);
    let usual = started.elapsed().as_millis() as u64;
    for moment in moments(20, usual + usual / 4) {
        let mut child = start(&workplace, &solve);
        std::thread::sleep(moment);
        // It may have ended before.
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(stripped(whole(workplace.read("out/model.json"))), before);
        let plot = workplace.read("curve.svg");
        assert!(plot.starts_with("<svg") && plot.trim_end().ends_with("</svg>"));
    }
    // What a kill left behind is in nobody's way.
    workplace.run(&solve).exits(0);
}

#[test]
fn more_memory_than_there_is_is_refused_beforehand() {
    let workplace = Workplace::new();
    let model = |problem: &str| format!("Model(title: \"x\", problem: {problem})");
    for problem in [
        "Stopping(processes: Identical(count: 4, chain: Walk(levels: 3000, up: 0.25, down: 0.25, \
         edge: Reflect)), remap_cost: 1, after_remap: Stop)",
        "Stopping(processes: Distinct([Walk(levels: 90000, up: 0.25, down: 0.25, edge: Reflect), \
         Walk(levels: 80000, up: 0.25, down: 0.25, edge: Reflect), Walk(levels: 70000, up: 0.25, \
         down: 0.25, edge: Hold)]), remap_cost: 1, after_remap: Stop)",
        "LoadDrift(processors: 12, chain: Walk(lowest: 1, levels: 60, up: 0.25, down: 0.25, \
         edge: Hold), initial_load: 10, steps: 400, remap_cost: 8)",
    ] {
        workplace.write("model.ron", model(problem));
        let started = Instant::now();
        let outcome = workplace.run(&["solve", "model.ron"]).exits(1).says("free").says("help:");
        assert_eq!(outcome.out, "");
        assert!(started.elapsed().as_secs() < 20);
    }
}

/// Caps that keep hostile files from taking the machine: 256 MiB, and depth.
#[test]
fn endless_and_deep_files_are_refused() {
    let workplace = Workplace::new();
    let outcome = workplace.run(&["check", "/dev/zero"]).exits(1);
    assert!(outcome.err.contains("too large"), "{}", outcome.err);
    for (open, close) in [("(", ")"), ("[", "]"), ("{1: ", "}"), ("Some(", ")")] {
        let deep = format!("Model(title: {}1{})", open.repeat(100_000), close.repeat(100_000));
        workplace.write("model.ron", deep);
        workplace.run(&["check", "model.ron"]).exits(1).says("[model.ron:");
    }
}
