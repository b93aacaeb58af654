//! Plain lines, by an expression.

use super::{MOVES, RANKS, STEPS, assert_is, load};
use crate::support::prelude::*;
use remap::logs;
use std::fmt::Write as _;

/// A line for the loads, and one for what a remap took.
pub const LISTS: &str =
    r#""step": (?<step>\d+).*"loads": \[(?<loads>[^\]]*)\]|LB_time: (?<remap_seconds>\S+)"#;

pub fn lists() -> String {
    let mut log = String::from("starting\n");
    for step in 0..STEPS {
        let loads: Vec<String> =
            (0..RANKS).map(|rank| format!("{:.9}", load(step, rank))).collect();
        if MOVES.contains(&step) {
            log += "[balancer] LB_time: 0.25 s\n";
        }
        let loads = loads.join(", ");
        let _ = writeln!(log, "[0:01] {{\"step\": {step}, \"loads\": [{loads}], \"x\": 1}}");
    }
    log
}

#[test]
fn plain_logs_are_read_by_an_expression() {
    let place = Workplace::new();
    let with = |expression: &str, log: &str| {
        place.write("run.log", log);
        logs::read(&place.path("run.log"), Some(logs::Form::Lines(expression.parse().unwrap())))
    };
    let trace = with(LISTS, &lists()).unwrap();
    assert_is(&trace, STEPS, &MOVES, "lists");
    assert_eq!(trace.record.mean_remap_cost(), Some(0.25));
    // A step in a line of its own, and a line for each rank.
    let mut log = String::new();
    for step in 0..STEPS {
        let cost = if MOVES.contains(&step) { 0.25 } else { 0.0 };
        let _ = writeln!(log, "Time step {step}, balanced in {cost}");
        for rank in 0..RANKS {
            let _ = writeln!(log, "  PE {rank} worked {:.9}", load(step, rank));
        }
    }
    let lines = r"step (?<step>\d+), balanced in (?<remap_seconds>\S+)|PE (?<rank>\d+) worked (?<seconds>\S+)";
    assert_is(&with(lines, &log).unwrap(), STEPS, &MOVES, "lines");
    // Nothing but lists.
    assert_is(&with(r"\[(?<loads>[-+.\d, ]*)\]", &lists()).unwrap(), STEPS, &[], "counted");
    for (from, to, words) in [
        ("\"step\": 7", "\"step\": 99999999999", "line 9: step: \"99999999999\""),
        ("LB_time: 0.25", "LB_time: soon", "line 22: remap_seconds: \"soon\" is not a number"),
        ("LB_time: 0.25", "LB_time: -1", "line 22: remap_seconds: -1 is negative"),
        ("s\": [", "s\": [1.0, ", "line 3: loads: 4 numbers where the first list has 5"),
        ("s\": [", "s\": [x", "line 2: loads: \"x"),
    ] {
        let said = with(LISTS, &lists().replacen(from, to, 1)).unwrap_err().to_string();
        assert!(said.contains(words), "{words}: {said}");
    }
    has(&with(LISTS, "nothing\nhere\n").unwrap_err().to_string(), &["none of 2 lines"]);
    for (expression, words) in [
        ("(", "unclosed group"),
        ("(?<stpe>.)", "there is no group `stpe`"),
        ("(?<step>.)", "give `loads`, or `rank` and `seconds`"),
        ("(?<rank>.)(?<seconds>.)", "`rank` needs `step`"),
        ("(?<rank>.)(?<loads>.)", "without `rank`"),
    ] {
        place.remap(format!("fit run.log --regex {expression}")).exits(2).says(words);
    }
}
