//! Decimal numbers of model files, read as exact fractions.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Pow, Signed};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

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
