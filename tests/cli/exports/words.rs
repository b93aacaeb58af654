//! What exported rules and settings say of themselves is so, and what no rule says of all steps or
//! loads is not exported.

use crate::support::prelude::*;

fn drift(rest: &str) -> String {
    stated(format!(
        "LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 7, up: 0.3, down: 0.3, edge: Hold), initial_load: 4, \
         steps: 40, remap_cost: 2, {rest})"
    ))
}

/// Where the model is solved as `solution.json`.
fn solved(model: &str) -> Workplace {
    let place = Workplace::of(model);
    place.solved("model.ron");
    place
}

fn exported(place: &Workplace, target: &str) -> String {
    let text = place.shown(format!("export solution.json --to {target}"));
    text.lines()
        .map(|line| line.trim_start_matches(['#', '/', '*', '!', ' ']))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn decisions_before_steps_are_told_and_are_no_levels_of_codes() {
    let place = solved(&drift("decide: BeforeStep"));
    for target in ["c", "python", "rust", "fortran"] {
        assert!(exported(&place, target).contains("by the times of the step about to be made"));
    }
    for target in ["lammps", "swift", "openfoam", "fourc"] {
        let refused = place.remap(format!("export solution.json --to {target}")).exits(1);
        refused.says("knows the times of the last step").says("decide: AfterStep");
    }
    let after = solved(&drift("decide: AfterStep"));
    assert!(!exported(&after, "c").contains("about to be made"));
    after.remap("export solution.json --to lammps").exits(0);
}

#[test]
fn remaps_beside_steps_are_told() {
    let place = solved(&drift("overlap: (steps: 2, slowdown: 0.1)"));
    for target in ["c", "python", "lammps"] {
        let force = "comes into force 2 steps after its decision, which are 10 % slower";
        has(&exported(&place, target), &[force, "counted from its decision"]);
    }
}

#[test]
fn what_follows_a_remap_is_told() {
    for (premature, said) in [
        ("Revert", "go on with a belief of 0"),
        ("Keep(before_remapped: 1.5)", "There is one remap"),
    ] {
        let model = MODEL.replace("(0.05),", &format!("(0.05), premature: {premature},"));
        has(&exported(&solved(&model), "python"), &[said]);
    }
}

/// A log with one step for ten of the program: thresholds on a belief are by steps of the log.
#[test]
fn steps_of_beliefs_are_those_of_the_log() {
    for (model, whose) in [(MODEL, "log"), (&*drift(""), "program")] {
        let place = solved(&model.replace("problem:", "stride: 10, job_steps: 400, problem:"));
        has(&exported(&place, "c"), &[&format!("Steps below are those of the {whose}.")]);
    }
}

/// The thresholds of the last steps say nothing of those before: an interval whose cost is known
/// takes their place.
#[test]
fn a_stopped_job_has_no_thresholds() {
    let model =
        drift("").replace("processors: 3", "processors: 7").replace("steps: 40", "steps: 100000");
    for limit in ["0.001", "0.3"] {
        let place = Workplace::of(&model);
        let solve = format!("solve model.ron --json --method exact --time-limit {limit}");
        let stopped = place.remap(solve).exits(3);
        place.write("solution.json", &stopped.out);
        let found = stopped.json();
        assert!(found["value"].is_null());
        let exported = place.remap("export solution.json --to c");
        match found["best_fixed"]["interval"].as_u64() {
            Some(every) => {
                let interval = format!("REMAP_INTERVAL INT64_C({every})");
                let stopped = "stopped before it came to the first step";
                has(&exported.exits(0).out, &[&interval, stopped]);
            }
            None => drop(exported.exits(1).says("stopped before it came to the first step")),
        }
    }
}

#[test]
fn maps_without_an_end_are_not_exported() {
    let place = solved(&deck_text("stopping/unbounded.ron"));
    for target in ["c", "python", "csv", "lammps"] {
        let refused = place.remap(format!("export solution.json --to {target}")).exits(1);
        refused.says("no highest load");
    }
}

/// Documents that have been put together, or altered, are refused.
#[test]
fn documents_that_are_not_whole_are_refused() {
    let place = solved(&deck_text("stopping/yin_xu_wang.ron"));
    let text = place.read("solution.json");
    let decisions = place.document("solution.json")["decision"].text().to_owned();
    place.remap("export solution.json --to c").exits(0);
    place.write("solution.json", format!("{text}{text}"));
    place.remap("export solution.json --to c").exits(1).says("not one solution alone");
    place.write("solution.json", text.replace(&decisions, &decisions.replacen('C', "R", 1)));
    place.remap("export solution.json --to c").exits(1).says("`counts`");
    let place = solved(&drift(""));
    let text = place.read("solution.json").replace("\"steps\": 40", "\"steps\": 4");
    place.write("solution.json", text);
    place.remap("export solution.json --to c").exits(1).says("after the last");
}

/// Settings that are priced on paths say how far these know it, and never claim to beat the
/// optimum.
#[test]
fn settings_do_not_beat_the_optimum() {
    for rest in some(1, ["", "objective: Makespan", "rebalance: Split"]) {
        let place = solved(&drift(rest));
        for target in ["lammps", "swift", "vt", "smilei"] {
            let found = place.remap(format!("export solution.json --to {target}"));
            lacks(&found.out, &["costs -"]);
            if found.out.contains("simulated paths") {
                has(&found.out.replace("\n# ", " "), &["95 times in 100"]);
            }
        }
    }
}

/// The fixed interval of a job between bounds is one that was evaluated, or none is named.
#[test]
fn fixed_intervals_between_bounds_are_evaluated() {
    let place = Workplace::of(drift(""));
    let found =
        |method: &str| place.remap(format!("solve model.ron --json --method {method}")).json();
    let (exact, bounds) = (found("exact"), found("bounds"));
    let cost = |found: &serde_json::Value| found["best_fixed"]["value"].f64();
    assert!(bounds["best_fixed"]["interval"].is_u64(), "{bounds}");
    assert!(cost(&bounds) >= cost(&exact) * (1.0 - 1e-9));
    assert!(cost(&bounds) <= 1.2 * cost(&exact), "{} {}", cost(&bounds), cost(&exact));
}
