//! The fields of a log: times, marks of remaps, numbers of steps and ranks, and what is wrong with one.

use crate::complaint::Complaint;
use remapping::record::MOST_SECONDS;

/// What a table should be.
pub(super) const TABLE: &str =
    "a trace has step, rank and seconds, or one row a step and one column a rank";

/// A diagnostic about a line of a trace.
pub(super) fn at(name: &str, line: u64, what: &str) -> Complaint {
    fault(name, line, what, TABLE)
}

/// The same for a form that has other fields.
pub(super) fn fault(name: &str, line: u64, what: &str, help: &str) -> Complaint {
    Complaint::elsewhere(format!("{name}, line {line}: {what}"), help)
}

/// A time as it stands in a file: NaN if it is missing.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    // What nearly all are.
    if text.as_bytes().first().is_some_and(u8::is_ascii_digit)
        && let Ok(value) = text.parse::<f64>()
        && value <= MOST_SECONDS
    {
        return Ok(value);
    }
    let missing = ["", "nan", "na", "null", "none", "-"];
    if missing.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Ok(f64::NAN);
    }
    match decimal(text) {
        Ok(value) => checked(value, text),
        Err(_) if text.contains(',') => {
            Err(format!("{text:?} is not a number: decimals are written with a point"))
        }
        Err(_) => Err(format!("{text:?} is not a number")),
    }
}

/// A number, be it with an exponent of Fortran, as in `1.5D+00`.
pub(super) fn decimal(text: &str) -> Result<f64, std::num::ParseFloatError> {
    text.parse().or_else(|_| text.replacen(['D', 'd'], "e", 1).parse())
}

/// A time that is written as `text`; NaN if it is missing.
pub(super) fn checked(value: f64, text: &str) -> Result<f64, String> {
    match value {
        _ if value.is_nan() => Ok(f64::NAN),
        _ if value.is_infinite() => Err(format!("{text:?} is not finite")),
        _ if value.abs() > MOST_SECONDS => Err(format!("{text:?} is too large")),
        _ if value < 0.0 => Err(format!("{text} is negative: times are not")),
        _ => Ok(value),
    }
}

/// Whether a remap is marked.
pub(super) fn flag(text: &str) -> Result<bool, String> {
    if text == "0" {
        return Ok(false);
    }
    match text.to_ascii_lowercase().as_str() {
        "" | "0" | "false" | "no" | "0.0" | "f" | "n" | ".false." => Ok(false),
        "1" | "true" | "yes" | "1.0" | "t" | "y" | ".true." => Ok(true),
        _ => Err(format!("{text:?} is neither 0 nor 1")),
    }
}

/// The number of a step or rank.
pub(super) fn whole(text: &str, what: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().ok().or_else(|| counted(text.parse::<f64>().ok()?));
    number.ok_or_else(|| format!("{text:?} is not the number of a {what}"))
}

/// The same from a number.
#[inline]
pub(super) fn counted(value: f64) -> Option<u32> {
    (value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value)).then_some(value as u32)
}
