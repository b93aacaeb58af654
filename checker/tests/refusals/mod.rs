//! Every refusal with a message of its own is made by a case. One that is added to the checker
//! without a case fails the test.

mod cases;

use self::cases::cases;
use crate::shared::{model, read};
use crate::sources::sources;
use remap_checker::{Budget, Evidence, Refusal};
use std::collections::BTreeSet;

fn refused(problem: &str, evidence: Option<Evidence>) -> Refusal {
    match (read(problem), evidence) {
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

fn replaced(problem: &str, from: &str, to: &str) -> String {
    assert!(problem.contains(from));
    problem.replacen(from, to, 1)
}

/// A change of phase, one part of it replaced.
fn phases(from: &str, to: &str) -> String {
    let problem = "PhaseChange(lifetime: Fixed(40), cycle: (before: 1, after: 2, remapped: 1), remap: (test: 3, \
                   install: 1), detector: (false_alarm: 0.2, missed: 0.1), hazard: Constant(0.05), premature: Revert)";
    replaced(problem, from, to)
}

fn recurring(from: &str, to: &str) -> String {
    let problem = "PhaseSwitching(lifetime: Fixed(40), cycle: (first: (own: 2, other: 1), second: (own: 1, other: 2)), \
                   switch: (to_second: 1e9, to_first: 1e9), rates: (to_second: 0, to_first: 0), detector: (false_alarm: \
                   0.2, missed: 0.1))";
    replaced(problem, from, to)
}

fn drift(from: &str, to: &str) -> String {
    let problem = "LoadDrift(processors: 2, chain: Walk(lowest: 1, levels: 4, up: 0.3, down: 0.2, edge: Hold), \
                   initial_load: 2, steps: 5, remap_cost: 0.7)";
    replaced(problem, from, to)
}

fn many(from: &str, to: &str) -> String {
    let problem = "ManyPhases(discount: 0.5, cycle: [[1, 2], [2, 1]], switch: [[0, 1], [1, 0]], transition: [[1, 0], [0,                    1]], detector: [[1, 0], [0, 1]])";
    replaced(problem, from, to)
}

fn periodic(from: &str, to: &str) -> String {
    let problem = "Periodic(initial_load: 10, changes: Identical(count: 4, law: Steps({-1: 0.5, 1: 0.5})), bound: \
                   MaxDeviation(0.2))";
    replaced(problem, from, to)
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

/// Those without a message; `files` has what is no certificate.
#[test]
fn what_is_too_much_is_refused() {
    let model = model(&drift("0.7", "0.7"));
    let found = model.prove_within(&Evidence::LoadDrift, &Budget::new(100)).unwrap_err();
    assert_eq!(found, Refusal::OverBudget);
    let large = drift("processors: 2", "processors: 100000000");
    assert_eq!(refused(&large, Some(Evidence::LoadDrift)), Refusal::TooLarge);
}
