//! Reads plain numbers of logs: digits, a point, an exponent. All functions return `None` for
//! anything else (blanks, quotes, signs), which a slower reader then explains.

/// A line of a log, read byte by byte.
#[derive(Debug, Clone)]
pub struct Plain<'a> {
    text: &'a [u8],
    at: usize,
}

/// Powers of ten that are numbers of a double.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

impl<'a> Plain<'a> {
    /// At the first byte of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Plain { text, at: 0 }
    }

    /// The number of bytes that were read.
    pub fn read(&self) -> usize {
        self.at
    }

    /// The byte that is read next.
    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Reads a byte.
    pub fn byte(&mut self) -> Option<u8> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// Digits that continue `number`, which they may make wrong beyond 19 of them.
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

    /// Reads a whole number.
    pub fn whole(&mut self) -> Option<u32> {
        let first = self.at;
        let number = self.digits(0);
        let digits = self.at - first;
        if digits == 0 || digits > 10 { None } else { u32::try_from(number).ok() }
    }

    /// Reads a decimal: what is exact and a power of ten that is too give the nearest double (W. D.
    /// Clinger, "How to read floating point numbers accurately", PLDI 1990).
    pub fn decimal(&mut self) -> Option<f64> {
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
        text.parse().ok()
    }

    /// Passes over a field without quotes.
    pub fn skip(&mut self, delimiter: u8) -> Option<()> {
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
