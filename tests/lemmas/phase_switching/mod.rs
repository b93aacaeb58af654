//! Recurring phases: values, bounds of random models, degenerate models, policies of two thresholds.

mod bounds;
mod degenerate;
mod grid;
mod policies;
mod share;
pub mod values;
