//! Decimal numbers that may be negative, as model files state them.

use crate::core::decimal::decimal;
use num_rational::BigRational;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A decimal number that may be negative.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signed(pub BigRational);

impl<'de> Deserialize<'de> for Signed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Signed, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("{} is not a decimal number", raw.get_ron()));
        decimal(raw.trim().get_ron()).map(Signed).ok_or_else(wrong)
    }
}
