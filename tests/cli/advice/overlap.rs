//! `replay` and `advise`: remaps beside the steps, other costs of a remap, several trainings.

use crate::support::made_logs::{DRIFTING, Made};
use crate::support::workplace::{Json, MODEL, Workplace};
use approx::{abs_diff_eq, assert_abs_diff_eq};

/// Ranks of which the second gains a second a step, and nothing else happens.
fn ramp(steps: usize) -> String {
    let mut text = String::from("step,rank_0,rank_1\n");
    for step in 0..steps {
        text += &format!("{step},10,{}\n", 10 + step);
    }
    text
}

#[test]
fn overlapping_remaps_cost_what_they_cost_by_hand() {
    let place = Workplace::new();
    place.write("ramp.csv", ramp(20));
    let base = ["replay", "ramp.csv", "--remap-cost", "3", "--policies", "fixed:4,never", "--json"];
    let plain = place.run(&base).exits(0).json();
    // Imbalance grows by a half a step; steps 10 to 19 are judged, remaps come after 13 and 17.
    assert_eq!(plain.policy("fixed:4")["cost"].f64(), 0.5 * (10.0 + 10.0 + 3.0) + 6.0);
    let none = place.run(&[&base[..], &["--overlap", "0:0.5"]].concat()).exits(0).json();
    assert_eq!(none["policies"], plain["policies"]);
    assert_eq!(none["clairvoyant"], plain["clairvoyant"]);
    let late = place.run(&[&base[..], &["--overlap", "2:0.1"]].concat()).exits(0).json();
    // Decided after step 13, in force after 15: steps 14 and 15 have imbalance 2.5 and 3 and are
    // slower by a tenth of their time; step 16 has what grew since 13, 1.5. The next could be
    // decided after 19.
    let mean = |step: usize| 10.0 + step as f64 / 2.0;
    let slower = 0.1 * (mean(14) + 2.5 + mean(15) + 3.0);
    let paid = 0.5 + 1.0 + 1.5 + 2.0 + 2.5 + 3.0 + slower + 1.5 + 2.0 + 2.5 + 3.0 + 3.0;
    let found = late.policy("fixed:4");
    assert!(abs_diff_eq!(found["cost"].f64(), paid, epsilon = 1e-9), "{found} is not {paid}");
    assert_eq!(found["remaps"], 1);
    assert_eq!(late.policy("never"), late.policy("never"));
    assert_eq!(late.policy("never")["cost"].f64(), plain.policy("never")["cost"].f64());
    assert!(late["clairvoyant"].f64() > plain["clairvoyant"].f64());
    assert_eq!(late["overlap"]["steps"].f64(), 2.0);
    let text = place.run(&[&base[..6], &["--overlap", "2:0.1"]].concat()).exits(0).out;
    let said = "comes into force 2 steps after its decision, which are 10 % slower";
    assert!(text.contains(said), "{text}");
}

#[test]
fn every_policy_and_the_advice_know_of_the_overlap() {
    let place = Workplace::new();
    let made = Made { slope: 0.004, walk: 0.05, seed: 3, ..DRIFTING };
    place.write("run.csv", made.csv());
    let overlap = ["--overlap", "5:0.02", "--remap-cost", "0.3", "--json"];
    let found = place.run(&[&["replay", "run.csv"], &overlap[..]].concat()).exits(0).json();
    let least = found["clairvoyant"].f64();
    for policy in found["policies"].list() {
        if policy["policy"] != "recorded" {
            assert!(policy["cost"].f64() >= least - 1e-9, "{policy}");
        }
    }
    // The rule that votes is worth its name here too.
    let cost = |name: &str| found.policy(name)["cost"].f64();
    assert!(cost("advised") < 1.5 * least && cost("advised") < cost("never"), "{found}");
    let advice = place.run(&[&["advise", "run.csv", "-o", "advice"], &overlap[..]].concat());
    let advice = advice.exits(0).json();
    assert_eq!(advice["overlap"], found["overlap"]);
    assert!(advice["files"].to_string().contains("remap_policy.h"), "{advice}");
    let with = ["replay", "run.csv", "--policies", "advised", "--advised", "a.json"];
    let both = place.run(&[&with[..], &overlap[..]].concat()).exits(0).json();
    let mut document = place.document("a.json");
    assert_eq!(document["costs"][0]["cost"].f64(), both.policy("advised")["cost"].f64());
    document["simple"] = serde_json::json!([]);
    place.write("a.json", document.to_string());
    let header = place.shown("export a.json --to c");
    for part in ["#define REMAP_DELAY 5\n", "#define REMAP_SLOWDOWN 0.02\n", "begin to remap"] {
        assert!(header.contains(part), "{part} is not in {}", &header[..3000]);
    }
    let with = ["replay", "run.csv", "--solution", "a.json", "--policies", "advised,solution"];
    let same = place.run(&[&with[..], &overlap[..]].concat()).exits(0).json();
    assert_eq!(same.policy("solution")["cost"], same.policy("advised")["cost"]);
    // An interval counts from decision to decision where it is exported, and remaps are
    // asynchronous.
    let cost = document["costs"][0]["cost"].clone();
    document["of_codes"] = serde_json::json!([{"policy": "eplb:14", "cost": cost, "remaps": 3}]);
    place.write("a.json", document.to_string());
    let text = place.shown("export a.json --to eplb");
    assert!(text.contains("\"step_interval\":14") && !text.contains("use_async\""), "{text}");
    document["simple"] = serde_json::json!([{"policy": "fixed:9", "cost": cost, "remaps": 3}]);
    place.write("a.json", document.to_string());
    let text = place.shown("export a.json --to json");
    assert!(text.contains("\"interval\": 14"), "{text}");
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
    let asked = ["replay", "ramp.csv", "--remap-cost", "3", "--policies", "never", "--splits"];
    place.run(&[&asked[..], &["0"]].concat()).exits(2).says("1..=50");
    place.run(&[&asked[..], &["20"]].concat()).exits(1).says("fewer --splits");
    place
        .remap("replay ramp.csv --remap-cost 0 --what-if --policies never")
        .exits(1)
        .says("--remap-cost C");
}

#[test]
fn other_costs_of_a_remap_are_replays_at_those_costs() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let asked = ["replay", "run.csv", "--policies", "advised,fixed,never", "--json"];
    let found =
        place.run(&[&asked[..], &["--what-if", "--remap-cost", "0.8"]].concat()).exits(0).json();
    let rows = found["what_if"].list();
    assert_eq!(rows.len(), 5);
    for (row, cost) in rows.iter().zip(["0.2", "0.4", "0.8", "1.6", "3.2"]) {
        let alone = place.run(&[&asked[..], &["--remap-cost", cost]].concat()).exits(0).json();
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
    let text = place.remap("replay run.csv --what-if --policies advised,never");
    assert!(text.exits(0).out.contains("a remap  best"));
}

#[test]
fn parts_are_trained_on_all_before_them() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    let asked = ["replay", "run.csv", "--policies", "advised,fixed,never", "--json"];
    let once = place.run(&asked).exits(0).json();
    let same = place.run(&[&asked[..], &["--splits", "1"]].concat()).exits(0).json();
    assert_eq!(once, same);
    let split = place.run(&[&asked[..], &["--split", "0.6", "--splits", "2"]].concat());
    let split = split.exits(0).json();
    let late = place.run(&[&asked[..], &["--split", "0.8"]].concat()).exits(0).json();
    place.write("early.csv", {
        let all = DRIFTING.csv();
        let lines = all.lines().take(1 + 320 * DRIFTING.ranks);
        lines.map(|line| format!("{line}\n")).collect::<String>()
    });
    let early = ["replay", "early.csv", "--split", "0.75", "--remap-cost", "0.8"];
    let early = place.run(&[&early[..], &asked[2..]].concat()).exits(0).json();
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
        let asked = ["replay", "run.csv", "--policies", "never", "--splits", splits];
        let found = place.run(&[&asked[..], &["--json"]].concat()).exits(0).json();
        let first = found["judged_from"].u64() as usize;
        let recorded = (first..steps).filter(|step| step % every == 0).count() as f64;
        let paid = found.policy("recorded")["remaps"].f64();
        let beside = found["remaps_at_starts"].as_f64().unwrap_or(0.0);
        assert_eq!(paid + beside, recorded, "{splits}");
        let said = place.run(&asked).exits(0).out.contains("recorded right before");
        assert_eq!(said, beside > 0.0);
    }
}

#[test]
fn the_picture_shows_every_rank() {
    let place = Workplace::new();
    place.write("run.csv", DRIFTING.csv());
    place.remap("replay run.csv --policies advised,never --plot a.svg").exits(0);
    let picture = place.read("a.svg");
    assert!(picture.contains("times of the ranks: red slower"), "no colours");
    assert!(picture.contains("rank 0"));
    // The steepest rank is red before a remap.
    assert!(picture.contains("#B22020") || picture.to_lowercase().contains("b22020"));
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
    assert!(advice.contains("seconds in 100000 steps"), "{advice}");
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
    assert!(text.contains("on the mean") && text.contains("doing so over 7 remaps"), "{text}");
    // With one stretch nobody knows.
    place.write("one.csv", Made { every: 10_000, ..DRIFTING }.csv());
    let text = place.shown("fit one.csv --remap-cost 1 --model periodic -o m.ron --force");
    assert!(text.contains("cannot be told"), "{text}");
}

#[test]
fn sweeps_of_every_problem_are_drawn() {
    let place = Workplace::new();
    let walks = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/load_drift/four_walks.ron");
    place.write("model.ron", MODEL);
    // The cost per step of drifting loads, of others each number of the table.
    let decks = [(walks, "problem.remap_cost", 1), ("model.ron", "problem.remap.test", 3)];
    for (number, (model, path, charts)) in decks.into_iter().enumerate() {
        let (plot, set) = (format!("{number}.svg"), format!("{path}=2,4,6"));
        let outcome = place.remap(format!("sweep {model} --set {set} --plot {plot}"));
        outcome.exits(0);
        let picture = place.read(&plot);
        assert!(
            picture.contains(path) && picture.matches("<circle").count() == 3 * charts,
            "{model}"
        );
    }
}
