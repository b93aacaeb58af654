//! What `docs/integrate.md` says of codes, from their sheets.

use super::Sheet;
use remapping::policy::codes::Code;
use std::fmt::Write as _;

/// What each code compares, a row each.
pub fn table() -> String {
    let mut text =
        String::from("| target | compares | of | when | default |\n|---|---|---|---|---|\n");
    for (code, target) in Code::ALL {
        let Sheet { name, compares, of, when, default, .. } = Sheet::of(code);
        let compares = compares.unwrap_or("nothing");
        let _ = writeln!(text, "| `{target}` ({name}) | {compares} | {of} | {when} | {default} |");
    }
    text
}

/// What each code's setting is, a list item each.
pub fn sections() -> String {
    let mut text = String::new();
    for (code, target) in Code::ALL {
        let sheet = Sheet::of(code);
        let Sheet { name, what, notes, .. } = sheet;
        let (notes, source) = (notes.join(" "), sheet.source());
        let _ = writeln!(text, "* **{name}**: `--to {target}` writes {what}. {notes} {source}");
    }
    text
}
