//! Simple rules and settings of codes, exported in place of the rule of a log, and what they lose.

use super::advised::taught;
use crate::families::Family;
use crate::support::languages::in_every_language;
use crate::support::prelude::*;
use remapping::policy::codes::Code;
use remapping::policy::{Rule, Step};
use std::fmt::Write as _;

/// Where a simple rule is as good it is written instead, and decides as `replay` has it.
#[test]
fn a_simple_rule_that_is_as_good_is_written() {
    let place = Workplace::new();
    let run = Family::Drift.run(6, 120, 20.0, 2);
    let mut document = taught(&place, &run, "0.5");
    let cost = document["costs"][0]["cost"].f64();
    let mut with = |policy: &str, times: f64| {
        document["simple"] = json!([{"policy": policy, "cost": times * cost, "remaps": 3}]);
        place.write("advised.json", document.to_string());
    };
    let spread = run.record.imbalance(90);
    for name in some(1, [format!("threshold:{spread}"), "utilization:0.93".to_owned()]) {
        with(&name, 1.009);
        let mut policy = name.parse::<Rule>().unwrap().start(run.remap_cost);
        let (mut input, mut expected) = (String::new(), Vec::new());
        let around = |value: f64| [value.next_down(), value, value.next_up(), value * (1.0 + 1e-9)];
        let pairs = around(spread).map(|excess| (2.0 + excess, 2.0)).into_iter();
        let pairs = pairs.chain(around(0.93).map(|used| (1.0, used)));
        for (max, mean) in pairs.chain([(0.0, 0.0), (9.0, 1.0), (1.0, 0.5), (1.0, 1.0)]) {
            let step = Step::new(1, vec![max, mean + mean - max]);
            if step.mean() == mean {
                let _ = writeln!(input, "{max:?} {mean:?}");
                policy.observe(&step);
                expected.push(u8::from(policy.wants_remap()).to_string());
            }
        }
        assert!(expected.iter().any(|word| word == "1") && expected.iter().any(|word| word == "0"));
        in_every_language(&place, "advised.json", "level", &input, |language, lines| {
            assert_eq!(lines, expected, "{language}, {name}");
        });
        // Played, it is that rule.
        let asked = format!("--solution advised.json --policies solution,{name}");
        let lines = place.answer(format!("replay run.csv --remap-cost {} {asked}", run.remap_cost));
        assert_eq!(lines["policies"][0]["cost"], lines["policies"][1]["cost"]);
    }
    with("fixed:9", 1.01);
    let input: String = (0..20).map(|since| format!("{since}\n")).collect();
    in_every_language(&place, "advised.json", "interval", &input, |language, lines| {
        for (since, line) in (0..).zip(lines) {
            assert_eq!(*line == "1", since >= 9, "{language}");
        }
    });
    // One percent is the limit.
    with("fixed:9", 1.02);
    let text = place.shown("export advised.json --to c");
    assert!(text.contains("remap_advised_step") && !text.contains("REMAP_INTERVAL"));
    place.remap("export advised.json --to csv").exits(1).says("a program, not a table");
}

/// What codes with an interval or a tolerance get, and what is said of it.
#[test]
fn settings_say_what_is_lost() {
    let place = Workplace::new();
    let mut document = taught(&place, &Family::Drift.run(6, 120, 20.0, 2), "0.5");
    let cost = document["costs"][0]["cost"].f64();
    document["simple"] = json!([
        {"policy": "threshold:1.5", "cost": 1.05 * cost, "remaps": 1},
        {"policy": "utilization:0.8", "cost": 1.1 * cost, "remaps": 2},
        {"policy": "fixed:7", "cost": 1.2 * cost, "remaps": 3},
        {"policy": "never", "cost": 1.3 * cost, "remaps": 0},
    ]);
    // Of some codes a dearer one, too.
    let rules = "lammps:1:1.25 1.1, warpx:1:1.25 1.1, openfoam:1:1.25 1.1, sglang:1:1.25 1.1, atom:1:1.25 1.1, \
        fourc_structure:1:1.25 1.1, smilei:7 1.2, charm:7 1.2, eplb:7 1.2, vt:7 1.2, amrex:7 1.2, \
        swift:1:0.35 1.2, fourc:1:1.5 1.25, lammps:9 1.4, vt:3 1.4";
    let of_code = |rule: &str| {
        let (policy, times) = rule.split_once(' ').unwrap();
        json!({"policy": policy, "cost": times.parse::<f64>().unwrap() * cost, "remaps": 1})
    };
    let rules: Vec<Value> = rules.split(", ").map(of_code).collect();
    document["of_codes"] = json!(rules);
    document["stride"] = json!(10);
    place.write("advised.json", document.to_string());
    let exported = |target: &str| {
        let outcome = place.remap(format!("export advised.json --to {target}")).exits(0);
        outcome.out + &outcome.err
    };
    let settings = |targets: &str, rule: &str, more: &str| {
        for target in targets.split(' ') {
            let text = exported(target).replace("\n#", "").replace("\n//", "");
            let said = "the best of the rules tuned on the steps learnt from that this code knows; it costs";
            assert!(text.contains(&format!("{target}:{rule}, {said} {more} more")), "{text}");
            let steps = if rule == "7" { "steps of the program" } else { "a look every 10 steps" };
            assert!(text.contains(steps), "{target}: {text}");
        }
    };
    settings("lammps warpx openfoam sglang atom fourc_structure", "1:1.25", "10.0 %");
    settings("smilei charm eplb vt amrex", "7", "20.0 %");
    settings("swift", "1:0.35", "20.0 %");
    settings("fourc", "1:1.5", "25.0 %");
    for (target, words) in [
        ("lammps", "fix remap all balance 10 1.25 rcb "),
        ("warpx", "load_balance_intervals = 10\n"),
        ("swift", "  trigger: 0.35\n"),
        ("fourc", "  MAX_BALANCE_EVAL_TIME: 1.5\n"),
        ("charm", "# AtSync() every 70 iterations\n"),
        ("smilei", "every = 70,"),
        ("eplb", "\"step_interval\":70"),
        ("c", "Assumed: a remap restores balance"),
        ("c", "REMAP_STRIDE INT64_C(10)"),
        ("c", "- stop_at_rise: "),
        ("c", "not told how many"),
    ] {
        has(&exported(target), &[words]);
    }
}

/// The settings of every code are tuned by its own rule and cost what `replay` says of it; never is
/// not written where a remap pays.
#[test]
fn settings_cost_what_replay_says_of_the_rule_of_the_code() {
    let place = Workplace::new();
    let run = Family::Drift.run(6, 400, 20.0, 2);
    let mut document = taught(&place, &run, "0.5");
    let cost =
        |cost: &Value| (cost["policy"].text().to_owned(), cost["cost"].f64(), cost["remaps"].u64());
    let costs: Vec<(String, f64, u64)> = document["of_codes"].list().iter().map(cost).collect();
    for (_, code) in Code::ALL {
        let own = |cost: &&(String, f64, u64)| cost.0.starts_with(&format!("{code}:"));
        assert!(costs.iter().any(|cost| own(&cost)), "{code}");
        // What is written is said by the name and the cost of one of them.
        let text = place.shown(format!("export advised.json --to {code}"));
        let text = text.replace("\n#", "").replace("\n//", "");
        let least = costs.iter().filter(own).map(|cost| cost.1).fold(f64::INFINITY, f64::min);
        let written = costs.iter().filter(own).find(|cost| cost.1 == least).unwrap();
        assert!(text.contains(&format!("Written here: {}, ", written.0)), "{code}: {text}");
    }
    let names: Vec<&str> = costs.iter().map(|cost| cost.0.as_str()).collect();
    let asked = format!("--remap-cost {} --policies {}", run.remap_cost, names.join(","));
    let replayed = place.answer(format!("replay run.csv {asked}"));
    for (policy, cost, remaps) in &costs {
        let line = replayed.policy(policy);
        assert!(abs_diff_eq!(line["cost"].f64(), *cost, epsilon = 1e-9 * cost), "{line}");
        assert_eq!(line["remaps"], *remaps);
    }
    let exported = |target: &str| place.shown(format!("export advised.json --to {target}"));
    // Drifting loads are remapped: nobody is told never to.
    assert!(exported("swift").contains("repartition_type: fullcosts"));
    assert!(exported("fourc").contains("PARALLEL_REDIST: Dynamic"));
    document.as_object_mut().unwrap().remove("of_codes");
    place.write("advised.json", document.to_string());
    for (_, target) in Code::ALL {
        let refused = place.remap(format!("export advised.json --to {target}")).exits(1);
        refused.says("advise from the log again");
    }
    let cost = &document["costs"][0]["cost"];
    document["simple"] = json!([{"policy": "never", "cost": cost, "remaps": 0}]);
    place.write("advised.json", document.to_string());
    assert!(exported("swift").contains("repartition_type: none"));
    assert!(exported("fourc").contains("PARALLEL_REDIST: None"));
}
