//! Where everything stands in a RON text: a tree of spans beside the typed value.
//!
//! `ron` reads values but forgets where they stood. This module reads the same text once more, keeps
//! only positions, and answers three questions: where is the field at this path, is any number not
//! finite, is any map key repeated. It runs on text `ron` has already accepted, so it is lenient.

use std::ops::Range;

/// Byte range in the model text.
pub type Span = Range<usize>;

/// One value of the text.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where the whole value stands, variant name included.
    pub span: Span,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// A number, string, name or unit variant.
    Scalar,
    /// `Name(field: value, ...)`, the name optional.
    Struct(Vec<(String, Node)>),
    /// `Name(value, ...)`, the name optional.
    Tuple(Vec<Node>),
    /// `[value, ...]`.
    List(Vec<Node>),
    /// `{key: value, ...}`.
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// Reads `text`; `None` where it is not RON at all.
    pub fn parse(text: &str) -> Option<Node> {
        let mut reader = Reader { text, at: 0 };
        reader.skip_attributes();
        reader.value(0)
    }

    /// The node at a path such as `problem.lifetime[3].rate`. Variant names and the parentheses of
    /// one-value variants are passed through: in `hazard: PerStep([0.1])` the number is `hazard[0]`.
    pub fn find(&self, path: &str) -> Option<&Node> {
        steps(path).try_fold(self, |node, step| node.unwrapped().child(step))
    }

    /// The span a message about `path` should point at: the value, or else its nearest parent.
    pub fn locate(&self, path: &str) -> Span {
        let mut node = self;
        for step in steps(path) {
            match node.unwrapped().child(step) {
                Some(child) => node = child,
                None => break,
            }
        }
        node.span.clone()
    }

    /// The value inside one-value variants: the `1000` of `Fixed(1000)`.
    pub fn unwrapped(&self) -> &Node {
        match &self.kind {
            Kind::Tuple(items) if items.len() == 1 => items[0].unwrapped(),
            _ => self,
        }
    }

    /// Where a further field can be written into this struct, and whether a comma must precede it.
    pub fn insertion_point(&self) -> Option<(usize, bool)> {
        match &self.unwrapped().kind {
            Kind::Struct(fields) => match fields.last() {
                Some((_, last)) => Some((last.span.end, true)),
                None => Some((self.unwrapped().span.end - 1, false)),
            },
            _ => None,
        }
    }

    /// Every scalar, in the order of the text.
    pub fn scalars(&self) -> Vec<Span> {
        let mut found = Vec::new();
        self.visit(&mut |node| {
            if let Kind::Scalar = node.kind {
                found.push(node.span.clone());
            }
        });
        found
    }

    /// The first map key that repeats an earlier one of the same map.
    pub fn repeated_key(&self, text: &str) -> Option<Span> {
        let mut found = None;
        self.visit(&mut |node| {
            if let Kind::Map(entries) = &node.kind {
                let mut seen = std::collections::HashSet::new();
                for (key, _) in entries {
                    let written = &text[key.span.clone()];
                    let value = written.replace('_', "").parse::<i128>();
                    let name = value.map_or(written.to_owned(), |v| v.to_string());
                    if !seen.insert(name) && found.is_none() {
                        found = Some(key.span.clone());
                    }
                }
            }
        });
        found
    }

    fn visit(&self, action: &mut impl FnMut(&Node)) {
        action(self);
        match &self.kind {
            Kind::Scalar => {}
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
            (Kind::Tuple(items) | Kind::List(items), Step::Index(i)) => items.get(i),
            (Kind::Map(entries), Step::Index(i)) => entries.get(i).map(|(_, value)| value),
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

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// Deeper than `ron` itself reads.
const MAX_DEPTH: usize = 256;

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.skip_blank();
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                let mut depth = 0usize;
                while !self.rest().is_empty() {
                    if self.rest().starts_with("/*") {
                        depth += 1;
                        self.at += 2;
                    } else if self.rest().starts_with("*/") {
                        depth -= 1;
                        self.at += 2;
                        if depth == 0 {
                            break;
                        }
                    } else {
                        self.at += self.peek().map_or(0, char::len_utf8);
                    }
                }
            } else {
                return;
            }
        }
    }

    fn skip_attributes(&mut self) {
        self.skip_blank();
        while self.rest().starts_with("#!") {
            self.at += self.rest().find(']').map_or(self.rest().len(), |end| end + 1);
            self.skip_blank();
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_blank();
        let start = self.at;
        let kind = match self.peek()? {
            '[' => {
                self.at += 1;
                Kind::List(self.items(']', depth)?)
            }
            '{' => {
                self.at += 1;
                let mut entries = Vec::new();
                while !self.eat('}') {
                    let key = self.value(depth + 1)?;
                    self.eat(':').then_some(())?;
                    entries.push((key, self.value(depth + 1)?));
                    self.eat(',');
                }
                Kind::Map(entries)
            }
            '"' => {
                self.string();
                Kind::Scalar
            }
            '(' => self.parenthesised(depth)?,
            _ => {
                self.word();
                (self.at > start).then_some(())?;
                let after_word = self.at;
                self.skip_blank();
                if self.peek() == Some('(') {
                    self.parenthesised(depth)?
                } else {
                    self.at = after_word;
                    Kind::Scalar
                }
            }
        };
        Some(Node { span: start..self.at, kind })
    }

    fn parenthesised(&mut self, depth: usize) -> Option<Kind> {
        self.at += 1;
        let first = self.at;
        if self.field_name().is_none() {
            self.at = first;
            return Some(Kind::Tuple(self.items(')', depth)?));
        }
        self.at = first;
        let mut fields = Vec::new();
        while !self.eat(')') {
            let name = self.field_name()?;
            fields.push((name, self.value(depth + 1)?));
            self.eat(',');
        }
        Some(Kind::Struct(fields))
    }

    fn field_name(&mut self) -> Option<String> {
        self.skip_blank();
        let start = self.at;
        self.word();
        let name = self.text[start..self.at].to_owned();
        let named = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        (named && self.eat(':')).then_some(name)
    }

    fn items(&mut self, close: char, depth: usize) -> Option<Vec<Node>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.value(depth + 1)?);
            self.eat(',');
        }
        Some(items)
    }

    fn string(&mut self) {
        let mut escaped = false;
        for (offset, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.at += offset + 1;
                    return;
                }
                _ => {}
            }
        }
        self.at = self.text.len();
    }

    /// A number, a name, or a raw string.
    fn word(&mut self) {
        if self.rest().starts_with("r\"") || self.rest().starts_with("r#") {
            let hashes = self.rest()[1..].chars().take_while(|&c| c == '#').count();
            if self.rest()[1 + hashes..].starts_with('"') {
                let close = format!("\"{}", "#".repeat(hashes));
                let body = 2 + hashes;
                let end = self.rest()[body..].find(&close);
                self.at += end.map_or(self.rest().len(), |end| body + end + close.len());
                return;
            }
        }
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_+-.#".contains(c)));
        self.at += end.unwrap_or(rest.len());
    }
}
