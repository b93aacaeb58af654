//! Drifting loads \[NRS86\].
//!
//! - `recursion`, `unremapped`, `rounding`: exact values.
//! - `ranks`, `late`, `thresholds`: ranks with states of their own, delayed remaps, rules of thresholds.
//! - `many`: bounds for many ranks.

mod late;
mod many;
mod ranks;
pub mod recursion;
mod rounding;
mod thresholds;
mod unremapped;
