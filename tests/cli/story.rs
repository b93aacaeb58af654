//! From a trace to a decision inside a code: the six commands of the README, and what they print.

use crate::languages::{is_there, skipped};
use crate::workplace::Workplace;
use std::path::Path;
use std::process::Command;

/// The lines of the story: a command, and what it prints.
fn story(readme: &str) -> Vec<(String, String)> {
    let (_, section) =
        readme.split_once("## From your own logs").expect("the README has the story");
    let (_, block) = section.split_once("```\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let mut story: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => story.push((command.to_owned(), String::new())),
            None if line.is_empty() => {}
            None => {
                let (_, out) = story.last_mut().expect("a command comes first");
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    story
}

/// Without what differs from run to run and machine to machine: seconds, and the size of the page, which
/// holds as many policies as could be played in time.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once(", ") {
        Some((before, after)) if after.ends_with(" s") => before.to_owned() + "\n",
        _ => match line.split_once(" KiB, ") {
            Some(_) => "a page\n".to_owned(),
            None => line.trim_end().to_owned() + "\n",
        },
    };
    text.lines().filter(|line| !line.is_empty()).map(line).collect()
}

#[test]
fn the_readme_tells_the_story_as_it_goes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let story = story(&readme);
    let verbs = ["simulate", "fit", "solve", "replay", "export", "cc", "report"];
    assert_eq!(story.len(), verbs.len());
    let place = Workplace::new();
    std::fs::create_dir_all(place.path("models/load_drift")).unwrap();
    let model = "models/load_drift/four_walks.ron";
    std::fs::copy(root.join(model), place.path(model)).unwrap();
    for ((command, expected), verb) in story.iter().zip(verbs) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let Some(("remap", arguments)) = words.split_first().map(|(first, rest)| (*first, rest))
        else {
            assert_eq!(verb, "cc", "{command}");
            if is_there("cc") {
                place.write("main.c", "#include \"remap_policy.h\"\nint main(void) { return remap_now(1, 9.0, 1.0) != 1; }\n");
                let built = Command::new("cc").args(&words[1..]).current_dir(place.root()).status();
                assert!(built.unwrap().success(), "{command}");
                assert!(Command::new(place.path("main")).status().unwrap().success());
            } else {
                skipped("cc");
            }
            continue;
        };
        assert_eq!(arguments[0], verb, "{command}");
        let outcome = place.run(arguments).exits(0);
        assert_eq!(timeless(&outcome.out), timeless(expected), "$ {command}");
    }
    let page = place.read("report.html");
    assert!(page.contains("<svg") && page.contains("type=\"range\""));
}
