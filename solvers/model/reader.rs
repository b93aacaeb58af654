//! Reads RON as far as its shape goes, and says where it goes wrong better than `ron` can.

use super::syntax::{Kind, Node, Span};

/// Where a text stops being RON.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The offending token, or the bracket or quote that is never closed.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What is wrong with the token.
    pub label: String,
    /// What would be right.
    pub help: String,
}

/// Reads one value that fills the whole of `text`.
pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let mut reader = Reader { text, at: 0, open: Vec::new(), askew: None };
    reader.skip_attributes()?;
    let value = reader.value()?;
    reader.skip_blank()?;
    match reader.peek() {
        None => Ok(value),
        Some(_) if value.is_scalar() => Err(reader.fault(
            value.span,
            "this is not a model",
            "expected Model(...)",
            "a model file reads Model(title: \"...\", problem: ...)",
        )),
        Some(_) => Err(reader.fault_here(
            "there is more text after the model",
            "the model ends before this",
            "a file holds one Model(...): remove the rest, or a bracket too many before it",
        )),
    }
}

/// Brackets may be nested so deep; `ron` gives up at 128 values in each other.
const MAX_DEPTH: usize = 128;

/// Longest token a message quotes, in characters.
const QUOTED: usize = 24;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The brackets not yet closed: where, and which bracket closes them.
    open: Vec<(usize, char)>,
    /// A bracket closed on a line of another indentation than the one it was opened on.
    askew: Option<usize>,
}

type Read<T> = Result<T, Fault>;

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn fault(&self, span: Span, message: &str, label: &str, help: &str) -> Fault {
        let (message, label, help) = (message.to_owned(), label.to_owned(), help.to_owned());
        Fault { span, message, label, help }
    }

    fn fault_here(&self, message: &str, label: &str, help: &str) -> Fault {
        self.fault(self.token(), message, label, help)
    }

    /// The word or sign that comes next.
    fn token(&self) -> Span {
        let word = self.rest().find(|c: char| !is_word(c)).unwrap_or(self.rest().len());
        let length = if word > 0 { word } else { self.peek().map_or(0, char::len_utf8) };
        self.at..self.at + length
    }

    fn quoted(&self) -> String {
        let token = &self.text[self.token()];
        if token.chars().count() <= QUOTED {
            return format!("`{token}`");
        }
        format!("`{}...`", token.chars().take(QUOTED).collect::<String>())
    }

    fn place(&self, at: usize) -> String {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        format!("line {line}, column {}", before[start..].chars().count() + 1)
    }

    fn skip_blank(&mut self) -> Read<()> {
        loop {
            let blank = |c: char| {
                c.is_whitespace() && c.is_ascii()
                    || "\u{85}\u{200e}\u{200f}\u{2028}\u{2029}".contains(c)
            };
            let trimmed = self.rest().trim_start_matches(blank);
            self.at = self.text.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                self.skip_block_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_block_comment(&mut self) -> Read<()> {
        let (bytes, opened) = (self.text.as_bytes(), self.at);
        let mut depth = 0usize;
        // Both signs are ASCII: a byte search cannot cut a character.
        while let Some(sign) = bytes.get(self.at..self.at + 2) {
            match sign {
                b"/*" => depth += 1,
                b"*/" => depth -= 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return Ok(());
            }
        }
        Err(self.fault(
            opened..opened + 2,
            "a comment is never closed",
            "this comment goes on to the end of the file",
            "close it with */ (comments nest: each /* needs its own)",
        ))
    }

    fn skip_attributes(&mut self) -> Read<()> {
        self.skip_blank()?;
        while self.rest().starts_with("#!") {
            self.at += self.rest().find(']').map_or(self.rest().len(), |end| end + 1);
            self.skip_blank()?;
        }
        Ok(())
    }

    fn value(&mut self) -> Read<Node> {
        self.skip_blank()?;
        let start = self.at;
        let kind = match self.peek() {
            None => return Err(self.cut_short()),
            Some('[') => {
                self.enter(']')?;
                Kind::List(self.items()?)
            }
            Some('{') => {
                self.enter('}')?;
                Kind::Map(self.entries()?)
            }
            Some('(') => {
                self.enter(')')?;
                self.parenthesised()?
            }
            Some('"') => {
                self.string()?;
                Kind::Scalar
            }
            Some('\'') => {
                self.character()?;
                Kind::Scalar
            }
            Some(_) => {
                if !self.word()? {
                    return Err(self.missing_value());
                }
                let after_word = self.at;
                self.skip_blank()?;
                if self.peek() == Some('(') {
                    self.enter(')')?;
                    self.parenthesised()?
                } else {
                    self.at = after_word;
                    Kind::Scalar
                }
            }
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn missing_value(&self) -> Fault {
        let label = format!("expected a value here, found {}", self.quoted());
        let help = match self.peek() {
            Some(')' | ']' | '}' | ',') => "write the value, or remove what announces it",
            Some('=') => "fields are written name: value",
            _ => "values are numbers, \"strings\", Names, Name(...), [lists] and {key: value} maps",
        };
        self.fault_here("a value is missing", &label, help)
    }

    /// Steps over an opening bracket.
    fn enter(&mut self, close: char) -> Read<()> {
        if self.open.len() >= MAX_DEPTH {
            let label = format!("more than {MAX_DEPTH} brackets are open here");
            let help = "model files nest a few levels only";
            return Err(self.fault_here("the file is nested too deeply", &label, help));
        }
        self.open.push((self.at, close));
        self.at += 1;
        Ok(())
    }

    /// Steps over the closing bracket if it comes next.
    fn leave(&mut self) -> Read<bool> {
        self.skip_blank()?;
        let Some(&(opened, close)) = self.open.last() else { return Ok(false) };
        if self.peek() != Some(close) {
            return Ok(false);
        }
        self.open.pop();
        let indentation = |at: usize| {
            let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            let line = &self.text[start..];
            let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
            (start, blank, start + blank == at)
        };
        if self.askew.is_none() {
            let ((first, outer, _), (last, inner, leads)) =
                (indentation(opened), indentation(self.at));
            if first != last && leads && outer != inner {
                self.askew = Some(opened);
            }
        }
        self.at += 1;
        Ok(true)
    }

    /// The file ends inside brackets.
    fn cut_short(&self) -> Fault {
        let Some(&(innermost, close)) = self.open.last() else {
            let help = "a model file reads Model(title: \"...\", problem: ...)";
            return self.fault(0..0, "the file holds no model", "only blanks and comments", help);
        };
        // Where indentation tells that an earlier bracket was meant to close, that one is the culprit.
        let opened = self.askew.unwrap_or(innermost);
        let close = match self.text.as_bytes()[opened] {
            b'(' => ')',
            b'[' => ']',
            b'{' => '}',
            _ => close,
        };
        let label = format!("this bracket is not closed: a `{close}` is missing");
        self.fault(
            opened..opened + 1,
            "the file ends before all brackets are closed",
            &label,
            &format!("add the `{close}` where the bracket should end"),
        )
    }

    /// After a value: a comma, or the end of the brackets it stands in.
    fn separator(&mut self, last: &Span) -> Read<()> {
        self.skip_blank()?;
        let Some(&(opened, close)) = self.open.last() else { return Ok(()) };
        let found = match self.peek() {
            Some(',') => {
                self.at += 1;
                return Ok(());
            }
            Some(c) if c == close => return Ok(()),
            None => return Err(self.cut_short()),
            Some(found) => found,
        };
        let before = &self.text[last.clone()];
        if before.starts_with('"') && before.contains('\n') {
            let label = format!("the string that begins here ends at {}", self.place(last.end - 1));
            let help = "is its closing quote missing?";
            return Err(self.fault(
                last.start..last.start + 1,
                "a string is not closed",
                &label,
                help,
            ));
        }
        if matches!(found, ')' | ']' | '}') {
            let label =
                format!("expected `{close}` to close the bracket of {}", self.place(opened));
            let help = format!("write `{close}`, or close the inner brackets first");
            return Err(self.fault_here("the brackets do not match", &label, &help));
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
        let label = format!("expected `,` or `{close}` before {}", self.quoted());
        Err(self.fault_here(message, &label, &help))
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
        let first = self.at;
        let has_names = self.field_name()?.is_some() && self.peek() == Some(':');
        self.at = first;
        if !has_names {
            return Ok(Kind::Tuple(self.items()?));
        }
        let mut fields = Vec::new();
        while !self.leave()? {
            let Some(name) = self.field_name()? else {
                if self.peek().is_none() {
                    return Err(self.cut_short());
                }
                let label = format!("expected the name of a field, found {}", self.quoted());
                let help = "fields are written name: value, with a comma between them";
                return Err(self.fault_here("a field has no name", &label, help));
            };
            self.colon("a field is written name: value")?;
            let value = self.value()?;
            self.separator(&value.span)?;
            fields.push((name, value));
        }
        Ok(Kind::Struct(fields))
    }

    fn colon(&mut self, help: &str) -> Read<()> {
        self.skip_blank()?;
        match self.peek() {
            Some(':') => {
                self.at += 1;
                Ok(())
            }
            None => Err(self.cut_short()),
            Some(_) => {
                let label = format!("expected `:` before {}", self.quoted());
                Err(self.fault_here("a colon is missing", &label, help))
            }
        }
    }

    /// A name, and the blanks after it.
    fn field_name(&mut self) -> Read<Option<String>> {
        self.skip_blank()?;
        let start = self.at;
        if self.rest().starts_with(|c: char| c.is_alphabetic() || c == '_') && self.word()? {
            let name = &self.text[start..self.at];
            if is_name(name) {
                self.skip_blank()?;
                return Ok(Some(name.trim_start_matches("r#").to_owned()));
            }
        }
        self.at = start;
        Ok(None)
    }

    fn string(&mut self) -> Read<()> {
        let opened = self.at;
        let mut escaped = false;
        for (offset, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at += offset + 1;
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(self.unclosed_string(opened, "\""))
    }

    fn unclosed_string(&self, opened: usize, close: &str) -> Fault {
        let label = "this string goes on to the end of the file";
        let help = format!("close it with {close}");
        self.fault(opened..opened + 1, "a string is never closed", label, &help)
    }

    /// `'c'`: no model has one, but a bracket in it must not count.
    fn character(&mut self) -> Read<()> {
        let body = self.rest()[1..].strip_prefix('\\').unwrap_or(&self.rest()[1..]);
        let first = body.chars().next().map_or(0, char::len_utf8);
        match body[first..].find('\'') {
            Some(end) if end < 12 => {
                self.at = self.text.len() - body.len() + first + end + 1;
                Ok(())
            }
            _ => Err(self.fault_here(
                "a single quote is not closed",
                "expected a value here",
                "strings stand in double quotes",
            )),
        }
    }

    /// A number, a name, a raw string or a byte string; whether there was one.
    fn word(&mut self) -> Read<bool> {
        let start = self.at;
        let rest = self.rest();
        let raw = rest.strip_prefix('b').unwrap_or(rest);
        if let Some(body) = raw.strip_prefix('r') {
            let hashes = body.len() - body.trim_start_matches('#').len();
            if body[hashes..].starts_with('"') {
                let close = format!("\"{}", &body[..hashes]);
                let inner = self.text.len() - body.len() + hashes + 1;
                let Some(end) = self.text[inner..].find(&close) else {
                    return Err(self.unclosed_string(start, &close));
                };
                self.at = inner + end + close.len();
                return Ok(true);
            }
        }
        if let Some(quote @ ('"' | '\'')) = raw.chars().next().filter(|_| raw.len() < rest.len()) {
            self.at += 1;
            if quote == '"' { self.string() } else { self.character() }?;
            return Ok(true);
        }
        let raw_name = if rest.starts_with("r#") { 2 } else { 0 };
        let end = rest[raw_name..].find(|c: char| !is_word(c));
        self.at += end.map_or(rest.len(), |end| end + raw_name);
        Ok(self.at > start)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_+-.".contains(c)
}

fn is_name(word: &str) -> bool {
    let word = word.trim_start_matches("r#");
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().all(is_word)
}
