//! Model files: RON decks read, checked, and explained where they are wrong.

pub mod chain;
pub mod complaint;
pub mod fluids;
pub mod land_battle;
pub mod load_drift;
mod matrix_market;
pub mod number;
pub mod phase_change;
pub mod stopping;
mod syntax;
pub mod two_phase;

use complaint::{Complaint, Review, Source};
use miette::NamedSource;
use ron::extensions::Extensions;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use syntax::{Node, Span};

/// The largest model file read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The content of a model file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// What the model is about, in a line.
    pub title: String,
    /// Where it comes from.
    #[serde(default)]
    pub source: Option<String>,
    /// The problem to solve.
    pub problem: Problem,
}

/// The problems `remap` solves.
#[derive(Debug, Clone, Deserialize)]
pub enum Problem {
    /// One change of phase, watched by a fallible detector [NR86, NR90].
    PhaseChange(Box<phase_change::PhaseChange>),
    /// Drifting loads of equal processors [NRS86, section 3].
    LoadDrift(load_drift::LoadDrift),
    /// Optimal stopping of a Markov chain of loads [YXW03].
    Stopping(stopping::Stopping),
    /// An adaptive fluids code whose load shifts when a wave enters [NR90].
    Fluids(fluids::Fluids),
    /// Two sides that march towards each other and fight [NR90].
    LandBattle(land_battle::LandBattle),
}

/// A model that has been read and found right.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// The file it was read from; paths inside the model are relative to its folder.
    pub path: PathBuf,
    /// What is legal in it but suspicious.
    pub warnings: Vec<String>,
    source: Source,
    tree: Node,
}

impl Loaded {
    /// Reads and checks the model file at `path`.
    pub fn read(path: &Path) -> Result<Loaded, Vec<Complaint>> {
        let text = read_text(path).map_err(|complaint| vec![complaint])?;
        Loaded::from_text(path, text)
    }

    /// Checks `text` as the content of the file at `path`.
    pub fn from_text(path: &Path, text: String) -> Result<Loaded, Vec<Complaint>> {
        let source = Arc::new(NamedSource::new(path.display().to_string(), text));
        let text = source.inner();
        let (model, tree) = parse(&source).map_err(|complaint| vec![complaint])?;
        let mut review = Review::new(&source, &tree);
        reject_what_ron_lets_pass(text, &tree, &mut review);
        if review.faults.is_empty() {
            model.problem.review(&mut review, folder_of(path));
        }
        let Review { faults, warnings, .. } = review;
        if faults.is_empty() {
            Ok(Loaded { model, path: path.to_owned(), warnings, source, tree })
        } else {
            Err(faults)
        }
    }

    /// The same model with the value at `path` (`problem.remap_cost`) replaced by `value`.
    pub fn with(&self, path: &str, value: &str) -> Result<Loaded, Vec<Complaint>> {
        let text = self.source.inner();
        let replaced = match self.tree.find(path) {
            Some(node) => {
                let span = node.unwrapped().span.clone();
                format!("{}{value}{}", &text[..span.start], &text[span.end..])
            }
            None => {
                let (parent, field) = path.rsplit_once('.').unwrap_or(("", path));
                let parent = self.tree.find(parent).and_then(Node::insertion_point);
                let Some((at, comma)) = parent else {
                    let message = format!("`--set {path}`: the model has no such place");
                    let help = "name it as it stands in the file, such as problem.remap.test";
                    return Err(vec![Complaint::elsewhere(message, help)]);
                };
                let comma = if comma { ", " } else { "" };
                format!("{}{comma}{field}: {value}{}", &text[..at], &text[at..])
            }
        };
        Loaded::from_text(&self.path, replaced)
    }

    /// The folder that paths inside the model are relative to.
    pub fn folder(&self) -> &Path {
        folder_of(&self.path)
    }

    /// A complaint about the value at `path`, for faults that only solving brings to light.
    pub fn complain(&self, path: &str, message: &str, label: &str, help: &str) -> Complaint {
        Complaint::at(&self.source, self.tree.locate(path), message, label, help)
    }
}

impl Problem {
    fn review(&self, review: &mut Review<'_>, folder: &Path) {
        match self {
            Problem::PhaseChange(problem) => problem.review(review),
            Problem::LoadDrift(problem) => problem.review(review),
            Problem::Stopping(problem) => problem.review(review, folder),
            Problem::Fluids(problem) => problem.review(review),
            Problem::LandBattle(problem) => problem.review(review),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

fn read_text(path: &Path) -> Result<String, Complaint> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        Complaint::elsewhere(
            format!("cannot read {shown}: {error}"),
            "give the path of a model file (.ron)",
        )
    };
    let facts = std::fs::metadata(path).map_err(unreadable)?;
    if facts.is_dir() {
        let message = format!("{shown} is a directory");
        return Err(Complaint::elsewhere(
            message,
            "give the path of a model file (.ron) inside it",
        ));
    }
    if facts.len() > MAX_BYTES {
        let message = format!("{shown} has {} bytes; model files end at {MAX_BYTES}", facts.len());
        return Err(Complaint::elsewhere(message, "is this a model file?"));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Complaint::elsewhere(
            format!("{shown} is not UTF-8 text (byte {at})"),
            "is this a model file?",
        )
    })
}

fn parse(source: &Source) -> Result<(Model, Node), Complaint> {
    let text = source.inner();
    if text.trim().is_empty() {
        let help = "a model file reads Model(title: \"...\", problem: PhaseChange(...))";
        return Err(Complaint::at(source, 0..0, "the model file is empty", "nothing here", help));
    }
    let options = ron::Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES);
    let model = options.from_str::<Model>(text).map_err(|error| {
        let span = span_of(text, &error.span);
        let (message, help) = explain(&error.code);
        Complaint::at(source, span, "this is not a model", &message, &help)
    })?;
    let tree = Node::parse(text).ok_or_else(|| {
        Complaint::at(source, 0..0, "this is not a model", "cannot be read as RON", "")
    })?;
    Ok((model, tree))
}

fn reject_what_ron_lets_pass(text: &str, tree: &Node, review: &mut Review<'_>) {
    if let Some(span) = tree.repeated_key(text) {
        let message = "a map has the same key twice";
        review.faults.push(Complaint::at(
            review.source(),
            span,
            message,
            "again here",
            "keep one of them",
        ));
    }
    for span in tree.scalars() {
        let literal = &text[span.clone()];
        let numeric = literal.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let value = literal.replace('_', "").parse::<f64>();
        let infinite =
            matches!(literal, "inf" | "NaN") || (numeric && value.is_ok_and(|v| !v.is_finite()));
        if infinite {
            let label = format!("`{literal}` is not a finite number");
            review.faults.push(Complaint::at(
                review.source(),
                span,
                "numbers must be finite",
                &label,
                "",
            ));
        }
    }
}

/// The bytes of `text` between two positions of `ron` (1-based lines and columns, in characters).
fn span_of(text: &str, span: &ron::error::Span) -> Span {
    let byte = |position: &ron::error::Position| {
        let mut start = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if number + 1 == position.line {
                let column = position.col.saturating_sub(1);
                let offset = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
                return start + offset;
            }
            start += line.len();
        }
        text.len()
    };
    let (start, end) = (byte(&span.start), byte(&span.end));
    start..end.max(start)
}

/// What went wrong, in plain words, and what would be right.
fn explain(error: &ron::Error) -> (String, String) {
    use ron::Error;
    let one_of = |names: &[&str]| format!("one of: {}", names.join(", "));
    match error {
        Error::NoSuchStructField { expected, found, .. } => {
            (format!("there is no field `{found}` here"), one_of(expected))
        }
        Error::NoSuchEnumVariant { expected, found, .. } => {
            (format!("`{found}` is not known here"), one_of(expected))
        }
        Error::MissingStructField { field, .. } => (
            format!("the field `{field}` is missing"),
            format!("add `{field}: ...` before this point"),
        ),
        Error::DuplicateStructField { field, .. } => {
            (format!("the field `{field}` is given twice"), "keep one of them".to_owned())
        }
        Error::ExceededRecursionLimit => {
            ("nested too deeply".to_owned(), "model files nest a few levels only".to_owned())
        }
        Error::Eof => {
            ("the file ends here, too early".to_owned(), "a closing ) or ] is missing".to_owned())
        }
        other => (other.to_string(), String::new()),
    }
}
