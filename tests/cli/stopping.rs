//! Stopping problems from the command line.

use crate::thorough::some;
use crate::workplace::Workplace;
use approx::{abs_diff_eq, assert_abs_diff_eq};
use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/stopping");

fn remap(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("remap").unwrap().args(arguments).output().unwrap()
}

fn model(name: &str) -> String {
    format!("{MODELS}/{name}.ron")
}

fn json(arguments: &[&str]) -> Value {
    let output = remap(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a wrong model is told: exit code 1 and the message.
fn complaint(problem: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    complaint_in(folder.path(), problem)
}

fn complaint_in(folder: &Path, problem: &str) -> String {
    let file = folder.join("wrong.ron");
    std::fs::write(&file, format!("Model(title: \"wrong\", problem: Stopping({problem}))"))
        .unwrap();
    let output = remap(&["solve", file.to_str().unwrap()]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    // Long messages are wrapped.
    message.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

#[test]
fn the_sweep_over_remap_costs_shows_the_groups_of_figure_4() {
    let output = remap(&["sweep", &model("yin_xu_wang"), "--set", "problem.remap_cost=1:16:1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("1 | 2,3 | 4-6 | 7-9 | 10-13 | never"), "{text}");
}

#[test]
fn solutions_have_the_fields_of_the_contract() {
    let found = json(&["solve", &model("yin_xu_wang"), "--json", "--values"]);
    assert_eq!(found["problem"], "stopping");
    assert_eq!(found["status"], "converged");
    assert_eq!(found["shape"], serde_json::json!([6, 6]));
    assert_eq!(found["states"], 36);
    assert_eq!(found["decision"].as_str().unwrap(), "BCCCRRCBCCRRCCBCCCCCCBCCRRCCBCRRCCCB");
    assert_eq!(found["ties"], serde_json::json!([]));
    assert!(found["value_gap"].as_f64().unwrap() <= 1e-9);
    assert_eq!(found["representation"], "exchangeable");
    assert_eq!(found["value"].as_array().unwrap().len(), 36);
    assert_abs_diff_eq!(found["remap_value"].as_f64().unwrap(), 12.341653397656973, epsilon = 1e-8);
}

#[test]
fn every_method_prints_the_same_map() {
    for name in ["yin_xu_wang", "capacities", "particles"] {
        let solve = |method: &str| json(&["solve", &model(name), "--json", "--method", method]);
        let all = ["auto", "value", "policy"].map(|m| solve(m)["decision"].clone());
        assert!(all[0].is_string() && all[0] == all[1] && all[1] == all[2], "{name}");
    }
}

#[test]
fn exact_ties_are_reported() {
    // At remap cost 4/3 both branches of states (1,0) and (0,1), (5,4) and (4,5) are equal; the
    // decimal nearest to it is close enough to be told apart by no certified bound of 1e-6.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tie.ron");
    let walk = "Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect)";
    let text = format!(
        "Model(title: \"tie\", problem: Stopping(processes: Identical(count: 2, chain: {walk}), \
         remap_cost: 1.33333333333333333333, after_remap: Stop))"
    );
    std::fs::write(&file, text).unwrap();
    let found = json(&["solve", file.to_str().unwrap(), "--json", "--tolerance", "1e-6"]);
    let ties: Vec<u64> =
        found["ties"].as_array().unwrap().iter().map(|t| t.as_u64().unwrap()).collect();
    for place in [1, 6, 29, 34] {
        assert!(ties.contains(&place), "{ties:?}");
    }
}

#[test]
fn critical_costs_are_where_the_map_changes() {
    let found = json(&["solve", &model("yin_xu_wang"), "--json", "--critical-costs"]);
    let costs = found["critical_cost"].as_array().unwrap();
    assert_eq!(costs.len(), 36);
    assert!(costs[0].is_null());
    assert_abs_diff_eq!(costs[18].as_f64().unwrap(), 96697.0 / 24291.0, epsilon = 1e-12);
}

#[test]
fn a_long_job_pays_least_under_its_own_map() {
    let found = json(&["solve", &model("restart"), "--json"]);
    let middle = |name: &str| {
        let (low, high) = (&found[name]["lower"], &found[name]["upper"]);
        let (low, high) = (low.as_f64().unwrap(), high.as_f64().unwrap());
        assert!(high - low <= 1e-9);
        0.5 * (low + high)
    };
    assert!(middle("average") <= middle("average_of_stop") + 1e-12);
    assert!(middle("average") < 1.0);
}

#[test]
fn pictures_are_written() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["yin_xu_wang", "capacities"] {
        let svg = folder.path().join(format!("{name}.svg"));
        json(&["solve", &model(name), "--json", "--plot", svg.to_str().unwrap()]);
        let text = std::fs::read_to_string(svg).unwrap();
        assert!(text.starts_with("<svg") && text.matches("<rect").count() > 10);
    }
}

#[test]
fn a_sweep_is_drawn_as_nested_regions() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("sweep.svg");
    let plot = svg.to_str().unwrap();
    let deck = model("yin_xu_wang");
    let costs = "problem.remap_cost=1:16:1";
    assert!(remap(&["sweep", &deck, "--set", costs, "--plot", plot]).status.success());
    let text = std::fs::read_to_string(&svg).unwrap();
    // One colour for each group of costs that has a map of its own, and its last cost.
    for last in ["up to 1<", "up to 3<", "up to 6<", "up to 9<", "up to 13<", "never<"] {
        let words: String = text.split('\n').collect();
        assert!(words.contains(last), "{last}");
    }
    let again = remap(&["sweep", &deck, "--set", costs, "--plot", plot]);
    assert_eq!(again.status.code(), Some(2));
    let two = "problem.after_remap=Stop,Uniform";
    // Over two parameters, the numbers of the table; the first are numbers.
    let both = ["sweep", &deck, "--set", costs, "--set", two, "--plot", plot, "--force"];
    assert!(remap(&both).status.success());
    let text = std::fs::read_to_string(&svg).unwrap();
    assert!(text.contains("after_remap"), "{text}");
    let swapped = ["sweep", &deck, "--set", two, "--set", costs, "--plot", plot, "--force"];
    assert_eq!(remap(&swapped).status.code(), Some(2));
}

/// The entries of an array in an archive.
fn array<T: npyz::Deserialize>(file: &Path, name: &str) -> (Vec<u64>, Vec<T>) {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(file).unwrap()).unwrap();
    let npy = npyz::NpyFile::new(archive.by_name(&format!("{name}.npy")).unwrap()).unwrap();
    (npy.shape().to_vec(), npy.into_vec().unwrap())
}

#[test]
fn long_maps_are_written_as_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.ron");
    let walk = "Walk(lowest: -3, levels: 10, up: 0.25, down: 0.25, edge: Reflect)";
    let text = format!(
        "Model(title: \"long\", problem: Stopping(processes: Identical(count: 7, chain: {walk}), \
         remap_cost: 200.0, after_remap: Stop))"
    );
    std::fs::write(&file, text).unwrap();
    let out = folder.path().join("out");
    let solve = ["solve", file.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()];
    let found = json(&solve);
    assert!(found["decision"].is_null());
    assert!(out.join("long.json").is_file());
    let archive = out.join("long.npz");
    std::fs::remove_file(out.join("long.json")).unwrap();
    let again = remap(&solve);
    assert_eq!(again.status.code(), Some(1));
    assert!(again.stdout.is_empty(), "no work before the refusal");
    assert!(String::from_utf8_lossy(&again.stderr).contains("long.npz exists already"));
    let classes = found["classes"].as_u64().unwrap();
    let (shape, loads) = array::<i64>(&archive, "loads");
    assert_eq!(shape, [classes, 7]);
    let (_, vectors) = array::<f64>(&archive, "vectors");
    let (_, decision) = array::<u8>(&archive, "decision");
    let (_, tie) = array::<bool>(&archive, "tie");
    let (_, value) = array::<f64>(&archive, "value");
    assert_eq!(vectors.iter().sum::<f64>(), 1e7);
    let mut counts = std::collections::HashMap::<u8, f64>::new();
    for (class, letter) in decision.iter().enumerate() {
        *counts.entry(*letter).or_default() += vectors[class];
        let loads = &loads[7 * class..7 * class + 7];
        assert_eq!(*letter == b'B', loads.iter().all(|load| *load == loads[0]));
        let remaps = abs_diff_eq!(value[class], 200.0, epsilon = 1e-9);
        assert!(tie[class] || (*letter == b'R') == remaps, "{loads:?}");
    }
    assert_eq!(counts[&b'R'], found["counts"]["remap"].as_f64().unwrap());
    assert_eq!(counts[&b'C'], found["counts"]["continued"].as_f64().unwrap());
    assert!(counts[&b'C'] > 0.0 && loads.contains(&-3) && loads.contains(&6));
}

const WALK: &str = "Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect)";

#[test]
fn where_remaps_are_cheap_only_the_active_region_is_solved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("band.ron");
    let walk = "Walk(levels: 600, up: 0.25, down: 0.25, edge: Reflect)";
    let text = format!(
        "Model(title: \"band\", problem: Stopping(processes: Identical(count: 2, chain: {walk}), \
         remap_cost: 30.0, after_remap: Stop))"
    );
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let band = json(&["solve", file, "--json", "--values"]);
    let full = json(&["solve", file, "--json", "--values", "--method", "policy"]);
    assert_eq!(
        (&band["representation"], &full["representation"]),
        (&"active".into(), &"exchangeable".into())
    );
    assert!(8 * band["classes"].as_u64().unwrap() <= full["classes"].as_u64().unwrap());
    for field in [
        "decision",
        "ties",
        "states",
        "shape",
        "lowest",
        "counts",
        "remap_cost",
        "remap_value",
        "largest_value",
    ] {
        assert!(!full[field].is_null());
        assert_eq!(band[field], full[field], "{field}");
    }
    let values = |found: &Value| -> Vec<f64> {
        found["value"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    };
    for (a, b) in values(&band).into_iter().zip(values(&full)) {
        assert_abs_diff_eq!(a, b, epsilon = 3e-8);
    }
}

fn walks(count: usize, levels: usize, cost: f64) -> String {
    let walk = format!("Walk(levels: {levels}, up: 0.25, down: 0.2, edge: Hold)");
    format!(
        "Model(title: \"walks\", problem: Stopping(processes: Identical(count: {count}, \
         chain: {walk}), remap_cost: {cost:?}, after_remap: Stop))"
    )
}

#[test]
fn the_active_region_of_many_processes_gives_the_map_of_all_classes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("walks.ron"), walks(7, 12, 150.0)).unwrap();
    let exported = |method: &str| {
        let solve = ["solve", &path("walks.ron"), "--json", "--method", method, "--force"];
        let found = json(&[&solve[..], &["--out", &path(method)]].concat());
        let shown = remap(&["solve", &path("walks.ron"), "--method", method]).stdout;
        let picture = String::from_utf8_lossy(&shown);
        let picture = picture.split("load vectors").nth(1).unwrap().to_owned();
        let rule = remap(&["export", &format!("{}/walks.json", path(method)), "--to", "csv"]);
        assert_eq!(rule.status.code(), Some(0));
        (found, picture, rule.stdout)
    };
    let (region, all) = (exported("auto"), exported("policy"));
    assert_eq!(
        (&region.0["representation"], &all.0["representation"]),
        (&"active".into(), &"exchangeable".into())
    );
    for field in ["counts", "remap_value", "largest_value"] {
        assert_eq!(region.0[field], all.0[field], "{field}");
    }
    assert!(region.0["counts"]["continued"].as_f64().unwrap() > 0.0);
    assert!(region.1.contains('#') && region.1.contains('+') && region.1 == all.1);
    // All load vectors without a spread are balanced.
    let first = region.1.lines().find(|line| line.starts_with("    0 ")).unwrap();
    assert_eq!(first.split_whitespace().skip(1).collect::<String>(), "o".repeat(12));
    assert!(region.2 == all.2);
}

#[test]
fn more_load_vectors_than_can_be_counted_are_solved_around_balance() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.ron");
    std::fs::write(&file, walks(32, 30, 2e6)).unwrap();
    let file = file.to_str().unwrap();
    let found = json(&["solve", file, "--json"]);
    assert_eq!(
        (&found["status"], &found["representation"]),
        (&"converged".into(), &"active".into())
    );
    let states = found["states"].as_f64().unwrap() / 30f64.powi(32);
    assert_abs_diff_eq!(states, 1.0, epsilon = 1e-14);
    assert_eq!(found["counts"]["balanced"].as_f64(), Some(30.0));
    // One process is next to the others.
    let next = found["counts"]["continued"].as_f64().unwrap();
    assert!(next > 0.0 && next % 32.0 == 0.0, "{next}");
    // What a machine lacks is no fault of the input.
    let refused = remap(&["solve", file, "--method", "policy"]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("this machine has"));
}

#[test]
fn a_remap_splits_a_total_within_the_levels() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("uneven.ron");
    let walk = "Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold)";
    let text = format!(
        "Model(title: \"uneven\", problem: Stopping(processes: Identical(count: 2, chain: {walk}), \
         capacities: [1.0, 3.0], remap_cost: 2.0, after_remap: Restart))"
    );
    std::fs::write(&file, text).unwrap();
    let found = json(&["solve", file.to_str().unwrap(), "--json"]);
    let [lower, upper] = ["lower", "upper"].map(|end| found["average"][end].as_f64().unwrap());
    assert!(0.0 < lower && lower <= upper && upper - lower <= 1e-9);
}

#[test]
fn wrong_chains_are_explained() {
    let stop = "remap_cost: 1.0, after_remap: Stop";
    let one = |chain: &str| complaint(&format!("processes: Distinct([{chain}, {WALK}]), {stop}"));
    let sum = one("Matrix(rows: [[0.5, 0.5], [0.25, 0.7]])");
    assert!(sum.contains("row 1") && sum.contains("0.05 below 1"), "{sum}");
    assert!(one("Matrix(rows: [[0.5, 0.5], [1.25, -0.25]])").contains("`-0.25` is not in [0, 1]"));
    assert!(one("Matrix(rows: [[0.5, 0.5], [1.0]])").contains("not square"));
    assert!(one("Walk(levels: 1, up: 0.25, down: 0.25, edge: Hold)").contains("1 level"));
    assert!(one("Walk(levels: 4, up: 0.75, down: 0.5, edge: Hold)").contains("more than 1"));
    assert!(one("BirthDeath(up: [0.5, 0.5], down: [0.0, 0.5])").contains("highest level"));
}

#[test]
fn models_too_large_are_refused_with_the_number() {
    let walk = |levels: u64| format!("Walk(levels: {levels}, up: 0.25, down: 0.25, edge: Hold)");
    let stop = "remap_cost: 1.0, after_remap: Stop";
    let chain = walk(100_000);
    let many = complaint(&format!("processes: Identical(count: 60, chain: {chain}), {stop}"));
    assert!(many.contains("too large to count"), "{many}");
    let chain = walk(64);
    let uniform = "remap_cost: 1.0, after_remap: Uniform";
    let place = Workplace::new();
    let problem = format!("Stopping(processes: Identical(count: 14, chain: {chain}), {uniform})");
    place.write("model.ron", format!("Model(title: \"large\", problem: {problem})"));
    place.run(&["solve", "model.ron"]).exits(3).says("states need about");
}

#[test]
fn chains_that_cannot_end_are_refused() {
    let chain = "Walk(lowest: 1, levels: 2, up: 0.25, down: 0.25, edge: Hold)";
    let message = complaint(&format!(
        "processes: Identical(count: 2, chain: {chain}), capacities: [1.0, 3.0], \
         remap_cost: 1.0, after_remap: Uniform"
    ));
    assert!(message.contains("neither balance nor gain"), "{message}");
}

#[test]
fn wrong_transition_files_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let problem = "processes: Joint(loads: [[0, 1], [1, 0]], transition: File(\"p.mtx\")), \
                   remap_cost: 1.0, after_remap: Stop";
    let said = |text: Option<&str>| {
        if let Some(text) = text {
            std::fs::write(folder.path().join("p.mtx"), text).unwrap();
        }
        complaint_in(folder.path(), problem)
    };
    let missing = said(None);
    assert!(missing.contains("no such file"), "{missing}");
    // What is underlined is the name of the file.
    let line = format!("Model(title: \"wrong\", problem: Stopping({problem}))");
    let place = format!(":1:{}]", line.find("\"p.mtx\"").unwrap() + 1);
    assert!(missing.contains(&place), "{place} {missing}");
    assert!(said(Some("hello")).contains("not a Matrix Market file"));
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let rows = format!("{header}2 2 3\n1 1 1.0\n2 1 0.5\n2 2 0.25\n");
    let message = said(Some(&rows));
    assert!(message.contains("row 2 sums to 0.75"), "{message}");
    assert!(said(Some(&format!("{header}3 3 1\n1 1 1.0\n"))).contains("3 x 3"));
    let outside = said(Some(&format!("{header}2 2 1\n7 1 1.0\n")));
    assert!(outside.contains("(7, 1) is outside 2 x 2"), "{outside}");
    let short = said(Some(&format!("{header}2 2 3\n1 1 1.0\n")));
    assert!(short.contains("3 entries announced, 1 found"), "{short}");
}

#[test]
fn a_remap_cost_by_what_it_moves_and_an_end() {
    let found = json(&["solve", &model("units_moved"), "--json", "--values"]);
    assert_eq!(found["status"], "converged");
    assert_eq!(found["cost_by_state"], serde_json::json!({"fixed": 2.0, "per_unit_moved": 1.0}));
    // From (5, 0) three of five units move to one side or two: the fewest are two.
    assert_eq!(found["remap_cost"], 4.0);
    let value = |at: usize| found["value"][at].as_f64().unwrap();
    for (place, letter) in found["decision"].as_str().unwrap().chars().enumerate() {
        let (i, j) = (place as i64 / 6, place as i64 % 6);
        let cost = 2.0 + ((i - j).abs() / 2) as f64;
        match letter {
            'B' => assert!(i == j && value(place) == 0.0),
            'R' => assert!(abs_diff_eq!(value(place), cost, epsilon = 1e-8)),
            _ => assert!(value(place) < cost),
        }
    }
    let found = json(&["solve", &model("sixty_steps"), "--json"]);
    assert_eq!(found["steps"], 60);
    let from = found["remaps_from"].as_array().unwrap();
    let letters = found["decision"].as_str().unwrap();
    assert_eq!(from.len(), 91);
    for (from, letter) in from.iter().zip(letters.chars()) {
        assert_eq!(from.is_null(), letter != 'R');
        assert!(from.is_null() || (1..=60).contains(&from.as_u64().unwrap()));
    }
    // Long before the end the map is that without one.
    let endless = json(&["solve", &model("particles"), "--json"]);
    let long = json(&["sweep", &model("sixty_steps"), "--set", "problem.steps=5000", "--json"]);
    assert_eq!(long["runs"][0]["solution"]["decision"], endless["decision"]);

    let walks = "processes: Identical(count: 2, chain: Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect))";
    let wrong = |rest: &str| complaint(&format!("{walks}, {rest}"));
    let message = wrong("remap_cost: (fixed: 1), after_remap: Stop");
    assert!(message.contains("per_unit_moved") && message.contains("PerState"), "{message}");
    let message = wrong("remap_cost: (fixed: 1, per_unit_moved: -1), after_remap: Stop");
    assert!(message.contains("the cost of a unit moved"), "{message}");
    let message = wrong("remap_cost: (fixed: 1, per_unit_moved: 1), after_remap: Uniform");
    assert!(message.contains("take after_remap: Stop or Restart"), "{message}");
    let message = wrong("remap_cost: PerState([1, 2]), after_remap: Stop");
    assert!(message.contains("costs by state need states that are listed"), "{message}");
    let message = wrong("remap_cost: 1, after_remap: Stop, steps: 0");
    assert!(message.contains("not between 1 and"), "{message}");

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("answer.json");
    let text = remap(&["solve", &model("sixty_steps"), "--json"]).stdout;
    std::fs::write(&out, text).unwrap();
    let refused = remap(&["export", out.to_str().unwrap(), "--to", "c"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("not exported yet"));
}

/// Exact costs of rules within the confidence interval of their runs, none below the optimum.
#[test]
fn rules_are_compared_on_a_computation_that_goes_on() {
    let arguments = ["compare", &model("restart"), "--runs", "300", "--json"];
    let found = json(&arguments);
    let policies = found["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 7);
    let number = |value: &Value| value.as_f64().unwrap();
    let optimum = number(&policies[0]["exact"]);
    let average = json(&["solve", &model("restart"), "--json"]);
    // A thousand steps from balance cost about as much as a thousand of the average.
    assert!(
        abs_diff_eq!(optimum / 1000.0, number(&average["average"]["lower"]), epsilon = 0.01),
        "{optimum}"
    );
    for policy in policies {
        let mean = number(&policy["mean"]);
        let width = number(&policy["half_width"]);
        if let Some(exact) = policy["exact"].as_f64() {
            assert!(abs_diff_eq!(mean, exact, epsilon = 2.5 * width + 1e-9), "{policy}");
            assert!(exact >= optimum - 0.5, "{policy}");
        }
        assert!(mean + 2.5 * width >= optimum - 0.5, "{policy}");
    }
    let wrong = remap(&["compare", &model("sixty_steps")]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("with after_remap: Restart only"));
}

/// Where a remap ends the cost or leads to loads at random, rules cost no less than the optimum, and what is exact is within
/// the interval of the runs.
#[test]
fn rules_are_compared_where_a_remap_ends_the_cost() {
    for name in ["yin_xu_wang", "particles"] {
        let found = json(&["compare", &model(name), "--runs", "2000", "--json"]);
        let policies = found["policies"].as_array().unwrap();
        // On the first no interval is better than none, which is shown once.
        assert_eq!(policies.len(), if name == "particles" { 6 } else { 5 }, "{name}");
        let number = |value: &Value| value.as_f64().unwrap();
        let optimum = number(&policies[0]["exact"]);
        for policy in policies {
            let (mean, width) = (number(&policy["mean"]), number(&policy["half_width"]));
            if let Some(exact) = policy["exact"].as_f64() {
                assert!(abs_diff_eq!(mean, exact, epsilon = 2.5 * width + 1e-9), "{policy}");
                assert!(exact >= optimum - 1e-6, "{policy}");
            }
            assert!(mean + 2.5 * width >= optimum, "{policy}");
        }
        let solved = json(&["solve", &model(name), "--values", "--json"]);
        let value = solved["value"].as_array().unwrap();
        let mean = value.iter().map(number).sum::<f64>() / value.len() as f64;
        assert!(abs_diff_eq!(mean, optimum, epsilon = 1e-7), "{mean} {optimum}");
    }
}

/// A rule under which the cost has no end is named, and left out where all are played.
#[test]
fn a_rule_without_end_is_named() {
    let place = Workplace::new();
    let text = r#"Model(title: "apart", problem: Stopping(
        processes: Distinct([Walk(lowest: 1, levels: 2, up: 0.25, down: 0.25, edge: Hold),
                             Walk(lowest: 9, levels: 2, up: 0.25, down: 0.25, edge: Hold)]),
        remap_cost: 5.0, after_remap: Stop))"#;
    let path = place.path("apart.ron");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let found = json(&["compare", path, "--policies", "optimal,fixed:3", "--json"]);
    assert_eq!(found["policies"][1]["exact"].as_f64().unwrap(), 17.0);
    let wrong = remap(&["compare", path, "--policies", "never"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("under `never`"));
}

/// With an end, computations that go on are compared by the best map of each step: that is what `solve` finds.
#[test]
fn rules_are_compared_on_chains_that_differ_or_depend_on_each_other() {
    for name in ["different_chains", "migrating"] {
        let found = json(&["compare", &model(name), "--runs", "200", "--json"]);
        let policies = found["policies"].as_array().unwrap();
        let number = |value: &Value| value.as_f64().unwrap();
        let optimum = number(&policies[0]["exact"]);
        assert!(policies.iter().any(|policy| policy["policy"] == "stop_at_rise"));
        for policy in policies {
            let (mean, width) = (number(&policy["mean"]), number(&policy["half_width"]));
            let exact = policy["exact"].as_f64().unwrap_or(optimum);
            assert!(exact >= optimum - 1e-9 && mean + 2.5 * width > optimum, "{policy}");
            if policy["exact"].is_f64() {
                assert!(abs_diff_eq!(mean, exact, epsilon = 3.0 * width + 1e-9), "{policy}");
            }
        }
        let solved = json(&["solve", &model(name), "--values", "--json"]);
        let values = solved["value"].as_array().unwrap();
        let near = |value: &Value| abs_diff_eq!(number(value), optimum, epsilon = 1e-9 * optimum);
        assert!(values.iter().any(near), "{name}: {optimum}");
    }
}

/// The decision depends on what is no load; certificates and rules say why there are none.
#[test]
fn states_may_share_loads() {
    let place = Workplace::new();
    let found = json(&["solve", &model("bursts"), "--json"]);
    let letters = found["decision"].as_str().unwrap();
    assert_eq!(letters.len(), 32);
    assert_ne!(letters[..16], letters[16..]);
    assert!(found["warnings"][0].as_str().unwrap().contains("states share loads"));
    let path = place.path("bursts.json");
    std::fs::write(&path, found.to_string()).unwrap();
    let refused = remap(&["export", path.to_str().unwrap(), "--to", "c"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("states share loads"));
    let proof = place.path("bursts.cert");
    let proved = remap(&["solve", &model("bursts"), "--certificate", proof.to_str().unwrap()]);
    assert_eq!(proved.status.code(), Some(0));
    let checked = remap(&["verify", &model("bursts"), proof.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(0));
    let compared = json(&["compare", &model("bursts"), "--runs", "20", "--json"]);
    let mean = |values: &Value| {
        let values = values.as_array().unwrap();
        values.iter().map(|value| value.as_f64().unwrap()).sum::<f64>() / values.len() as f64
    };
    let solved = json(&["solve", &model("bursts"), "--values", "--json"]);
    let optimum = compared["policies"][0]["exact"].as_f64().unwrap();
    assert_abs_diff_eq!(optimum, mean(&solved["value"]), epsilon = 1e-7);
    let wrong = complaint(
        "processes: Joint(loads: [[1, 1], [2, 0], [2, 0]], transition: Dense([[0, 1, 0], [0, 0, 1], [1, 0, 0]])), \
         remap_cost: 1, after_remap: Restart",
    );
    assert!(wrong.contains("the k-th with balanced ones"), "{wrong}");
}

/// Changes by factors are proved like any matrix.
#[test]
fn loads_are_multiplied() {
    let place = Workplace::new();
    let (document, proof) = (place.path("m.json"), place.path("m.cert"));
    let (document, proof) = (document.to_str().unwrap(), proof.to_str().unwrap());
    let solved = json(&["solve", &model("multiplicative"), "--certificate", proof, "--json"]);
    std::fs::write(document, solved.to_string()).unwrap();
    let verified = remap(&["verify", document]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let chain = |changes: &str, levels: u32| {
        complaint(&format!(
            "processes: Identical(count: 2, chain: Affine(levels: {levels}, changes: {changes})), remap_cost: 1, \
             after_remap: Stop"
        ))
    };
    let missed = chain("[(factor: 2, probability: 0.5), (factor: 0.5, probability: 0.4)]", 9);
    assert!(missed.contains("the list of changes"), "{missed}");
    let many = chain("[(factor: 2, probability: 1)]", 5000);
    assert!(many.contains("too many levels for changes"), "{many}");
}

/// J of countably many states is what so many states more come to.
#[test]
fn loads_without_a_highest_one() {
    let found = json(&["solve", &model("unbounded"), "--values", "--json"]);
    assert_eq!(found["shape"].as_array().unwrap().len(), 2);
    assert!(found["value_gap"].as_f64().unwrap() <= 1e-9);
    let kept = found["kept_levels"].as_u64().unwrap();
    assert!(kept > 6);
    let place = Workplace::new();
    let path = place.path("long.ron");
    let text = format!(
        "Model(title: \"long\", problem: Stopping(processes: Identical(count: 2, chain: Walk(levels: {}, up: 0.25, \
         down: 0.25, edge: Reflect)), remap_cost: 5.0, after_remap: Stop))",
        kept + 10
    );
    std::fs::write(&path, text).unwrap();
    let long = json(&["solve", path.to_str().unwrap(), "--values", "--json"]);
    for i in 0..6 {
        for j in 0..6 {
            let (own, other) = (6 * i + j, (kept as usize + 10) * i + j);
            let value = |found: &Value, at: usize| found["value"][at].as_f64().unwrap();
            assert_abs_diff_eq!(value(&found, own), value(&long, other), epsilon = 1e-8);
        }
    }
    let wrong = complaint(
        "processes: Unbounded(count: 2, up: 0.25, down: 0.25, edge: Hold, shown: 6), remap_cost: 5, after_remap: \
         Restart",
    );
    assert!(wrong.contains("loads without end go with Stop"), "{wrong}");
    let large = complaint(
        "processes: Unbounded(count: 4, up: 0.25, down: 0.25, edge: Hold, shown: 900), remap_cost: 5, after_remap: Stop",
    );
    assert!(large.contains("states would be kept to begin with"), "{large}");
    for name in ["unbounded", "partial"] {
        let proof = place.path(&format!("{name}.cert"));
        let output = remap(&["solve", &model(name), "--certificate", proof.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0));
        let checked = remap(&["verify", &model(name), proof.to_str().unwrap()]);
        assert_eq!(checked.status.code(), Some(0));
    }
    let compared = remap(&["compare", &model("unbounded")]);
    assert!(String::from_utf8_lossy(&compared.stderr).contains("finitely many states"));
}

/// Remaps of some units cost less than those of all, and say how many.
#[test]
fn remaps_may_be_partial() {
    let found = json(&["solve", &model("partial"), "--json"]);
    let number = |path: &str| found.pointer(path).unwrap().as_f64().unwrap();
    assert!(number("/average/upper") < number("/partial_remaps/average_of_whole/lower"));
    let units = found["partial_remaps"]["units"].as_array().unwrap();
    let letters = found["decision"].as_str().unwrap();
    for (letter, units) in letters.chars().zip(units) {
        assert_eq!(letter == 'R', units.as_u64().unwrap() > 0);
    }
    let place = Workplace::new();
    let path = place.path("partial.json");
    std::fs::write(&path, found.to_string()).unwrap();
    let said = |arguments: &[&str]| {
        let output = remap(arguments);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said(&["export", path.to_str().unwrap(), "--to", "c"]).contains("how many units"));
    assert!(said(&["compare", &model("partial")]).contains("how many units"));
    let wrong = complaint(
        "processes: Identical(count: 2, chain: Walk(levels: 6, up: 0.25, down: 0.25, edge: Reflect)), remap_cost: 5, \
         after_remap: Stop, partial_remaps: true",
    );
    assert!(wrong.contains("remaps of some units are for computations that go on"), "{wrong}");
}

/// Loads that are listed for two processes have a map, too, if it is not too large to look at.
#[test]
fn listed_loads_of_two_processes_are_drawn() {
    let place = tempfile::tempdir().unwrap();
    let plot = place.path().join("bursts.svg");
    let solved = remap(&["solve", &model("bursts"), "--plot", plot.to_str().unwrap()]);
    let text = String::from_utf8(solved.stdout).unwrap();
    assert!(text.contains("down: load of process 1; across: load of process 2"), "{text}");
    assert!(text.contains("    0  o ") && text.contains("    3  "), "{text}");
    assert!(std::fs::read_to_string(&plot).unwrap().contains("remap"));
    let far = place.path().join("far.ron");
    // Two and three processes.
    let lists = [
        "[0, 0], [9000000000, 0], [0, 9000000000]",
        "[0, 0, 0], [9000000000, 0, 0], [0, 9000000000, 9000000000]",
    ];
    for loads in lists {
        let deck = format!(
            "Model(title: \"far\", problem: Stopping(processes: Joint(loads: [{loads}], transition: Dense([[1, 0, 0], \
             [0.5, 0.5, 0], [0, 0.5, 0.5]])), remap_cost: 2, after_remap: Stop))"
        );
        std::fs::write(&far, deck).unwrap();
        let plot = place.path().join("far.svg");
        let paths = [far.to_str().unwrap(), plot.to_str().unwrap()];
        let solved = remap(&["solve", paths[0], "--plot", paths[1], "--force"]);
        let said = String::from_utf8_lossy(&solved.stderr).into_owned();
        assert_eq!(solved.status.code(), Some(0), "{loads}: {said}");
    }
}

/// Stopped before the first step of a program with an end: the bounds are those of all its steps, and what is said is of those done.
#[test]
fn programs_with_an_end_that_are_stopped_have_bounds_of_all_steps() {
    for (rule, count, cost) in [("Restart", 3, 20), ("Stop", 3, 400)] {
        let model = format!(
            "Model(title: \"long\", problem: Stopping(processes: Identical(count: {count}, chain: Walk(levels: 20, \
             up: 0.25, down: 0.2, edge: Hold)), remap_cost: {cost}, after_remap: {rule}, steps: 3000))"
        );
        let place = Workplace::new();
        place.write("long.ron", model);
        let whole = place.run(&["solve", "long.ron", "--json", "--values"]).exits(0).json();
        let stopped =
            place.run(&["solve", "long.ron", "--json", "--values", "--time-limit", "0.02"]);
        let code = stopped.code;
        let found = stopped.json();
        if code == 0 {
            continue;
        }
        let (done, gap) =
            (found["steps_done"].as_u64().unwrap(), found["value_gap"].as_f64().unwrap());
        assert!(done < 3000 && found["warnings"].to_string().contains("stopped after"), "{found}");
        let values = |found: &Value| -> Vec<f64> {
            found["value"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
        };
        let (all, known) = (values(&whole), values(&found));
        // The gap is relative to the largest upper bound, half a width above its middle.
        let scale =
            known.iter().copied().fold(f64::from(cost), f64::max) / (1.0 - 0.5 * gap).max(0.01);
        for (value, middle) in all.iter().zip(&known) {
            assert!(
                (value - middle).abs() <= 0.501 * gap * scale,
                "{rule}: {value} {middle} {gap}"
            );
        }
    }
}

/// What is reached at a loose tolerance is called reached, and chains of very many levels are not written out.
#[test]
fn loose_tolerances_and_long_chains_end_as_they_should() {
    let workplace = Workplace::new();
    let own = |levels: usize, cost: u32, after: &str| {
        format!(
            "Model(title: \"walks\", problem: Stopping(processes: Distinct([Walk(levels: {levels}, up: 0.2, down: 0.2, edge: \
             Hold), Walk(levels: {levels}, up: 0.4, down: 0.2, edge: Reflect)]), remap_cost: {cost}, after_remap: {after}))"
        )
    };
    for (levels, cost) in some(2, [(9, 50), (5, 10), (7, 3), (15, 50)]) {
        for tolerance in ["0.3", "0.1", "0.03", "0.01"] {
            workplace.write("model.ron", own(levels, cost, "Restart"));
            let found = workplace
                .run(&["solve", "model.ron", "--json", "--tolerance", tolerance])
                .exits(0)
                .json();
            let [lower, upper] =
                ["lower", "upper"].map(|end| found["average"][end].as_f64().unwrap());
            assert!(upper - lower <= tolerance.parse::<f64>().unwrap() * lower.max(1.0), "{found}");
        }
    }
    // Two lists of 20,000 rows of 20,000 numbers would take 6 GB.
    workplace.write("long.ron", own(20_000, 5, "Stop"));
    let found = workplace.run(&["solve", "long.ron", "--json", "--time-limit", "1"]).json();
    assert!(found["seconds"].as_f64().unwrap() < 20.0, "{}", found["seconds"]);
    assert!(found["dynamics"].is_null());
}

/// Sweeps alone know an average before they know what decides, and say so.
#[test]
fn sweeps_of_restart_say_that_they_may_decide_too_early() {
    let place = Workplace::new();
    let walks = "Identical(count: 2, chain: Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold))";
    for (after, is_hasty) in [("Restart", true), ("Stop", false)] {
        place.write(
            "model.ron",
            format!(
                "Model(title: \"x\", problem: Stopping(processes: {walks}, remap_cost: 3, after_remap: {after}))"
            ),
        );
        for (method, warns) in [("value", is_hasty), ("policy", false)] {
            let asked = ["solve", "model.ron", "--json", "--method", method];
            let found = place.run(&asked).exits(0).json();
            let said = found["warnings"].to_string();
            assert_eq!(said.contains("hardly ever met"), warns, "{after}, {method}: {said}");
        }
    }
}

/// Where loads are hardly ever met, an average that is known to the tolerance says little of what to do: decisions that are not called
/// open are those of much tighter tolerances.
#[test]
fn decisions_of_restart_are_right_where_loads_are_rare() {
    let place = Workplace::new();
    let right = "CCCCRCCCCCCCCCCCCCCCRCCCRRRCCCCCCCRCCCCCCCCCCCCCCC";
    for rare in ["1e-6", "1e-8", "1e-10"] {
        let chain = format!(
            "BirthDeath(lowest: 1, up: [{rare}, 0.1, 0.001, 0.001, 0.0], down: [0.0, 0.25, 0.0, 0.1, 0.5])"
        );
        place.write(
            "rare.ron",
            format!(
                "Model(title: \"Rare\", problem: Stopping(processes: Distinct([{chain}, {chain},
                BirthDeath(lowest: 1, up: [0.0, 0.0], down: [0.0, 0.1])]), capacities: [2, 3, 1.5],
                running_cost: MaxMinusMean, remap_cost: (fixed: 5.0, per_unit_moved: 4.0), after_remap: Restart))"
            ),
        );
        for tolerance in ["1e-2", "1e-4", "1e-6", "1e-9"] {
            let asked = ["solve", "rare.ron", "--json", "--tolerance", tolerance];
            let found = place.run(&asked).exits(0).json();
            let open: Vec<usize> = found["ties"]
                .as_array()
                .unwrap()
                .iter()
                .map(|place| place.as_u64().unwrap() as usize)
                .collect();
            let letters = found["decision"].as_str().unwrap().chars().zip(right.chars());
            for (place, (found, right)) in letters.enumerate().filter(|(p, _)| !open.contains(p)) {
                assert_eq!(found, right, "{rare} at {tolerance}, load vector {place}");
            }
        }
    }
}
