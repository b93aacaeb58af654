//! Splits a RON text into words, strings, comments and signs.

use super::explain::quoted;
use crate::complaint::{Complaint, Source, Span};

/// A text, and the position that has been read.
pub(super) struct Scanner<'a> {
    pub(super) source: &'a Source,
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// A part that has been read, or the first fault.
pub(super) type Read<T> = Result<T, Complaint>;

impl<'a> Scanner<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn fault(&self, span: Span, message: &str, label: &str, help: &str) -> Complaint {
        Complaint::at(self.source, span, message, label, help)
    }

    pub(super) fn fault_here(&self, message: &str, label: &str, help: &str) -> Complaint {
        self.fault(self.token(), message, label, help)
    }

    /// The next word or sign.
    pub(super) fn token(&self) -> Span {
        let word = self.rest().find(|c: char| !is_word(c)).unwrap_or(self.rest().len());
        let length = if word > 0 { word } else { self.peek().map_or(0, char::len_utf8) };
        self.at..self.at + length
    }

    pub(super) fn quoted(&self) -> String {
        quoted(&self.text[self.token()])
    }

    pub(super) fn place(&self, at: usize) -> String {
        let (line, column) = self.source.place(at);
        format!("line {line}, column {column}")
    }

    pub(super) fn skip_blank(&mut self) -> Read<()> {
        let bytes = self.text.as_bytes();
        loop {
            // Large files are mostly numbers, with spaces and line ends between them.
            while let Some(b' ' | b'\n') = bytes.get(self.at) {
                self.at += 1;
            }
            if bytes.get(self.at).is_some_and(|c| c.is_ascii_graphic() && *c != b'/') {
                return Ok(());
            }
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

    pub(super) fn skip_block_comment(&mut self) -> Read<()> {
        let (bytes, opened) = (self.text.as_bytes(), self.at);
        let mut depth = 0usize;
        // Both signs are ASCII: a byte search cannot split a character.
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

    pub(super) fn skip_attributes(&mut self) -> Read<()> {
        self.skip_blank()?;
        while self.rest().starts_with("#!") {
            self.at += self.rest().find(']').map_or(self.rest().len(), |end| end + 1);
            self.skip_blank()?;
        }
        Ok(())
    }

    pub(super) fn string(&mut self) -> Read<()> {
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

    pub(super) fn unclosed_string(&self, opened: usize, close: &str) -> Complaint {
        let label = "this string goes on to the end of the file";
        let help = format!("close it with {close}");
        self.fault(opened..opened + 1, "a string is never closed", label, &help)
    }

    /// Skips `'c'`: no model has one, but a bracket in it must not count.
    pub(super) fn character(&mut self) -> Read<()> {
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

    /// Skips a number, a name, a raw string or a byte string. Returns whether there was one.
    pub(super) fn word(&mut self) -> Read<bool> {
        let start = self.at;
        if self.plain_number() {
            return Ok(true);
        }
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

    /// Skips a word of digits, signs and points, if it has nothing else.
    fn plain_number(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let part = |c: &u8| c.is_ascii_digit() || matches!(c, b'-' | b'.');
        let end = rest.iter().position(|c| !part(c)).unwrap_or(rest.len());
        let ends = rest.get(end).is_none_or(|c| matches!(c, b',' | b']' | b')' | b' ' | b'\n'));
        let found = end > 0 && ends;
        self.at += if found { end } else { 0 };
        found
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_+-.".contains(c)
}
