//! Piecewise-linear concave functions, the value functions of the phase-change problem.
//!
//! There are two representations. [`PiecewiseLinear`] stores slope drops ("atoms") on the half-line
//! of odds in doubles, so that every sum has positive terms only. [`bracket`] and [`held`] reduce
//! it from above and from below. [`Lines`] stores the lower envelope of lines on [0, 1] in exact
//! rationals.
//!
//! ```
//! use remapping::Rational;
//! use remapping::concave::{Line, Lines};
//!
//! let line = |at_zero: i64, at_one: i64| Line {
//!     at_zero: Rational::from(at_zero),
//!     at_one: Rational::from(at_one),
//! };
//! let lower = Lines::envelope(vec![line(0, 4), line(1, 1), line(3, 3)]);
//! assert_eq!(lower.lines().len(), 2);
//! assert_eq!(lower.breakpoints(), [Rational::from_parts(1.into(), 4u8.into())]);
//! ```

pub mod bracket;
pub(crate) mod exact;
pub mod held;
mod lines;
mod piecewise;
#[cfg(test)]
mod tests;

pub use exact::ExactError;
pub use lines::{Line, Lines};
pub use piecewise::{Atom, PiecewiseLinear};
