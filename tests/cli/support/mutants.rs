//! Damaged inputs that proptest can shrink.

use proptest::prelude::*;

/// What an injury may take. Places count modulo the length.
#[derive(Debug, Clone)]
pub struct Draw {
    at: usize,
    to: usize,
    length: usize,
    number: &'static str,
    text: &'static str,
    separators: [&'static str; 2],
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

/// A damaged text, and what was done to it.
#[derive(Debug, Clone)]
pub struct Mutant {
    pub bytes: Vec<u8>,
    pub injuries: Vec<(&'static str, Draw)>,
}

/// A copy of one of `originals` with up to four injuries.
pub fn mutants(originals: Vec<Vec<u8>>) -> impl Strategy<Value = Mutant> {
    assert!(!originals.is_empty());
    let often = |(kind, (_, weight, _)): (usize, &(_, usize, _))| vec![kind; *weight];
    let kinds: Vec<usize> = INJURIES.iter().enumerate().flat_map(often).collect();
    let separator = || prop::sample::select(&SEPARATORS[..]);
    let places = (any::<usize>(), any::<usize>(), 1usize..40);
    let draw = (places, number(), snippet(), [separator(), separator()]).prop_map(
        |((at, to, length), number, text, separators)| Draw {
            at,
            to,
            length,
            number,
            text,
            separators,
        },
    );
    let injuries = prop::collection::vec((prop::sample::select(kinds), draw), 1..5);
    (prop::sample::select(originals), injuries).prop_map(|(mut bytes, injuries)| {
        let mut done = Vec::new();
        for (kind, draw) in injuries {
            let (name, _, injure) = INJURIES[kind];
            if !bytes.is_empty() {
                injure(&mut bytes, &draw);
                done.push((name, draw));
            }
        }
        Mutant { bytes, injuries: done }
    })
}

type Injury = fn(&mut Vec<u8>, &Draw);

/// Injuries of a text that is not empty: what each does, and how often it is drawn.
const INJURIES: [(&str, usize, Injury); 14] = [
    ("flips a bit", 2, |bytes, draw| {
        let at = draw.at % bytes.len();
        bytes[at] ^= 1 << (draw.to % 8);
    }),
    ("deletes", 2, |bytes, draw| drop(bytes.drain(part(bytes, draw)))),
    ("copies", 2, |bytes, draw| {
        let (copy, to) = (bytes[part(bytes, draw)].to_vec(), draw.to % bytes.len());
        bytes.splice(to..to, copy);
    }),
    ("inserts", 2, |bytes, draw| {
        let at = draw.at % bytes.len();
        bytes.splice(at..at, draw.text.bytes());
    }),
    ("truncates", 1, |bytes, draw| bytes.truncate(draw.at % bytes.len())),
    ("another number", 5, |bytes, draw| replace(bytes, numbers(bytes), draw.at, draw.number)),
    ("another word", 2, |bytes, draw| replace(bytes, words(bytes), draw.at, draw.text)),
    ("swaps words", 2, swap_words),
    ("drops a line", 1, |bytes, draw| {
        in_lines(bytes, |lines| _ = lines.remove(draw.at % lines.len()));
    }),
    ("a line twice", 1, |bytes, draw| {
        in_lines(bytes, |lines| lines.insert(draw.at % lines.len(), lines[draw.at % lines.len()]));
    }),
    ("cuts a line", 1, |bytes, draw| {
        in_lines(bytes, |lines| {
            let k = draw.at % lines.len();
            lines[k] = &lines[k][..draw.to % (lines[k].len() + 1)];
        });
    }),
    ("swaps lines", 1, |bytes, draw| {
        in_lines(bytes, |lines| {
            let many = lines.len();
            lines.swap(draw.at % many, draw.to % many);
        });
    }),
    ("swaps columns", 1, swap_columns),
    ("another separator", 1, |bytes, draw| {
        let [from, to] = draw.separators.map(|separator| separator.as_bytes()[0]);
        bytes.iter_mut().filter(|byte| **byte == from).for_each(|byte| *byte = to);
    }),
];

/// Some bytes in a row.
fn part(bytes: &[u8], draw: &Draw) -> std::ops::Range<usize> {
    let at = draw.at % bytes.len();
    at..(at + draw.length).min(bytes.len())
}

/// Two columns for each other, in all lines.
fn swap_columns(bytes: &mut Vec<u8>, draw: &Draw) {
    let separator = [b',', b';', b'\t', b'|', b' '].into_iter().find(|s| bytes.contains(s));
    let separator = separator.unwrap_or(b',');
    let swapped = |line: &[u8]| {
        let mut cells: Vec<&[u8]> = line.split(|byte| *byte == separator).collect();
        let columns = cells.len();
        cells.swap(draw.at % columns, draw.to % columns);
        cells.join(&separator)
    };
    let lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(swapped).collect();
    *bytes = lines.join(&b'\n');
}

/// Two words or signs for each other.
fn swap_words(bytes: &mut Vec<u8>, draw: &Draw) {
    let words = words(bytes);
    let [a, b] = [draw.at, draw.to].map(|k| words.get(k % words.len().max(1)).cloned());
    let Some((a, b)) = a.zip(b).map(|(a, b)| if a.start < b.start { (a, b) } else { (b, a) })
    else {
        return;
    };
    if a.end <= b.start {
        let (left, right) = (bytes[a.clone()].to_vec(), bytes[b.clone()].to_vec());
        bytes.splice(b, left);
        bytes.splice(a, right);
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
