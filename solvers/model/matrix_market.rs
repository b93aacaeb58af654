//! Reads transition matrices in the Matrix Market coordinate format.
//!
//! `sprs` reads this format, too, but panics on indices out of range; input must not cause panics.

use super::number::Decimal;
use std::io::BufRead;
use std::ops::Range;
use std::path::Path;

/// Row and column, counted from 0, and the value there.
pub type Entry = (usize, usize, f64);

/// Reads the rows `own` of a real square matrix with `expected` rows, general or symmetric; the
/// entries of a symmetric one are listed on both sides. These rows must sum to 1.
///
/// # Errors
/// The fault of the file, in words, with its line.
pub fn read(path: &Path, expected: usize, own: Range<usize>) -> Result<Vec<Entry>, String> {
    let shown = path.display();
    let file =
        std::fs::File::open(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let mut text = Text { file: std::io::BufReader::new(file), line: String::new(), number: 0 };
    let wrong =
        |line: usize, what: &str| format!("{shown}:{line}: not a Matrix Market file: {what}");
    let unread = |(line, error): (usize, std::io::Error)| wrong(line, &error.to_string());
    let banner = text.next().map_err(unread)?.map(|(_, line)| line.to_lowercase());
    let banner = banner.unwrap_or_default();
    let words: Vec<&str> = banner.split_whitespace().collect();
    let symmetric = match words.as_slice() {
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "general"] => false,
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "symmetric"] => true,
        _ => {
            let what = "the first line reads `%%MatrixMarket matrix coordinate real general`";
            return Err(wrong(1, what));
        }
    };
    let sizes = text.next().map_err(unread)?;
    let (at, sizes) = sizes.ok_or_else(|| wrong(2, "the sizes are missing"))?;
    let numbers: Option<Vec<usize>> =
        sizes.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some(&[rows, columns, count]) = numbers.as_deref() else {
        return Err(wrong(at, "expected rows, columns and number of entries"));
    };
    if rows != expected || columns != expected {
        return Err(format!("{shown} is {rows} x {columns}, but `loads` lists {expected} states"));
    }
    let mut sums = vec![0.0; own.len()];
    let mut entries = Vec::new();
    let mut read = 0;
    while let Some((at, line)) = text.next().map_err(unread)? {
        let (i, j, word) = entry(line).map_err(|what| wrong(at, what))?;
        if i >= rows || j >= columns {
            let what = format!("({}, {}) is outside {rows} x {columns}", i + 1, j + 1);
            return Err(wrong(at, &what));
        }
        let number = probability(word).map_err(|()| wrong(at, "expected row, column and value"))?;
        let Some(number) = number else {
            let place = format!("{shown}:{at}: the entry ({}, {}) is {word}", i + 1, j + 1);
            return Err(format!("{place}, and a probability is between 0 and 1"));
        };
        let opposite = (symmetric && i != j).then_some((j, i));
        for (row, column) in std::iter::once((i, j)).chain(opposite) {
            if own.contains(&row) {
                entries.push((row, column, number));
                sums[row - own.start] += number;
            }
        }
        read += 1;
    }
    if read != count {
        return Err(format!("{shown}: {count} entries announced, {read} found"));
    }
    // Each addition rounds by half of that at most.
    let rounding = expected as f64 * f64::EPSILON;
    let off = |(_, sum): &(usize, &f64)| (*sum - 1.0).abs() > 1e-9 + rounding;
    if let Some((row, sum)) = (own.start + 1..).zip(&sums).find(off) {
        let sum = (sum * 1e12).round() / 1e12;
        return Err(format!("{shown}: row {row} sums to {sum}, not to 1"));
    }
    Ok(entries)
}

/// Row and column from 0, and the text of the value.
fn entry(line: &str) -> Result<(usize, usize, &str), &'static str> {
    let mut words = line.split_ascii_whitespace();
    let mut index = || words.next()?.parse::<usize>().ok()?.checked_sub(1);
    let (Some(i), Some(j)) = (index(), index()) else {
        return Err("expected a row and a column, from 1");
    };
    let (Some(number), None) = (words.next(), words.next()) else {
        return Err("expected row, column and value");
    };
    Ok((i, j, number))
}

/// The double nearest to a decimal number, if the number itself lies in \[0, 1\].
///
/// # Errors
/// The word is not a decimal number.
fn probability(word: &str) -> Result<Option<f64>, ()> {
    match word.parse::<f64>() {
        // Longer words may be more than a model file may state.
        Ok(inside) if inside > 0.0 && inside < 1.0 && word.len() <= 32 => Ok(Some(inside)),
        // With so few digits, only 1 itself is nearest to 1.
        Ok(1.0) if word.len() < 16 => Ok(Some(1.0)),
        // What is nearest to 0 or 1 may lie beyond.
        _ => match Decimal::parse(word) {
            Ok(number) if !word.contains('_') => {
                Ok(number.is_probability().then_some(number.value))
            }
            _ => Err(()),
        },
    }
}

/// The lines of a file, one at a time.
struct Text<R> {
    file: R,
    line: String,
    number: usize,
}

impl<R: BufRead> Text<R> {
    /// The next line that is not blank or a comment, and its number from 1; the first may begin
    /// with `%`.
    fn next(&mut self) -> Result<Option<(usize, &str)>, (usize, std::io::Error)> {
        loop {
            self.line.clear();
            self.number += 1;
            let read = self.file.read_line(&mut self.line);
            if read.map_err(|error| (self.number, error))? == 0 {
                return Ok(None);
            }
            let blank = self.line.starts_with('%') || self.line.trim().is_empty();
            if self.number == 1 || !blank {
                break;
            }
        }
        Ok(Some((self.number, &self.line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_everywhere() {
        let words = "1 0.25 2.5e-01 1e-3 1e-400 1e-401 +0.5 -0.0 .5 1. 2.5 0x1 inf NaN 0.5.5 0.٣ \
                     1.00000000000000000000001 0.00000000000000000000000000000000000000000001";
        for word in words.split(' ').chain([""]) {
            let exact = Decimal::parse(word).map_err(drop);
            let found = exact.map(|number| number.is_probability().then_some(number.value));
            assert_eq!(probability(word), found, "{word}");
        }
        assert_eq!(probability("0.2_5"), Err(()));
    }
}
