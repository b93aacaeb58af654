//! The source files of the checker, for tests about them.

use std::collections::BTreeMap;
use std::path::Path;

/// The text of each file by its module: `loads::chains::chain` is `loads/chains/chain.rs`, `loads`
/// is `loads/mod.rs`.
pub fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    read(Path::new(env!("CARGO_MANIFEST_DIR")), "", &mut found);
    found
}

fn read(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let name = if prefix.is_empty() { stem.to_owned() } else { format!("{prefix}::{stem}") };
        if path.is_dir() && name != "tests" {
            read(&path, &name, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let module = if stem == "mod" { prefix.to_owned() } else { name };
            found.insert(module, std::fs::read_to_string(&path).unwrap());
        }
    }
}
