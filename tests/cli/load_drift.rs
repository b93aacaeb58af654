//! `LoadDrift` and `ActivityMesh` models from the command line.

use crate::thorough::{few_or_all, some};
use crate::workplace::Workplace;
use approx::{abs_diff_eq, assert_abs_diff_eq};
use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

fn remap(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("remap").unwrap();
    command.args(arguments).current_dir(folder).env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = remap(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn model(processors: usize, steps: u64, more: &str) -> String {
    format!(
        "Model(title: \"test\", problem: LoadDrift(processors: {processors}, \
         chain: Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 10, steps: {steps}, remap_cost: 8.0{more}))"
    )
}

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.ron"), text).unwrap();
    folder
}

/// The document without what may differ between runs.
fn timeless(mut document: Value) -> Value {
    document.as_object_mut().unwrap().remove("seconds");
    document
}

/// What a remap costs may depend on what it moves: dearer remaps are fewer, and nothing else changes where a unit costs nothing.
#[test]
fn remaps_that_cost_what_they_move() {
    let charged = |each: &str, more: &str| {
        let cost = format!("(fixed: 8.0, per_unit_moved: {each})");
        folder_with(&model(3, 60, more).replace("remap_cost: 8.0", &format!("remap_cost: {cost}")))
    };
    let solve = |folder: &tempfile::TempDir| json(folder.path(), &["solve", "model.ron", "--json"]);
    let [free, little, much] = ["0", "0.25", "2"].map(|each| solve(&charged(each, "")));
    let plain = solve(&folder_with(&model(3, 60, "")));
    assert_eq!(free["value_bounds"], plain["value_bounds"]);
    let numbers = |name: &str| [&plain, &little, &much].map(|found| found[name].as_f64().unwrap());
    assert!(numbers("value").is_sorted_by(|a, b| a < b), "{:?}", numbers("value"));
    assert!(numbers("remaps").is_sorted_by(|a, b| a > b), "{:?}", numbers("remaps"));
    assert_eq!(little["cost_by_state"], serde_json::json!({"fixed": 8.0, "per_unit_moved": 0.25}));
    // Two at 1 and one at 19 are 18 above, of which 12 go; two at 19 and one at 1 too.
    assert_eq!(little["remap_cost"], 8.0 + 0.25 * 12.0);
    for found in [&little, &much] {
        let value = found["value"].as_f64().unwrap();
        assert!(value <= found["best_fixed"]["value"].as_f64().unwrap());
        assert!(value <= found["best_threshold"]["value"].as_f64().unwrap());
    }
    // Rules are played with what a remap costs in the state it is made in.
    let folder = charged("2", "");
    let arguments =
        ["compare", "model.ron", "--policies", "optimal,fixed,never", "--runs", "400", "--json"];
    for line in json(folder.path(), &arguments)["policies"].as_array().unwrap() {
        let (mean, exact) = (line["mean"].as_f64().unwrap(), line["exact"].as_f64().unwrap());
        assert!(abs_diff_eq!(mean / exact, 1.0, epsilon = 0.1), "{line}");
    }
    let refused = |more: &str, arguments: &[&str]| {
        let output = remap(charged("2", more).path(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{more}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let message = refused(", rebalance: Nearest", &["solve", "model.ron"]);
    assert!(message.contains("even split") && message.contains("rebalance: Split"), "{message}");
    let arguments = ["solve", "model.ron", "--method", "bounds", "--tolerance", "0.5", "--json"];
    let found = json(charged("0.25", "").path(), &arguments);
    let value = little["value"].as_f64().unwrap();
    let bounds = &found["value_bounds"];
    assert!(
        bounds["lower"].as_f64().unwrap() <= value && value <= bounds["upper"].as_f64().unwrap()
    );
    assert_eq!(found["cost_by_state"], little["cost_by_state"]);
    assert_eq!(found["remap_cost"], little["remap_cost"]);
    let listed = model(3, 60, "").replace("8.0", "PerState([1, 2])");
    let output = remap(folder_with(&listed).path(), &["solve", "model.ron"]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("per_unit_moved"), "{message}");
}

/// Policies are played with remaps that come into force later, and cost what they cost exactly.
#[test]
fn late_remaps_are_played() {
    let late = model(3, 60, ", overlap: (steps: 2, slowdown: 0.1)");
    let folder = folder_with(&late);
    let exact = json(folder.path(), &["solve", "model.ron", "--json"]);
    let played = json(folder.path(), &["compare", "model.ron", "--runs", "500", "--json"]);
    let lines = played["policies"].as_array().unwrap();
    let line = |name: &str| {
        let named = |line: &&Value| line["policy"].as_str().unwrap().starts_with(name);
        lines.iter().find(named).unwrap_or_else(|| panic!("no {name}: {played}"))
    };
    for name in ["optimal", "threshold:", "fixed:", "never"] {
        let (value, mean) = (line(name)["exact"].as_f64().unwrap(), line(name));
        let [mean, half] = ["mean", "half_width"].map(|field| mean[field].as_f64().unwrap());
        assert!((mean - value).abs() < 2.5 * half, "{name}: {mean} {half} {value}");
    }
    assert_abs_diff_eq!(
        line("optimal")["exact"].as_f64().unwrap(),
        exact["value"].as_f64().unwrap(),
        epsilon = 1e-9
    );
    assert_eq!(line("fixed:")["exact"], exact["best_fixed"]["value"]);
    let best = played["best_threshold"]["value"].as_f64().unwrap();
    assert!(best >= exact["value"].as_f64().unwrap());
    for line in lines {
        let regret = line["per_metric"]["regret_clairvoyant"]["mean"].as_f64().unwrap();
        assert!(regret >= 0.0, "{line}");
    }
    // The log has the remap before the first step on its mapping, two slower steps after the decision.
    let written = remap(folder.path(), &["simulate", "model.ron", "--policy", "fixed:7"]).output();
    let written = String::from_utf8(written.unwrap().stdout).unwrap();
    let at_once = folder_with(&model(3, 60, ""));
    let plain = remap(at_once.path(), &["simulate", "model.ron", "--policy", "fixed:7"]).output();
    let plain = String::from_utf8(plain.unwrap().stdout).unwrap();
    let steps = |text: &str| -> Vec<Vec<String>> {
        let row = |row: &str| row.split(',').map(str::to_owned).collect();
        text.lines().skip(1).map(row).collect()
    };
    let (late, plain) = (steps(&written), steps(&plain));
    assert_eq!(late.len(), plain.len());
    let ranks = 3;
    assert_eq!(late[..7 * ranks], plain[..7 * ranks]);
    for (late, plain) in late.iter().zip(&plain).skip(7 * ranks).take(2 * ranks) {
        assert_ne!(late, plain);
    }
    let marked = |rows: &[Vec<String>]| {
        let is_marked = |row: &&Vec<String>| row[3] == "1";
        rows.iter().find(is_marked).map(|row| row[0].clone())
    };
    assert_eq!((marked(&plain).as_deref(), marked(&late).as_deref()), (Some("7"), Some("9")));
}

/// Remaps that come into force later are solved over all states, and between bounds that hold the value; a certificate is
/// refused.
#[test]
fn remaps_that_come_into_force_later() {
    let late = |more: &str| model(3, 60, &format!(", overlap: ({more})"));
    let folder = folder_with(&late("steps: 2, slowdown: 0.1"));
    let exact = json(folder.path(), &["solve", "model.ron", "--json"]);
    assert_eq!((&exact["representation"], &exact["status"]), (&"full".into(), &"converged".into()));
    let forced = json(folder.path(), &["solve", "model.ron", "--json", "--method", "exact"]);
    assert_eq!(timeless(forced), timeless(exact.clone()));
    let sampled = json(
        folder.path(),
        &["solve", "model.ron", "--json", "--method", "bounds", "--tolerance", "0.5"],
    );
    assert_eq!(sampled["representation"], "bounds");
    for found in [&exact, &sampled] {
        assert_eq!(found["overlap"], serde_json::json!({"steps": 2, "slowdown": 0.1}));
        assert_eq!(found["remap_cost"], 8.0);
    }
    let value = exact["value"].as_f64().unwrap();
    let end = |name: &str| sampled["value_bounds"][name].as_f64().unwrap();
    assert!(end("lower") <= value && value <= end("upper"), "{value} {}", sampled["value_bounds"]);
    let at_once = json(folder_with(&model(3, 60, "")).path(), &["solve", "model.ron", "--json"]);
    assert!(value > at_once["value"].as_f64().unwrap());
    assert!(value < exact["best_fixed"]["value"].as_f64().unwrap());
    assert!(exact["best_fixed"]["interval"].as_u64().unwrap() > 2);
    assert!(exact["best_fixed"]["value"].as_f64() < exact["never"]["value"].as_f64());
    // Of no steps it is no overlap, whatever the slowdown.
    let none = folder_with(&late("steps: 0, slowdown: 9"));
    let none = json(none.path(), &["solve", "model.ron", "--json"]);
    assert_eq!((&none["value"], &none["overlap"]), (&at_once["value"], &Value::Null));
    // After the last step is never.
    let never = folder_with(&model(3, 5, ", overlap: (steps: 5)"));
    let never = json(never.path(), &["solve", "model.ron", "--json"]);
    assert_eq!(never["remaps"], 0.0);
    let unremapped = never["never"]["value"].as_f64().unwrap();
    assert_abs_diff_eq!(never["value"].as_f64().unwrap(), unremapped, epsilon = 1e-9);
    let words = remap(folder.path(), &["solve", "model.ron"]).output();
    let words = String::from_utf8_lossy(&words.unwrap().stdout).into_owned();
    assert!(words.contains("2 steps after its decision, which are 10 % slower"), "{words}");
    let sets = ["regret", "model.ron", "--set", "problem.remap_cost=4,8", "--json"];
    let wrong = json(folder.path(), &sets);
    let optimum = |name: &str| wrong["optimum"][name].as_f64().unwrap();
    assert!(optimum("lower") <= value && value <= optimum("upper"), "{wrong}");
    let refused = remap(folder.path(), &["solve", "model.ron", "--certificate", "proof"]).output();
    let refused = refused.unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(message.contains("come into force later"), "{message}");
    for (more, says) in [("steps: 64", "0 and 63"), ("steps: 2, slowdown: -1", "negative")] {
        let output = remap(folder_with(&late(more)).path(), &["check", "model.ron"]).output();
        let message = String::from_utf8_lossy(&output.unwrap().stderr).into_owned();
        assert!(message.contains(says), "{more}: {message}");
    }
}

#[test]
fn solve_gives_the_contracts_fields() {
    let folder = folder_with(&model(3, 100, ""));
    let found = json(folder.path(), &["solve", "model.ron", "--json"]);
    assert_eq!(found["problem"], "load_drift");
    assert_eq!(found["status"], "converged");
    assert_eq!(found["states"], 1330);
    let number = |name: &str| found[name].as_f64().unwrap();
    assert_abs_diff_eq!(number("value"), 174.4415444473561, epsilon = 1e-9);
    assert_abs_diff_eq!(number("work"), 1000.0025581197721, epsilon = 1e-9);
    assert_abs_diff_eq!(number("time") - number("value"), number("work"), epsilon = 1e-9);
    assert_abs_diff_eq!(number("utilization"), number("work") / number("time"), epsilon = 1e-12);
    assert_abs_diff_eq!(number("remaps"), 5.893446266841264, epsilon = 1e-9);
    assert_eq!(found["best_fixed"]["interval"], 13);
    // The number of threads changes no bit.
    let one = json(folder.path(), &["solve", "model.ron", "--json", "--threads", "1"]);
    assert_eq!(timeless(found), timeless(one));
}

#[test]
fn decisions_of_a_step_are_a_map_over_multisets() {
    let folder = folder_with(&model(2, 20, ""));
    let found = json(folder.path(), &["solve", "model.ron", "--json", "--step", "10", "--values"]);
    let map = found["decision"].as_str().unwrap();
    assert_eq!((found["decision_step"].as_u64(), map.len()), (Some(10), 190));
    // Colexicographic: (0,0), (0,1), (1,1), ...: balanced states are the last of their rows.
    for row in 0..19usize {
        assert_eq!(map.as_bytes()[row * (row + 1) / 2 + row], b'C');
    }
    assert_eq!(map.as_bytes()[18 * 19 / 2], b'R', "loads 1 and 19");
    assert_eq!(found["cost_to_go"].as_array().unwrap().len(), 190);
}

#[test]
fn bad_models_are_refused_where_they_are_wrong() {
    for (wrong, right, named) in [
        ("initial_load: 10", "initial_load: 20", "initial load"),
        ("remap_cost: 8.0", "remap_cost: -1", "negative"),
        ("up: 0.25", "up: 0.95", "Markov chain"),
        ("steps: 10", "steps: 0", "out of range"),
        ("processors: 3", "processors: 0", "out of range"),
        ("processors: 3", "processors: 1000000000", "out of range"),
        ("steps: 10", "paces: 10", "no field `paces`"),
    ] {
        let folder = folder_with(&model(3, 10, "").replace(wrong, right));
        let arguments = ["solve", "model.ron", "--method", "exact"];
        let assert = remap(folder.path(), &arguments).assert().code(1);
        let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        let refused = errors.contains(named) || errors.contains("too large");
        assert!(refused, "{right}: {errors}");
    }
}

/// What a machine lacks is no fault of the input: bounds by sampling, and the exit code of a limit.
#[test]
fn too_many_states_end_in_bounds() {
    let folder = folder_with(&model(400, 10, ""));
    let arguments = ["solve", "model.ron", "--json", "--method", "exact"];
    let assert = remap(folder.path(), &arguments).assert().code(3);
    let found: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(found["statistical"], true, "{found}");
    assert_ne!(found["status"], "converged");
    assert!(found["warnings"][0].as_str().unwrap().contains("memory"), "{found}");
}

/// Stopped by its time limit again and again, with everything it had written killed in between, a
/// solve ends with the same bits as in one go.
#[test]
fn interrupted_solves_resume_bit_for_bit() {
    let text = model(6, 2000, "");
    let folder = folder_with(&text);
    let whole = json(folder.path(), &["solve", "model.ron", "--json", "--step", "1990"]);
    let arguments = ["solve", "model.ron", "--json", "--step", "1990", "--out", "out"];
    let stopped = remap(folder.path(), &arguments).arg("--time-limit").arg("0.3").assert().code(3);
    let partial: Value = serde_json::from_slice(&stopped.get_output().stdout).unwrap();
    assert_eq!(partial["status"], "time_limit");
    let (lower, upper) = (&partial["value_bounds"]["lower"], &partial["value_bounds"]["upper"]);
    let value = whole["value"].as_f64().unwrap();
    assert!(lower.as_f64().unwrap() <= value && value <= upper.as_f64().unwrap());
    assert!(partial["value"].is_null());
    std::fs::remove_file(folder.path().join("out/model.json")).unwrap();
    let checkpoint = folder.path().join("out/model.checkpoint");
    assert!(checkpoint.exists());
    // A kill in the middle leaves the checkpoint as it was, or a newer one.
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("remap"))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = json(folder.path(), &arguments);
    assert_eq!(timeless(resumed), timeless(whole));
    assert!(!checkpoint.exists());
}

/// What says that the same command goes on from where it was stopped is true, also where results and a picture are written; but
/// a result that is whole is not replaced.
#[test]
fn the_same_command_goes_on() {
    let folder = folder_with(&model(6, 2000, ""));
    let arguments = ["solve", "model.ron", "--out", "out", "--plot", "p.svg"];
    let stopped = remap(folder.path(), &arguments).args(["--time-limit", "0.3"]).assert().code(3);
    let told = String::from_utf8_lossy(&stopped.get_output().stderr).into_owned();
    assert!(told.contains("saved; run again to resume"), "{told}");
    let document = folder.path().join("out/model.json");
    assert!(std::fs::read_to_string(&document).unwrap().contains("time_limit"));
    let again = remap(folder.path(), &arguments).assert().code(0);
    let told = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(told.contains("resuming with "), "{told}");
    assert!(std::fs::read_to_string(&document).unwrap().contains("converged"));
    let third = remap(folder.path(), &arguments).assert().code(1);
    let told = String::from_utf8_lossy(&third.get_output().stderr).into_owned();
    assert!(told.contains("exists already"), "{told}");
}

/// What other problems have is said to make no difference, and ends as it would without.
#[test]
fn options_of_other_problems_are_said_to_be_idle() {
    let place = tempfile::tempdir().unwrap();
    let walks = "ContinuousDrift(processors: 4, increments: Normal(deviation: 1.0), steps: 10, remap_cost: 4.0)";
    std::fs::write(
        place.path().join("walks.ron"),
        format!("Model(title: \"t\", problem: {walks})"),
    )
    .unwrap();
    std::fs::write(place.path().join("model.ron"), model(3, 10, "")).unwrap();
    let all = [
        "--step",
        "5",
        "--values",
        "--critical-costs",
        "--exact",
        "--simulate",
        "10",
        "--segments",
        "9",
    ];
    for (name, own) in [("walks.ron", 0), ("model.ron", 2)] {
        let mut arguments = vec!["solve", name, "--json", "--tolerance", "0.5"];
        arguments.extend(all);
        let found = json(place.path(), &arguments);
        let warnings: Vec<&str> =
            found["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
        for (i, option) in all.iter().filter(|word| word.starts_with("--")).enumerate() {
            let said = warnings.iter().any(|text| text.starts_with(option));
            assert_eq!(said, i >= own, "{name} {option}: {warnings:?}");
        }
        let plain = json(place.path(), &arguments[..5]);
        assert_eq!(plain["value_bounds"], found["value_bounds"]);
        assert!(!plain.to_string().contains("makes no difference"));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_and_tells() {
    let folder = folder_with(&model(6, 100_000, ""));
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("remap"))
        .args(["solve", "model.ron", "--json", "--out", "out"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let partial: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(partial["status"], "interrupted");
    assert!(folder.path().join("out/model.checkpoint").exists());
}

#[test]
fn foreign_and_damaged_checkpoints_are_refused() {
    let folder = folder_with(&model(6, 4000, ""));
    let arguments = ["solve", "model.ron", "--out", "out"];
    remap(folder.path(), &arguments).args(["--time-limit", "0.2"]).assert().code(3);
    std::fs::remove_file(folder.path().join("out/model.json")).unwrap();
    let checkpoint = folder.path().join("out/model.checkpoint");
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(folder.path().join("model.ron"), model(6, 4001, "")).unwrap();
    let refused = |reason: &str| {
        let assert = remap(folder.path(), &arguments).assert().code(1);
        let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(errors.contains(reason), "{errors}");
    };
    refused("another model");
    assert_eq!(std::fs::read(&checkpoint).unwrap(), bytes, "a refused checkpoint is not touched");
    std::fs::write(folder.path().join("model.ron"), model(6, 4000, "")).unwrap();
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&checkpoint, &damaged).unwrap();
    refused("damaged");
    std::fs::write(&checkpoint, &bytes[..middle]).unwrap();
    refused("damaged");
}

#[test]
fn compare_plays_every_policy_on_the_same_paths() {
    let folder = folder_with(&model(3, 60, ""));
    let arguments = ["compare", "model.ron", "--runs", "80", "--seed", "4", "--json"];
    let found = json(folder.path(), &arguments);
    let policies = found["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 12);
    let optimal = &policies[0];
    assert_eq!(optimal["policy"], "optimal");
    for policy in policies {
        let (mean, width) =
            (policy["mean"].as_f64().unwrap(), policy["half_width"].as_f64().unwrap());
        if let Some(exact) = policy["exact"].as_f64() {
            assert!(abs_diff_eq!(mean, exact, epsilon = 2.3 * width), "{policy}");
            assert!(exact >= optimal["exact"].as_f64().unwrap() - 1e-9);
        }
        assert!(policy["per_metric"]["regret_clairvoyant"]["mean"].as_f64().unwrap() >= -1e-9);
    }
    let single = [&arguments[..], &["--threads", "1"]].concat();
    assert_eq!(timeless(json(folder.path(), &single)), timeless(found));
    let few = json(
        folder.path(),
        &["compare", "model.ron", "--policies", "never,fixed:7", "--runs", "1", "--json"],
    );
    assert_eq!(few["policies"][1]["policy"], "fixed:7");
    assert!(few["policies"][1]["half_width"].is_null());
    let assert =
        remap(folder.path(), &["compare", "model.ron", "--policies", "allways"]).assert().code(1);
    assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains("allways"));
}

#[test]
fn compare_and_draw_an_activity_mesh() {
    let text = "Model(title: \"mesh\", problem: ActivityMesh(width: 16, height: 16, units: Each(2), \
                processors: 8, moves: (east: 0.2, west: 0.1, north: 0.2, south: 0.1), \
                boundary: Reject, steps: 60, remap_cost: 20))";
    let folder = folder_with(text);
    let arguments = ["compare", "model.ron", "--runs", "5", "--json"];
    let found = json(folder.path(), &arguments);
    assert_eq!(found["problem"], "activity_mesh");
    assert_eq!(found["runs"], 5);
    assert!(found["policies"].as_array().unwrap().len() > 12);
    assert_eq!(timeless(json(folder.path(), &arguments)), timeless(found));
    for name in ["plot.svg", "plot.png"] {
        remap(folder.path(), &["compare", "model.ron", "--runs", "2", "--plot", name])
            .assert()
            .success();
        assert!(std::fs::metadata(folder.path().join(name)).unwrap().len() > 2000);
    }
    remap(folder.path(), &["solve", "model.ron"]).assert().code(1);
    let wrong = text.replace("processors: 8", "processors: 800");
    std::fs::write(folder.path().join("model.ron"), wrong).unwrap();
    remap(folder.path(), &["check", "model.ron"]).assert().code(1);
}

/// Fields, words and limits of statistical bounds; the exact value lies between them.
#[test]
fn bounds_say_what_they_are() {
    let folder = folder_with(&model(few_or_all(6, 8), 40, ""));
    let exact = json(folder.path(), &["solve", "model.ron", "--json"]);
    assert_eq!(exact["representation"], "active");
    assert!(exact["statistical"].is_null() && exact["paths"].is_null());
    let arguments = [
        "solve",
        "model.ron",
        "--json",
        "--method",
        "bounds",
        "--tolerance",
        "0.05",
        "--seed",
        "5",
    ];
    let found = json(folder.path(), &arguments);
    assert_eq!(found["representation"], "bounds");
    assert_eq!(found["statistical"], true);
    assert_eq!(found["tolerance"], 0.05);
    assert!(found["value"].is_null());
    let value = exact["value"].as_f64().unwrap();
    let number = |place: &str| found.pointer(place).unwrap().as_f64().unwrap();
    let (lower, upper) = (number("/value_bounds/lower"), number("/value_bounds/upper"));
    assert!(lower < value && value < upper, "{lower} {value} {upper}");
    assert_eq!(number("/bounds/lower/low"), lower);
    assert_eq!(number("/bounds/upper/high"), upper);
    assert!(number("/bounds/lower/mean") <= number("/bounds/upper/mean"));
    assert!(number("/gap_interval/0") <= number("/gap_percent"));
    assert!(number("/gap_interval/1") <= 5.0);
    assert!(number("/paths") >= 4.0);
    // The rule of few numbers has a cost of its own.
    assert!(number("/threshold_curve/gap_percent") >= 0.0);
    assert!(number("/threshold_curve/cost/high") > value);
    assert_eq!(number("/threshold_curve/by_steps_since/0/from"), 1.0);
    // The number of threads changes no bit, the seed does.
    let single = [&arguments[..], &["--threads", "1"]].concat();
    assert_eq!(timeless(json(folder.path(), &single)), timeless(found.clone()));
    let other = [&arguments[..7], &["--seed", "6"]].concat();
    assert_ne!(json(folder.path(), &other)["bounds"], found["bounds"]);
    let arguments = ["solve", "model.ron", "--method", "bounds", "--tolerance", "0.05"];
    let words = remap(folder.path(), &arguments).output().unwrap();
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.contains("This rule costs"), "{words}");
    assert!(
        words.contains("% of optimal, 95 % confidence") && !words.contains("certified"),
        "{words}"
    );
}

/// Paths that all come to the same tell nothing of rarer ones: no interval is claimed. Where nothing is lost, none of it is.
#[test]
fn paths_that_do_not_differ_give_no_interval() {
    let folder = tempfile::tempdir().unwrap();
    let walk = |step: &str, more: &str| {
        format!(
            "Model(title: \"x\", problem: LoadDrift(processors: 4, chain: Walk(lowest: 1, levels: 9, up: {step}, \
             down: {step}, edge: Hold), initial_load: 5, {more}, remap_cost: 1))"
        )
    };
    let nothing_to_decide = "Model(title: \"x\", problem: ContinuousDrift(processors: 4, increments: Normal(deviation: 0.3), \
         steps: 1, remap_cost: 2))";
    let models = [
        // It costs 2.19 % more than the optimum, which no path of four shows.
        (walk("0.0001", "steps: 100"), "Do not remap\n"),
        (walk("0", "steps: 100"), "Do not remap\n"),
        (walk("0.25", "steps: 1"), "Do not remap\n"),
        (nothing_to_decide.to_owned(), "Do not remap\n"),
    ];
    for (model, rule) in some(2, models) {
        std::fs::write(folder.path().join("model.ron"), &model).unwrap();
        let bounds: &[&str] = match model.contains("LoadDrift") {
            true => &["--method", "bounds"],
            false => &[],
        };
        let arguments = [&["solve", "model.ron"], bounds].concat();
        let words = remap(folder.path(), &arguments).output().unwrap();
        let words = String::from_utf8(words.stdout).unwrap();
        assert!(words.contains(rule) && words.contains("which gives no interval"), "{words}");
        assert!(!words.contains("NaN") && !words.contains("95 %"), "{words}");
        assert!(words.matches("  never ").count() == 1, "{words}");
        let found = json(folder.path(), &[&arguments[..], &["--json"]].concat());
        assert!(found["gap_percent"].as_f64().unwrap().abs() < 1e-9, "{found}");
        assert!(found["gap_interval"].is_null(), "{found}");
        assert!(found["warnings"].to_string().contains("gives no interval"), "{found}");
        // What is printed can be read back.
        std::fs::write(folder.path().join("found.json"), found.to_string()).unwrap();
        remap(folder.path(), &["export", "found.json", "--to", "python"]).assert().success();
        if rule.starts_with("Do not remap") && model.contains("LoadDrift") {
            let mut setting = remap(folder.path(), &["export", "found.json", "--to", "lammps"]);
            let setting = String::from_utf8(setting.unwrap().stdout).unwrap();
            assert!(setting.ends_with("# no fix balance\n"), "{setting}");
        }
    }
}

/// One path in fifty remaps, and few paths are drawn: where none of them does, bounds are those that any path keeps.
#[test]
fn rare_remaps_are_within_the_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let (mut untold, mut outside) = (0, 0);
    for rebalance in ["Split", "Stochastic"] {
        let model = format!(
            "Model(title: \"x\", problem: LoadDrift(processors: 3, chain: Walk(levels: 5, up: 0.25, down: 0.25, edge: \
             Hold), initial_load: 2, steps: 5, remap_cost: 3, rebalance: {rebalance}))"
        );
        std::fs::write(folder.path().join("model.ron"), &model).unwrap();
        let exact = json(folder.path(), &["solve", "model.ron", "--json", "--method", "exact"]);
        let exact = exact["value"].as_f64().unwrap();
        for seed in 1..=10 {
            let seed = seed.to_string();
            let found =
                ["solve", "model.ron", "--json", "--method", "bounds", "--seed", seed.as_str()];
            let found = json(folder.path(), &found);
            let end = |path: &str| found.pointer(path).unwrap().as_f64().unwrap();
            let [low, high] = [end("/value_bounds/lower"), end("/value_bounds/upper")];
            let holds = low <= exact && exact <= high;
            if found["gap_interval"].is_null() {
                untold += 1;
                assert!(holds, "{exact}: {found}");
                // Nor does a cost that paths tell begin above; that of never is known.
                for cost in ["/bounds/lower", "/bounds/upper", "/threshold_curve/cost"] {
                    let [low, high] = ["low", "high"].map(|side| end(&format!("{cost}/{side}")));
                    assert!(low <= exact || low == high, "{cost}: {found}");
                }
            } else if !holds {
                outside += 1;
            }
        }
    }
    assert!(untold >= 5 && outside <= 2, "{untold} {outside}");
}

/// What is exported says of which steps it is known how far a threshold is from the optimum.
#[test]
fn a_threshold_is_closest_at_the_steps_that_are_named() {
    let folder = folder_with(
        "Model(title: \"x\", problem: LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 5, up: 0.1, down: 0.1, \
         edge: Hold), initial_load: 3, steps: 12, remap_cost: 3.5, decide: BeforeStep))",
    );
    let found = json(folder.path(), &["solve", "model.ron", "--json"]);
    std::fs::write(folder.path().join("found.json"), found.to_string()).unwrap();
    let source = remap(folder.path(), &["export", "found.json", "--to", "c"]).unwrap();
    let source = String::from_utf8(source.stdout).unwrap();
    let listed = found["closest_threshold"].as_array().unwrap();
    let steps: Vec<String> = listed.iter().map(|at| at["step"].to_string()).collect();
    assert!(steps.len() > 2);
    assert!(
        source.contains(&format!("optimal decisions of steps {}:", steps.join(", "))),
        "{source}"
    );
    let percent = |at: &Value| 100.0 * at["disagreement"].as_f64().unwrap();
    let most = listed.iter().map(percent).fold(0.0, f64::max);
    assert!(source.contains(&format!("to {most:.2} % of the load vectors")), "{source}");
    // A map that there is none of is missed in words.
    let late = remap(folder.path(), &["solve", "model.ron", "--step", "12"]).output().unwrap();
    let words = String::from_utf8_lossy(&late.stderr).into_owned();
    assert!(
        late.status.success() && words.contains("the last decision is that of step 11"),
        "{words}"
    );
}

/// Probabilities that miss 1 by no more than 1e-9 are a walk, at its reflecting ends too.
#[test]
fn a_walk_may_miss_one_by_a_billionth() {
    let walk = |up: &str| {
        format!(
            "Model(title: \"x\", problem: LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 4, up: {up}, down: 0.4, \
             edge: Reflect), initial_load: 2, steps: 5, remap_cost: 1))"
        )
    };
    for (up, code) in [("0.6", 0), ("0.6000000009", 0), ("0.6000000011", 1)] {
        let folder = folder_with(&walk(up));
        remap(folder.path(), &["solve", "model.ron"]).assert().code(code);
    }
}

/// Steps without end leave off when they are told to.
#[test]
fn very_many_steps_hear_a_limit() {
    let folder = folder_with(
        "Model(title: \"x\", problem: LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: 3, up: 1e-12, down: 1e-12, \
         edge: Hold), initial_load: 2, steps: 1000000000, remap_cost: 10))",
    );
    for command in [&["solve", "model.ron"][..], &["compare", "model.ron", "--policies", "never"]] {
        let limited = [command, &["--time-limit", "0.2"]].concat();
        remap(folder.path(), &limited).timeout(Duration::from_secs(60)).assert().code(3);
    }
    // Where it takes no time, what is stopped at once has its bounds, and never remapping among them.
    let folder = folder_with(&model(6, 4000, ""));
    let asked = ["solve", "model.ron", "--json", "--time-limit", "1e-6"];
    let stopped = remap(folder.path(), &asked).output().unwrap();
    let found: Value = serde_json::from_slice(&stopped.stdout).unwrap();
    assert_eq!((stopped.status.code(), &found["status"]), (Some(3), &Value::from("time_limit")));
    assert!(
        found["never"]["value"].as_f64().unwrap()
            >= found["value_bounds"]["lower"].as_f64().unwrap()
    );
}

/// The rule of few numbers is played by `compare`, where all states are too many too, by `replay` and by `export`'s
/// targets; what needs all states is refused there.
#[test]
fn the_rule_of_many_ranks_is_played() {
    for decide in some(1, ["", ", decide: BeforeStep"]) {
        plays_the_rule(decide);
    }
}

fn plays_the_rule(decide: &str) {
    let folder = folder_with(&model(40, 60, decide));
    let play = |policies: &str| {
        let asked = ["compare", "model.ron", "--policies", policies, "--runs", "200", "--json"];
        remap(folder.path(), &asked)
    };
    let outcome = play("threshold_curve,stop_at_rise").output().unwrap();
    let played: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    let cost = |i: usize| played["policies"][i]["mean"].as_f64().unwrap();
    assert!(cost(0) < cost(1), "{played}");
    let refused = play("optimal").assert().code(1);
    let errors = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(errors.contains("threshold_curve"), "{errors}");
    let solve = ["solve", "model.ron", "--json", "--tolerance", "0.05", "--plot", "rule.svg"];
    let found = remap(folder.path(), &solve).output().unwrap();
    std::fs::write(folder.path().join("solution.json"), &found.stdout).unwrap();
    let picture = std::fs::read_to_string(folder.path().join("rule.svg")).unwrap();
    assert!(picture.contains("steps since the last remap"));
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let curve = &found["threshold_curve"];
    let mean = curve["cost"]["mean"].as_f64().unwrap();
    assert!(abs_diff_eq!(cost(0) / mean, 1.0, epsilon = 0.02), "{} {mean}", cost(0));
    for target in ["c", "fortran", "python", "rust", "csv", "json", "controller", "warpx"] {
        let mut export = remap(folder.path(), &["export", "solution.json", "--to", target]);
        let text = export.output().unwrap();
        // Codes know the times of the step that is over.
        let is_told = target != "warpx" || decide.is_empty();
        assert_eq!(text.status.success() && !text.stdout.is_empty(), is_told, "{target}");
    }
    // A log whose loads drift apart without end.
    let mut log = String::from("step");
    (0..40).for_each(|rank| log += &format!(",rank{rank}"));
    for step in 1..=30 {
        log += &format!("\n{step}");
        (0..40).for_each(|rank| log += &format!(",{}", 10.0 + 0.01 * f64::from(step * rank)));
    }
    std::fs::write(folder.path().join("log.csv"), log).unwrap();
    let replay =
        ["replay", "log.csv", "--solution", "solution.json", "--policies", "solution,never"];
    let replay = [&replay[..], &["--remap-cost", "8", "--json"]].concat();
    let replay = json(folder.path(), &replay);
    assert_eq!(replay["policies"].as_array().unwrap().len(), 2, "{replay}");
}

#[test]
fn methods_of_other_problems_are_refused() {
    let folder = folder_with(&model(3, 10, ""));
    for method in ["value", "policy"] {
        let assert =
            remap(folder.path(), &["solve", "model.ron", "--method", method]).assert().code(2);
        let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(errors.contains("exact or bounds"), "{errors}");
    }
    let sweep = ["sweep", "model.ron", "--set", "problem.steps=5,6", "--method", "value"];
    remap(folder.path(), &sweep).assert().code(2);
}

/// Limits and what bounds are not there for.
#[test]
fn bounds_end_in_time_or_say_why_not() {
    let folder = folder_with(&model(64, 400, ""));
    let arguments = ["solve", "model.ron", "--json", "--time-limit", "0.2"];
    let stopped = remap(folder.path(), &arguments).assert().code(3);
    let partial: Value = serde_json::from_slice(&stopped.get_output().stdout).unwrap();
    assert_eq!(partial["status"], "time_limit");
    assert!(partial["value_bounds"]["upper"].as_f64().unwrap() > 1650.0);
    let folder = folder_with(&model(3, 20_001, ""));
    let assert =
        remap(folder.path(), &["solve", "model.ron", "--method", "bounds"]).assert().code(1);
    let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(errors.contains("at most 20000 steps"), "{errors}");
    let folder = folder_with(&model(64, 1_000_000_000, ""));
    let assert = remap(folder.path(), &["solve", "model.ron", "--json"]).assert().code(3);
    let found: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let lacking = found["warnings"][0].as_str().unwrap();
    assert!(lacking.contains("memory") && lacking.contains("steps"), "{lacking}");
    let bounds = ["lower", "upper"].map(|end| found["value_bounds"][end].as_f64().unwrap());
    assert!(1e8 < bounds[0] && bounds[1] < 1e10, "{bounds:?}");
}

/// The best threshold stands beside the closest one; `compare` plays both.
#[test]
fn the_best_threshold_is_not_the_closest() {
    let folder = folder_with(&model(3, 100, ""));
    let found = json(folder.path(), &["solve", "model.ron", "--json"]);
    let best = &found["best_threshold"];
    let (threshold, value) = (best["threshold"].as_f64().unwrap(), best["value"].as_f64().unwrap());
    assert!(value > found["value"].as_f64().unwrap());
    let rule = format!("threshold:{threshold}");
    let asked = ["compare", "model.ron", "--policies", &rule, "--runs", "2", "--json"];
    let played = json(folder.path(), &asked);
    let exact = played["policies"][0]["exact"].as_f64().unwrap();
    assert!(abs_diff_eq!(exact, value, epsilon = 1e-9), "{exact} {value}");
    let asked = "threshold,best_threshold";
    let both = json(
        folder.path(),
        &["compare", "model.ron", "--policies", asked, "--runs", "2", "--json"],
    );
    assert_eq!(both["best_threshold"]["threshold"], threshold);
    let cost = |i: usize| both["policies"][i]["exact"].as_f64().unwrap();
    assert!(cost(1) <= cost(0) && abs_diff_eq!(cost(1), value, epsilon = 1e-9));
}

/// A long program of many states goes over few of them, and is resumed in the midst of that.
#[test]
fn most_steps_go_over_few_states() {
    let folder = folder_with(&model(6, 300, ""));
    let found = json(folder.path(), &["solve", "model.ron", "--json"]);
    assert_eq!(found["representation"], "active");
    assert_eq!(found["states"], 134_596);
    let active = found["active_states"].as_u64().unwrap();
    assert!(active < 20_000, "{active}");
    let bounds = &found["value_bounds"];
    let (lower, upper) = (bounds["lower"].as_f64().unwrap(), bounds["upper"].as_f64().unwrap());
    let value = found["value"].as_f64().unwrap();
    assert!(lower <= value && value <= upper && upper - lower < 1e-8);
}

/// Never is among the thresholds, however far from the others, and is what sources play where nothing is better.
#[test]
fn never_is_a_threshold_too() {
    let model = "LoadDrift(processors: 5, chain: Walk(lowest: 3, levels: 4, up: 0.0, down: 0.3, edge: Reflect), \
                 initial_load: 4, steps: 20, remap_cost: 0.25, rebalance: Nearest, decide: AfterStep, objective: Imbalance)";
    let place = Workplace::new();
    place.write("never.ron", format!("Model(title: \"t\", problem: {model})"));
    let found = place.run(&["solve", "never.ron", "--json"]).exits(0);
    let (best, never) = (&found.json()["best_threshold"], &found.json()["never"]["value"]);
    assert_eq!(&best["value"], never, "{best}");
    place.write("never.json", &found.out);
    let source = place.run(&["export", "never.json", "--to", "python"]).exits(0).out;
    assert!(!source.contains("0.2"), "{source}");
}
