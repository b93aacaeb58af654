//! `ManyPhases` models from the command line.

use crate::support::prelude::*;

/// Two phases over some cycles, as `PhaseSwitching` and as `ManyPhases`.
const TWO: &str = "PhaseSwitching(lifetime: Fixed(9), cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0)), \
                   switch: (to_second: 1.5, to_first: 0.7), rates: (to_second: 0.05, to_first: 0.1), detector: \
                   (false_alarm: 0.1, missed: 0.2), initial: 0.3)";
const MANY: &str = "ManyPhases(lifetime: Fixed(9), cycle: [[1.0, 1.8], [2.0, 1.1]], switch: [[0, 1.5], [0.7, 0]], \
                    transition: [[0.95, 0.05], [0.1, 0.9]], detector: [[0.9, 0.1], [0.2, 0.8]], initial: [0.7, 0.3])";

fn run(problem: &str, command: &str) -> Outcome {
    Workplace::stating(problem).remap(command)
}

/// Two phases are a special case: the values are the same, exactly and between bounds.
#[test]
fn two_phases_cost_what_they_cost_by_thresholds() {
    let short = |problem: &str| problem.replace("Fixed(9)", "Fixed(2)");
    let two = run(&short(TWO), "solve model.ron --json --exact").exits(0).json();
    let many = run(&short(MANY), "solve model.ron --json").exits(0).json();
    assert_eq!(many["problem"], "many_phases");
    assert_eq!(many["exact"], two["exact"]["value"]);
    let ([low, high], [lower, upper]) = (two["value"].ends(), many["value"].ends());
    assert!(lower <= high && low <= upper, "{low} {high} {lower} {upper}");
    // Too long to follow all vectors: on grids.
    let long = |problem: &str| problem.replace("Fixed(9)", "Fixed(60)");
    let [low, high] = run(&long(TWO), "solve model.ron --json").exits(0).json()["value"].ends();
    let many = run(&long(MANY), "solve model.ron --json --tolerance 1e-3").exits(0).json();
    let [lower, upper] = many["value"].ends();
    assert!(many["exact"].is_null() && lower <= high && low <= upper, "{many}");
    assert!(upper - lower <= 1e-3 * upper, "{many}");
    assert_eq!(many["tolerance"], 1e-3);
}

/// Where a program is sure of the phase, it goes to the mapping of it, if the phase lasts and
/// mappings differ.
#[test]
fn decisions_on_beliefs() {
    let workplace = Workplace::new();
    let deck = "models/many_phases/three_phases.ron";
    let found = workplace.solved(deck);
    let beliefs = found["beliefs"].list();
    let sure = |z: usize| beliefs.iter().position(|belief| belief[z] == 1.0).unwrap();
    for m in 0..3 {
        let row = &found["decision"][m];
        assert_eq!(row.list().len(), beliefs.len());
        for z in 0..3 {
            assert_eq!(row[sure(z)], z + 1, "mapping {m}, phase {z}");
        }
    }
    let [lower, upper] = found["value"].ends();
    assert!(upper - lower <= 1e-2 * upper && lower > 200.0, "{lower} {upper}");
    let text = workplace.shown(format!("solve {deck} --plot beliefs.svg"));
    assert!(text.lines().nth(1).unwrap().starts_with("expected completion time = "), "{text}");
    has(&workplace.read("beliefs.svg"), &["go to mapping 3"]);
    // What is written is read again, and shown.
    workplace.remap("report solution.json -o report.html").exits(0);
    let mut wrong = found.clone();
    wrong["beliefs"][0][0] = 0.5.into();
    workplace.write("wrong.json", wrong.to_string());
    workplace.remap("report wrong.json -o wrong.html").exits(1).says("no laws");
    workplace.remap(format!("solve {deck} --certificate c")).exits(0);
    workplace.remap(format!("verify {deck} c")).exits(0);
    workplace.remap("export solution.json --to c").exits(1).says("many_phases");
}

/// A remap that fits whatever phase is on costs no less than what an observer of the phases would
/// pay.
#[test]
fn remaps_that_fit() {
    let found = Workplace::new().answer("solve models/many_phases/fitted.ron --tolerance 0.02");
    assert_eq!((&found["fitted"], &found["discount"]), (&true.into(), &0.95.into()));
    let rows = found["decision"].list();
    assert!(rows.iter().flat_map(|row| row.list()).any(|to| *to == 0), "{found}");
    // Nothing but the shortest cycles, and no remaps at all under the first mapping.
    let [lower, upper] = found["value"].ends();
    assert!(20.0 < lower && upper < 1.7 * 20.0, "{lower} {upper}");
}

#[test]
fn what_is_wrong_is_said() {
    for (from, to, words) in [
        ("lifetime: Fixed(9), ", "", "one of `lifetime` and `discount`"),
        ("lifetime: Fixed(9)", "lifetime: Fixed(9), discount: 0.5", "one of `lifetime` and"),
        ("lifetime: Fixed(9)", "discount: 1", "no discount"),
        ("lifetime: Fixed(9)", "lifetime: Fixed(1000000)", "horizon is too long"),
        ("[0.95, 0.05]", "[0.95, 0.06]", "sum"),
        ("[0.95, 0.05]", "[0.95]", "another shape"),
        ("[0.9, 0.1]", "[0.9, 1.1]", "1.1"),
        ("[0, 1.5]", "[0, -1.5]", "-1.5"),
        ("initial: [0.7, 0.3]", "initial: [1]", "one for each phase"),
        ("cycle: [[1.0, 1.8], [2.0, 1.1]]", "cycle: []", "number of phases"),
    ] {
        assert!(MANY.contains(from));
        run(&MANY.replace(from, to), "solve model.ron").exits(1).says(words);
    }
    run(MANY, "compare model.ron").exits(1).says("compare takes");
    // Stopped at once there is nothing, or what is known by then; never a claim.
    let many = MANY.replace("Fixed(9)", "Fixed(3000)");
    let stopped = run(&many, "solve model.ron --json --tolerance 1e-9 --time-limit 0.2");
    assert_eq!(stopped.exits(3).json()["status"], "time_limit");
}

/// A discount so near 1 that no grid helps ends, with the bounds that there are.
#[test]
#[ignore = "minutes without optimisation; run with: cargo test --release -p remapping-cli --test cli discounts_next -- --ignored"]
fn discounts_next_to_1_come_to_an_end() {
    let place = Workplace::stating(
        "ManyPhases(discount: 0.999999, cycle: [[1, 2], [2, 1]], switch: [[0, 1], [1, 0]], \
         transition: [[0.9, 0.1], [0.2, 0.8]], detector: [[0.9, 0.1], [0.2, 0.8]])",
    );
    let found = place.remap("solve model.ron --json").exits(3).json();
    let [lower, upper] = found["value"].ends();
    // Between always the better mapping and always the worse one.
    assert!(1e6 <= upper && lower <= 2e6 && lower < upper, "{found}");
}
