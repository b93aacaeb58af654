//! The text of a file, as messages show it.

use super::Span;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// A file's name and text.
///
/// Excerpts are cropped and have no control characters. So messages stay short for large files,
/// long lines and unusual bytes.
#[derive(Debug)]
pub struct ReadText {
    name: String,
    text: String,
    /// `text` with every control character replaced by as many question marks; `None` if it has
    /// none.
    printable: Option<String>,
    /// Where each line starts.
    starts: Vec<usize>,
}

/// The bytes of a line that are shown before and after the place of a message.
const MARGIN: usize = 100;

/// The most bytes of that place that are shown.
const WIDEST: usize = 80;

impl ReadText {
    /// The text of the file called `name`.
    pub fn new(name: String, text: String) -> ReadText {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        let hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        let printable = text.contains(hidden).then(|| {
            text.split_inclusive(hidden)
                .map(|part| match part.chars().next_back() {
                    Some(c) if hidden(c) => {
                        let kept = &part[..part.len() - c.len_utf8()];
                        format!("{kept}{}", "?".repeat(c.len_utf8()))
                    }
                    _ => part.to_owned(),
                })
                .collect()
        });
        ReadText { name, text, printable, starts }
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line number (from 0) of a byte.
    pub fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// Line and column of a byte as people count them: from 1, columns in characters.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let line = self.line(at);
        (line + 1, self.text[self.starts[line]..at].chars().count() + 1)
    }

    /// The bytes of a line without its line break.
    fn line_span(&self, line: usize) -> Span {
        let start = self.starts[line];
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let end = if self.text[start..end].ends_with('\r') { end - 1 } else { end };
        start..end
    }

    /// The part of `span` to underline: its first line, up to a maximum.
    pub fn visible(&self, span: &Span) -> Span {
        let start = self.floor(span.start);
        let end = span.end.min(self.line_span(self.line(start)).end).min(start + WIDEST);
        start..self.floor(end.max(start))
    }

    /// The byte offset of a position of `ron`: lines and columns from 1, columns in characters.
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let Some(&start) = line.checked_sub(1).and_then(|line| self.starts.get(line)) else {
            return self.text.len();
        };
        let rest = &self.text[start..];
        let beyond = self.starts.get(line).map_or(rest.len(), |next| next - start);
        let column = rest[..beyond].char_indices().nth(column.saturating_sub(1));
        start + column.map_or(beyond, |(at, _)| at)
    }

    /// The nearest character boundary at or before `at`.
    fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

impl SourceCode for ReadText {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let start = span.offset();
        if start > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let end = (start + span.len()).min(self.text.len());
        let (first, last) = (self.line(start), self.line(end));
        let (mut from, mut to) =
            (first.saturating_sub(before), (last + after).min(self.starts.len() - 1));
        // Neighboring lines are left out where they are long, or where too much of this line would
        // be shown.
        let long = |line: usize| self.line_span(line).len() > 2 * MARGIN;
        if start - self.line_span(first).start > MARGIN {
            from = first;
        }
        if self.line_span(last).end.saturating_sub(end) > MARGIN {
            to = last;
        }
        from = (from..=first).rev().take_while(|l| *l == first || !long(*l)).last().unwrap_or(from);
        to = (last..=to).take_while(|l| *l == last || !long(*l)).last().unwrap_or(to);
        let mut opening = self.line_span(from).start;
        if from == first && start - opening > MARGIN {
            opening = self.floor(start - MARGIN);
        }
        let (column, shown_from) = match (before, after) {
            // The request is only for the place itself.
            (0, 0) => (self.place(start).1 - 1, start),
            _ => (self.text[self.line_span(from).start..opening].chars().count(), opening),
        };
        let mut closing = self.line_span(to).end.max(end);
        if to == last && closing - end > MARGIN {
            closing = self.floor(end + MARGIN);
        }
        let text = self.printable.as_ref().unwrap_or(&self.text);
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            &text.as_bytes()[shown_from..closing],
            (shown_from, closing - shown_from).into(),
            from,
            column,
            to - from + 1,
        )))
    }
}
