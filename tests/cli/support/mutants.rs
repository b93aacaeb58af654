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
}

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
