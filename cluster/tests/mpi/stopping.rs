//! Optimal stopping: the bits of value iteration, the brackets of policy iteration, certificates.

use super::{Workplace, settings};
use remap::problems::{Method, Settings};
use serde_json::Value;
use std::process::Command;

/// Walks of which no two are equal, walks of which some are, equal ones on unequal processors,
/// equal ones.
const PROBLEMS: [(&str, &str); 5] = [
    (
        "distinct.ron",
        "Stopping(processes: Distinct([Walk(levels: 7, up: 0.25, down: 0.25, edge: Reflect), \
         Walk(levels: 6, up: 0.2, down: 0.25, edge: Hold), Walk(levels: 9, up: 0.3, down: 0.25, edge: Reflect)]), \
         remap_cost: 12.0, after_remap: Stop)",
    ),
    (
        "uniform.ron",
        "Stopping(processes: Distinct([Walk(levels: 30, up: 0.25, down: 0.25, edge: Reflect), \
         Walk(levels: 20, up: 0.2, down: 0.25, edge: Hold), Walk(levels: 20, up: 0.2, down: 0.25, edge: Hold)]), \
         remap_cost: 3.0, after_remap: Uniform)",
    ),
    (
        "capacities.ron",
        "Stopping(processes: Identical(count: 3, chain: Walk(levels: 9, up: 0.25, down: 0.25, edge: Reflect)), \
         capacities: [1.0, 2.0, 3.0], running_cost: MaxAbsDeviation, remap_cost: 9.0, after_remap: Stop)",
    ),
    (
        "identical.ron",
        "Stopping(processes: Identical(count: 5, chain: Walk(levels: 9, up: 0.25, down: 0.25, edge: Reflect)), \
         remap_cost: 15.0, after_remap: Stop)",
    ),
    (
        "lumped.ron",
        "Stopping(processes: Identical(count: 4, chain: Walk(levels: 8, up: 0.25, down: 0.2, edge: Hold)), \
         remap_cost: 2.0, after_remap: Uniform)",
    ),
];

#[test]
fn value_iteration_has_the_bits_of_one_process_on_any_number_of_ranks() {
    let place = Workplace::new();
    for (name, problem) in PROBLEMS {
        place.model(name, problem);
        let roughly = Settings { tolerance: 1e-3, ..settings(Method::Value) };
        let expected = place.serial(name, &roughly);
        assert_eq!(expected["status"], "converged", "{name}");
        for ranks in [1, 2, 4] {
            let found = place.json(
                ranks,
                &["solve", name, "--method", "value", "--values", "--json", "--tolerance", "1e-3"],
            );
            assert_eq!(found, expected, "{name} on {ranks} ranks");
        }
    }
}

/// The bounds that a document proves on J of each load vector.
pub fn brackets(document: &Value) -> Vec<[f64; 2]> {
    let gap = document["value_gap"].as_f64().unwrap()
        * document["remap_value"].as_f64().unwrap().max(1.0);
    let values = document["value"].as_array().unwrap().iter();
    values.map(|v| v.as_f64().unwrap()).map(|v| [v - gap, v + gap]).collect()
}

#[test]
fn brackets_of_policy_iteration_overlap_and_proved_decisions_agree() {
    let place = Workplace::new();
    for (name, problem) in PROBLEMS {
        place.model(name, problem);
        let expected = place.serial(name, &settings(Method::Auto));
        for ranks in [1, 2, 3] {
            let found = place.json(ranks, &["solve", name, "--values", "--json"]);
            assert_eq!(found["status"], "converged", "{name} on {ranks} ranks");
            assert!(found["value_gap"].as_f64().unwrap() <= 1e-9);
            for ([low, high], [least, most]) in brackets(&found).iter().zip(brackets(&expected)) {
                assert!(*low <= most && least <= *high, "{name} on {ranks} ranks");
            }
            same_decisions(&found, &expected, name);
        }
    }
}

/// Solves the model in the file `name` on two ranks and checks the certificate that they write.
pub fn certificate_verifies(place: &Workplace, name: &str) {
    let asked = ["solve", name, "--certificate", "proof.cert", "--force", "--json"];
    let solution = place.run(2, &asked);
    assert!(solution.status.success(), "{name}: {}", String::from_utf8_lossy(&solution.stderr));
    let bytes = std::fs::read(place.path().join("proof.cert")).unwrap();
    let text = std::fs::read_to_string(place.path().join(name)).unwrap();
    let proof = remap_checker::check(&text, place.path(), &bytes);
    assert!(proof.is_ok(), "{name}: {proof:?}");
}

#[test]
fn certificates_of_several_ranks_verify() {
    let place = Workplace::new();
    for (name, problem) in PROBLEMS {
        place.model(name, problem);
        certificate_verifies(&place, name);
    }
}

/// Programs that go on after a remap.
const ENDLESS: [(&str, &str); 3] = [
    (
        "restart.ron",
        "Stopping(processes: Distinct([Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold), \
         Walk(levels: 5, up: 0.2, down: 0.25, edge: Hold), Walk(levels: 5, up: 0.3, down: 0.25, edge: Hold)]), \
         remap_cost: 2.0, after_remap: Restart)",
    ),
    (
        "restart_lumped.ron",
        "Stopping(processes: Identical(count: 4, chain: Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold)), \
         remap_cost: 3.0, after_remap: Restart)",
    ),
    (
        "restart_capacities.ron",
        "Stopping(processes: Identical(count: 3, chain: Walk(levels: 6, up: 0.25, down: 0.25, edge: Hold)), \
         capacities: [1.0, 2.0, 3.0], remap_cost: 2.0, after_remap: Restart)",
    ),
];

#[test]
fn sweeps_of_programs_that_go_on_have_the_bits_of_one_process() {
    let place = Workplace::new();
    for (name, problem) in ENDLESS {
        place.model(name, problem);
        let roughly = Settings { tolerance: 1e-3, ..settings(Method::Value) };
        let expected = place.serial(name, &roughly);
        assert_eq!(expected["status"], "converged", "{name}");
        for ranks in [2, 4] {
            let found = place.json(
                ranks,
                &["solve", name, "--method", "value", "--values", "--json", "--tolerance", "1e-3"],
            );
            assert_eq!(found, expected, "{name} on {ranks} ranks");
        }
    }
}

#[test]
fn averages_of_policy_iteration_overlap_and_decisions_agree() {
    let place = Workplace::new();
    for (name, problem) in ENDLESS {
        place.model(name, problem);
        let expected = place.serial(name, &settings(Method::Auto));
        for ranks in [2, 4] {
            let found = place.json(ranks, &["solve", name, "--values", "--json"]);
            assert_eq!(found["status"], "converged", "{name} on {ranks} ranks");
            averages_overlap(&found, &expected, name);
            same_decisions(&found, &expected, name);
        }
    }
}

/// As one process does, ranks decide by costs that are solved for once the average is known.
#[test]
fn ranks_decide_rightly_where_loads_are_rare() {
    let place = Workplace::new();
    let chain = "BirthDeath(lowest: 1, up: [1e-10, 0.1, 0.001, 0.001, 0.0], down: [0.0, 0.25, 0.0, 0.1, 0.5])";
    let short = "BirthDeath(lowest: 1, up: [0.0, 0.0], down: [0.0, 0.1])";
    for cost in ["(fixed: 5.0, per_unit_moved: 4.0)", "9.0"] {
        let problem = format!(
            "Stopping(processes: Distinct([{chain}, {chain}, {short}]), capacities: [2, 3, 1.5], \
             running_cost: MaxMinusMean, remap_cost: {cost}, after_remap: Restart)"
        );
        place.model("rare.ron", &problem);
        let tight = Settings { tolerance: 1e-12, ..settings(Method::Auto) };
        let right = place.serial("rare.ron", &tight);
        for tolerance in ["1e-2", "1e-6", "1e-9"] {
            let asked = ["solve", "rare.ron", "--json", "--tolerance", tolerance];
            let found = place.json(2, &asked);
            same_decisions(&found, &right, &format!("{cost} at {tolerance}"));
        }
    }
}

/// Those of the best policy, and of the one for computations that a remap ends.
pub fn averages_overlap(found: &Value, expected: &Value, name: &str) {
    for which in ["average", "average_of_stop"] {
        let ends =
            |document: &Value| ["lower", "upper"].map(|end| document[which][end].as_f64().unwrap());
        let ([low, high], [least, most]) = (ends(found), ends(expected));
        assert!(low <= most && least <= high, "{which} of {name}");
        assert!(high - low <= 1e-9 * high.max(1.0), "{which} of {name}: {low} to {high}");
    }
}

/// Wherever neither leaves them open.
pub fn same_decisions(found: &Value, expected: &Value, name: &str) {
    let letters = |document: &Value| document["decision"].as_str().unwrap().to_owned();
    let ties = |document: &Value, place: usize| {
        document["ties"].as_array().unwrap().iter().any(|tie| *tie == place)
    };
    let both = letters(found);
    assert_eq!(both.len(), letters(expected).len());
    for (place, (a, b)) in both.chars().zip(letters(expected).chars()).enumerate() {
        assert!(a == b || ties(found, place) || ties(expected, place), "{name}, {place}");
    }
}

#[test]
fn remaps_that_lead_nowhere_are_told_once() {
    let place = Workplace::new();
    place.model(
        "astray.ron",
        "Stopping(processes: Distinct([Walk(levels: 4, up: 0.25, down: 0.25, edge: Hold), \
         Walk(levels: 3, up: 0.2, down: 0.25, edge: Hold)]), capacities: [1.0, 1.0], remap_cost: 2.0, \
         after_remap: Restart)",
    );
    let expected = place.run(1, &["solve", "astray.ron"]);
    let found = place.run(2, &["solve", "astray.ron"]);
    assert_eq!(found.status.code(), expected.status.code());
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let message = said(&expected);
    if expected.status.code() == Some(1) {
        let first = message.lines().next().unwrap();
        assert_eq!(said(&found).matches(first).count(), 1, "{}", said(&found));
    }
}

#[test]
fn what_ranks_do_not_share_is_solved_by_the_first() {
    let place = Workplace::new();
    place.model(
        "partial.ron",
        "Stopping(processes: Identical(count: 3, chain: Walk(levels: 5, up: 0.25, down: 0.25, edge: Reflect)), \
         remap_cost: (fixed: 2.0, per_unit_moved: 1.0), after_remap: Restart, partial_remaps: true)",
    );
    let expected = place.serial("partial.ron", &settings(Method::Auto));
    let output = place.run(2, &["solve", "partial.ron", "--values", "--json"]);
    let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
    found["seconds"] = Value::Null;
    assert_eq!(found, expected);
    assert!(String::from_utf8_lossy(&output.stderr).contains("solved on one rank"));
}

/// A long map, beside that of one rank, as Python reads them.
#[test]
fn numpy_reads_what_ranks_have_written_together() {
    let place = Workplace::new();
    place.model(
        "long.ron",
        "Stopping(processes: Distinct([Walk(levels: 101, up: 0.25, down: 0.25, edge: Reflect), \
         Walk(levels: 100, up: 0.2, down: 0.25, edge: Hold), Walk(levels: 100, up: 0.3, down: 0.25, edge: Reflect)]), \
         remap_cost: 6.0, after_remap: Stop)",
    );
    let solve = |ranks, folder: &str| {
        place.json(ranks, &["solve", "long.ron", "--method", "value", "--json", "--out", folder])
    };
    let (one, three) = (solve(1, "one"), solve(3, "three"));
    assert_eq!(one, three);
    assert_eq!(one["counts"], place.serial("long.ron", &settings(Method::Value))["counts"]);
    for kind in ["decision", "value"] {
        let read = |folder: &str| {
            std::fs::read(place.path().join(format!("{folder}/long.{kind}.npy"))).unwrap()
        };
        assert_eq!(read("one"), read("three"), "{kind}");
    }
    let script = "import numpy\n\
                  decision, value = (numpy.load(f'three/long.{kind}.npy', mmap_mode='r') for kind in ('decision', 'value'))\n\
                  print(decision.shape, value.shape, (decision == b'B').sum(), value[3, 3, 3], decision[0, 50, 99])";
    let python = Command::new("python3").args(["-c", script]).current_dir(place.path()).output();
    match python {
        Ok(output) if output.status.success() => {
            let balanced = one["counts"]["balanced"].as_f64().unwrap();
            let expected = format!("(101, 100, 100) (101, 100, 100) {balanced} 0.0 b'R'\n");
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        }
        _ => eprintln!("there is no Python with numpy: the files are not read"),
    }
}
