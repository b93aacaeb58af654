//! Every command that the README and the pages under `docs/` show, and what it prints.
//!
//! Blocks that open with `console` are run one after the other, each page in a folder of its own;
//! blocks that open with `console slow` only by `cargo test -p remapping-cli --test cli --
//! --ignored documents`. Blocks that name a file, as in "```c main.c", are that file. In what is
//! shown, a line that says `...` stands for any lines. With `REMAP_UPDATE_DOCUMENTS=1` the pages
//! are rewritten with what the commands print now.

use crate::support::languages::{is_there, skipped};
use crate::support::prelude::*;
use std::path::Path;
use std::process::Command;

/// A piece of a page: a fenced block with its heading words, or the lines between blocks.
struct Piece {
    heading: Option<String>,
    lines: Vec<String>,
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece { heading: None, lines: Vec::new() }];
    for line in text.lines() {
        let last = pieces.last_mut().expect("there is one");
        match line.strip_prefix("```") {
            Some(words) if last.heading.is_none() => {
                pieces.push(Piece { heading: Some(words.to_owned()), lines: Vec::new() });
            }
            Some(_) => pieces.push(Piece { heading: None, lines: Vec::new() }),
            None => last.lines.push(line.to_owned()),
        }
    }
    pieces
}

fn joined(pieces: &[Piece]) -> String {
    let text = |piece: &Piece| {
        let lines: String = piece.lines.iter().map(|line| format!("{line}\n")).collect();
        match &piece.heading {
            Some(heading) => format!("```{heading}\n{lines}```\n"),
            None => lines,
        }
    };
    pieces.iter().map(text).collect()
}

/// The commands of a block, each with the lines shown below it.
fn commands(lines: &[String]) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
            (None, Some((command, shown))) if shown.is_empty() && command.ends_with('\\') => {
                command.push('\n');
                command.push_str(line);
            }
            (None, Some((_, shown))) => shown.push(line.clone()),
            (None, None) => panic!("{line:?} is no command"),
        }
    }
    commands
}

/// Without what differs from run to run and machine to machine: seconds, and the size of a page,
/// which holds as many policies as could be played in time.
fn timeless(line: &str) -> String {
    match (line.rsplit_once(", "), line.split_once(" KiB, ")) {
        (Some((before, after)), _) if after.ends_with(" s") => before.to_owned(),
        (_, Some(_)) => "a page".to_owned(),
        _ => line.trim_end().to_owned(),
    }
}

/// Whether the lines are those shown, in which `...` stands for any.
fn agree(shown: &[String], printed: &[String]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first.trim() == "..." => {
            (0..=printed.len()).any(|skipped| agree(rest, &printed[skipped..]))
        }
        (Some((one, shown)), Some((other, printed))) => one == other && agree(shown, printed),
        _ => false,
    }
}

fn run_page(root: &Path, page: &str, slow: bool) {
    let place = Workplace::new();
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("models"), place.path("models")).unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_remap")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path)));
    let path = path.unwrap();
    let text = std::fs::read_to_string(root.join(page)).unwrap();
    let mut pieces = pieces(&text);
    for piece in &mut pieces {
        let words: Vec<&str> =
            piece.heading.as_deref().unwrap_or_default().split_whitespace().collect();
        match words[..] {
            ["console"] => {}
            ["console", "slow"] if slow => {}
            [_, file] if file.contains('.') => {
                place.write(file, piece.lines.join("\n") + "\n");
                continue;
            }
            _ => continue,
        }
        let mut after = Vec::new();
        for (command, shown) in commands(&piece.lines) {
            let run = command.replace("cargo run --release -- ", "remap ");
            if run.starts_with("cc ") && !is_there("cc") {
                skipped("cc");
                continue;
            }
            let output = Command::new("sh")
                .args(["-c", &run])
                .current_dir(place.root())
                .env("PATH", &path)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{page}: $ {command}\n{said}");
            let out = String::from_utf8(output.stdout).unwrap();
            let lines = |lines: &[String]| -> Vec<String> {
                let lines = lines.iter().map(|line| timeless(line));
                lines.filter(|line| !line.is_empty()).collect()
            };
            let printed: Vec<String> = out.lines().map(str::to_owned).collect();
            let same = agree(&lines(&shown), &lines(&printed));
            let update = std::env::var_os(UPDATE).is_some();
            assert!(
                same || update,
                "{page} does not show what this prints:\n$ {command}\n{out}\n{said}"
            );
            after.extend(format!("$ {command}").lines().map(str::to_owned));
            after.extend(if same { shown } else { printed });
        }
        piece.lines = after;
    }
    let after = joined(&pieces);
    if after.trim_end() != text.trim_end() {
        std::fs::write(root.join(page), after).unwrap();
    }
}

/// The README and all pages of `docs/`.
fn pages(root: &Path) -> Vec<String> {
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/guide", "docs/decisions"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                pages.push(format!("{folder}/{name}"));
            }
        }
    }
    pages.sort();
    pages
}

/// Set where pages are written anew.
const UPDATE: &str = "REMAP_UPDATE_DOCUMENTS";

/// Pages whose commands take many seconds.
const LONG: [&str; 3] = ["docs/guide/activity-mesh.md", "docs/guide/logs.md", "docs/many-ranks.md"];

#[cfg(unix)]
#[test]
fn pages_show_what_their_commands_print() {
    let root = root();
    let all = thorough() || std::env::var_os(UPDATE).is_some();
    let mut pages = pages(&root);
    pages.retain(|page| all || !LONG.contains(&page.as_str()));
    pages.iter().for_each(|page| run_page(&root, page, false));
}

#[cfg(unix)]
#[test]
#[ignore = "minutes; cargo test -p remapping-cli --test cli -- --ignored documents"]
fn pages_show_what_their_slow_commands_print() {
    let root = root();
    pages(&root).iter().for_each(|page| run_page(&root, page, true));
}

/// Links of pages to files of this repository, and the length of the first one.
#[test]
fn pages_lead_somewhere() {
    let root = root();
    for page in pages(&root) {
        let text = std::fs::read_to_string(root.join(&page)).unwrap();
        let folder = root.join(&page).parent().unwrap().to_owned();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if !file.is_empty() && !file.contains("://") {
                assert!(folder.join(file).exists(), "{page} links to {link}");
            }
        }
    }
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.lines().count() <= 120, "the README is a first page");
}

#[test]
fn the_index_of_decisions_lists_every_page() {
    let folder = root().join("docs/decisions");
    let index = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let listed = index.contains(&format!("]({name})"));
        assert!(listed || name == "README.md", "the index of decisions lacks {name}");
    }
}
