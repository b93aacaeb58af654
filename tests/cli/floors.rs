//! The house: which module may import which. Arrows go down, and never in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The floors of the command line, from the ground up. A module imports from its own floor and below.
const SOLVERS: &[&[&str]] = &[
    &[
        "archive",
        "checkpoint",
        "complaint",
        "measurements",
        "memory",
        "output",
        "plot",
        "records",
        "run",
    ],
    &["document"],
    &["fitting", "logs", "model", "replaying"],
    &["proving", "text"],
    &["problems"],
    &["export", "render", "report", "study", "verify"],
    &["cli", "commands"],
];

/// The floors of the engine.
const ENGINE: &[&[&str]] = &[
    &[
        "bounds",
        "communicator",
        "decimal",
        "estimate",
        "machine",
        "observer",
        "overlap",
        "random",
        "rounding",
    ],
    &["belief", "chain", "concave", "imbalance", "distribution", "lifetime", "record"],
    &["periodic", "phase_change"],
    &["fit", "many_phases", "policy", "simulate", "phase_switching"],
    &["load_drift", "learning", "activity_mesh", "monitor", "replay", "stopping"],
    &["continuous_drift", "controller"],
];

/// The floors of the checker; its core knows no kind of problem.
const CHECKER: &[&[&str]] = &[
    &["core"],
    &["detector", "lifetime", "loads"],
    &["load_drift", "many_phases", "periodic", "phase_change", "phase_switching", "stopping"],
    &["facts", "making", "model", "shown"],
    &["tests"],
];

/// What each module at the top of a crate imports, with a file that does.
type Arrows = BTreeMap<String, BTreeMap<String, PathBuf>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The modules that the code in `text` reaches from the root of its crate; `depth` modules lie above it.
fn reached(text: &str, depth: usize) -> BTreeSet<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let code = code.collect::<Vec<_>>().join("\n");
    let up = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for root in ["crate::", up.as_str()].into_iter().filter(|root| !root.is_empty()) {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            found.extend(names(&code[at + root.len()..]));
        }
    }
    found
}

/// The first names of a path, or of the paths in braces.
fn names(rest: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(list) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.push(word(&list[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(word(&list[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

fn arrows(folder: &Path, floors: &[&[&str]]) -> Arrows {
    let known: BTreeSet<&str> = floors.iter().flat_map(|floor| floor.iter().copied()).collect();
    let mut all = Arrows::new();
    for file in sources(folder) {
        let place = file.strip_prefix(folder).unwrap().with_extension("");
        let mut path: Vec<String> =
            place.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if path.last().is_some_and(|name| name == "mod") {
            path.pop();
        }
        if ["lib", "main"].contains(&path[0].as_str()) {
            continue;
        }
        assert!(known.contains(path[0].as_str()), "{} is on no floor", file.display());
        let text = std::fs::read_to_string(&file).unwrap();
        for other in reached(&text, path.len()) {
            if other != path[0] && known.contains(other.as_str()) {
                all.entry(path[0].clone()).or_default().entry(other).or_insert(file.clone());
            }
        }
    }
    all
}

/// The modules that can be reached from `start`, one arrow or more away.
fn below(arrows: &Arrows, start: &str) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
    while let Some(module) = open.pop() {
        for next in arrows.get(&module).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// What is wrong with the arrows, a line each.
fn faults(arrows: &Arrows, floors: &[&[&str]]) -> Vec<String> {
    let floor = |module: &str| floors.iter().position(|floor| floor.contains(&module));
    let mut faults = Vec::new();
    for (from, others) in arrows {
        for (to, file) in others {
            if floor(to) > floor(from) {
                faults.push(format!("{from} imports upward from {to}: {}", file.display()));
            }
        }
        if below(arrows, from).contains(from) {
            faults.push(format!("{from} is in a circle of imports"));
        }
    }
    faults
}

#[test]
fn imports_of_the_command_line_go_down() {
    let arrows = arrows(&root().join("solvers"), SOLVERS);
    assert_eq!(faults(&arrows, SOLVERS), Vec::<String>::new());
    for (from, others) in &arrows {
        assert!(!others.contains_key("commands"), "{from} imports commands");
    }
}

#[test]
fn imports_of_the_engine_go_down() {
    let arrows = arrows(&root().join("src"), ENGINE);
    assert_eq!(faults(&arrows, ENGINE), Vec::<String>::new());
}

#[test]
fn imports_of_the_checker_go_down() {
    let arrows = arrows(&root().join("checker"), CHECKER);
    assert_eq!(faults(&arrows, CHECKER), Vec::<String>::new());
}

/// The library of arguments ends where commands begin.
#[test]
fn only_the_command_line_knows_clap() {
    let folder = root().join("solvers");
    for file in sources(&folder) {
        let place = file.strip_prefix(&folder).unwrap();
        let allowed = ["cli", "commands", "main.rs"].iter().any(|part| place.starts_with(part));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(allowed || !text.contains("clap"), "{} knows clap", file.display());
    }
}

#[test]
fn upward_imports_and_circles_show() {
    let floors: &[&[&str]] = &[&["ground", "cellar"], &["roof"]];
    let here = |text: &str, depth| reached(text, depth).into_iter().collect::<Vec<_>>();
    assert_eq!(here("use crate::{roof::{a, b}, cellar};\n// crate::attic", 1), ["cellar", "roof"]);
    assert_eq!(here("fn f() { super::super::roof::g() }", 2), ["roof"]);
    assert_eq!(here("use super::roof; let x = super::super::ground::y;", 2), ["ground"]);
    let arrow =
        |from: &str, to: &str| (from.to_owned(), BTreeMap::from([(to.to_owned(), PathBuf::new())]));
    let up = Arrows::from([arrow("ground", "roof")]);
    assert_eq!(faults(&up, floors).len(), 1);
    let circle = Arrows::from([arrow("ground", "cellar"), arrow("cellar", "ground")]);
    assert_eq!(faults(&circle, floors).len(), 2);
}
