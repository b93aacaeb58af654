//! Rules beside each other on `Stopping` models.

use super::{reflecting, solved};
use crate::support::prelude::*;

fn compared(name: &str, options: &str) -> Value {
    Workplace::new().answer(format!("compare models/stopping/{name}.ron {options}"))
}

/// What is exact lies within so many widths of the mean of the runs; nothing costs less than the
/// optimum, but for `room`. Returns the optimum.
fn none_is_below_the_optimum(found: &Value, widths: f64, room: f64) -> f64 {
    let policies = found["policies"].list();
    let optimum = policies[0]["exact"].f64();
    for policy in policies {
        let (mean, width) = (policy["mean"].f64(), policy["half_width"].f64());
        if let Some(exact) = policy["exact"].as_f64() {
            assert!(abs_diff_eq!(mean, exact, epsilon = widths * width + 1e-9), "{policy}");
            assert!(exact >= optimum - room, "{policy}");
        }
        assert!(mean + 2.5 * width >= optimum - room, "{policy}");
    }
    optimum
}

/// Exact costs of rules within the confidence interval of their runs, none below the optimum.
#[test]
fn rules_are_compared_on_a_computation_that_goes_on() {
    let found = compared("restart", "--runs 300");
    assert_eq!(found["policies"].list().len(), 7);
    let optimum = none_is_below_the_optimum(&found, 2.5, 0.5);
    // A thousand steps from balance cost about as much as a thousand of the average.
    let [average, _] = solved("restart", "")["average"].ends();
    assert!(abs_diff_eq!(optimum / 1000.0, average, epsilon = 0.01), "{optimum}");
    let wrong = Workplace::new().remap("compare models/stopping/sixty_steps.ron").exits(1);
    wrong.says("with after_remap: Restart only");
}

/// Where a remap ends the cost or leads to loads at random, rules cost no less than the optimum,
/// and what is exact is within the interval of the runs.
#[test]
fn rules_are_compared_where_a_remap_ends_the_cost() {
    for name in ["yin_xu_wang", "particles"] {
        let found = compared(name, "--runs 2000");
        // On the first no interval is better than none, which is shown once.
        let count = if name == "particles" { 6 } else { 5 };
        assert_eq!(found["policies"].list().len(), count, "{name}");
        let optimum = none_is_below_the_optimum(&found, 2.5, 1e-6);
        let value = solved(name, "--values")["value"].numbers();
        let mean = value.iter().sum::<f64>() / value.len() as f64;
        assert!(abs_diff_eq!(mean, optimum, epsilon = 1e-7), "{mean} {optimum}");
    }
}

/// A rule under which the cost has no end is named, and left out where all are played.
#[test]
fn a_rule_without_end_is_named() {
    let walk =
        |lowest: u8| format!("Walk(lowest: {lowest}, levels: 2, up: 0.25, down: 0.25, edge: Hold)");
    let place = Workplace::stating(format!(
        "Stopping(processes: Distinct([{}, {}]), remap_cost: 5.0, after_remap: Stop)",
        walk(1),
        walk(9)
    ));
    let found = place.answer("compare model.ron --policies optimal,fixed:3");
    assert_eq!(found["policies"][1]["exact"].f64(), 17.0);
    place.remap("compare model.ron --policies never").exits(1).says("under `never`");
}

/// With an end, computations that go on are compared by the best map of each step: that is what
/// `solve` finds.
#[test]
fn rules_are_compared_on_chains_that_differ_or_depend_on_each_other() {
    for name in ["different_chains", "migrating"] {
        let found = compared(name, "--runs 200");
        let optimum = none_is_below_the_optimum(&found, 3.0, 1e-9);
        found.policy("stop_at_rise");
        let values = solved(name, "--values")["value"].numbers();
        let near = |value: &f64| abs_diff_eq!(*value, optimum, epsilon = 1e-9 * optimum);
        assert!(values.iter().any(near), "{name}: {optimum}");
    }
}

/// Slow walks go long without a remap: the best interval is beyond sixty steps, and is found.
#[test]
fn long_intervals_are_found() {
    for after in ["Restart", "Uniform"] {
        let model = reflecting(2, 12, &format!("remap_cost: 60, after_remap: {after}"));
        let place = Workplace::of(model.replace("0.25", "0.02"));
        let policies = "fixed,fixed:59,fixed:100,fixed:170,fixed:250";
        let found = place.answer(format!("compare model.ron --runs 4 --policies {policies}"));
        let costs = found["policies"].list().iter().map(|line| line["exact"].f64());
        let costs: Vec<f64> = costs.collect();
        let least = costs[1..].iter().copied().fold(f64::INFINITY, f64::min);
        assert!(costs[0] <= least * (1.0 + 1e-9), "{after}: {costs:?}");
    }
}

/// What paths have shown before a limit is not lost.
#[test]
fn a_stopped_comparison_keeps_what_is_finished() {
    let asked = "--policies optimal,threshold,never,stop_at_rise --runs 10000000 --time-limit 0.4";
    let compare = format!("compare models/stopping/yin_xu_wang.ron --json {asked}");
    let found = Workplace::new().remap(compare).exits(3).json();
    assert_eq!(found["policies"].list().len(), 4, "{found}");
    let runs = found["runs"].u64();
    assert!(runs > 0 && runs < 10_000_000, "{runs}");
}
