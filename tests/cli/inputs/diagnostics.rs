//! One test per fault a model file can have: exit code 1, the place, the words, nothing written.

use crate::support::prelude::*;

/// Solves `content`, asking for every kind of output, and expects a message about `place`.
#[track_caller]
fn faulted(content: impl AsRef<[u8]>, place: &str, words: &[&str]) -> Outcome {
    let workplace = Workplace::of(content);
    let solve = ["solve", "model.ron", "--json", "--out", "results", "--plot", "curve.svg"];
    let outcome = workplace.run(&solve).exits(1);
    has(&outcome.err, &[&[&format!("[model.ron:{place}]"), "help:"], words].concat());
    assert_eq!(outcome.out, "");
    assert_eq!(workplace.names(), ["model.ron"]);
    let check = workplace.remap("check model.ron").exits(1);
    assert_eq!(check.err, outcome.err, "check and solve disagree");
    outcome
}

fn edited(from: &str, to: &str) -> String {
    assert!(MODEL.contains(from));
    MODEL.replacen(from, to, 1)
}

/// A part of the right model, what stands in its place, where the fault is, and words of its
/// message.
const FAULTS: &str = r##"
// A bracket that is never closed.
install: 1.0), => install: 1.0, @ 6:16 this bracket is not closed|a `)` is missing
// Brackets that do not match.
install: 1.0) => install: 1.0] @ 6:40 the brackets do not match|of line 6, column 16
// A missing comma or colon.
3.0, install => 3.0 install @ 6:27 a comma is missing|`install`
test: 3.0 => test 3.0 @ 6:22 a colon is missing|`test: value`
test: 3.0 => test = 3.0 @ 6:22 written with a colon
install: 1.0 => install 1.0 @ 6:36 a colon is missing
// Strings and comments that are never closed.
"Drift" => "Drift @ 2:12 a string is never closed
"Drift" => r#"Drift" @ 2:12 a string is never closed|"#
3.0 => 3.0 /* in ms @ 6:27 a comment is never closed
// Something other than one model.
Model => Modell @ 1:1 this is not a model
// An unknown field.
title => tittle @ 2:5 no field `tittle`|did you mean `title`?
// A field given twice.
missed: 0.2 => missed: 0.2, missed: 0.1 @ 7:51 the field `missed` is given twice|keep one
// A missing field.
, missed: 0.2 => @ 7:36 the field `missed` is missing|(false_alarm: 0.05, missed: 0.05)
// An unknown variant.
Fixed => Fixd @ 4:19 `Fixd` is not known|did you mean `Fixed`?
PhaseChange => Phase @ 3:14 `Phase` is not known|PhaseChange
Constant(0.05) => Often @ 8:17 Constant, PerStep
// A value of the wrong type.
1.0 => "one" @ 5:25 expected a decimal number|`"one"`
40 => 40.5 @ 4:25 expected a whole number, found `40.5`
40 => -1 @ 4:25 expected a whole number, found `-1`
40 => 99999999999999999999 @ 4:25 expected a whole number
"Drift" => 5 @ 2:12 expected a string, found `5`
Constant(0.05) => 0.05 @ 8:17 found `0.05`|Constant(0.001)
0.05 => 0x10 @ 8:26 expected a decimal number, found `0x10`
0.05 => 1/20 @ 8:27 numbers are not computed
Constant(0.05) => PerStep([0.1, "a"]) @ 8:31 found `"a"`
Fixed(40) => Pmf([(3, 1.0)]) @ 4:23 expected a map|Pmf({
Fixed(40) => Pmf({0.5: 1.0}) @ 4:24 expected a whole number
// The wrong number of values.
0.05 => 0,05 @ 8:17 the number of values is wrong|2 values stand here, one is expected
0.05 => @ 8:17 the number of values is wrong|a value is missing in the brackets
(0.05) => @ 8:17 expected `(...)`, found `Constant`
0.05 => phi: 0.05 @ 8:17 without a name
// Numbers that are not finite.
3.0 => 1e-999 @ 6:23 the exponent of `1e-999` is not in -400..=400
// A probability out of range.
0.2 => 1.2 @ 7:46 a probability is out of range|`1.2` is not in [0, 1]|from 0 to 1
0.1 => -0.1 @ 7:33 a probability is out of range|`-0.1` is not in [0, 1]
0.05 => 1.0000000000000000000001 @ 8:26 a probability is out of range
0.05 => -1e-350 @ 8:26 a probability is out of range|`-1e-350`
Fixed(40) => Geometric(rate: 2, first: 1, last: 9) @ 4:35 a probability is out of range|`2`
Fixed(40) => Pmf({3: -0.5, 4: 1.5}) @ 4:27 a probability is out of range|`-0.5`|:4:36]
// A law that does not sum to one.
Fixed(40) => Pmf({3: 0.5, 5: 0.4}) @ 4:19 the probabilities of N must sum to 1|the sum is 0.9, 0.1 below 1|never renormalised
Fixed(40) => Pmf({3: 0.5, 5: 0.500000002}) @ 4:19 the probabilities of N must sum to 1|2.000000e-9 above 1
Fixed(40) => Pmf({}) @ 4:19 the probabilities of N must sum to 1|the sum is 0
// A value of n given twice.
Fixed(40) => Pmf({3: 0.5, 5: 0.25, 3: 0.25}) @ 4:41 the same key twice|`3` again
Fixed(40) => Pmf({10: 0.5, 5: 0.25, 1_0: 0.25}) @ 4:42 the same key twice|`1_0` again
Fixed(40) => Pmf({10: 0.5, 0xa: 0.5}) @ 4:19 is given twice
// An empty range of n.
Fixed(40) => Uniform(first: 9, last: 3) @ 4:19 the range of N is empty|first = 9 is after last = 3
Fixed(40) => Geometric(rate: 0.5, first: 9, last: 3) @ 4:19 the range of N is empty
// A hazard list of the wrong length.
Constant(0.05) => PerStep([0.1, 0.2]) @ 8:17 the list of hazards has the wrong length|2 hazards, but M = 40
Constant(0.05) => PerStep([]) @ 8:17 0 hazards, but M = 40
// Negative and reversed costs.
3.0 => -3.0 @ 6:23 a delay cannot be negative|`-3.0` is below zero
2.0 => -2.0 @ 5:37 a cycle time cannot be negative
3.0 => -1e-350 @ 6:23 a delay cannot be negative
Constant(0.05), => Constant(0.05), premature: Keep(before_remapped: 0.5), @ 8:66 the costs are reversed|0.5 is below cycle.before = 1
// A horizon too long for output step by step.
Fixed(40) => Uniform(first: 0, last: 2000000) @ 4:19 M is too large for per-step output|M = 2000000|M <= 1000000
40 => 18446744073709551615 @ 4:19 N is too large
"##;

#[test]
fn faults_are_placed_and_explained() {
    for fault in FAULTS.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        let (from, rest) = fault.split_once(" =>").unwrap();
        let (to, rest) = rest.split_once(" @ ").unwrap();
        let (place, words) = rest.split_once(' ').unwrap();
        faulted(edited(from, to.trim_start()), place, &words.split('|').collect::<Vec<_>>());
    }
    let text = edited("\"Drift\",", "\"Drift,\n    source: \"[NR90]\",");
    faulted(text, "2:12", &["a string is not closed", "ends at line 3, column 13"]);
    faulted(MODEL.trim_end().trim_end_matches(')'), "1:6", &["before all brackets are closed"]);
    faulted("{\"title\": \"JSON\"}", "1:1", &["this is not a model", "Model(title:"]);
    faulted("hello world", "1:1", &["this is not a model"]);
    faulted(format!("{MODEL}{MODEL}"), "11:1", &["more text after the model"]);
    faulted("", "1:1", &["the model file is empty", "Model(title:"]);
    faulted("  \n\n", "1:1", &["the model file is empty"]);
    faulted("// nothing\n/* at all */\n", "1:1", &["the file holds no model"]);
    faulted("Model(title: \"x\")", "1:17", &["the field `problem` is missing"]);
    let help = "did you mean `false_alarm`? the fields are false_alarm, missed";
    faulted(edited("false_alarm", "false_alarms"), "7:20", &["no field `false_alarms`", help]);
    for literal in ["NaN", "inf", "-inf", "1e999", "-1e999"] {
        let words = ["numbers must be finite", &format!("`{literal}` is not a finite number")];
        faulted(edited("0.05", literal), "8:26", &words);
        faulted(edited("3.0", literal), "6:23", &words);
    }
    faulted(edited("3.0", &"9".repeat(400)), "6:23", &["numbers must be finite"]);
    let list = |lifetime: &str, hazards: &str| {
        let hazards = format!("PerStep([{hazards}])");
        edited("Fixed(40)", lifetime).replace("Constant(0.05)", &hazards)
    };
    let words = ["a probability is out of range", "`7` is not in [0, 1]"];
    faulted(list("Fixed(3)", "0.1, 7, 0.1"), "8:31", &words);
    let within = edited("Fixed(40)", "Pmf({3: 0.5, 5: 0.500000001})");
    Workplace::of(within).remap("check model.ron").exits(0);
    // All faults are told at once, but not a thousand.
    faulted(edited("0.1", "1.1").replace("3.0", "-3.0"), "6:23", &["[model.ron:7:33]"]);
    let many =
        faulted(list("Fixed(1000)", &vec!["1.5"; 1000].join(", ")), "8:26", &["990 more faults"]);
    assert!(many.err.len() < 10_000, "{} bytes", many.err.len());
}

#[test]
fn nesting_without_end() {
    let deep = 1_000_000;
    let message = "the file is nested too deeply";
    let open = ["[", "(", "{", "a(", "[(", "(a:", "{1:", "Some("].map(|bracket| (bracket, ""));
    for (bracket, closing) in open.into_iter().chain([("[", "]")]) {
        let nested = bracket.repeat(deep) + &closing.repeat(deep);
        let workplace = Workplace::of(edited("Constant(0.05)", &nested));
        let outcome = workplace.remap("check model.ron").exits(1).says("[model.ron:8:");
        assert!(outcome.err.contains(message) || bracket == "{", "{}", outcome.err);
        assert!(outcome.err.len() < 5000);
    }
    faulted(format!("{}{MODEL}", "/*".repeat(deep)), "1:1", &["a comment is never closed"]);
    let shut = format!("{}{}{MODEL}", "/*".repeat(deep), "*/".repeat(deep));
    let title = |part: &str| edited("Drift", &part.repeat(deep));
    for right in [shut, title("([{"), title("\\\"")] {
        Workplace::of(right).remap("check model.ron").exits(0);
    }
}

#[test]
fn a_huge_file_and_a_huge_line() {
    let workplace = Workplace::new();
    let file = std::fs::File::create(workplace.path("model.ron")).unwrap();
    file.set_len(300 << 20).unwrap();
    workplace.remap("check model.ron").exits(1).says("too large").says("help:");
    let line = MODEL.replace('\n', " ").replace("0.2", "2");
    let text = format!("/*{}*/{line}", "x".repeat(3_000_000));
    let outcome = faulted(text, "1:3000231", &["`2` is not in [0, 1]"]);
    assert!(outcome.err.len() < 2000, "{}", outcome.err);
}

#[test]
fn text_that_is_not_utf8() {
    let mut bytes = MODEL.as_bytes().to_vec();
    bytes[24] = 0xff;
    faulted(bytes, "2:18", &["the file is not UTF-8 text", "0xff"]);
    faulted([0x80; 40], "1:1", &["the file is not UTF-8 text"]);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let text = edited("0.2", "\u{1b}[31m0.2\0");
    let outcome = faulted(text, "7:46", &["a value is missing"]);
    assert!(!outcome.err.contains(['\u{1b}', '\0']), "{:?}", outcome.err);
    let text = edited("Drift", "\u{1b}[31m").replace("0.2", "2");
    let outcome = faulted(text, "7:46", &[]);
    assert!(!outcome.err.contains('\u{1b}'), "{:?}", outcome.err);
}

#[test]
fn a_byte_order_mark_windows_line_ends_tabs_and_comments_are_fine() {
    let workplace = Workplace::new();
    let text = format!("\u{feff}{MODEL}").replace('\n', "\r\n").replace("    ", "\t");
    workplace.write("model.ron", text.replace("0.2", "/* beta */ 0.2 /* per report */"));
    workplace.remap("check model.ron").exits(0);
    faulted(edited("0.2", "1.2").replace('\n', "\r\n"), "7:46", &["`1.2`"]);
}

#[test]
fn files_that_cannot_be_read() {
    let workplace = Workplace::new();
    workplace.remap("solve .").exits(1).says("is a directory").says("help:");
    workplace.remap("solve absent.ron").exits(1).says("cannot read absent.ron").says("help:");
    workplace.write("model.ron", MODEL);
    workplace.remap("solve model.ron/more.ron").exits(1).says("cannot read");
    if cfg!(target_os = "linux") {
        workplace.remap("solve /dev/zero").exits(1).says("too large");
        // Reading one's own memory from the start fails even for the superuser.
        workplace.remap("solve /proc/self/mem").exits(1).says("cannot read").says("help:");
    }
}

#[test]
fn what_is_legal_but_suspicious_is_a_warning() {
    let warned = |from: &str, to: &str, words: &str| {
        let workplace = Workplace::of(edited(from, to));
        let outcome = workplace.remap("solve model.ron --json").exits(0).says(words);
        has(&outcome.json()["warnings"].to_string(), &[words]);
        outcome.json()
    };
    let useless = warned("0.2", "0.9", "the detector is uninformative");
    assert!(useless["value"]["upper"].f64() > 0.0);
    warned("0.2", "0.95", "the detector is reversed");
    let never = warned("after: 2.0", "after: 1.0", "remapping never pays");
    assert_eq!(never["n0"], 0);
    assert!(never["threshold"].list().iter().all(|p| p == 1.0));
    warned("Fixed(40)", "Pmf({0: 0.9, 6: 0.1})", "the failure rate of N is not increasing");
}

/// The name of the problem whose folder of example models has this one.
fn problem_of(deck: &str) -> String {
    let folder = deck.split('/').next().unwrap();
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    folder.split('_').map(word).collect()
}

/// The help of a missing field shows the problem that is stated, and of a wrong value what may
/// stand in its place.
#[test]
fn every_problem_is_explained_by_its_own_example() {
    let workplace = Workplace::new();
    let check = |problem: &str| {
        workplace.state(problem);
        workplace.remap("check model.ron")
    };
    let explained = |problem: &str| {
        let outcome = check(problem).exits(1);
        outcome.err.split_once("help:").unwrap_or_else(|| panic!("{}", outcome.err)).1.to_owned()
    };
    let mut names: Vec<String> = decks().iter().map(|name| problem_of(name)).collect();
    names.dedup();
    names.retain(|name| !["Counterexamples", "Studies"].contains(&name.as_str()));
    // Every field of the others has a default.
    names.retain(|name| check(&format!("{name}()")).code != 0);
    assert!(names.len() >= 8, "{names:?}");
    for name in &names {
        let help = explained(&format!("{name}()"));
        for other in &names {
            assert_eq!(help.contains(&format!("{other}(")), other == name, "{name}: {help}");
        }
    }
    let wrong = [
        ("Stopping(after_remap: 3)", "Stop, Uniform or Restart"),
        ("Stopping(processes: 3)", "Identical(count: 2"),
        ("LoadDrift(chain: 3)", "Walk(lowest: 1"),
        ("LoadDrift(overlap: 3)", "(steps: 3"),
        ("ActivityMesh(moves: 3)", "east: 0.2"),
    ];
    for (problem, help) in wrong {
        has(&explained(problem), &[help]);
    }
}
