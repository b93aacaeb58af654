//! Numbers, tables and curves in text.

pub mod curve;
pub mod digits;

use remapping::Bounds;

/// Proved bounds in as many digits as they allow.
pub fn within(bounds: Bounds) -> String {
    digits::proved(bounds).joined("+-")
}

/// Fractions grow without bound; their whole length is in the JSON document.
pub(crate) fn shorten(fraction: &str) -> String {
    if fraction.len() <= 60 {
        fraction.to_owned()
    } else {
        format!("{}... ({} digits)", &fraction[..57], fraction.len())
    }
}

/// A line of a sweep's table: headings with their cells.
pub type Row = Vec<(String, String)>;
