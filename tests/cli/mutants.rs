//! Damaged inputs that proptest can shrink.

use proptest::prelude::*;

/// One injury; places count modulo the length.
#[derive(Debug, Clone)]
enum Injury {
    Flip(usize, u8),
    Delete(usize, usize),
    Copy(usize, usize, usize),
    Insert(usize, &'static str),
    Truncate(usize),
    /// Another number in the place of the k-th.
    Number(usize, &'static str),
}

/// Numbers that readers stumble over.
pub const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "0.5",
    "-0.0",
    "1e-400",
    "1e308",
    "1e999",
    "-1e999",
    "NaN",
    "-nan",
    "inf",
    "-Infinity",
    "99999999999999999999",
    "18446744073709551615",
    "4294967296",
    "0x1f",
    "1_000",
    ".",
    "",
    "1e",
    "+5",
    "1,5",
    "٣",
];

const SNIPPETS: &[&str] = &[
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\u{feff}",
    ",",
    ";",
    "\"",
    "\"\"",
    "#",
    "%",
    "%%",
    " ",
    "\t",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    "é",
    "\u{2028}",
    "//",
    "/*",
    "symmetric",
    "0",
    "1 1 1\n",
    "-",
];

/// A copy of one of `originals` with up to four injuries.
pub fn mutants(originals: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    assert!(!originals.is_empty());
    let injury = prop_oneof![
        (any::<usize>(), 0u8..8).prop_map(|(at, bit)| Injury::Flip(at, bit)),
        (any::<usize>(), 1usize..40).prop_map(|(at, length)| Injury::Delete(at, length)),
        (any::<usize>(), 1usize..40, any::<usize>())
            .prop_map(|(at, length, to)| Injury::Copy(at, length, to)),
        (any::<usize>(), prop::sample::select(SNIPPETS))
            .prop_map(|(at, text)| Injury::Insert(at, text)),
        any::<usize>().prop_map(Injury::Truncate),
        (any::<usize>(), prop::sample::select(NUMBERS))
            .prop_map(|(at, text)| Injury::Number(at, text)),
        (any::<usize>(), prop::sample::select(NUMBERS))
            .prop_map(|(at, text)| Injury::Number(at, text)),
    ];
    (prop::sample::select(originals), prop::collection::vec(injury, 1..5)).prop_map(
        |(mut bytes, injuries)| {
            for injury in injuries {
                injure(&mut bytes, &injury);
            }
            bytes
        },
    )
}

fn injure(bytes: &mut Vec<u8>, injury: &Injury) {
    if bytes.is_empty() {
        return;
    }
    let size = bytes.len();
    let part = |at: usize, length: usize| at % size..(at % size + length).min(size);
    match *injury {
        Injury::Flip(at, bit) => bytes[at % size] ^= 1 << bit,
        Injury::Delete(at, length) => drop(bytes.drain(part(at, length))),
        Injury::Copy(at, length, to) => {
            let copy = bytes[part(at, length)].to_vec();
            bytes.splice(to % size..to % size, copy);
        }
        Injury::Insert(at, text) => drop(bytes.splice(at % size..at % size, text.bytes())),
        Injury::Truncate(at) => bytes.truncate(at % size),
        Injury::Number(k, text) => {
            let numbers = numbers(bytes);
            if let Some(number) = numbers.get(k % numbers.len().max(1)) {
                bytes.splice(number.clone(), text.bytes());
            }
        }
    }
}

/// Where numbers stand.
fn numbers(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'-' | b'+');
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| digit(byte)).count();
        if bytes[at].is_ascii_digit() || (length > 1 && bytes[at] == b'-') {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}
