//! The first sentence of an answer: what to do and what it is worth.

use crate::support::prelude::*;
use crate::support::workplace::endless;

/// The line below the title, and the document.
fn solved(place: &Workplace, model: &str) -> (String, Value) {
    let text = place.shown(format!("solve {model}"));
    (text.lines().nth(1).unwrap().to_owned(), place.answer(format!("solve {model}")))
}

/// The number that follows `before`.
fn number(sentence: &str, before: &str) -> f64 {
    let (_, rest) = sentence.split_once(before).unwrap_or_else(|| panic!("{before}: {sentence}"));
    let end = rest.find([' ', ',', ':', ';', '%']).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or_else(|_| panic!("{before}: {sentence}"))
}

#[test]
fn a_change_of_phase_says_its_threshold_and_what_remaps_save() {
    let place = Workplace::new();
    let (sentence, found) = solved(&place, "models/phase_change/fluids.ron");
    let pi = found["threshold"][0].f64();
    assert_abs_diff_eq!(number(&sentence, "has changed, exceeds "), pi, epsilon = 1e-6);
    let value = found["value"]["lower"].f64();
    assert_abs_diff_eq!(number(&sentence, "completion time is "), value, epsilon = 1e-4);
    let never = found["never"].f64();
    let less = number(&sentence, &format!("{}, ", number(&sentence, "completion time is ")));
    assert_abs_diff_eq!(less, 100.0 * (1.0 - value / never), epsilon = 0.006);
}

/// A program that never remaps is a policy of `compare`, where its cost is proved.
#[test]
fn never_costs_what_compare_proves() {
    let place = Workplace::new();
    let all = "phase_change/fluids phase_change/bimodal phase_change/table_iii_n100_g50 phase_switching/no_return \
               phase_switching/recurring phase_switching/endless";
    for name in all.split(' ') {
        let never = place.answer(format!("solve models/{name}.ron"))["never"].f64();
        let compared = place.answer(format!("compare models/{name}.ron --policies never"));
        let line = &compared["policies"][0];
        let ([lower, upper], room) = (line.ends(), 1e-9 * never.abs());
        assert!(lower - room <= never && never <= upper + room, "{name}: {never} {line}");
    }
}

#[test]
fn drifting_loads_say_the_cheapest_thresholds_and_what_they_cost_above_the_optimum() {
    let place = Workplace::new();
    let (sentence, found) = solved(&place, "models/load_drift/three_chains.ron");
    // Those closest to the optimal decisions cost less than any one threshold.
    assert_eq!(found["recommended"], "closest_threshold");
    for (place, closest) in found["closest_threshold"].list().iter().enumerate() {
        let threshold = closest["threshold"].f64();
        let said = match place {
            0 => number(&sentence, "max - mean exceeds "),
            _ => {
                let words = format!(" from step {}", closest["step"]);
                let before = sentence.split_once(&words).map(|(before, _)| before);
                let Some(before) = before else { continue };
                before.rsplit(' ').next().unwrap().parse().unwrap()
            }
        };
        assert_abs_diff_eq!(said, threshold, epsilon = 1e-4);
    }
    let (value, cost) = (found["value"].f64(), found["closest_value"].f64());
    assert!(cost < found["best_threshold"]["value"].f64());
    let more = 100.0 * (cost / value - 1.0);
    assert_abs_diff_eq!(number(&sentence, "that costs "), more, epsilon = 0.006);
    let less = 100.0 * (1.0 - value / found["never"]["value"].f64());
    assert_abs_diff_eq!(number(&sentence, "which is "), less, epsilon = 0.006);
}

#[test]
fn stopping_says_in_how_many_load_vectors_a_remap_pays() {
    let place = Workplace::new();
    let (sentence, found) = solved(&place, "models/stopping/yin_xu_wang.ron");
    let remap = found["decision"].text().matches('R').count();
    assert!(sentence.starts_with(&format!("Remap in {remap} of 36 load vectors")), "{sentence}");
    place.state(
        "Stopping(processes: Identical(count: 2, chain: Walk(levels: 3, up: 0.25, down: 0.25, edge: Reflect)), \
         remap_cost: 1000.0, after_remap: Stop)",
    );
    let (sentence, found) = solved(&place, "model.ron");
    assert!(!found["decision"].text().contains('R'));
    assert!(sentence.starts_with("Do not remap in any load vector: going on costs "), "{sentence}");
    let largest = found["largest_value"].f64();
    assert_abs_diff_eq!(number(&sentence, "going on costs "), largest, epsilon = 1e-4);
}

#[test]
fn every_deck_begins_with_a_sentence() {
    let place = Workplace::new();
    let all = "phase_switching/recurring phase_switching/endless periodic/table1 periodic/cost_aware \
               stopping/restart load_drift/four_walks continuous_drift/walks";
    for name in some(4, all.split_whitespace()) {
        let text = place.shown(format!("solve models/{name}.ron"));
        let sentence = text.lines().nth(1).unwrap();
        let verbs = ["Remap ", "Go to ", "Do not ", "The "];
        assert!(verbs.iter().any(|verb| sentence.starts_with(verb)), "{name}: {sentence}");
    }
}

/// Policies whose bounds overlap are named together: which of them costs less is not known.
#[test]
fn policies_that_bounds_do_not_tell_apart_are_named_together() {
    let place = Workplace::with_model();
    let headline = |policies: &str| {
        let text = place.shown(format!("compare model.ron --policies {policies}"));
        text.lines().nth(1).unwrap().to_owned()
    };
    let alone = headline("optimal,fixed:0.7,never");
    assert!(alone.starts_with("The best of these beside the optimum is fixed:0.7: it costs "));
    // Beliefs never come to lie between these thresholds.
    let both = "is never or fixed:1, whose bounds overlap: it costs ";
    let tied = headline("optimal,fixed:1,never");
    let other = "is fixed:1 or never, whose bounds overlap: it costs ";
    assert!(tied.contains(both) || tied.contains(other), "{tied}");
    assert!(tied.ends_with(" % more than it"), "{tied}");
    has(&headline("fixed:1,never"), &["whose bounds overlap: it costs "]);
}

/// What a limit stops does not speak as if it were the answer.
#[test]
fn stopped_answers_begin_with_what_they_are() {
    let place = Workplace::new();
    place.write("change.ron", endless());
    let walks = "Stopping(processes: Identical(count: 8, chain: Walk(levels: 19, up: 0.25, \
                 down: 0.25, edge: Reflect)), remap_cost: 100.0, after_remap: Uniform)";
    place.write("walks.ron", stated(walks));
    let loads = "LoadDrift(processors: 6, chain: Walk(lowest: 1, levels: 25, up: 0.25, down: 0.25, \
                 edge: Hold), initial_load: 12, steps: 4000, remap_cost: 30.0)";
    place.write("loads.ron", stated(loads));
    for model in some(2, ["change.ron", "loads.ron", "walks.ron"]) {
        let text = place.remap(format!("solve {model} --time-limit 0.2")).exits(3).out;
        let sentence = text.lines().nth(1).unwrap();
        let begins = |words: &str| sentence.starts_with(words);
        assert!(begins("Not solved") || begins("As far as it was solved: "), "{model}: {sentence}");
    }
}

/// A model that was fitted to a log is answered in the units and steps of the program, too.
#[test]
fn fitted_models_are_answered_in_seconds_and_steps_of_the_program() {
    let place = Workplace::new();
    let chain = "LoadDrift(processors: 4, chain: Walk(lowest: 1, levels: 8, up: 0.2, down: 0.24, edge: Reflect), \
                 initial_load: 4, steps: 400, remap_cost: 6)";
    let write = |units: &str| {
        place.write("model.ron", format!("Model(title: \"t\", {units} problem: {chain})"));
        place.shown("solve model.ron")
    };
    let plain = write("unit_seconds: 1, stride: 1,");
    assert!(!plain.contains("for the program"), "{plain}");
    let fitted = write("unit_seconds: 0.25, stride: 5,");
    let said = fitted.lines().nth(2).unwrap();
    let units = "for the program: a unit of load is 0.25 seconds; a step here is 5 of its steps; ";
    assert!(said.starts_with(units), "{fitted}");
    let threshold = number(fitted.lines().nth(1).unwrap(), "when max - mean exceeds ");
    let seconds = number(said, "when max - mean exceeds ");
    assert_abs_diff_eq!(seconds, 0.25 * threshold, epsilon = 1e-5);
    assert!(said.ends_with("seconds, asked every 5 steps"), "{said}");
    let periodic = "Model(title: \"t\", unit_seconds: 0.25, stride: 5, problem: Periodic(initial_load: 10, changes: Identical(\
         count: 4, law: Steps({-1: 0.25, 0: 0.5, 1: 0.25})), bound: MaxDeviation(0.3)))";
    place.write("p.ron", periodic);
    let steps = place.answer("solve p.ron")["interval"].u64();
    let text = place.shown("solve p.ron");
    assert!(steps > 1 && text.contains(&format!("; remap every {} steps\n", 5 * steps)), "{text}");
}

/// The mean of some paths may be below the least expected cost.
#[test]
fn what_is_least_is_least_in_expectation() {
    let place = Workplace::new();
    let text = place.shown("compare models/load_drift/three_chains.ron --runs 20");
    has(&text, &["; the least that any policy costs, in expectation, is "]);
}

/// Of two costs that are nearly equal it is said whose each is.
#[test]
fn the_rule_and_the_policy_that_it_was_made_of_are_told_apart() {
    let place = Workplace::new();
    let model = |more: &str| {
        let walks = "processors: 8, increments: Normal(deviation: 0.3), steps: 40, remap_cost: 2.0";
        place.state(format!("ContinuousDrift({walks}{more})"));
        place.shown("solve model.ron --tolerance 0.5")
    };
    let made = "the policy that the rule was made of, which sees all loads, is within";
    has(&model(""), &["\nThis rule costs ", made]);
    let text = model(", kept_slopes: (deviation: 0.1, change: 0.0)");
    has(&text, &["the policy is within", "the policy is the rule"]);
    let said = place.remap("solve model.ron --tolerance 1e-6 --time-limit 60").err;
    lacks(&said, &["hold all the same"]);
}

/// The picture shows utilizations, of which the best interval need not have the highest: it is
/// marked.
#[test]
fn the_picture_marks_the_interval_that_the_sentence_names() {
    let place = Workplace::new();
    let text = place.shown("solve models/load_drift/four_walks.ron --plot curve.svg");
    let every = number(text.lines().nth(1).unwrap(), "remapping every ");
    let mark = format!("interval of least cost, {every}");
    assert!(place.read("curve.svg").contains(&mark), "{text}");
}
