//! Recurring phases: values, the long run, bounds of random models, degenerate models, policies of
//! two thresholds.

mod bounds;
mod degenerate;
mod grid;
mod long_run;
mod policies;
mod share;
pub mod values;
