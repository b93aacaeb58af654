//! What exported rules and settings say of themselves is so, and what no rule says of all steps or
//! loads is not exported.

use crate::support::workplace::{Json, Workplace, has};
use crate::thorough::some;

fn drift(rest: &str) -> String {
    format!(
        "Model(title: \"words\", problem: LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 7, up: 0.3, down: 0.3, \
         edge: Hold), initial_load: 4, steps: 40, remap_cost: 2, {rest}))"
    )
}

/// Solves the model with these options into `solution.json`.
fn solved(model: &str, options: &[&str], code: i32) -> Workplace {
    let place = Workplace::of(model);
    let outcome = place.run(&[&["solve", "model.ron", "--json"], options].concat()).exits(code);
    place.write("solution.json", outcome.out);
    place
}

fn exported(place: &Workplace, target: &str) -> String {
    let text = place.run(&["export", "solution.json", "--to", target]).exits(0).out;
    text.lines()
        .map(|line| line.trim_start_matches(['#', '/', '*', '!', ' ']))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn decisions_before_steps_are_told_and_are_no_levels_of_codes() {
    let place = solved(&drift("decide: BeforeStep"), &[], 0);
    for target in ["c", "python", "rust", "fortran"] {
        assert!(exported(&place, target).contains("by the times of the step about to be made"));
    }
    for target in ["lammps", "swift", "openfoam", "fourc"] {
        let refused = place.run(&["export", "solution.json", "--to", target]).exits(1);
        refused.says("knows the times of the last step").says("decide: AfterStep");
    }
    let after = solved(&drift("decide: AfterStep"), &[], 0);
    assert!(!exported(&after, "c").contains("about to be made"));
    after.remap("export solution.json --to lammps").exits(0);
}

#[test]
fn remaps_beside_steps_are_told() {
    let place = solved(&drift("overlap: (steps: 2, slowdown: 0.1)"), &[], 0);
    for target in ["c", "python", "lammps"] {
        let text = exported(&place, target);
        has(
            &text,
            &[
                "comes into force 2 steps after its decision, which are 10 % slower",
                "counted from its decision",
            ],
        );
    }
}

#[test]
fn what_follows_a_remap_is_told() {
    let model = |premature: &str| {
        format!(
            "Model(title: \"words\", problem: PhaseChange(lifetime: Fixed(30), cycle: (before: 1.0, after: 2.0, remapped: 1.0), \
             remap: (test: 1.0, install: 0.5), detector: (false_alarm: 0.1, missed: 0.2), hazard: Constant(0.05), \
             premature: {premature}))"
        )
    };
    let revert = solved(&model("Revert"), &[], 0);
    assert!(exported(&revert, "python").contains("go on with a belief of 0"));
    let keep = solved(&model("Keep(before_remapped: 1.5)"), &[], 0);
    assert!(exported(&keep, "python").contains("There is one remap"));
}

/// A log with one step for ten of the program: thresholds on a belief are by steps of the log.
#[test]
fn steps_of_beliefs_are_those_of_the_log() {
    let model = "Model(title: \"words\", stride: 10, job_steps: 1000, problem: PhaseChange(lifetime: Fixed(99), \
                 cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 1.0, install: 0.5), \
                 detector: (false_alarm: 0.1, missed: 0.2), hazard: Constant(0.05)))";
    let place = solved(model, &[], 0);
    assert!(exported(&place, "c").contains("Steps below are those of the log."));
    let place =
        solved(&drift("").replace("problem:", "stride: 10, job_steps: 400, problem:"), &[], 0);
    assert!(exported(&place, "c").contains("Steps below are those of the program."));
}

/// The thresholds of the last steps say nothing of those before: an interval whose cost is known
/// takes their place.
#[test]
fn a_stopped_job_has_no_thresholds() {
    let model =
        drift("").replace("processors: 3", "processors: 7").replace("steps: 40", "steps: 100000");
    for limit in ["0.001", "0.3"] {
        let options = ["--method", "exact", "--time-limit", limit];
        let place = solved(&model, &options, 3);
        let found = place.document("solution.json");
        assert!(found["value"].is_null());
        let exported = place.remap("export solution.json --to c");
        match found["best_fixed"]["interval"].as_u64() {
            Some(every) => {
                let text = exported.exits(0).out;
                has(
                    &text,
                    &[
                        &format!("REMAP_INTERVAL INT64_C({every})"),
                        "stopped before it came to the first step",
                    ],
                );
            }
            None => drop(exported.exits(1).says("stopped before it came to the first step")),
        }
    }
}

#[test]
fn maps_without_an_end_are_not_exported() {
    let model = "Model(title: \"words\", problem: Stopping(processes: Unbounded(count: 2, up: 0.2, down: 0.3, edge: Reflect, \
                 shown: 6), remap_cost: 3.0, after_remap: Stop))";
    let place = solved(model, &[], 0);
    for target in ["c", "python", "csv", "lammps"] {
        let refused = place.run(&["export", "solution.json", "--to", target]).exits(1);
        refused.says("no highest load");
    }
}

/// Documents that have been put together, or altered, are refused.
#[test]
fn documents_that_are_not_whole_are_refused() {
    let model = "Model(title: \"words\", problem: Stopping(processes: Identical(count: 2, chain: Walk(levels: 6, up: 0.25, \
                 down: 0.25, edge: Hold)), remap_cost: 3.0, after_remap: Stop))";
    let place = solved(model, &[], 0);
    let text = place.read("solution.json");
    place.remap("export solution.json --to c").exits(0);
    place.write("solution.json", format!("{text}{text}"));
    place.remap("export solution.json --to c").exits(1).says("not one solution alone");
    let decisions = serde_json::from_str::<serde_json::Value>(&text).unwrap();
    let decisions = decisions["decision"].text().to_owned();
    place.write("solution.json", text.replace(&decisions, &decisions.replacen('C', "R", 1)));
    place.remap("export solution.json --to c").exits(1).says("`counts`");
    let place = solved(&drift(""), &[], 0);
    let text = place.read("solution.json").replace("\"steps\": 40", "\"steps\": 4");
    place.write("solution.json", text);
    place.remap("export solution.json --to c").exits(1).says("after the last");
}

/// Settings that are priced on paths say how far these know it, and never claim to beat the
/// optimum.
#[test]
fn settings_do_not_beat_the_optimum() {
    for rest in some(1, ["", "objective: Makespan", "rebalance: Split"]) {
        let place = solved(&drift(rest), &[], 0);
        for target in ["lammps", "swift", "vt", "smilei"] {
            let found = place.run(&["export", "solution.json", "--to", target]);
            assert!(!found.out.contains("costs -"), "{}", found.out);
            if found.out.contains("simulated paths") {
                assert!(
                    found.out.replace("\n# ", " ").contains("95 times in 100"),
                    "{}",
                    found.out
                );
            }
        }
    }
}

/// The fixed interval of a job between bounds is one that was evaluated, or none is named.
#[test]
fn fixed_intervals_between_bounds_are_evaluated() {
    let place = Workplace::of(drift(""));
    let found = |options: &[&str]| {
        let all = [&["solve", "model.ron", "--json"], options].concat();
        place.run(&all).json()
    };
    let (exact, bounds) = (found(&["--method", "exact"]), found(&["--method", "bounds"]));
    let cost = |found: &serde_json::Value| found["best_fixed"]["value"].f64();
    assert!(bounds["best_fixed"]["interval"].is_u64(), "{bounds}");
    assert!(cost(&bounds) >= cost(&exact) * (1.0 - 1e-9));
    assert!(cost(&bounds) <= 1.2 * cost(&exact), "{} {}", cost(&bounds), cost(&exact));
}
