//! Decimal numbers of model files, read as exact fractions, and maps.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Pow, Signed};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;

/// An exact decimal number that is not negative.
#[derive(Clone, PartialEq)]
pub struct Number(pub BigRational);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let wrong =
            || D::Error::custom(format!("{} is not a decimal number from 0 up", raw.get_ron()));
        let number = decimal(raw.trim().get_ron()).filter(|number| !number.is_negative());
        number.map(Number).ok_or_else(wrong)
    }
}

/// A map, in which each key is listed once.
#[derive(Clone, PartialEq)]
pub struct Listed<K, V>(pub BTreeMap<K, V>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for Listed<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Listed(BTreeMap::new()))
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for Listed<K, V> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of values to probabilities")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some((value, probability)) = map.next_entry()? {
            if self.0.insert(value, probability).is_some() {
                return Err(A::Error::custom("a value has two probabilities"));
            }
        }
        Ok(self)
    }
}

/// The exact value of a decimal literal; `None` if it lies beyond the range of doubles.
pub fn decimal(literal: &str) -> Option<BigRational> {
    let plain = literal.replace('_', "");
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let exponent = exponent.parse::<i32>().ok().filter(|e| e.unsigned_abs() <= 400)?;
    let unsigned = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{part}");
    let plain = digits.len() <= 1000 && digits.bytes().all(|b| b.is_ascii_digit());
    let digits = digits.parse::<BigInt>().ok().filter(|_| plain)?;
    let ten = BigRational::from(BigInt::from(10));
    let number = BigRational::from(digits) * Pow::pow(ten, exponent - part.len() as i32);
    // A number that is nearer to 2^1024 than to the largest double counts as infinite.
    let finite = number < BigRational::from(((BigInt::from(1) << 54) - 1) << 970);
    let signed = if mantissa.starts_with('-') { -number } else { number };
    Some(signed).filter(|_| finite)
}

/// Whether a sum of probabilities is close enough to 1 for a model file: within 1e-9.
pub fn is_one(sum: &BigRational) -> bool {
    (sum - BigInt::from(1)).abs() <= BigRational::new(1.into(), 1_000_000_000.into())
}
