//! When to remap under a fallible change detector: a partially observed Markov decision process
//! with a finite horizon.
//!
//! State (p, n): p is the probability that the phase has changed, n = 0..=M is the step. Another
//! cycle follows step n with probability s_n. Observation r has probability q^r and leads to the
//! belief p^r. With E_n(p) = sum over r of q^r V_{n+1}(p^r) the Bellman equation is
//!
//! ```text
//! retain  C_t = p e_B + (1-p) e_F + s_n E_n(p)
//! remap   C_m = D_d + p (D_r + L_n e_R) + (1-p)(e_F + s_n E_n(0))        (Revert)
//!         C_m = D_d + D_r + L_n e_R + (1-p) A_n (e_P - e_R), then stop   (Keep)
//! V_n = min(C_t, C_m),  V_{M+1} = 0
//! ```
//!
//! e_F and e_B are mean cycle times before and after the change under the old mapping, e_P and e_R
//! under the new one. D_d and D_r are the costs of the test and of the installation. L_n and A_n
//! are mean numbers of remaining cycles: all, and those before the change. Remapping is optimal iff
//! p > pi_n [NR90, Theorem 1].
//!
//! [`solve`] returns every pi_n and V_0(0) between certified bounds, by backward induction on
//! piecewise-linear bounds (`step.rs`): O(distinct steps x segments). [`exact`] does the same in
//! rationals for short horizons. [`evaluation`] evaluates given policies.
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
mod problem;
mod stationarity;
mod step;
mod sweep;
#[cfg(test)]
mod tests;

pub use crate::Bounds;
pub use curve::{Curve, Run};
pub use horizon::{Accuracy, solve, solve_recorded};
pub use problem::{Hazard, PhaseChange, Premature, ProblemError};
pub(crate) use stationarity::stationary::amplification;
pub use sweep::{Solution, Spans};
