//! Decimal numbers that mean what they say: the exact value of the literal beside its double.

use super::explain::quoted;
use remapping::Rational;
use serde::{Deserialize, Deserializer, de::Error};

/// A decimal literal of a model file, kept exactly.
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
        let exact =
            rational(literal).ok_or_else(|| match literal.trim_start_matches(['+', '-']) {
                "inf" | "NaN" => format!("`{literal}` is not a finite number"),
                _ if literal.len() > 1000 => "a number may have 1000 digits at most".to_owned(),
                plain if plain.parse::<f64>().is_ok() && plain.contains(['e', 'E']) => {
                    format!("the exponent of {} is not in -400..=400", quoted(literal))
                }
                _ => format!("expected a decimal number, found {}", quoted(literal)),
            })?;
        let value = exact.to_f64().value();
        if !value.is_finite() {
            return Err(format!("{} is too large", quoted(literal)));
        }
        Ok(Decimal { exact, value })
    }

    /// Whether it lies in \[0, 1\], to its last digit.
    pub fn is_probability(&self) -> bool {
        self.exact >= Rational::ZERO && self.exact <= Rational::ONE
    }
}

/// Powers of ten a literal may reach; doubles end at 308.
const MAX_EXPONENT: i64 = 400;

fn rational(literal: &str) -> Option<Rational> {
    let plain = literal.replace('_', "");
    let (mantissa, exponent) = match plain.find(['e', 'E']) {
        Some(at) => (&plain[..at], plain[at + 1..].parse::<i64>().ok()?),
        None => (plain.as_str(), 0),
    };
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let scale = exponent - fraction.len() as i64;
    if all.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if exponent.abs() > MAX_EXPONENT || all.len() > 1000 {
        return None;
    }
    let mut value = Rational::from(all.parse::<dashu_int::UBig>().ok()?);
    let power = Rational::from(dashu_int::UBig::from(10u8).pow(scale.unsigned_abs() as usize));
    value = if scale < 0 { value / power } else { value * power };
    Some(if negative { -value } else { value })
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<ron::value::RawValue>::deserialize(deserializer)?;
        let mut literal = raw.get_ron().trim();
        if literal.contains('/') {
            // A comment stands beside the number.
            literal = raw.trim().get_ron();
        }
        Decimal::parse(literal).map_err(D::Error::custom)
    }
}
