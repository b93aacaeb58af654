//! Damaged model files: an answer or an explanation with its place, never a panic, never a hang.

use crate::thorough::samples;
use crate::workplace::Workplace;
use rayon::prelude::*;
use remap::commands::told;
use remap::problems::registry::{Loaded, Problem};
use remap::problems::{self, Files, Settings};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// SplitMix64: the same mutants everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "0.5",
    "1.0",
    "2",
    "-0.0",
    "1e-9",
    "1e308",
    "1e309",
    "-1e999",
    "1e-400",
    "NaN",
    "inf",
    "-inf",
    "0x1f",
    "1_000",
    "_1",
    "1.",
    ".5",
    "1e",
    "1e5",
    "99999999999999999999",
    "1000000",
    "1000001",
    "18446744073709551615",
    "4294967296",
    "0.1000000000000000055511151231257827",
    "1u8",
];

const SNIPPETS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "r#\"",
    "b\"",
    "#![",
    "\\",
    "\0",
    "\u{1b}",
    "\u{feff}",
    "\u{2028}",
    "é",
    "Some(",
    "None",
    "()",
    "Fixed(3)",
    "Pmf({0: 1})",
    "PerStep([0.1])",
    "Keep(before_remapped: 1.5)",
    "Uniform(first: 0, last: 3)",
    "title: \"x\",",
    "Geometric(rate: 0.1, first: 0, last: 30)",
    "\n",
    "\t",
    "=",
    ";",
    "..",
    "-",
    "+",
    "_",
    "r#a",
];

/// Where words, numbers and signs begin and end.
fn tokens(bytes: &[u8]) -> Vec<(usize, usize)> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b"_.+-".contains(&b);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let mut end = at + 1;
        while word(bytes[at]) && end < bytes.len() && word(bytes[end]) {
            end += 1;
        }
        if !bytes[at].is_ascii_whitespace() {
            found.push((at, end));
        }
        at = end;
    }
    found
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let tokens = tokens(bytes);
    let place = random.below(bytes.len());
    let length = (1 + random.below(40)).min(bytes.len() - place);
    match random.below(10) {
        0 => bytes[place] ^= 1 << random.below(8),
        1 => bytes[place] = random.next() as u8,
        2 => drop(bytes.drain(place..place + length)),
        3 => {
            let copy = bytes[place..place + length].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        4 if random.below(4) == 0 => bytes.truncate(place),
        4 | 5 => {
            let snippet = random.pick(SNIPPETS).bytes();
            bytes.splice(place..place, snippet);
        }
        6 if !tokens.is_empty() => {
            let (a, b) = (*random.pick(&tokens), *random.pick(&tokens));
            let (first, second) = (a.min(b), a.max(b));
            if first.1 <= second.0 {
                let (left, right) =
                    (bytes[first.0..first.1].to_vec(), bytes[second.0..second.1].to_vec());
                bytes.splice(second.0..second.1, left);
                bytes.splice(first.0..first.1, right);
            }
        }
        7 if !tokens.is_empty() => {
            let (start, end) = *random.pick(&tokens);
            let with = random.pick(SNIPPETS).bytes();
            bytes.splice(start..end, with);
        }
        _ => {
            let numeric = |(start, _): &&(usize, usize)| bytes[*start].is_ascii_digit();
            let numbers: Vec<_> = tokens.iter().filter(numeric).copied().collect();
            if !numbers.is_empty() {
                let (start, end) = *random.pick(&numbers);
                let with = random.pick(NUMBERS).bytes();
                bytes.splice(start..end, with);
            }
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "ron") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// All decks, and some small models that use the rest of the language.
fn originals() -> Vec<Vec<u8>> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut originals: Vec<_> =
        files(&repository.join("models")).iter().map(|path| std::fs::read(path).unwrap()).collect();
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

fn mutant(originals: &[Vec<u8>], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = random.pick(originals).clone();
    for _ in 0..1 + random.below(3) {
        mutate(&mut bytes, &mut random);
    }
    bytes
}

/// Long for a mutant, even on a busy machine.
const PATIENCE: f64 = 30.0;

#[test]
fn ten_thousand_mutants_are_answered_or_explained() {
    let originals = originals();
    let settings = Settings { tolerance: 1e-6, time_limit: Some(0.02), ..Settings::default() };
    let mutants = samples(10_000_u64);
    let ends: Vec<bool> = (0..mutants)
        .into_par_iter()
        .map(|seed| {
            let bytes = mutant(&originals, seed);
            let started = Instant::now();
            let loaded = Loaded::from_bytes(Path::new("mutant.ron"), bytes.clone());
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
            let text = String::from_utf8_lossy(&bytes);
            assert!(seconds < PATIENCE, "seed {seed} took {seconds} s:\n{text}");
            for complaint in solved.as_ref().err().into_iter().flatten() {
                let told = told(complaint);
                let placed = told.contains("[mutant.ron:") || told.contains("more faults");
                assert!(placed && told.contains("help:"), "seed {seed}:\n{told}\n{text}");
                assert!(!told.contains(['\0', '\u{1b}']), "seed {seed}:\n{told}");
                assert!(told.len() < 5000, "seed {seed}: {} bytes\n{text}", told.len());
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
    let originals = originals();
    let workplace = Workplace::new();
    for seed in 20_000..20_000 + samples(150) {
        workplace.write("mutant.ron", mutant(&originals, seed));
        let outcome = workplace.run(&["check", "mutant.ron"]);
        match outcome.code {
            0 => assert!(!outcome.out.is_empty()),
            1 => assert!(outcome.err.contains("[mutant.ron:"), "seed {seed}:\n{}", outcome.err),
            code => panic!("seed {seed} exits with {code}:\n{}", outcome.err),
        }
    }
}

/// Files that once went wrong, or could: `0_...` are models, `1_...` are not.
#[test]
fn the_corpus_is_answered_or_explained() {
    let corpus = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/corpus"));
    assert!(corpus.len() > 10);
    let workplace = Workplace::new();
    for path in corpus {
        let name = path.file_name().unwrap().to_str().unwrap();
        std::fs::copy(&path, workplace.path("mutant.ron")).unwrap();
        let limited = ["solve", "mutant.ron", "--json", "--time-limit", "20"];
        let outcome = workplace.run(&limited);
        let expected = if name.starts_with("0_") { 0 } else { 1 };
        assert_eq!(outcome.code, expected, "{name}:\n{}", outcome.err);
        if expected == 1 {
            let placed = outcome.err.contains("[mutant.ron:") && outcome.err.contains("help:");
            assert!(placed, "{name}:\n{}", outcome.err);
        }
    }
}
