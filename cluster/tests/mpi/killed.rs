//! A rank that dies: the program ends soon, leaves no half of a file, and goes on from what was
//! saved.

use super::{Workplace, fitting, joint, settings};
use remap::problems::{Method, Settings};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Takes several seconds wherever it runs: the first checkpoint is written after two.
const LONG: &str = "Stopping(processes: Distinct([Walk(levels: 52, up: 0.25, down: 0.25, edge: Reflect), \
    Walk(levels: 52, up: 0.2, down: 0.2, edge: Hold), Walk(levels: 52, up: 0.24, down: 0.25, edge: Reflect)]), \
    remap_cost: 16000.0, after_remap: Stop)";

const LONG_DRIFT: &str = "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 14, up: 0.25, down: 0.25, \
    edge: Hold), initial_load: 7, steps: 3000, remap_cost: (fixed: 3.0, per_unit_moved: 0.1))";

/// Multisets, and programs that go on after a remap.
const LONG_UNIFORM: &str = "Stopping(processes: Identical(count: 4, chain: Walk(levels: 20, up: 0.25, down: 0.25, \
    edge: Hold)), remap_cost: 60.0, after_remap: Uniform)";

const LONG_REGIONS: &str = "LoadDrift(processors: 8, chain: Walk(lowest: 1, levels: 14, up: 0.25, down: 0.25, \
    edge: Hold), initial_load: 7, steps: 500, remap_cost: 8.0)";

const MANY: &str = "LoadDrift(processors: 64, chain: Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, edge: Hold), \
    initial_load: 10, steps: 400, remap_cost: 8.0)";

const CONTINUOUS: &str = "ContinuousDrift(processors: 64, increments: Normal(deviation: 1.0), steps: 2000, \
    remap_cost: 12.0)";

/// The processes whose parent this is.
pub fn children(parent: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let of_parent = numbers.filter(|process| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line.split_whitespace().eq(["PPid:", &parent.to_string()]))
    });
    of_parent.collect()
}

/// Files that are not whole yet begin with a dot.
fn is_whole(name: &str, end: &str) -> bool {
    !name.starts_with('.') && name.ends_with(end)
}

/// Waits for a file that ends in this.
fn appears(folder: &Path, end: &str, running: &mut Child) {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
        if names.map(|name| name.file_name()).any(|name| is_whole(&name.to_string_lossy(), end)) {
            return;
        }
        assert!(
            running.try_wait().unwrap().is_none(),
            "it ended before anything was saved: {folder:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("nothing was saved");
}

/// When a rank is killed.
#[derive(Clone, Copy)]
enum When {
    /// Something has been saved.
    Saved,
    /// All have been at work for so long.
    Works(Duration),
}

const A_WHILE: When = When::Works(Duration::from_millis(500));

/// Waits until all ranks have been at work for a while.
fn works(ranks: usize, running: &mut Child, time: Duration) {
    let started = Instant::now();
    while children(running.id()).len() < ranks {
        assert!(started.elapsed() < Duration::from_secs(60), "the ranks never started");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(time);
    assert!(running.try_wait().unwrap().is_none(), "it ended before a rank was killed");
}

/// Whether this is a process that has not ended, be it looked after or not.
fn computes(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let state = status.lines().find_map(|line| line.strip_prefix("State:"));
    state.is_some_and(|state| !state.trim_start().starts_with(['Z', 'X']))
}

/// Runs on these ranks, the last of which is killed.
fn killed(place: &Workplace, ranks: usize, arguments: &[&str], when: When) {
    // What an earlier run has left.
    let _ = std::fs::remove_dir_all(place.path().join("out"));
    let arguments = [arguments, &["--out", "out"]].concat();
    let mut command = place.command(ranks, &arguments);
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    match when {
        When::Saved => appears(&place.path().join("out"), ".checkpoint", &mut running),
        When::Works(time) => works(ranks, &mut running, time),
    }
    let all = children(running.id());
    let victim = *all.last().expect("ranks run");
    let kill = std::process::Command::new("kill").args(["-9", &victim.to_string()]).status();
    assert!(kill.unwrap().success());
    let died = Instant::now();
    let ended = running.wait().unwrap();
    assert!(!ended.success(), "{arguments:?}");
    // Ranks are told to end by `mpirun`, and may outlive it by a moment.
    while all.iter().any(|process| computes(*process)) && died.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(died.elapsed() < Duration::from_secs(10), "{arguments:?}: {:?}", died.elapsed());
    let left = std::fs::read_dir(place.path().join("out")).into_iter().flatten().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name().into_string().unwrap()).collect();
    let whole = |name: &String| name.starts_with('.') || name.ends_with(".checkpoint");
    assert!(left.iter().all(whole), "{arguments:?}: {left:?}");
}

/// What is found on these ranks from what was saved.
fn resumed(place: &Workplace, ranks: usize, arguments: &[&str]) -> serde_json::Value {
    let output = place.run(ranks, &[arguments, &["--json", "--out", "out"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("resuming "), "{said}");
    let mut found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    found["seconds"] = serde_json::Value::Null;
    found
}

#[test]
fn value_iteration_goes_on_on_another_number_of_ranks() {
    let place = Workplace::new();
    place.model("long.ron", LONG);
    let expected = place.serial("long.ron", &settings(Method::Value));
    killed(&place, 2, &["solve", "long.ron", "--method", "value"], When::Saved);
    let asked = ["solve", "long.ron", "--method", "value", "--values"];
    assert_eq!(resumed(&place, 3, &asked), expected);
}

/// Multisets and rows of a joint chain, where the program goes on after a remap.
#[test]
#[ignore = "a minute or two: cargo test --workspace --test mpi killed -- --ignored"]
fn value_iteration_of_lumped_and_joint_chains_goes_on_on_another_number_of_ranks() {
    let place = Workplace::new();
    place.model("multisets.ron", LONG_UNIFORM);
    joint::model(&place, "joint.ron", 200, "remap_cost: 2000.0, after_remap: Uniform");
    for name in ["multisets.ron", "joint.ron"] {
        let roughly = Settings { tolerance: 1e-3, ..settings(Method::Value) };
        let expected = place.serial(name, &roughly);
        let asked = ["solve", name, "--method", "value", "--tolerance", "1e-3", "--values"];
        killed(&place, 2, &asked, When::Saved);
        assert_eq!(resumed(&place, 3, &asked), expected, "{name}");
    }
}

#[test]
#[ignore = "checkpoints of drift come every 5 s, and long recursions: cargo test --workspace --test mpi killed -- --ignored"]
fn drift_goes_on_on_another_number_of_ranks() {
    let place = Workplace::new();
    for (name, problem) in [("states.ron", LONG_DRIFT), ("regions.ron", LONG_REGIONS)] {
        place.model(name, problem);
        let asked = ["solve", name, "--method", "exact"];
        killed(&place, 2, &asked, When::Saved);
        let exact = Settings { method: Method::Exact, ..Default::default() };
        assert_eq!(resumed(&place, 3, &asked), place.serial(name, &exact), "{name}");
    }
}

/// What is not saved starts anew; it ends as soon.
#[test]
#[ignore = "runs of several seconds: cargo test --workspace --test mpi killed -- --ignored"]
fn all_else_ends_soon() {
    let place = Workplace::new();
    let large = LONG.replace("levels: 52", "levels: 120");
    for (name, problem) in
        [("policies.ron", large.as_str()), ("many.ron", MANY), ("continuous.ron", CONTINUOUS)]
    {
        place.model(name, problem);
        killed(&place, 3, &["solve", name, "--tolerance", "1e-12"], A_WHILE);
    }
    joint::model(&place, "joint.ron", 150, "remap_cost: 400.0, after_remap: Restart");
    killed(&place, 3, &["solve", "joint.ron", "--tolerance", "1e-12"], A_WHILE);
    let log = fitting::head() + &fitting::log(false, 400_000).concat();
    std::fs::write(place.path().join("log.csv"), log).unwrap();
    killed(&place, 3, &["fit", "log.csv"], A_WHILE);
}

/// Blocks that move after every step: half of the time is moves, so that some of the kills come
/// amid one.
#[test]
#[ignore = "runs of several seconds: cargo test --workspace --test mpi killed -- --ignored"]
fn a_rank_that_dies_while_blocks_move_ends_all_and_leaves_no_half_of_a_file() {
    let place = Workplace::new();
    let longer = LONG_DRIFT.replace("steps: 3000", "steps: 30000");
    place.model("moving.ron", &longer);
    let asked =
        ["solve", "moving.ron", "--method", "exact", "--remap", "fixed:1", "--trace", "log.csv"];
    for time in [300, 410, 530, 640, 770] {
        killed(&place, 3, &asked, When::Works(Duration::from_millis(time)));
        let left = std::fs::read_dir(place.path()).unwrap().flatten();
        let mut left = left.map(|entry| entry.file_name().into_string().unwrap());
        assert!(!left.any(|name| name.contains("log.csv")), "after {time} ms");
    }
}

/// What was saved between moves goes on with the bits of one process, whether blocks move or not.
#[test]
#[ignore = "checkpoints of drift come every 5 s: cargo test --workspace --test mpi killed -- --ignored"]
fn moving_blocks_go_on_from_what_was_saved() {
    let place = Workplace::new();
    place.model("moving.ron", LONG_DRIFT);
    let exact = Settings { method: Method::Exact, ..Default::default() };
    let expected = place.serial("moving.ron", &exact);
    let asked = ["solve", "moving.ron", "--method", "exact", "--remap", "fixed:2"];
    for rest in [&asked[..4], &asked] {
        killed(&place, 3, &asked, When::Saved);
        assert_eq!(resumed(&place, 2, rest), expected, "{rest:?}");
    }
}
