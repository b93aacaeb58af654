//! Certificates: what the solvers write, the checker confirms, as closely as was asked for.

use super::tampered::{is_of_a_region, walks};
use crate::support::prelude::*;
use crate::support::workplace;
use proptest::prelude::*;
use remap::problems::registry::{Loaded, Problem};
use remap::problems::{self, Files, Settings, certificate};
use remap_checker::phase_change::Steps;
use remap_checker::{Budget, Evidence, Proof, Refusal, check};
use remapping::phase_change::exact;
use std::path::Path;

/// The model text, and a certificate of it.
pub fn certified(loaded: &Loaded, tolerance: &str) -> Vec<u8> {
    let settings = Settings { tolerance: tolerance.parse().unwrap(), ..Settings::default() };
    let solved = problems::solve(loaded, &settings, Files::default());
    let solved = solved.unwrap_or_else(|_| panic!("not solved"));
    let made = certificate::of(loaded, &solved, &Budget::default());
    made.unwrap_or_else(|c| panic!("{}\n{c}", loaded.text())).bytes
}

pub fn proof(loaded: &Loaded, certificate: &[u8]) -> Result<Proof, Refusal> {
    check(loaded.text(), loaded.folder(), certificate)
}

pub fn deck(name: &str) -> Loaded {
    Loaded::read(Path::new(&workplace::deck(name))).expect("a model")
}

/// The statements that are proved of a model, at the tolerance.
fn proved(loaded: &Loaded, tolerance: &str) -> Vec<(String, f64, f64)> {
    let found = proof(loaded, &certified(loaded, tolerance));
    found.unwrap_or_else(|refusal| panic!("{refusal}: {}", loaded.text())).intervals()
}

/// The width of the widest interval of a threshold.
fn widest(found: &[(String, f64, f64)]) -> f64 {
    let thresholds = found.iter().filter(|(name, ..)| name.starts_with("pi_"));
    thresholds.map(|(_, low, high)| high - low).fold(0.0, f64::max)
}

pub fn model(problem: &str) -> Loaded {
    let text = stated(problem);
    Loaded::from_text(Path::new("t.ron"), text).unwrap_or_else(|_| panic!("{problem}"))
}

/// Runs of steps that are alike, one after the other, and steps that all differ.
#[test]
fn thresholds_are_proved_as_closely_as_they_are_asked_for() {
    let list = |hazard: &str, steps: usize| [hazard].repeat(steps).join(", ");
    let hazards = format!("PerStep([{}, {}])", list("0.001", 300), list("0.004", 300));
    let (runs, hazard) = ("Fixed(600)", "Constant(0.001)");
    let report = (10, "false_alarm: 0.15, missed: 0.15");
    // Lines that are steep where alarms are rare.
    let rare = (1, "false_alarm: 0.001, missed: 0.99");
    for (lifetime, hazard, (test, detector)) in [
        (runs, &hazards[..], report),
        ("Uniform(first: 0, last: 150)", hazard, report),
        (runs, hazard, report),
        ("Fixed(120)", "Constant(0.00001)", rare),
    ] {
        let loaded = model(&format!(
            "PhaseChange(lifetime: {lifetime}, cycle: (before: 0, after: 2, remapped: 1), remap: (test: {test}, \
             install: 0), detector: ({detector}), hazard: {hazard})"
        ));
        let widest = widest(&proved(&loaded, "1e-9"));
        assert!(widest <= 1e-9, "{lifetime}: {widest:e}");
    }
}

/// What a command says of thresholds and of drifting loads.
#[test]
fn proofs_are_put_into_words() {
    let place = Workplace::with_model();
    let said = |model: &str| {
        place.remap(format!("solve {model} --certificate c --force")).exits(0);
        let found = place.answer(format!("verify {model} c"));
        let words = found["proved"].list().iter().map(|line| line.text().to_owned());
        let value = found["intervals"].list().iter().find(|found| found["name"] == "value");
        (words.collect::<Vec<_>>(), value.unwrap().ends(), all_thresholds(&found))
    };
    let (words, [low, high], thresholds) = said("model.ron");
    let widest = thresholds.iter().map(|(_, [low, high])| high - low).fold(0.0, f64::max);
    let (_, [least, most]) = thresholds[thresholds.len() - 1];
    let sure = thresholds.iter().take_while(|(_, bounds)| *bounds == [1.0, 1.0]).last();
    let never = sure.map_or(41, |(first, _)| *first);
    assert!(never > 30, "{thresholds:?}");
    // Rounded upward.
    let shown = format!("{:.2e}", 1.005 * widest);
    assert!(shown.parse::<f64>().unwrap() >= widest);
    let expected = [
        format!("every threshold to within {shown}: pi_0 in [{least}, {most}]"),
        format!("remapping never pays from step {never} on"),
        format!("the least expected completion time is in [{low}, {high}]"),
    ];
    assert_eq!(words, expected);
    // Where a remap pays even in the last step.
    place.write(
        "always.ron",
        stated(
            "PhaseChange(lifetime: Fixed(20), cycle: (before: 1, after: 5, remapped: 1), remap: (test: 1, install: 1), \
             detector: (false_alarm: 0.2, missed: 0.1), hazard: Constant(0.1))",
        ),
    );
    assert_eq!(said("always.ron").0[1], "remapping never pays from step 21 on");
    let (words, [low, high], _) = said("models/load_drift/three_chains.ron");
    assert_eq!(words, [format!("the least expected objective is in [{low}, {high}]")]);
}

/// The first step and the bounds of each threshold that a command proves.
fn all_thresholds(found: &Value) -> Vec<(u64, [f64; 2])> {
    let all = found["intervals"].list().iter();
    let threshold = |found: &Value| {
        let steps = found["name"].as_str()?.strip_prefix("pi_")?;
        let first = steps.split("..").next()?.parse().ok()?;
        Some((first, found.ends()))
    };
    all.filter_map(threshold).collect()
}

#[test]
fn the_sixteen_maps_of_the_paper_are_proved_without_ties() {
    for cost in 1..=16 {
        let loaded = deck("stopping/yin_xu_wang.ron");
        let loaded = loaded.with(&[("problem.remap_cost", &cost.to_string())]).expect("a model");
        let undecided = proved(&loaded, "1e-9").into_iter().find(|(name, ..)| name == "either");
        assert_eq!(undecided, Some(("either".to_owned(), 0.0, 0.0)), "cost {cost}");
    }
}

#[test]
fn thresholds_at_a_thousand_cycles_are_proved() {
    let problem = "PhaseChange(lifetime: Fixed(1000), cycle: (before: 1.0, after: 2.0, remapped: 1.0), \
                   remap: (test: 50.0, install: 0.0), detector: (false_alarm: 0.2, missed: 0.05), \
                   hazard: Constant(0.001), premature: Revert)";
    for (problem, tolerance) in [
        (problem.to_owned(), 1e-9),
        (problem.replace("Fixed(1000)", "Fixed(1000000000)"), 1e-7),
        (problem.replace("0.2", "0.25").replace("0.05", "0.25").replace("50.0", "10.0"), 1e-6),
    ] {
        let loaded = model(&problem);
        let widest = widest(&proved(&loaded, &tolerance.to_string()));
        assert!(widest <= tolerance, "{widest} of {tolerance}");
    }
}

/// As long as the bounds on the difference are apart, each bends at other beliefs than the
/// difference. In these models they come together only with nodes there; in the second one a bound
/// of a threshold is beyond all beliefs for thousands of steps.
#[test]
fn bounds_that_bend_elsewhere_come_together() {
    for problem in [
        "PhaseSwitching(cycle: (first: (own: 1, other: 1.03), second: (own: 1, other: 2.4)), \
         switch: (to_second: 2.3, to_first: 2.2), rates: (to_second: 0.04, to_first: 0.28), \
         detector: (false_alarm: 0.05, missed: 0.08))",
        "PhaseSwitching(cycle: (first: (own: 1, other: 1.11), second: (own: 1, other: 1.1)), \
         switch: (to_second: 2.2, to_first: 2.9), rates: (to_second: 0.26, to_first: 0.23), \
         detector: (false_alarm: 0.09, missed: 0.12))",
    ] {
        assert!(widest(&proved(&model(problem), "1e-9")) <= 1e-9, "{problem}");
    }
}

/// Phase-change problems of a few steps, every variant of the model file among them.
pub fn small_phase_change() -> impl Strategy<Value = String> {
    let lifetime = prop_oneof![
        (1u32..7).prop_map(|m| (format!("Fixed({m})"), m)),
        (1u32..4, 0u32..4)
            .prop_map(|(a, b)| (format!("Uniform(first: {a}, last: {})", a + b), a + b)),
        (0u32..3, 1u32..4, 1u32..9).prop_map(|(a, b, r)| {
            (format!("Geometric(rate: 0.{r}, first: {a}, last: {})", a + b), a + b)
        }),
        (1u32..10).prop_map(|w| (format!("Pmf({{0: 0.{w}, 5: {}}})", f64::from(10 - w) / 10.0), 5)),
    ];
    let cents = |n: std::ops::Range<u32>| n.prop_map(|n| f64::from(n) / 100.0);
    let detector = (cents(0..101), cents(0..101));
    let times = (cents(0..300), cents(0..500), cents(0..300), cents(0..400), cents(0..200));
    let hazards = proptest::collection::vec(cents(0..101), 7);
    (lifetime, detector, times, hazards, any::<bool>(), proptest::option::of(cents(0..200))).prop_map(
        |((lifetime, last), (alarm, missed), (before, after, remapped, test, install), hazards, constant, kept)| {
            let hazard = if constant {
                format!("Constant({})", hazards[0])
            } else {
                format!("PerStep({:?})", &hazards[..last as usize])
            };
            let kept = kept.map(|more| format!("Keep(before_remapped: {})", before + more));
            let premature = kept.unwrap_or_else(|| "Revert".to_owned());
            format!(
                "PhaseChange(lifetime: {lifetime}, cycle: (before: {before}, after: {after}, remapped: \
                 {remapped}), remap: (test: {test}, install: {install}), detector: (false_alarm: {alarm}, \
                 missed: {missed}), hazard: {hazard}, premature: {premature})"
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: samples(300), ..ProptestConfig::default() })]

    #[test]
    fn what_is_proved_of_thresholds_contains_the_exact_solution(problem in small_phase_change()) {
        let loaded = model(&problem);
        let found = proof(&loaded, &certified(&loaded, "1e-6"));
        let found = found.map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        let Problem::PhaseChange(problem) = &loaded.problem else { unreachable!() };
        let exact = exact::solve(&problem.problem(), 20_000, &()).expect("short");
        let value = exact.value().to_f64().value();
        for (name, low, high) in &found.intervals() {
            let Some(steps) = name.strip_prefix("pi_") else {
                prop_assert!(*low <= value + 1e-14 * value && value - 1e-14 * value <= *high);
                continue;
            };
            let (first, last) = steps.split_once("..").unwrap_or((steps, steps));
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            for step in &exact.steps[first..=last] {
                let threshold = step.threshold.to_f64().value();
                prop_assert!(*low <= threshold && threshold <= *high, "{}: {}", name, threshold);
                prop_assert!(high - low < 1e-6, "{}: [{}, {}]", name, low, high);
            }
        }
    }
}

#[test]
fn regions_are_proved_without_the_other_states() {
    for (count, levels, cost) in
        [(32, 30, 2e8), (8, 19, 200.0), (16, 9, 2e5), (3, 80, 20.0), (2, 600, 50.0)]
    {
        let loaded = model(&walks(count, levels, cost));
        let certificate = certified(&loaded, "1e-9");
        assert!(is_of_a_region(&certificate) && certificate.len() < 100_000);
        let found = proof(&loaded, &certificate).expect("proved").intervals();
        let number = |name: &str| found.iter().find(|(other, ..)| other == name).expect("named").1;
        assert_eq!((number("balanced"), number("either")), (levels as f64, 0.0));
        assert!(number("proved_continue") > 0.0);
    }
}

/// A proof is as narrow as it was asked for, or the command says that it is not.
#[test]
fn proofs_are_as_narrow_as_asked_or_said_not_to_be() {
    let place = Workplace::new();
    for name in ["table_iii_n50_g50", "fluids", "four_levels"] {
        let model = format!("models/phase_change/{name}.ron");
        let solved = place.remap(format!("solve {model} --certificate c --force"));
        let widths = all_thresholds(&place.answer(format!("verify {model} c"))).into_iter();
        let widest = widths.map(|(_, [low, high])| high - low).fold(0.0, f64::max);
        let said = solved.code == 3 && solved.err.contains("the certificate proves");
        let kept = if widest <= 1e-9 { solved.code == 0 } else { said };
        assert!(kept, "{name}: {widest} {}", solved.err);
    }
}

#[test]
fn what_may_never_end_is_not_verified() {
    let place = Workplace::with_model();
    place.remap("solve model.ron --certificate c").exits(0);
    let fifo = std::process::Command::new("mkfifo").arg(place.path("fifo")).status();
    assert!(fifo.unwrap().success());
    for endless in ["/dev/zero", "fifo"] {
        place.remap(format!("verify model.ron {endless}")).exits(1).says("is not a regular file");
        place.remap(format!("verify {endless} c")).exits(1).says("is not a regular file");
    }
    // A hundred bytes that speak of 10^18 steps.
    let text = &MODEL.replace("Fixed(40)", "Fixed(1000000000000000000)");
    place.write("long.ron", text);
    let steps = vec![Steps::On(vec![1 << 43]), Steps::Held(1_000_000_000_000_000_000)];
    let nothing = Proof::Value((0.0, 0.0).into());
    let forged = remap_checker::certificate(text, &Evidence::PhaseChange(40, steps), &nothing);
    assert!(forged.len() < 200);
    place.write("long.cert", forged);
    let found = place.remap("verify long.ron long.cert --time-limit 0.3").exits(3);
    assert!(found.says("the time limit came first").out.is_empty());
}

#[test]
fn a_budget_of_work_ends_a_check() {
    let loaded = deck("load_drift/three_chains.ron");
    let bytes = certified(&loaded, "1e-9");
    let check = |work: u64| {
        let budget = Budget::new(work);
        remap_checker::check_within(loaded.text(), loaded.folder(), &bytes, &budget)
    };
    assert_eq!(check(1000).err(), Some(Refusal::OverBudget));
    assert!(check(u64::MAX).is_ok());
}

/// What solve takes besides walks with equal processors.
#[test]
fn models_of_every_form_have_certificates() {
    let matrix = "Matrix(rows: [[0.5, 0.5, 0], [0.25, 0.25, 0.5], [0.125, 0.375, 0.5]])";
    let walk = "Walk(levels: 5, up: 0.25, down: 0.25, edge: Hold)";
    let stopping = |count: usize, chain: &str, rest: &str| {
        format!("Stopping(processes: Identical(count: {count}, chain: {chain}), {rest})")
    };
    let three = "capacities: [1.1, 1.3, 1.7], remap_cost: 5, after_remap: Stop, running_cost: EuclideanDeviation";
    for problem in [
        stopping(2, walk, "capacities: [1e-3, 1], remap_cost: 5, after_remap: Stop"),
        stopping(2, walk, "capacities: [1, 2], remap_cost: 5, after_remap: Restart"),
        stopping(3, walk, three),
        stopping(2, walk, "remap_cost: 0, after_remap: Stop"),
        stopping(2, walk, "remap_cost: 0, after_remap: Uniform"),
        stopping(2, matrix, "remap_cost: 2, after_remap: Uniform"),
        // Loads that hardly move cost as much as they are for many steps.
        "LoadDrift(processors: 1, chain: Walk(lowest: 1, levels: 5, up: 0.01, down: 0.01, edge: Hold), \
         initial_load: 2, steps: 18, remap_cost: 0, objective: Makespan)"
            .to_owned(),
        format!("LoadDrift(processors: 3, chain: {matrix}, initial_load: 1, steps: 50, remap_cost: 0.7)"),
    ] {
        let found = proved(&model(&problem), "1e-9");
        assert!(found.iter().all(|(_, low, high)| low <= high), "{problem}");
    }
}
