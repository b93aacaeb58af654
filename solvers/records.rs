//! Reads comma-separated values and similar formats as records with their line numbers.

use std::io::{BufRead, Result};

/// The prefix that some programs write before UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// The first line of a record, and its fields.
type Record<'a> = (u64, &'a [Vec<u8>]);

/// Reads one record after the other. Line ends may be those of any system. Empty lines and lines
/// that begin with `#` are skipped.
pub struct Records<R> {
    input: R,
    delimiter: u8,
    /// The number of lines read.
    lines: u64,
    /// Whether the last line ended with a carriage return, which a line feed may follow.
    returned: bool,
    /// The current line.
    line: Vec<u8>,
    fields: Vec<Vec<u8>>,
}

impl<R: BufRead> Records<R> {
    /// The records of `input`, which follows `lines` earlier lines.
    pub fn new(input: R, delimiter: u8, lines: u64) -> Records<R> {
        let (line, fields) = (Vec::new(), Vec::new());
        Records { input, delimiter, lines, returned: false, line, fields }
    }

    /// The number of the line that was read last, from 1.
    pub fn line(&self) -> u64 {
        self.lines
    }

    /// The first line of the next record, and its fields without surrounding blanks and quotes;
    /// `None` at the end.
    ///
    /// # Errors
    /// Those of the input.
    pub fn next(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            if !self.read()? {
                return Ok(None);
            }
            if self.lines == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
            }
            if !self.line.is_empty() && self.line[0] != b'#' && !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        let first = self.lines;
        self.fields.clear();
        let mut quoted = None;
        loop {
            let Records { line, delimiter, fields, .. } = self;
            quoted = split(line, *delimiter, quoted, fields);
            let Some(mut begun) = quoted.take() else { break };
            // The closing quote is on a later line, unless it is missing.
            if !self.read()? {
                self.fields.push(begun.trim_ascii().to_vec());
                break;
            }
            begun.push(b'\n');
            quoted = Some(begun);
        }
        Ok(Some((first, &self.fields)))
    }

    /// Reads a line, if there is one.
    fn read(&mut self) -> Result<bool> {
        self.line.clear();
        let mut any = false;
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                self.lines += u64::from(any);
                return Ok(any);
            }
            if std::mem::take(&mut self.returned) && buffer[0] == b'\n' {
                self.input.consume(1);
                continue;
            }
            any = true;
            let end = memchr::memchr2(b'\n', b'\r', buffer);
            let taken = end.unwrap_or(buffer.len());
            self.line.extend_from_slice(&buffer[..taken]);
            self.returned = end.is_some_and(|end| buffer[end] == b'\r');
            self.input.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                self.lines += 1;
                return Ok(true);
            }
        }
    }
}

/// Adds the fields of a line, which may begin within quotes. Returns the field whose quotes are
/// still open at its end.
fn split(
    line: &[u8],
    delimiter: u8,
    mut quoted: Option<Vec<u8>>,
    fields: &mut Vec<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut at = 0;
    loop {
        let mut field = quoted.take().or_else(|| {
            let opens = line.get(at) == Some(&b'"');
            at += usize::from(opens);
            opens.then(Vec::new)
        });
        // Up to the closing quote; two quotes are one.
        while let Some(own) = &mut field {
            let Some(end) = memchr::memchr(b'"', &line[at..]) else {
                own.extend_from_slice(&line[at..]);
                return field;
            };
            own.extend_from_slice(&line[at..at + end]);
            at += end + 1;
            if line.get(at) != Some(&b'"') {
                break;
            }
            own.push(b'"');
            at += 1;
        }
        let mut field = field.unwrap_or_default();
        let end = memchr::memchr(delimiter, &line[at..]).map(|end| at + end);
        field.extend_from_slice(&line[at..end.unwrap_or(line.len())]);
        fields.push(field.trim_ascii().to_vec());
        at = end? + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Records;
    use proptest::prelude::*;

    /// Every record of a text with its first line.
    fn all(text: &[u8]) -> Vec<(u64, Vec<String>)> {
        let mut records = Records::new(text, b',', 0);
        let mut all = Vec::new();
        while let Some((line, fields)) = records.next().unwrap() {
            let fields = fields.iter().map(|field| String::from_utf8(field.clone()).unwrap());
            all.push((line, fields.collect()));
        }
        all
    }

    proptest! {
        /// Records begin on the lines that were counted when writing them.
        #[test]
        fn records_begin_on_the_lines_they_were_written_to(
            records in prop::collection::vec(
                (prop::collection::vec("[a-c\"\n, ]{0,4}[a-c]", 1..4), 0usize..3, any::<bool>()), 0..8,
            ),
            end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        ) {
            let (mut text, mut line, mut expected) = (String::new(), 1, Vec::new());
            for (fields, blanks, comment) in records {
                line += blanks as u64 + u64::from(comment);
                text += &end.repeat(blanks);
                text += &if comment { format!("# \"a{end}") } else { String::new() };
                let written: Vec<String> =
                    fields.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\""))).collect();
                text += &(written.join(",") + end);
                let held = fields.iter().map(|field| field.trim_ascii().to_owned()).collect();
                let within: usize = fields.iter().map(|field| field.matches('\n').count()).sum();
                expected.push((line, held));
                line += 1 + within as u64;
            }
            prop_assert_eq!(all(text.as_bytes()), expected);
        }

        /// The fields of a line are those of another CSV reader.
        #[test]
        fn fields_are_those_of_another_reader(text in "[a\", ]{1,12}") {
            prop_assume!(!text.trim().is_empty());
            let mut other = csv::ReaderBuilder::new()
                .has_headers(false)
                .trim(csv::Trim::All)
                .from_reader(text.as_bytes());
            let expected: Vec<String> =
                other.records().next().unwrap().unwrap().iter().map(str::to_owned).collect();
            prop_assert_eq!(&all(text.as_bytes())[0].1, &expected);
        }
    }

    #[test]
    fn a_last_line_without_an_end_and_quotes_that_are_not_closed() {
        let fields =
            |list: &[&str]| list.iter().map(|field| (*field).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            all(b"\xef\xbb\xbfx\r\n\r\n1,2"),
            [(1, fields(&["x"])), (3, fields(&["1", "2"]))]
        );
        assert_eq!(all(b"1,\"a\r\nb"), [(1, fields(&["1", "a\nb"]))]);
    }
}
