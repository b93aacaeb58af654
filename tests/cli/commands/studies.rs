//! `remap study`: printed numbers against computed ones, courses of drifting loads, costs of a
//! step.

use crate::support::prelude::*;

const STUDY: &str = r#"// A comment.
Study(
    title: "Both", x: "N", y: "%", printed_within: 0.5,
    series: [
        Kept(name: "kept", points: [(at: 40, model: "model.ron", printed: 50), (at: 20, model: "model.ron")]),
        Saved(name: "saved", points: [(at: 40, model: "model.ron", printed: 1000)]),
        Misjudged(name: "factors", model: "model.ron", points: [(at: 0.1), (at: 10)]),
        Thresholds(name: "pi", model: "model.ron"),
        Response(name: "response", model: "model.ron", points: [(at: 0.5), (at: 0.9)]),
        Premature(name: "premature", model: "model.ron", points: [(at: 0.5), (at: 0.9)]),
    ],
)
"#;

#[test]
fn a_study_sets_printed_numbers_beside_computed_ones() {
    let workplace = Workplace::with_model();
    workplace.write("study.ron", STUDY);
    let answer = workplace.answer("study study.ron --plot study.svg");
    assert_eq!(answer["printed"], 2);
    let series = answer["series"].list();
    assert_eq!(series.len(), 6);
    assert_eq!(series[1]["points"][0]["agrees"], false);
    assert_eq!(series[3]["points"].list().len(), 41);
    for series in series {
        for point in series["points"].list() {
            let [lower, upper] = point.ends();
            assert!(lower <= upper && upper - lower < 0.1, "{series}");
        }
    }
    // The same share of the gain as `compare` finds.
    let kept = workplace.answer("compare model.ron --policies heuristic_1986");
    let [lower, upper] = kept["policies"][0]["per_metric"]["gain_kept"].ends();
    let [least, most] = series[0]["points"][0].ends();
    assert!(lower <= most && least <= upper);
    assert!(workplace.read("study.svg").contains("printed"));
    has(&workplace.shown("study study.ron"), &["printed numbers agree within ± 0.5"]);
}

/// A study that a limit stops says what its table lacks.
#[test]
fn a_stopped_study_says_so() {
    let study = "study models/studies/table_iii.ron --time-limit 0.000001";
    let stopped = Workplace::new().remap(study).exits(3);
    stopped.says("stopped by the time limit: what the table lacks was not computed");
}

#[test]
fn wrong_studies_are_explained() {
    let workplace = Workplace::with_model();
    workplace.remap("study model.ron").exits(1).says("this is not a study");
    workplace.write("study.ron", STUDY.replace("Premature(", "Mature("));
    workplace.remap("study study.ron").exits(1).says("`Mature` is not known here");
    workplace.write("study.ron", STUDY.replace("model: \"model.ron\")", "model: \"none.ron\")"));
    workplace.remap("study study.ron").exits(1).says("cannot read");
    workplace.remap("solve study.ron").exits(1).says("this is not a model");
}

const DRIFT: &str = r#"Model(title: "Drift", source: "none", problem: LoadDrift(
    processors: 3, chain: Walk(lowest: 1, levels: 5, up: 0.25, down: 0.25, edge: Hold),
    initial_load: 3, steps: 30, remap_cost: 2.0,
))
"#;

const COURSES: &str = r#"Study(
    title: "Never remapped", x: "n", y: "",
    series: [
        Utilization(name: "three", model: "drift.ron"),
        Utilization(name: "nine", model: "drift.ron", processors: 9),
        MeanImbalance(name: "imbalance", model: "drift.ron"),
        SampledUtilization(name: "a path", model: "drift.ron", seed: 3),
        AverageCost(name: "W", model: "drift.ron", seed: 3),
        Minimum(name: "first", model: "drift.ron", which: First, runs: 200, seed: 3, points: [(at: 3), (at: 9)]),
        Minimum(name: "least", model: "drift.ron", which: Least, runs: 200, seed: 3, points: [(at: 3), (at: 9)]),
        Minimum(name: "excess", model: "drift.ron", which: Excess, runs: 200, seed: 3, points: [(at: 3), (at: 9)]),
    ],
)
"#;

#[test]
fn a_study_of_loads_that_drift() {
    let workplace = Workplace::new();
    workplace.write("drift.ron", DRIFT);
    workplace.write("study.ron", COURSES);
    let answer = workplace.answer("study study.ron --plot study.svg");
    let series = answer["series"].list();
    let middle = |s: usize, k: usize| {
        let [lower, upper] = series[s]["points"][k].ends();
        0.5 * (lower + upper)
    };
    // More processors, and later steps: worse.
    for k in 0..30 {
        assert!(middle(1, k) < middle(0, k));
        assert!(k == 0 || middle(0, k) < middle(0, k - 1) && middle(2, k) > middle(2, k - 1));
    }
    // W along the path whose least is named.
    let averages = series[4]["points"].list();
    let is_least = |remark: &str| remark.ends_with("least");
    let least = averages.iter().find(|point| point["remark"].as_str().is_some_and(is_least));
    let least = least.unwrap().number("/lower");
    assert!(averages.iter().all(|point| point.number("/lower") >= least));
    assert!(series[4]["points"].list().len() == 30 && series[4].get("statistical").is_none());
    for k in 0..2 {
        let (first, least) = (middle(5, k), middle(6, k));
        let excess = 100.0 * (first / least - 1.0);
        assert!(first >= least && abs_diff_eq!(middle(7, k), excess, epsilon = 1e-6));
        assert_eq!(series[5]["statistical"], true);
    }
    assert!(workplace.read("study.svg").contains("least"));
    for (from, to, words) in [
        ("(at: 9)", "(at: 2.5)", "2.5 is no number of processors"),
        ("which: First", "which: Last", "`Last` is not known here"),
        ("processors: 9", "processors: 0", "there is no processor"),
    ] {
        workplace.write("study.ron", COURSES.replace(from, to));
        workplace.remap("study study.ron").exits(1).says(words);
    }
    workplace.write("drift.ron", MODEL);
    workplace.write("study.ron", COURSES);
    workplace.remap("study study.ron").exits(1).says("made of drifting loads");
}

#[test]
fn costs_of_a_step_cross_at_its_threshold() {
    let workplace = Workplace::of(MODEL.replace("Fixed(40)", "Fixed(8)"));
    let study = "Study(title: \"Costs\", x: \"p\", y: \"cost\", series: [
        Retaining(name: \"retain\", model: \"model.ron\", step: 2),
        Remapping(name: \"remap\", model: \"model.ron\", step: 2)])";
    workplace.write("study.ron", study);
    let document = workplace.answer("study study.ron --plot c.svg");
    let [retain, remap] = [0, 1].map(|k| document["series"][k]["points"].list());
    let threshold = workplace.answer("solve model.ron")["threshold"][2].f64();
    let mut crossings = 0;
    for (retain, remap) in retain.iter().zip(remap) {
        let [p, kept, moved] = [&retain["at"], &retain["lower"], &remap["lower"]].map(Json::f64);
        if retain["remark"].is_string() {
            crossings += 1;
            let same = abs_diff_eq!(p, threshold, epsilon = 1e-9)
                && abs_diff_eq!(kept, moved, epsilon = 1e-9);
            assert!(same, "{retain} {remap}");
        } else {
            assert_eq!(moved < kept, p > threshold, "{retain} {remap}");
        }
    }
    assert_eq!(crossings, 1);
    workplace.write("late.ron", study.replace("step: 2", "step: 9"));
    workplace.remap("study late.ron").exits(1).says("there is no step 9").says("the last is 8");
}

#[test]
fn phases_and_machines_that_cannot_be_are_explained() {
    let workplace = Workplace::stating(
        "PhaseSwitching(cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0)), switch: (to_second: \
         4.0, to_first: 3.0), rates: (to_second: 0.05, to_first: 0.1), detector: (false_alarm: 0.1, missed: 0.1))",
    );
    let study = |series: &str| {
        let study = format!("Study(title: \"S\", x: \"x\", y: \"y\", series: [{series}])");
        workplace.write("s.ron", study);
        workplace.remap("study s.ron --json")
    };
    let above = |policy: &str, at: &str| {
        format!(
            "AboveOptimum(name: \"a\", model: \"model.ron\", policy: \"{policy}\", points: [(at: {at})])"
        )
    };
    let found = study(&above("rebasing", "20")).exits(0).json();
    let compared = workplace.answer("compare model.ron --policies optimal,rebasing");
    let regret = compared["policies"][1].number("/per_metric/regret_optimal/upper");
    let optimum = compared["policies"][0].number("/upper");
    let shown = found["series"][0]["points"][0].number("/upper");
    let same = abs_diff_eq!(shown, 100.0 * regret / optimum, epsilon = 1e-3);
    assert!(same, "{shown} {regret} {optimum}");
    study(&above("rebasing", "0.5")).exits(1).says("phases cannot last so long");
    study(&above("nonsense", "20")).exits(1).says("there is no such policy").says("rebasing");
    let speedup = "Speedup(name: \"s\", cycles: 100, update: 1, remap: 5, moves: Crystal, ";
    // e = 1: 16 / (1 + 5 * 4 / 100).
    let found = study(&format!("{speedup}points_per_processor: 8, points: [(at: 16)])")).exits(0);
    let value = found.json()["series"][0]["points"][0].number("/lower");
    assert!(abs_diff_eq!(value, 16.0 / 1.2, epsilon = 1e-12), "{value}");
    let both = format!("{speedup}processors: 4, points_per_processor: 8, points: [])");
    study(&both).exits(1).says("one of `processors` and");
    study(&format!("{speedup}processors: 4, points: [(at: 0)])")).exits(1).says("at least 1");
}

/// Figs. 2 and 3 of [FXW03]: what either objective tells apart, and Lemma 3.1 on them.
#[test]
fn loads_under_either_objective() {
    let workplace = Workplace::new();
    let study = workplace.answer("study models/studies/objectives.ron");
    let value = |series: usize, k: usize| study["series"][series]["points"][k]["lower"].f64();
    let near = |found: f64, right: f64| {
        assert!(abs_diff_eq!(found, right, epsilon = 1e-12), "{found} {right}")
    };
    for k in 0..6 {
        let n = f64::from(2 << k);
        near(value(0, k), 0.2);
        near(value(1, k), 0.2 * n.sqrt());
        near(value(2, k), 0.2);
        near(value(3, k), 0.2 * 2f64.sqrt());
        near(value(4, k), 0.01 * (n - 1.0));
        near(value(5, k), 0.01 * (n * (n - 1.0)).sqrt());
        for figure in 0..3 {
            let (d, v) = (value(2 * figure, k), value(2 * figure + 1, k));
            assert!(d * d <= v * v + 1e-12 && v * v <= n * d * d + 1e-12);
        }
    }
    let text = deck_text("studies/objectives.ron").replacen("(at: 2)", "(at: 3)", 1);
    workplace.write("study.ron", &text);
    workplace.remap("study study.ron").exits(1).says("3 is no number of processors");
}
