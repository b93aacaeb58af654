//! A model file as text: its header, and the positions of all its parts.

use super::folder_of;
use super::number::Decimal;
use super::syntax_tree::syntax::Node;
use crate::complaint::{Complaint, Source, Span};
use crate::document::log::Log;
use std::path::{Path, PathBuf};

/// A model file that has been read and has passed review, without its problem.
#[derive(Debug, Clone)]
pub struct ModelFile {
    /// The subject of the model, in a line.
    pub title: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// The facts about the log that the model was fitted to.
    pub log: Option<Log>,
    /// The file it was read from; paths inside the model are relative to its folder.
    pub path: PathBuf,
    /// Legal but suspicious parts of the model.
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

    /// A checksum of the text.
    pub fn checksum(&self) -> String {
        format!("{:08x}", crc32fast::hash(self.text().as_bytes()))
    }

    /// The text of the value at `path`, if there is one.
    pub fn literal(&self, path: &str) -> Option<&str> {
        self.tree.find(path).map(|node| &self.read.text()[node.span.clone()])
    }

    /// The number at `path`, if there is one.
    pub fn number(&self, path: &str) -> Option<Decimal> {
        let node = self.tree.find(path)?.unwrapped();
        Decimal::parse(&self.read.text()[node.span.clone()]).ok()
    }

    /// The folder that paths inside the model are relative to.
    pub fn folder(&self) -> &Path {
        folder_of(&self.path)
    }

    /// A diagnostic about the value at `path`, for faults that only solving reveals.
    pub fn complain(&self, path: &str, message: &str, label: &str, help: &str) -> Complaint {
        Complaint::at(&self.read, self.tree.locate(path), message, label, help)
    }

    /// An error for the first of `settings` that is not a place of the model.
    pub fn check_places(&self, settings: &[(&str, &str)]) -> Result<(), Complaint> {
        settings.iter().try_for_each(|(path, value)| self.edit(path, value).map(drop))
    }

    /// The text with other values: pairs of a path (`problem.remap_cost`) and the new text. Fields
    /// with defaults can be given too.
    ///
    /// # Errors
    /// A path is not a place of the model, or lies inside another one.
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

    /// The range of text to replace, and its replacement, so that `path` has `value`.
    fn edit(&self, path: &str, value: &str) -> Result<(Span, String), Complaint> {
        if let Some(node) = self.tree.find(path) {
            // A name replaces the variant, such as `Fixed(9)`; a number replaces the content of the
            // variant.
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
