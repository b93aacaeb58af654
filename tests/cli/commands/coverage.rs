//! Every interval with its level, in words and in documents: one wording for sampled, another for
//! proved.

use crate::support::prelude::*;
use rayon::prelude::*;
use remapping::estimate::Estimate;
use remapping::fluids::Fluids;
use remapping::land_battle::Assigned;
use remapping::land_battle::{LandBattle, Mapping};
use remapping::two_phase::estimate::optimal_thresholds;
use remapping::two_phase::figure::{Policy, reports};
use remapping::two_phase::play;
use remapping::two_phase::workload::{Summary, Workload, compare};

/// A sampled interval: its ends around the mean, within the half-width, and the level; or none.
fn is_sampled(found: &Value) {
    if found["half_width"].is_null() {
        assert!(found["lower"].is_null() && found["upper"].is_null(), "{found}");
        return;
    }
    let [mean, half_width, lower, upper] =
        ["mean", "half_width", "lower", "upper"].map(|field| found[field].f64());
    assert!(lower <= mean && mean <= upper, "{found}");
    let reach = (mean - lower).max(upper - mean);
    assert!(abs_diff_eq!(half_width, reach, epsilon = 1e-9 * mean.abs().max(1e-9)), "{found}");
    assert_eq!(found["level"], 0.95);
}

#[test]
fn a_detector_without_a_seen_error_is_not_said_to_make_none() {
    let place = Workplace::new();
    let calibrate = "calibrate --shift 8 --runs 50";
    let found = place.answer(calibrate);
    is_sampled(&found["missed"]);
    is_sampled(&found["false_alarm"]);
    assert_eq!((&found["missed"]["errors"], &found["missed"]["pairs"]), (&0.into(), &50.into()));
    // (1 - p)^50 = .025.
    let upper = 1.0 - 0.025_f64.powf(0.02);
    assert!(abs_diff_eq!(found["missed"]["upper"].f64(), upper, epsilon = 1e-9), "{found}");
    assert_eq!(found["detector"]["missed"], found["missed"]["upper"]);
    let out = place.shown(calibrate);
    has(&out, &["missed = 0, 95 % confidence 0 to 0.0711", "missed: 0.0711", "no error was seen"]);
}

#[test]
fn fits_and_simulations_say_their_level() {
    let place = Workplace::stating(
        "Periodic(initial_load: 50, changes: Identical(count: 4, law: Normal(mean: 0.1, deviation: 1)), \
         bound: MaxDeviation(0.1))",
    );
    let found = place.answer("solve model.ron --simulate 5");
    is_sampled(&found["simulated"]);
    assert_eq!(found["simulated"]["runs"], 5);
    has(&place.shown("solve model.ron --simulate 5"), &["95 % confidence, sampled"]);
    place.remap("simulate model.ron --steps 100 --trace run.csv").exits(0);
    let found = place.answer("fit run.csv --remap-cost 1 --model periodic");
    for parameter in found["models"][0]["parameters"].list() {
        assert_eq!(parameter["level"], 0.95);
        assert!(parameter["low"].f64() <= parameter["high"].f64());
    }
}

#[test]
fn comparisons_say_what_is_sampled_and_what_is_proved() {
    let place = Workplace::with_model();
    let proved = place.answer("compare model.ron");
    for policy in proved["policies"].list() {
        assert!(policy["lower"].f64() <= policy["upper"].f64());
        assert_eq!(policy["level"], 1.0);
    }
    assert!(place.shown("compare model.ron").contains("proved bounds"));
    let compare = "compare models/load_drift/three_chains.ron --runs 20";
    place.answer(compare)["policies"].list().iter().for_each(is_sampled);
    has(&place.shown(compare), &["95 % confidence interval"]);
    // Over the errors of the detector nothing is sampled: any seed gives the same.
    place.write("fluids.ron", "Model(title: \"Tube\", problem: Fluids(wave: (after: [0.2, 0.7])))");
    let compared = |seed: &str| place.answer(format!("compare fluids.ron --runs 2 --seed {seed}"));
    let (one, other) = (compared("1"), compared("2"));
    assert_eq!(one["policies"], other["policies"]);
    for policy in one["policies"].list() {
        is_sampled(policy);
        assert_eq!(policy["fitted_to_runs"], policy["policy"] == "optimal");
        // What taking close beliefs together may cost.
        assert!(policy["half_width"].f64() <= 1e-3 * policy["mean"].f64(), "{policy}");
    }
}

/// The share of positions and policies whose interval, by `compare` on fluids with so many runs,
/// overlaps that of so many sampled detectors.
fn fluids_contain(runs: u32, detectors: u32) -> f64 {
    let mut model = Fluids::default();
    model.wave.after = vec![0.1, 0.4, 0.7];
    let (found, _) = compare(&model, runs, 1, &()).unwrap();
    let setting = model.setting(runs, 12_345);
    let mut contained = Vec::new();
    for (at, parameters) in found.figure.parameters.iter().enumerate() {
        let cycles = model.trace(at, 1, 0).cycle_times();
        let (belief, premature) = (&setting.belief, setting.premature);
        let parameters = parameters.as_ref().unwrap();
        let optimal = optimal_thresholds(parameters, belief, premature, cycles.len(), 1e-9, &());
        let optimal = optimal.unwrap().0;
        for (policy, own) in [(Policy::Threshold, None), (Policy::Optimal, Some(&optimal))] {
            let level = |n: usize| own.map_or(belief.threshold, |own| own[n]);
            let play = |index: u32| {
                let reports = reports(&setting, index, &cycles.changed);
                play::threshold(&cycles, &reports, belief, premature, &level).0.time
            };
            let times: Vec<f64> = (0..detectors).into_par_iter().map(play).collect();
            let truth = Estimate::of(&times);
            let said = found.figure.curve(policy).unwrap().time[at];
            // A mean of that many is nearly normal: with twice its half-width it is sure enough.
            let apart = (said.lower - truth.value).max(truth.value - said.upper).max(0.0);
            contained.push(apart <= 2.0 * truth.half_width());
        }
    }
    contained.iter().filter(|found| **found).count() as f64 / contained.len() as f64
}

#[test]
fn fluids_contain_what_sampled_detectors_come_to() {
    assert_eq!(fluids_contain(20, 2_000), 1.0);
}

/// Small battles, each over in a few steps of some units.
fn small_battles() -> LandBattle {
    let mut model = LandBattle::default();
    (model.columns, model.rows, model.units, model.steps) = (32, 32, 8, 12);
    model.separations = vec![6];
    model.placement.mean = 16.0;
    model.placement.deviation = 4.0;
    model.mappings.old = Mapping::Blocks { columns: 16, rows: 8 };
    model
}

/// For the policies that are not fitted to the battles: the share of samples of so many battles
/// whose interval for the time, by `compare`, contains the mean of many, and the share whose
/// interval does if it is a quarter as wide.
fn battles_contain(samples: u64, runs: u32, many: u32) -> Vec<(Policy, [f64; 2])> {
    let model = small_battles();
    let workload = Assigned::new(&model);
    let compared = |runs: u32, seed: u64| compare(&workload, runs, seed, &()).unwrap().0.policies;
    let truth = compared(many, 1_000_000);
    let found: Vec<_> = (1..=samples).into_par_iter().map(|seed| compared(runs, seed)).collect();
    let fixed = truth.iter().filter(|summary| !summary.fitted_to_runs);
    let share = |policy: Policy, truth: f64, part: f64| {
        let own = |sample: &Vec<Summary>| {
            sample.iter().find(|summary| summary.policy == policy).map(|summary| summary.time)
        };
        let contains = |time: &Estimate| {
            let reach = [time.lower - time.value, time.upper - time.value].map(|end| part * end);
            (time.value + reach[0]..=time.value + reach[1]).contains(&truth)
        };
        found.iter().filter_map(own).filter(contains).count() as f64 / samples as f64
    };
    let shares = |summary: &Summary| {
        let (policy, truth) = (summary.policy, summary.time.value);
        (policy, [share(policy, truth, 1.0), share(policy, truth, 0.25)])
    };
    fixed.map(shares).collect()
}

#[test]
fn battles_contain_the_mean_of_many() {
    for (policy, [whole, quarter]) in battles_contain(40, 8, 300) {
        assert!(whole >= 0.8, "{policy:?}: {whole}");
        // The intervals are not simply wide.
        assert!(quarter <= 0.6, "{policy:?}: {quarter} of quarters");
    }
}

/// Rows of the table of docs/coverage.md.
#[test]
#[ignore = "minutes; run with: cargo test -p remapping-cli --test cli coverage -- --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn battles_contain_the_mean_of_many_in_91_of_100_samples() {
    // With few runs the skew of the times shows.
    for runs in [8, 20] {
        for (policy, [whole, _]) in battles_contain(400, runs, 4_000) {
            println!("compare on battles, {runs} runs, {policy:?}{:>17.1} %", 100.0 * whole);
            assert!(whole >= 0.91, "{policy:?}");
        }
    }
}

/// Rows of the table of docs/coverage.md.
#[test]
#[ignore = "minutes; run with: cargo test -p remapping-cli --test cli coverage -- --ignored --nocapture"]
#[expect(clippy::print_stdout, reason = "the table is what the command is for")]
fn comparisons_contain_the_truth_in_93_of_100_samples() {
    for runs in [20, 100] {
        let share = 100.0 * fluids_contain(runs, 40_000);
        println!("compare on fluids, {runs} runs, threshold and optimal{share:>17.1} %");
        assert!(share >= 93.0);
    }
}
