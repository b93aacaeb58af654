//! Policies by name on a recorded run: what they came to.

pub mod advice;
pub mod advised;
pub mod check;
pub mod contest;
mod solution;

pub use remapping::replay::{Contestant, Ground, IN_USE, OURS, Outset};
pub use solution::solution;
