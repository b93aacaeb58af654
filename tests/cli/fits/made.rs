//! Traces made by a model cost what its solution says.

use crate::kinds::continuous_drift::{CLASSES, WALKS};
use crate::support::prelude::*;
use remapping::estimate::Estimate;

/// The steps of a trace: the times of all ranks, and what a remap just before cost.
fn rows(trace: &str) -> Vec<(Vec<f64>, Option<f64>)> {
    let mut rows: Vec<(Vec<f64>, Option<f64>)> = Vec::new();
    for line in trace.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[1] == "0" {
            rows.push((Vec::new(), fields.get(4).and_then(|paid| paid.parse().ok())));
        }
        rows.last_mut().unwrap().0.push(fields[2].parse().unwrap());
    }
    rows
}

fn imbalance(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::MIN, f64::max) - row.iter().sum::<f64>() / row.len() as f64
}

fn agree(costs: &[f64], exact: &Value, model: &str) {
    let (sampled, exact) = (Estimate::of(costs), exact.f64());
    let error = sampled.half_width() / 2.0;
    assert!((sampled.value - exact).abs() < 4.0 * error, "{sampled:?} {exact} {model}");
}

/// The same on levels: units moved are paid for, and a remap before a step spares it.
#[test]
fn traces_on_levels_cost_what_intervals_do() {
    let walk =
        "chain: Walk(lowest: 1, levels: 9, up: 0.25, down: 0.25, edge: Reflect), initial_load: 5";
    let all = [
        "remap_cost: (fixed: 1.0, per_unit_moved: 0.5)",
        "remap_cost: 2.0, decide: BeforeStep",
        "remap_cost: 2.0",
    ];
    for more in some(1, all) {
        let model = format!("LoadDrift(processors: 4, {walk}, steps: 60, {more})");
        let place = Workplace::stating(&model);
        let found = place.answer("solve model.ron");
        let policy = format!("fixed:{}", found["best_fixed"]["interval"]);
        let cost = |seed: usize| {
            let simulate = format!("simulate model.ron --policy {policy} --seed {seed}");
            let rows = rows(&place.shown(simulate));
            rows.iter().map(|(row, paid)| imbalance(row) + paid.unwrap_or(0.0)).sum()
        };
        let costs: Vec<f64> = (1..=100).map(cost).collect();
        agree(&costs, &found["best_fixed"]["value"], &model);
    }
}

/// Remaps that take effect later are decided at the same steps as `compare` decides them.
#[test]
fn late_remaps_follow_each_other_at_the_interval() {
    let overlap = "overlap: (steps: 2, slowdown: 0.1)";
    let levels = format!(
        "LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 6, up: 0.3, down: 0.2, edge: Hold),
        initial_load: 3, steps: 12, remap_cost: 1.5, {overlap})"
    );
    let continuous = WALKS.replace("steps: 60", &format!("steps: 12, mean_load: 50.0, {overlap}"));
    for (model, every) in [(&levels, 3), (&levels, 4), (&continuous, 4)] {
        let place = Workplace::stating(model);
        let rows = rows(&place.shown(format!("simulate model.ron --policy fixed:{every}")));
        let made: Vec<usize> = (0..rows.len()).filter(|&step| rows[step].1.is_some()).collect();
        let compare = format!("compare model.ron --policies fixed:{every} --runs 2");
        let found = place.answer(compare);
        let remaps = found["policies"][0]["per_metric"]["remaps"]["mean"].f64();
        assert_eq!(made.len() as f64, remaps, "{made:?} {model}");
        assert!(made.windows(2).all(|pair| pair[1] - pair[0] == every), "{made:?} {model}");
    }
}

/// What fixed intervals cost on traces is what the solution says of them.
#[test]
fn traces_cost_what_intervals_do() {
    let moved = WALKS.replace("cost: 8.0", "cost: (fixed: 4.0, per_unit_moved: 0.5)");
    let around = WALKS.replace("steps", "mean_load: 100.0, steps");
    for model in some(1, [moved.as_str(), WALKS, CLASSES, &around]) {
        let place = Workplace::stating(model);
        let found = place.answer("solve model.ron --tolerance 0.5");
        let policy = format!("fixed:{}", found["best_fixed"]["interval"]);
        let cost = |seed: usize| {
            let simulate = format!("simulate model.ron --policy {policy} --seed {seed}");
            let rows = rows(&place.shown(simulate));
            assert_eq!((rows.len(), rows[0].0.len()), (60, 12));
            let mean = rows[0].0.iter().sum::<f64>() / 12.0;
            assert!(!model.contains("mean_load") || abs_diff_eq!(mean, 100.0, epsilon = 1e-9));
            let mut before: Option<&[f64]> = None;
            let mut cost = 0.0;
            for (row, paid) in &rows {
                assert!(row.iter().all(|load| *load > 0.0), "{row:?}");
                let now = row.iter().sum::<f64>() / 12.0;
                assert!(abs_diff_eq!(now, mean, epsilon = 1e-9 * mean), "{now} {mean}");
                if let (Some(paid), Some(before)) = (paid, before) {
                    let units: f64 = before.iter().map(|load| (load - mean).max(0.0)).sum();
                    let right = if model == moved { 4.0 + 0.5 * units } else { *paid };
                    assert!(abs_diff_eq!(*paid, right, epsilon = 1e-9), "{paid} {right}");
                }
                cost += imbalance(row) + paid.unwrap_or(0.0);
                before = Some(row);
            }
            cost
        };
        let costs: Vec<f64> = (1..=60).map(cost).collect();
        agree(&costs, &found["best_fixed"]["value"], model);
    }
    let long = Workplace::stating(WALKS).remap("simulate model.ron --steps 4000000000");
    long.exits(1).says("take fewer");
}

/// Traces of a model that was fitted to a log have its seconds and steps, and lead back to the
/// model.
#[test]
fn traces_of_fitted_models_are_in_the_units_of_their_log() {
    let place = Workplace::new();
    let model = "Model(title: \"t\", unit_seconds: 0.25, stride: 5, problem: LoadDrift(processors: 4,
        chain: Walk(lowest: 1, levels: 12, up: 0.2, down: 0.24, edge: Reflect), initial_load: 6, steps: 4000,
        remap_cost: 6))";
    place.write("model.ron", model);
    let simulate = "simulate model.ron --policy fixed:40";
    let short = place.shown(format!("{simulate} --steps 3"));
    let steps = short.lines().skip(1).map(|line| line.split(',').next().unwrap());
    assert_eq!(steps.collect::<Vec<_>>().join(" "), "0 0 0 0 5 5 5 5 10 10 10 10");
    let in_units = |time: f64| (0.25..=3.0).contains(&time) && time % 0.25 == 0.0;
    assert!(rows(&short).into_iter().flat_map(|(row, _)| row).all(in_units), "{short}");
    place.remap(format!("{simulate} --trace run.csv")).exits(0);
    let paid = rows(&place.read("run.csv")).into_iter().filter_map(|(_, paid)| paid);
    assert!(paid.into_iter().all(|paid| paid == 1.5));
    place.remap("fit run.csv -o fitted.ron").exits(0);
    let fitted = place.read("fitted.ron");
    has(&fitted, &["unit_seconds: 0.25", "stride: 5", "levels: 12", "lowest: 1"]);
    has(&fitted, &["steps: 4000", "remap_cost: 6"]);
    for (name, right) in [("up: ", 0.2), ("down: ", 0.24)] {
        let found = fitted.split(name).nth(1).unwrap().split(',').next().unwrap();
        assert!((found.parse::<f64>().unwrap() - right).abs() < 0.02, "{name}{found}");
    }
}

/// What of a periodic model has no trace is said where it stands.
#[test]
fn periodic_models_that_are_not_played_say_what_is_in_the_way() {
    let periodic =
        |more: &str| format!("Periodic(initial_load: 10, bound: MaxDeviation(0.4), {more})");
    let chain = "changes: Chain(count: 8, chain: Walk(lowest: 1, levels: 19, up: 0.25, down: 0.25, edge: Hold))";
    let two = "count: 2, law: Normal(mean: 0.1, deviation: 1)";
    let moments = "changes: Identical(count: 2, law: Moments(mean: 0.1, variance: 1))";
    let dependent = format!("changes: Identical({two}), covariance: [[1, 0.4], [0.4, 1]]");
    let dependent = periodic(&dependent).replace("MaxDeviation", "RmsDeviation");
    for (model, label, help) in [
        (periodic(chain), "a chain of loads", "LoadDrift"),
        (dependent, "changes that depend on each other", "leave the covariance out"),
        (periodic(moments), "moments, but no law", "state laws"),
    ] {
        let refused = Workplace::stating(model).remap("simulate model.ron").exits(1);
        lacks(&refused.says(label).says(help).err, &["and PhaseChange models"]);
    }
    let laws = Workplace::stating(periodic(&format!("changes: Identical({two})")));
    laws.remap("simulate model.ron --steps 3").exits(0);
}
