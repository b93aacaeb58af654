//! Damaged model files: an answer or an explanation with its place, never a panic, never a hang.

use crate::support::mutants::{Mutant, mutants};
use crate::support::prelude::*;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use rayon::prelude::*;
use remap::commands::told;
use remap::problems::registry::{Loaded, Problem};
use remap::problems::{self, Files, Settings};
use std::path::Path;
use std::time::Instant;

/// All decks, and some small models that use the rest of the language.
fn originals() -> Vec<Vec<u8>> {
    let models = files(root().join("models"), "ron");
    let mut originals: Vec<_> = models.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(!originals.is_empty());
    let laws = [
        ("Pmf({0: 0.9, 6: 0.1})", "Constant(0.1)", "Keep(before_remapped: 2.0)"),
        ("Uniform(first: 1, last: 4)", "PerStep([0.1, 0.2, 0, 1])", "Revert"),
        ("Geometric(rate: 0.02, first: 1, last: 50)", "Constant(0)", "Keep(before_remapped: 1)"),
    ];
    for (lifetime, hazard, premature) in laws {
        let text = format!(
            "#![enable(implicit_some)]\n// A deck.\nModel(title: \"A /* deck\", source: r#\"x\"#, problem: PhaseChange(\n\
             lifetime: {lifetime}, cycle: (before: 1.0, after: 2, remapped: 1e0), /* /* times */ */\n\
             remap: (test: 1.0, install: 0.0), detector: (false_alarm: 0.25, missed: 0.25),\n\
             hazard: {hazard}, premature: {premature}))\n"
        );
        originals.push(text.into_bytes());
    }
    originals
}

/// So many of them: the same everywhere.
fn some_mutants(count: usize) -> Vec<Mutant> {
    let (mut runner, strategy) = (TestRunner::deterministic(), mutants(originals()));
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// Long for a mutant, even on a busy machine.
const PATIENCE: f64 = 30.0;

#[test]
fn ten_thousand_mutants_are_answered_or_explained() {
    let settings = Settings { tolerance: 1e-6, time_limit: Some(0.02), ..Settings::default() };
    let mutants = samples(10_000_u64);
    let ends: Vec<bool> = some_mutants(mutants as usize)
        .into_par_iter()
        .map(|Mutant { bytes, injuries }| {
            let text = format!("{injuries:?}\n{}", String::from_utf8_lossy(&bytes));
            let started = Instant::now();
            let loaded = Loaded::from_bytes(Path::new("mutant.ron"), bytes);
            let solved = loaded.and_then(|loaded| {
                let quick = |problem: &Problem| {
                    matches!(problem, Problem::PhaseChange(_) | Problem::PhaseSwitching(_))
                };
                if quick(&loaded.problem) {
                    problems::solve(&loaded, &settings, Files::default())?;
                }
                Ok(())
            });
            let seconds = started.elapsed().as_secs_f64();
            assert!(seconds < PATIENCE, "{seconds} s:\n{text}");
            for complaint in solved.as_ref().err().into_iter().flatten() {
                let told = told(complaint);
                let placed = told.contains("[mutant.ron:") || told.contains("more faults");
                assert!(placed && told.contains("help:"), "{told}\n{text}");
                assert!(!told.contains(['\0', '\u{1b}']), "{told}\n{text}");
                assert!(told.len() < 5000, "{} bytes\n{text}", told.len());
            }
            solved.is_ok()
        })
        .collect();
    let answered = ends.iter().filter(|end| **end).count();
    // Both kinds must occur often, or the mutants test nothing.
    let often = mutants as usize / 20..mutants as usize / 20 * 19;
    assert!(often.contains(&answered), "{answered} of {mutants} were models still");
}

#[test]
fn a_sample_of_mutants_through_the_program() {
    let workplace = Workplace::new();
    for mutant in some_mutants(samples(150)) {
        workplace.write("mutant.ron", &mutant.bytes);
        let text = String::from_utf8_lossy(&mutant.bytes);
        let outcome = workplace.remap("check mutant.ron");
        match outcome.code {
            0 => assert!(!outcome.out.is_empty()),
            1 => has(&outcome.err, &["[mutant.ron:"]),
            code => panic!("exits with {code}:\n{:?}\n{text}\n{}", mutant.injuries, outcome.err),
        }
    }
}

/// Files that once went wrong, or could: `0_...` are models, `1_...` are not.
#[test]
fn the_corpus_is_answered_or_explained() {
    let corpus = files(root().join("tests/cli/corpus"), "ron");
    assert!(corpus.len() > 10);
    let workplace = Workplace::new();
    for path in corpus {
        let name = path.file_name().unwrap().to_str().unwrap();
        std::fs::copy(&path, workplace.path("mutant.ron")).unwrap();
        let outcome = workplace.remap("solve mutant.ron --json --time-limit 20");
        let expected = if name.starts_with("0_") { 0 } else { 1 };
        assert_eq!(outcome.code, expected, "{name}:\n{}", outcome.err);
        if expected == 1 {
            has(&outcome.err, &["[mutant.ron:", "help:"]);
        }
    }
}
