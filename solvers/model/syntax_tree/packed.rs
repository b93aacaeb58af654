//! Long lists of plain numbers, or of lists of these. They are scanned byte by byte, and parsed
//! only where a message must refer to an element. Load vectors are also read here, since `ron`
//! would take most of the time.

use super::reader;
use super::syntax::Node;
use crate::complaint::{Source, Span};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The length in bytes from which on a list is long.
const LONG: usize = 4096;

/// The digits from which on a number may exceed all doubles.
const MANY_DIGITS: usize = 300;

/// A long list that has not been parsed.
#[derive(Debug, Clone)]
pub(in crate::model) struct Packed {
    source: Source,
    span: Span,
    items: OnceLock<Vec<Node>>,
}

impl Packed {
    /// The list that opens at `open`, if it is plain and long; otherwise the position where the
    /// scan ended.
    pub(in crate::model) fn at(source: &Source, open: usize) -> Result<Packed, usize> {
        let end = end_of_plain_list(source.text().as_bytes(), open)?;
        if end - open < LONG {
            return Err(end);
        }
        Ok(Packed { source: source.clone(), span: open..end, items: OnceLock::new() })
    }

    /// The end of the list.
    pub(in crate::model) fn end(&self) -> usize {
        self.span.end
    }

    pub(in crate::model) fn items(&self) -> &[Node] {
        self.items.get_or_init(|| reader::items_of(&self.source, self.span.start))
    }

    /// The load vectors of a list of lists of integers.
    fn rows(&self) -> Option<Vec<Vec<i64>>> {
        let text = &self.source.text()[self.span.start + 1..self.span.end - 1];
        let mut lists = text.split('[');
        let blank = |text: &str| !text.bytes().any(|c| c.is_ascii_graphic() && c != b',');
        if !lists.next().is_some_and(blank) {
            return None;
        }
        // Most rows are as long as the one before.
        let mut length = 0;
        let row = |list: &str| {
            let (numbers, _) = list.split_once(']').filter(|(_, after)| blank(after))?;
            // A comma may follow the last of them.
            let numbers = numbers.trim_end_matches([' ', ',']);
            let mut row = Vec::with_capacity(length);
            for number in numbers.split(',').filter(|_| !numbers.is_empty()) {
                row.push(number.trim_matches(' ').parse().ok()?);
            }
            length = row.len();
            Some(row)
        };
        lists.map(row).collect()
    }
}

/// The end of the list that opens at `open`, if it contains plain decimals, or lists of them each
/// on one line. Otherwise the position of the first other part.
fn end_of_plain_list(bytes: &[u8], open: usize) -> Result<usize, usize> {
    let (mut at, mut inside, mut stands) = (open + 1, false, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' => at += 1,
            b'\n' | b'\r' if !inside => at += 1,
            b',' if stands => (at, stands) = (at + 1, false),
            b'[' if !inside && !stands => (at, inside) = (at + 1, true),
            b']' if inside => (at, inside, stands) = (at + 1, false, true),
            b']' => return Ok(at + 1),
            _ if !stands => {
                let part = |c: &u8| c.is_ascii_digit() || matches!(c, b'-' | b'.');
                let rest = &bytes[at..];
                let length = rest.iter().position(|c| !part(c)).unwrap_or(rest.len());
                if !(1..MANY_DIGITS).contains(&length) {
                    return Err(at);
                }
                (at, stands) = (at + length, true);
            }
            _ => return Err(at),
        }
    }
    Err(at)
}

/// The load vectors at `path`, where they are many and all integers, and the text without them. The
/// positions of all other parts stay the same.
pub(crate) fn set_aside<'a>(
    text: &'a str,
    tree: &Node,
    path: &str,
) -> (Cow<'a, str>, Option<Vec<Vec<i64>>>) {
    let Some(rows) = tree.find(path).and_then(Node::packed).and_then(Packed::rows) else {
        return (Cow::Borrowed(text), None);
    };
    let span = tree.locate(path);
    let inside = span.start + 1..span.end - 1;
    let mut rest = String::with_capacity(text.len());
    rest.push_str(&text[..inside.start]);
    rest.extend(text[inside.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
    rest.push_str(&text[inside.end..]);
    (Cow::Owned(rest), Some(rows))
}
