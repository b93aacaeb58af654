//! Drifting loads \[NRS86\].
//!
//! - `problems`: random models and the plain recursion.
//! - `recursion`, `regions`, `simulated`, `unremapped`, `rounding`: exact values.
//! - `ranks`, `late`, `late_runs`, `thresholds`: ranks with states of their own, delayed remaps,
//!   rules of thresholds.
//! - `many`: bounds for many ranks.

mod late;
mod late_runs;
mod many;
pub mod problems;
mod ranks;
mod recursion;
mod regions;
mod rounding;
mod simulated;
mod thresholds;
mod unremapped;
