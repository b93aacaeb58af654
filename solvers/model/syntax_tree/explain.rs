//! Explains the type errors of `ron` in a model: in plain words and at the right place.

use super::syntax::Node;
use crate::complaint::{Complaint, Source, Span};
use ron::Error;

/// A path in a model, and an example of its value.
pub type Shape = (&'static str, &'static str);

/// Examples of the fields of every model.
const MODEL: &[Shape] = &[
    ("title", "title: \"what the model is about\""),
    ("source", "source: \"where it comes from\""),
    ("problem", "problem: PhaseChange(...)"),
    ("", "Model(title: \"...\", source: \"...\", problem: ...)"),
];

/// Explains `error` of the model read from `source`. `shapes` has examples of the values of its
/// problem.
pub fn explain(
    error: &ron::error::SpannedError,
    source: &Source,
    tree: &Node,
    shapes: &[Shape],
) -> Complaint {
    let at = source.offset(error.span.start.line, error.span.start.col);
    let end = source.offset(error.span.end.line, error.span.end.col).max(at);
    let here = Explanation { source, tree, shapes, at, end };
    here.of(&error.code)
}

struct Explanation<'a> {
    source: &'a Source,
    tree: &'a Node,
    shapes: &'a [Shape],
    /// Where `ron` stopped: at the wrong token, in it, or after it.
    at: usize,
    end: usize,
}

impl Explanation<'_> {
    fn of(&self, error: &Error) -> Complaint {
        let token = self.at..self.end;
        let complain = |span: Span, message: &str, label: &str, help: &str| {
            Complaint::at(self.source, span, message, label, help)
        };
        let (outer, _) = self.tree.enclosing(self.at);
        match error {
            Error::NoSuchStructField { expected, found, .. } => {
                let help = choices("the fields are", expected, found);
                let message = format!("there is no field `{found}` here");
                complain(token, &message, "unknown field", &help)
            }
            Error::NoSuchEnumVariant { expected, found, .. } => {
                let mut help = choices("it can be", expected, found);
                // The value that begins here, or else the one around it.
                if let Some(shape) = self.shape(&self.tree.enclosing(self.at + 1).0) {
                    help = format!("{help}; such as {shape}");
                }
                complain(token, &format!("`{found}` is not known here"), "unknown name", &help)
            }
            Error::MissingStructField { field, .. } => {
                let label = format!("`{field}: ...` is missing before this");
                let help = self.shape(&outer).map_or(format!("add `{field}: ...`"), |shape| {
                    format!("the whole reads {shape}")
                });
                complain(token, &format!("the field `{field}` is missing"), &label, &help)
            }
            Error::DuplicateStructField { field, .. } => {
                let message = format!("the field `{field}` is given twice");
                complain(token, &message, "again here", "keep one of them")
            }
            Error::ExceededRecursionLimit => {
                let help = "model files nest a few levels only";
                complain(token, "the file is nested too deeply", "here", help)
            }
            Error::ExpectedDifferentStructName { .. } | Error::ExpectedNamedStructLike(_)
                if outer.is_empty() && self.at <= self.tree.span.start =>
            {
                let help = format!("a model file reads {}", MODEL[MODEL.len() - 1].1);
                let start = self.tree.span.start;
                let name = self.source.text()[start..]
                    .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .unwrap_or(1)
                    .max(1);
                let span = start..start + name;
                complain(span, "this is not a model", "expected Model(...)", &help)
            }
            other => self.wrong_kind(other),
        }
    }

    /// A value of the wrong kind for its place.
    fn wrong_kind(&self, error: &Error) -> Complaint {
        let text = self.source.text();
        let (outer, brackets) = self.tree.enclosing(self.at);
        let bracket_fault = matches!(
            error,
            Error::ExpectedRawValue | Error::ExpectedStructLikeEnd | Error::ExpectedInteger
        );
        let (mut path, mut node) = self.tree.place(text, self.at);
        if !node.is_scalar() && node.span.end > self.at {
            // Sometimes `ron` stops at the blanks before a value.
            let rest = &text[self.at..];
            let next = self.at + rest.len() - rest.trim_start().len();
            (path, node) = self.tree.place(text, next);
        }
        let split = node.is_scalar() && node.span.start < self.at && self.at < node.span.end;
        if bracket_fault && !split && brackets.arguments().is_some_and(|count| count != 1) {
            let count = brackets.arguments().unwrap_or(0);
            let label = match count {
                0 => "a value is missing in the brackets".to_owned(),
                _ => format!("{count} values stand here, one is expected"),
            };
            let help =
                self.help(&outer, "decimal numbers are written with a point, without spaces");
            let message = "the number of values is wrong";
            return Complaint::at(self.source, brackets.span.clone(), message, &label, &help);
        }
        if matches!(error, Error::ExpectedRawValue) {
            let label = "expected one value here, without a name";
            let help = self.help(&outer, "give one decimal number");
            let message = "this value is not of the right kind";
            return Complaint::at(self.source, brackets.span.clone(), message, label, &help);
        }
        let found = quoted(&text[node.span.clone()]);
        let expected = |what: &str| format!("expected {what}, found {found}");
        let whole = "whole numbers run from 0 to 18446744073709551615";
        let (label, fallback) = match error {
            Error::Message(said) => (said.clone(), "correct this value"),
            Error::IntegerOutOfBounds
            | Error::ExpectedInteger
            | Error::InvalidIntegerDigit { .. }
            | Error::UnderscoreAtBeginning => (expected("a whole number"), whole),
            Error::ExpectedStructLikeEnd | Error::ExpectedMapColon | Error::ExpectedComma
                if split =>
            {
                (expected("a whole number"), whole)
            }
            Error::ExpectedString | Error::ExpectedStringEnd => {
                (expected("a string"), "strings stand in double quotes")
            }
            Error::InvalidEscape(_) => {
                (format!("{error}"), "write \\\\ for a backslash, \\\" for a quote")
            }
            Error::ExpectedArray => (expected("a list"), "lists read [value, value, ...]"),
            Error::ExpectedMap => (expected("a map"), "maps read {key: value, ...}"),
            Error::ExpectedStructLike | Error::ExpectedNamedStructLike(_) => {
                (expected("`(...)`"), "give its values in round brackets")
            }
            Error::ExpectedFloat | Error::FloatUnderscore => {
                (expected("a decimal number"), "such as 0.05 or 2.5e-3")
            }
            Error::SuggestRawIdentifier(_)
            | Error::InvalidIdentifier(_)
            | Error::ExpectedIdentifier => (expected("one of several names"), "write Name(value)"),
            Error::ExpectedDifferentStructName { .. } => {
                (format!("expected `(...)`, without the name in {found}"), "leave the name out")
            }
            other => (
                format!("{other}, found {found}"),
                "see docs/guide/model-files.md for what a model holds",
            ),
        };
        let help = self.help(&path, fallback);
        let message = "this value is not of the right kind";
        Complaint::at(self.source, node.span.clone(), message, &label, &help)
    }

    fn help(&self, path: &str, fallback: &str) -> String {
        self.shape(path).map_or(fallback.to_owned(), |shape| format!("such as {shape}"))
    }

    /// The example for `path`: that of its longest known prefix within the problem.
    fn shape(&self, path: &str) -> Option<&'static str> {
        let exactly = |shapes: &[Shape], path: &str| {
            shapes.iter().find(|(place, _)| *place == path).map(|(_, shape)| *shape)
        };
        let mut known = path;
        loop {
            if let Some(shape) = exactly(self.shapes, known) {
                return Some(shape);
            }
            match known.rfind('.') {
                Some(dot) => known = &known[..dot],
                None => return exactly(MODEL, path),
            }
        }
    }
}

/// A list of names, with the one that was probably meant.
fn choices(what: &str, names: &[&str], found: &str) -> String {
    let list = format!("{what} {}", names.join(", "));
    let likeness = |name: &&&str| strsim::jaro_winkler(&name.to_lowercase(), &found.to_lowercase());
    let best = names.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match best.filter(|name| likeness(name) > 0.8) {
        Some(name) => format!("did you mean `{name}`? {list}"),
        None => list,
    }
}

/// The longest value that a message quotes, in characters.
const QUOTED: usize = 30;

/// A value as a message quotes it.
pub fn quoted(value: &str) -> String {
    let line = value.lines().next().unwrap_or_default();
    if line.len() == value.len() && line.chars().count() <= QUOTED {
        return format!("`{line}`");
    }
    format!("`{}...`", line.chars().take(QUOTED).collect::<String>())
}
