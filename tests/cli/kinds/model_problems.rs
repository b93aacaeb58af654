//! The model problems of \[NR90\] from the command line.

use crate::support::workplace::Json;
use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

const FLUIDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/fluids/figure6.ron");
const BATTLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/land_battle/figure7.ron");

fn remap(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("remap").unwrap().args(arguments).assert()
}

fn output(arguments: &[&str]) -> String {
    let done = remap(arguments).success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let mut document: Value = serde_json::from_str(&output(arguments)).unwrap();
    assert!(document["seconds"].take().is_f64());
    document
}

/// A model file with one scenario or two.
fn small(folder: &Path, problem: &str) -> String {
    let file = folder.join("small.ron");
    std::fs::write(&file, format!("Model(title: \"small\", problem: {problem})")).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn comparing_prints_every_policy_and_curve() {
    for (model, problem, positions) in [(FLUIDS, "fluids", 21), (BATTLE, "land_battle", 16)] {
        let document = json(&["compare", model, "--runs", "2", "--seed", "3", "--json"]);
        assert_eq!(document["problem"], problem);
        assert_eq!(document["status"], "converged");
        assert_eq!(document["runs"], 2);
        let names: Vec<_> = document["policies"].list().iter().collect();
        assert_eq!(names.len(), 6);
        for policy in names {
            assert!(policy["mean"].f64() > 0.0);
            assert!(policy["half_width"].f64() >= 0.0);
            assert!(policy["per_metric"]["utilization"].f64() < 1.0);
        }
        for curve in document["curves"].list() {
            assert_eq!(curve["time"].list().len(), positions);
            assert_eq!(curve["percent"].list().len(), positions);
        }
        assert_eq!(document["envelope"].list().len(), 9 * positions);
    }
}

/// Where nothing is sampled nothing is said to be, and numbers stand apart from each other.
#[test]
fn tables_can_be_read() {
    let text = output(&["compare", FLUIDS]);
    assert!(text.contains("all runs are the same") && !text.contains("confidence"), "{text}");
    let heading = text.lines().find(|line| line.trim_start().starts_with("at ")).unwrap();
    let columns = heading.split_whitespace().count();
    let rows = text.lines().skip_while(|line| *line != heading).skip(1);
    let rows: Vec<&str> = rows.take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 21);
    for row in rows {
        let numbers = row.replace(" ± ", "±");
        assert_eq!(numbers.split_whitespace().count(), columns, "{row}");
    }
    let sampled = output(&["compare", BATTLE, "--runs", "2"]);
    assert!(sampled.contains("(2 runs)") && sampled.contains("95 % confidence"), "{sampled}");
}

#[test]
fn same_seed_same_numbers_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let model = small(folder.path(), "LandBattle(separations: [4, 30], steps: 40)");
    let run = |threads: &str, seed: &str| {
        let arguments = ["compare", &model, "--runs", "4", "--seed", seed, "--json"];
        json(&[&arguments[..], &["--threads", threads]].concat())
    };
    assert_eq!(run("1", "5"), run("3", "5"));
    assert_ne!(run("2", "5"), run("2", "6"));
}

#[test]
fn policies_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let model = small(folder.path(), "LandBattle(separations: [4, 30], steps: 40)");
    let document =
        json(&["compare", &model, "--policies", "static_old,optimal", "--runs", "2", "--json"]);
    let names: Vec<_> = document["policies"].list().iter().map(|p| p["policy"].clone()).collect();
    assert_eq!(names, ["static_old", "optimal"]);
    let refused = remap(&["compare", &model, "--policies", "optimum", "--runs", "2"]).code(1);
    let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(message.contains("optimum") && message.contains("lower_bound"), "{message}");
}

#[test]
fn files_are_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let problem = "LandBattle(separations: [4, 30], steps: 20)";
    let model = small(folder.path(), problem);
    let out = folder.path().join("out");
    let plot = folder.path().join("figure.svg");
    let (out_text, plot_text) = (out.to_str().unwrap(), plot.to_str().unwrap());
    let arguments = ["compare", &model, "--runs", "3", "--out", out_text, "--plot", plot_text];
    let text = output(&arguments);
    assert!(text.contains("hexes between the sides"), "{text}");
    assert!(std::fs::read_to_string(&plot).unwrap().starts_with("<svg"));
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("small.json")).unwrap()).unwrap();
    assert_eq!(written["curves"][0]["time"].list().len(), 2);
    for name in ["4-old", "4-new", "4-dynamic", "30-old", "30-new", "30-dynamic"] {
        let csv = std::fs::read_to_string(out.join(format!("small-{name}.csv"))).unwrap();
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some("step,rank,seconds,remapped,remap_seconds"));
        assert_eq!(lines.count(), 20 * 8);
        let remapped = csv.lines().filter(|line| line.split(',').nth(3) == Some("1")).count();
        assert_eq!(remapped, if name == "4-dynamic" { 8 } else { 0 }, "{name}");
    }
    remap(&arguments).code(1);
    remap(&[&arguments[..], &["--force"]].concat()).success();
}

#[test]
fn solving_gives_the_thresholds_of_every_scenario() {
    let document = json(&["solve", FLUIDS, "--json"]);
    let scenarios = document["scenarios"].list();
    assert_eq!(scenarios.len(), 21);
    for scenario in scenarios {
        assert_eq!(scenario["threshold"].list().len(), 80);
        assert_eq!(scenario["parameters"]["before"], 360.0);
    }
    let facts = json_facts(&["check", BATTLE, "--json"]);
    assert_eq!(facts["decision_steps"], 60);
}

fn json_facts(arguments: &[&str]) -> Value {
    serde_json::from_str(&output(arguments)).unwrap()
}

#[test]
fn faults_of_a_model_are_located() {
    let folder = tempfile::tempdir().unwrap();
    for (problem, word) in [
        ("Fluids(wave: (after: [0.5, 1.5]))", "1.5"),
        ("Fluids(wave: (after: []))", "scenarios"),
        ("Fluids(points: 1)", "points"),
        ("Fluids(wave: (amplitude: 6.0))", "backwards"),
        ("Fluids(belief: (threshold: 0.5))", "hazard"),
        ("Fluids(refinement: (ratio: 1))", "ratio"),
        ("LandBattle(separations: [127])", "127"),
        ("LandBattle(movement: (slowest: 1.0))", "slowest"),
        ("LandBattle(mappings: (new: Wrapped))", "Wrapped"),
        ("LandBattle(detector: (missed: 1.2))", "1.2"),
        ("Fluids(points: 500000, steps: 500000)", "too large"),
        ("LandBattle(units: 100000, steps: 100000)", "too large"),
    ] {
        let model = small(folder.path(), problem);
        let refused = remap(&["check", &model]).code(1);
        let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(message.contains(word) && message.contains("small.ron"), "{problem}: {message}");
    }
    let unstable = small(folder.path(), "Fluids(transport: (calls: One, sub_cycles: 1))");
    let warned = remap(&["check", &unstable]).success();
    assert!(String::from_utf8_lossy(&warned.get_output().stderr).contains("blows up"));
}

/// One processor, one run, one scenario without a second phase: nothing to estimate, nothing to
/// gain.
#[test]
fn the_least_there_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("least.png");
    let problem = "Fluids(wave: (after: [1.0]), processors: 1, steps: 3)";
    let model = small(folder.path(), problem);
    let arguments = ["compare", &model, "--runs", "1", "--plot", plot.to_str().unwrap()];
    assert!(output(&arguments).contains("static_old"));
    assert!(std::fs::read(&plot).unwrap().starts_with(b"\x89PNG"));
    let document = json(&["compare", &model, "--runs", "1", "--json"]);
    assert_eq!(document["parameters"], serde_json::json!([null]));
    assert_eq!(document["speedup"][0]["speedup"], 1.0);
    assert_eq!(document["policies"][0]["half_width"], Value::Null);
    assert!(output(&["solve", &model]).contains("no run has both phases"));
}

#[test]
fn a_time_limit_leaves_out_what_was_not_finished() {
    let arguments = ["compare", BATTLE, "--runs", "3000", "--time-limit", "0.2", "--json"];
    let stopped = remap(&arguments).code(3);
    let document: Value = serde_json::from_slice(&stopped.get_output().stdout).unwrap();
    assert_eq!(document["status"], "time_limit");
    assert!(document["at"].list().len() < 16);
}
