//! For every refusal with a message of its own something that is refused for it. One that is added to the checker
//! without a line here fails the test.

mod sources;

use remap_checker::phase_change::Steps;
use remap_checker::phase_switching::{Rest, Steps as Back};
use remap_checker::{Budget, Evidence, Model, Refusal, certificate, check, seal};
use sources::sources;
use std::collections::BTreeSet;
use std::path::Path;

fn refused(problem: &str, evidence: Option<Evidence>) -> Refusal {
    let text = format!("Model(title: \"t\", problem: {problem})");
    match (Model::read(&text, Path::new("")), evidence) {
        (Err(refusal), None) => refusal,
        (Ok(model), Some(evidence)) => model.prove(&evidence).unwrap_err(),
        (read, _) => panic!("{problem}: {:?}", read.err()),
    }
}

const WALK: &str = "Walk(levels: 3, up: 0.25, down: 0.25, edge: Hold)";

fn stopping(processes: &str, more: &str) -> String {
    format!("Stopping(processes: {processes}, {more})")
}

fn two(more: &str) -> String {
    stopping(&format!("Identical(count: 2, chain: {WALK})"), more)
}

const STOP: &str = "remap_cost: 2, after_remap: Stop";

fn chain(chain: &str) -> String {
    stopping(&format!("Identical(count: 2, chain: {chain})"), STOP)
}

fn joint(loads: &str, transition: &str, more: &str) -> String {
    stopping(&format!("Joint(loads: {loads}, transition: {transition})"), more)
}

const COIN: &str = "Dense([[0.5, 0.5], [0.5, 0.5]])";

/// A change of phase, one part of it replaced.
fn phases(from: &str, to: &str) -> String {
    let problem = "PhaseChange(lifetime: Fixed(40), cycle: (before: 1, after: 2, remapped: 1), remap: (test: 3, \
                   install: 1), detector: (false_alarm: 0.2, missed: 0.1), hazard: Constant(0.05), premature: Revert)";
    assert!(problem.contains(from));
    problem.replace(from, to)
}

fn recurring(from: &str, to: &str) -> String {
    let problem = "PhaseSwitching(lifetime: Fixed(40), cycle: (first: (own: 2, other: 1), second: (own: 1, other: 2)), \
                   switch: (to_second: 1e9, to_first: 1e9), rates: (to_second: 0, to_first: 0), detector: (false_alarm: \
                   0.2, missed: 0.1))";
    assert!(problem.contains(from));
    problem.replace(from, to)
}

fn drift(from: &str, to: &str) -> String {
    let problem = "LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: Hold), \
                   initial_load: 2, steps: 5, remap_cost: 0.7)";
    assert!(problem.contains(from));
    problem.replace(from, to)
}

fn many(from: &str, to: &str) -> String {
    let problem = "ManyPhases(discount: 0.5, cycle: [[1, 2], [2, 1]], switch: [[0, 1], [1, 0]], transition: [[1, 0], [0,                    1]], detector: [[1, 0], [0, 1]])";
    assert!(problem.contains(from));
    problem.replacen(from, to, 1)
}

fn periodic(from: &str, to: &str) -> String {
    let problem = "Periodic(initial_load: 10, changes: Identical(count: 4, law: Steps({-1: 0.5, 1: 0.5})), bound: \
                   MaxDeviation(0.2))";
    assert!(problem.contains(from));
    problem.replace(from, to)
}

const LAW: &str = "Identical(count: 4, law: Steps({-1: 0.5, 1: 0.5}))";

/// File, message, and what is refused for it.
type Case = (&'static str, &'static str, Refusal);

fn no_model(file: &'static str, message: &'static str, problem: String) -> Case {
    (file, message, refused(&problem, None))
}

fn no_proof(
    file: &'static str,
    message: &'static str,
    problem: String,
    evidence: Option<Evidence>,
) -> Case {
    (file, message, refused(&problem, evidence))
}

fn cases() -> Vec<Case> {
    let values = |runs: &[(u64, i64, u64)]| Some(Evidence::Stopping(20, runs.to_vec()));
    let rest = || Some(Evidence::PhaseChange(50, vec![Steps::On(vec![1 << 43]), Steps::Rest(40)]));
    let idle = Rest { beliefs: Vec::new(), saved: vec![0, 0], means: vec![Vec::new()] };
    let settle = || {
        let steps = vec![Back::On(Vec::new()), Back::Rest(idle.clone())];
        Some(Evidence::PhaseSwitching(4, steps))
    };
    let text = |problem: &str| format!("Model(title: \"t\", problem: {problem})");
    let model = text(&drift("0.7", "0.7"));
    let proof = Model::read(&model, Path::new("")).unwrap().prove(&Evidence::LoadDrift).unwrap();
    let other = text(&drift("0.7", "0.5"));
    let claims = check(&other, Path::new(""), &certificate(&other, &Evidence::LoadDrift, &proof));
    let far = "Distinct([Walk(levels: 2, up: 0.25, down: 0.25, edge: Hold), Walk(lowest: 5, levels: 2, up: 0.25, down: \
               0.25, edge: Hold)])";
    let uniform = |cost: u32| stopping(far, &format!("remap_cost: {cost}, after_remap: Uniform"));
    let birth = |rates: &str| chain(&format!("BirthDeath({rates})"));
    let levels = |more: &str| periodic(LAW, &format!("Chain(count: 2, chain: {more})"));
    let detector = "(false_alarm: 0.2, missed: 0.1)";
    vec![
        ("lib", "what is claimed is not what follows", claims.unwrap_err()),
        no_model("core::decimal", "{} is not a decimal number from 0 up", drift("0.7", "-0.7")),
        no_model("load_drift", "the cost of a remap is too large", drift("0.7", "1e101")),
        no_model(
            "load_drift",
            "the cost of a remap does not go with the rest",
            drift("0.7", "(fixed: 1, per_unit_moved: 1), rebalance: Nearest"),
        ),
        no_model(
            "load_drift",
            "a load lies outside the levels or below 0, or there are no steps or processors",
            drift("initial_load: 2", "initial_load: 5"),
        ),
        no_model(
            "stopping::problem",
            "a capacity is missing",
            two("capacities: [1], remap_cost: 2, after_remap: Stop"),
        ),
        no_model(
            "stopping::problem",
            "the cost of a remap, or the number of steps, does not go with the rest",
            two("steps: 4, remap_cost: 2, after_remap: Uniform"),
        ),
        no_proof(
            "stopping::maps",
            "the values do not enclose the optimal cost",
            two(STOP),
            values(&[(6, 3 << 20, 0)]),
        ),
        no_proof(
            "stopping::uniform",
            "nothing ends what is said to cost something",
            uniform(0),
            values(&[(4, 1, 0)]),
        ),
        no_model(
            "stopping::uniform",
            "no state is balanced, and a remap leads to a random one",
            uniform(1),
        ),
        no_proof(
            "stopping::region",
            "the values do not enclose the optimal cost",
            two(STOP),
            Some(Evidence::Region(20, vec![(vec![0, 0], 1, 0)])),
        ),
        no_proof(
            "stopping::region",
            "a balanced state is missing",
            two("remap_cost: 0.01, after_remap: Stop"),
            Some(Evidence::Region(20, Vec::new())),
        ),
        no_model("loads::chain", "up and down differ in length", birth("up: [0.5, 0], down: [0]")),
        no_model(
            "loads::chain",
            "a probability is more than 1",
            chain("Walk(levels: 3, up: 1.5, down: 0, edge: Reflect)"),
        ),
        no_model(
            "loads::dense",
            "a transition matrix is not square",
            chain("Matrix(rows: [[1], [1]])"),
        ),
        no_model(
            "loads::affine",
            "2 to 1000 levels, and changes with probabilities, are needed",
            chain("Affine(levels: 1, changes: [(factor: 2, probability: 1)])"),
        ),
        no_model(
            "loads::rows",
            "a row is no distribution over the levels there are, of which there must be two",
            birth("up: [0.5, 0.5], down: [0, 0.5]"),
        ),
        no_model(
            "loads::imbalance",
            "a capacity is not positive",
            two("capacities: [0, 1], remap_cost: 2, after_remap: Stop"),
        ),
        no_model("loads::joint", "joint states differ in size", joint("[[0, 1], [1]]", COIN, STOP)),
        no_proof(
            "loads::joint",
            "a remap leads to loads that are shared by fewer states",
            joint(
                "[[1, 1], [0, 2], [0, 2]]",
                "Dense([[1, 0, 0], [0, 1, 0], [0, 0, 1]])",
                "remap_cost: 1, after_remap: Restart",
            ),
            values(&[(3, 0, 0)]),
        ),
        no_model(
            "stopping::unbounded",
            "walks without a highest load are too many, or of another form",
            stopping("Unbounded(count: 0, up: 0.25, down: 0.25, edge: Hold, shown: 4)", STOP),
        ),
        no_model(
            "many_phases",
            "a table has not a row for each phase, or there are too many",
            many("[[1, 0], [0, 1]]", "[[1, 0]]"),
        ),
        no_model(
            "many_phases",
            "the probabilities of a law do not sum to 1",
            many("detector: [[1, 0]", "detector: [[1, 1]"),
        ),
        no_model("many_phases", "a time or a cost is too large", many("[[1, 2]", "[[1e101, 2]")),
        no_model(
            "many_phases",
            "a lifetime of 100000 steps at most, or a discount below 1, is needed",
            many("discount: 0.5", "discount: 1"),
        ),
        no_model("loads::joint", "joint states differ in number", joint("[[0, 1]]", COIN, STOP)),
        no_model(
            "loads::joint",
            "{name}: {error}",
            joint("[[0, 1], [1, 0]]", "File(\"none.mtx\")", STOP),
        ),
        no_model(
            "loads::joint",
            "this is not a regular file",
            joint("[[0, 1], [1, 0]]", "File(\"/dev/zero\")", STOP),
        ),
        no_model(
            "loads::joint",
            "only real coordinate matrices are checked",
            joint("[[0, 1], [1, 0]]", "File(\"Cargo.toml\")", STOP),
        ),
        no_model("loads::space", "there are no processes", stopping("Distinct([])", STOP)),
        no_proof(
            "loads::places",
            "a load lies outside the levels",
            joint("[[0, 2], [2, 0]]", COIN, "remap_cost: 1, after_remap: Restart"),
            values(&[(2, 0, 0)]),
        ),
        no_model(
            "lifetime",
            "a value has two probabilities",
            phases("Fixed(40)", "Pmf({4: 0.5, 4: 0.5})"),
        ),
        no_model(
            "detector",
            "the reports of a detector have no law",
            phases("missed: 0.1", "missed: 1.1"),
        ),
        no_model(
            "lifetime::remaining",
            "a probability or a number of steps is out of range",
            phases("Fixed(40)", "Uniform(first: 3, last: 2)"),
        ),
        no_model(
            "phase_change::horizon",
            "a probability or a number of steps is out of range",
            phases("Constant(0.05)", "PerStep([0.05])"),
        ),
        no_model(
            "phase_change::horizon",
            "before_remapped is less than before",
            phases("Revert", "Keep(before_remapped: 0.5)"),
        ),
        no_proof(
            "phase_change",
            "the steps are not alike",
            phases("Revert", "Keep(before_remapped: 1.5)"),
            rest(),
        ),
        ("phase_change", "the upper function changes its slope", {
            let on = Steps::On(vec![(1 << 44) / 512; 511]);
            refused(
                &phases(detector, detector),
                Some(Evidence::PhaseChange(50, vec![on, Steps::Rest(40)])),
            )
        }),
        (
            "phase_switching",
            "rates or beliefs are out of range, or the mappings are reversed",
            refused(&recurring("rates: (to_second: 0,", "rates: (to_second: 1.1,"), None),
        ),
        no_model(
            "phase_switching",
            "without an end there must be changes, and a way back",
            recurring("lifetime: Fixed(40), ", ""),
        ),
        no_proof(
            "phase_switching",
            "the steps are not alike",
            recurring("Fixed(40)", "Uniform(first: 2, last: 40)"),
            settle(),
        ),
        no_proof(
            "phase_switching::resting",
            "the difference of the mappings does not become stationary",
            recurring("40", "99"),
            settle(),
        ),
        no_model(
            "periodic",
            "the processors, their capacities or the bound are out of range",
            periodic("count: 4", "count: 1"),
        ),
        no_proof(
            "periodic",
            "there are proofs of least costs for steps only",
            periodic(LAW, "Identical(count: 4, law: Exponential(mean: 1))")
                .replace("bound: MaxDeviation(0.2)", "remap_cost: 5"),
            Some(Evidence::Periodic(8)),
        ),
        no_proof(
            "periodic::gammas",
            "there are proofs for steps, exponential laws, gamma laws of whole shapes and one normal law, not for other laws or \
             both kinds together",
            periodic(LAW, "Identical(count: 4, law: Gamma(shape: 1.5, mean: 1))"),
            Some(Evidence::Periodic(8)),
        ),
        no_model("loads::signed", "{} is not a decimal number", periodic("-1: 0.5", "x: 0.5")),
        no_model("periodic::laws", "a value has two probabilities", periodic("-1: 0.5", "1: 0.5")),
        no_model(
            "periodic::laws",
            "a law of the changes is out of range",
            periodic("-1: 0.5", "-1: 0.4"),
        ),
        no_model(
            "periodic::levels",
            "loads must move on a birth-death chain of few levels",
            levels("Matrix(rows: [[0.5, 0.5], [0.5, 0.5]])"),
        ),
        no_model("periodic::levels", "the initial load is none of the chain", levels(WALK)),
        no_proof(
            "periodic::levels",
            "the rows of the chain do not sum to 1",
            levels("BirthDeath(lowest: 9, up: [0.5, 0.5000000001, 0], down: [0, 0.5, 0.5])"),
            Some(Evidence::Periodic(1)),
        ),
        no_model(
            "periodic::prices",
            "messages and bytes do not go together",
            periodic(
                "bound: MaxDeviation(0.2)",
                "remap_cost: LogGP(latency: 1, overhead: 1, gap: 1, gap_per_byte: 1, messages: 0, bytes: 1)",
            ),
        ),
    ]
}

/// The messages of refusals in the checker, by file.
fn messages() -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (name, text) in sources() {
        let starts = "Unproved(|model_error(|custom(|custom(format!(|Model(format!(|let why = |Error::other(";
        for rest in starts.split('|').flat_map(|start| text.split(start).skip(1)) {
            let Some(quoted) = rest.trim_start().strip_prefix('"') else { continue };
            let message = quoted.split('"').next().unwrap();
            // Lines that go on.
            let lines: Vec<&str> = message.split("\\\n").collect();
            let first = lines[0].to_owned();
            let whole = lines[1..].iter().fold(first, |all, line| all + line.trim_start());
            found.insert((name.clone(), whole));
        }
    }
    found
}

#[test]
fn every_refusal_is_for_something() {
    let cases = cases();
    for (file, message, refusal) in &cases {
        let said = match refusal {
            Refusal::Model(said) => said.as_str(),
            Refusal::Unproved(said) => said,
            other => panic!("{file}: {message}: {other:?}"),
        };
        let fixed = message.split("{}").last().unwrap().split("{name}").last().unwrap();
        let fixed = fixed.split('{').next().unwrap();
        assert!(said.contains(fixed), "{file}: {message}: {said}");
    }
    let known = cases.iter().map(|(file, message, _)| (file.to_string(), message.to_string()));
    let (known, found) = (BTreeSet::from_iter(known), messages());
    let without = Vec::from_iter(found.difference(&known));
    assert!(without.is_empty(), "nothing is refused for {without:?}");
    let gone = Vec::from_iter(known.difference(&found));
    assert!(gone.is_empty(), "no refusal says {gone:?}");
}

/// Those without a message.
#[test]
fn what_is_no_certificate_or_too_much_is_refused() {
    let text = format!("Model(title: \"t\", problem: {})", drift("0.7", "0.7"));
    let model = Model::read(&text, Path::new("")).unwrap();
    let proof = model.prove(&Evidence::LoadDrift).unwrap();
    let good = certificate(&text, &Evidence::LoadDrift, &proof);
    let at = |text: &str, bytes: &[u8]| check(text, Path::new(""), bytes).unwrap_err();
    assert_eq!(at(&text, b"{}"), Refusal::NotACertificate);
    assert_eq!(at(&text, &good[..good.len() - 1]), Refusal::Damaged);
    assert_eq!(at(&format!("{text} "), &good), Refusal::Foreign);
    assert_eq!(at(&text, &seal(&text, b"")), Refusal::Malformed);
    let found = model.prove_within(&Evidence::LoadDrift, &Budget::new(100)).unwrap_err();
    assert_eq!(found, Refusal::OverBudget);
    let large = drift("processors: 2", "processors: 100000000");
    assert_eq!(refused(&large, Some(Evidence::LoadDrift)), Refusal::TooLarge);
}
