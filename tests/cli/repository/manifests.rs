//! What the manifests name is used: no dependency that nobody imports.

use crate::support::prelude::*;
use std::collections::BTreeSet;
use std::fs;

/// The members of the workspace, and where their sources are.
const MEMBERS: &[(&str, &[&str])] = &[
    ("Cargo.toml", &["src", "examples"]),
    ("benches/Cargo.toml", &["benches"]),
    ("checker/Cargo.toml", &["checker"]),
    ("cluster/Cargo.toml", &["cluster"]),
    ("solvers/Cargo.toml", &["solvers", "tests/cli", "tests/families", "tests/papers"]),
    ("tests/lemmas/Cargo.toml", &["tests/lemmas", "tests/families"]),
];

/// The names in the tables of `manifest` whose headings end in `dependencies]`.
fn dependencies(manifest: &str) -> BTreeSet<(String, String)> {
    let (mut heading, mut found) = ("", BTreeSet::new());
    for line in manifest.lines() {
        if line.starts_with('[') {
            heading = line;
        } else if heading.ends_with("dependencies]")
            && let Some((name, _)) = line.split_once([' ', '.', '='])
        {
            found.insert((heading.to_owned(), name.trim().to_owned()));
        }
    }
    found
}

fn names(code: &str, name: &str) -> bool {
    let name = name.replace('-', "_");
    code.match_indices(&name).any(|(at, _)| {
        let before = code[..at].chars().next_back().unwrap_or(' ');
        let after = &code[at + name.len()..];
        let whole = !(before.is_alphanumeric() || before == '_' || before == '.');
        whole && (after.starts_with("::") || after.starts_with(';') || after.starts_with('!'))
    })
}

#[test]
fn every_dependency_is_used() {
    let mut named = BTreeSet::new();
    for (manifest, folders) in MEMBERS {
        let text = fs::read_to_string(root().join(manifest)).unwrap();
        let all = folders.iter().flat_map(|folder| files(root().join(folder), "rs"));
        let code: String = all.map(|file| fs::read_to_string(file).unwrap()).collect();
        let listed = dependencies(&text);
        assert!(listed.len() > 2, "{manifest}: {listed:?}");
        for (heading, name) in listed {
            if heading != "[workspace.dependencies]" {
                assert!(names(&code, &name), "{manifest}: nobody uses {name}");
                named.insert(name);
            }
        }
    }
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for (heading, name) in dependencies(&workspace) {
        let member = heading != "[workspace.dependencies]" || named.contains(&name);
        assert!(member, "no member takes {name} from the workspace");
    }
}

/// The version that recipes, the header and the citation state is that of the packages.
#[test]
fn every_stated_version_is_the_same() {
    let version = env!("CARGO_PKG_VERSION");
    let stated = [
        ("Cargo.toml", format!("version = \"{version}\"")),
        ("bindings/Cargo.toml", format!("version = \"{version}\"")),
        ("bindings/c/include/remap.h", format!("#define REMAP_VERSION \"{version}\"")),
        ("CITATION.cff", format!("version: {version}")),
        ("packaging/conda/meta.yaml", format!("set version = \"{version}\"")),
        ("packaging/spack/packages/remapping/package.py", format!("version(\"{version}\")")),
    ];
    for (file, words) in stated {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.lines().any(|line| line.contains(&words)), "{file}: {words} is not there");
    }
}

#[test]
fn a_name_within_a_name_is_no_use() {
    assert!(names("use serde::Serialize;", "serde") && names("extern crate ron;", "ron"));
    assert!(!names("use my_serde::X;", "serde") && !names("serde_json::to_string", "serde"));
}
