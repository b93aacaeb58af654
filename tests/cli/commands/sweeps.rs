//! `remap sweep`.

use crate::support::prelude::*;

fn sweep(settings: &[&str]) -> Outcome {
    let workplace = Workplace::with_model();
    let mut arguments = vec!["sweep", "model.ron", "--json"];
    for set in settings {
        arguments.extend(["--set", set]);
    }
    workplace.run(&arguments)
}

fn sets(outcome: &Outcome) -> Vec<Value> {
    let document = outcome.json();
    document["runs"].list().iter().map(|run| run["set"].clone()).collect()
}

/// The solution of the model with `to` in place of `from`.
fn solved(from: &str, to: &str) -> Value {
    assert!(MODEL.contains(from));
    timeless(Workplace::of(MODEL.replace(from, to)).answer("solve model.ron"))
}

fn solution(outcome: &Outcome, run: usize) -> Value {
    timeless(outcome.json()["runs"][run]["solution"].clone())
}

#[test]
fn a_range_takes_each_value_the_last_included() {
    let outcome = sweep(&["problem.remap.test=0.1:0.3:0.1"]).exits(0);
    let values = ["0.1", "0.2", "0.3"];
    let expected = values.map(|v| json!({"problem.remap.test": v.parse::<f64>().unwrap()}));
    assert_eq!(sets(&outcome), expected);
    for (run, value) in values.iter().enumerate() {
        assert_eq!(solution(&outcome, run), solved("test: 3.0", &format!("test: {value}")));
    }
    let falling = sweep(&["problem.remap.test=3:1:-1"]).exits(0);
    assert_eq!(sets(&falling)[2], json!({"problem.remap.test": 1}));
}

#[test]
fn several_settings_give_all_combinations_the_last_fastest() {
    let outcome =
        sweep(&["problem.remap.test=1,2", "problem.detector.missed=0.1:0.3:0.1"]).exits(0);
    let at = |set: &Value| (set["problem.remap.test"].f64(), set["problem.detector.missed"].f64());
    let pairs: Vec<(f64, f64)> = sets(&outcome).iter().map(at).collect();
    assert_eq!(pairs, [(1.0, 0.1), (1.0, 0.2), (1.0, 0.3), (2.0, 0.1), (2.0, 0.2), (2.0, 0.3)]);
}

#[test]
fn the_number_of_a_variant_can_be_set_and_the_variant_itself() {
    let outcome = sweep(&["problem.lifetime=10:30:10"]).exits(0);
    for (run, last) in [10, 20, 30].iter().enumerate() {
        assert_eq!(solution(&outcome, run), solved("Fixed(40)", &format!("Fixed({last})")));
    }
    let outcome = sweep(&["problem.hazard=0.01,0.02"]).exits(0);
    assert_eq!(solution(&outcome, 1), solved("0.05", "0.02"));
    let laws = ["Fixed(7)", "Uniform(first: 1, last: 9)", "Pmf({1: 0.5, 2: 0.5})"];
    let outcome = sweep(&[&format!("problem.lifetime={}", laws.join(","))]).exits(0);
    for (run, law) in laws.iter().enumerate() {
        assert_eq!(sets(&outcome)[run], json!({"problem.lifetime": law}));
        assert_eq!(solution(&outcome, run), solved("Fixed(40)", law));
    }
}

#[test]
fn elements_of_lists_and_fields_of_variants_can_be_set() {
    let workplace = Workplace::new();
    let text = MODEL
        .replace("Fixed(40)", "Uniform(first: 1, last: 3)")
        .replace("Constant(0.05)", "PerStep([0.1, 0.2, 0.3])");
    workplace.write("model.ron", &text);
    workplace.write("third.ron", text.replace("0.3]", "0.9]"));
    let swept = workplace.answer("sweep model.ron --set problem.hazard[2]=0.9");
    let third = workplace.answer("solve third.ron");
    assert_eq!(swept["runs"][0]["solution"]["threshold"], third["threshold"]);
    // Together they are a law, one by one they would not be.
    let swept = workplace.answer(
        "sweep model.ron --set problem.lifetime.first=7 --set problem.lifetime.last=7 --set problem.hazard=Constant(0.1)",
    );
    assert_eq!(swept["runs"][0]["solution"]["last_step"], 7);
}

#[test]
fn fields_left_to_their_defaults_can_be_set() {
    let outcome = sweep(&["problem.premature=Revert,Keep(before_remapped: 1.5)"]).exits(0);
    assert_eq!(solution(&outcome, 0), solved("Drift", "Drift"));
    let kept = solved("Constant(0.05),", "Constant(0.05), premature: Keep(before_remapped: 1.5),");
    assert_eq!(solution(&outcome, 1), kept);
    assert_ne!(kept["threshold"], solution(&outcome, 0)["threshold"]);
}

#[test]
fn settings_that_cannot_be_read_exit_with_2() {
    let wrong = [
        ("problem.remap.test", "there is no `=`"),
        ("=1,2", "no path"),
        ("problem.remap.test=", "a value is missing"),
        ("problem.remap.test=1,,2", "a value is missing"),
        ("problem.remap.test=1:2", "three parts"),
        ("problem.remap.test=1:2:3:4", "three parts"),
        ("problem.remap.test=1:2:0", "the step does not lead from first to last"),
        ("problem.remap.test=1:2:-1", "the step does not lead from first to last"),
        ("problem.remap.test=1:x:1", "expected a decimal number"),
        ("problem.remap.test=1:inf:1", "not a finite number"),
        ("problem.remap.test=0:1:1e-9", "100000 values at most"),
    ];
    for (set, words) in wrong {
        let outcome = sweep(&[set]).exits(2).says(words).says("help:");
        assert_eq!(outcome.out, "");
    }
    sweep(&["a=1", "a=2"]).exits(2).says("set twice");
    sweep(&["a=1:1000:1", "b=1:1000:1"]).exits(2).says("more than 100000 models");
}

#[test]
fn places_that_are_not_there_are_told_once() {
    let outcome = sweep(&["problem.remapp.test=1:100:1"]).exits(1);
    assert_eq!(outcome.out, "");
    assert_eq!(outcome.err.matches("no place `problem.remapp.test`").count(), 1);
    outcome.says("`problem` has lifetime, cycle, remap");
    sweep(&["problem.remap.test.x=1"]).exits(1).says("`problem.remap.test` is a single value");
    sweep(&["problm.remap=1"]).exits(1).says("paths begin with title, problem");
    sweep(&["problem.cycle=1", "problem.cycle.after=2"]).exits(1).says("inside another place");
    sweep(&["problem.remap.tests=1"]).exits(1).says("no field `tests`").says("mean `test`?");
}

#[test]
fn a_value_that_is_wrong_leaves_out_its_run_only() {
    let outcome = sweep(&["problem.detector.missed=0.5:1.5:0.5"]).exits(1);
    assert_eq!(sets(&outcome).len(), 2);
    let outcome = outcome.says("at problem.detector.missed=1.5:").says("`1.5` is not in [0, 1]");
    assert!(outcome.err.contains("[model.ron:7:46]"));
}

/// Values that have the same map are one group, in whatever order they are asked for.
#[test]
fn values_of_one_map_are_grouped_in_their_order() {
    for (values, groups) in [
        ("4,6,5", "4-6"),
        ("6,1,4,2,3,14,20,5", "1 | 2,3 | 4-6 | never"),
        // Figure 4 of the paper.
        ("1:16:1", "1 | 2,3 | 4-6 | 7-9 | 10-13 | never"),
        ("30,10,11", "10,11 | never"),
    ] {
        let sweep =
            format!("sweep models/stopping/yin_xu_wang.ron --set problem.remap_cost={values}");
        let table = Workplace::new().shown(sweep);
        let line = format!("values with the same map: {groups}");
        assert_eq!(table.lines().last(), Some(line.as_str()), "{values}");
    }
}

#[test]
fn without_json_a_table_is_shown() {
    let workplace = Workplace::with_model();
    let table = workplace.shown("sweep model.ron --set problem.remap.test=1,2,3");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].contains("problem.remap.test") && lines[0].contains("n0"));
    assert!(lines[3].trim_start().starts_with('3'));
}

#[test]
fn a_limit_is_that_of_each_run() {
    let workplace = Workplace::with_model();
    let runs = workplace.remap("sweep model.ron --json --segments 4 --set problem.remap.test=1,2");
    let runs = runs.exits(3).json();
    assert_eq!(runs["runs"][1]["solution"]["status"], "iteration_limit");
}

/// That what `command` says is what its parts say together, in so many parts. Parts are left as
/// `part_1_of_3.json`.
pub fn parts_are_the_whole(
    workplace: &Workplace,
    command: impl Fn(&str) -> String,
    parts: &[usize],
) {
    let timeless = |text: String| timeless(serde_json::from_str(&text).unwrap());
    let (table, whole) = (command(""), timeless(command("--json")));
    command("--plot whole.svg");
    for of in parts {
        let mut join = "join".to_owned();
        for number in (1..=*of).rev() {
            let name = format!("part_{number}_of_{of}.json");
            workplace.write(&name, command(&format!("--part {number}/{of} --json")));
            join += &format!(" {name}");
        }
        let joined = |more: &str| workplace.shown(format!("{join} {more}"));
        assert_eq!(timeless(joined("--json")), whole, "{of}");
        assert_eq!(joined(""), table, "{of}");
        joined("--plot joined.svg --force");
        assert_eq!(workplace.read("joined.svg"), workplace.read("whole.svg"));
    }
}

/// The parts of a sweep say together what the sweep says, to the byte but for the time it takes.
#[test]
fn parts_are_joined_to_the_whole() {
    let workplace = Workplace::with_model();
    let values = "--set problem.remap.test=1:4:1 --set problem.detector.missed=0.1,0.2";
    let sweep = |more: &str| workplace.shown(format!("sweep model.ron {values} {more}"));
    // More parts than models, too.
    parts_are_the_whole(&workplace, sweep, &[1, 3, 8, 11]);
    // The second of three is missing: what is there is shown.
    let found = workplace.remap("join part_1_of_3.json part_3_of_3.json --json").exits(3);
    assert_eq!(found.says("missing: 2").json()["runs"].list().len(), 5);
    let twice = workplace.remap("join part_1_of_3.json part_1_of_3.json").exits(1);
    twice.says("part 1 of 3, as is");
    // Models of the parts that are there are named where they have no solution.
    let mut short = workplace.document("part_2_of_3.json");
    let runs = short["runs"].as_array_mut().unwrap();
    let set = json!({ "problem.remap.test": 3, "problem.detector.missed": 0.1 });
    assert_eq!(runs.remove(1)["set"], set);
    workplace.write("short.json", short.to_string());
    let words = "have no solution: problem.remap.test=3, problem.detector.missed=0.1";
    workplace.remap("join part_1_of_3.json short.json part_3_of_3.json").exits(3).says(words);
    workplace.remap("join part_1_of_3.json part_1_of_8.json").exits(1).says("another sweep");
    // Parts of other models and with other options, and one that says nothing of either.
    let second = |model: &str, more: &str| {
        workplace.shown(format!("sweep {model} {values} --part 2/3 --json {more}"))
    };
    workplace.write("other.ron", MODEL.replace("0.1", "0.11"));
    let join = "join part_1_of_3.json second.json part_3_of_3.json";
    for (text, why) in [
        (second("other.ron", ""), "second.json: a part of another model than part_1_of_3.json"),
        (second("model.ron", "--tolerance 1e-6"), "a part with other options than"),
    ] {
        workplace.write("second.json", text);
        workplace.remap(join).exits(1).says(why);
    }
    let mut silent: Value = serde_json::from_str(&second("other.ron", "")).unwrap();
    for field in ["model", "settings"] {
        silent["part"].as_object_mut().unwrap().remove(field).unwrap();
    }
    workplace.write("second.json", silent.to_string());
    workplace.remap(join).exits(0);
    workplace.write("whole.json", sweep("--json"));
    workplace.remap("join whole.json").exits(1).says("not a part of a sweep");
    let part = workplace.read("part_1_of_3.json");
    for (from, to, words) in [
        ("\"place\":0", "\"place\":1", "not one of the part's"),
        ("\"place\":0", "\"place\":3", "twice"),
        ("\"models\":8", "\"models\":80000000", "more than 100000"),
        ("\"number\":1", "\"number\":7", "no part 7 of 3"),
    ] {
        assert!(part.contains(from), "{from}");
        workplace.write("bad.json", part.replacen(from, to, 1));
        workplace.remap("join bad.json").exits(1).says(words);
    }
    for wrong in ["0/3", "4/3", "1", "1/0", "1/1000000"] {
        let refused = workplace.remap(format!("sweep model.ron {values} --part {wrong}")).exits(2);
        refused.says("such as 3/20");
    }
}

/// Rows that a limit ended are marked, and maps that are open are not told to be the same.
#[test]
fn unfinished_rows_are_marked() {
    let walk = |up: &str| format!("Walk(levels: 30, up: {up}, down: 0.25, edge: Hold)");
    let walks = ["0.25", "0.24", "0.26"].map(walk).join(", ");
    let workplace = Workplace::stating(format!(
        "Stopping(processes: Distinct([{walks}]), remap_cost: 500.0, after_remap: Stop)"
    ));
    let sweep = "sweep model.ron --set problem.remap_cost=400:520:40";
    let text = workplace.remap(format!("{sweep} --time-limit 0.001")).exits(3).out;
    has(&text, &["time limit", "rows that ended early"]);
    has(&text, &["of 4 of the 4 maps the bounds leave letters open"]);
    let text = workplace.shown(sweep);
    has(&text, &["values with the same map: 400 | 440 | 480 | 520\n"]);
    lacks(&text, &["ended", "open"]);
    workplace.write("model.ron", MODEL);
    let coarse = workplace.shown("sweep model.ron --set problem.remap.test=3 --tolerance 1e-2");
    has(&coarse, &["numbers are known to 1e-2"]);
}

/// The picture has what the table has: a chart for each number that differs.
#[test]
fn all_numbers_of_the_table_are_drawn() {
    let place = Workplace::with_model();
    let table =
        place.shown("sweep model.ron --set problem.cycle.after=1.6,2.0,3.0 --plot sweep.svg");
    let picture = place.read("sweep.svg");
    for column in ["n0", "pi_0", "expected time"] {
        assert!(table.lines().next().unwrap().contains(column), "{table}");
        assert!(picture.lines().any(|line| line.trim() == column), "{column}");
    }
}
