//! Model files in RON: reads and checks them, and explains their faults.

pub mod chain;
pub mod cost;
pub mod detector;
pub mod file;
pub mod law;
pub mod lifetime;
mod matrix_market;
pub mod number;
pub mod review;
mod syntax_tree;
pub mod transition;
pub mod weights;

use crate::complaint::{Complaint, ReadText, Source};
use number::Decimal;
use remapping::Rational;
use review::Review;
use ron::extensions::Extensions;
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use syntax_tree::syntax::Node;
pub(crate) use syntax_tree::{explain, packed, syntax};

/// The largest model file read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Complaint> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        let help = match error.kind() {
            std::io::ErrorKind::NotFound => {
                "check the path, which is relative to the current folder"
            }
            std::io::ErrorKind::PermissionDenied => "ask for the right to read it",
            _ => "give the path of a model file (.ron)",
        };
        Complaint::elsewhere(format!("cannot read {shown}: {error}"), help)
    };
    let help = "give the path of a model file (.ron)";
    if path.is_dir() {
        let help = format!("{help} inside it");
        return Err(Complaint::elsewhere(format!("{shown} is a directory"), help));
    }
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // Not every file knows its size in advance.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("{shown} is too large: model files end at {} MiB", MAX_BYTES >> 20);
        return Err(Complaint::elsewhere(message, "is this a model file?"));
    }
    Ok(bytes)
}

pub(crate) fn decode(path: &Path, bytes: Vec<u8>) -> Result<String, Complaint> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[at];
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let source = Arc::new(ReadText::new(path.display().to_string(), text));
        let label = format!("the byte {byte:#04x} is not part of a character");
        let help = "save the file as UTF-8; or is this not a model file?";
        Complaint::at(&source, at..at + 1, "the file is not UTF-8 text", &label, help)
    })
}

/// The positions of all parts of `source`.
pub(crate) fn places(source: &Source) -> Result<Node, Vec<Complaint>> {
    let text = source.text();
    if text.trim().is_empty() {
        let help = "a model file reads Model(title: \"...\", problem: PhaseChange(...))";
        let empty = Complaint::at(source, 0..0, "the model file is empty", "nothing here", help);
        return Err(vec![empty]);
    }
    let tree = Node::parse(source)?;
    let mut review = Review::new(source, &tree, Path::new(""));
    reject_what_ron_lets_pass(text, &tree, &mut review);
    match review.finish() {
        (faults, _) if faults.is_empty() => Ok(tree),
        (faults, _) => Err(faults),
    }
}

/// The value of `text`, which is that of `source` except for parts that are read elsewhere.
pub(crate) fn values<T: DeserializeOwned>(
    source: &Source,
    tree: &Node,
    text: &str,
    shapes: &[syntax_tree::explain::Shape],
) -> Result<T, Vec<Complaint>> {
    ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES)
        .from_str::<T>(text)
        .map_err(|error| vec![syntax_tree::explain::explain(&error, source, tree, shapes)])
}

/// Records a fault for repeated keys, and for numbers that are not finite.
fn reject_what_ron_lets_pass(text: &str, tree: &Node, review: &mut Review<'_>) {
    for span in tree.repeated_keys(text) {
        let label = format!("{} again", syntax_tree::explain::quoted(&text[span.clone()]));
        review.fault_at(span, "a map has the same key twice", &label, "keep one of them");
    }
    for span in tree.scalars() {
        let literal = &text[span.clone()];
        if is_not_finite(literal) {
            let label = format!("{} is not a finite number", syntax_tree::explain::quoted(literal));
            let help = "give a decimal number; the largest is about 1.8e308";
            review.fault_at(span, "numbers must be finite", &label, help);
        }
    }
}

/// Warns of numbers that are not 0 but closer to it than any double.
pub(crate) fn warn_of_what_vanishes(text: &str, tree: &Node, review: &mut Review<'_>) {
    let may_vanish =
        |literal: &str| literal.len() > 300 || literal.contains("e-") || literal.contains("E-");
    for span in tree.scalars() {
        let literal = &text[span];
        let number = may_vanish(literal).then(|| Decimal::parse(literal).ok()).flatten();
        if number.is_some_and(|number| number.value == 0.0 && number.exact != Rational::ZERO) {
            let literal = syntax_tree::explain::quoted(literal);
            review.warn(format!("{literal} counts as 0: no double but 0 is below 4.9e-324"));
        }
    }
}

fn is_not_finite(literal: &str) -> bool {
    let plain = literal.trim_start_matches(['+', '-']);
    if matches!(plain, "inf" | "NaN") {
        return true;
    }
    // Short literals without an exponent are within range.
    let may_overflow = plain.len() > 300 || plain.contains(['e', 'E']);
    plain.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && may_overflow
        && literal.replace('_', "").parse::<f64>().is_ok_and(|value| !value.is_finite())
}
