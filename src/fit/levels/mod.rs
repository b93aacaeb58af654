//! Loads as levels, and the moves between them.

pub mod chain;
pub(in crate::fit) mod counting;
mod resample;
pub mod transitions;
