//! Increments with a distribution for each class of ranks.

use super::answers::{WALKS, exports, first_is_best, is_statistical, known_exactly, stopped};
use crate::support::prelude::*;

pub const CLASSES: &str = "ContinuousDrift(processors: 12, increments: Classes([(count: 9, law: Normal(deviation: 0.5)), \
                       (count: 3, law: Normal(mean: 0.2, deviation: 1.0))]), steps: 60, remap_cost: 8.0)";

/// Laws by classes: fields, words and facts say so; the rule is played, exported and the best
/// beside others.
#[test]
fn laws_by_classes() {
    let place = Workplace::stating(CLASSES);
    let tolerance = few_or_all("0.1", "0.05");
    let asked = &format!("model.ron --tolerance {tolerance}");
    let found = place.solved(asked);
    let classes = json!([
        {"count": 9, "mean": 0.0, "deviation": 0.5},
        {"count": 3, "mean": 0.2, "deviation": 1.0}
    ]);
    assert_eq!(found["classes"], classes);
    assert_eq!(found["processors"], 12);
    assert_eq!(found["statistical"], true);
    assert!(found.number("/bounds/upper/mean") < found.number("/best_fixed/value"), "{found}");
    assert!(found.number("/bounds/lower/mean") < found.number("/bounds/upper/mean"), "{found}");
    let words = place.shown(format!("solve {asked}"));
    has(&words, &["9 gain 0 a step (deviation 0.5), 3 gain 0.2"]);
    is_statistical(&words);
    let facts = place.answer("check model.ron");
    assert_eq!(facts["deviation_of_increments"], json!([0.5, 1.0]));
    assert_eq!(facts["mean_of_increments"], json!([0.0, 0.2]));
    assert_eq!(facts["processors_of_classes"], json!([9, 3]));
    assert_eq!(facts["best_fixed_interval"], found["best_fixed"]["interval"]);
    exports(&place, "c fortran python rust csv json controller");
    place.remap("report solution.json -o page.html").exits(0);
    let found = place.answer(format!("compare model.ron --runs {}", few_or_all(600, 1500)));
    first_is_best(&found);
    known_exactly(&found, 2);
    // A mean that all have in common changes nothing, and classes that are alike are one.
    let plain = Workplace::stating(WALKS).answer("solve model.ron --tolerance 0.1");
    for same in [
        "Normal(mean: 3.0, deviation: 1.0)",
        "Classes([(count: 5, law: Normal(deviation: 1.0)), (count: 7, law: Normal(deviation: 1.0))])",
    ] {
        let model = WALKS.replace("Normal(deviation: 1.0)", same);
        let found = Workplace::stating(&model).answer("solve model.ron --tolerance 0.1");
        assert_eq!(found["bounds"], plain["bounds"], "{same}");
    }
    // Slopes and noise go with normal laws, slopes that are kept with all.
    let noisy = CLASSES.replace("steps", "slopes: 0.1, noise: 0.5, steps");
    Workplace::stating(&noisy).remap("solve model.ron --tolerance 0.1").exits(0);
    let kept = CLASSES
        .replace("Normal(mean: 0.2, deviation: 1.0)", "Jumps(rate: 0.1, size: 2.0)")
        .replace("steps", "kept_slopes: (deviation: 0.2, change: 0.02), noise: 0.1, steps");
    Workplace::stating(&kept).remap("solve model.ron --tolerance 0.5").exits(0);
}

/// What is wrong with classes is said with its place; a time limit leaves what is known.
#[test]
fn wrong_classes_and_limits() {
    let nested = "law: Classes([(count: 9, law: Normal(deviation: 0.5))])";
    let wrong = [
        ("count: 9", "count: 8", "the counts sum to 11, processors is 12"),
        ("count: 9", "count: 18446744073709551615", "processors is 12"),
        ("count: 9", "count: -9", "whole number"),
        ("count: 9, ", "", "count"),
        ("(count: 9", "(count: 0, law: Normal(deviation: 1)), (count: 9", "has no processors"),
        ("law: Normal(deviation: 0.5)", "law: Cauchy(scale: 1)", "Jumps"),
        ("law: Normal(deviation: 0.5)", "law: Normal(deviation: -1)", "negative"),
        ("law: Normal(deviation: 0.5)", "law: Normal(mean: 1e50, deviation: 1)", "too large"),
        ("law: Normal(deviation: 0.5)", "law: Normal(mean: 1, mean: 2, deviation: 1)", "twice"),
        ("law: Normal(deviation: 0.5)", nested, "classes again"),
        ("law: Normal(deviation: 0.5)", "law: Normal(deviation: 0.5), drift: 1", "drift"),
        ("law: Normal(deviation: 0.5)", "law: Jumps(rate: 0.1, size: 1)", "normal"),
    ];
    for (from, to, says) in wrong {
        let mut model = CLASSES.replace(from, to);
        if says == "normal" {
            model = model.replace("steps", "noise: 1, steps");
        }
        let outcome = Workplace::stating(model).remap("check model.ron").exits(1);
        has(&outcome.err, &[says, "model.ron"]);
    }
    let one = "(count: 1, law: Normal(deviation: 0.5)), ";
    let many = CLASSES.replace("(count: 9, law: Normal(deviation: 0.5)), ", &one.repeat(7));
    Workplace::stating(many.replace("12", "10")).remap("check model.ron").exits(0);
    let many = Workplace::stating(many.replace(&one.repeat(7), &one.repeat(9)));
    many.remap("check model.ron").exits(1).says("up to 8 classes");
    let large = CLASSES.replace("12", "3000").replace("9,", "2997,").replace("60", "1000");
    assert!(stopped(&large).number("/value_bounds/upper") > 0.0);
}
