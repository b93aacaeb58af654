//! The `Periodic` problem from outside: tables in one command each, stopped searches, decks,
//! pictures.

use super::models::{model, solve};
use crate::support::prelude::*;

/// What `sweep` finds on one of the tables of the paper.
fn table(number: u32, bounds: &str) -> Value {
    let sweep = format!("sweep models/periodic/table{number}.ron --set problem.bound={bounds}");
    Workplace::new().answer(sweep)
}

fn intervals(document: &Value, method: &str) -> Vec<Option<u64>> {
    let runs = document["runs"].list();
    runs.iter().map(|run| run["solution"]["methods"][method]["interval"].as_u64()).collect()
}

#[test]
fn table_1_in_one_command() {
    let found = table(1, "0.05:0.14:0.01");
    let exact = [7, 11, 15, 19, 24, 30, 36, 43, 51, 59].map(Some);
    assert_eq!(intervals(&found, "exact"), exact);
    let free = [1, 2, 3, 4, 5, 6, 7, 9, 10, 12].map(Some);
    assert_eq!(intervals(&found, "distribution_free"), free);
    let run = &found["runs"][5];
    assert_eq!(run["set"]["problem.bound"], 0.1);
    assert_eq!(run["solution"]["interval"], 30);
    let deviation = run["solution"]["deviation"].list();
    assert_eq!(deviation[0], 0.0);
    assert!(deviation[30].f64() <= 0.1 && deviation[31].f64() > 0.1);
}

/// Table 2 by d itself, and never beyond its largest value. Within the interval the bound holds,
/// one step later it does not, by more than the error of the curve.
#[test]
fn table_2_in_one_command() {
    let found = table(2, few_or_all("0.02:0.10:0.08", "0.01:0.10:0.01"));
    let row = [0, 1, 3, 8, 15, 25, 40, 65, 133].map(Some);
    let all = [&row[..], &[None]].concat();
    assert_eq!(intervals(&found, "exact"), few_or_all(vec![all[1], all[9]], all));
    for run in found["runs"].list() {
        let solution = &run["solution"];
        assert_eq!([&solution["interval_by"], &solution["status"]], ["exact", "converged"]);
        assert!(solution["at_least"].is_null() && solution["deviation_is"] == "d(t)");
        let error = solution["deviation_error"].f64();
        assert!(error < 1e-4, "{error}");
        let Some(interval) = solution["interval"].as_u64() else { continue };
        let bound = solution["bound"].f64();
        let deviation = |t: u64| solution["deviation"][t as usize].f64();
        assert!(deviation(interval) < bound && bound < deviation(interval + 1));
    }
    assert!(found["runs"].list().last().unwrap()["solution"]["interval"].is_null());
    let all = [Some(77), None, None];
    let last = few_or_all(&all[2..], &all[..]);
    assert!(intervals(&found, "order_statistics_one_sided").ends_with(last));
}

/// What stopped searches say is what they know: numbers with "at least", words, and nothing else.
#[test]
fn stopped_searches_say_what_they_know() {
    let steps = "Identical(count: 3, law: Steps({-1: 0.3, 0: 0.25, 1: 0.45}))";
    let capacities = "capacities: [4, 2, 4], bound: MaxDeviation(0.5), remap_cost: 5";
    let place = Workplace::of(model("100", steps, capacities));
    let shown = place.remap("solve model.ron --time-limit 1e-9").exits(3);
    lacks(&shown.out.to_lowercase(), &["longest interval", "never pays", "never remap"]);
    has(&shown.out, &["not computed", " steps or more ("]);
    let found = place.remap("solve model.ron --json --time-limit 1e-9").exits(3).json();
    assert_eq!(found["interval_by"], "rms_bound");
    assert_eq!(found["at_least"], found["interval"]);
    assert_eq!(found["methods"]["order_statistics"]["interval"], "not computed");
    assert_eq!(found["cost_aware"]["interval"], "not computed");
    place.write("stopped.json", found.to_string());
    place.remap("export stopped.json --to c").exits(1).says("stopped");
    // A tie of continuous laws: E|X - Y|/2 = 1/2 after one step, the mean load 10.
    let two = "Identical(count: 2, law: Exponential(mean: 1))";
    place.write("tie.ron", model("9", two, "bound: MaxDeviation(0.05)"));
    let outcome = place.remap("solve tie.ron --json").exits(3).says("too near to tell");
    let found = outcome.json();
    assert_eq!((&found["interval"], &found["at_least"]), (&0.into(), &0.into()));
    assert_eq!(found["status"], "iteration_limit");
}

/// Moments have a safe interval, which says so and is exported as that.
#[test]
fn moments_have_a_safe_interval() {
    let changes = "Identical(count: 8, law: Moments(mean: 0.5, variance: 0.25))";
    let place = Workplace::of(model("100", changes, "bound: MaxDeviation(0.05)"));
    let found = place.solved("model.ron");
    assert_eq!(found["interval_by"], "rms_bound");
    assert_eq!(found["interval"], found["methods"]["rms_bound"]["interval"]);
    let shown = place.shown("solve model.ron");
    has(&shown, &["for any laws of these moments"]);
    lacks(&shown, &["the longest interval with"]);
    has(&place.shown("export solution.json --to c"), &["so long at least"]);
}

/// Chains that are on even and odd levels by turns, or that never come to all levels, have an
/// answer.
#[test]
fn periodic_and_reducible_chains_have_their_intervals() {
    let chain = |chain: &str| format!("Chain(count: 2, chain: BirthDeath(lowest: 1, {chain}))");
    let rest = "bound: MaxDeviation(0.45), remap_cost: 1000";
    // Up and down by turns on four levels; the lowest two only, of four.
    let turns = chain("up: [1, 0.5, 0.5, 0], down: [0, 0.5, 0.5, 1]");
    let part = chain("up: [0.5, 0, 0.5, 0], down: [0, 0.25, 0.25, 0.5]");
    for changes in [turns, part] {
        let found = solve(&model("2", &changes, rest)).0;
        let none = ["/interval", "/cost_aware/interval", "/at_least"];
        let is_null = |place: &&str| found.pointer(place).is_none_or(Value::is_null);
        assert!(none.iter().all(is_null), "{found}");
        let place = Workplace::of(model("2", &changes, rest));
        has(&place.shown("sweep model.ron --set problem.bound=0.45,0.46"), &["never"]);
    }
    // It ends at the bottom or at the top, in two of three runs at the bottom: apart with
    // probability 4/9.
    let ends = chain("up: [0, 0.5, 0.5, 0], down: [0, 0.5, 0.5, 0]");
    let found = solve(&model("2", &ends, "bound: MaxDeviation(0.9), remap_cost: 1000")).0;
    let cost = &found["cost_aware"];
    assert!(found["interval"].is_null() && cost["interval"].is_null(), "{found}");
    assert_abs_diff_eq!(cost["cost_per_step"].f64(), 1.5 * 4.0 / 9.0, epsilon = 1e-12);
}

/// A curve that is shorter than the interval says so.
#[test]
fn a_short_curve_says_where_it_ends() {
    let walk = "Identical(count: 4, law: Steps({-1: 0.25, 0: 0.5, 1: 0.25}))";
    let found = solve(&model("1000", walk, "bound: MaxDeviation(0.05)")).0;
    let shown = found["deviation"].list().len() as u64 - 1;
    assert!(found["interval"].u64() > shown);
    assert_eq!(found["deviation_through"], shown);
}

#[test]
fn every_deck_is_solved_and_checked() {
    let place = Workplace::new();
    let own = decks().into_iter().filter(|deck| deck.starts_with("periodic/"));
    for deck in some(4, own) {
        let found = place.answer(format!("solve models/{deck}"));
        assert_eq!(found["problem"], "periodic", "{deck}");
        assert_eq!(found["status"], "converged", "{deck}");
        place.remap(format!("check models/{deck}")).exits(0);
        place.remap(format!("solve models/{deck}")).exits(0);
    }
}

#[test]
fn the_picture_is_drawn_in_both_formats() {
    let place = Workplace::new();
    for name in ["curve.svg", "curve.png"] {
        place.remap(format!("solve models/periodic/table1.ron --plot {name}")).exits(0);
        assert!(std::fs::metadata(place.path(name)).unwrap().len() > 5_000, "{name}");
    }
}
