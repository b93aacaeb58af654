//! When should a parallel program remap its work?
//!
//! A bulk-synchronous program slows down as its work drifts out of balance. Remapping costs time,
//! and so does not remapping. This crate computes the *optimal* moment as the solution of a
//! stochastic dynamic program and returns it with certified two-sided bounds.
//!
//! It is pure mathematics: it never prints, reads files, looks at a clock or catches signals.

/// Exact rational numbers.
pub type Rational = dashu_ratio::RBig;

pub mod belief;
pub mod chain;
pub mod concave;
pub mod drift;
pub mod estimate;
pub mod fit;
pub mod imbalance;
pub mod interval;
pub mod law;
pub mod learning;
pub mod lifetime;
mod machine;
pub mod mesh;
pub mod monitor;
pub mod observer;
pub mod policy;
pub mod random;
pub mod record;
pub mod replay;
mod rounding;
pub mod simulate;
pub mod stopping;
pub mod switching;
pub mod threshold;

pub use observer::{Halt, Observer, Status};
