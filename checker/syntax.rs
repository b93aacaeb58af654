//! The part of RON that model files use, read into a tree whose numbers are still text.

use crate::Refusal;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow};

/// A value of a model file. Variants without content are words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    Word(String),
    Text(String),
    Fields(String, Vec<(String, Tree)>),
    Items(String, Vec<Tree>),
    List(Vec<Tree>),
    Map(Vec<(Tree, Tree)>),
}

/// Brackets inside each other.
const DEEPEST: usize = 64;

/// Largest exponent of ten.
const LARGEST_EXPONENT: i32 = 400;

fn refuse<T>(message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Model(message.into()))
}

impl Tree {
    /// Reads the one value that `text` holds.
    pub fn read(text: &str) -> Result<Tree, Refusal> {
        let mut reader = Reader { rest: text, depth: 0 };
        reader.skip()?;
        while reader.rest.starts_with("#!") {
            reader.rest = reader.rest.split_once(']').map_or("", |(_, rest)| rest);
            reader.skip()?;
        }
        let tree = reader.value()?;
        reader.skip()?;
        if reader.rest.is_empty() { Ok(tree) } else { refuse("text after the model") }
    }

    /// The fields of `name(...)`, every one of which must be in `known`.
    pub fn fields(&self, name: &str, known: &[&str]) -> Result<Fields<'_>, Refusal> {
        let Tree::Fields(found, fields) = self else {
            return refuse(format!("{name}(...) is missing"));
        };
        if !found.is_empty() && found != name {
            return refuse(format!("{found} stands where {name} should"));
        }
        for (at, (field, _)) in fields.iter().enumerate() {
            if !known.contains(&field.as_str())
                || fields[..at].iter().any(|(other, _)| other == field)
            {
                return refuse(format!("the field {field} of {name} is unknown or repeated"));
            }
        }
        Ok(Fields(fields))
    }

    /// The name of a variant.
    pub fn name(&self) -> &str {
        match self {
            Tree::Word(name) | Tree::Fields(name, _) | Tree::Items(name, _) => name,
            _ => "",
        }
    }

    /// The value in `Name(value)`.
    pub fn only(&self) -> Result<&Tree, Refusal> {
        match self {
            Tree::Items(_, items) if items.len() == 1 => Ok(&items[0]),
            _ => refuse(format!("{} takes one value", self.name())),
        }
    }

    pub fn list(&self) -> Result<&[Tree], Refusal> {
        if let Tree::List(items) = self { Ok(items) } else { refuse("a list is missing") }
    }

    pub fn integer(&self) -> Result<i64, Refusal> {
        let number = self.number()?;
        let whole = number.is_integer().then(|| i64::try_from(number.numer()).ok()).flatten();
        whole.map_or_else(|| refuse("a whole number is missing"), Ok)
    }

    pub fn count(&self) -> Result<usize, Refusal> {
        usize::try_from(self.integer()?).or_else(|_| refuse("a count is negative"))
    }

    /// A decimal number, exactly.
    pub fn number(&self) -> Result<BigRational, Refusal> {
        let Tree::Word(word) = self else { return refuse("a number is missing") };
        let wrong = || Refusal::Model(format!("{word} is not a decimal number"));
        let plain = word.replace('_', "");
        let (mantissa, exponent) = match plain.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| wrong())?),
            None => (plain.as_str(), 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{part}");
        let unsigned = digits.trim_start_matches(['+', '-']);
        if unsigned.is_empty()
            || !unsigned.bytes().all(|b| b.is_ascii_digit())
            || digits.len() > unsigned.len() + 1
        {
            return Err(wrong());
        }
        let exponent = exponent - part.len() as i32;
        if exponent.abs() > LARGEST_EXPONENT + part.len() as i32 {
            return Err(wrong());
        }
        let power = BigInt::from(10).pow(exponent.unsigned_abs());
        let digits = digits.parse::<BigInt>().map_err(|_| wrong())?;
        Ok(if exponent < 0 {
            BigRational::new(digits, power)
        } else {
            BigRational::new(digits * power, BigInt::one())
        })
    }

    pub fn numbers(&self) -> Result<Vec<BigRational>, Refusal> {
        self.list()?.iter().map(Tree::number).collect()
    }
}

/// The fields of a struct.
pub(crate) struct Fields<'a>(&'a [(String, Tree)]);

impl<'a> Fields<'a> {
    /// An optional field; `Some(x)` is x and `None` is none.
    pub fn find(&self, name: &str) -> Option<&'a Tree> {
        let tree = &self.0.iter().find(|(field, _)| field == name)?.1;
        match tree {
            Tree::Word(word) if word == "None" => None,
            Tree::Items(some, items) if some == "Some" => items.first(),
            _ => Some(tree),
        }
    }

    pub fn get(&self, name: &str) -> Result<&'a Tree, Refusal> {
        self.find(name).map_or_else(|| refuse(format!("the field {name} is missing")), Ok)
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn skip(&mut self) -> Result<(), Refusal> {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with("//") {
                self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
            } else if self.rest.starts_with("/*") {
                let mut depth = 0;
                while depth > 0 || self.rest.starts_with("/*") {
                    let step = match &self.rest {
                        rest if rest.starts_with("/*") => (2, 1),
                        rest if rest.starts_with("*/") => (2, -1),
                        rest => (rest.chars().next().map_or(0, char::len_utf8), 0),
                    };
                    if step.0 == 0 {
                        return refuse("a comment is never closed");
                    }
                    self.rest = &self.rest[step.0..];
                    depth += step.1;
                    if depth == 0 {
                        break;
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    fn take(&mut self, sign: char) -> Result<bool, Refusal> {
        self.skip()?;
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        Ok(rest.is_some())
    }

    fn word(&mut self) -> String {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || "_+-.".contains(c)));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word.to_owned()
    }

    /// `item`s up to the closing bracket, commas between them.
    fn until<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Vec<T>, Refusal> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return refuse("brackets are nested too deeply");
        }
        let mut items = Vec::new();
        while !self.take(close)? {
            items.push(item(self)?);
            if !self.take(',')? {
                if self.take(close)? {
                    break;
                }
                return refuse(format!("`,` or `{close}` is missing"));
            }
        }
        self.depth -= 1;
        Ok(items)
    }

    fn value(&mut self) -> Result<Tree, Refusal> {
        self.skip()?;
        if self.take('[')? {
            return Ok(Tree::List(self.until(']', Self::value)?));
        }
        if self.take('{')? {
            let entry = |reader: &mut Self| {
                let key = reader.value()?;
                if reader.take(':')? {
                    Ok((key, reader.value()?))
                } else {
                    refuse("`:` is missing")
                }
            };
            return Ok(Tree::Map(self.until('}', entry)?));
        }
        if self.rest.starts_with('"') {
            return self.text();
        }
        let word = self.word();
        if !self.take('(')? {
            return if word.is_empty() {
                refuse("a value is missing")
            } else {
                Ok(Tree::Word(word))
            };
        }
        let content = self.until(')', |reader| {
            let value = reader.value()?;
            Ok(match value {
                Tree::Word(name) if reader.take(':')? => (Some(name), reader.value()?),
                value => (None, value),
            })
        })?;
        if content.iter().all(|(name, _)| name.is_none()) {
            return Ok(Tree::Items(word, content.into_iter().map(|(_, value)| value).collect()));
        }
        let named = content.into_iter().map(|(name, value)| Some((name?, value)));
        named
            .collect::<Option<_>>()
            .map_or_else(|| refuse("a field has no name"), |fields| Ok(Tree::Fields(word, fields)))
    }

    fn text(&mut self) -> Result<Tree, Refusal> {
        let mut text = String::new();
        let mut signs = self.rest.char_indices().skip(1);
        while let Some((at, c)) = signs.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(Tree::Text(text));
                }
                '\\' => text.extend(signs.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        refuse("a string is never closed")
    }
}
