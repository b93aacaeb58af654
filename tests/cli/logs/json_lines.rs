//! JSON lines are read by the names of their fields, as tables are by those of their columns.

use crate::logs::streams::assert_same;
use crate::support::prelude::*;
use remap::logs::{self, Trace};
use std::fmt::Write as _;

fn read(text: &str) -> Result<Trace, String> {
    let place = Workplace::new();
    place.write("run.jsonl", text);
    let found = logs::read(&place.path("run.jsonl"), None);
    found.map_err(|complaint| {
        let text = complaint.to_string();
        text.rsplit_once('/').map_or(text.clone(), |(_, shown)| shown.to_owned())
    })
}

#[test]
fn fields_are_called_as_columns_are() {
    let lines = |line: &dyn Fn(usize) -> String| -> String {
        (0..50).map(|step| line(step) + "\n").collect()
    };
    let expected =
        read(&lines(&|step| format!("{{\"step\": {step}, \"seconds\": [1, {}]}}", 1 + step % 7)));
    let expected = expected.unwrap();
    let long = |names: [&str; 3], unit: usize| {
        let [step, rank, time] = names;
        lines(&|at| {
            let object = |of: usize, value: usize| {
                format!("{{\"{step}\": {at}, \"{rank}\": {of}, \"{time}\": {}}}", unit * value)
            };
            object(0, 1) + "\n" + &object(1, 1 + at % 7)
        })
    };
    let wide = |a: &str, b: &str, more: &str| {
        lines(&|at| format!("{{\"Step\": {at}, \"{a}\": 1, \"{b}\": {}{more}}}", 1 + at % 7))
    };
    let list = |name: &str, unit: usize, more: &str| {
        lines(&|at| {
            format!("{{\"Iteration\": {at}, \"{name}\": [{unit}, {}]{more}}}", unit * (1 + at % 7))
        })
    };
    for text in [
        long(["step", "rank", "seconds"], 1),
        long(["Step", "Rank", "Seconds"], 1),
        long(["iter", "worker", "time_ms"], 1000),
        long(["step", "rank", "times"], 1),
        wide("rank_0", "rank_1", ""),
        wide("Rank 0", "Rank 1", ", \"p50\": 7, \"p99\": 8, \"host\": {\"name\": \"a\"}"),
        list("time_ms", 1000, ""),
        list("Times", 1, ""),
        list("loads_us", 1_000_000, ""),
        list("seconds", 1, ", \"duration\": 3, \"time\": \"noon\", \"cost\": null"),
    ] {
        let found = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(
            (found.record.steps(), found.record.ranks(), found.account.format),
            (50, 2, "JSON lines")
        );
        for step in 0..50 {
            for (a, b) in found.record.row(step).iter().zip(expected.record.row(step)) {
                assert!((a - b).abs() < 1e-12, "{text}");
            }
        }
    }
}

/// `json.dumps` of Python writes numbers that are none, which JSON does not have.
#[test]
fn nan_is_a_missing_time() {
    let place = Workplace::new();
    let mut text = String::new();
    for step in 0..1500 {
        let time = if step % 40 == 7 { "NaN".to_owned() } else { format!("{}", 1 + step % 7) };
        let more = "\"note\": \"NaN \\\"\"";
        _ = writeln!(text, "{{\"step\": {step}, {more}, \"seconds\": [{time}, 2.5]}}");
    }
    place.write("run.jsonl", &text);
    let found = logs::read(&place.path("run.jsonl"), None).unwrap();
    assert_eq!(found.record.row(7), [4.5, 2.5]);
    assert_eq!(found.repairs, ["38 missing times are filled in between their neighbours"]);
    assert_same(&[place.path("run.jsonl")], &found, None);
    let error = read("{\"step\": 0, \"seconds\": [1, -Infinity]}\n").unwrap_err();
    assert_eq!(error, "run.jsonl, line 1: rank 1: \"-inf\" is not finite");
}

#[test]
fn what_is_wrong_has_its_line_and_column() {
    let good =
        "{\"step\": 0, \"seconds\": [1, 2, 3]}\n{\"step\": 1, \"seconds\": [1, 2, null]}\n\n";
    let refused = |line: &str, words: &str| {
        let error = read(&format!("{good}{line}\n")).unwrap_err();
        has(&error, &[words]);
        lacks(&error, &["at line"]);
    };
    let shorter = "line 4: 2 times where the first line has 3";
    for (fields, words) in [
        ("\"seconds\": oops", "line 4, column 24: not a JSON object: expected value"),
        ("\"seconds\": [NaN, oops]", "line 4, column 30: not a JSON object: expected value"),
        ("\"seconds\": [1, 2]", &format!("{shorter}: a time that is missing is null")),
        ("\"rank_0\": 1, \"rank_1\": 2", shorter),
        (
            "\"rank_0\": 1, \"rank_1\": 2, \"rank_3\": 2",
            "line 4: these are not the ranks of the first line",
        ),
        ("\"rank\": 1", "line 4: there is no field `seconds`"),
        ("\"rank\": 1, \"seconds\": [1]", "line 4: give `rank` with one time, or a list"),
        ("\"time\": [1], \"load\": [1]", "line 4: `load` and `time` are lists of times"),
        ("\"seconds\": [1, 2, \"x\"]", "line 4: rank 2: \"x\" is not a number"),
    ] {
        refused(&format!("{{\"step\": 2, {fields}}}"), words);
    }
    refused(
        "{\"step\": 2.5, \"seconds\": [1, 2, 3]}",
        "line 4: step: \"2.5\" is not the number of a step",
    );
    refused("5", "line 4, column 1: not a JSON object: invalid type: integer `5`, expected a map");
}

#[test]
fn a_field_that_marks_remaps_decides() {
    let lines = |line: &dyn Fn(usize) -> String| -> String {
        (0..30).map(|step| line(step) + "\n").collect()
    };
    let times = |step: usize| format!("\"step\": {step}, \"seconds\": [1, {}]", 1 + step % 7);
    let marked = |step: usize| if step % 10 == 5 { "true" } else { "false" };
    let found = read(&lines(&|step| {
        format!("{{{}, \"remapped\": {}, \"remap_seconds\": 0.5}}", times(step), marked(step))
    }));
    let found = found.unwrap();
    assert_eq!((found.remaps(), found.mean_remap_cost()), (3, Some(0.5)));
    // A cost alone is one as long as nothing is marked.
    let by_cost = |step: usize| if step % 10 == 5 { ", \"remap_seconds\": 0.5" } else { "" };
    let found = read(&lines(&|step| format!("{{{}{}}}", times(step), by_cost(step)))).unwrap();
    assert_eq!((found.remaps(), found.knows_remaps), (3, true));
    let late =
        |step: usize| if step == 20 { ", \"remapped\": true" } else { ", \"remap_seconds\": 0.5" };
    let error = read(&lines(&|step| format!("{{{}{}}}", times(step), late(step)))).unwrap_err();
    assert!(error.contains("line 21: `remapped` is here for the first time"), "{error}");
}
