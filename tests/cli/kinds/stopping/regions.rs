//! Many load vectors, of which the active region alone is solved.

use super::{complaint, reflecting};
use crate::support::prelude::*;

/// The first of two documents is of the active region, the other of all classes.
fn of_region_and_of_all(region: &Value, all: &Value) {
    let [region, all] = [region, all].map(|found| found["representation"].text());
    assert_eq!((region, all), ("active", "exchangeable"));
}

#[test]
fn where_remaps_are_cheap_only_the_active_region_is_solved() {
    let place = Workplace::of(reflecting(2, 600, "remap_cost: 30.0, after_remap: Stop"));
    let band = place.answer("solve model.ron --values");
    let full = place.answer("solve model.ron --values --method policy");
    of_region_and_of_all(&band, &full);
    assert!(8 * band["classes"].u64() <= full["classes"].u64());
    let same = "decision ties states shape lowest counts remap_cost remap_value largest_value";
    for field in same.split(' ') {
        assert!(!full[field].is_null());
        assert_eq!(band[field], full[field], "{field}");
    }
    for (a, b) in band["value"].numbers().into_iter().zip(full["value"].numbers()) {
        assert_abs_diff_eq!(a, b, epsilon = 3e-8);
    }
}

fn walks(count: usize, levels: usize, cost: f64) -> Workplace {
    let walk = format!("Walk(levels: {levels}, up: 0.25, down: 0.2, edge: Hold)");
    Workplace::stating(format!(
        "Stopping(processes: Identical(count: {count}, chain: {walk}), remap_cost: {cost:?}, after_remap: Stop)"
    ))
}

#[test]
fn the_active_region_of_many_processes_gives_the_map_of_all_classes() {
    let place = walks(7, 12, 150.0);
    let exported = |method: &str| {
        let found = place.answer(format!("solve model.ron --method {method} --out {method}"));
        let shown = place.shown(format!("solve model.ron --method {method}"));
        let picture = shown.split("load vectors").nth(1).unwrap().to_owned();
        (found, picture, place.shown(format!("export {method}/model.json --to csv")))
    };
    let (region, all) = (exported("auto"), exported("policy"));
    of_region_and_of_all(&region.0, &all.0);
    for field in ["counts", "remap_value", "largest_value"] {
        assert_eq!(region.0[field], all.0[field], "{field}");
    }
    assert!(region.0["counts"]["continued"].f64() > 0.0);
    assert!(region.1.contains('#') && region.1.contains('+') && region.1 == all.1);
    // All load vectors without a spread are balanced.
    let first = region.1.lines().find(|line| line.starts_with("    0 ")).unwrap();
    assert_eq!(first.split_whitespace().skip(1).collect::<String>(), "o".repeat(12));
    assert!(region.2 == all.2);
}

#[test]
fn more_load_vectors_than_can_be_counted_are_solved_around_balance() {
    let place = walks(32, 30, 2e6);
    let found = place.answer("solve model.ron");
    assert_eq!([&found["status"], &found["representation"]], ["converged", "active"]);
    assert_abs_diff_eq!(found["states"].f64() / 30f64.powi(32), 1.0, epsilon = 1e-14);
    assert_eq!(found["counts"]["balanced"].as_f64(), Some(30.0));
    // One process is next to the others.
    let next = found["counts"]["continued"].f64();
    assert!(next > 0.0 && next % 32.0 == 0.0, "{next}");
    // What a machine lacks is no fault of the input.
    place.remap("solve model.ron --method policy").exits(3).says("this machine has");
}

#[test]
fn models_too_large_are_refused_with_the_number() {
    let walks = |count: u32, levels: u64| {
        let walk = format!("Walk(levels: {levels}, up: 0.25, down: 0.25, edge: Hold)");
        format!("processes: Identical(count: {count}, chain: {walk}), remap_cost: 1.0, after_remap")
    };
    has(&complaint(&format!("{}: Stop", walks(60, 100_000))), &["too large to count"]);
    let place = Workplace::stating(format!("Stopping({}: Uniform)", walks(14, 64)));
    place.remap("solve model.ron").exits(3).says("states need about");
}
