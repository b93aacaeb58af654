//! Code that several kinds of problem use.

pub mod map;
pub mod recommended;
pub mod sampled;
pub mod thresholds;
pub mod two_phase;
