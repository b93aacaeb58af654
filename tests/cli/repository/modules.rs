//! Files of tests: each is named by the module above it, without which it would never run.

use std::path::{Path, PathBuf};

/// The files below a folder that no module names.
fn forgotten(folder: &Path) -> Vec<PathBuf> {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let roots = [folder.join("mod.rs"), folder.join("main.rs"), folder.with_extension("rs")];
    let modules: String = roots.iter().map(|root| read(root)).collect();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_named = modules.lines().any(|line| {
            let line = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            line.strip_prefix("mod ").is_some_and(|rest| rest.trim_end_matches(';') == name)
        });
        let is_root = roots.contains(&path);
        if path.is_dir() {
            found.extend(forgotten(&path));
        }
        let holds_code = path.extension().is_some_and(|kind| kind == "rs") && !is_root
            || path.join("mod.rs").exists();
        // A folder without modules may hold programs that tests compile.
        let is_program = || modules.is_empty() && !read(&path).contains("#[test]");
        if holds_code && !is_named && !is_program() {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_file_of_tests_is_named_by_its_module() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    for folder in ["cli", "lemmas", "papers"] {
        assert_eq!(forgotten(&tests.join(folder)), Vec::<PathBuf>::new());
    }
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("inner")).unwrap();
    for name in ["main.rs", "named.rs", "lost.rs", "inner/mod.rs", "inner/lost.rs"] {
        std::fs::write(place.path().join(name), "mod named;\nmod inner;\n").unwrap();
    }
    let mut lost = forgotten(place.path());
    lost.sort();
    assert_eq!(lost, ["inner/lost.rs", "lost.rs"].map(|name| place.path().join(name)));
}
