//! How much of the checker is to be read for each kind: checker/READING.md lists the files and
//! counts their lines.

use crate::sources::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files that several kinds are read with.
const MULTISETS: &str = "loads::states::multisets";
const JOINT: &str = "loads::states::joint";
const RETURNS: &str = "loads::remaps";
const ENDING: &str = "stopping::ending";
const MOVED: &str = "stopping::moved";
const MAPS: &str = "stopping::maps";
const AVERAGES: &str = "stopping::averages";
const PARTIAL: &str = "stopping::partial";

/// Files that every kind is read with: some of them lead to all kinds.
const SHARED: [&str; 8] = [
    "lib",
    "model",
    "core",
    "core::budget",
    "core::counts",
    "core::decimal",
    "core::proof",
    "core::span",
];

/// Files in which one of several ways is taken, and these.
const FORKS: [(&str, &[&str]); 14] = [
    ("loads", &["loads::chains::affine", "loads::chains::unbounded", "stopping::unbounded"]),
    ("loads::chains::chain", &["loads::chains::affine", "loads::chains::dense"]),
    (RETURNS, &[JOINT]),
    (AVERAGES, &[MOVED, PARTIAL, "stopping::states"]),
    (ENDING, &["stopping::states", "stopping::values"]),
    (MAPS, &["stopping::states", "stopping::uniform"]),
    (PARTIAL, &[JOINT]),
    ("stopping::region", &["stopping::states"]),
    ("stopping::problem", &[JOINT, MULTISETS, "loads::chains::unbounded", MOVED, PARTIAL]),
    ("stopping::unbounded", &["stopping::states"]),
    ("stopping::uniform", &["stopping::states"]),
    (
        "stopping",
        &[
            JOINT,
            MULTISETS,
            "stopping::states",
            AVERAGES,
            ENDING,
            MAPS,
            MOVED,
            PARTIAL,
            "stopping::unbounded",
            "stopping::uniform",
            "stopping::values",
        ],
    ),
    (
        "periodic",
        &[
            "loads::chains::chain",
            "periodic::cheapest",
            "periodic::gammas",
            "periodic::keeping",
            "periodic::levels",
            "periodic::normals",
            "periodic::walks",
        ],
    ),
    ("phase_switching", &["phase_switching::resting"]),
];

/// The files that each of them names, or of which it calls a function that no other file has.
fn leads(files: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut homes = BTreeMap::<&str, BTreeSet<&str>>::new();
    // What is looked up, or said, when all has been proved is not among them.
    let read = files.iter().filter(|(file, _)| {
        !["facts", "making", "shown", "stopping::states"].contains(&file.as_str())
    });
    for (file, text) in read {
        for rest in ["pub fn ", "pub(crate) fn "].iter().flat_map(|start| text.split(start).skip(1))
        {
            homes.entry(rest.split(|c| !is_word(c)).next().unwrap()).or_default().insert(file);
        }
    }
    let named = |text: &str| -> BTreeSet<&str> {
        let paths = text.split("crate::").skip(1).filter_map(|rest| {
            let parts = rest.split("::").map(|part| part.split(|c| !is_word(c)).next().unwrap());
            let parts: Vec<&str> = parts.take(3).collect();
            let file = |count: usize| files.get_key_value(&parts[..count].join("::"));
            (1..=parts.len()).rev().find_map(file).map(|(name, _)| name.as_str())
        });
        paths.collect()
    };
    let called = |text: &str| -> BTreeSet<&str> {
        let own = homes.iter().filter(|(name, homes)| {
            homes.len() == 1
                && [".", "::"].iter().any(|dot| text.contains(&format!("{dot}{name}(")))
        });
        own.flat_map(|(_, homes)| homes.iter().copied()).collect()
    };
    let leads = files.iter().map(|(file, text)| (file.as_str(), &named(text) | &called(text)));
    leads.collect()
}

/// Lines of code: without comments and blank lines.
fn code(text: &str) -> usize {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn one_kind_reads_in_fourteen_hundred_lines_of_code() {
    let files = sources();
    let leads = leads(&files);
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("READING.md");
    let page = std::fs::read_to_string(&documents).unwrap();
    let kinds: [(&str, &[&str]); 26] = [
        ("a change of phase", &["phase_change"]),
        ("a map of stopping", &["stopping", MULTISETS, MAPS]),
        (
            "a map, loads that are multiplied",
            &["stopping", MULTISETS, "loads::chains::affine", MAPS],
        ),
        (
            "a map, chains of all probabilities",
            &["stopping", MULTISETS, "loads::chains::dense", MAPS],
        ),
        ("a map, remaps to random loads", &["stopping", MULTISETS, MAPS, "stopping::uniform"]),
        ("a map, remaps that cost by the units moved", &["stopping", MULTISETS, MAPS, MOVED]),
        ("a map of joint loads", &["stopping", JOINT, MAPS, MOVED]),
        (
            "a map of walks without a highest load",
            &["stopping", MULTISETS, MAPS, "stopping::unbounded"],
        ),
        ("a region of stopping", &["stopping::region"]),
        ("a number of steps, then an end", &["stopping", MULTISETS, ENDING, MOVED]),
        ("the same, going on after a remap", &["stopping", MULTISETS, RETURNS, ENDING, MOVED]),
        ("the same of joint loads", &["stopping", JOINT, RETURNS, ENDING, MOVED]),
        ("an average", &["stopping", MULTISETS, AVERAGES, MOVED]),
        ("an average of joint loads", &["stopping", JOINT, AVERAGES, MOVED]),
        ("an average, remaps of any number of units", &["stopping", MULTISETS, AVERAGES, PARTIAL]),
        (
            "an average of joint loads, remaps of any number of units",
            &["stopping", JOINT, AVERAGES, PARTIAL],
        ),
        ("drifting loads", &["load_drift"]),
        ("recurring phases", &["phase_switching"]),
        ("recurring phases, stationary", &["phase_switching", "phase_switching::resting"]),
        ("any number of phases", &["many_phases", "many_phases::bounds"]),
        ("intervals, steps", &["periodic", "periodic::walks", "periodic::keeping"]),
        ("intervals of least cost", &["periodic", "periodic::walks", "periodic::cheapest"]),
        (
            "intervals, exponential and gamma distributions",
            &["periodic", "periodic::gammas", "periodic::keeping"],
        ),
        ("intervals, a normal distribution", &["periodic", "periodic::normals"]),
        ("intervals, squares", &["periodic", "periodic::keeping"]),
        ("intervals, chains of levels", &["periodic", "periodic::levels"]),
    ];
    let mut rows = Vec::new();
    for (kind, ways) in kinds {
        let mut own: BTreeSet<&str> = ways.iter().copied().collect();
        let mut open = Vec::from_iter(own.iter().copied());
        while let Some(file) = open.pop() {
            let fork =
                FORKS.iter().find(|(name, _)| *name == file).map_or(&[][..], |(_, ways)| ways);
            for next in leads[file].iter().filter(|next| !fork.contains(next)) {
                if !SHARED.contains(next) && own.insert(next) {
                    open.push(next);
                }
            }
        }
        let all = SHARED.iter().chain(&own);
        let lines = all.map(|file| code(&files[*file])).sum::<usize>();
        let list = own.iter().map(|file| format!("`{}`", file.replace("::", "/")));
        rows.push((format!("| {kind} | {} | {lines} |", Vec::from_iter(list).join(", ")), lines));
    }
    let table = Vec::from_iter(rows.iter().map(|(row, _)| row.as_str())).join("\n");
    assert!(rows.iter().all(|(_, lines)| *lines < 1400), "\n{table}");
    let head = "| --- | --- | --- |\n";
    let (before, after) = page.split_once(head).expect("a table of the kinds");
    let (written, after) = after.split_once("\n\n").expect("more after the table");
    if written != table && std::env::var_os("REMAP_UPDATE_DOCUMENTS").is_some() {
        std::fs::write(documents, format!("{before}{head}{table}\n\n{after}")).unwrap();
        return;
    }
    assert!(written == table, "checker/READING.md is to have (REMAP_UPDATE_DOCUMENTS=1)\n{table}");
}
