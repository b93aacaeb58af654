//! Drifting loads: the headline is the cheapest rule that is known exactly, and exports play it;
//! loads in doubles decide as whole ones.

use crate::exports::knobs::says_never;
use crate::support::prelude::*;

/// Never is the optimum of these: no loads exceed the threshold closest to it.
const NEVER: [&str; 3] = [
    "processors: 3, chain: Walk(lowest: 1, levels: 3, up: 0.25, down: 0.25, edge: Hold), initial_load: 2, steps: 100, \
     remap_cost: 1000, objective: Imbalance",
    "processors: 3, chain: Walk(lowest: 0, levels: 2, up: 0.5, down: 0.5, edge: Hold), initial_load: 0, steps: 3, \
     remap_cost: 1000, rebalance: Stochastic, objective: Makespan",
    UNITS_MOVED,
];
const UNITS_MOVED: &str = "processors: 3, initial_load: 1, steps: 40, remap_cost: (fixed: 1000, per_unit_moved: 0.5), \
    chain: Matrix(lowest: 0, rows: [[0.828, 0.14, 0.032], [0.663, 0.101, 0.236], [0.547, 0.282, 0.171]]), \
    objective: Makespan";

/// Thresholds closest to the optimal decisions that cost more than never, and than the best one.
const DEAR: [&str; 3] = [
    "processors: 3, initial_load: 4, steps: 40, remap_cost: 0.911, decide: BeforeStep, objective: Imbalance, \
     chain: Matrix(lowest: 3, rows: [[0.226, 0.717, 0.057], [0.412, 0.148, 0.44], [0.462, 0.372, 0.166]])",
    "processors: 3, initial_load: 2, steps: 100, remap_cost: 2, decide: BeforeStep, objective: Imbalance, \
     chain: Affine(lowest: 1, levels: 4, changes: [(factor: 1.25, added: 0, probability: 0.2), \
     (factor: 0.5, added: -1, probability: 0.3), (factor: 2, added: 0.5, probability: 0.5)])",
    "processors: 3, initial_load: 1, steps: 100, remap_cost: 2, decide: BeforeStep, objective: Makespan, \
     chain: Matrix(lowest: 0, rows: [[0.466, 0.115, 0.302, 0.016, 0.101], [0.5, 0.0, 0.0, 0.0, 0.5], \
     [0.5, 0.0, 0.0, 0.5, 0.0], [0.054, 0.877, 0.046, 0.0, 0.023], [0.0, 0.0, 0.0, 0.5, 0.5]])",
];

/// The same where remaps come into force later.
const LATE: &str = "processors: 3, initial_load: 3, steps: 40, remap_cost: 0, overlap: (steps: 1, slowdown: 0.05), \
    objective: Makespan, chain: Matrix(lowest: 1, rows: [[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], \
    [0.102, 0.61, 0.05, 0.238], [0.221, 0.201, 0.474, 0.104]])";

/// A remap every other step costs less than any threshold.
const EVERY: &str = "processors: 2, initial_load: 2, steps: 8, remap_cost: 0, objective: Makespan, \
    chain: BirthDeath(lowest: 1, up: [0, 0.486, 0.191, 0.889, 0.052, 0], down: [0, 0.148, 0.282, 0.06, 0.948, 0.4325])";

/// The best threshold near the closest costs more than a remap after every step.
const FAR: [&str; 2] = [
    "processors: 3, initial_load: 4, steps: 12, remap_cost: 0, objective: Imbalance, \
     chain: Affine(lowest: 0, levels: 6, changes: [(factor: 0.8, added: -1, probability: 0.2), \
     (factor: 2, added: 0, probability: 0.3), (factor: 0, added: 0.5, probability: 0.5)])",
    "processors: 3, initial_load: 5, steps: 100, remap_cost: 0.001, rebalance: Nearest, objective: Makespan, \
     chain: Affine(lowest: 0, levels: 6, changes: [(factor: 0, added: -1, probability: 0.2), \
     (factor: 1, added: 0.5, probability: 0.3), (factor: 1.25, added: 0, probability: 0.5)])",
];

/// The model as `model.ron`, its solution as `solution.json`; its first sentence, and the document.
fn solved(place: &Workplace, problem: &str) -> (String, Value) {
    place.state(format!("LoadDrift({problem})"));
    let document = place.solved("model.ron");
    let text = place.shown("solve model.ron");
    (text.lines().nth(1).unwrap().to_owned(), document)
}

fn exported(place: &Workplace, target: &str) -> String {
    place.shown(format!("export solution.json --to {target}"))
}

/// Writes a model of so many processors on levels from 1 on, and so many steps, of which not all
/// states are gone over.
fn of_many_ranks(place: &Workplace, processors: u64, levels: u64, steps: u64) {
    place.state(format!(
        "LoadDrift(processors: {processors}, chain: Walk(lowest: 1, levels: {levels}, up: 0.25, down: 0.25, \
         edge: Hold), initial_load: {}, steps: {steps}, remap_cost: 8)",
        levels.div_ceil(2)
    ));
}

/// The thresholds of the exported rule, by the first step.
fn thresholds(place: &Workplace) -> Vec<(u64, f64)> {
    let json: Value = serde_json::from_str(&exported(place, "json")).unwrap();
    json["thresholds"]
        .list()
        .iter()
        .map(|at| (at["first_step"].u64(), at["threshold"].f64()))
        .collect()
}

#[test]
fn what_never_remaps_is_exported_as_never_to_all_targets() {
    let never = "1.7976931348623157e308";
    let words = [
        ("python", "(1, 1.7976931348623157e308)"),
        ("c", never),
        ("fortran", never),
        ("rust", never),
        ("csv", ",1.7976931348623157e308\n"),
        ("controller", "[[1,1.7976931348623157e+308]]"),
    ];
    for problem in NEVER {
        let place = Workplace::new();
        let (sentence, _) = solved(&place, problem);
        assert!(sentence.starts_with("Do not remap: that costs "), "{sentence}");
        for (target, expected) in words {
            has(&exported(&place, target), &[expected]);
        }
        says_never(&place, "solution.json");
    }
}

/// Documents of earlier versions had the largest value of max - mean in place of never, and its own
/// unit is no other threshold.
#[test]
fn what_no_loads_exceed_is_never() {
    let place = Workplace::new();
    let (_, document) = solved(&place, UNITS_MOVED);
    for (largest, unit) in [(4.0 / 3.0, None), (1.5, Some(4.0)), (4.0 / 3.0, Some(0.25))] {
        let mut old = document.clone();
        let answer = old.as_object_mut().unwrap();
        for field in ["best_threshold", "closest_value"] {
            answer.remove(field);
        }
        answer["remaps"] = json!(1e-9);
        if let Some(unit) = unit {
            let units = json!({ "unit_seconds": unit, "stride": 1, "job_steps": 40 });
            answer.extend(units.as_object().unwrap().clone());
        }
        for at in answer["closest_threshold"].as_array_mut().unwrap() {
            at["threshold"] = json!(largest);
        }
        place.write("solution.json", old.to_string());
        assert!(thresholds(&place).iter().all(|(_, at)| *at == f64::MAX), "{largest} {unit:?}");
        assert!(exported(&place, "lammps").ends_with("# no fix balance\n"));
        // Of a job of any length the rule is a level.
        old.as_object_mut().unwrap().remove("job_steps");
        place.write("solution.json", old.to_string());
        assert!(exported(&place, "lammps").ends_with("# no fix balance\n"));
    }
}

#[test]
fn exported_thresholds_cost_no_more_than_what_is_known() {
    for problem in DEAR.into_iter().chain(FAR).chain([LATE]) {
        let place = Workplace::new();
        let (sentence, found) = solved(&place, problem);
        let value = found["value"].f64();
        let best = &found["best_threshold"];
        let known = [&best["value"], &found["best_fixed"]["value"], &found["never"]["value"]];
        let least = known.map(Json::f64).into_iter().fold(f64::INFINITY, f64::min);
        // The sentence is of the cheapest.
        let (_, percent) = sentence.split_once("that costs ").unwrap();
        let percent = percent.split_once(" % more than the optimum");
        let percent: f64 = percent.map_or(0.0, |(percent, _)| percent.parse().unwrap());
        assert_abs_diff_eq!(percent, 100.0 * (least / value - 1.0), epsilon = 0.006);
        // So is what is exported, if thresholds by the step do not cost less.
        let json: Value = serde_json::from_str(&exported(&place, "json")).unwrap();
        let by_step = found["closest_value"].f64();
        let cost = match json["interval"].as_u64() {
            Some(every) => {
                assert_eq!(found["best_fixed"]["interval"], every);
                found["best_fixed"]["value"].f64()
            }
            None => {
                let list = thresholds(&place);
                let first = list[0].1;
                let closest = found.at("/closest_threshold/0/threshold").f64();
                let at = list.len() > 1 || first == closest;
                match first {
                    f64::MAX => found["never"]["value"].f64(),
                    _ if at && by_step < least => by_step,
                    _ => {
                        assert_eq!((list.len(), first), (1, best["threshold"].f64()), "{json}");
                        best["value"].f64()
                    }
                }
            }
        };
        assert!(cost <= least.min(by_step) * (1.0 + 1e-9), "{cost} {found}");
        has(&json["notes"].to_string(), &[&format!("{cost:.6} in units of load")]);
    }
}

/// What `compare` plays in doubles is the rule that `solve` has the cost of.
#[test]
fn sentences_are_of_rules_that_compare_finds_as_cheap() {
    for problem in DEAR.into_iter().chain(FAR).chain([LATE]) {
        let place = Workplace::new();
        let (sentence, found) = solved(&place, problem);
        let policy = match sentence.split_once(':').unwrap().0 {
            "Do not remap" => "never".to_owned(),
            "Remap every step" => "fixed:1".to_owned(),
            rule => match rule.strip_prefix("Remap when max - mean exceeds ") {
                Some(threshold) => format!("threshold:{threshold}"),
                None => panic!("{sentence}"),
            },
        };
        let asked = format!("compare model.ron --policies {policy} --runs 2");
        let exact = place.answer(asked)["policies"][0]["exact"].f64();
        let known = ["/best_threshold/value", "/best_fixed/value", "/never/value"];
        let known = known.map(|path| found.at(path).f64());
        let least = known.into_iter().fold(f64::INFINITY, f64::min);
        assert_abs_diff_eq!(exact, least, epsilon = 1e-9 * least);
    }
}

/// Rounding decides nothing: no value that max - mean may have is near a threshold.
#[test]
fn thresholds_are_not_values_of_the_imbalance() {
    let decks = ["three_chains", "units_moved", "four_walks", "late_ranks", "64_ranks"];
    for deck in &decks[..few_or_all(3, 5)] {
        let place = Workplace::new();
        let document = place.solved(format!("models/load_drift/{deck}.ron"));
        let r = document["processors"].f64();
        let json: Value = serde_json::from_str(&exported(&place, "json")).unwrap();
        let lists = [&json["thresholds"], &json["since_last_remap"]];
        let all: Vec<f64> = lists
            .into_iter()
            .filter_map(Value::as_array)
            .flatten()
            .map(|at| at["threshold"].f64())
            .filter(|threshold| ![0.0, f64::MAX].contains(threshold))
            .collect();
        assert!(!all.is_empty(), "{deck}: {json}");
        for threshold in all {
            let place = (threshold * r).fract();
            assert!((0.25..0.75).contains(&place), "{deck}: {threshold}");
        }
    }
}

/// Remaps that would come into force after the last step are none, and nothing was stopped.
#[test]
fn a_program_without_decisions_never_remaps() {
    let place = Workplace::new();
    let late = "processors: 2, chain: Walk(lowest: 10, levels: 6, up: 0.1, down: 0.1, edge: Hold), initial_load: 15, \
                steps: 3, remap_cost: 1, overlap: (steps: 5, slowdown: 0.5)";
    let (sentence, _) = solved(&place, late);
    assert!(sentence.starts_with("Do not remap"), "{sentence}");
    assert_eq!(thresholds(&place), [(1, f64::MAX)]);
    assert!(exported(&place, "lammps").ends_with("# no fix balance\n"));
}

/// Long programs of many ranks, of which little is known: never is, and no bound is above it.
#[test]
fn bounds_do_not_exceed_what_is_known() {
    let place = Workplace::new();
    of_many_ranks(&place, 100_000, 61, 1_000_000);
    let found = place.remap("solve model.ron --json").exits(3).json();
    let (upper, never) = (&found["value_bounds"]["upper"], &found["never"]["value"]);
    assert!(upper.f64() <= never.f64() * (1.0 + 1e-8), "{upper} {never}");
    assert!(upper.f64() >= never.f64(), "{upper} {never}");
}

/// A gap that was reached is not said to be missed: all states were asked for.
#[test]
fn what_was_asked_of_all_states_says_so() {
    let place = Workplace::new();
    of_many_ranks(&place, 64, 19, 60);
    let found = place.remap("solve model.ron --method exact --tolerance 0.1").exits(3);
    has(
        &found.says("bounds by sampling instead").out,
        &["\nnot over all states; the gap of 1e-1 is reached, nothing is proved, "],
    );
}

/// Where a fixed interval costs less than every threshold, that is the rule; codes that look at the
/// imbalance are priced as ever.
#[test]
fn an_interval_that_costs_least_is_the_rule() {
    let place = Workplace::new();
    let (sentence, found) = solved(&place, EVERY);
    assert!(sentence.starts_with("Remap every 2 steps: that costs 3.61 % more than"), "{sentence}");
    assert!(found["best_fixed"]["value"].f64() < found["best_threshold"]["value"].f64());
    assert!(exported(&place, "python").contains("INTERVAL = 2\n"));
    assert!(exported(&place, "smilei").contains("    every = 2,\n"));
    let charm = exported(&place, "charm");
    has(&charm, &["# AtSync() every 2 iterations\n", " +LBPeriod "]);
    lacks(&charm, &["at least"]);
    for target in ["lammps", "swift"] {
        let out = exported(&place, target).replace("\n#", "");
        assert!(out.contains("costs least") && out.contains("never remapping"), "{target}:\n{out}");
    }
}
