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
    /// A snippet in the place of the k-th word or sign.
    Word(usize, &'static str),
    /// Two words or signs for each other.
    Swap(usize, usize),
    /// A line that is dropped, written twice, cut, or put in the place of another.
    Drop(usize),
    Twice(usize),
    Cut(usize, usize),
    Lines(usize, usize),
    /// Two columns for each other, in all lines.
    Columns(usize, usize),
    /// Another separator everywhere.
    Separator(&'static str, &'static str),
}

/// Separators of tables and of decimals.
const SEPARATORS: [&str; 8] = [",", ";", "\t", " ", "|", ".", ":", "="];

/// Numbers that readers stumble over; the last one is none at all.
const NUMBERS: &str = "0 1 2 -1 0.5 1.0 -0.0 1e-9 1e5 1e-400 1e308 1e309 1e999 -1e999 NaN -nan inf -inf -Infinity \
    1000000 1000001 4294967296 18446744073709551615 99999999999999999999 0.1000000000000000055511151231257827 \
    0x1f 1_000 _1 1u8 . 1. .5 1e +5 1,5 1/2 ٣ ";

/// Signs and words of tables, matrices, JSON and models.
const SNIPPETS: &str = "( ) [ ] { } () , ; : = .. - + _ \" \"\" ' # % %% / // /* */ \\ é symmetric 0 r#\" r#a b\" #![ Some( None \
    Fixed(3) Keep(before_remapped: PerStep([0.1]) Uniform(first: title: Geometric(rate:";

/// Those with blanks, or that cannot be seen.
const BLANKS: [&str; 14] = [
    "\n",
    "\r",
    "\r\n",
    "\t",
    " ",
    "\0",
    "\u{1b}",
    "\u{feff}",
    "\u{2028}",
    "1 1 1\n",
    "Pmf({0: 1})",
    "title: \"x\",",
    "Keep(before_remapped: 1.5)",
    "Uniform(first: 0, last: 3)",
];

fn number() -> impl Strategy<Value = &'static str> {
    prop::sample::select(NUMBERS.split(' ').collect::<Vec<_>>())
}

fn snippet() -> impl Strategy<Value = &'static str> {
    prop::sample::select(SNIPPETS.split(' ').chain(BLANKS).collect::<Vec<_>>())
}

/// A copy of one of `originals` with up to four injuries.
pub fn mutants(originals: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    assert!(!originals.is_empty());
    let injury = prop_oneof![
        2 => (any::<usize>(), 0u8..8).prop_map(|(at, bit)| Injury::Flip(at, bit)),
        2 => (any::<usize>(), 1usize..40).prop_map(|(at, length)| Injury::Delete(at, length)),
        2 => (any::<usize>(), 1usize..40, any::<usize>())
            .prop_map(|(at, length, to)| Injury::Copy(at, length, to)),
        2 => (any::<usize>(), snippet()).prop_map(|(at, text)| Injury::Insert(at, text)),
        1 => any::<usize>().prop_map(Injury::Truncate),
        5 => (any::<usize>(), number()).prop_map(|(at, text)| Injury::Number(at, text)),
        2 => (any::<usize>(), snippet()).prop_map(|(at, text)| Injury::Word(at, text)),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Injury::Swap(a, b)),
        1 => any::<usize>().prop_map(Injury::Drop),
        1 => any::<usize>().prop_map(Injury::Twice),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(k, at)| Injury::Cut(k, at)),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Injury::Lines(a, b)),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Injury::Columns(a, b)),
        1 => (prop::sample::select(&SEPARATORS[..]), prop::sample::select(&SEPARATORS[..]))
            .prop_map(|(from, to)| Injury::Separator(from, to)),
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
        Injury::Drop(k) => in_lines(bytes, |lines| _ = lines.remove(k % lines.len())),
        Injury::Twice(k) => in_lines(bytes, |lines| {
            lines.insert(k % lines.len(), lines[k % lines.len()]);
        }),
        Injury::Cut(k, at) => in_lines(bytes, |lines| {
            let k = k % lines.len();
            lines[k] = &lines[k][..at % (lines[k].len() + 1)];
        }),
        Injury::Lines(a, b) => in_lines(bytes, |lines| {
            let many = lines.len();
            lines.swap(a % many, b % many);
        }),
        Injury::Columns(a, b) => {
            let separator = [b',', b';', b'\t', b'|', b' '].into_iter().find(|s| bytes.contains(s));
            let separator = separator.unwrap_or(b',');
            let swapped = |line: &[u8]| {
                let mut cells: Vec<&[u8]> = line.split(|byte| *byte == separator).collect();
                let columns = cells.len();
                cells.swap(a % columns, b % columns);
                cells.join(&separator)
            };
            let lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(swapped).collect();
            *bytes = lines.join(&b'\n');
        }
        Injury::Separator(from, to) => {
            let to = to.as_bytes()[0];
            bytes
                .iter_mut()
                .filter(|byte| **byte == from.as_bytes()[0])
                .for_each(|byte| *byte = to);
        }
        Injury::Number(k, text) => {
            let places = numbers(bytes);
            replace(bytes, places, k, text);
        }
        Injury::Word(k, text) => {
            let places = words(bytes);
            replace(bytes, places, k, text);
        }
        Injury::Swap(a, b) => {
            let words = words(bytes);
            let [a, b] = [a, b].map(|k| words.get(k % words.len().max(1)).cloned());
            let Some((a, b)) =
                a.zip(b).map(|(a, b)| if a.start < b.start { (a, b) } else { (b, a) })
            else {
                return;
            };
            if a.end <= b.start {
                let (left, right) = (bytes[a.clone()].to_vec(), bytes[b.clone()].to_vec());
                bytes.splice(b, left);
                bytes.splice(a, right);
            }
        }
    }
}

/// Changes the lines of a text.
fn in_lines(bytes: &mut Vec<u8>, change: impl FnOnce(&mut Vec<&[u8]>)) {
    let copy = bytes.clone();
    let mut lines: Vec<&[u8]> = copy.split(|byte| *byte == b'\n').collect();
    change(&mut lines);
    *bytes = lines.join(&b'\n');
}

type Places = Vec<std::ops::Range<usize>>;

/// Puts a text in the place of the k-th of these.
fn replace(bytes: &mut Vec<u8>, places: Places, k: usize, text: &str) {
    if let Some(place) = places.get(k % places.len().max(1)) {
        bytes.splice(place.clone(), text.bytes());
    }
}

/// Where words, numbers and signs stand.
fn words(bytes: &[u8]) -> Places {
    let word = |b: u8| b.is_ascii_alphanumeric() || b"_.+-".contains(&b);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let mut end = at + 1;
        while word(bytes[at]) && end < bytes.len() && word(bytes[end]) {
            end += 1;
        }
        if !bytes[at].is_ascii_whitespace() {
            found.push(at..end);
        }
        at = end;
    }
    found
}

/// Where numbers stand.
fn numbers(bytes: &[u8]) -> Places {
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
