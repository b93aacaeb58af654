//! Policies of recurring phases: what they cost, where a switch pays nowhere or at the edge, and
//! the monitor.

use super::commands::{SWITCHING, endless};
use crate::support::prelude::*;

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

/// Where nothing but the first mapping pays both commands say so, and a computation that did not
/// find out says no more than its bounds.
#[test]
fn costs_are_not_said_to_be_less_than_is_proved() {
    let workplace = Workplace::new();
    let tie = r#"Model(title: "t", problem: PhaseSwitching(
        cycle: (first: (own: 1, other: 1.05), second: (own: 2, other: 2.05)),
        switch: (to_second: 1, to_first: 1), rates: (to_second: 0.05, to_first: 0.05),
        detector: (false_alarm: 0.1, missed: 0.1)))"#;
    workplace.write("tie.ron", tie);
    let never = "Never switch: the average time of a cycle is 1.525, as much as without switches";
    has(&workplace.shown("solve tie.ron"), &[never]);
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
    let model = SWITCHING
        .replace("first: (own: 1.0, other: 1.8)", "first: (own: 2.0, other: 1.8)")
        .replace("to_second: 2.0, to_first: 1.5", "to_second: 0.7, to_first: 0.4")
        .replace("to_second: 0.02, to_first: 0.04", "to_second: 0, to_first: 0");
    let workplace = Workplace::of(model);
    assert_eq!(workplace.solved("model.ron")["to_second"]["upper"][0], 0.0);
    for target in ["csv", "json", "c", "fortran", "python", "rust"] {
        let edge = if target == "csv" { "to_second,0,-1" } else { "-1.0" };
        has(&workplace.shown(format!("export solution.json --to {target}")), &[edge]);
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
    let monitor = "monitor model.ron --batch 1 --cluster 5";
    let out = workplace.fed(monitor, &*input).exits(0).out;
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
    let json = workplace.fed(format!("{monitor} --json"), input).exits(0).out;
    let last: Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(last["mapping"], rows.last().unwrap()[7]);
    let levels = short("").replace(
        "(false_alarm: 0.1, missed: 0.1)",
        "Levels([(before: 0.9, after: 0.1), (before: 0.1, after: 0.9)])",
    );
    workplace.write("levels.ron", levels);
    workplace.remap("monitor levels.ron").exits(1).says("two levels");
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
