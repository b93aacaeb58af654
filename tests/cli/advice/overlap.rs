//! `replay` and `advise`: remaps beside the steps, other costs of a remap, several trainings.

use crate::support::made_logs::{DRIFTING, Made, times};
use crate::support::prelude::*;

/// Ranks of which the second gains a second a step, and nothing else happens.
fn ramp(steps: usize) -> String {
    times((0..steps).map(|step| vec![10.0, 10.0 + step as f64]))
}

#[test]
fn overlapping_remaps_cost_what_they_cost_by_hand() {
    let place = Workplace::new();
    place.write("ramp.csv", ramp(20));
    let replay = "replay ramp.csv --remap-cost 3";
    let base = &format!("{replay} --policies fixed:4,never");
    let plain = place.answer(base);
    // Imbalance grows by a half a step; steps 10 to 19 are judged, remaps come after 13 and 17.
    assert_eq!(plain.policy("fixed:4")["cost"].f64(), 0.5 * (10.0 + 10.0 + 3.0) + 6.0);
    let none = place.answer(format!("{base} --overlap 0:0.5"));
    assert_eq!(none["policies"], plain["policies"]);
    assert_eq!(none["clairvoyant"], plain["clairvoyant"]);
    let late = place.answer(format!("{base} --overlap 2:0.1"));
    // Decided after step 13, in force after 15: steps 14 and 15 have imbalance 2.5 and 3 and are
    // slower by a tenth of their time; step 16 has what grew since 13, 1.5. The next could be
    // decided after 19.
    let mean = |step: usize| 10.0 + step as f64 / 2.0;
    let slower = 0.1 * (mean(14) + 2.5 + mean(15) + 3.0);
    let paid = 0.5 + 1.0 + 1.5 + 2.0 + 2.5 + 3.0 + slower + 1.5 + 2.0 + 2.5 + 3.0 + 3.0;
    let found = late.policy("fixed:4");
    assert!(abs_diff_eq!(found["cost"].f64(), paid, epsilon = 1e-9), "{found} is not {paid}");
    assert_eq!(found["remaps"], 1);
    assert_eq!(late.policy("never")["cost"].f64(), plain.policy("never")["cost"].f64());
    assert!(late["clairvoyant"].f64() > plain["clairvoyant"].f64());
    assert_eq!(late["overlap"]["steps"].f64(), 2.0);
    let said = "comes into force 2 steps after its decision, which are 10 % slower";
    has(&place.shown(format!("{base} --overlap 2:0.1")), &[said]);
}

#[test]
fn every_policy_and_the_advice_know_of_the_overlap() {
    let place = Workplace::new();
    let made = Made { slope: 0.004, walk: 0.05, seed: 3, ..DRIFTING };
    place.write("run.csv", made.csv());
    let answer = |asked: &str| place.answer(format!("{asked} --overlap 5:0.02 --remap-cost 0.3"));
    let found = answer("replay run.csv");
    let least = found["clairvoyant"].f64();
    for policy in found["policies"].list() {
        if policy["policy"] != "recorded" {
            assert!(policy["cost"].f64() >= least - 1e-9, "{policy}");
        }
    }
    // The rule that votes is worth its name here too.
    let cost = |name: &str| found.policy(name)["cost"].f64();
    assert!(cost("advised") < 1.5 * least && cost("advised") < cost("never"), "{found}");
    let advice = answer("advise run.csv -o advice");
    assert_eq!(advice["overlap"], found["overlap"]);
    assert!(advice["files"].to_string().contains("remap_policy.h"), "{advice}");
    let both = answer("replay run.csv --policies advised --advised a.json");
    let mut document = place.document("a.json");
    assert_eq!(document["costs"][0]["cost"].f64(), both.policy("advised")["cost"].f64());
    document["simple"] = serde_json::json!([]);
    place.write("a.json", document.to_string());
    let parts = ["#define REMAP_DELAY 5\n", "#define REMAP_SLOWDOWN 0.02\n", "begin to remap"];
    has(&place.shown("export a.json --to c"), &parts);
    let same = answer("replay run.csv --solution a.json --policies advised,solution");
    assert_eq!(same.policy("solution")["cost"], same.policy("advised")["cost"]);
    // An interval counts from decision to decision where it is exported, and remaps are
    // asynchronous.
    let cost = document["costs"][0]["cost"].clone();
    document["of_codes"] = serde_json::json!([{"policy": "eplb:14", "cost": cost, "remaps": 3}]);
    place.write("a.json", document.to_string());
    let text = place.shown("export a.json --to eplb");
    has(&text, &["\"step_interval\":14"]);
    lacks(&text, &["use_async\""]);
    document["simple"] = serde_json::json!([{"policy": "fixed:9", "cost": cost, "remaps": 3}]);
    place.write("a.json", document.to_string());
    has(&place.shown("export a.json --to json"), &["\"interval\": 14"]);
}

#[test]
fn overlaps_that_are_none_are_explained() {
    let place = Workplace::new();
    place.write("ramp.csv", ramp(60));
    for wrong in ["3", "3:", "-1:0.1", "3:-0.1", "64:0.1", "x:0.1", "3:inf", "1.5:0.1"] {
        for command in ["replay", "advise"] {
            let asked = format!("--overlap={wrong}");
            let outcome = place.remap(format!("{command} ramp.csv --remap-cost 3 {asked}"));
            outcome.exits(2).says("expected STEPS:SLOWDOWN, as in 3:0.05");
        }
    }
    let splits = "replay ramp.csv --remap-cost 3 --policies never --splits";
    place.remap(format!("{splits} 0")).exits(2).says("1..=50");
    place.remap(format!("{splits} 20")).exits(1).says("fewer --splits");
    let free = place.remap("replay ramp.csv --remap-cost 0 --what-if --policies never");
    free.exits(1).says("--remap-cost C");
}

#[test]
fn other_costs_of_a_remap_are_replays_at_those_costs() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let replay = "replay run.csv --policies advised,fixed,never";
    let found = place.answer(format!("{replay} --what-if --remap-cost 0.8"));
    let rows = found["what_if"].list();
    assert_eq!(rows.len(), 5);
    for (row, cost) in rows.iter().zip(["0.2", "0.4", "0.8", "1.6", "3.2"]) {
        let alone = place.answer(format!("{replay} --remap-cost {cost}"));
        assert_eq!(row["remap_cost"].f64(), cost.parse::<f64>().unwrap());
        let costs = row["policies"].list();
        for pair in costs {
            let name = pair[0].text();
            assert_eq!(pair[1], alone.policy(name)["cost"], "{name} at {cost}");
        }
        let least = costs.iter().map(|pair| pair[1].f64()).fold(f64::INFINITY, f64::min);
        assert_eq!(row["cost"].f64(), least);
        assert_eq!(row["recorded"], alone.policy("recorded")["cost"]);
        assert_eq!(row["clairvoyant"], alone["clairvoyant"]);
    }
    let text = place.shown("replay run.csv --what-if --policies advised,never");
    has(&text, &["a remap  best"]);
}

#[test]
fn parts_are_trained_on_all_before_them() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let asked = "--policies advised,fixed,never";
    let answer = |more: &str| place.answer(format!("replay run.csv {asked} {more}"));
    assert_eq!(answer(""), answer("--splits 1"));
    let (split, late) = (answer("--split 0.6 --splits 2"), answer("--split 0.8"));
    let all = DRIFTING.csv();
    let lines = all.split_inclusive('\n').take(1 + 320 * DRIFTING.ranks);
    place.write("early.csv", lines.collect::<String>());
    let early = place.answer(format!("replay early.csv --split 0.75 --remap-cost 0.8 {asked}"));
    for name in ["advised", "fixed", "never"] {
        let sum = early.policy(name)["cost"].f64() + late.policy(name)["cost"].f64();
        let cost = split.policy(name)["cost"].f64();
        assert!(abs_diff_eq!(cost, sum, epsilon = 1e-9 * sum), "{name}: {cost} is not {sum}");
    }
    let sum = early["clairvoyant"].f64() + late["clairvoyant"].f64();
    assert_abs_diff_eq!(split["clairvoyant"].f64(), sum, epsilon = 1e-9 * sum);
}

/// Remaps that nobody pays for are counted beside.
#[test]
fn remaps_between_parts_are_told_of() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let (every, steps) = (DRIFTING.every, DRIFTING.steps);
    for splits in ["1", "2", "5"] {
        let replay = &format!("replay run.csv --policies never --splits {splits}");
        let found = place.answer(replay);
        let first = found["judged_from"].u64() as usize;
        let recorded = (first..steps).filter(|step| step % every == 0).count() as f64;
        let paid = found.policy("recorded")["remaps"].f64();
        let beside = found["remaps_at_starts"].as_f64().unwrap_or(0.0);
        assert_eq!(paid + beside, recorded, "{splits}");
        let said = place.shown(replay).contains("recorded right before");
        assert_eq!(said, beside > 0.0);
    }
}

#[test]
fn the_picture_shows_every_rank() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    place.remap("replay run.csv --policies advised,never --plot a.svg").exits(0);
    // The steepest rank is red before a remap.
    let picture = place.read("a.svg").to_lowercase();
    has(&picture, &["times of the ranks: red slower", "rank 0", "b22020"]);
}

#[test]
fn the_length_of_the_job_says_what_the_advice_is_worth() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let found = place.answer("advise run.csv --steps 100000");
    let advice = found["advice"].text();
    let percent = found["saves"]["percent"].f64();
    let job = found.policy("recorded")["time"].f64() / found["judged"].f64() * 1e5;
    let said = advice.split("which is ").nth(1).unwrap_or_else(|| panic!("{advice}"));
    let seconds: f64 = said.split(' ').next().unwrap().parse().unwrap();
    assert!(abs_diff_eq!(seconds, percent / 100.0 * job, epsilon = 0.006 * seconds), "{advice}");
    has(advice, &["seconds in 100000 steps"]);
    place.remap("advise run.csv -o advice").exits(0);
    // The page has a table for each of five costs, and begins with the sentence.
    let page = place.read("advice/report.html");
    assert_eq!(page.matches("<table data-cost=").count(), 5);
    assert!(page.contains("A remap costs 0.4 seconds") && page.contains("id=\"cost\""));
    let body = page.split("<h1>").nth(1).unwrap();
    assert!(body.starts_with("Remap ") && body.contains("remap_policy.h"));
    for file in ["sglang", "vt", "openfoam", "fourc", "amrex", "lammps"] {
        assert!(place.path("advice").join(format!("{file}.txt")).exists(), "{file}");
    }
}

#[test]
fn slopes_that_survive_remaps_are_said_to() {
    let place = Workplace::new();
    // Slopes of this log stay with the ranks.
    place.write("run.csv", Made { every: 50, ..DRIFTING }.csv());
    let text = place.shown("fit run.csv --model periodic -o m.ron");
    has(&text, &["on the mean", "doing so over 7 remaps"]);
    // With one stretch nobody knows.
    place.write("one.csv", Made { every: 10_000, ..DRIFTING }.csv());
    let text = place.shown("fit one.csv --remap-cost 1 --model periodic -o m.ron --force");
    has(&text, &["cannot be told"]);
}

#[test]
fn sweeps_of_every_problem_are_drawn() {
    let place = Workplace::with_model();
    let walks = "models/load_drift/four_walks.ron";
    // The cost per step of drifting loads, of others each number of the table.
    for (model, path, charts) in
        [(walks, "problem.remap_cost", 1), ("model.ron", "problem.remap.test", 3)]
    {
        let sweep = format!("sweep {model} --set {path}=2,4,6 --plot sweep.svg --force");
        place.remap(sweep).exits(0);
        let picture = place.read("sweep.svg");
        has(&picture, &[path]);
        assert_eq!(picture.matches("<circle").count(), 3 * charts, "{model}");
    }
}
