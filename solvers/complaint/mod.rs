//! Diagnostics: messages that say what is wrong, where, and what would be right.

mod text;

pub use text::ReadText;

use miette::{Diagnostic, LabeledSpan, SourceCode};
use remapping::Status;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Byte range in a text.
pub type Span = Range<usize>;

/// The text of a file, shared by every message about it.
pub type Source = Arc<ReadText>;

/// One fault of the input.
#[derive(Debug, Clone)]
pub struct Complaint {
    source: Option<Source>,
    span: Span,
    message: String,
    label: String,
    help: String,
    /// The limit that was reached, where that and not the input is the reason.
    pub limit: Option<Status>,
    /// Whether the computed result cannot be true for any input: a bug.
    pub is_bug: bool,
    /// Whether the arguments are at fault.
    pub is_usage: bool,
}

impl Complaint {
    /// A fault of the text at `span`.
    pub fn at(source: &Source, span: Span, message: &str, label: &str, help: &str) -> Complaint {
        let help = if help.is_empty() { "correct this value" } else { help };
        Complaint {
            span: source.visible(&span),
            source: Some(source.clone()),
            label: printable(label),
            ..Complaint::elsewhere(message, help)
        }
    }

    /// A fault that is not in a text, such as a missing file.
    pub fn elsewhere(message: impl Into<String>, help: impl Into<String>) -> Complaint {
        Complaint {
            source: None,
            span: 0..0,
            message: printable(&message.into()),
            label: String::new(),
            help: lines(&help.into()),
            limit: None,
            is_bug: false,
            is_usage: false,
        }
    }

    /// The file it is about, and the line and the column there, from 1.
    pub fn place(&self) -> Option<(&str, usize, usize)> {
        let source = self.source.as_ref()?;
        let (line, column) = source.place(self.span.start);
        Some((source.name(), line, column))
    }

    /// The computed result contradicts itself.
    pub fn bug(message: impl Into<String>) -> Complaint {
        let complaint = Complaint::elsewhere(message, "please report this as a bug");
        Complaint { is_bug: true, ..complaint }
    }

    /// The same of arguments that are wrong.
    #[must_use]
    pub fn usage(self) -> Complaint {
        Complaint { is_usage: true, ..self }
    }
}

/// Replaces control characters, so that text from a file or an argument does not control the
/// terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// The same for text of several lines.
fn lines(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '?' } else { c }).collect()
}

/// The message; with `#`, also the text at its place.
impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if f.alternate() && !self.label.is_empty() {
            write!(f, ": {}", self.label)?;
        }
        Ok(())
    }
}

impl From<Complaint> for Vec<Complaint> {
    fn from(complaint: Complaint) -> Vec<Complaint> {
        vec![complaint]
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
