//! Reads transition matrices in the Matrix Market coordinate format.
//!
//! `sprs` reads this format, too, but panics on indices out of range; input must not cause panics.

use super::number::Decimal;
use remapping::Rational;
use std::collections::HashMap;
use std::io::BufRead;
use std::ops::Range;
use std::path::Path;

/// A square matrix: its size, and (row, column, value), counted from 0.
pub struct Entries {
    /// Rows and columns.
    pub size: usize,
    /// The entries; those of a symmetric matrix are listed on both sides.
    pub entries: Vec<(usize, usize, f64)>,
}

/// Reads a real square matrix with `expected` rows, general or symmetric.
///
/// # Errors
/// The fault of the file, in words, with its line.
pub fn read(path: &Path, expected: usize) -> Result<Entries, String> {
    read_rows(path, expected, 0..expected)
}

/// The same, but keeps only the rows `own`, which must sum to 1.
///
/// # Errors
/// As [`read`].
pub fn read_rows(path: &Path, expected: usize, own: Range<usize>) -> Result<Entries, String> {
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
    let mut sums = Sums { plain: vec![0; own.len()], others: HashMap::new() };
    let mut entries = Vec::new();
    let mut read = 0;
    while let Some((at, line)) = text.next().map_err(unread)? {
        let (i, j, number) = match plain_entry(line) {
            Some(entry) => entry,
            None => entry(line).map_err(|what| wrong(at, what))?,
        };
        if i >= rows || j >= columns {
            let what = format!("({}, {}) is outside {rows} x {columns}", i + 1, j + 1);
            return Err(wrong(at, &what));
        }
        if !number.is_probability() {
            let value = line.split_whitespace().last().unwrap_or_default();
            let place = format!("{shown}:{at}: the entry ({}, {}) is {value}", i + 1, j + 1);
            return Err(format!("{place}, and a probability is between 0 and 1"));
        }
        if own.contains(&i) {
            entries.push((i, j, number.value()));
            sums.add(i - own.start, &number);
        }
        if symmetric && i != j && own.contains(&j) {
            entries.push((j, i, number.value()));
            sums.add(j - own.start, &number);
        }
        read += 1;
    }
    if read != count {
        return Err(format!("{shown}: {count} entries announced, {read} found"));
    }
    let slack = Rational::from_parts(1.into(), 1_000_000_000u32.into());
    let within = |sum: &Rational| *sum <= Rational::ONE + &slack && *sum >= Rational::ONE - &slack;
    for row in 0..own.len() {
        if !sums.is_plainly_one(row) {
            let sum = sums.of(row);
            if !within(&sum) {
                let sum = sum.to_f64().value();
                let row = own.start + row + 1;
                return Err(format!("{shown}: row {row} sums to {sum}, not to 1"));
            }
        }
    }
    Ok(Entries { size: rows, entries })
}

/// Row and column from 0, and value.
type Entry = (usize, usize, Number);

fn entry(line: &str) -> Result<Entry, &'static str> {
    let mut words = line.split_ascii_whitespace();
    let mut index = || words.next()?.parse::<usize>().ok()?.checked_sub(1);
    let (Some(i), Some(j)) = (index(), index()) else {
        return Err("expected a row and a column, from 1");
    };
    let (Some(number), None) = (words.next().and_then(Number::of), words.next()) else {
        return Err("expected row, column and value");
    };
    Ok((i, j, number))
}

/// Parses `12 7 0.25` with single spaces, as programs write it.
fn plain_entry(line: &str) -> Option<Entry> {
    let mut rest = line.trim_ascii_end().as_bytes();
    let mut index = || {
        let digits =
            rest.iter().position(|c| *c == b' ').filter(|n| (1..=MOST_DIGITS).contains(n))?;
        let place = digits_of(&rest[..digits])?.checked_sub(1)?;
        rest = &rest[digits + 1..];
        usize::try_from(place).ok()
    };
    let (i, j) = (index()?, index()?);
    Some((i, j, Number::plain(rest)?))
}

/// This many digits fit in 64 bits.
const MOST_DIGITS: usize = 19;

fn digits_of(bytes: &[u8]) -> Option<u64> {
    let digit = |c: &u8| c.is_ascii_digit().then(|| u64::from(c - b'0'));
    bytes.iter().try_fold(0u64, |all, c| Some(10 * all + digit(c)?))
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

/// The decimal places that a plain number may have, and the number 1 in units of the last of them.
const PLACES: u32 = 30;
const PLAIN_ONE: u128 = 10u128.pow(PLACES);

/// Powers of ten up to here fit in 64 bits and are exact doubles.
const EXACT_POWERS: u32 = 19;

/// An exact number of the file.
enum Number {
    /// A decimal with few digits: in units of [`PLAIN_ONE`], and the nearest double.
    Plain(u128, f64),
    /// Any other.
    Other(Decimal),
}

impl Number {
    fn of(word: &str) -> Option<Number> {
        match Number::plain(word.as_bytes()) {
            Some(number) => Some(number),
            None => Decimal::parse(word).ok().filter(|_| !word.contains('_')).map(Number::Other),
        }
    }

    /// Parses `0.25`, `1` or `2.5e-01`, as programs write them: no sign, and one digit before the
    /// point.
    fn plain(word: &[u8]) -> Option<Number> {
        let [whole, rest @ ..] = word else { return None };
        let end = rest.iter().position(|c| *c == b'e').unwrap_or(rest.len());
        let (fraction, exponent) = rest.split_at(end);
        let fraction = match fraction {
            [b'.', digits @ ..] if (1..MOST_DIGITS).contains(&digits.len()) => digits,
            [] => &[],
            _ => return None,
        };
        let down = match exponent {
            [b'e', b'-', digits @ ..] if (1..=3).contains(&digits.len()) => digits_of(digits)?,
            [b'e', b'+', b'0', b'0'] | [] => 0,
            _ => return None,
        };
        let places = fraction.len() as u32 + down as u32;
        let units = 10u128.pow(PLACES.checked_sub(places)?);
        let tens = 10u64.pow(fraction.len() as u32);
        let all = digits_of(&[*whole])? * tens + digits_of(fraction)?;
        // The quotient of two exact doubles is the nearest double.
        let value = match all < 1 << f64::MANTISSA_DIGITS && places <= EXACT_POWERS {
            true => all as f64 / 10u64.pow(places) as f64,
            false => std::str::from_utf8(word).ok()?.parse().ok()?,
        };
        Some(Number::Plain(u128::from(all) * units, value))
    }

    fn value(&self) -> f64 {
        match self {
            Number::Plain(_, value) => *value,
            Number::Other(number) => number.value,
        }
    }

    fn is_probability(&self) -> bool {
        match self {
            Number::Plain(units, _) => *units <= PLAIN_ONE,
            Number::Other(number) => number.is_probability(),
        }
    }
}

/// The exact sums of rows.
struct Sums {
    plain: Vec<u128>,
    others: HashMap<usize, Rational>,
}

impl Sums {
    fn add(&mut self, row: usize, number: &Number) {
        match number {
            Number::Plain(units, _) => {
                self.plain[row] = self.plain[row].saturating_add(*units);
            }
            Number::Other(number) => {
                *self.others.entry(row).or_insert(Rational::ZERO) += &number.exact
            }
        }
    }

    /// Whether a row of plain numbers sums to 1 within 1e-9.
    fn is_plainly_one(&self, row: usize) -> bool {
        self.plain[row].abs_diff(PLAIN_ONE) <= PLAIN_ONE / 1_000_000_000
            && !self.others.contains_key(&row)
    }

    fn of(&self, row: usize) -> Rational {
        let plain = Rational::from_parts(self.plain[row].into(), PLAIN_ONE.into());
        plain + self.others.get(&row).unwrap_or(&Rational::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn plain_numbers_are_what_they_say(word in "[0-9](\\.[0-9]{1,20})?(e-[0-9]{1,2}|e\\+00)?") {
            let exact = Decimal::parse(&word).unwrap();
            let number = Number::of(&word).unwrap();
            prop_assert_eq!(number.value().to_bits(), exact.value.to_bits());
            prop_assert_eq!(number.is_probability(), exact.is_probability());
            let mut sums = Sums { plain: vec![0], others: HashMap::new() };
            sums.add(0, &number);
            sums.add(0, &number);
            let sum = &exact.exact + &exact.exact;
            prop_assert_eq!(sums.of(0), sum.clone());
            let apart = if sum > Rational::ONE { &sum - &Rational::ONE } else { &Rational::ONE - &sum };
            let near = apart <= Rational::from_parts(1.into(), 1_000_000_000u32.into());
            prop_assert!(!sums.is_plainly_one(0) || near);
        }
    }

    proptest! {
        #[test]
        fn plain_lines_are_read_as_all_are(line in "[0-9]{1,20} ?[0-9 ]{1,4} [01]\\.?[0-9]{0,20}(e-?[0-9]{0,2})?\\r?\\n?") {
            if let Some((i, j, number)) = plain_entry(&line) {
                let (row, column, value) = entry(&line).unwrap();
                prop_assert_eq!((i, j, number.value()), (row, column, value.value()));
            }
        }
    }

    #[test]
    fn lines_as_programs_write_them_are_plain() {
        for (line, place) in [
            ("1 1 0.5\n", (0, 0)),
            ("12 7 0.25\r\n", (11, 6)),
            ("3 4 1.0", (2, 3)),
            ("1 1 1\n", (0, 0)),
            ("5 6 2.5e-01\n", (4, 5)),
        ] {
            assert!(plain_entry(line).is_some_and(|(i, j, _)| (i, j) == place), "{line}");
        }
        for line in [
            "0 1 0.5",
            "1 1 10.5",
            "1 1 1e2",
            "+1 1 0.5",
            "1  1 0.5",
            "1 1 0.5 0",
            "1 1",
            "99999999999999999999 1 0.5",
        ] {
            assert!(plain_entry(line).is_none(), "{line}");
        }
    }

    #[test]
    fn what_is_not_plain_is_read_as_everywhere() {
        for word in
            ["1", "1e-3", "+0.5", "-0.0", ".5", "1.", "2.5", "0x1", "inf", "0.5.5", "", "0.٣"]
        {
            let found = Number::of(word).map(|number| number.value().to_bits());
            assert_eq!(found, Decimal::parse(word).ok().map(|d| d.value.to_bits()), "{word}");
        }
        assert!(Number::of("0.2_5").is_none());
    }
}
