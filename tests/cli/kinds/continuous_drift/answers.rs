//! Loads with continuous increments: bounds, rules and their costs.

use crate::support::prelude::*;

pub const WALKS: &str = "ContinuousDrift(processors: 12, increments: Normal(deviation: 1.0), steps: 60, remap_cost: 8.0)";

pub fn exports(place: &Workplace, targets: &str) {
    for target in targets.split(' ') {
        assert!(!place.shown(format!("export solution.json --to {target}")).is_empty(), "{target}");
    }
}

/// What is known of a model after 0.3 seconds.
pub fn stopped(problem: &str) -> Value {
    let outcome = Workplace::stating(problem).remap("solve model.ron --time-limit 0.3 --json");
    let found = outcome.exits(3).json();
    assert_eq!(found["status"], "time_limit");
    found
}

/// That no policy is better than the first, within its error.
pub fn first_is_best(found: &Value) {
    let lines = found["policies"].list();
    let least = lines[0].number("/mean") - lines[0].number("/half_width");
    assert!(lines.iter().all(|line| least <= line.number("/mean")), "{found}");
}

/// That a run is not claimed to be certain.
pub fn is_statistical(words: &str) {
    has(words, &["nothing is proved"]);
    lacks(words, &["certified"]);
}

/// Fields and words, the picture, exports, and what reads the document again.
#[test]
fn bounds_and_a_rule_come_out() {
    let place = Workplace::stating(WALKS);
    let found = place.solved("model.ron --tolerance 0.03 --plot rule.svg");
    assert_eq!(found["problem"], "continuous_drift");
    assert_eq!(found["representation"], "bounds");
    assert_eq!(found["statistical"], true);
    assert_eq!(found.number("/bounds/lower/low"), found.number("/value_bounds/lower"));
    assert_eq!(found.number("/bounds/upper/high"), found.number("/value_bounds/upper"));
    assert!(found.number("/gap_interval/1") <= 3.0);
    // The policy beats the best interval, which beats never.
    assert!(found.number("/bounds/upper/mean") < found.number("/best_fixed/value"));
    assert!(found.number("/best_fixed/value") < found.number("/never"));
    assert!(found.number("/threshold_curve/cost/mean") >= found.number("/bounds/lower/low"));
    has(&place.read("rule.svg"), &["steps since the last remap"]);
    exports(&place, "c fortran python rust csv json controller");
    place.remap("report solution.json -o page.html").exits(0);
    let words = place.shown("solve model.ron --tolerance 0.03");
    has(&words, &["This rule costs"]);
    is_statistical(&words);
    let table = place.shown("sweep model.ron --set problem.remap_cost=4,8 --tolerance 0.1");
    assert!(table.contains("gap %") && table.lines().count() >= 3, "{table}");
}

/// A remap that costs more than any program does is never made, and its size drowns no other
/// number: not in another unit, either.
#[test]
fn remaps_too_dear_for_any_program_are_never_made() {
    let costs = ["1e15", "1e4", "(fixed: 0, per_unit_moved: 1e15)", "1e30"];
    for cost in some(2, costs) {
        for more in ["", ", kept_slopes: (deviation: 0.1, change: 0.01)"] {
            let problem = format!(
                "ContinuousDrift(processors: 8, increments: Normal(deviation: 0.3), steps: 60, remap_cost: {cost}{more})"
            );
            let place = Workplace::stating(&problem);
            let found = place.solved("model.ron");
            let walk = 133.893_513_979;
            // Units vary from path to path.
            let away = if cost.contains("moved") { 0.3 } else { 0.1 };
            let [low, high] = match more {
                "" => [1.0 - away, 1.0 + away].map(|share| share * walk),
                _ => [200.0, 350.0],
            };
            for path in ["/bounds/lower", "/bounds/upper", "/threshold_curve/cost"] {
                let mean = found.number(&format!("{path}/mean"));
                assert!(low < mean && mean < high, "{problem}: {found}");
            }
            assert_eq!(found.number("/threshold_curve/by_steps_since/0/threshold"), f64::MAX);
            if more.is_empty() {
                assert_abs_diff_eq!(
                    found.number("/threshold_curve/cost/high"),
                    walk,
                    epsilon = 1e-6
                );
            }
            has(&place.shown("solve model.ron"), &["\nDo not remap\nThis rule costs "]);
            let python = place.shown("export solution.json --to python");
            assert!(!python.contains("15.2"), "{python}");
        }
    }
}

/// Where only units are paid for, a rule for slopes that are kept does not remap as if that were
/// free.
#[test]
fn units_alone_are_a_price_too() {
    let problem = "ContinuousDrift(processors: 8, increments: Normal(deviation: 0.3), steps: 60, remap_cost: (fixed: 0, \
                   per_unit_moved: 3), kept_slopes: (deviation: 0.1, change: 0.01))";
    let found = Workplace::stating(problem).answer("compare model.ron --runs 100");
    let lines = found["policies"].list().iter();
    let costs = lines.map(|line| (line["policy"].text(), line["mean"].f64()));
    let costs: Vec<(&str, f64)> = costs.collect();
    assert_eq!(costs[0].0, "threshold_curve");
    let others = costs[1..].iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
    assert!(costs[0].1 < 1.03 * others, "{costs:?}");
    // Nor do the rules in use.
    let known = costs.iter().filter(|(name, _)| ["menon", "stop_at_rise"].contains(name));
    assert!(known.map(|(_, cost)| *cost).fold(0.0, f64::max) < 1.3 * others, "{costs:?}");
}

/// Times are known where the model says what a balanced step takes, and nothing is made up where it
/// does not.
#[test]
fn utilization_is_that_of_a_known_step() {
    let utilization = |problem: &str| {
        let place = Workplace::stating(problem);
        let found = place.answer("compare model.ron --runs 40");
        let table = place.shown("compare model.ron --runs 40");
        let of = |line: &Value| line["per_metric"]["utilization_of_means"].as_f64();
        let shares: Vec<Option<f64>> = found["policies"].list().iter().map(of).collect();
        (shares, table.contains("utilization"))
    };
    let (unknown, named) = utilization(WALKS);
    assert!(unknown.iter().all(Option::is_none) && !named, "{unknown:?}");
    let (known, named) = utilization(&WALKS.replace("steps: 60", "mean_load: 20.0, steps: 60"));
    assert!(known.iter().all(|share| share.is_some_and(|share| 0.6 < share && share < 1.0)));
    assert!(named, "{known:?}");
}

/// What is stopped at once has an upper bound that is one, also where no interval has a closed
/// form.
#[test]
fn an_early_end_has_bounds() {
    let kept = "ContinuousDrift(processors: 16, increments: Normal(deviation: 1.0), kept_slopes: (deviation: 0.2, change: 0.05), \
                steps: 100, remap_cost: 8.0)";
    let place = Workplace::stating(kept);
    let found = place.remap("solve model.ron --time-limit 1e-6 --json").exits(3).json();
    let upper = found.number("/value_bounds/upper");
    let never = place.answer("compare model.ron --policies never --runs 200");
    let never = never.number("/policies/0/mean");
    assert!(never < upper && upper < 5.0 * never, "{never} {upper}");
}

/// The rule plays beside others, and is the best of them; intervals have exact costs.
#[test]
fn the_rule_is_played() {
    let compare = format!("compare model.ron --runs {}", few_or_all(600, 1500));
    let found = Workplace::stating(WALKS).answer(compare);
    let costs: Vec<f64> = found["policies"].list().iter().map(|line| line["mean"].f64()).collect();
    assert_eq!(found["policies"][0]["policy"], "threshold_curve");
    assert!(costs.iter().all(|cost| costs[0] <= *cost), "{found}");
    known_exactly(&found, 2);
}

/// At least so many of the policies have an exact cost, and the mean of paths is near it.
pub fn known_exactly(found: &Value, least: usize) {
    let exact = found["policies"].list().iter().filter(|line| line["exact"].is_f64());
    for line in exact.clone() {
        let [mean, exact, half] = ["mean", "exact", "half_width"].map(|field| line[field].f64());
        assert!(abs_diff_eq!(mean, exact, epsilon = 2.0 * half), "{line}");
    }
    assert!(exact.count() >= least, "{found}");
}

/// What is wrong is said with its place; limits leave what is known.
#[test]
fn wrong_models_and_limits() {
    let wrong = [
        ("processors: 12", "processors: 1", "2 to"),
        ("steps: 60", "steps: 0", "1 to"),
        ("steps: 60", "steps: 1000000000", "1 to"),
        ("deviation: 1.0", "deviation: -1.0", "negative"),
        ("Normal(deviation: 1.0)", "Student(freedom: 2, scale: 1.0)", "degrees of freedom"),
        ("Normal(deviation: 1.0)", "Jumps(rate: 1.5, size: 1.0)", "rate"),
        ("Normal(deviation: 1.0)", "Gamma(shape: 1.0, mean: 1.0), noise: 1.0", "normal"),
        ("remap_cost: 8.0", "remap_cost: -8.0", "negative"),
        ("remap_cost: 8.0", "remap_cost: (fixed: 1, per_unit_moved: -8.0)", "negative"),
        ("remap_cost: 8.0", "remap_cost: PerState([1, 2])", "no states"),
        ("steps: 60", "kept_slopes: (deviation: 0, change: 0.1), steps: 60", "positive"),
        ("steps: 60", "kept_slopes: (deviation: 1, change: 1.1), steps: 60", "between 0 and 1"),
        ("steps: 60", "kept_slopes: (deviation: 1), steps: 60", "change"),
        ("steps: 60", "slopes: 1, kept_slopes: (deviation: 1, change: 0.1), steps: 60", "not both"),
        ("remap_cost: 8.0", "remap_cost: 8.0, overlap: (steps: 64)", "0 and 63"),
        ("remap_cost: 8.0", "remap_cost: 8.0, overlap: (steps: 2, slowdown: 0.1)", "mean_load"),
    ];
    for (from, to, says) in wrong {
        Workplace::stating(WALKS.replace(from, to)).remap("check model.ron").exits(1).says(says);
    }
    let large = WALKS.replace("12", "3000").replace("60", "1000");
    assert!(stopped(&large).number("/value_bounds/upper") > 0.0);
}

/// Rules that look at ratios to the mean load are played where it is known, and refused where it is
/// not.
#[test]
fn ratios_to_the_mean_load_need_it() {
    let known = WALKS.replace("steps: 60", "mean_load: 20.0, steps: 60");
    for policy in ["marquez:0.1", "utilization:0.9", "procassini"] {
        let compare = format!("compare model.ron --policies {policy}");
        let refused = Workplace::stating(WALKS).remap(&compare).exits(1);
        refused.says("max - mean").says("mean_load");
        let found = Workplace::stating(&known).answer(compare + ",never");
        let value = |policy: usize| found.number(&format!("/policies/{policy}/mean"));
        assert!(value(0) < value(1), "{policy}: {found}");
        assert!(found.number("/policies/0/per_metric/remaps/mean") >= 1.0, "{found}");
    }
}

/// Units moved are paid for and remaps come into force later: dearer than the plain model, with the
/// fields that say so.
#[test]
fn other_costs_of_a_remap() {
    let cost = |found: &Value| found.number("/bounds/upper/mean");
    let tolerance = few_or_all("0.1", "0.05");
    let runs = few_or_all(600, 1500);
    let solve = &format!("solve model.ron --tolerance {tolerance}");
    let plain = Workplace::stating(WALKS).answer(solve);
    let moved = WALKS.replace("8.0", "(fixed: 8.0, per_unit_moved: 0.5)");
    let found = Workplace::stating(&moved).answer(solve);
    assert_eq!(found["per_unit_moved"], 0.5);
    assert!(cost(&found) > cost(&plain), "{found}");
    let late = WALKS.replace("8.0", "8.0, overlap: (steps: 2, slowdown: 0.05), mean_load: 20");
    let place = Workplace::stating(late);
    let found = place.answer(solve);
    assert_eq!(found["overlap"], json!({"steps": 2, "slowdown": 0.05}));
    assert!(cost(&found) > cost(&plain), "{found}");
    has(&place.shown(solve), &["2 steps after its decision, which are 5 % slower"]);
    let asked = "fixed:1,fixed:5,never,stop_at_rise,threshold_curve";
    let late = place.answer(format!("compare model.ron --runs {runs} --policies {asked}"));
    // Rules are played with what each remap moves, and when it comes into force.
    known_exactly(&late, 3);
    let moved = Workplace::stating(&moved).answer(format!("compare model.ron --runs {runs}"));
    known_exactly(&moved, 2);
}

/// Slopes that are kept: the policy is the rule, the bound that of hindsight, and both are said.
#[test]
fn slopes_that_are_kept() {
    let model = WALKS.replace("1.0)", "0.1), kept_slopes: (deviation: 0.3, change: 0.02)");
    let place = Workplace::stating(&model);
    let found = place.solved("model.ron --tolerance 0.1");
    assert_eq!(found["kept_slopes"], json!({"deviation": 0.3, "change": 0.02}));
    assert_eq!(found["statistical"], true);
    assert_eq!(found["bounds"]["upper"], found["threshold_curve"]["cost"]);
    assert!(found.number("/bounds/lower/mean") < found.number("/bounds/upper/mean"));
    // Loads that grow evenly are remapped at thresholds that fall with the steps since.
    let thresholds = found["threshold_curve"]["by_steps_since"].list();
    assert!(thresholds.len() > 2, "{found}");
    let words = place.shown("solve model.ron --tolerance 0.1");
    has(&words, &["the ranks keep their slopes over remaps"]);
    is_statistical(&words);
    exports(&place, "c python json");
    first_is_best(&place.answer("compare model.ron --runs 300"));
    // Out of reach, and stopped before anything is known.
    let long = model.replace("12", "1000").replace("60", "2000");
    assert_eq!(stopped(&long).number("/value_bounds/lower"), 0.0);
    let longer = Workplace::stating(long.replace("1000", "2000"));
    longer.remap("check model.ron").exits(1).says("4e9");
}
