//! The fields of a log: times, marks of remaps, numbers of steps and ranks, and what is wrong with
//! one.

use super::formats::table::names::seconds_in;
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
    if is_missing(text) {
        return Ok(f64::NAN);
    }
    match decimal(text) {
        Ok(value) => checked(value, text),
        Err(_) if text.contains(',') => {
            Err(format!("{} is not a number: decimals are written with a point", shown(text)))
        }
        Err(_) => Err(no_number(text)),
    }
}

fn is_missing(text: &str) -> bool {
    let missing = ["", "nan", "na", "null", "none", "-"];
    missing.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A text in quotes; of a long one its beginning.
fn shown(text: &str) -> String {
    match text.char_indices().nth(48) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Why a text is not a number, and what to write.
fn no_number(text: &str) -> String {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.eE ".contains(c));
    let why = match seconds_in(unit) {
        Some(_) => ": write its unit into the name of the column, as in time_ms",
        None if text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(':') => {
            ", but a date or a time of day: give seconds"
        }
        None => "",
    };
    format!("{} is not a number{why}", shown(text))
}

/// The name of a rank that has no number: a word.
pub(super) fn name(text: &str) -> Option<&str> {
    let is_word = text.starts_with(char::is_alphabetic) && text.len() <= 64 && !is_missing(text);
    Some(text).filter(|_| is_word && !text.contains(char::is_control))
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
        _ => Err(format!("{} is neither 0 nor 1", shown(text))),
    }
}

/// The number of a step or rank.
pub(super) fn whole(text: &str, what: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().ok().or_else(|| counted(text.parse::<f64>().ok()?));
    number.ok_or_else(|| format!("{} is not the number of a {what}", shown(text)))
}

/// The same from a number.
#[inline]
pub(super) fn counted(value: f64) -> Option<u32> {
    (value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value)).then_some(value as u32)
}
