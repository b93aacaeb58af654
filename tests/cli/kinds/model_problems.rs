//! The model problems of \[NR90\] from the command line.

use crate::support::prelude::*;

const FLUIDS: &str = "models/fluids/figure6.ron";
const BATTLE: &str = "models/land_battle/figure7.ron";

/// Two scenarios, as `small.ron`.
fn small(problem: &str) -> Workplace {
    let place = Workplace::new();
    place.write("small.ron", format!("Model(title: \"small\", problem: {problem})"));
    place
}

#[test]
fn comparing_prints_every_policy_and_curve() {
    for (model, problem, positions) in [(FLUIDS, "fluids", 21), (BATTLE, "land_battle", 16)] {
        let document = Workplace::new().answer(format!("compare {model} --runs 2 --seed 3"));
        assert_eq!(document["problem"], problem);
        assert_eq!(document["status"], "converged");
        assert_eq!(document["runs"], 2);
        assert!(document["seconds"].is_f64());
        let policies = document["policies"].list();
        assert_eq!(policies.len(), 6);
        for policy in policies {
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
    let text = Workplace::new().shown(format!("compare {FLUIDS}"));
    has(&text, &["all runs are the same"]);
    lacks(&text, &["confidence"]);
    let heading = text.lines().find(|line| line.trim_start().starts_with("at ")).unwrap();
    let columns = heading.split_whitespace().count();
    let rows = text.lines().skip_while(|line| *line != heading).skip(1);
    let rows: Vec<&str> = rows.take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 21);
    for row in rows {
        let numbers = row.replace(" ± ", "±");
        assert_eq!(numbers.split_whitespace().count(), columns, "{row}");
    }
    let sampled = Workplace::new().shown(format!("compare {BATTLE} --runs 2"));
    has(&sampled, &["(2 runs)", "95 % confidence"]);
}

#[test]
fn same_seed_same_numbers_on_any_number_of_threads() {
    let place = small("LandBattle(separations: [4, 30], steps: 40)");
    let run = |threads: u32, seed: u32| {
        let asked = format!("compare small.ron --runs 4 --seed {seed} --threads {threads}");
        timeless(place.answer(asked))
    };
    assert_eq!(run(1, 5), run(3, 5));
    assert_ne!(run(2, 5), run(2, 6));
}

#[test]
fn policies_can_be_chosen() {
    let place = small("LandBattle(separations: [4, 30], steps: 40)");
    let document = place.answer("compare small.ron --policies static_old,optimal --runs 2");
    let names: Vec<_> = document["policies"].list().iter().map(|p| p["policy"].clone()).collect();
    assert_eq!(names, ["static_old", "optimal"]);
    let refused = place.remap("compare small.ron --policies optimum --runs 2").exits(1);
    refused.says("optimum").says("lower_bound");
}

#[test]
fn files_are_written_once() {
    let place = small("LandBattle(separations: [4, 30], steps: 20)");
    let compare = "compare small.ron --runs 3 --out out --plot figure.svg";
    has(&place.shown(compare), &["hexes between the sides"]);
    assert!(place.read("figure.svg").starts_with("<svg"));
    assert_eq!(place.document("out/small.json")["curves"][0]["time"].list().len(), 2);
    for name in ["4-old", "4-new", "4-dynamic", "30-old", "30-new", "30-dynamic"] {
        let csv = place.read(&format!("out/small-{name}.csv"));
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some("step,rank,seconds,remapped,remap_seconds"));
        assert_eq!(lines.count(), 20 * 8);
        let remapped = csv.lines().filter(|line| line.split(',').nth(3) == Some("1")).count();
        assert_eq!(remapped, if name == "4-dynamic" { 8 } else { 0 }, "{name}");
    }
    place.remap(compare).exits(1);
    place.remap(format!("{compare} --force")).exits(0);
}

#[test]
fn solving_gives_the_thresholds_of_every_scenario() {
    let document = Workplace::new().answer(format!("solve {FLUIDS}"));
    let scenarios = document["scenarios"].list();
    assert_eq!(scenarios.len(), 21);
    for scenario in scenarios {
        assert_eq!(scenario["threshold"].list().len(), 80);
        assert_eq!(scenario["parameters"]["before"], 360.0);
    }
    assert_eq!(Workplace::new().answer(format!("check {BATTLE}"))["decision_steps"], 60);
}

#[test]
fn faults_of_a_model_are_located() {
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
        small(problem).remap("check small.ron").exits(1).says(word).says("small.ron");
    }
    let unstable = small("Fluids(transport: (calls: One, sub_cycles: 1))");
    unstable.remap("check small.ron").exits(0).says("blows up");
}

/// One processor, one run, one scenario without a second phase: nothing to estimate, nothing to
/// gain.
#[test]
fn the_least_there_can_be() {
    let place = small("Fluids(wave: (after: [1.0]), processors: 1, steps: 3)");
    has(&place.shown("compare small.ron --runs 1 --plot least.png"), &["static_old"]);
    assert!(std::fs::read(place.path("least.png")).unwrap().starts_with(b"\x89PNG"));
    let document = place.answer("compare small.ron --runs 1");
    assert_eq!(document["parameters"], serde_json::json!([null]));
    assert_eq!(document["speedup"][0]["speedup"], 1.0);
    assert!(document["policies"][0]["half_width"].is_null());
    has(&place.shown("solve small.ron"), &["no run has both phases"]);
}

#[test]
fn a_time_limit_leaves_out_what_was_not_finished() {
    let compare = format!("compare {BATTLE} --runs 3000 --time-limit 0.2 --json");
    let document = Workplace::new().remap(compare).exits(3).json();
    assert_eq!(document["status"], "time_limit");
    assert!(document["at"].list().len() < 16);
}
