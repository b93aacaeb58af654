//! What is wrong with a model file, said to a person: where, what, and what would be right.

use super::syntax::{Node, Span};
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::sync::Arc;

/// The text of a model file, shared by every message about it.
pub type Source = Arc<NamedSource<String>>;

/// One fault of a model file.
#[derive(Debug, Clone)]
pub struct Complaint {
    source: Option<Source>,
    span: Span,
    message: String,
    label: String,
    help: String,
}

impl Complaint {
    /// A fault of the text at `span`.
    pub fn at(source: &Source, span: Span, message: &str, label: &str, help: &str) -> Complaint {
        Complaint {
            source: Some(source.clone()),
            span,
            message: message.to_owned(),
            label: label.to_owned(),
            help: help.to_owned(),
        }
    }

    /// A fault that is not in a text: a missing file, say.
    pub fn elsewhere(message: impl Into<String>, help: impl Into<String>) -> Complaint {
        Complaint {
            source: None,
            span: 0..0,
            message: message.into(),
            label: String::new(),
            help: help.into(),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Complaint {}

impl Diagnostic for Complaint {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source.as_ref()?;
        let label = Some(self.label.clone()).filter(|label| !label.is_empty());
        let span = LabeledSpan::new(label, self.span.start, self.span.len());
        Some(Box::new(std::iter::once(span)))
    }
}

/// Collects the faults of one model, and the warnings about what is legal but suspicious.
pub struct Review<'a> {
    source: &'a Source,
    tree: &'a Node,
    /// Faults found so far.
    pub faults: Vec<Complaint>,
    /// Warnings so far, in plain words.
    pub warnings: Vec<String>,
}

impl<'a> Review<'a> {
    /// Starts a review of the model read from `source`.
    pub fn new(source: &'a Source, tree: &'a Node) -> Review<'a> {
        Review { source, tree, faults: Vec::new(), warnings: Vec::new() }
    }

    /// The text under review.
    pub fn source(&self) -> &Source {
        self.source
    }

    /// Records a fault of the value at `path` (`problem.detector.missed`).
    pub fn fault(&mut self, path: &str, message: &str, label: &str, help: &str) {
        let span = self.tree.locate(path);
        self.faults.push(Complaint::at(self.source, span, message, label, help));
    }

    /// Records something legal that is probably not meant.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }

    /// Faults `path` unless `value` is a probability.
    pub fn probability(&mut self, path: &str, value: f64) {
        if !(0.0..=1.0).contains(&value) {
            let label = format!("{value} is not in [0, 1]");
            self.fault(
                path,
                "a probability is out of range",
                &label,
                "probabilities lie in [0, 1]",
            );
        }
    }

    /// Faults `path` if `value` is below zero.
    pub fn nonnegative(&mut self, path: &str, value: f64, what: &str) {
        if value < 0.0 {
            let message = format!("{what} cannot be negative");
            self.fault(
                path,
                &message,
                &format!("{value} is below zero"),
                "give a value of 0 or more",
            );
        }
    }

    /// Faults `path` unless `sum` is 1 within 1e-9, saying by how much it misses.
    pub fn sums_to_one(&mut self, path: &str, sum: f64, what: &str) {
        let miss = sum - 1.0;
        if miss.abs() > 1e-9 || miss.is_nan() {
            let side = if miss > 0.0 { "above" } else { "below" };
            let message = format!("{what} must sum to 1");
            let label = format!("the sum is {sum}, {:.6e} {side} 1", miss.abs());
            let help =
                "correct the numbers; they are never renormalised, and may miss 1 by 1e-9 at most";
            self.fault(path, &message, &label, help);
        }
    }
}
