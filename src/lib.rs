//! When should a parallel program remap its work?
//!
//! A bulk-synchronous program slows down as its work drifts out of balance. Remapping costs time,
//! and so does not remapping. This crate computes the *optimal* moment as the solution of a
//! stochastic dynamic program, with certified two-sided bounds.
//!
//! The crate has no side effects: it never prints, reads files, uses a clock or catches signals.
//!
//! Example: a detector that errs once in twenty tests observes a job of 80 cycles. How probable
//! must a change of phase be before a remap pays?
//!
//! ```
//! use remapping::belief::Levels;
//! use remapping::decimal::decimal;
//! use remapping::lifetime::Lifetime;
//! use remapping::phase_change::{Accuracy, Hazard, PhaseChange, Premature, solve};
//!
//! let problem = PhaseChange {
//!     lifetime: Lifetime::fixed(80),
//!     hazard: Hazard::Constant(decimal("0.01")?),
//!     before: decimal("1")?,
//!     after: decimal("2")?,
//!     remapped: decimal("1")?,
//!     test: decimal("5")?,
//!     install: decimal("0")?,
//!     detector: Levels::binary(decimal("0.05")?, decimal("0.05")?)?,
//!     premature: Premature::Revert,
//! };
//! let solution = solve(&problem, Accuracy { tolerance: 1e-9, segments: None }, &())?;
//! let first = solution.curve.at(0).expect("a threshold for each step");
//! assert!(first.upper - first.lower <= 1e-9);
//! // In step 0 a remap pays once the probability of a change exceeds this.
//! assert!((0.0..1.0).contains(&first.middle()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | question | module | source |
//! |---|---|---|
//! | one change of phase, fallible detector | [`phase_change`], [`monitor`] | \[NR86\], \[NR90\] |
//! | two recurring phases | [`phase_switching`] | \[NR86\], section X |
//! | any number of recurring phases | [`many_phases`] | \[NR86\], section X |
//! | loads that are a Markov chain, until a remap | [`stopping`] | \[YXW03\] |
//! | drifting loads over a given number of steps | [`load_drift`] | \[NRS86\], section 3 |
//! | units of work that move over a mesh | [`activity_mesh`] | \[NRS86\], section 4 |
//! | a fluids code and a land battle whose load shifts once | [`fluids`], [`land_battle`], [`two_phase`] | \[NR90\], section V |
//! | the best interval between remaps | [`periodic`] | \[FXW03\] |
//! | rules for running programs, their logs | [`policy`], [`controller`], [`replay`], [`fit`] | |
//!
//! \[NR86\] Nicol and Reynolds 1986, \[NRS86\] Nicol, Reynolds and Saltz 1986, \[NR90\] Nicol and
//! Reynolds 1990, \[YXW03\] Yin, Xu and Wang 2003, \[FXW03\] Fong, Xu and Wang 2003.

/// Exact rational numbers; [`decimal::decimal`] reads them from text.
pub type Rational = dashu_ratio::RBig;

pub mod activity_mesh;
pub mod belief;
mod bounds;
pub mod chain;
pub mod communicator;
pub mod concave;
pub mod continuous_drift;
pub mod controller;
pub mod decimal;
pub mod distribution;
pub mod estimate;
pub mod fit;
pub mod fluids;
pub mod imbalance;
mod kept;
pub mod land_battle;
pub mod learning;
pub mod lifetime;
pub mod load_drift;
mod machine;
pub mod many_phases;
pub mod monitor;
pub mod observer;
pub mod overlap;
pub mod parallel;
pub mod periodic;
pub mod phase_change;
pub mod phase_switching;
pub mod policy;
pub mod random;
pub mod record;
pub mod replay;
mod rounding;
pub mod simulate;
pub mod stopping;
#[cfg(test)]
#[path = "../tests/thorough.rs"]
mod thorough;
pub mod two_phase;

pub use bounds::Bounds;
pub use communicator::Communicator;
pub use observer::{Halt, Observer, Status};
