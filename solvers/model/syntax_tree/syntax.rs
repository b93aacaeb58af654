//! The positions of all parts of a RON text: a tree of spans for the typed value.
//!
//! `ron` reads values but loses their positions. The tree has only positions, and answers the
//! questions of messages: where is the field at this path, what is at this place, is any number not
//! finite, is any map key repeated. The reader that builds it is in [`super::reader`].

use super::packed::Packed;
use super::reader;
use crate::complaint::{Complaint, Source, Span};
use serde_json::{Map, Value};

/// One value of the text.
#[derive(Debug, Clone)]
pub struct Node {
    /// The position of the whole value, including the variant name.
    pub span: Span,
    pub(in crate::model) kind: Kind,
}

/// The form of a value.
#[derive(Debug, Clone)]
pub(in crate::model) enum Kind {
    /// A number, string, name or unit variant.
    Scalar,
    /// `Name(field: value, ...)`, the name optional.
    Struct(Vec<(String, Node)>),
    /// `Name(value, ...)`, the name optional.
    Tuple(Vec<Node>),
    /// `[value, ...]`.
    List(Vec<Node>),
    /// A long list of plain numbers.
    Packed(Packed),
    /// `{key: value, ...}`.
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// Reads `source`, or returns the first fault.
    pub fn parse(source: &Source) -> Result<Node, Complaint> {
        reader::read(source)
    }

    /// The values of a tuple or a list.
    fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Tuple(items) | Kind::List(items) => Some(items),
            Kind::Packed(packed) => Some(packed.items()),
            _ => None,
        }
    }

    /// The long list of plain numbers here, if it is one.
    pub(in crate::model) fn packed(&self) -> Option<&Packed> {
        match &self.kind {
            Kind::Packed(packed) => Some(packed),
            _ => None,
        }
    }

    /// The node at a path such as `problem.lifetime[3].rate`. Variant names and the parentheses of
    /// one-value variants are skipped: in `hazard: PerStep([0.1])` the number is `hazard[0]`.
    pub fn find(&self, path: &str) -> Option<&Node> {
        steps(path).try_fold(self, |node, step| node.unwrapped().child(step))
    }

    /// The span that a message about `path` should show: the value, or else its nearest parent.
    pub fn locate(&self, path: &str) -> Span {
        let mut node = self;
        for step in steps(path) {
            let Some(child) = node.unwrapped().child(step) else { break };
            node = child;
        }
        node.span.clone()
    }

    /// The longest existing prefix of `path`, and the names of its fields.
    pub fn nearest<'a>(&self, path: &'a str) -> (&'a str, Vec<&str>) {
        let (mut node, mut known) = (self, 0);
        for step in steps(path) {
            let Some(child) = node.unwrapped().child(step) else { break };
            node = child;
            let rest = &path[known..];
            let skipped = rest.len() - rest.trim_start_matches(['.', '[']).len();
            known += skipped;
            known += path[known..].find(['.', '[']).unwrap_or(path.len() - known);
        }
        let names = match &node.unwrapped().kind {
            Kind::Struct(fields) => fields.iter().map(|(name, _)| name.as_str()).collect(),
            _ => Vec::new(),
        };
        (&path[..known], names)
    }

    /// The value inside one-value variants: the `1000` of `Fixed(1000)`.
    pub fn unwrapped(&self) -> &Node {
        match &self.kind {
            Kind::Tuple(items) if items.len() == 1 => items[0].unwrapped(),
            _ => self,
        }
    }

    /// The position for another field of this struct, and whether a comma must precede it.
    pub fn insertion_point(&self) -> Option<(usize, bool)> {
        match &self.unwrapped().kind {
            Kind::Struct(fields) => match fields.last() {
                Some((_, last)) => Some((last.span.end, true)),
                None => Some((self.unwrapped().span.end - 1, false)),
            },
            _ => None,
        }
    }

    /// Every scalar, in the order of the text, except in long lists of numbers that are certainly
    /// finite.
    pub fn scalars(&self) -> Vec<Span> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            if let Kind::Scalar = node.kind {
                found.push(node.span.clone());
            }
        });
        found
    }

    /// Every map key that repeats an earlier one of the same map.
    pub fn repeated_keys(&self, text: &str) -> Vec<Span> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            if let Kind::Map(entries) = &node.kind {
                let mut seen = std::collections::HashSet::new();
                for (key, _) in entries {
                    let written = &text[key.span.clone()];
                    let value = written.replace('_', "").parse::<i128>();
                    let name = value.map_or(written.to_owned(), |v| v.to_string());
                    if !seen.insert(name) {
                        found.push(key.span.clone());
                    }
                }
            }
        });
        found
    }

    /// The innermost value that contains `at`, or ends just before it, with its path.
    pub fn place(&self, text: &str, at: usize) -> (String, &Node) {
        let follows = |gap: &str| !gap.contains([',', ':', '(', ')', '[', ']', '{', '}']);
        self.descend(|node| {
            node.span.start <= at && (node.span.end >= at || follows(&text[node.span.end..at]))
        })
    }

    /// The innermost value in brackets around `at`, with its path.
    pub fn enclosing(&self, at: usize) -> (String, &Node) {
        let inside = |node: &Node| node.span.start < at && at < node.span.end && !node.is_scalar();
        self.descend(inside)
    }

    fn descend(&self, contains: impl Fn(&Node) -> bool) -> (String, &Node) {
        let (mut path, mut node) = (String::new(), self);
        loop {
            let inner = match &node.kind {
                Kind::Scalar => None,
                Kind::Struct(fields) => {
                    fields.iter().find(|(_, field)| contains(field)).map(|(name, field)| {
                        path.push_str(if path.is_empty() { "" } else { "." });
                        path.push_str(name);
                        field
                    })
                }
                Kind::Tuple(_) | Kind::List(_) | Kind::Packed(_) => {
                    node.items().unwrap_or_default().iter().find(|item| contains(item))
                }
                Kind::Map(entries) => {
                    let mut values = entries.iter().flat_map(|(key, value)| [key, value]);
                    values.find(|value| contains(value))
                }
            };
            match inner {
                Some(inner) => node = inner,
                None => return (path, node),
            }
        }
    }

    /// The value without comments and layout: fields by name; the name of a variant is in the field
    /// `""`.
    pub fn to_json(&self, text: &str) -> Value {
        let own = &text[self.span.clone()];
        let list = |items: &[Node]| items.iter().map(|item| item.to_json(text)).collect();
        let name = own.split_once('(').map_or("", |(name, _)| name.trim());
        match &self.kind {
            Kind::Scalar => own.into(),
            // Long lists are compared by their text.
            Kind::Packed(_) => own.split_whitespace().collect::<String>().into(),
            Kind::List(items) => Value::Array(list(items)),
            Kind::Tuple(items) => {
                let mut all: Vec<Value> = list(items);
                all.insert(0, name.into());
                Value::Array(all)
            }
            Kind::Struct(fields) => {
                let named = fields.iter().map(|(name, value)| (name.clone(), value.to_json(text)));
                named.chain([(String::new(), name.into())]).collect::<Map<_, _>>().into()
            }
            Kind::Map(entries) => {
                let pair = |(key, value): &(Node, Node)| {
                    Value::Array(vec![key.to_json(text), value.to_json(text)])
                };
                Value::Array(entries.iter().map(pair).collect())
            }
        }
    }

    /// Whether this is a number, a string, a name or a unit variant.
    pub fn is_scalar(&self) -> bool {
        matches!(self.kind, Kind::Scalar)
    }

    /// The number of values in `Name(...)` or `(...)`, if they have no names.
    pub fn arguments(&self) -> Option<usize> {
        match &self.kind {
            Kind::Tuple(items) => Some(items.len()),
            _ => None,
        }
    }

    fn visit(&self, action: &mut impl FnMut(&Node)) {
        action(self);
        match &self.kind {
            Kind::Scalar | Kind::Packed(_) => {}
            Kind::Struct(fields) => fields.iter().for_each(|(_, node)| node.visit(action)),
            Kind::Tuple(items) | Kind::List(items) => items.iter().for_each(|n| n.visit(action)),
            Kind::Map(entries) => entries.iter().for_each(|(key, value)| {
                key.visit(action);
                value.visit(action);
            }),
        }
    }

    fn child(&self, step: Step<'_>) -> Option<&Node> {
        match (&self.kind, step) {
            (Kind::Struct(fields), Step::Field(name)) => {
                fields.iter().find(|(field, _)| field == name).map(|(_, node)| node)
            }
            (Kind::Map(entries), Step::Index(i)) => entries.get(i).map(|(_, value)| value),
            (_, Step::Index(i)) => self.items()?.get(i),
            _ => None,
        }
    }
}

enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    path.split(['.', '[']).filter(|part| !part.is_empty()).map(|part| {
        match part.trim_end_matches(']').parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Field(part),
        }
    })
}
