//! A model file as text: what it says in its head, and where everything in it stands.

use super::folder_of;
use super::number::Decimal;
use super::syntax::Node;
use crate::complaint::{Complaint, Source, Span};
use crate::document::log::Log;
use std::path::{Path, PathBuf};

/// A model file that has been read and found right, without its problem.
#[derive(Debug, Clone)]
pub struct ModelFile {
    /// What the model is about, in a line.
    pub title: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// What the model keeps of the log it was fitted to.
    pub log: Option<Log>,
    /// The file it was read from; paths inside the model are relative to its folder.
    pub path: PathBuf,
    /// What is legal in it but suspicious.
    pub warnings: Vec<String>,
    pub(crate) read: Source,
    pub(crate) tree: Node,
}

impl ModelFile {
    /// The text of the model.
    pub fn text(&self) -> &str {
        self.read.text()
    }

    /// The problem as it is stated, without comments and layout.
    pub fn stated(&self) -> serde_json::Value {
        let problem = self.tree.find("problem");
        problem.map_or(serde_json::Value::Null, |node| node.to_json(self.read.text()))
    }

    /// A number that tells this text from others.
    pub fn checksum(&self) -> String {
        format!("{:08x}", crc32fast::hash(self.text().as_bytes()))
    }

    /// The text of the value at `path`, if it is there.
    pub fn literal(&self, path: &str) -> Option<&str> {
        self.tree.find(path).map(|node| &self.read.text()[node.span.clone()])
    }

    /// The number at `path`, if one stands there.
    pub fn number(&self, path: &str) -> Option<Decimal> {
        let node = self.tree.find(path)?.unwrapped();
        Decimal::parse(&self.read.text()[node.span.clone()]).ok()
    }

    /// The folder that paths inside the model are relative to.
    pub fn folder(&self) -> &Path {
        folder_of(&self.path)
    }

    /// A complaint about the value at `path`, for faults that only solving brings to light.
    pub fn complain(&self, path: &str, message: &str, label: &str, help: &str) -> Complaint {
        Complaint::at(&self.read, self.tree.locate(path), message, label, help)
    }

    /// Faults the first of `settings` that names no place of the model.
    pub fn check_places(&self, settings: &[(&str, &str)]) -> Result<(), Complaint> {
        settings.iter().try_for_each(|(path, value)| self.edit(path, value).map(drop))
    }

    /// The text with other values: pairs of a path (`problem.remap_cost`) and what to write there.
    /// Fields left to their defaults can be given too.
    ///
    /// # Errors
    /// A path that names no place of the model, or lies inside another one.
    pub fn replaced(&self, settings: &[(&str, &str)]) -> Result<String, Complaint> {
        let mut edits = Vec::new();
        for (path, value) in settings {
            edits.push(self.edit(path, value)?);
        }
        edits.sort_by_key(|(span, _)| span.start);
        if let Some(pair) = edits.windows(2).find(|pair| pair[1].0.start < pair[0].0.end) {
            let message = format!("`{}` lies inside another place that is set", pair[1].1);
            return Err(Complaint::elsewhere(message, "set one of them only"));
        }
        let text = self.read.text();
        let (mut replaced, mut from) = (String::with_capacity(text.len()), 0);
        for (span, value) in edits {
            replaced.push_str(&text[from..span.start]);
            replaced.push_str(&value);
            from = span.end;
        }
        replaced.push_str(&text[from..]);
        Ok(replaced)
    }

    /// What to replace in the text, and by what, so that `path` has `value`.
    fn edit(&self, path: &str, value: &str) -> Result<(Span, String), Complaint> {
        if let Some(node) = self.tree.find(path) {
            // A name replaces the variant, `Fixed(9)`; a number what the variant holds.
            let named = value.starts_with(|c: char| c.is_alphabetic() || "[({\"".contains(c));
            let node = if named { node } else { node.unwrapped() };
            return Ok((node.span.clone(), value.to_owned()));
        }
        let (parent, field) = path.rsplit_once('.').unwrap_or(("", path));
        let holder = self.tree.find(parent);
        if let Some((at, comma)) = holder.and_then(Node::insertion_point) {
            let comma = if comma { ", " } else { "" };
            return Ok((at..at, format!("{comma}{field}: {value}")));
        }
        let (known, names) = self.tree.nearest(path);
        let message = format!("the model has no place `{path}` to set");
        let help = match (known.is_empty(), names.is_empty()) {
            (_, true) => format!("`{known}` is a single value"),
            (true, _) => format!("paths begin with {}", names.join(", ")),
            _ => format!("`{known}` has {}", names.join(", ")),
        };
        Err(Complaint::elsewhere(message, help))
    }
}
