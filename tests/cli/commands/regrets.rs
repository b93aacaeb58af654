//! `remap regret`, and `remap compare` on changes of phase.

use super::sweeps::parts_are_the_whole;
use crate::support::prelude::*;

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
            |k: usize, end: &str| policies[k]["per_metric"].number(&format!("/gain_kept/{end}"));
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
    let optimum = answer.number("/optimum/lower");
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
            assert!(point.number("/cost/upper") >= optimum);
            let (least, most) = (point.number("/lost/lower"), point.number("/lost/upper"));
            worst = worst.max(least);
            if point.number("/factor") == 1.0 {
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
    assert!(lives.number("/0/regret/lower") > 0.0 && lives.number("/2/regret/lower") > 0.0);
    assert!(lives.number("/1/lost/upper") < 0.02, "{lives}");
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

/// Of drifting loads: the cost of being wrong is never negative, nothing at the truth, and grows
/// with the error.
#[test]
fn regrets_of_drifting_loads() {
    let walks = "LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 9, up: 0.25, down: 0.2, edge: Hold), \
                 initial_load: 4, steps: 60, remap_cost: 4.0)";
    let workplace = Workplace::stating(walks);
    let answer = workplace.answer("regret model.ron");
    assert_eq!(answer["problem"], "load_drift");
    let solved = workplace.answer("solve model.ron");
    assert_eq!(answer["optimum"], solved["value_bounds"]);
    let curves = answer["curves"].list();
    let paths: Vec<&Value> = curves.iter().map(|curve| &curve["path"]).collect();
    assert_eq!(paths, ["problem.remap_cost", "problem.chain.up", "problem.chain.down"]);
    for curve in curves {
        let of = |point: &Value| (point.number("/factor"), point.number("/regret/upper"));
        let regrets: Vec<(f64, f64)> = curve["points"].list().iter().map(of).collect();
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
        workplace.remap(format!("regret model.ron --set {place}")).exits(1).says(words);
    }
    workplace.state(walks.replace("4.0", "(fixed: 1.0, per_unit_moved: 0.5)"));
    let answer = workplace.answer("regret model.ron");
    assert_eq!(answer["curves"][1]["path"], "problem.remap_cost.per_unit_moved");
}

/// The parts of a regret say together what the regret says, but for the time it takes.
#[test]
fn parts_of_a_regret_are_joined_to_the_whole() {
    let workplace = Workplace::with_model();
    let set = "--set problem.hazard=0.01,0.05,0.2 --set problem.remap.test=1:4:1";
    let regret = |more: &str| workplace.shown(format!("regret model.ron {set} {more}"));
    // More parts than values, too.
    parts_are_the_whole(&workplace, regret, &[1, 3, 9]);
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
    let mut short = workplace.document("part_2_of_3.json");
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
