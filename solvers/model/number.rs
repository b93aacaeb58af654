//! Decimal numbers with the exact value of their literal and the nearest double.

use super::syntax_tree::explain::quoted;
use remapping::Rational;
use remapping::decimal::{DecimalError, MAX_EXPONENT, decimal};
use serde::{Deserialize, Deserializer, de::Error};

/// A decimal literal of a model file, with its exact value.
#[derive(Debug, Clone, PartialEq)]
pub struct Decimal {
    /// The exact value of the literal.
    pub exact: Rational,
    /// The double nearest to it.
    pub value: f64,
}

impl Decimal {
    /// Reads a decimal literal such as `0.05`, `-1_000` or `2.5e-3`.
    pub fn parse(literal: &str) -> Result<Decimal, String> {
        let exact = decimal(literal).map_err(|error| match error {
            DecimalError::Malformed(_) if ["inf", "NaN"].contains(&unsigned(literal)) => {
                format!("`{literal}` is not a finite number")
            }
            DecimalError::Exponent(_) => {
                let range = format!("-{MAX_EXPONENT}..={MAX_EXPONENT}");
                format!("the exponent of {} is not in {range}", quoted(literal))
            }
            DecimalError::TooLong => error.to_string(),
            _ => format!("expected a decimal number, found {}", quoted(literal)),
        })?;
        let value = exact.to_f64().value();
        if !value.is_finite() {
            return Err(format!("{} is too large", quoted(literal)));
        }
        Ok(Decimal { exact, value })
    }

    /// Whether it lies in \[0, 1\], exactly.
    pub fn is_probability(&self) -> bool {
        self.exact >= Rational::ZERO && self.exact <= Rational::ONE
    }
}

fn unsigned(literal: &str) -> &str {
    literal.trim_start_matches(['+', '-'])
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let mut literal = raw.get_ron().trim();
        if literal.contains('/') {
            // A comment may follow the number.
            literal = raw.trim().get_ron();
        }
        Decimal::parse(literal).map_err(D::Error::custom)
    }
}

/// A fraction whose denominator is a power of ten, as a decimal.
pub fn written_out(value: &Rational) -> String {
    let mut places = 0;
    let mut scaled = value.clone();
    while !scaled.is_int() && places < 400 {
        scaled *= Rational::from(10);
        places += 1;
    }
    let digits = scaled.trunc().to_string();
    if places == 0 {
        return digits;
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}
