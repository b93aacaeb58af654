//! Parses the structure of RON, with better error messages than those of `ron`.

use super::packed::Packed;
use super::scanner::{Read, Scanner, is_word};
use super::syntax::{Kind, Node};
use crate::complaint::{Complaint, Source, Span};

/// Reads one value that fills the whole of `source`.
pub(super) fn read(source: &Source) -> Read<Node> {
    let mut reader = Reader::new(source, 0);
    reader.scanner.skip_attributes()?;
    let value = reader.value()?;
    reader.scanner.skip_blank()?;
    match reader.scanner.peek() {
        None => Ok(value),
        Some(_) if value.is_scalar() => Err(reader.scanner.fault(
            value.span,
            "this is not a model",
            "expected Model(...)",
            "a model file reads Model(title: \"...\", problem: ...)",
        )),
        Some(_) => Err(reader.scanner.fault_here(
            "there is more text after the model",
            "the model ends before this",
            "a file holds one Model(...): remove the rest, or a bracket too many before it",
        )),
    }
}

/// The values of the plain list that opens at `open`.
pub(super) fn items_of(source: &Source, open: usize) -> Vec<Node> {
    let mut reader = Reader { looked_to: usize::MAX, ..Reader::new(source, open + 1) };
    reader.open.push((open, ']'));
    reader.items().expect("a plain list")
}

/// The deepest nesting of brackets; `ron` stops at 128 nested values.
const MAX_DEPTH: usize = 128;

struct Reader<'a> {
    scanner: Scanner<'a>,
    /// The open brackets: their positions, and the brackets that close them.
    open: Vec<(usize, char)>,
    /// A bracket whose closing line has another indentation than its opening line.
    askew: Option<usize>,
    /// No long list of plain numbers opens before this position.
    looked_to: usize,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source, at: usize) -> Reader<'a> {
        let scanner = Scanner { source, text: source.text(), at };
        Reader { scanner, open: Vec::new(), askew: None, looked_to: 0 }
    }

    fn value(&mut self) -> Read<Node> {
        self.scanner.skip_blank()?;
        let start = self.scanner.at;
        let kind = match self.scanner.peek() {
            None => return Err(self.cut_short()),
            Some('[') => match self.packed() {
                Some(packed) => Kind::Packed(packed),
                None => {
                    self.enter(']')?;
                    Kind::List(self.items()?)
                }
            },
            Some('{') => {
                self.enter('}')?;
                Kind::Map(self.entries()?)
            }
            Some('(') => {
                self.enter(')')?;
                self.parenthesised()?
            }
            Some('"') => {
                self.scanner.string()?;
                Kind::Scalar
            }
            Some('\'') => {
                self.scanner.character()?;
                Kind::Scalar
            }
            Some(_) => {
                if !self.scanner.word()? {
                    return Err(self.missing_value());
                }
                let after_word = self.scanner.at;
                self.scanner.skip_blank()?;
                if self.scanner.peek() == Some('(') {
                    self.enter(')')?;
                    self.parenthesised()?
                } else {
                    self.scanner.at = after_word;
                    Kind::Scalar
                }
            }
        };
        Ok(Node { span: start..self.scanner.at, kind })
    }

    /// Skips a long list of plain numbers, if one opens here.
    fn packed(&mut self) -> Option<Packed> {
        let open = self.scanner.at;
        // It may contain lists.
        if open < self.looked_to || self.open.len() + 2 > MAX_DEPTH {
            return None;
        }
        match Packed::at(self.scanner.source, open) {
            Ok(packed) => {
                self.scanner.at = packed.end();
                self.compare_indentation(open, packed.end() - 1);
                Some(packed)
            }
            Err(looked_to) => {
                self.looked_to = looked_to;
                None
            }
        }
    }

    fn missing_value(&self) -> Complaint {
        let label = format!("expected a value here, found {}", self.scanner.quoted());
        let help = match self.scanner.peek() {
            Some(')' | ']' | '}' | ',') => "write the value, or remove what announces it",
            Some('=') => "fields are written name: value",
            _ => "values are numbers, \"strings\", Names, Name(...), [lists] and {key: value} maps",
        };
        self.scanner.fault_here("a value is missing", &label, help)
    }

    /// Skips an opening bracket.
    fn enter(&mut self, close: char) -> Read<()> {
        if self.open.len() >= MAX_DEPTH {
            let label = format!("more than {MAX_DEPTH} brackets are open here");
            let help = "model files nest a few levels only";
            return Err(self.scanner.fault_here("the file is nested too deeply", &label, help));
        }
        self.open.push((self.scanner.at, close));
        self.scanner.at += 1;
        Ok(())
    }

    /// Skips the closing bracket if it comes next.
    fn leave(&mut self) -> Read<bool> {
        self.scanner.skip_blank()?;
        let Some(&(opened, close)) = self.open.last() else { return Ok(false) };
        if self.scanner.peek() != Some(close) {
            return Ok(false);
        }
        self.open.pop();
        self.compare_indentation(opened, self.scanner.at);
        self.scanner.at += 1;
        Ok(true)
    }

    /// Records a bracket whose closing line has another indentation than its opening line.
    fn compare_indentation(&mut self, opened: usize, closed: usize) {
        // Lines may be very long: a bracket that closes on its own line is not checked.
        let text = self.scanner.text;
        if self.askew.is_none() && text[opened..closed].contains('\n') {
            let indentation = |at: usize| {
                let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
                let line = &text[start..];
                let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
                (blank, start + blank == at)
            };
            let ((outer, _), (inner, leads)) = (indentation(opened), indentation(closed));
            if leads && outer != inner {
                self.askew = Some(opened);
            }
        }
    }

    /// The fault of a file that ends inside brackets.
    fn cut_short(&self) -> Complaint {
        let Some(&(innermost, close)) = self.open.last() else {
            let help = "a model file reads Model(title: \"...\", problem: ...)";
            let (message, label) = ("the file holds no model", "only blanks and comments");
            return self.scanner.fault(0..0, message, label, help);
        };
        // Where indentation shows that an earlier bracket should have closed, the fault is there.
        let opened = self.askew.unwrap_or(innermost);
        let close = match self.scanner.text.as_bytes()[opened] {
            b'(' => ')',
            b'[' => ']',
            b'{' => '}',
            _ => close,
        };
        let label = format!("this bracket is not closed: a `{close}` is missing");
        self.scanner.fault(
            opened..opened + 1,
            "the file ends before all brackets are closed",
            &label,
            &format!("add the `{close}` where the bracket should end"),
        )
    }

    /// After a value: a comma, or the end of the brackets around it.
    fn separator(&mut self, last: &Span) -> Read<()> {
        self.scanner.skip_blank()?;
        let Some(&(opened, close)) = self.open.last() else { return Ok(()) };
        let found = match self.scanner.peek() {
            Some(',') => {
                self.scanner.at += 1;
                return Ok(());
            }
            Some(c) if c == close => return Ok(()),
            None => return Err(self.cut_short()),
            Some(found) => found,
        };
        let before = &self.scanner.text[last.clone()];
        if before.starts_with('"') && before.contains('\n') {
            let label =
                format!("the string that begins here ends at {}", self.scanner.place(last.end - 1));
            let (quote, help) = (last.start..last.start + 1, "is its closing quote missing?");
            return Err(self.scanner.fault(quote, "a string is not closed", &label, help));
        }
        if matches!(found, ')' | ']' | '}') {
            let opened = self.scanner.place(opened);
            let label = format!("expected `{close}` to close the bracket of {opened}");
            let help = format!("write `{close}`, or close the inner brackets first");
            return Err(self.scanner.fault_here("the brackets do not match", &label, &help));
        }
        let (message, help) = match found {
            '=' => ("a field is written with a colon", "write name: value".to_owned()),
            ':' => (
                "a colon has no place here",
                format!(
                    "only fields, name: value, and map entries have one; `{before}` is a value here"
                ),
            ),
            '/' | '*' => ("numbers are not computed", "write a decimal number".to_owned()),
            _ if is_name(before) && close == ')' => {
                ("a colon is missing", format!("a field is written `{before}: value`"))
            }
            _ => ("a comma is missing", "put a comma between one value and the next".to_owned()),
        };
        let help = if help.len() > 120 { "put a comma or a bracket here".to_owned() } else { help };
        let label = format!("expected `,` or `{close}` before {}", self.scanner.quoted());
        Err(self.scanner.fault_here(message, &label, &help))
    }

    fn items(&mut self) -> Read<Vec<Node>> {
        let mut items = Vec::new();
        while !self.leave()? {
            let item = self.value()?;
            self.separator(&item.span)?;
            items.push(item);
        }
        Ok(items)
    }

    fn entries(&mut self) -> Read<Vec<(Node, Node)>> {
        let mut entries = Vec::new();
        while !self.leave()? {
            let key = self.value()?;
            self.colon("a map entry is written key: value")?;
            let value = self.value()?;
            self.separator(&value.span)?;
            entries.push((key, value));
        }
        Ok(entries)
    }

    fn parenthesised(&mut self) -> Read<Kind> {
        let first = self.scanner.at;
        let has_names = self.field_name()?.is_some() && self.scanner.peek() == Some(':');
        self.scanner.at = first;
        if !has_names {
            return Ok(Kind::Tuple(self.items()?));
        }
        let mut fields = Vec::new();
        while !self.leave()? {
            let Some(name) = self.field_name()? else {
                if self.scanner.peek().is_none() {
                    return Err(self.cut_short());
                }
                let label =
                    format!("expected the name of a field, found {}", self.scanner.quoted());
                let help = "fields are written name: value, with a comma between them";
                return Err(self.scanner.fault_here("a field has no name", &label, help));
            };
            self.colon("a field is written name: value")?;
            let value = self.value()?;
            self.separator(&value.span)?;
            fields.push((name, value));
        }
        Ok(Kind::Struct(fields))
    }

    fn colon(&mut self, help: &str) -> Read<()> {
        self.scanner.skip_blank()?;
        match self.scanner.peek() {
            Some(':') => {
                self.scanner.at += 1;
                Ok(())
            }
            None => Err(self.cut_short()),
            Some(_) => {
                let label = format!("expected `:` before {}", self.scanner.quoted());
                Err(self.scanner.fault_here("a colon is missing", &label, help))
            }
        }
    }

    /// A name, and the blanks after it.
    fn field_name(&mut self) -> Read<Option<String>> {
        self.scanner.skip_blank()?;
        let start = self.scanner.at;
        if self.scanner.rest().starts_with(|c: char| c.is_alphabetic() || c == '_')
            && self.scanner.word()?
        {
            let name = &self.scanner.text[start..self.scanner.at];
            if is_name(name) {
                self.scanner.skip_blank()?;
                return Ok(Some(name.trim_start_matches("r#").to_owned()));
            }
        }
        self.scanner.at = start;
        Ok(None)
    }
}

fn is_name(word: &str) -> bool {
    let word = word.trim_start_matches("r#");
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().all(is_word)
}
