//! `PhaseSwitching` models, and detectors with any number of levels.

use crate::support::workplace::{Json, MODEL, Workplace, has, lacks};
use approx::assert_abs_diff_eq;
use serde_json::Value;

const SWITCHING: &str = r#"Model(
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

fn endless() -> String {
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
    assert!(workplace.read("curve.svg").contains("go back to the first"));
    let text = workplace.shown("solve model.ron");
    assert!(text.contains("at step 0, go to the second mapping when p exceeds 0."), "{text}");
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
    let text = workplace.shown("solve model.ron");
    assert!(text.contains("at step 0, go to the second mapping when p exceeds 0."), "{text}");
}

/// Written out with the tolerances at which the bounds once missed the fractions beside them.
#[test]
fn fractions_lie_within_their_bounds_at_loose_tolerances() {
    let workplace = Workplace::new();
    let problem = "PhaseSwitching(lifetime: Fixed(1), \
        cycle: (first: (own: 1, other: 11), second: (own: 1.1, other: 2.1)), \
        switch: (to_second: 0.01, to_first: 0), rates: (to_second: 0.1, to_first: 0.5), \
        detector: (false_alarm: 0.1, missed: 0.1))";
    workplace.write("model.ron", format!("Model(title: \"Loose\", problem: {problem})"));
    for tolerance in ["0.1", "0.01", "1e-9"] {
        let arguments = ["solve", "model.ron", "--json", "--exact", "--tolerance", tolerance];
        let answer = workplace.run(&arguments).exits(0).json();
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
    let warnings = answer["warnings"].to_string();
    has(
        &warnings,
        &["the widest threshold interval is", "the value's interval, relative to it, is"],
    );
    assert!(answer["value"]["lower"].as_f64() <= answer["value"]["upper"].as_f64());
}

const TWO: &str = "Levels([(before: 0.9, after: 0.2), (before: 0.1, after: 0.8)])";
const BINARY: &str = "(false_alarm: 0.1, missed: 0.2)";

/// Without what differs between two runs of the same model.
fn numbers_only(mut answer: Value) -> Value {
    // Bayes' rule for two reports is for detectors that say yes or no.
    for field in ["seconds", "belief"] {
        answer.as_object_mut().unwrap().remove(field);
    }
    answer
}

#[test]
fn two_levels_are_the_binary_detector() {
    let workplace = Workplace::with_model();
    workplace.write("levels.ron", MODEL.replace(BINARY, TWO));
    workplace.write("switching.ron", endless());
    workplace.write("levels2.ron", endless().replace(BINARY, TWO));
    for [verb, one, two] in [
        ["solve", "model.ron", "levels.ron"],
        ["compare", "model.ron", "levels.ron"],
        ["solve", "switching.ron", "levels2.ron"],
    ] {
        let answers =
            [one, two].map(|name| numbers_only(workplace.answer(format!("{verb} {name}"))));
        assert_eq!(answers[0], answers[1]);
    }
}

#[test]
fn several_detectors_are_one_with_all_pairs_of_levels() {
    let several = format!("Several([{BINARY}, (false_alarm: 0.3, missed: 0.4)])");
    let pairs = "Levels([(before: 0.03, after: 0.48), (before: 0.07, after: 0.32), \
                 (before: 0.27, after: 0.12), (before: 0.63, after: 0.08)])";
    let [one, several, listed] = [BINARY, &several, pairs].map(|detector| {
        let place = Workplace::of(MODEL.replace(BINARY, detector));
        numbers_only(place.answer("solve model.ron"))
    });
    assert_eq!(several, listed);
    // The second detector is worth something.
    assert!(several["value"]["upper"].as_f64() < one["value"]["lower"].as_f64());
    let short = MODEL.replace(BINARY, pairs).replace("Fixed(40)", "Fixed(4)");
    let answer = Workplace::of(short).answer("solve --exact model.ron");
    for (n, decimal) in answer["exact"]["threshold_decimal"].numbers().iter().enumerate() {
        let at = |name: &str| answer[name].numbers()[n];
        assert!(at("threshold_lower") <= *decimal && *decimal <= at("threshold_upper"));
    }
}

#[test]
fn detectors_that_are_none_are_explained() {
    let faults = [
        ("Levels([(before: 0.9, after: 0.2), (before: 0.2, after: 0.8)])", "is 1.1, 0.1 above 1"),
        ("Levels([(before: 1.9, after: 0), (before: -0.9, after: 1)])", "`1.9` is not in [0, 1]"),
        ("Levels([])", "the detector reports nothing"),
        ("Level([(before: 1, after: 1)])", "expected Levels([...])"),
        ("Levels([(false_alarm: 0.1, missed: 0.1)])", "expected Several([...])"),
        ("Several([(before: 1, after: 1)])", "expected Levels([...])"),
        ("Levels([(before: 1, missed: 1)])", "no field `missed`"),
        ("Levels([(before: 1)])", "the field `after` is missing"),
        ("(before: 0.1, after: 0.9)", "no field `before`"),
        ("0.1", "not of the right kind"),
    ];
    for (detector, said) in faults {
        let workplace = Workplace::of(MODEL.replace(BINARY, detector));
        workplace.remap("check model.ron").exits(1).says(said).says("[model.ron:7:");
    }
    let workplace = Workplace::new();
    let nearly = "Levels([(before: 0.9, after: 0.2), (before: 0.0999999999, after: 0.8)])";
    workplace.write("model.ron", MODEL.replace(BINARY, nearly));
    workplace.remap("check model.ron").exits(0).says("they are divided by their sum");
    workplace.write("model.ron", MODEL.replace(BINARY, "Levels([(before: 1, after: 1)])"));
    workplace.remap("solve model.ron").exits(0).says("the detector is uninformative");
}

/// A program short enough to follow in a test.
fn short(lifetime: &str) -> String {
    format!(
        "Model(title: \"Short\", problem: PhaseSwitching({lifetime}
            cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0)),
            switch: (to_second: 0.5, to_first: 0.4), rates: (to_second: 0.1, to_first: 0.2),
            detector: (false_alarm: 0.1, missed: 0.1)))"
    )
}

#[test]
fn policies_cost_no_less_than_the_optimum() {
    let workplace = Workplace::new();
    workplace.write("ends.ron", short("lifetime: Fixed(60),"));
    workplace.write("endless.ron", short(""));
    for (model, field) in [("ends.ron", "value"), ("endless.ron", "average")] {
        let [lower, upper] = workplace.answer(format!("solve {model}"))[field].ends();
        let document = workplace.answer(format!("compare {model}"));
        let policies = document["policies"].list();
        assert_eq!(policies.len(), 6);
        for policy in policies {
            let end = |name: &str| policy[name].f64();
            assert!(end("upper") >= lower, "{policy}");
            assert!(end("upper") - end("lower") <= 2e-6 * end("lower").max(1.0), "{policy}");
            let remaps = policy["per_metric"]["remaps"]["upper"].f64();
            assert!(remaps >= 0.0 && (policy["policy"] != "never" || remaps < 1e-9), "{policy}");
        }
        let optimal = &policies[0];
        assert_eq!(optimal["policy"], "optimal");
        assert!(optimal["lower"].f64() <= upper, "{optimal}");
        let text = workplace.shown(format!("compare {model} --plot bars.svg --force"));
        has(&text, &["rebasing:0.8"]);
    }
    workplace.remap("compare endless.ron --policies heuristic_1986").exits(0);
    let unknown = workplace.remap("compare ends.ron --policies rebasing:2").exits(1);
    unknown.says("is not a probability").says("rebasing:tau");
    let outcome = workplace.remap("compare ends.ron --policies heuristic_1986");
    assert!(outcome.code == 0 || outcome.err.contains("take rebasing:0.8"), "{}", outcome.err);
    workplace.write("long.ron", short("lifetime: Fixed(2000000),"));
    workplace.remap("compare long.ron").exits(1).says("step by step");
}

/// Where nothing but the first mapping pays both commands say so, and a computation that did not find out says no more
/// than its bounds.
#[test]
fn costs_are_not_said_to_be_less_than_is_proved() {
    let workplace = Workplace::new();
    let tie = r#"Model(title: "t", problem: PhaseSwitching(
        cycle: (first: (own: 1, other: 1.05), second: (own: 2, other: 2.05)),
        switch: (to_second: 1, to_first: 1), rates: (to_second: 0.05, to_first: 0.05),
        detector: (false_alarm: 0.1, missed: 0.1)))"#;
    workplace.write("tie.ron", tie);
    let text = workplace.shown("solve tie.ron");
    let never = "Never switch: the average time of a cycle is 1.525, as much as without switches";
    assert!(text.contains(never), "{text}");
    let costs = workplace.answer("compare tie.ron");
    assert_eq!(costs["status"], "converged");
    assert_eq!(costs["policies"][0]["policy"], "optimal");
    assert_abs_diff_eq!(costs["policies"][0]["mean"].f64(), 1.525, epsilon = 1e-6);
    // Nearly the same, where the way back is not found, or a long way off.
    workplace.write("open.ron", tie.replace("to_first: 0.05)", "to_first: 0.05001)"));
    let text = workplace.remap("solve open.ron --time-limit 5").out;
    has(&text, &["Never go to the second mapping"]);
    lacks(&text, &["less than without switches"]);
    // Times that are all 0 in the end cost 0 on average, and not less.
    let zero = r#"Model(title: "t", problem: PhaseSwitching(
        cycle: (first: (own: 1.15, other: 9.9), second: (own: 0, other: 0)),
        switch: (to_second: 8.05, to_first: 7.74), rates: (to_second: 0.000000000666, to_first: 0),
        detector: Levels([(before: 1, after: 1)]), initial: 0))"#;
    workplace.write("zero.ron", zero);
    let answer = workplace.remap("solve zero.ron --json --time-limit 5").json();
    assert_eq!(answer["average"], serde_json::json!({ "lower": 0.0, "upper": 0.0 }));
}

/// A threshold of 0 is passed at 0 by every exported table.
#[test]
fn thresholds_at_the_edge_are_passed_there() {
    let workplace = Workplace::new();
    let model = SWITCHING
        .replace("first: (own: 1.0, other: 1.8)", "first: (own: 2.0, other: 1.8)")
        .replace("to_second: 2.0, to_first: 1.5", "to_second: 0.7, to_first: 0.4")
        .replace("to_second: 0.02, to_first: 0.04", "to_second: 0, to_first: 0");
    workplace.write("model.ron", model);
    let solution = workplace.remap("solve model.ron --json").exits(0);
    assert_eq!(solution.json()["to_second"]["upper"][0], 0.0);
    workplace.write("solution.json", &solution.out);
    let exported = |target: &str| workplace.shown(format!("export solution.json --to {target}"));
    has(&exported("csv"), &["to_second,0,-1"]);
    for target in ["json", "c", "fortran", "python", "rust"] {
        has(&exported(target), &["-1.0"]);
    }
}

/// A report that makes neither phase likelier leaves the mapping as it is.
#[test]
fn reports_that_say_nothing_switch_nothing() {
    let cost = |levels: &str, policy: usize| {
        let place = Workplace::stating(format!(
            "PhaseSwitching(lifetime: Fixed(6), cycle: (first: (own: 1, other: 1.5), second: (own: 0.5, other: 1.5)), \
             switch: (to_second: 1, to_first: 1), rates: (to_second: 0.2, to_first: 0.3), detector: {levels})"
        ));
        let found = place.answer("compare model.ron --policies every_report,never");
        found["policies"][policy].ends()
    };
    for errors in ["0.5, missed: 0.5", "0.2, missed: 0.8", "0.9, missed: 0.1"] {
        let levels = format!("(false_alarm: {errors})");
        assert_eq!(cost(&levels, 0), cost(&levels, 1), "{errors}");
    }
    let some =
        "Levels([(before: 0.1, after: 0.3), (before: 0.6, after: 0.6), (before: 0.3, after: 0.1)])";
    let [lower, upper] = cost(some, 0);
    // By recursion over phase, mapping and report.
    assert!(lower <= 8.446_547_56 + 1e-8 && 8.446_547_56 - 1e-8 <= upper, "{lower} {upper}");
}

/// A limit that stops a comparison is told, in words.
#[test]
fn a_stopped_comparison_says_why() {
    let workplace = Workplace::of(endless());
    let stopped = workplace.remap("compare model.ron --time-limit 0.000001 --json");
    let stopped = stopped.exits(3).says("stopped by the time limit");
    assert_eq!(stopped.json()["status"], "time_limit");
}

#[test]
fn the_monitor_switches_to_and_fro() {
    let workplace = Workplace::of(short(""));
    // A hundred cycles of each phase, told by their times.
    let noise = |k: u32| f64::from(k.wrapping_mul(2_654_435_761) >> 16) / 65536.0;
    let time = |k: u32| 1.0 + 0.1 * noise(k) + if k / 100 % 2 == 1 { 0.5 } else { 0.0 };
    let input: String = (0..400).map(|k| format!("{}\n", time(k))).collect();
    let watch = |arguments: &[&str]| {
        let monitor = ["monitor", "model.ron", "--batch", "1", "--cluster", "5"];
        let arguments = [&monitor[..], arguments].concat();
        let output =
            workplace.command().args(arguments).write_stdin(input.clone()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let out = watch(&[]);
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "line,measurement,step,report,belief,threshold,decision,mapping");
    let (mut mapping, mut remaps) = ("first", Vec::new());
    for (k, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[7], mapping);
        let [belief, threshold] = [row[4], row[5]].map(|text| text.parse::<f64>().ok());
        let Some((p, threshold)) = belief.zip(threshold) else { continue };
        let switch = if mapping == "first" { p > threshold } else { p < threshold };
        assert_eq!(row[6] == "remap", switch, "{row:?}");
        if switch {
            remaps.push(k);
            mapping = if mapping == "first" { "second" } else { "first" };
        }
    }
    assert!(remaps.len() >= 3, "{remaps:?}");
    for (k, at) in remaps.iter().enumerate().take(3) {
        assert!((100 * (k + 1)..100 * (k + 1) + 30).contains(at), "{remaps:?}");
    }
    let json = watch(&["--json"]);
    let last: Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(last["mapping"], rows.last().unwrap()[7]);
    let levels = short("").replace(
        "(false_alarm: 0.1, missed: 0.1)",
        "Levels([(before: 0.9, after: 0.1), (before: 0.1, after: 0.9)])",
    );
    workplace.write("levels.ron", levels);
    workplace.remap("monitor levels.ron").exits(1).says("two levels");
}

/// What a limit stops says which step its thresholds are those of, in words and in a report, and what is missing.
#[test]
fn stopped_thresholds_are_those_of_the_step_that_is_named() {
    let workplace = Workplace::new();
    let weak = SWITCHING
        .replace("Fixed(12)", "Uniform(first: 0, last: 1000000)")
        .replace("false_alarm: 0.1, missed: 0.2", "false_alarm: 0.45, missed: 0.45");
    workplace.write("model.ron", weak);
    let stopped = ["solve", "model.ron", "--time-limit", "0.3"];
    let words = workplace.run(&stopped).exits(3).out;
    let named = |before: &str, after: char| {
        let (_, rest) = words.split_once(before).unwrap_or_else(|| panic!("{words}"));
        rest.split_once(after).unwrap().0.parse::<u64>().unwrap()
    };
    let step = named("\nat step ", ',');
    assert!(step > 0, "{words}");
    assert_eq!(named("\nnot computed: steps before ", ','), step, "{words}");
    let document = workplace.run(&[&stopped[..], &["--json"]].concat()).exits(3);
    let step = document.json()["first_step"].u64();
    workplace.write("stopped.json", &document.out);
    let page = workplace.shown("report stopped.json");
    assert!(page.contains(&format!("at step {step}")) && !page.contains("at step 0"), "{page}");
}

/// The quicker mapping of a phase need not be the one that is made for it: foresight that costs nothing is no dearer than either.
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

/// Programs without an end whose thresholds agree exactly from some step on, as where one mapping is better in both phases or reports hardly err,
/// have certificates like any other.
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
                    let found =
                        place.remap("solve model.ron --time-limit 20 --certificate c --json");
                    assert_eq!(found.json()["status"], "converged");
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
    has(
        &text,
        &[
            "Go to the second mapping whatever p",
            "go to the second mapping, whatever p is",
            "step 0: always to the second",
        ],
    );
    lacks(&text, &["exceeds 0"]);
    // What it says costs what it promises, at a belief of 0 throughout.
    let found = workplace.answer("compare model.ron");
    // Thirteen cycles of 1 and a switch.
    assert_abs_diff_eq!(found.policy("optimal")["mean"].f64(), 14.0, epsilon = 1e-6);
    workplace.write("back.ron", model("(own: 1, other: 5)", "(own: 5, other: 1)"));
    let text = workplace.shown("solve back.ron");
    assert!(text.contains("go back whatever the belief is"), "{text}");
}

/// What a policy keeps of the gain is at most all of it, however little is known.
#[test]
fn nothing_gains_more_than_the_optimum() {
    let workplace = Workplace::new();
    // Detectors that say less and less, and switches that hardly pay.
    for (cost, missed) in [("2.0", "0.2"), ("9", "0.5"), ("15.2", "0.9"), ("1e-7", "0.899999")] {
        let model = SWITCHING.replace("to_second: 2.0", &format!("to_second: {cost}"));
        workplace.write("model.ron", model.replace("missed: 0.2", &format!("missed: {missed}")));
        let found = workplace.remap("compare model.ron --json").json();
        for policy in found["policies"].list() {
            let [lower, upper] =
                ["lower", "upper"].map(|end| policy["per_metric"]["gain_kept"][end].as_f64());
            assert!(upper.is_none_or(|upper| upper <= 100.0) && lower <= upper, "{policy}");
        }
    }
}

/// An average knows nothing of what is done before the phases stop changing.
#[test]
fn phases_that_stop_changing_are_told_of() {
    let workplace = Workplace::of(endless().replace("to_second: 0.02", "to_second: 0"));
    workplace.remap("solve model.ron").says("the phases stop changing");
    workplace.write("model.ron", endless());
    let said = workplace.remap("solve model.ron").exits(0).err;
    assert!(!said.contains("stop changing"), "{said}");
}
