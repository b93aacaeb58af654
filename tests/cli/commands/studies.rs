//! `remap regret`, `remap study`, and `remap compare` on changes of phase.

use crate::support::workplace::{Json, MODEL, Workplace, deck, stated};
use approx::abs_diff_eq;
use serde_json::Value;

fn number(value: &Value, path: &str) -> f64 {
    value.at(path).f64()
}

#[test]
fn several_models_and_what_policies_keep() {
    let workplace = Workplace::with_model();
    workplace.write("other.ron", MODEL.replace("Fixed(40)", "Fixed(20)"));
    let policies = "optimal,heuristic_1986,fixed:0.7,never";
    let documents = workplace.answer(format!("compare model.ron other.ron --policies {policies}"));
    assert_eq!(documents.list().len(), 2);
    for document in documents.list() {
        let policies = document["policies"].list();
        assert_eq!(policies.len(), 4);
        let kept =
            |k: usize, end: &str| number(&policies[k]["per_metric"], &format!("/gain_kept/{end}"));
        assert!(kept(0, "lower") > 99.9 && kept(0, "upper") < 100.1, "{document}");
        assert!(kept(1, "upper") < kept(0, "lower") && kept(2, "upper") <= kept(0, "upper"));
        assert!(kept(3, "lower") <= 0.0 && kept(3, "upper") >= 0.0);
    }
    let text = workplace.shown("compare model.ron other.ron");
    assert_eq!(text.matches("Drift").count(), 2);
    workplace.remap("compare model.ron --plot bars.svg --out results").exits(0);
    assert!(workplace.read("bars.svg").contains("heuristic_1986"));
    assert!(workplace.read("results/model.json").contains("gain_kept"));
    for (more, code, words) in [
        ("other.ron --plot two.svg", 2, "--plot draws one model"),
        ("./model.ron --out twice", 1, "would both be written"),
    ] {
        workplace.remap(format!("compare model.ron {more}")).exits(code).says(words);
    }
    workplace.remap("compare model.ron none.ron --json").exits(1);
}

#[test]
fn what_a_wrong_parameter_costs() {
    let workplace = Workplace::with_model();
    let answer = workplace.answer("regret model.ron --plot regret.svg");
    let optimum = number(&answer, "/optimum/lower");
    let curves = answer["curves"].list();
    let paths: Vec<&str> = curves.iter().map(|curve| curve["path"].text()).collect();
    let right = "hazard detector.false_alarm detector.missed cycle.after remap.test";
    assert_eq!(paths.join(" ").replace("problem.", ""), right);
    for curve in curves {
        let points = curve["points"].list();
        assert!(points.len() >= 7, "{curve}");
        let mut worst: f64 = 0.0;
        for point in points {
            // No belief beats the truth, and the truth costs nothing.
            assert!(number(point, "/cost/upper") >= optimum);
            let (least, most) = (number(point, "/lost/lower"), number(point, "/lost/upper"));
            worst = worst.max(least);
            if number(point, "/factor") == 1.0 {
                assert!(least <= 1e-9 && most < 0.02, "{point}");
            }
        }
        assert!(worst > 0.1, "{curve}");
    }
    assert!(workplace.read("regret.svg").contains("the gain of a cycle"));
}

#[test]
fn regrets_of_chosen_places() {
    let workplace = Workplace::with_model();
    let answer = workplace.answer(
        "regret model.ron --set problem.hazard=0.01,0.05 --set problem.lifetime=Fixed(10),Fixed(40),Fixed(90)",
    );
    assert_eq!(answer["curves"][0]["points"].list().len(), 2);
    let lives = &answer["curves"][1]["points"];
    assert!(number(lives, "/0/regret/lower") > 0.0 && number(lives, "/2/regret/lower") > 0.0);
    assert!(number(lives, "/1/lost/upper") < 0.02, "{lives}");
    for (set, words) in [("hazzard=1", "there is no field `hazzard`"), ("hazard=2", "not in")] {
        workplace.remap(format!("regret model.ron --set problem.{set}")).exits(1).says(words);
    }
    // One that is wrong leaves out its own point only.
    let three = "regret model.ron --json --set problem.hazard=0.01,7,0.05";
    let found = workplace.remap(three).exits(1).says("at problem.hazard=7:").json();
    assert_eq!(found["curves"][0]["points"], answer["curves"][0]["points"]);
    // Where the optimum is not known in time, the document says so.
    let stopped = workplace.remap(format!("{three} --time-limit 0.000001")).exits(3);
    let found = stopped.says("no regret was computed").json();
    assert!(found["optimum"].is_null() && found["status"] == "time_limit", "{found}");
    assert_eq!(found["curves"][0]["points"].as_array().map(Vec::len), Some(0));
    workplace.remap("regret model.ron --set problem.hazard").exits(2);
    workplace.remap("regret model.ron --plot x.gif").exits(2);
    let levels = "problem.detector=Levels([(before: 1, after: 1)])";
    let refused = workplace.run(&["regret", "model.ron", "--set", levels]).exits(1);
    refused.says("the detector has 2 levels, the policy knows 1");
}

/// Of drifting loads: the cost of being wrong is never negative, nothing at the truth, and grows with the error.
#[test]
fn regrets_of_drifting_loads() {
    let deck = |cost: &str| {
        stated(format!(
            "LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 9, up: 0.25, down: 0.2, edge: Hold), \
             initial_load: 4, steps: 60, remap_cost: {cost})"
        ))
    };
    let workplace = Workplace::of(deck("4.0"));
    let answer = workplace.answer("regret model.ron");
    assert_eq!(answer["problem"], "load_drift");
    let solved = workplace.answer("solve model.ron");
    assert_eq!(answer["optimum"], solved["value_bounds"]);
    let curves = answer["curves"].list();
    let paths: Vec<&Value> = curves.iter().map(|curve| &curve["path"]).collect();
    assert_eq!(paths, ["problem.remap_cost", "problem.chain.up", "problem.chain.down"]);
    for curve in curves {
        let regrets = curve["points"].list().iter();
        let regrets =
            regrets.map(|point| (number(point, "/factor"), number(point, "/regret/upper")));
        let regrets: Vec<(f64, f64)> = regrets.collect();
        assert!(regrets.iter().all(|(_, regret)| *regret >= 0.0), "{curve}");
        let truth = regrets.iter().find(|(factor, _)| *factor == 1.0).unwrap();
        assert!(truth.1 < 1e-9, "{curve}");
        if curve["path"] == "problem.remap_cost" {
            assert!(regrets[0].1 > 1.0 && regrets[10].1 > 1.0, "{curve}");
            assert!(regrets[..6].is_sorted_by(|a, b| a.1 >= b.1), "{curve}");
        }
    }
    workplace.remap("regret model.ron --plot regret.svg").exits(0);
    assert!(workplace.read("regret.svg").contains("remap cost"));
    for (place, words) in [
        ("problem.processors=4", "other processors or levels"),
        ("problem.chain.levels=8", "other processors or levels"),
        ("problem.chain.up=0.9", "0.9"),
    ] {
        workplace.run(&["regret", "model.ron", "--set", place]).exits(1).says(words);
    }
    workplace.write("moved.ron", deck("(fixed: 1.0, per_unit_moved: 0.5)"));
    let answer = workplace.answer("regret moved.ron");
    assert_eq!(answer["curves"][1]["path"], "problem.remap_cost.per_unit_moved");
}

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
    let text = workplace.shown("study study.ron");
    assert!(text.contains("printed numbers agree within ± 0.5"), "{text}");
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
    let least = number(least.unwrap(), "/lower");
    assert!(averages.iter().all(|point| number(point, "/lower") >= least));
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
    let workplace = Workplace::with_model();
    workplace.write("model.ron", MODEL.replace("Fixed(40)", "Fixed(8)"));
    let study = "Study(title: \"Costs\", x: \"p\", y: \"cost\", series: [
        Retaining(name: \"retain\", model: \"model.ron\", step: 2),
        Remapping(name: \"remap\", model: \"model.ron\", step: 2)])";
    workplace.write("study.ron", study);
    let document = workplace.remap("study study.ron --json --plot c.svg").exits(0);
    let document = document.json();
    let [retain, remap] = [0, 1].map(|k| document["series"][k]["points"].list());
    let solution = workplace.answer("solve model.ron");
    let threshold = solution["threshold"][2].f64();
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
    let workplace = Workplace::of(
        "Model(title: \"Two\", problem: PhaseSwitching(
            cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0)),
            switch: (to_second: 4.0, to_first: 3.0), rates: (to_second: 0.05, to_first: 0.1),
            detector: (false_alarm: 0.1, missed: 0.1)))",
    );
    let study = |series: &str| {
        workplace
            .write("s.ron", format!("Study(title: \"S\", x: \"x\", y: \"y\", series: [{series}])"));
        workplace.remap("study s.ron --json")
    };
    let above = |policy: &str, at: &str| {
        format!(
            "AboveOptimum(name: \"a\", model: \"model.ron\", policy: \"{policy}\", points: [(at: {at})])"
        )
    };
    let found = study(&above("rebasing", "20")).exits(0).json();
    let compared = workplace.answer("compare model.ron --policies optimal,rebasing");
    let regret = number(&compared["policies"][1], "/per_metric/regret_optimal/upper");
    let optimum = number(&compared["policies"][0], "/upper");
    let shown = number(&found["series"][0]["points"][0], "/upper");
    let same = abs_diff_eq!(shown, 100.0 * regret / optimum, epsilon = 1e-3);
    assert!(same, "{shown} {regret} {optimum}");
    study(&above("rebasing", "0.5")).exits(1).says("phases cannot last so long");
    study(&above("nonsense", "20")).exits(1).says("there is no such policy").says("rebasing");
    let speedup = "Speedup(name: \"s\", cycles: 100, update: 1, remap: 5, moves: Crystal, ";
    // e = 1: 16 / (1 + 5 * 4 / 100).
    let found = study(&format!("{speedup}points_per_processor: 8, points: [(at: 16)])")).exits(0);
    let value = number(&found.json()["series"][0]["points"][0], "/lower");
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
    let text = std::fs::read_to_string(deck("studies/objectives.ron"))
        .unwrap()
        .replacen("(at: 2)", "(at: 3)", 1);
    workplace.write("study.ron", &text);
    workplace.remap("study study.ron").exits(1).says("3 is no number of processors");
}

/// The parts of a regret say together what the regret says, but for the time it takes.
#[test]
fn parts_of_a_regret_are_joined_to_the_whole() {
    let workplace = Workplace::with_model();
    let set = "--set problem.hazard=0.01,0.05,0.2 --set problem.remap.test=1:4:1";
    let regret = |more: &str| workplace.shown(format!("regret model.ron {set} {more}"));
    let timeless = |text: &str| {
        let mut document: Value = serde_json::from_str(text).unwrap();
        document["seconds"] = 0.into();
        document
    };
    let (table, whole) = (regret(""), timeless(&regret("--json")));
    regret("--plot whole.svg");
    // More parts than values, too.
    for of in [1, 3, 9] {
        let mut join = "join".to_owned();
        for number in (1..=of).rev() {
            let name = format!("part_{number}_of_{of}.json");
            workplace.write(&name, regret(&format!("--part {number}/{of} --json")));
            join += &format!(" {name}");
        }
        let joined = |more: &str| workplace.shown(format!("{join} {more}"));
        assert_eq!(timeless(&joined("--json")), whole, "{of}");
        assert_eq!(joined(""), table, "{of}");
        joined("--plot joined.svg --force");
        assert_eq!(workplace.read("joined.svg"), workplace.read("whole.svg"));
    }
    workplace.write("other.ron", MODEL.replace("before: 1.0", "before: 1.1"));
    let other = workplace.shown(format!("regret other.ron {set} --part 2/3 --json"));
    workplace.write("other.json", other);
    let found = workplace.remap("join part_1_of_3.json part_3_of_3.json --json").exits(3);
    let found = found.says("missing: 2").json();
    let points = found["curves"].list().iter();
    assert_eq!(points.map(|curve| curve["points"].list().len()).sum::<usize>(), 5);
    for (file, words) in [
        ("part_1_of_3.json", "part 1 of 3, as is"),
        ("part_1_of_9.json", "another regret"),
        ("other.json", "other.json: a part of another model than part_1_of_3"),
    ] {
        workplace.remap(format!("join part_1_of_3.json {file}")).exits(1).says(words);
    }
    let mut short: Value = serde_json::from_str(&workplace.read("part_2_of_3.json")).unwrap();
    let lacking = short["curves"][1]["points"].as_array_mut().unwrap().remove(0);
    assert_eq!(lacking["value"], "2");
    workplace.write("short.json", short.to_string());
    let words = "1 values of the parts that are there are missing: problem.remap.test=2";
    workplace.remap("join part_1_of_3.json short.json part_3_of_3.json").exits(3).says(words);
    workplace.write("whole.json", regret("--json"));
    workplace.remap("join whole.json").exits(1).says("not a part of a regret");
    let part = workplace.read("part_1_of_3.json");
    workplace.write("bad.json", part.replacen("\"place\": 0", "\"place\": 1", 1));
    workplace.remap("join bad.json").exits(1).says("not one of the part's");
    workplace.remap("regret model.ron --part 1/2 --plot x.svg").exits(2);
}
