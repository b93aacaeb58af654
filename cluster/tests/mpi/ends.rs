//! How it ends: wrong input, limits, a rank that dies.

use super::{Workplace, settings};
use remap::problems::Method;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Takes several seconds wherever it runs: the first checkpoint is written after two.
const LONG: &str = "Stopping(processes: Distinct([Walk(levels: 45, up: 0.25, down: 0.25, edge: Reflect), \
    Walk(levels: 45, up: 0.2, down: 0.2, edge: Hold), Walk(levels: 45, up: 0.24, down: 0.25, edge: Reflect)]), \
    remap_cost: 16000.0, after_remap: Stop)";

const LONG_DRIFT: &str = "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 14, up: 0.25, down: 0.25, \
    edge: Hold), initial_load: 7, steps: 3000, remap_cost: (fixed: 3.0, per_unit_moved: 0.1))";

#[test]
fn wrong_input_is_said_once_with_the_code_of_remap() {
    let place = Workplace::new();
    place.model(
        "wrong.ron",
        "Stopping(processes: Distinct([]), remap_cost: -1.0, after_remap: Stop)",
    );
    place.model("right.ron", LONG);
    let cases: [(&[&str], i32, &str); 5] = [
        (&["solve", "wrong.ron"], 1, "cannot be negative"),
        (&["solve", "missing.ron"], 1, "cannot read"),
        (&["solve"], 2, "required"),
        (&["solve", "right.ron", "--method", "exact"], 2, "--method exact"),
        (
            &["solve", "right.ron", "--method", "value", "--time-limit", "0.2"],
            3,
            "saved; run again",
        ),
    ];
    for (arguments, code, message) in cases {
        for ranks in [1, 3] {
            let output = place.run(ranks, arguments);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(code), "{arguments:?} on {ranks}: {said}");
            assert_eq!(said.matches(message).count(), 1, "{arguments:?} on {ranks}: {said}");
        }
    }
}

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
        assert!(running.try_wait().unwrap().is_none(), "it ended before anything was saved");
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("nothing was saved");
}

/// Solves on two ranks, one of which is killed once something has been saved.
fn killed(place: &Workplace, model: &str, method: &str) {
    let arguments = ["solve", model, "--method", method, "--out", "out"];
    let mut running =
        place.command(2, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    appears(&place.path().join("out"), ".checkpoint", &mut running);
    let victim = *children(running.id()).last().expect("ranks run");
    let kill = std::process::Command::new("kill").args(["-9", &victim.to_string()]).status();
    assert!(kill.unwrap().success());
    let died = Instant::now();
    let ended = running.wait().unwrap();
    assert!(!ended.success());
    assert!(died.elapsed() < Duration::from_secs(10), "{:?}", died.elapsed());
    let left = std::fs::read_dir(place.path().join("out")).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name().into_string().unwrap()).collect();
    let whole = |name: &String| name.starts_with('.') || name.ends_with(".checkpoint");
    assert!(left.iter().all(whole), "{left:?}");
}

#[test]
fn value_iteration_goes_on_on_another_number_of_ranks_after_one_was_killed() {
    let place = Workplace::new();
    place.model("long.ron", LONG);
    let expected = place.serial("long.ron", &settings(Method::Value));
    killed(&place, "long.ron", "value");
    let asked = ["solve", "long.ron", "--method", "value", "--values", "--json", "--out", "out"];
    let output = place.run(3, &asked);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("resuming after"), "{said}");
    let mut found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    found["seconds"] = serde_json::Value::Null;
    assert_eq!(found, expected);
}

#[test]
#[ignore = "checkpoints of drift come every 5 s, and two long recursions: cargo test --workspace --test mpi -- --ignored"]
fn drift_goes_on_on_another_number_of_ranks_after_one_was_killed() {
    let place = Workplace::new();
    place.model("long.ron", LONG_DRIFT);
    killed(&place, "long.ron", "exact");
    let asked = ["solve", "long.ron", "--method", "exact", "--json", "--out", "out"];
    let output = place.run(3, &asked);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("resuming with"), "{said}");
    let mut found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    found["seconds"] = serde_json::Value::Null;
    let exact = remap::problems::Settings { method: Method::Exact, ..Default::default() };
    assert_eq!(found, place.serial("long.ron", &exact));
}
