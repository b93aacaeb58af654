//! Numbers, tables and curves as text.

pub mod curve;
pub mod digits;
pub mod numbers;

use remapping::Bounds;

/// A number without a fraction for a document: an integer as long as doubles are exact.
pub fn whole(number: f64) -> serde_json::Value {
    match number < (1_u64 << f64::MANTISSA_DIGITS) as f64 {
        true => (number as u64).into(),
        false => number.into(),
    }
}

/// Proved bounds with as many digits as they allow.
pub fn within(bounds: Bounds) -> String {
    digits::proved(bounds).joined("+-")
}

/// Shortens long fractions; the JSON document has them in full.
pub(crate) fn shorten(fraction: &str) -> String {
    if fraction.len() <= 60 {
        fraction.to_owned()
    } else {
        format!("{}... ({} digits)", &fraction[..57], fraction.len())
    }
}

/// A row of a sweep's table: headings with their cells.
pub type Row = Vec<(String, String)>;
