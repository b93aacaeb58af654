//! `LoadDrift` and `ActivityMesh` models from the command line.

mod bounds;
mod late;
mod recommended;
mod resumed;

use crate::support::prelude::*;

fn model(processors: usize, steps: u64, more: &str) -> String {
    stated(format!(
        "LoadDrift(processors: {processors}, chain: Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, edge: Hold), \
         initial_load: 10, steps: {steps}, remap_cost: 8.0{more})"
    ))
}

/// What a remap costs may depend on what it moves: dearer remaps are fewer, and nothing else
/// changes where a unit costs nothing.
#[test]
fn remaps_that_cost_what_they_move() {
    let charged = |each: &str, more: &str| {
        let cost = format!("remap_cost: (fixed: 8.0, per_unit_moved: {each})");
        Workplace::of(model(3, 60, more).replace("remap_cost: 8.0", &cost))
    };
    let [free, little, much] =
        ["0", "0.25", "2"].map(|each| charged(each, "").answer("solve model.ron"));
    let plain = Workplace::of(model(3, 60, "")).answer("solve model.ron");
    assert_eq!(free["value_bounds"], plain["value_bounds"]);
    let numbers = |name: &str| [&plain, &little, &much].map(|found| found[name].f64());
    assert!(numbers("value").is_sorted_by(|a, b| a < b), "{:?}", numbers("value"));
    assert!(numbers("remaps").is_sorted_by(|a, b| a > b), "{:?}", numbers("remaps"));
    assert_eq!(little["cost_by_state"], json!({"fixed": 8.0, "per_unit_moved": 0.25}));
    // Two at 1 and one at 19 are 18 above, of which 12 go; two at 19 and one at 1 too.
    assert_eq!(little["remap_cost"], 8.0 + 0.25 * 12.0);
    for found in [&little, &much] {
        for rule in ["best_fixed", "best_threshold"] {
            assert!(found["value"].f64() <= found[rule]["value"].f64(), "{rule}");
        }
    }
    // Rules are played with what a remap costs in the state it is made in.
    let played =
        charged("2", "").answer("compare model.ron --policies optimal,fixed,never --runs 400");
    for line in played["policies"].list() {
        let share = line["mean"].f64() / line["exact"].f64();
        assert!(abs_diff_eq!(share, 1.0, epsilon = 0.1), "{line}");
    }
    let nearest = charged("2", ", rebalance: Nearest").remap("solve model.ron").exits(1);
    nearest.says("even split").says("rebalance: Split");
    // Between bounds, by default over fewer steps.
    let place = charged("0.25", "");
    let fewer = place.read("model.ron").replace("steps: 60", few_or_all("steps: 20", "steps: 60"));
    place.write("model.ron", fewer);
    let found = place.answer("solve model.ron --method bounds --tolerance 0.5");
    let [lower, upper] = found["value_bounds"].ends();
    let whole = place.answer("solve model.ron");
    let value = whole["value"].f64();
    assert!((lower..=upper).contains(&value), "{lower} {value} {upper}");
    assert!(value < whole["never"]["value"].f64(), "{whole}");
    assert_eq!(found["cost_by_state"], little["cost_by_state"]);
    assert_eq!(found["remap_cost"], little["remap_cost"]);
    let listed = Workplace::of(model(3, 60, "").replace("8.0", "PerState([1, 2])"));
    listed.remap("solve model.ron").exits(1).says("per_unit_moved");
}

#[test]
fn solve_gives_the_contracts_fields() {
    let place = Workplace::of(model(3, 100, ""));
    let found = place.answer("solve model.ron");
    assert_eq!(found["problem"], "load_drift");
    assert_eq!((&found["status"], &found["states"]), (&json!("converged"), &json!(1330)));
    let number = |name: &str| found[name].f64();
    assert_abs_diff_eq!(number("value"), 174.4415444473561, epsilon = 1e-9);
    assert_abs_diff_eq!(number("work"), 1000.0025581197721, epsilon = 1e-9);
    assert_abs_diff_eq!(number("time") - number("value"), number("work"), epsilon = 1e-9);
    assert_abs_diff_eq!(number("utilization"), number("work") / number("time"), epsilon = 1e-12);
    assert_abs_diff_eq!(number("remaps"), 5.893446266841264, epsilon = 1e-9);
    assert_eq!(found["best_fixed"]["interval"], 13);
}

#[test]
fn decisions_of_a_step_are_a_map_over_multisets() {
    let found = Workplace::of(model(2, 20, "")).answer("solve model.ron --step 10 --values");
    let map = found["decision"].text();
    assert_eq!((found["decision_step"].as_u64(), map.len()), (Some(10), 190));
    // Colexicographic: (0,0), (0,1), (1,1), ...: balanced states are the last of their rows.
    for row in 0..19usize {
        assert_eq!(map.as_bytes()[row * (row + 1) / 2 + row], b'C');
    }
    assert_eq!(map.as_bytes()[18 * 19 / 2], b'R', "loads 1 and 19");
    assert_eq!(found["cost_to_go"].list().len(), 190);
}

#[test]
fn bad_models_are_refused_where_they_are_wrong() {
    for (wrong, right, named) in [
        ("initial_load: 10", "initial_load: 20", "initial load"),
        ("remap_cost: 8.0", "remap_cost: -1", "negative"),
        ("up: 0.25", "up: 0.95", "Markov chain"),
        ("steps: 10", "steps: 0", "out of range"),
        ("processors: 3", "processors: 0", "out of range"),
        ("processors: 3", "processors: 1000000000", "out of range"),
        ("steps: 10", "paces: 10", "no field `paces`"),
    ] {
        let place = Workplace::of(model(3, 10, "").replace(wrong, right));
        let errors = place.remap("solve model.ron --method exact").exits(1).err;
        let refused = errors.contains(named) || errors.contains("too large");
        assert!(refused, "{right}: {errors}");
    }
}

/// What other problems have is said to make no difference, and ends as it would without.
#[test]
fn options_of_other_problems_are_said_to_be_idle() {
    let walks = "ContinuousDrift(processors: 4, increments: Normal(deviation: 1.0), steps: 10, remap_cost: 4.0)";
    let all = "--step 5 --values --critical-costs --exact --simulate 10 --segments 9";
    for (place, own) in [(Workplace::stating(walks), 0), (Workplace::of(model(3, 10, "")), 2)] {
        let plain = place.answer("solve model.ron --tolerance 0.5");
        let found = place.answer(format!("solve model.ron --tolerance 0.5 {all}"));
        let warnings: Vec<&str> = found["warnings"].list().iter().map(Json::text).collect();
        for (i, option) in all.split(' ').filter(|word| word.starts_with("--")).enumerate() {
            let said = warnings.iter().any(|text| text.starts_with(option));
            assert_eq!(said, i >= own, "{option}: {warnings:?}");
        }
        assert_eq!(plain["value_bounds"], found["value_bounds"]);
        lacks(&plain.to_string(), &["makes no difference"]);
    }
}

#[test]
fn compare_plays_every_policy_on_the_same_paths() {
    let place = Workplace::of(model(3, 60, ""));
    let found = place.answer("compare model.ron --runs 80 --seed 4");
    let policies = found["policies"].list();
    assert_eq!(policies.len(), 12);
    let optimal = &policies[0];
    assert_eq!(optimal["policy"], "optimal");
    for policy in policies {
        let (mean, width) = (policy["mean"].f64(), policy["half_width"].f64());
        if let Some(exact) = policy["exact"].as_f64() {
            assert!(abs_diff_eq!(mean, exact, epsilon = 2.3 * width), "{policy}");
            assert!(exact >= optimal["exact"].f64() - 1e-9);
        }
        assert!(policy["per_metric"]["regret_clairvoyant"]["mean"].f64() >= -1e-9);
    }
    let few = place.answer("compare model.ron --policies never,fixed:7 --runs 1");
    assert_eq!(few["policies"][1]["policy"], "fixed:7");
    assert!(few["policies"][1]["half_width"].is_null());
    place.remap("compare model.ron --policies allways").exits(1).says("allways");
}

#[test]
fn compare_and_draw_an_activity_mesh() {
    let mesh = "ActivityMesh(width: 16, height: 16, units: Each(2), processors: 8, boundary: Reject, steps: 60, \
                moves: (east: 0.2, west: 0.1, north: 0.2, south: 0.1), remap_cost: 20)";
    let place = Workplace::stating(mesh);
    let found = place.answer("compare model.ron --runs 5");
    assert_eq!((&found["problem"], &found["runs"]), (&json!("activity_mesh"), &json!(5)));
    assert!(found["policies"].list().len() > 12);
    assert_eq!(timeless(place.answer("compare model.ron --runs 5")), timeless(found));
    for name in ["plot.svg", "plot.png"] {
        place.remap(format!("compare model.ron --runs 2 --plot {name}")).exits(0);
        assert!(std::fs::metadata(place.path(name)).unwrap().len() > 2000);
    }
    place.remap("solve model.ron").exits(1);
    place.state(mesh.replace("processors: 8", "processors: 800"));
    place.remap("check model.ron").exits(1);
}

/// What is exported says of which steps it is known how far a threshold is from the optimum.
#[test]
fn a_threshold_is_closest_at_the_steps_that_are_named() {
    let place = Workplace::stating(
        "LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 5, up: 0.1, down: 0.1, edge: Hold), \
         initial_load: 3, steps: 12, remap_cost: 3.5, decide: BeforeStep)",
    );
    let found = place.solved("model.ron");
    let source = place.shown("export solution.json --to c");
    let listed = found["closest_threshold"].list();
    let steps: Vec<String> = listed.iter().map(|at| at["step"].to_string()).collect();
    assert!(steps.len() > 2);
    let most = listed.iter().map(|at| 100.0 * at["disagreement"].f64()).fold(0.0, f64::max);
    let steps = format!("optimal decisions of steps {}:", steps.join(", "));
    has(&source, &[&steps, &format!("to {most:.2} % of the load vectors")]);
    // A map that there is none of is missed in words.
    let late = place.remap("solve model.ron --step 12").exits(0);
    late.says("the last decision is that of step 11");
}

/// Probabilities that miss 1 by no more than 1e-9 are a walk, at its reflecting ends too.
#[test]
fn a_walk_may_miss_one_by_a_billionth() {
    for (up, code) in [("0.6", 0), ("0.6000000009", 0), ("0.6000000011", 1)] {
        let place = Workplace::stating(format!(
            "LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 4, up: {up}, down: 0.4, \
             edge: Reflect), initial_load: 2, steps: 5, remap_cost: 1)"
        ));
        place.remap("solve model.ron").exits(code);
    }
}

#[test]
fn methods_of_other_problems_are_refused() {
    let place = Workplace::of(model(3, 10, ""));
    for method in ["value", "policy"] {
        let refused = place.remap(format!("solve model.ron --method {method}")).exits(2);
        refused.says("exact or bounds");
    }
    place.remap("sweep model.ron --set problem.steps=5,6 --method value").exits(2);
}

/// The best threshold stands beside the closest one; `compare` plays both.
#[test]
fn the_best_threshold_is_not_the_closest() {
    let place = Workplace::of(model(3, 100, ""));
    let found = place.answer("solve model.ron");
    let best = &found["best_threshold"];
    let (threshold, value) = (best["threshold"].f64(), best["value"].f64());
    assert!(value > found["value"].f64());
    let asked = format!("compare model.ron --policies threshold:{threshold} --runs 2");
    let exact = place.answer(asked)["policies"][0]["exact"].f64();
    assert!(abs_diff_eq!(exact, value, epsilon = 1e-9), "{exact} {value}");
    let both = place.answer("compare model.ron --policies threshold,best_threshold --runs 2");
    assert_eq!(both["best_threshold"]["threshold"], threshold);
    let cost = |i: usize| both["policies"][i]["exact"].f64();
    assert!(cost(1) <= cost(0) && abs_diff_eq!(cost(1), value, epsilon = 1e-9));
}

/// A long program of many states goes over few of them, and is resumed in the midst of that.
#[test]
fn most_steps_go_over_few_states() {
    let found = Workplace::of(model(6, 300, "")).answer("solve model.ron");
    assert_eq!(found["representation"], "active");
    assert_eq!(found["states"], 134_596);
    let active = found["active_states"].u64();
    assert!(active < 20_000, "{active}");
    let [lower, upper] = found["value_bounds"].ends();
    let value = found["value"].f64();
    assert!(lower <= value && value <= upper && upper - lower < 1e-8);
}

/// Never is among the thresholds, however far from the others, and is what sources play where
/// nothing is better.
#[test]
fn never_is_a_threshold_too() {
    let place = Workplace::stating(
        "LoadDrift(processors: 5, chain: Walk(lowest: 3, levels: 4, up: 0.0, down: 0.3, edge: Reflect), \
         initial_load: 4, steps: 20, remap_cost: 0.25, rebalance: Nearest, decide: AfterStep, objective: Imbalance)",
    );
    let found = place.solved("model.ron");
    assert_eq!(found["best_threshold"]["value"], found["never"]["value"], "{found}");
    lacks(&place.shown("export solution.json --to python"), &["0.2"]);
}
