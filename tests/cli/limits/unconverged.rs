//! Answers that were stopped, or that doubles cannot bound: what they say of themselves holds for
//! the answer that was not stopped.

use crate::support::prelude::*;

/// A remap costs more than any sum of running costs can be added to in doubles. R is 1e300 and
/// hardly more: J is 1e17 at most.
#[test]
fn costs_out_of_reach_of_running_costs_are_not_said_to_be_close() {
    for (cost, truth) in [("1e300", 1e300), ("1e250", 1e250), ("1e40", 1e40)] {
        let place = Workplace::stating(format!(
            "Stopping(processes: Identical(count: 2, chain: Walk(lowest: 0, levels: 4, up: 1e-17, \
             down: 1e-300, edge: Reflect)), remap_cost: {cost}, after_remap: Uniform)"
        ));
        let found = place.remap("solve model.ron --json --values");
        let converged = found.code == 0;
        let found = found.json();
        let (value, gap) = (found["remap_value"].f64(), found["value_gap"].f64());
        let [lower, upper] = [0, 1].map(|end| found["remap_bounds"][end].f64());
        let holds = lower <= truth * (1.0 + 1e-9) && truth * (1.0 - 1e-9) <= upper;
        assert!(holds, "{cost}: {lower} to {upper}");
        let close = (value - truth).abs() <= gap * value + 1e-9 * truth;
        assert!(close, "{cost}: {value} to within {gap}");
        assert_eq!(converged, gap <= 1e-9, "{cost}: {gap}");
        // What the bounds leave open is not decided.
        let told = place.remap("solve model.ron").out;
        let open = found["ties"].list().len();
        assert!(converged || open == 12, "{cost}: {open} ties");
        assert!(converged || !told.contains("e-16 apart"), "{told}");
    }
}

/// Whatever is said of J where the computation was stopped at once holds for J.
#[test]
fn bounds_of_stopped_maps_hold_the_values() {
    let place = Workplace::new();
    let mut told = 0;
    let all = "bursts capacities different_chains learnt migrating multiplicative particles sixty_steps unbounded \
               units_moved yin_xu_wang";
    for name in all.split(' ') {
        let solve = |more: &str| {
            let solve = format!("solve models/stopping/{name}.ron --json --values {more}");
            place.remap(solve).json()
        };
        let (stopped, done) = (solve("--time-limit 1e-9"), solve(""));
        assert_eq!(stopped["status"], "time_limit", "{name}");
        let largest = [&stopped["remap_bounds"][1], &stopped["largest_value"]].map(Json::f64);
        let reach = stopped["value_gap"].f64() * largest[0].max(largest[1]).max(1.0);
        let (given, right) = (stopped["value"].numbers(), done["value"].numbers());
        for (given, right) in given.iter().zip(&right) {
            let close = (given - right).abs() <= reach * (1.0 + 1e-9) + 1e-6;
            assert!(close, "{name}: {given}, {right}");
        }
        let most = right.iter().copied().fold(0.0, f64::max);
        let solve = format!("solve models/stopping/{name}.ron --time-limit 1e-9");
        let text = place.remap(solve).out;
        if let Some(range) = text.split("the largest J is ").nth(1) {
            let range = range.lines().next().unwrap();
            let mut words = range.split(" +- ").map(|word| word.trim().parse::<f64>().unwrap());
            let (value, reach) = (words.next().unwrap(), words.next().unwrap_or(0.0));
            assert!((value - most).abs() <= reach + 1e-6, "{name}: {range}, {most}");
            told += 1;
        }
    }
    assert!(told >= 8, "{told}");
}

/// Of a map that was not finished it is not said what it costs as the best one.
#[test]
fn an_unfinished_map_is_not_called_optimal() {
    let place = Workplace::new();
    let solve = "solve models/stopping/restart.ron";
    let found = place.remap(format!("{solve} --time-limit 1e-9 --json")).exits(3).json();
    assert!(found.get("average_of_stop").is_none(), "{found}");
    let told = place.remap(format!("{solve} --time-limit 1e-9")).exits(3).out;
    has(&told, &["long-run average cost per step"]);
    lacks(&told, &["optimal for Stop"]);
    has(&place.shown(solve), &["optimal for Stop"]);
}

/// Imbalances that were not computed have no error.
#[test]
fn what_was_not_computed_has_no_error() {
    let place = Workplace::new();
    for name in ["table1", "capacities", "table2"] {
        let solve = format!("solve models/periodic/{name}.ron --time-limit 1e-9 --json");
        let found = place.remap(solve).json();
        for (method, line) in found["methods"].as_object().unwrap() {
            let computed = line["interval"] != "not computed";
            assert_eq!(line["error"].is_number(), computed, "{name} {method}: {line}");
        }
    }
}
