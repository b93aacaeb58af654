//! The parts that all answers share: facts of a log, rules and their costs, the motion of loads,
//! and the text of a document.

pub mod advised;
pub mod dynamics;
pub mod log;
pub mod priced;
pub mod program;
pub mod rule;

pub use remapping::Bounds;
pub use remapping::phase_change::Curve;

use serde::Serialize;

/// A JSON document that ends in a newline.
pub fn to_json<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("documents have string keys only");
    text.push('\n');
    text
}
