//! `PhaseSwitching` models from outside: thresholds and bounds, long and endless programs, what is
//! stopped.

use crate::support::prelude::*;

pub const SWITCHING: &str = r#"Model(
    title: "Back and forth",
    problem: PhaseSwitching(
        lifetime: Fixed(12),
        cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0)),
        switch: (to_second: 2.0, to_first: 1.5),
        rates: (to_second: 0.02, to_first: 0.04),
        detector: (false_alarm: 0.1, missed: 0.2),
    ),
)
"#;

const PASSED: &str = "at step 0, go to the second mapping when p exceeds 0.";

pub fn endless() -> String {
    SWITCHING.replace("        lifetime: Fixed(12),\n", "")
}

#[test]
fn both_curves_with_their_bounds_and_fractions() {
    let workplace = Workplace::of(SWITCHING);
    let answer = workplace.answer("solve model.ron --exact --plot curve.svg");
    assert_eq!(answer["problem"], "phase_switching");
    assert_eq!((&answer["status"], &answer["last_step"]), (&"converged".into(), &12.into()));
    for curve in ["to_second", "to_first"] {
        let [middle, lower, upper] =
            ["threshold", "lower", "upper"].map(|name| answer[curve][name].numbers());
        assert_eq!((middle.len(), lower.len(), upper.len()), (13, 13, 13));
        for (k, fraction) in answer["exact"][curve].list().iter().enumerate() {
            let fraction = fraction.text();
            let (above, below) = fraction.split_once('/').unwrap_or((fraction, "1"));
            let exact = above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap();
            assert!(lower[k] <= exact + 1e-15 && exact <= upper[k] + 1e-15, "{curve} {k}");
            assert!(lower[k] <= middle[k] && middle[k] <= upper[k] && upper[k] - lower[k] <= 1e-9);
        }
    }
    let value = &answer["value"];
    assert!(value["lower"].as_f64() <= value["upper"].as_f64());
    has(&workplace.read("curve.svg"), &["go back to the first"]);
    has(&workplace.shown("solve model.ron"), &[PASSED]);
}

#[test]
fn a_program_without_an_end_has_an_average() {
    let workplace = Workplace::of(endless());
    let answer = workplace.answer("solve model.ron");
    let average = &answer["average"];
    let [lower, upper] = average.ends();
    // Between free foresight and the better of the two mappings.
    assert!(1.0 + 0.1 / 3.0 < lower && upper < 4.0 / 3.0 && upper - lower <= 1e-8);
    assert_eq!(answer["to_second"]["threshold"].numbers().len(), 1);
    assert!(answer.get("value").is_none() && answer["last_step"].is_null());
    workplace.remap("solve model.ron --exact").exits(3).says("give the model a lifetime");
    let facts = workplace.answer("check model.ron");
    assert_eq!(facts["problem"], "phase_switching");
    let share = facts["share_of_the_second_phase"].f64();
    assert_abs_diff_eq!(share, 1.0 / 3.0, epsilon = 1e-15);
    let runs = workplace.answer("sweep model.ron --set problem.switch.to_second=0:4:1");
    let costs = runs["runs"].list().iter().map(|run| run["solution"]["average"].ends()[0]);
    let costs: Vec<f64> = costs.collect();
    assert!(costs.len() == 5 && costs.is_sorted());
}

#[test]
fn switching_models_that_cannot_be_solved_say_why() {
    let faults = [
        ("to_second: 0.02", "to_second: 0.97", "alternate faster than they last"),
        ("own: 1.0, other: 1.8", "own: 3.0, other: 1.0", "the mappings are reversed"),
        ("to_first: 1.5", "to_first: -1.5", "`-1.5` is below zero"),
        ("to_second: 2.0, ", "", "needs a way back"),
        ("to_second: 0.02, to_first: 0.04", "to_second: 0, to_first: 0", "never change"),
        ("other: 1.8", "others: 1.8", "did you mean `other`?"),
        ("title: \"Back and forth\",", "title: \"x\", initial: 0.1,", "no field `initial`"),
    ];
    for (right, wrong, said) in faults {
        let workplace = Workplace::of(endless().replace(right, wrong));
        workplace.remap("check model.ron").exits(1).says(said).says("[model.ron:");
    }
    let workplace =
        Workplace::of(SWITCHING.replace("Fixed(12)", "Uniform(first: 0, last: 1000001)"));
    workplace.remap("check model.ron").exits(1).says("too large for per-step output");
}

/// What came to rest is given once.
#[test]
fn a_billion_cycles_cost_what_a_thousand_cost() {
    let workplace = Workplace::of(SWITCHING.replace("Fixed(12)", "Fixed(1000000000)"));
    let answer = workplace.answer("solve model.ron");
    workplace.write("endless.ron", endless());
    let ever = workplace.answer("solve endless.ron");
    for curve in ["to_second", "to_first"] {
        let at = |name: &str| answer[curve][name].f64();
        let (lower, upper) = (at("stationary_lower"), at("stationary_upper"));
        assert!(lower <= upper && upper - lower <= 1e-9);
        let [least, most] = ["lower", "upper"].map(|name| ever[curve][name].numbers()[0]);
        assert!(lower <= most && least <= upper, "{curve}");
        let through = answer[curve]["stationary_through"].u64();
        let listed = answer[curve]["threshold"].numbers().len() as u64;
        assert_eq!(through + listed, 1_000_000_000);
    }
    let mean = |bound: &str| answer["value"][bound].f64() / 1_000_000_001.0;
    let average = |bound: &str| ever["average"][bound].f64();
    // What the start and the end save or cost is at most some cycles.
    assert!(mean("lower") <= average("upper") + 2e-8 && average("lower") <= mean("upper") + 2e-8);
    has(&workplace.shown("solve model.ron"), &[PASSED]);
}

/// Written out with the tolerances at which the bounds once missed the fractions beside them.
#[test]
fn fractions_lie_within_their_bounds_at_loose_tolerances() {
    let workplace = Workplace::stating(
        "PhaseSwitching(lifetime: Fixed(1), cycle: (first: (own: 1, other: 11), second: (own: 1.1, other: 2.1)), \
         switch: (to_second: 0.01, to_first: 0), rates: (to_second: 0.1, to_first: 0.5), \
         detector: (false_alarm: 0.1, missed: 0.1))",
    );
    for tolerance in ["0.1", "0.01", "1e-9"] {
        let answer = workplace.answer(format!("solve model.ron --exact --tolerance {tolerance}"));
        assert_eq!(answer["exact"]["to_second"][0], "91/100");
        let at = |name: &str| answer["to_second"][name].numbers()[0];
        assert!(at("lower") <= 0.91 && 0.91 <= at("upper"), "{tolerance}");
    }
}

/// Doubles do not reach every tolerance; the warning says what missed it.
#[test]
fn what_missed_the_tolerance_is_named() {
    let workplace = Workplace::of(SWITCHING);
    let outcome = workplace.remap("solve model.ron --json --tolerance 1e-17").exits(3);
    let answer = outcome.json();
    assert_eq!(answer["status"], "iteration_limit");
    let said = ["the widest threshold interval is", "the value's interval, relative to it, is"];
    has(&answer["warnings"].to_string(), &said);
    assert!(answer["value"]["lower"].as_f64() <= answer["value"]["upper"].as_f64());
}

/// What a limit stops says which step its thresholds are those of, in words and in a report, and
/// what is missing.
#[test]
fn stopped_thresholds_are_those_of_the_step_that_is_named() {
    let weak = SWITCHING
        .replace("Fixed(12)", "Uniform(first: 0, last: 1000000)")
        .replace("false_alarm: 0.1, missed: 0.2", "false_alarm: 0.45, missed: 0.45");
    let workplace = Workplace::of(weak);
    let solve = "solve model.ron --time-limit 0.3";
    let words = workplace.remap(solve).exits(3).out;
    let named = |before: &str, after: char| {
        let (_, rest) = words.split_once(before).unwrap_or_else(|| panic!("{words}"));
        rest.split_once(after).unwrap().0.parse::<u64>().unwrap()
    };
    let step = named("\nat step ", ',');
    assert!(step > 0, "{words}");
    assert_eq!(named("\nnot computed: steps before ", ','), step, "{words}");
    let document = workplace.remap(format!("{solve} --json")).exits(3);
    let step = document.json()["first_step"].u64();
    workplace.write("stopped.json", &document.out);
    let page = workplace.shown("report stopped.json");
    has(&page, &[&format!("at step {step}")]);
    lacks(&page, &["at step 0"]);
}

/// The quicker mapping of a phase need not be the one that is made for it: foresight that costs
/// nothing is no dearer than either.
#[test]
fn foresight_takes_the_quicker_mapping() {
    for (cycle, expected) in [
        ("first: (own: 0, other: 2.394), second: (own: 2, other: 0)", 0.0),
        ("first: (own: 3, other: 2), second: (own: 1, other: 4)", 1.75),
    ] {
        let place = Workplace::stating(format!(
            "PhaseSwitching(cycle: ({cycle}), switch: (to_second: 3, to_first: 4), rates: (to_second: 0.1, to_first: 0.3), \
             detector: (false_alarm: 0.1, missed: 0.1))"
        ));
        let found = place.answer("check model.ron")["average_with_free_foresight"].f64();
        assert_abs_diff_eq!(found, expected, epsilon = 1e-12);
    }
}

/// Programs without an end whose thresholds agree exactly from some step on, as where one mapping
/// is better in both phases or reports hardly err, have certificates like any other.
#[test]
fn endless_programs_have_certificates() {
    let cycles = [
        "first: (own: 1, other: 4.51), second: (own: 2, other: 5)",
        "first: (own: 1, other: 4), second: (own: 5, other: 3)",
        "first: (own: 2, other: 3.7), second: (own: 4.3, other: 4.3)",
    ];
    for cycle in cycles {
        for switch in ["to_second: 5, to_first: 0.047", "to_second: 0.3, to_first: 3"] {
            for rates in ["to_second: 0.1, to_first: 0.05", "to_second: 0.5, to_first: 0.3"] {
                for detector in ["false_alarm: 0, missed: 0.01", "false_alarm: 0.05, missed: 0.4"] {
                    let place = Workplace::stating(format!(
                        "PhaseSwitching(cycle: ({cycle}), switch: ({switch}), rates: ({rates}), detector: ({detector}))"
                    ));
                    let found = place.answer("solve model.ron --time-limit 20 --certificate c");
                    assert_eq!(found["status"], "converged");
                    place.remap("verify model.ron c").exits(0);
                }
            }
        }
    }
}

/// A threshold at the edge is passed at every belief, and said to be.
#[test]
fn what_pays_at_every_belief_is_said() {
    let workplace = Workplace::new();
    let model = |first: &str, second: &str| {
        SWITCHING
            .replace("(own: 1.0, other: 1.8)", first)
            .replace("(own: 1.1, other: 2.0)", second)
            .replace("to_second: 2.0, to_first: 1.5", "to_second: 1, to_first: 1")
            .replace("to_second: 0.02, to_first: 0.04", "to_second: 0, to_first: 0.1")
    };
    let there = model("(own: 5, other: 1)", "(own: 1, other: 5)");
    workplace.write("model.ron", &there);
    let text = workplace.shown("solve model.ron --exact");
    let first = "Go to the second mapping whatever p";
    has(&text, &[first, "go to the second mapping, whatever p is", "step 0: always to the second"]);
    lacks(&text, &["exceeds 0"]);
    // What it says costs what it promises, at a belief of 0 throughout.
    let found = workplace.answer("compare model.ron");
    // Thirteen cycles of 1 and a switch.
    assert_abs_diff_eq!(found.policy("optimal")["mean"].f64(), 14.0, epsilon = 1e-6);
    workplace.write("back.ron", model("(own: 1, other: 5)", "(own: 5, other: 1)"));
    has(&workplace.shown("solve back.ron"), &["go back whatever the belief is"]);
}

/// An average knows nothing of what is done before the phases stop changing.
#[test]
fn phases_that_stop_changing_are_told_of() {
    let workplace = Workplace::of(endless().replace("to_second: 0.02", "to_second: 0"));
    workplace.remap("solve model.ron").says("the phases stop changing");
    workplace.write("model.ron", endless());
    lacks(&workplace.remap("solve model.ron").exits(0).err, &["stop changing"]);
}
