//! What cannot be done is said alike by all verbs, with the limit that was hit and what would help;
//! no number is anything but itself.

use crate::support::prelude::*;

const CHAIN: &str = "%%MatrixMarket matrix coordinate real general\n5 5 9\n1 1 0.5\n1 2 0.25\n1 3 0.25\n2 4 0.5\n\
                     2 1 0.5\n3 5 0.5\n3 1 0.5\n4 4 1.0\n5 5 1.0\n";

fn two_domains(after: &str) -> String {
    stated(format!(
        "Stopping(processes: Joint(loads: [[1, 1], [2, 0], [0, 2], [3, 0], [0, 3]], transition: File(\"chain.mtx\")), \
         remap_cost: 3.0, after_remap: {after})"
    ))
}

#[test]
fn check_refuses_what_solve_refuses() {
    let place = Workplace::new();
    place.write("chain.mtx", CHAIN);
    let partial = "Stopping(processes: Joint(loads: [[0, 0], [2, 0], [1, 1]], transition: Dense([[0.5, 0.5, 0], \
                   [0, 0.5, 0.5], [0.5, 0, 0.5]])), remap_cost: (fixed: 1, per_unit_moved: 1), partial_remaps: true, \
                   after_remap: Restart)";
    let shown = "Stopping(processes: Unbounded(count: 12, up: 0.2, down: 0.3, edge: Reflect, shown: 40), \
                 remap_cost: 4, after_remap: Stop)";
    for model in [two_domains("Restart"), stated(partial), stated(shown)] {
        place.write("model.ron", &model);
        let solve = place.remap("solve model.ron");
        let check = place.remap("check model.ron");
        assert_eq!((solve.code, &solve.err), (check.code, &check.err), "{model}");
    }
    place.write("model.ron", two_domains("Restart"));
    let refused = place.remap("check model.ron").exits(1);
    refused.says("a remap of the loads [3, 0] leads out of the levels");
}

#[test]
fn rules_that_nobody_named_are_left_out_where_they_never_end() {
    let place = Workplace::new();
    place.write("chain.mtx", CHAIN);
    place.write("model.ron", two_domains("Stop"));
    let found = place.remap("compare model.ron --json").exits(0);
    let document = found.json();
    let names: Vec<&str> =
        document["policies"].list().iter().map(|line| line["policy"].text()).collect();
    assert!(names.contains(&"optimal") && !names.contains(&"stop_at_rise"), "{names:?}");
    let left_out = "left out: under `stop_at_rise` the computation may go on without balance or remap for ever";
    assert!(document["warnings"].list().iter().any(|warning| warning == left_out), "{document}");
    found.says(left_out);
    let refused = place.remap("compare model.ron --policies optimal,stop_at_rise").exits(1);
    refused.says("leave it out of --policies");
}

#[test]
fn shares_above_one_are_asked_about() {
    let periodic = |bound: &str| {
        stated(format!(
            "Periodic(initial_load: 100, bound: {bound}, changes: Identical(count: 32, law: Normal(mean: 0.1, deviation: 1)))"
        ))
    };
    for (kind, bound, percent, share) in [("Max", 10, 1000, "0.1"), ("Rms", 5, 500, "0.05")] {
        let asked = Workplace::of(periodic(&format!("{kind}Deviation({bound})")));
        asked.remap("check model.ron").exits(0).says(&format!(
            "is {bound}: it lets loads differ from the mean by {percent} %; if {bound} % is meant, write {share}"
        ));
    }
    let one = Workplace::of(periodic("MaxDeviation(1)")).remap("check model.ron").exits(0);
    lacks(&one.err, &["is meant"]);
    let change = Workplace::of(MODEL.replace("missed: 0.2", "missed: 20")).remap("solve model.ron");
    change.exits(1).says("give a number from 0 to 1: 20 % is 0.2");
}

#[test]
fn numbers_that_no_double_holds_are_told() {
    let stopping = |cost: &str| {
        stated(format!(
            "Stopping(processes: Identical(count: 2, chain: Walk(levels: 4, up: 0.25, down: 0.25, edge: Reflect)), \
             remap_cost: {cost}, after_remap: Stop)"
        ))
    };
    for verb in ["solve model.ron", "check model.ron"] {
        Workplace::of(stopping("1e-400")).remap(verb).exits(0).says("`1e-400` counts as 0");
        for cost in ["0", "0e-400", "1e-300"] {
            let quiet = Workplace::of(stopping(cost)).remap(verb).exits(0);
            lacks(&quiet.err, &["counts as 0"]);
        }
    }
}

/// Neither moves nor remaps lead from one half of the states to the other.
#[test]
fn several_closed_classes_are_the_reason_of_bounds_that_stay_apart() {
    let place = Workplace::stating(
        "Stopping(processes: Joint(loads: [[1, 1], [2, 0], [2, 2], [4, 0]], transition: Dense([[0.5, 0.5, 0, 0], \
         [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5]])), remap_cost: 3.0, after_remap: Restart)",
    );
    let found = place.remap("solve model.ron").exits(3);
    has(&found.err, &["one of 2 closed classes of states to another"]);
    has(&found.err, &["solve each class as a model of its own"]);
}

/// A gap that neither paths nor time reach.
#[test]
fn a_gap_that_is_not_reached_says_why() {
    let place = Workplace::stating(
        "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 8, up: 0.3, down: 0.1, edge: Hold), \
         initial_load: 4, steps: 20, remap_cost: 3)",
    );
    let found = place.remap("solve model.ron --method bounds --tolerance 1e-4").exits(3);
    has(&found.err, &["the gap of 1e-4 was not reached after "]);
    let reasons = ["neither time nor paths would help", "these are the most that are drawn"];
    assert!(reasons.iter().any(|reason| found.err.contains(reason)), "{}", found.err);
    let asked = found.err.split("--tolerance ").nth(1).unwrap().split(' ').next().unwrap();
    place.remap(format!("solve model.ron --method bounds --tolerance {asked}")).exits(0);
}

#[test]
fn no_fact_is_a_saturated_number() {
    let place = Workplace::new();
    let drift = |processors: u64, levels: u64| {
        stated(format!(
            "LoadDrift(processors: {processors}, chain: Walk(lowest: 1, levels: {levels}, up: 0.2, down: 0.2, edge: Hold), \
             initial_load: 10, steps: 100, remap_cost: 5)"
        ))
    };
    let stopping = "Stopping(processes: Identical(count: 24, chain: Walk(levels: 60, up: 0.25, down: 0.25, edge: Hold)), \
                    remap_cost: 4, after_remap: Stop)";
    for model in [drift(64, 21), drift(65536, 40), stated(stopping)] {
        place.write("model.ron", &model);
        let wrong = ["18446744073709551615", "18446744073709552000", "9223372036854775807", "null"];
        lacks(&place.remap("check model.ron --json").out, &wrong);
    }
    place.write("model.ron", drift(64, 21));
    let bytes = place.answer("check model.ron")["memory_bytes"].f64();
    assert!(bytes > 1e20, "{bytes}");
}

#[test]
fn a_wrong_probability_of_a_file_is_named() {
    let place = Workplace::new();
    for (wrong, place_of) in [("-0.25", "1 3 -0.25"), ("1.5", "1 3 1.5")] {
        place.write("chain.mtx", CHAIN.replace("1 3 0.25", place_of));
        place.write("model.ron", two_domains("Stop"));
        let refused = place.remap("check model.ron").exits(1);
        lacks(&refused.err, &["not a Matrix Market file"]);
        refused.says(&format!("the entry (1, 3) is {wrong}"));
    }
}

/// A trace without remaps has no cost of one; what the model says is told, and is what the other
/// verbs take.
#[test]
fn traces_without_remaps_say_what_a_remap_costs() {
    let place = Workplace::new();
    let drift = "LoadDrift(processors: 4, chain: Walk(lowest: 1, levels: 9, up: 0.2, down: 0.2, edge: Hold), \
                 initial_load: 5, steps: 400, remap_cost: 2.5)";
    let periodic = "Periodic(initial_load: 100, remap_cost: 2.5, changes: Identical(count: 4, law: Normal(mean: 0.1, deviation: 1)))";
    for problem in [drift, periodic] {
        place.state(problem);
        let made = place.remap("simulate model.ron --trace t.csv --force").exits(0);
        made.says("give --remap-cost 2.5 to fit, advise and replay");
        place.remap("advise t.csv --remap-cost 2.5").exits(0);
    }
    place.state(drift);
    let made = place.remap("simulate model.ron --policy fixed:10 --trace r.csv").exits(0);
    lacks(&made.err, &["--remap-cost"]);
    place.remap("advise r.csv").exits(0);
}

/// Labels of a sweep's picture differ from each other and fit; numbers that differ by no more than
/// they may be off are no curve.
#[test]
fn labels_of_a_sweep_can_be_read() {
    let place = Workplace::stating(
        "PhaseChange(lifetime: Uniform(first: 300, last: 600), cycle: (before: 2, after: 3, remapped: 2.2), \
         remap: (test: 1, install: 20), detector: (false_alarm: 0.02, missed: 0.2), hazard: Constant(0.004))",
    );
    place.remap("sweep model.ron --set problem.remap.install=0:60:20 --plot s.svg").exits(0);
    let svg = place.read("s.svg");
    let texts = svg.split("<text").skip(1).filter_map(|text| text.split('>').nth(1));
    let texts = texts.filter_map(|text| text.split('<').next()).map(str::trim);
    let texts: Vec<&str> = texts.collect();
    let labels: Vec<&&str> = texts.iter().filter(|text| text.parse::<f64>().is_ok()).collect();
    assert!(labels.len() > 10 && labels.iter().all(|label| label.len() <= 8), "{texts:?}");
    assert!(!texts.contains(&"pi_0") && texts.contains(&"n0"), "{texts:?}");
    for pair in labels.windows(2) {
        assert_ne!(pair[0], pair[1], "{texts:?}");
    }
}
