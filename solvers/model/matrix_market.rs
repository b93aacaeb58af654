//! Transition matrices in Matrix Market coordinate form.
//!
//! `sprs` reads this form too, but panics on indices out of range, and outside data must not.

use super::number::Decimal;
use remapping::Rational;
use std::io::BufRead;
use std::path::Path;

/// A square matrix as read: its size, and (row, column, value) from 0.
pub struct Entries {
    /// Rows and columns.
    pub size: usize,
    /// The entries, symmetric ones on both sides.
    pub entries: Vec<(usize, usize, f64)>,
}

/// Reads a real square matrix with `expected` rows, general or symmetric.
///
/// # Errors
/// What is wrong with the file, in words, with its line.
pub fn read(path: &Path, expected: usize) -> Result<Entries, String> {
    let shown = path.display();
    let file =
        std::fs::File::open(path).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let mut lines = std::io::BufReader::new(file).lines().enumerate();
    let wrong =
        |line: usize, what: &str| format!("{shown}:{}: not a Matrix Market file: {what}", line + 1);
    let mut next = || -> Result<Option<(usize, String)>, String> {
        for (number, line) in lines.by_ref() {
            let line = line.map_err(|error| wrong(number, &error.to_string()))?;
            if number == 0 || !(line.starts_with('%') || line.trim().is_empty()) {
                return Ok(Some((number, line)));
            }
        }
        Ok(None)
    };
    let banner = next()?.map(|(_, line)| line.to_lowercase()).unwrap_or_default();
    let words: Vec<&str> = banner.split_whitespace().collect();
    let symmetric = match words.as_slice() {
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "general"] => false,
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "symmetric"] => true,
        _ => {
            let what = "the first line reads `%%MatrixMarket matrix coordinate real general`";
            return Err(wrong(0, what));
        }
    };
    let (at, sizes) = next()?.ok_or_else(|| wrong(1, "the sizes are missing"))?;
    let numbers: Option<Vec<usize>> =
        sizes.split_whitespace().map(|word| word.parse().ok()).collect();
    let Some(&[rows, columns, count]) = numbers.as_deref() else {
        return Err(wrong(at, "expected rows, columns and number of entries"));
    };
    if rows != expected || columns != expected {
        return Err(format!("{shown} is {rows} x {columns}, but `loads` lists {expected} states"));
    }
    let (mut entries, mut sums) = (Vec::new(), vec![Rational::ZERO; rows]);
    let mut read = 0;
    while let Some((at, line)) = next()? {
        let mut words = line.split_whitespace();
        let mut index = || words.next()?.parse::<usize>().ok()?.checked_sub(1);
        let (Some(i), Some(j)) = (index(), index()) else {
            return Err(wrong(at, "expected a row and a column, from 1"));
        };
        let number = |word: &str| Decimal::parse(word).ok().filter(|_| !word.contains('_'));
        let (Some(number), None) = (words.next().and_then(number), words.next()) else {
            return Err(wrong(at, "expected row, column and value"));
        };
        if i >= rows || j >= columns {
            let what = format!("({}, {}) is outside {rows} x {columns}", i + 1, j + 1);
            return Err(wrong(at, &what));
        }
        if !number.is_probability() {
            return Err(wrong(at, "a probability is out of range"));
        }
        entries.push((i, j, number.value));
        sums[i] += &number.exact;
        if symmetric && i != j {
            entries.push((j, i, number.value));
            sums[j] += number.exact;
        }
        read += 1;
    }
    if read != count {
        return Err(format!("{shown}: {count} entries announced, {read} found"));
    }
    let slack = Rational::from_parts(1.into(), 1_000_000_000u32.into());
    let within = |sum: &Rational| *sum <= Rational::ONE + &slack && *sum >= Rational::ONE - &slack;
    if let Some(row) = sums.iter().position(|sum| !within(sum)) {
        let sum = sums[row].to_f64().value();
        return Err(format!("{shown}: row {} sums to {sum}, not to 1", row + 1));
    }
    Ok(Entries { size: rows, entries })
}
