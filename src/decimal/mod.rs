//! Exact rational numbers from decimal text.

mod plain;

pub use plain::Plain;

use crate::Rational;
use dashu_int::UBig;

/// Why a text is not an exact number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecimalError {
    /// Not digits with an optional sign, point and exponent.
    #[error("`{0}` is not a decimal number")]
    Malformed(String),
    /// It has more digits than [`MAX_DIGITS`].
    #[error("a number may have {MAX_DIGITS} digits at most")]
    TooLong,
    /// Its exponent is beyond [`MAX_EXPONENT`].
    #[error("the exponent of `{0}` is not in -{MAX_EXPONENT}..={MAX_EXPONENT}")]
    Exponent(String),
}

/// Greatest absolute exponent; doubles end at 308.
pub const MAX_EXPONENT: i64 = 400;

/// Most digits of a number.
pub const MAX_DIGITS: usize = 1000;

/// The exact value of a decimal such as `0.05`, `-1_000` or `2.5e-3`. Time is quadratic in the
/// number of digits.
///
/// ```
/// use remapping::{Rational, decimal::decimal};
///
/// assert_eq!(decimal("0.05")?, Rational::from_parts(1.into(), 20u8.into()));
/// assert_eq!(decimal("-2.5e3")?, Rational::from(-2500));
/// assert!(decimal("five").is_err());
/// # Ok::<(), remapping::decimal::DecimalError>(())
/// ```
///
/// # Errors
/// Text that is not a decimal, or is too long or too large.
pub fn decimal(text: &str) -> Result<Rational, DecimalError> {
    let malformed = || DecimalError::Malformed(text.to_owned());
    let plain = text.replace('_', "");
    let (mantissa, exponent) = match plain.find(['e', 'E']) {
        Some(at) => (&plain[..at], &plain[at + 1..]),
        None => (plain.as_str(), "0"),
    };
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !is_number(&all) || !is_number(power) {
        return Err(malformed());
    }
    if all.len() > MAX_DIGITS {
        return Err(DecimalError::TooLong);
    }
    let exponent = exponent.parse::<i64>().ok().filter(|e| e.abs() <= MAX_EXPONENT);
    let exponent = exponent.ok_or_else(|| DecimalError::Exponent(text.to_owned()))?;
    let value = Rational::from(all.parse::<UBig>().map_err(|_| malformed())?);
    let scale = exponent - fraction.len() as i64;
    let power = Rational::from(UBig::from(10u8).pow(scale.unsigned_abs() as usize));
    let value = if scale < 0 { value / power } else { value * power };
    Ok(if negative { -value } else { value })
}

/// The shortest decimal that is read as this double: most likely the number that its author wrote.
///
/// ```
/// use remapping::{Rational, decimal::written};
///
/// assert_eq!(written(0.1) * Rational::from(10), Rational::ONE);
/// ```
///
/// # Panics
/// If it is not finite.
pub fn written(value: f64) -> Rational {
    decimal(&format!("{value:e}")).expect("a finite double is a decimal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_decimal_is_refused() {
        for text in ["", ".", "-", "1e", "e5", "1e+", "0x10", "1.2.3", "NaN", "inf", "1 0", "--1"] {
            assert_eq!(decimal(text), Err(DecimalError::Malformed(text.to_owned())), "{text}");
        }
        assert_eq!(decimal("1e401"), Err(DecimalError::Exponent("1e401".to_owned())));
        assert!(decimal("1e99999999999999999999").is_err());
        assert_eq!(decimal(&"1".repeat(1001)), Err(DecimalError::TooLong));
    }

    proptest! {
        /// A double is read as the nearest fraction.
        #[test]
        fn decimals_are_read_as_they_stand(value in -1e12..1e12f64, places in 0..9usize) {
            let text = format!("{value:.places$}");
            let exact = decimal(&text).unwrap();
            prop_assert_eq!(exact.to_f64().value(), text.parse::<f64>().unwrap());
            let scaled = exact * decimal(&format!("1e{places}")).unwrap();
            prop_assert!(scaled.is_int());
        }

        /// A double stands for the decimal it was read from, if that has no more digits than
        /// doubles distinguish.
        #[test]
        fn doubles_are_taken_as_they_were_written(digits in -999_999_999_999_999..999_999_999_999_999i64, power in -300..290i32) {
            let text = format!("{digits}e{power}");
            prop_assert_eq!(written(text.parse().unwrap()), decimal(&text).unwrap());
        }
    }
}
