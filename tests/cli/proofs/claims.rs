//! Whatever is called certified has bounds in the right order, finite, and as close as was asked;
//! and where the exact answer is known, it lies within them.

use crate::support::prelude::*;
use proptest::prelude::*;
use remap::cli::{Cli, Command};
use remap::problems::registry::Loaded;
use remap::problems::registry::{Body, Solution};
use remap::problems::{self, Files, Settings};
use remap::render::summary;
use remap::text::within;
use remapping::{Rational, Status};
use std::path::Path;

const TOLERANCES: [&str; 4] = ["1e-1", "1e-4", "1e-8", "1e-12"];

fn settings(arguments: &[&str]) -> Settings {
    use clap::Parser;
    let arguments = [&["remap", "solve", "model.ron"], arguments].concat();
    match Cli::try_parse_from(arguments).map(|cli| cli.command) {
        Ok(Command::Solve(solve)) => (&solve.settings).into(),
        _ => panic!("these are settings of solve"),
    }
}

fn load(problem: &str) -> Option<Loaded> {
    let text = stated(problem);
    Loaded::from_bytes(Path::new("model.ron"), text.into_bytes()).ok()
}

fn solved(problem: &str, arguments: &[&str]) -> Solution {
    let loaded = load(problem).expect("a right model");
    let solved = problems::solve(&loaded, &settings(arguments), Files::default());
    solved.unwrap_or_else(|_| panic!("not solved")).solution
}

/// Decimals of all sizes.
fn cost() -> impl Strategy<Value = String> {
    let power = prop_oneof![6 => Just(0i32), 1 => -330..=-290, 1 => -290..=290, 1 => 290..=304];
    (0u32..1000, power).prop_map(|(digits, power)| format!("{digits}e{}", power - 2))
}

/// Decimals next to 0 and to 1, and between.
fn chance() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => (1u32..100).prop_map(|k| format!("{k}e-2")),
        2 => (1u32..=330).prop_map(|power| format!("1e-{power}")),
        2 => (1usize..=330).prop_map(|nines| format!("0.{}", "9".repeat(nines))),
        1 => prop::sample::select(vec!["0", "1"]).prop_map(str::to_owned),
    ]
}

fn lifetime() -> impl Strategy<Value = String> {
    prop_oneof![
        (0u32..5).prop_map(|last| format!("Fixed({last})")),
        (0u32..3, 0u32..3)
            .prop_map(|(first, more)| format!("Uniform(first: {first}, last: {})", first + more)),
        (chance(), 0u32..3, 0u32..3).prop_map(|(rate, first, more)| {
            format!("Geometric(rate: {rate}, first: {first}, last: {})", first + more)
        }),
    ]
}

fn binary() -> impl Strategy<Value = String> {
    (chance(), chance()).prop_map(|(a, b)| format!("(false_alarm: {a}, missed: {b})"))
}

fn phase_change() -> impl Strategy<Value = String> {
    let costs = prop::collection::vec(cost(), 5);
    (lifetime(), costs, binary(), chance()).prop_map(|(lifetime, costs, detector, hazard)| {
        let [before, after, remapped, test, install] = &costs[..] else { unreachable!() };
        format!(
            "PhaseChange(lifetime: {lifetime}, \
             cycle: (before: {before}, after: {after}, remapped: {remapped}), \
             remap: (test: {test}, install: {install}), detector: {detector}, \
             hazard: Constant({hazard}))"
        )
    })
}

fn stopping() -> impl Strategy<Value = String> {
    let costs = prop::sample::select(vec!["MaxMinusMean", "MaxAbsDeviation", "EuclideanDeviation"]);
    let after = prop::sample::select(vec!["Stop", "Uniform", "Restart"]);
    let walk = (2u32..6, 0u32..50, 0u32..50);
    (walk, costs, cost(), after).prop_map(|((levels, up, down), running, cost, after)| {
        format!(
            "Stopping(processes: Identical(count: 2, chain: Walk(levels: {levels}, up: {up}e-2, \
             down: {down}e-2, edge: Hold)), running_cost: {running}, remap_cost: {cost}, \
             after_remap: {after})"
        )
    })
}

fn load_drift() -> impl Strategy<Value = String> {
    let walk = (2u32..5, 0u32..50, 0u32..50);
    (walk, 1u32..30, cost()).prop_map(|((levels, up, down), steps, cost)| {
        format!(
            "LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: {levels}, up: {up}e-2, \
             down: {down}e-2, edge: Hold), initial_load: 2, steps: {steps}, remap_cost: {cost})"
        )
    })
}

/// All pairs of bounds in a document, with what their width is relative to.
fn bounds(document: &Value) -> Vec<(Option<f64>, Option<f64>, bool)> {
    let list = |field: &str| document[field].as_array().cloned().unwrap_or_default();
    let thresholds = list("threshold_lower").into_iter().zip(list("threshold_upper"));
    let mut all: Vec<_> = thresholds.map(|(a, b)| (a.as_f64(), b.as_f64(), false)).collect();
    for field in ["value", "value_bounds", "average", "average_of_stop"] {
        if document[field].is_object() {
            let (lower, upper) = (&document[field]["lower"], &document[field]["upper"]);
            all.push((lower.as_f64(), upper.as_f64(), true));
        }
    }
    if let Some(both) = document["remap_bounds"].as_array() {
        all.push((both[0].as_f64(), both[1].as_f64(), true));
    }
    all
}

fn keeps_its_promise(problem: &str) -> Result<(), TestCaseError> {
    let exact = problem.starts_with("PhaseChange");
    for tolerance in TOLERANCES {
        let mut arguments = vec!["--tolerance", tolerance, "--time-limit", "2"];
        arguments.extend(exact.then_some("--exact"));
        let Some(loaded) = load(problem) else { return Ok(()) };
        let solved = problems::solve(&loaded, &settings(&arguments), Files::default());
        let Ok(problems::Solved { solution, .. }) = solved else {
            return Ok(());
        };
        prop_assert!(solution.contradiction.is_none(), "{problem}: {:?}", solution.contradiction);
        let text = summary(&solution);
        let document = serde_json::to_value(&solution).unwrap();
        let certified = document["status"] == "converged";
        prop_assert_eq!(certified, text.contains("certified"), "{}", text);
        let tolerance: f64 = tolerance.parse().unwrap();
        for (lower, upper, relative) in bounds(&document).into_iter().filter(|_| certified) {
            let (Some(lower), Some(upper)) = (lower, upper) else {
                return Err(TestCaseError::fail(format!("{problem}: {document}")));
            };
            let unit = if relative { upper.abs().max(1.0) } else { 1.0 };
            let close = lower <= upper && upper - lower <= 1.000_001 * tolerance * unit;
            prop_assert!(close, "{} at {}: [{}, {}]", problem, tolerance, lower, upper);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn what_is_certified_of_a_phase_change_is(problem in phase_change()) {
        keeps_its_promise(&problem)?;
    }

    #[test]
    fn what_is_certified_of_stopping_is(problem in stopping()) {
        keeps_its_promise(&problem)?;
    }

    #[test]
    fn what_is_certified_of_drifting_loads_is(problem in load_drift()) {
        keeps_its_promise(&problem)?;
    }

    /// What is shown contains the interval that it stands for.
    #[test]
    fn shown_intervals_contain_what_they_stand_for(
        middle in prop_oneof![-1e3..1e3f64, (-300f64..300.0).prop_map(f64::exp), Just(0.0)],
        width in (-40f64..3.0).prop_map(f64::exp),
    ) {
        let (lower, upper) = (middle - width, middle + width);
        let text = within((lower, upper).into());
        let Some((shown, half)) = text.split_once(" +- ") else {
            prop_assert!(lower == upper && text.parse() == Ok(lower), "{text}");
            return Ok(());
        };
        let exact = |text: &str| remap::model::number::Decimal::parse(text).unwrap().exact;
        let (shown, half) = (exact(shown), exact(half));
        prop_assert!(&shown - &half <= Rational::try_from(lower).unwrap(), "{text}: {lower:e}");
        prop_assert!(&shown + &half >= Rational::try_from(upper).unwrap(), "{text}: {upper:e}");
    }
}

const GEOMETRIC: &str = "PhaseChange(lifetime: Geometric(rate: 0.9999999, first: 0, last: 4), \
    cycle: (before: 1.0, after: 20.0, remapped: 1.0), remap: (test: 0.00000001, install: 0.0), \
    detector: (false_alarm: 0.1, missed: 0.2), hazard: Constant(0.3))";

const SUBNORMAL: &str = "PhaseChange(lifetime: Fixed(3), \
    cycle: (before: 1e-310, after: 2e-309, remapped: 1e-310), remap: (test: 1e-310, install: 0.0), \
    detector: (false_alarm: 1e-312, missed: 1e-320), hazard: Constant(1e-311))";

/// Bounds that once missed the exact value by rounding 1 - rate, and bounds in the wrong order.
#[test]
fn models_that_once_fooled_the_solver_are_certified() {
    for problem in [GEOMETRIC, SUBNORMAL] {
        let solution = solved(problem, &["--exact"]);
        assert_eq!(solution.contradiction, None, "{problem}");
        assert_eq!(solution.status, Status::Converged, "{problem}: {:?}", solution.warnings);
        assert!(summary(&solution).contains("certified to 1e-9"));
    }
}

#[test]
fn an_answer_that_cannot_be_true_is_not_certified() {
    type Spoil = fn(&mut remap::problems::phase_change::answer::Answer);
    let phase_change = |spoil: Spoil| {
        let mut solution = solved(GEOMETRIC, &["--exact"]);
        let Body::PhaseChange(answer) = &mut solution.body else { unreachable!() };
        spoil(answer);
        solution
    };
    let wrong: [Spoil; 4] = [
        |answer| answer.exact.as_mut().unwrap().value = "7/2".to_owned(),
        |answer| answer.exact.as_mut().unwrap().threshold[2] = "1/2".to_owned(),
        |answer| answer.exact.as_mut().unwrap().n0 = 1,
        |answer| {
            let value = answer.value.as_mut().unwrap();
            std::mem::swap(&mut value.lower, &mut value.upper);
        },
    ];
    for solution in wrong.map(phase_change) {
        let verdict = solution.body.examine(Status::Converged, 1e-1);
        assert!(verdict.contradiction.is_some());
        assert_eq!(verdict.status, Status::IterationLimit);
    }
    let unknown: [Spoil; 3] = [
        |answer| answer.value.as_mut().unwrap().upper = f64::NAN,
        |answer| answer.value.as_mut().unwrap().upper = f64::INFINITY,
        |answer| answer.value.as_mut().unwrap().upper = 2.0,
    ];
    for solution in unknown.map(phase_change) {
        let verdict = solution.body.examine(Status::Converged, 1e-1);
        assert_eq!((verdict.contradiction, verdict.status), (None, Status::IterationLimit));
        assert!(verdict.warning.is_some());
        // What was stopped says so.
        let verdict = solution.body.examine(Status::TimeLimit, 1e-1);
        assert_eq!(verdict.status, Status::TimeLimit);
    }
}

const WALK: &str = "LoadDrift(processors: 3, chain: Walk(lowest: 1, levels: 6, up: 0.2, down: 0.25, \
    edge: Hold), initial_load: 3, steps: 50, remap_cost: 3)";

fn periodic(changes: &str, bound: &str, more: &str) -> String {
    format!("Periodic(initial_load: 2, changes: {changes}, bound: {bound}{more})")
}

/// A limit that is over before the answer is shown takes nothing from an answer that is whole.
#[test]
fn a_late_time_limit_changes_nothing() {
    let place = Workplace::new();
    let laws = "Identical(count: 4, law: Gamma(shape: 2, mean: 1))";
    place.state(periodic(laws, "RmsDeviation(0.1)", ""));
    let whole = place.answer("solve model.ron");
    let late = place.answer("solve model.ron --time-limit 0.000000001");
    assert_eq!(late["status"], "converged");
    assert_eq!((&whole["methods"], &whole["deviation"]), (&late["methods"], &late["deviation"]));
    // What was stopped says so.
    place.state(periodic(laws, "MaxDeviation(0.1)", ""));
    let cut = place.remap("solve model.ron --json --time-limit 0.000000001").exits(3).json();
    assert_eq!(cut["status"], "time_limit");
}

#[test]
fn certain_changes_are_decided() {
    let laws = "Identical(count: 5, law: Normal(mean: 0.1, deviation: 0))";
    let place = Workplace::stating(periodic(laws, "MaxDeviation(0.001)", ""));
    let found = place.answer("solve model.ron");
    assert!(found["interval"].is_null() && found["at_least"].is_null(), "{found}");
    assert_eq!(found["interval_by"], "exact");
}

/// A chain that ends at either of two ends comes to rest, and remapping at any cost above what that
/// imbalance brings never pays.
#[test]
fn chains_with_two_ends_are_decided() {
    let place = Workplace::new();
    let chain = "Chain(count: 3, chain: BirthDeath(lowest: 0, up: [0, 0.5, 0.25, 0.5, 0], \
                 down: [0, 0.5, 0.25, 0.5, 0]))";
    let solve = |cost: &str| {
        place.state(periodic(chain, "MaxDeviation(2)", &format!(", remap_cost: {cost}")));
        place.answer("solve model.ron")
    };
    let dear = solve("1000");
    assert!(dear["cost_aware"]["interval"].is_null(), "{dear}");
    assert!(dear["interval"].is_null() && dear["interval_by"] == "exact", "{dear}");
    let cheap = solve("0.1");
    assert!(cheap["cost_aware"]["interval"].u64() < 10, "{cheap}");
}

#[test]
fn runs_that_agree_give_no_interval() {
    let found =
        Workplace::stating(WALK).answer("compare model.ron --runs 2 --policies never,fixed:10");
    for (policy, remaps) in found["policies"].list().iter().zip([0.0, 4.0]) {
        let counted = &policy["per_metric"]["remaps"];
        assert_eq!(counted["mean"], remaps, "{policy}");
        assert!(counted["half_width"].is_null() && counted["lower"].is_null(), "{policy}");
        let lower = policy["per_metric"]["regret_clairvoyant"]["lower"].as_f64();
        assert!(lower.is_none_or(|lower| lower >= 0.0), "{policy}");
    }
}

#[test]
fn small_probabilities_are_written_as_given() {
    let place = Workplace::stating(GEOMETRIC.replace("missed: 0.2", "missed: 1e-310"));
    let found = place.remap("solve model.ron --json").json();
    assert_eq!(found["belief"]["missed"].as_f64(), Some(1e-310), "{}", found["belief"]);
}

/// Fractions of many lines are left within a fraction of a second.
#[test]
fn exact_arithmetic_keeps_to_the_time_limit() {
    let place = Workplace::new();
    let models = [
        "PhaseChange(lifetime: Fixed(200), \
        cycle: (before: 1.0, after: 2.0, remapped: 1.0), remap: (test: 12.0, install: 0.0), \
        detector: (false_alarm: 0.1, missed: 0.2), hazard: Constant(0.05))",
        "PhaseSwitching(lifetime: Fixed(200), \
        cycle: (first: (own: 1.0, other: 1.8), second: (own: 1.1, other: 2.0)), \
        switch: (to_second: 40.0, to_first: 30.0), rates: (to_second: 0.005, to_first: 0.01), \
        detector: Several([(false_alarm: 0.1, missed: 0.1), (false_alarm: 0.2, missed: 0.3)]))",
    ];
    for model in models {
        place.state(model);
        let started = std::time::Instant::now();
        let found = place.remap("solve model.ron --exact --json --time-limit 0.5").exits(3);
        let found = found.says("stopped").json();
        assert!(started.elapsed().as_secs_f64() < 3.0, "{:?}", started.elapsed());
        assert!(found["exact"].is_null() && found["value"].is_object(), "{found}");
    }
}

/// What missed the tolerance says which one it meets.
#[test]
fn a_missed_tolerance_names_one_that_is_met() {
    let place = Workplace::stating(WALK.replace("steps: 50", "steps: 100000"));
    let said = place.remap("solve model.ron --tolerance 1e-13").exits(3).err;
    let met = said.split("--tolerance ").nth(1).unwrap().split_whitespace().next().unwrap();
    place.remap(format!("solve model.ron --tolerance {met}")).exits(0);
}

/// Numbers whose products are no doubles: a fault of the model with its place, or an answer without
/// NaN.
#[test]
fn what_is_too_large_is_named() {
    let place = Workplace::new();
    let laws = [
        ("Identical(count: 4, law: Normal(mean: 1e308, deviation: 1e308))", "0.1"),
        ("Identical(count: 4, law: Normal(mean: 0, deviation: 1e-200))", "0.1"),
        ("Identical(count: 4, law: Moments(mean: 0, variance: 1e308))", "0.1"),
        ("Identical(count: 4, law: Gamma(shape: 1e-300, mean: 1))", "0.1"),
        ("Identical(count: 4, law: Steps({-1e300: 0.5, 1e300: 0.5}))", "0.1"),
        ("Identical(count: 4, law: Normal(mean: 0, deviation: 1))", "1e308"),
    ];
    for (laws, bound) in laws {
        place.state(periodic(laws, &format!("MaxDeviation({bound})"), ""));
        place.remap("solve model.ron").exits(1).says("too").says("take another unit");
    }
    // Sums of such costs are beyond doubles; what they are made of is not.
    place.state(
        "PhaseChange(lifetime: Fixed(5), \
        cycle: (before: 1e308, after: 1.7e308, remapped: 1e308), remap: (test: 1e308, install: 1e308), \
        detector: (false_alarm: 0.1, missed: 0.1), hazard: Constant(0.1))",
    );
    let said = place.remap("solve model.ron").exits(3);
    has(&said.out, &["beyond the range of doubles"]);
    lacks(&said.out, &["NaN"]);
    lacks(&place.remap("compare model.ron").exits(3).out, &["NaN", "inf"]);
    place.state(WALK.replace("remap_cost: 3", "remap_cost: 1e308"));
    place.remap("compare model.ron").exits(1).says("too large");
    let rows: String = (0..60).map(|step| format!("{step},0,1e300\n{step},1,2e300\n")).collect();
    place.write("run.csv", format!("step,rank,seconds\n{rows}"));
    place.remap("fit run.csv --remap-cost 1").exits(1).says("too large");
    place.state(
        "Stopping(processes: Identical(count: 2, chain: Walk(levels: 6, up: 0.25, down: 0.25, \
        edge: Reflect)), running_cost: MaxMinusMean, remap_cost: 1e308, after_remap: Uniform)",
    );
    let said = place.remap("solve model.ron");
    lacks(&said.out, &["NaN"]);
}
