//! Lines as nearly all are: plain numbers, no blanks, no quotes. Whatever is otherwise is left to
//! others.

use super::super::super::row::Row;
use super::super::MOST_SECONDS;
use super::names::Column;

/// Reads a line and its end; the number of its bytes.
pub(in crate::logs) fn row(
    text: &[u8],
    delimiter: u8,
    columns: &[Option<Column>],
    units: &[f64],
    row: &mut Row,
) -> Option<usize> {
    // Comments are not for here, nor blanks, of which several are one delimiter.
    if text[0] == b'#' || delimiter == b' ' {
        return None;
    }
    let mut line = Line { text, at: 0 };
    row.clear();
    for (place, (column, unit)) in columns.iter().zip(units).enumerate() {
        if place > 0 && line.next()? != delimiter {
            return None;
        }
        match column {
            Some(Column::Step) => row.step = Some(line.whole()?),
            Some(Column::Rank) => row.rank = Some(line.whole()?),
            Some(Column::Seconds | Column::Work) => row.seconds = Some(unit * line.decimal()?),
            Some(Column::Wait) => row.wait = Some(unit * line.decimal()?),
            Some(Column::Begin) => row.begin = Some(unit * line.decimal()?),
            Some(Column::End) => row.end = Some(unit * line.decimal()?),
            Some(Column::Most) => row.most = Some(unit * line.decimal()?),
            Some(Column::Mean) => row.mean = Some(unit * line.decimal()?),
            Some(Column::Remapped) => {
                row.remapped = match line.peek()? {
                    b'0' | b'1' => line.next()? == b'1',
                    _ => false,
                }
            }
            Some(Column::RemapSeconds) => {
                if line.peek()?.is_ascii_digit() {
                    row.cost = Some(unit * line.decimal()?);
                }
            }
            Some(Column::OfRank(rank)) => row.times.push((*rank, unit * line.decimal()?)),
            None => line.skip(delimiter)?,
        }
    }
    match line.next()? {
        b'\n' => {}
        b'\r' if line.next()? == b'\n' => {}
        _ => return None,
    }
    Some(line.at)
}

struct Line<'a> {
    text: &'a [u8],
    at: usize,
}

/// Powers of ten that are numbers of a double.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

impl Line<'_> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// Digits that continue `number`, which they may make wrong beyond 19 of them.
    #[inline]
    fn digits(&mut self, mut number: u64) -> u64 {
        while let Some(next) = self.text.get(self.at) {
            let digit = next.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            self.at += 1;
        }
        number
    }

    #[inline]
    fn whole(&mut self) -> Option<u32> {
        let first = self.at;
        let number = self.digits(0);
        let digits = self.at - first;
        if digits == 0 || digits > 10 { None } else { u32::try_from(number).ok() }
    }

    /// A decimal: what is exact and a power of ten that is too give the nearest double (W. D.
    /// Clinger, "How to read floating point numbers accurately", PLDI 1990).
    #[inline]
    fn decimal(&mut self) -> Option<f64> {
        let first = self.at;
        let mut number = self.digits(0);
        let (mut digits, mut places) = (self.at - first, 0);
        if digits == 0 {
            return None;
        }
        if self.peek()? == b'.' {
            self.at += 1;
            let point = self.at;
            number = self.digits(number);
            places = self.at - point;
            digits += places;
        }
        if digits <= 18 && number <= 1 << 53 && !matches!(self.peek()?, b'e' | b'E') {
            return Some(if places == 0 { number as f64 } else { number as f64 / TENS[places] });
        }
        while matches!(self.peek()?, b'0'..=b'9' | b'e' | b'E' | b'+' | b'-' | b'.') {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.text[first..self.at]).ok()?;
        text.parse().ok().filter(|value| *value <= MOST_SECONDS)
    }

    /// Passes over a field without quotes.
    fn skip(&mut self, delimiter: u8) -> Option<()> {
        loop {
            match self.peek()? {
                b'"' => return None,
                b'\n' | b'\r' => return Some(()),
                next if next == delimiter => return Some(()),
                _ => self.at += 1,
            }
        }
    }
}
