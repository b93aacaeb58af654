//! The house: which module may import which. Arrows go down, and never in a circle.

use crate::support::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Stands in a list for the modules that are on none: new kinds of problem.
const OTHERS: &str = "*";

/// The floors of the command line, from the ground up. A module imports from its own floor and
/// below.
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
        "kept",
        "machine",
        "observer",
        "overlap",
        "parallel",
        "random",
        "rounding",
    ],
    &["belief", "chain", "concave", "imbalance", "distribution", "lifetime", "record"],
    &["periodic", "phase_change"],
    &["fit", "many_phases", "policy", "simulate", "phase_switching", "two_phase"],
    &["load_drift", "learning", "activity_mesh", "monitor", "replay", "stopping"],
    &["continuous_drift", "controller", OTHERS],
];

/// The floors of the checker; its core knows no kind of problem.
const CHECKER: &[&[&str]] = &[
    &["core"],
    &["detector", "lifetime", "loads"],
    &[OTHERS],
    &["facts", "making", "model", "shown"],
    &["tests"],
];

/// What each module at the top of a crate imports, with a file that does.
type Arrows = BTreeMap<String, BTreeMap<String, PathBuf>>;

/// The paths in the code of the module `here`, from the root of its crate; a path that starts with
/// any other name is taken to start in `here`.
fn paths(text: &str, here: &[String]) -> BTreeSet<Vec<String>> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    let code = code.collect::<Vec<_>>().join("\n");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = BTreeSet::new();
    let mut end = 0;
    for (at, _) in code.match_indices("::") {
        let start = code[..at].rfind(|c| !is_word(c)).map_or(0, |before| before + 1);
        if at >= end && start < at {
            end = code.len() - expand(&code[start..], Vec::new(), &mut found).len();
        }
    }
    let whole = |path: Vec<String>| {
        let up = path.iter().take_while(|name| *name == "super").count();
        let (base, names) = match path[0].as_str() {
            "crate" => (&[][..], &path[1..]),
            "self" => (here, &path[1..]),
            _ => (&here[..here.len().saturating_sub(up)], &path[up..]),
        };
        [base, names].concat()
    };
    found.into_iter().map(whole).collect()
}

/// Adds the paths that start at the beginning of `text` after those names, one for each name in
/// braces. Returns what follows them.
fn expand<'a>(text: &'a str, mut names: Vec<String>, found: &mut BTreeSet<Vec<String>>) -> &'a str {
    let mut rest = text.trim_start();
    if let Some(list) = rest.strip_prefix('{') {
        rest = list.trim_start();
        while !rest.is_empty() && !rest.starts_with('}') {
            let after = expand(rest, names.clone(), found).trim_start();
            rest = after.strip_prefix(',').unwrap_or(after).trim_start();
            if after.starts_with(|c| c != ',' && c != '}') {
                // Renamed with `as`, or no list of paths.
                rest = &after[after.find([',', '}']).unwrap_or(after.len())..];
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
        }
        return rest.strip_prefix('}').unwrap_or(rest);
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    names.push(rest[..end].to_owned());
    rest = &rest[end..];
    match rest.strip_prefix("::") {
        Some(next) => expand(next, names, found),
        None => {
            found.insert(names);
            rest
        }
    }
}

/// The modules at the top of the crate that the code in `text` of the module `here` reaches.
fn reached(text: &str, here: &[String]) -> BTreeSet<String> {
    paths(text, here).into_iter().filter_map(|path| path.into_iter().next()).collect()
}

/// The path of the module that a file of the crate in `folder` holds; none for its root.
fn module(folder: &Path, file: &Path) -> Vec<String> {
    let place = file.strip_prefix(folder).unwrap().with_extension("");
    let mut path: Vec<String> =
        place.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if path.last().is_some_and(|name| name == "mod") || path == ["lib"] || path == ["main"] {
        path.pop();
    }
    path
}

/// What each file of the crate in `folder` imports, by module; the root of the crate is `crate`.
fn arrows_of_files(folder: &Path) -> Arrows {
    let files =
        files(folder, "rs").into_iter().filter(|file| !file.starts_with(folder.join("tests")));
    let files: Vec<(Vec<String>, PathBuf)> =
        files.map(|file| (module(folder, &file), file)).collect();
    let name = |path: &[String]| [&["crate".to_owned()], path].concat().join("::");
    let mut all = Arrows::new();
    for (here, file) in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for path in paths(&text, here) {
            let above = files.iter().filter(|(other, _)| path.starts_with(other));
            let Some((to, _)) = above.max_by_key(|(other, _)| other.len()) else { continue };
            if to != here {
                all.entry(name(here)).or_default().entry(name(to)).or_insert(file.clone());
            }
        }
    }
    all
}

/// The largest circle of imports.
fn largest_circle(arrows: &Arrows) -> Vec<String> {
    let all: BTreeMap<&String, BTreeSet<String>> =
        arrows.keys().map(|from| (from, below(arrows, from))).collect();
    let circle = |(from, reached): (&&String, &BTreeSet<String>)| -> Vec<String> {
        let back = |to: &&String| all.get(to).is_some_and(|reached| reached.contains(*from));
        reached.iter().filter(back).cloned().collect()
    };
    all.iter().map(circle).max_by_key(Vec::len).unwrap_or_default()
}

/// The floor of a module, from the ground.
fn floor(module: &str, floors: &[&[&str]]) -> Option<usize> {
    let on = |name: &str| floors.iter().position(|floor| floor.contains(&name));
    on(module).or_else(|| on(OTHERS))
}

fn arrows(folder: &Path, floors: &[&[&str]]) -> Arrows {
    let files = files(folder, "rs").into_iter().map(|file| (module(folder, &file), file));
    let files: Vec<_> = files.filter(|(path, _)| !path.is_empty()).collect();
    let known: BTreeSet<String> = files.iter().map(|(path, _)| path[0].clone()).collect();
    let mut all = Arrows::new();
    for (path, file) in files {
        assert!(floor(&path[0], floors).is_some(), "{} is on no floor", file.display());
        let text = std::fs::read_to_string(&file).unwrap();
        for other in reached(&text, &path) {
            if other != path[0] && known.contains(&other) {
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
    let mut faults = Vec::new();
    for (from, others) in arrows {
        for (to, file) in others {
            if floor(to, floors) > floor(from, floors) {
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

/// The checker is read file by file: a reader follows no circle of more than four.
#[test]
fn files_of_the_checker_are_in_no_large_circle() {
    let circle = largest_circle(&arrows_of_files(&root().join("checker")));
    assert!(circle.len() <= 4, "a circle of imports: {circle:?}");
}

/// The library of arguments ends where commands begin.
#[test]
fn only_the_command_line_knows_clap() {
    let folder = root().join("solvers");
    for file in files(&folder, "rs") {
        let place = file.strip_prefix(&folder).unwrap();
        let allowed = ["cli", "commands", "main.rs"].iter().any(|part| place.starts_with(part));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(allowed || !text.contains("clap"), "{} knows clap", file.display());
    }
}

#[test]
fn upward_imports_and_circles_show() {
    let floors: &[&[&str]] = &[&["ground", "cellar"], &["hall", OTHERS], &["roof"]];
    assert_eq!(["cellar", "new", "roof"].map(|name| floor(name, floors)), [0, 1, 2].map(Some));
    assert_eq!(floor("new", &floors[2..]), None);
    let module = |path: &str| Vec::from_iter(path.split("::").map(str::to_owned));
    let here = |text: &str, path| Vec::from_iter(reached(text, &module(path)));
    assert_eq!(
        here("use crate::{roof::{a, b}, cellar as x};\n// crate::attic", "a"),
        ["cellar", "roof"]
    );
    assert_eq!(here("fn f() { super::super::roof::g() }", "a::b"), ["roof"]);
    assert_eq!(
        here("use super::roof::h; let x = super::super::ground::y;", "a::b"),
        ["a", "ground"]
    );
    let files = paths("use crate::{a::{self, b::C}, d}; fn f() { e::g() }", &module("h"));
    let files = Vec::from_iter(files.iter().map(|path| path.join("::")));
    assert_eq!(files, ["a::b::C", "a::self", "d", "h::e::g"]);
    let arrow =
        |from: &str, to: &str| (from.to_owned(), BTreeMap::from([(to.to_owned(), PathBuf::new())]));
    let up = Arrows::from([arrow("ground", "roof")]);
    assert_eq!(faults(&up, floors).len(), 1);
    let circle = Arrows::from([arrow("ground", "cellar"), arrow("cellar", "ground")]);
    assert_eq!(faults(&circle, floors).len(), 2);
    assert_eq!(largest_circle(&circle), ["cellar", "ground"]);
    assert_eq!(largest_circle(&up), Vec::<String>::new());
}
