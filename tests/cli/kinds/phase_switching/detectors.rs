//! Detectors of recurring phases: two levels, several detectors, and what is none.

use super::commands::endless;
use crate::support::prelude::*;

const TWO: &str = "Levels([(before: 0.9, after: 0.2), (before: 0.1, after: 0.8)])";
const BINARY: &str = "(false_alarm: 0.1, missed: 0.2)";

/// Without what differs between two runs of the same model.
fn numbers_only(answer: Value) -> Value {
    let mut answer = timeless(answer);
    // Bayes' rule for two reports is for detectors that say yes or no.
    answer.as_object_mut().unwrap().remove("belief");
    answer
}

#[test]
fn two_levels_are_the_binary_detector() {
    let workplace = Workplace::with_model();
    workplace.write("levels.ron", MODEL.replace(BINARY, TWO));
    workplace.write("switching.ron", endless());
    workplace.write("levels2.ron", endless().replace(BINARY, TWO));
    for [verb, one, two] in [
        ["solve", "model.ron", "levels.ron"],
        ["compare", "model.ron", "levels.ron"],
        ["solve", "switching.ron", "levels2.ron"],
    ] {
        let answers =
            [one, two].map(|name| numbers_only(workplace.answer(format!("{verb} {name}"))));
        assert_eq!(answers[0], answers[1]);
    }
}

#[test]
fn several_detectors_are_one_with_all_pairs_of_levels() {
    let several = format!("Several([{BINARY}, (false_alarm: 0.3, missed: 0.4)])");
    let pairs = "Levels([(before: 0.03, after: 0.48), (before: 0.07, after: 0.32), \
                 (before: 0.27, after: 0.12), (before: 0.63, after: 0.08)])";
    let [one, several, listed] = [BINARY, &several, pairs].map(|detector| {
        let place = Workplace::of(MODEL.replace(BINARY, detector));
        numbers_only(place.answer("solve model.ron"))
    });
    assert_eq!(several, listed);
    // The second detector is worth something.
    assert!(several["value"]["upper"].as_f64() < one["value"]["lower"].as_f64());
    let short = MODEL.replace(BINARY, pairs).replace("Fixed(40)", "Fixed(4)");
    let answer = Workplace::of(short).answer("solve --exact model.ron");
    for (n, decimal) in answer["exact"]["threshold_decimal"].numbers().iter().enumerate() {
        let at = |name: &str| answer[name].numbers()[n];
        assert!(at("threshold_lower") <= *decimal && *decimal <= at("threshold_upper"));
    }
}

#[test]
fn detectors_that_are_none_are_explained() {
    let faults = [
        ("Levels([(before: 0.9, after: 0.2), (before: 0.2, after: 0.8)])", "is 1.1, 0.1 above 1"),
        ("Levels([(before: 1.9, after: 0), (before: -0.9, after: 1)])", "`1.9` is not in [0, 1]"),
        ("Levels([])", "the detector reports nothing"),
        ("Level([(before: 1, after: 1)])", "expected Levels([...])"),
        ("Levels([(false_alarm: 0.1, missed: 0.1)])", "expected Several([...])"),
        ("Several([(before: 1, after: 1)])", "expected Levels([...])"),
        ("Levels([(before: 1, missed: 1)])", "no field `missed`"),
        ("Levels([(before: 1)])", "the field `after` is missing"),
        ("(before: 0.1, after: 0.9)", "no field `before`"),
        ("0.1", "not of the right kind"),
    ];
    for (detector, said) in faults {
        let workplace = Workplace::of(MODEL.replace(BINARY, detector));
        workplace.remap("check model.ron").exits(1).says(said).says("[model.ron:7:");
    }
    let nearly = "Levels([(before: 0.9, after: 0.2), (before: 0.0999999999, after: 0.8)])";
    for (detector, said) in [
        (nearly, "they are divided by their sum"),
        ("Levels([(before: 1, after: 1)])", "the detector is uninformative"),
    ] {
        let workplace = Workplace::of(MODEL.replace(BINARY, detector));
        workplace.remap("solve model.ron").exits(0).says(said);
    }
}
