//! Logs on which advice was once wrong, and what is right; the exported rule in programs that go on
//! from it.

use crate::support::languages::{is_there, skipped, started};
use crate::support::prelude::*;
use std::process::Command;

fn cost(document: &Value, policy: &str) -> f64 {
    document.policy(policy)["cost"].f64()
}

/// What is advised on a log of `corpus/advice`, and its sentence.
fn advice(file: &str, more: &str) -> (Value, String) {
    let found = with_log(file).answer(format!("advise {file} {more}"));
    let sentence = found["advice"].text().to_owned();
    (found, sentence)
}

/// A copy of a log of `corpus/advice`.
fn with_log(file: &str) -> Workplace {
    let place = Workplace::new();
    std::fs::copy(root().join("tests/cli/corpus/advice").join(file), place.path(file)).unwrap();
    place
}

/// Leaving remaps out that change nothing saves what they cost, and no other remap is advised.
#[test]
fn remaps_that_change_nothing_are_left_out() {
    for file in ["3_remaps_do_nothing.csv.gz", "slow_node.csv.gz"] {
        let (found, sentence) = advice(file, "");
        let begun = sentence.starts_with("Do not remap: the recorded remaps change nothing");
        assert!(begun && found["policy"] == "never", "{sentence}");
        let saves = &found["saves"];
        assert!(saves["percent"].f64() > 0.0 && saves["lower"].f64() >= 0.0, "{saves}");
        assert!(sentence.contains(&format!("saves {:.2} %", saves["percent"].f64())), "{sentence}");
    }
}

/// The first step after a remap takes one rank of four a second longer: that second is what a remap
/// costs.
#[test]
fn a_slow_step_of_one_rank_is_the_cost_of_a_remap() {
    let (found, sentence) = advice("slowstep_rank0.csv.gz", "--remap-cost 0");
    let cost = found["remap_cost"].f64();
    assert!((0.9..1.1).contains(&cost), "{cost}");
    // The whole log has nine recorded remaps: they promise little for sure.
    assert!(found["saves"]["lower"].f64() <= 1.0 || found["policy"] == "recorded", "{sentence}");
}

/// Noise that is another at every step is not load: the rule that is handed over saves 3.3 % in
/// fresh runs of the program.
#[test]
fn noise_of_timers_is_not_load() {
    let (found, sentence) = advice("noise_07_straggler_s1.csv.gz", "");
    let ([lower, upper], percent) = (found["saves"].ends(), found["saves"]["percent"].f64());
    assert!(percent > 0.5 && lower <= 3.31 && 3.31 <= upper, "{sentence} {}", found["saves"]);
    has(&found["notes"].to_string(), &["not taken for load"]);
}

/// How much there is to gain is said, not that there is nothing, and of which steps.
#[test]
fn what_there_is_to_gain_is_said() {
    let (found, sentence) = advice("10_nothing_beats_it.csv.gz", "");
    let best = found["policies"].list().iter().map(|line| line["cost"].f64());
    let best = best.fold(f64::INFINITY, f64::min);
    has(&sentence, &["steps 1500 to 2999"]);
    lacks(&sentence, &["nothing"]);
    assert!(
        found["policy"] != "recorded"
            || best >= cost(&found, "recorded")
            || sentence.contains("no rule can save more than"),
        "{sentence}"
    );
    let (_, sentence) = advice("11_fading_drift.csv.gz", "");
    has(&sentence, &["steps 1500 to 2999", "all steps up to 2999"]);
    // 5.9 % of the whole run.
    let clause = sentence.split("; ").find(|clause| clause.contains("learning on the way"));
    let mut words = clause.unwrap().split_whitespace().rev().skip_while(|word| *word != "%");
    let whole: f64 = words.nth(1).unwrap().parse().unwrap();
    assert!((4.5..7.5).contains(&whole), "{sentence}");
}

#[test]
fn idle_steps_are_of_the_same_unit() {
    let (found, sentence) = advice("idle_20_of_1000.csv.gz", "--remap-cost 2");
    assert!(!sentence.contains("unit") && !found["policies"].list().is_empty(), "{sentence}");
}

/// Where no remap is recorded the rule that is handed over is not an interval that costs four times
/// what others do.
#[test]
fn bursts_are_not_answered_by_an_interval() {
    let (found, sentence) = advice("f_burst1.csv.gz", "--remap-cost 0.05717");
    let policy = found["policy"].as_str().or(found["safe"].as_str()).unwrap();
    assert!(cost(&found, policy) < 14.0, "{sentence}");
}

/// A rule that knows how many steps are left does not remap for fewer than pay.
#[test]
fn the_last_steps_do_not_pay_for_a_remap() {
    let replay = "replay late_hot.csv.gz --remap-cost 10 --policies advised,never";
    let found = with_log("late_hot.csv.gz").answer(replay);
    assert!(cost(&found, "advised") <= cost(&found, "never"), "{found}");
}

/// A program whose work is in blocks that are not split, remapped by the exported rule, every so
/// many steps, or never; or it prints a log of a run without remaps.
const PROGRAM: &str = include_str!("blocks.c");

/// In place of an exported rule, for a program that is never asked.
const NO_RULE: &str = "#define REMAP_RANKS 8\ntypedef int remap_advised;\n\
    static int remap_advised_step(remap_advised *r, const double *t) { return *r > 0 && t[0] < 0.0; }\n\
    static void remap_advised_init(remap_advised *r, int n) { *r = n; }\n\
    static void remap_advised_remapped(remap_advised *r) { *r = 0; }\n";

fn compiled(place: &Workplace, blocks: usize, dear: f64, name: &str) {
    place.write("main.c", PROGRAM);
    let defined = format!("-DBLOCKS={blocks} -DCOST={dear}");
    started(place, &format!("cc -std=c99 -O1 -ffp-contract=off main.c -lm -o {name} {defined}"));
}

fn output(place: &Workplace, name: &str, arguments: &[&str]) -> String {
    let run = Command::new(place.path(name)).args(arguments).output().unwrap();
    String::from_utf8(run.stdout).unwrap()
}

/// The rule, learnt from a run without remaps, in other runs of the program: where remaps change
/// nothing it soon waits, and where they help it costs about what the best interval does.
#[test]
fn the_exported_rule_in_a_program_that_goes_on_from_it() {
    if !is_there("cc") {
        return skipped("cc");
    }
    let place = Workplace::new();
    let all = [(8, 1.0, 1.3), (8, 5.0, 1.3), (16, 1.0, 1.3), (160, 1.0, 1.25), (160, 8.0, 1.25)];
    for (blocks, dear, most) in some(3, all) {
        place.write("remap_policy.h", NO_RULE);
        compiled(&place, blocks, dear, "without");
        place.write("log.csv", output(&place, "without", &["1", "0", "log"]));
        let replay = "replay log.csv --policies advised --advised rule.json --force --remap-cost";
        place.remap(format!("{replay} {dear}")).exits(0);
        let mut document = place.document("rule.json");
        document["simple"] = serde_json::json!([]);
        place.write("rule.json", document.to_string());
        place.write("remap_policy.h", place.shown("export rule.json --to c"));
        compiled(&place, blocks, dear, "with");
        let paid = |more: &[&str]| -> f64 {
            let run = |seed: u64| -> f64 {
                let seed = seed.to_string();
                output(&place, "with", &[&[seed.as_str()], more].concat()).trim().parse().unwrap()
            };
            (2..8).map(run).sum()
        };
        let intervals = ["0", "5", "10", "20", "40", "80", "160"];
        let best = intervals.map(|every| paid(&[every])).into_iter().fold(f64::INFINITY, f64::min);
        let rule = paid(&[]);
        assert!(rule <= most * best, "{blocks} blocks, a remap of {dear}: {rule} against {best}");
    }
}
