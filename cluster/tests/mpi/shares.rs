//! What ranks can share, and what they need for it.

use super::stopping::{brackets, certificate_verifies, same_decisions};
use super::{Workplace, settings};
use remap::problems::Method;
use serde_json::Value;

/// The first process has too few levels for the ranks: another is divided.
const UNEQUAL: &str = "Stopping(processes: Distinct([Walk(levels: 3, up: 0.25, down: 0.25, edge: Reflect), \
    Walk(levels: 12, up: 0.2, down: 0.25, edge: Hold), Walk(levels: 9, up: 0.3, down: 0.25, edge: Reflect)]), \
    remap_cost: 9.0, after_remap: AFTER)";

/// Two equal ones first, which cannot be divided.
const PAIR: &str = "Stopping(processes: Distinct([Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold), \
    Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold), Walk(levels: 8, up: 0.2, down: 0.25, edge: Hold)]), \
    remap_cost: 6.0, after_remap: AFTER)";

#[test]
fn the_process_that_is_worth_dividing_is_divided() {
    let place = Workplace::new();
    for (name, problem) in [("unequal.ron", UNEQUAL), ("pair.ron", PAIR)] {
        for after in ["Stop", "Uniform", "Restart"] {
            place.model(name, &problem.replace("AFTER", after));
            let expected = place.serial(name, &settings(Method::Auto));
            let mut all = Vec::new();
            for ranks in [1, 4] {
                let asked = [
                    "solve",
                    name,
                    "--method",
                    "value",
                    "--values",
                    "--json",
                    "--tolerance",
                    "1e-6",
                ];
                let output = place.run(ranks, &asked);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success() && !said.contains("one rank"), "{said}");
                let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
                found["seconds"] = Value::Null;
                // Sweeps alone do not decide in loads that a program which goes on hardly ever has.
                if after != "Restart" {
                    same_decisions(&found, &expected, name);
                    for ([low, high], [least, most]) in
                        brackets(&found).iter().zip(brackets(&expected))
                    {
                        assert!(*low <= most && least <= *high, "{name}, {after}");
                    }
                }
                all.push(found);
            }
            assert_eq!(all[0], all[1], "{name}, {after}");
        }
        place.model(name, &problem.replace("AFTER", "Stop"));
        certificate_verifies(&place, name);
    }
}

/// One axis is one process in its place, whichever is divided.
#[test]
fn files_have_the_axes_of_the_model() {
    let place = Workplace::new();
    let long = UNEQUAL.replace("12", "600").replace("levels: 9", "levels: 600");
    place.model("long.ron", &long.replace("AFTER", "Stop").replace("9.0", "2.0"));
    let asked =
        ["solve", "long.ron", "--method", "value", "--tolerance", "1e-2", "--json", "--out"];
    place.json(2, &[&asked[..], &["two"]].concat());
    place.json(3, &[&asked[..], &["three"]].concat());
    let read = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    let values = read("two/long.value.npy");
    assert!(values == read("three/long.value.npy"));
    let head = 10 + u16::from_le_bytes([values[8], values[9]]) as usize;
    assert!(String::from_utf8_lossy(&values[..head]).contains("(3, 600, 600,)"));
    let numbers: Vec<f64> =
        values[head..].as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    // Equal loads are balanced, and nothing else is: rows of the last axis, in the order of the
    // model.
    for (place, value) in numbers.iter().enumerate() {
        let loads = [place / 360_000, place / 600 % 600, place % 600];
        assert_eq!(
            *value == 0.0,
            loads[0] == loads[1] && loads[1] == loads[2],
            "{loads:?}: {value}"
        );
    }
}

#[test]
fn one_rank_alone_is_explained() {
    let place = Workplace::new();
    let dense = "Matrix(rows: [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])";
    let models = [
        (
            format!(
                "Stopping(processes: Distinct([{dense}, {dense}]), remap_cost: 2.0, after_remap: Stop)"
            ),
            "one process alone, or two that are equal",
        ),
        (
            format!(
                "Stopping(processes: Distinct([{dense}, {dense}, {dense}]), remap_cost: 2.0, after_remap: Stop)"
            ),
            "no process is alone of its kind and moves by a level at most",
        ),
        (
            UNEQUAL.replace("AFTER", "Stop").replace("12", "6").replace("levels: 9", "levels: 6"),
            "at most 6 can share it",
        ),
        (
            // Another process is divided only where it has twice as many levels.
            UNEQUAL.replace("AFTER", "Stop").replace("12", "5").replace("levels: 9", "levels: 5"),
            "at most 3 can share it",
        ),
    ];
    for (problem, reason) in models {
        place.model("alone.ron", &problem);
        let ranks = if reason.starts_with("at most") { 7 } else { 2 };
        let output = place.run(ranks, &["solve", "alone.ron", "--json"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.contains(reason), "{said}");
    }
}

#[test]
fn check_says_how_many_ranks_share_and_what_they_need() {
    let place = Workplace::new();
    place.model("unequal.ron", &UNEQUAL.replace("AFTER", "Stop"));
    let facts = place.json(1, &["check", "--ranks", "1000", "unequal.ron", "--json"]);
    assert_eq!(facts["ranks_that_share_the_work"], 12, "{facts}");
    assert!(
        facts["why_no_more"].as_str().unwrap().contains("a level of the process that is divided")
    );
    assert_eq!(facts["states_of_each_rank"], 27);
    assert!(facts["bytes_of_each_rank_by_value_iteration"].as_u64().unwrap() > 0);
    let few = place.json(1, &["check", "--ranks", "4", "unequal.ron", "--json"]);
    assert_eq!(few["ranks_that_share_the_work"], 4);
    assert!(few.get("why_no_more").is_none());
}

/// More states than any machine holds: a sentence and the code of a limit, before anything is
/// begun.
#[test]
fn too_little_memory_is_said_before_it_is_taken() {
    let place = Workplace::new();
    let huge = UNEQUAL.replace("12", "60000").replace("levels: 9", "levels: 60000");
    for after in ["Stop", "Restart"] {
        place.model("huge.ron", &huge.replace("AFTER", after));
        let output = place.run(2, &["solve", "huge.ron", "--method", "value", "--json"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("the ranks of a machine need"), "{said}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["status"], "iteration_limit");
    }
}

#[test]
fn help_says_how_many_threads_a_rank_has() {
    let output = Workplace::new().run(1, &["solve", "--help"]);
    let help =
        String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        help.contains("Worker threads of each rank; results do not depend on it [default: 1]"),
        "{help}"
    );
    assert!(!help.contains("[default: all cores]"), "{help}");
}
