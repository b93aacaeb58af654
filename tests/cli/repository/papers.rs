//! `docs/papers.md`: its tables are read, and their commands run.

use crate::support::prelude::*;
use std::collections::HashMap;
use std::process::Command;

/// A row of a table.
struct Row {
    text: String,
    /// What is run, and whether it takes long; `None` is not built.
    command: Option<(String, bool)>,
    /// What stands in the output.
    said: Vec<String>,
}

/// The pieces of a cell between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(|piece| piece.replace("\\|", "|")).collect()
}

fn cells(line: &str) -> Vec<String> {
    let line = line.replace("\\|", "\0");
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| cell.trim().replace('\0', "\\|")).collect()
}

/// The rows of the tables, with the paper they belong to.
fn rows() -> Vec<(String, Row)> {
    let text = std::fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let (mut paper, mut rows) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            paper = heading.split(']').next().unwrap().trim_start_matches('[').to_owned();
        }
        if !line.starts_with('|') || line.starts_with("|---") || line.starts_with("| what ") {
            continue;
        }
        let cells = cells(line);
        assert_eq!(cells.len(), 4, "{line}");
        let command = match quoted(&cells[2]).as_slice() {
            [] if cells[2] == "not built" => None,
            [command] if command.starts_with("remap ") => {
                let after = cells[2].rsplit('`').next().unwrap().trim();
                assert!(after.is_empty() || after == "slow", "{line}");
                Some((command.clone(), after == "slow"))
            }
            _ => panic!("neither a command nor `not built`: {line}"),
        };
        rows.push((paper.clone(), Row { text: line.to_owned(), command, said: quoted(&cells[3]) }));
    }
    rows
}

/// Commands that take seconds.
const LONG: [&str; 5] = [
    "remap solve models/periodic/capacities.ron",
    "remap study models/studies/minima.ron",
    "remap study models/studies/table_iii.ron",
    "remap sweep models/periodic/table1.ron --set problem.bound=0.05:0.14:0.01 --simulate 6000",
    "remap sweep models/periodic/table2.ron --set problem.bound=0.01:0.09:0.01",
];

fn run(slow: bool) {
    let place = Workplace::new();
    #[cfg(unix)]
    std::os::unix::fs::symlink(root().join("models"), place.path("models")).unwrap();
    let mut outputs: HashMap<String, String> = HashMap::new();
    for (_, row) in rows() {
        let Some((command, takes_long)) = &row.command else { continue };
        if *takes_long != slow || !thorough() && LONG.contains(&command.as_str()) {
            continue;
        }
        let output = outputs.entry(command.clone()).or_insert_with(|| {
            let output = Command::new(env!("CARGO_BIN_EXE_remap"))
                .args(command.split_whitespace().skip(1))
                .current_dir(place.root())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command}: {said}");
            String::from_utf8(output.stdout).unwrap()
        });
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for said in row.said.iter().filter(|said| !said.starts_with("remap ")) {
            let found = words(output).contains(&words(said));
            assert!(found, "{said:?} is not in what this row's command prints: {}", row.text);
        }
    }
    assert!(outputs.len() > 5);
    let commands: Vec<String> =
        rows().into_iter().filter_map(|(_, row)| Some(row.command?.0)).collect();
    assert!(LONG.iter().all(|long| commands.iter().any(|command| command == long)));
}

#[test]
fn rows_show_what_their_commands_print() {
    run(false);
}

#[test]
#[ignore = "minutes; cargo test --test cli papers -- --ignored"]
fn rows_show_what_their_slow_commands_print() {
    run(true);
}

/// Every numbered theorem, lemma, table and figure has a row with its paper.
#[test]
fn nothing_of_the_papers_is_without_a_row() {
    let rows = rows();
    let numbered = [
        ("NRS86", "Fig.", vec!["1a", "1b", "2", "3", "4", "5"]),
        ("NRS86", "Table", vec!["II", "III"]),
        ("NR86", "Lemma", vec!["4", "5"]),
        ("NR86", "Table", vec!["III", "IV"]),
        ("NR90", "Fig.", vec!["2", "3", "4", "5", "6", "7", "8"]),
        ("NR90", "Lemma", vec!["1", "A-1", "A-2", "A-3"]),
        ("YXW03", "Fig.", vec!["3", "4", "5"]),
        ("YXW03", "Lemma", vec!["4.1", "4.2"]),
        ("YXW03", "Proposition", vec!["4.6"]),
        ("FXW03", "Fig.", vec!["2", "3", "4", "5", "6", "7", "8"]),
        ("FXW03", "Table", vec!["1", "2", "3"]),
        ("FXW03", "Theorem", vec!["4.1", "4.2", "4.3", "5.1", "6.1"]),
    ];
    for (paper, kind, numbers) in numbered {
        for number in numbers {
            let name = format!("{kind} {number}");
            let is_named = |text: &str| {
                text.match_indices(&name).any(|(at, _)| {
                    !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
                })
            };
            let found = rows.iter().any(|(of, row)| of == paper && is_named(&row.text));
            assert!(found, "{paper} has no row for {name}");
        }
    }
}
