//! Piecewise-linear concave functions, the value functions of the phase-change problem.
//!
//! Two forms, for two purposes. [`Kinked`] holds slope drops ("atoms") on the half-line of odds in
//! doubles, so that every sum is of positive terms; [`bracket`] and [`held`] keep it short from above
//! and from below. [`Lines`] holds the lower envelope of lines on [0, 1] in exact rationals.

pub mod bracket;
pub mod held;
mod kinked;
mod lines;
#[cfg(test)]
mod tests;

pub use kinked::{Atom, Kinked};
pub use lines::{Line, Lines, Watched};
