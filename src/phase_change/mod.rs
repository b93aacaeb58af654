//! When to remap under a fallible change detector: the finite-horizon belief recursion.
//!
//! State (p, n): the probability p that the phase has changed, the step n = 0..=M. With
//! E_n(p) = q^c V_{n+1}(p^c) + q^cbar V_{n+1}(p^cbar) the value function satisfies
//!
//! ```text
//! retain  C_t = p e_B + (1-p) e_F + s_n E_n(p)
//! remap   C_m = D_d + p (D_r + L_n e_R) + (1-p)(e_F + s_n E_n(0))        (Revert)
//!         C_m = D_d + D_r + L_n e_R + (1-p) A_n (e_P - e_R), then stop   (Keep)
//! V_n = min(C_t, C_m),  V_{M+1} = 0
//! ```
//!
//! and remapping is optimal iff p > pi_n [NR90, Theorem 1]. [`solve`] returns every pi_n and V_0(0)
//! between certified bounds; [`exact`] does the same in rationals for short horizons.
//!
//! ```
//! use remapping::belief::Levels;
//! use remapping::decimal::decimal;
//! use remapping::lifetime::Lifetime;
//! use remapping::phase_change::{Accuracy, Hazard, PhaseChange, Premature, exact, solve};
//!
//! let problem = PhaseChange {
//!     lifetime: Lifetime::fixed(6),
//!     hazard: Hazard::Constant(decimal("0.1")?),
//!     before: decimal("1")?,
//!     after: decimal("2")?,
//!     remapped: decimal("1")?,
//!     test: decimal("0.5")?,
//!     install: decimal("0")?,
//!     detector: Levels::binary(decimal("0.1")?, decimal("0.1")?)?,
//!     premature: Premature::Revert,
//! };
//! let accuracy = Accuracy { tolerance: 1e-9, segments: None };
//! let solution = solve(&problem, accuracy, &())?;
//! let bounds = solution.value.expect("nothing was left out");
//! let truth = exact::solve(&problem, 1000, &())?.value().to_f64().value();
//! assert!(bounds.lower <= truth && truth <= bounds.upper);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod countdown;
mod curve;
pub mod evaluation;
pub mod exact;
mod horizon;
mod images;
mod onset;
mod passage;
pub(crate) mod pieces;
mod problem;
mod rest;
mod rest_below;
mod stationary;
mod step;
mod sweep;
#[cfg(test)]
mod tests;

pub use crate::Bounds;
pub use curve::{Curve, Run};
pub use horizon::{Accuracy, Solution, solve, solve_recorded};
pub use problem::{Hazard, PhaseChange, Premature, ProblemError};
pub(crate) use stationary::amplification;
pub use sweep::Spans;
