//! The words of docs/glossary.md: how often comments and pages use what it says to avoid, and how
//! long sentences are.
//!
//! The limits are what the text had when they were last set. They may be lowered, and are not
//! raised.

use crate::support::prelude::*;

/// Phrases that the glossary replaces, in senses that are hardly ever meant otherwise.
const AVOIDED: &[&str] = &[
    "at rest",
    "to rest",
    "comes to rest",
    "hindsight",
    "clairvoyant",
    "played",
    "plays",
    "outlook",
    "late remap",
    "late remaps",
    "kept slopes",
    "chance",
    "chances",
    "price",
    "complaint",
    "complaints",
    "deck",
    "decks",
    "beside",
    "what is left",
    "rule in use",
    "rules in use",
    "the rule that votes",
];

/// Most uses in comments of the product, and on pages.
const MOST: [usize; 2] = [12, 16];

/// Words from which on a sentence is long, and the largest share of long ones on pages.
const LONG: usize = 35;
const MOST_LONG: f64 = 0.01;

/// The comments of the engine, the command line and the checker.
fn comments() -> String {
    let all = ["src", "solvers", "checker"].map(|folder| files(root().join(folder), "rs"));
    let is_left_out = |file: &std::path::PathBuf| {
        let mut parts = file.strip_prefix(root()).unwrap().iter();
        parts.any(|part| part == "tests" || part == "target")
    };
    let mut text = String::new();
    for file in all.into_iter().flatten().filter(|file| !is_left_out(file)) {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let comment = line.trim_start().strip_prefix("//");
            let comment = comment.or_else(|| line.split_once(" // ").map(|(_, comment)| comment));
            if let Some(comment) = comment {
                text += comment.trim_start_matches(['/', '!']);
                text.push('\n');
            }
        }
    }
    text
}

/// The pages without their code blocks; the glossary itself and the changelog are left out.
fn pages() -> String {
    let mut all = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    all.extend(files(root().join("docs"), "md"));
    let mut text = String::new();
    for file in all.iter().filter(|file| !file.ends_with("glossary.md")) {
        let mut in_code = false;
        for line in std::fs::read_to_string(file).unwrap().lines() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            } else if !in_code {
                // What stands between backquotes is a name.
                let words = line.split('`').step_by(2).collect::<Vec<_>>();
                text += &words.join(" x ");
                text.push('\n');
            }
        }
        text.push_str("\n\n");
    }
    text
}

/// How often a text has each phrase, as whole words.
fn uses(text: &str) -> Vec<(&'static str, usize)> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    let text =
        format!(" {} ", words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" "));
    AVOIDED.iter().map(|phrase| (*phrase, text.matches(&format!(" {phrase} ")).count())).collect()
}

/// The number of words of each sentence; headings, tables and items of lists end sentences.
fn sentences(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for paragraph in text.split("\n\n") {
        let mut words = 0;
        for line in paragraph.lines() {
            let plain = line.trim_start();
            if plain.starts_with(['#', '|', '<']) {
                continue;
            }
            if plain.starts_with("* ") || plain.starts_with("- ") {
                found.push(words);
                words = 0;
            }
            for word in plain.split_whitespace() {
                words += usize::from(word.chars().any(char::is_alphanumeric));
                if word.ends_with(['.', '!', '?', ':']) {
                    found.push(words);
                    words = 0;
                }
            }
        }
        found.push(words);
    }
    found.retain(|words| *words > 0);
    found
}

#[test]
fn avoided_words_become_fewer() {
    for (place, text, most) in [("comments", comments(), MOST[0]), ("pages", pages(), MOST[1])] {
        let uses = uses(&text);
        let all: usize = uses.iter().map(|(_, count)| count).sum();
        assert!(all <= most, "{all} uses of words to avoid in {place}, at most {most}: {uses:?}");
    }
}

#[test]
fn sentences_of_pages_are_short() {
    let words = sentences(&pages());
    let long = words.iter().filter(|words| **words > LONG).count();
    let share = long as f64 / words.len() as f64;
    assert!(share <= MOST_LONG, "{share} of the sentences of pages have more than {LONG} words");
}

#[test]
fn words_and_sentences_are_counted() {
    let found = uses("Beside the point, at rest; besides, a deck of decks.\nAt\nrest.");
    let of = |phrase: &str| found.iter().find(|(own, _)| *own == phrase).unwrap().1;
    assert_eq!(["beside", "at rest", "deck", "decks", "played"].map(of), [1, 2, 1, 1, 0]);
    assert_eq!(
        sentences("# Head\nOne two three. Four\nfive:\n* six\n* seven eight\n\nnine"),
        [3, 2, 1, 2, 1]
    );
}
