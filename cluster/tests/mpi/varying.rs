//! Remap costs that depend on the loads, and computations with an end: the same bits on any number
//! of ranks.

use super::stopping::{certificate_verifies, same_decisions};
use super::{Workplace, joint, settings};
use remap::problems::{Method, Settings};
use serde_json::Value;

const EQUAL: &str = "Identical(count: 4, chain: Walk(levels: 7, up: 0.25, down: 0.2, edge: Hold))";
const DISTINCT: &str = "Distinct([Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold), \
    Walk(levels: 5, up: 0.2, down: 0.25, edge: Hold), Walk(levels: 5, up: 0.3, down: 0.25, edge: Hold)])";
const BY_LOAD: &str = "remap_cost: (fixed: 2.0, per_unit_moved: 0.5)";

#[test]
fn costs_by_load_and_steps_have_the_bits_of_one_process_on_any_number_of_ranks() {
    let place = Workplace::new();
    let mut names = Vec::new();
    let forms = [
        format!("{BY_LOAD}, after_remap: Stop"),
        format!("{BY_LOAD}, steps: 12, after_remap: Stop"),
        format!("{BY_LOAD}, steps: 12, after_remap: Restart"),
        "remap_cost: 3.0, steps: 9, after_remap: Stop".to_owned(),
        "remap_cost: 3.0, steps: 1, after_remap: Restart".to_owned(),
        "remap_cost: 0.0, steps: 5, after_remap: Stop".to_owned(),
        "remap_cost: (fixed: 0.0, per_unit_moved: 1.0), after_remap: Stop".to_owned(),
    ];
    for (which, processes) in [("equal", EQUAL), ("distinct", DISTINCT)] {
        for (k, form) in forms.iter().enumerate() {
            let name = format!("{which}{k}.ron");
            place.model(&name, &format!("Stopping(processes: {processes}, {form})"));
            names.push(name);
        }
    }
    let costs: Vec<String> = (0..36).map(|k| format!("{}.5", 2 + k % 5)).collect();
    let costs = format!("remap_cost: PerState([{}]), after_remap: Stop", costs.join(", "));
    joint::model(&place, "joint.ron", 6, &costs);
    names.push("joint.ron".to_owned());
    for name in &names {
        let mut expected = place.serial(name, &settings(Method::Auto));
        assert_eq!(expected["status"], "converged", "{name}");
        // One process begins with policies, ranks only sweep: their bits are each other's.
        let sweeps = ["0.ron", "6.ron", "joint.ron"].iter().any(|form| name.ends_with(form));
        for ranks in [2, 4] {
            let output = place.run(ranks, &["solve", name, "--values", "--json"]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success() && !said.contains("on one rank"), "{name}: {said}");
            let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
            found["seconds"] = Value::Null;
            if sweeps && ranks == 2 {
                near(&found, &expected, name);
                expected = found;
                continue;
            }
            assert_eq!(found, expected, "{name} on {ranks} ranks");
        }
    }
}

/// The same problem to the tolerance: proved bounds that overlap, values as near as they say,
/// decisions but for ties.
fn near(found: &Value, expected: &Value, name: &str) {
    same_decisions(found, expected, name);
    let number = |document: &Value, field: &str| document[field].as_f64().unwrap();
    let scale = number(expected, "remap_value").max(1.0);
    let room = (number(found, "value_gap") + number(expected, "value_gap")) * scale;
    assert!(number(found, "value_gap") <= 1e-9, "{name}");
    let values = |document: &Value| document["value"].as_array().unwrap().clone();
    for (a, b) in values(found).iter().zip(values(expected)) {
        let apart = (a.as_f64().unwrap() - b.as_f64().unwrap()).abs();
        assert!(apart <= room, "{name}: {a} and {b}");
    }
}

/// Averages of programs that go on without end: policies are evaluated by sums, whose order is that
/// of the ranks.
#[test]
fn averages_at_costs_by_load_overlap() {
    let place = Workplace::new();
    for (name, processes) in [("equal.ron", EQUAL), ("distinct.ron", DISTINCT)] {
        place.model(
            name,
            &format!("Stopping(processes: {processes}, {BY_LOAD}, after_remap: Restart)"),
        );
        let expected = place.serial(name, &settings(Method::Auto));
        for ranks in [1, 2, 4] {
            let found = place.json(ranks, &["solve", name, "--values", "--json"]);
            assert_eq!(found["status"], "converged", "{name} on {ranks} ranks");
            let ends =
                |from: &Value| ["lower", "upper"].map(|end| from["average"][end].as_f64().unwrap());
            let ([low, high], [least, most]) = (ends(&found), ends(&expected));
            assert!(low <= most && least <= high, "{name} on {ranks} ranks");
            assert!(high - low <= 1e-9 * high.max(1.0), "{name}: {low} to {high}");
            same_decisions(&found, &expected, name);
        }
    }
}

/// What a limit stops is said by the first rank, and its bounds are those of so many sweeps.
#[test]
fn what_a_limit_stops_holds_and_is_told_once() {
    let place = Workplace::new();
    let long = "Stopping(processes: Identical(count: 4, chain: Walk(levels: 16, up: 0.25, down: 0.25, edge: Hold)), \
                remap_cost: (fixed: 50000.0, per_unit_moved: 1.0), after_remap: Stop)";
    place.model("long.ron", long);
    let asked = ["solve", "long.ron", "--values", "--json"];
    let output = place.run(3, &[&asked[..], &["--time-limit", "0.3"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["status"], "time_limit");
    let roughly = Settings { tolerance: 1e-2, ..settings(Method::Auto) };
    let expected = place.serial("long.ron", &roughly);
    let numbers = |from: &Value| -> Vec<f64> {
        from["value"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    let width = |from: &Value| {
        let largest = from["remap_cost"].as_f64().unwrap().max(1.0);
        from["value_gap"].as_f64().unwrap() * largest
    };
    let apart = width(&found) + width(&expected);
    for (found, expected) in numbers(&found).iter().zip(numbers(&expected)) {
        assert!((found - expected).abs() <= apart, "{found} {expected} {apart}");
    }
}

/// The proof is made from the document of all ranks.
#[test]
fn certificates_at_costs_by_load_verify() {
    let place = Workplace::new();
    let steps = "remap_cost: 3.0, steps: 9, after_remap: Stop";
    let moved = format!("{BY_LOAD}, after_remap: Stop");
    for (name, form) in [("steps.ron", steps), ("moved.ron", moved.as_str())] {
        place.model(name, &format!("Stopping(processes: {EQUAL}, {form})"));
        certificate_verifies(&place, name);
    }
}
