//! Recurring phases: a workload that switches back and forth between two phases, a program that switches
//! between two mappings, a fallible detector between them.
//!
//! The belief p that the second phase is on does not depend on the decisions: with rates a (first to
//! second) and b (second to first) it becomes p_a = p (1-b) + (1-p) a before a report and follows Bayes' rule
//! after it; (P f)(p) is the mean of f over the next belief. Cycle n runs iff N >= n, under the mapping
//! chosen at the belief p_n. With e_m(p) the mean time of a cycle under mapping m, and c, d the costs of
//! switching to the second mapping and back,
//!
//! ```text
//! Q_m = e_m + s_n P V_m(next)            V_1 = min(Q_1, c + Q_2)      V_2 = min(Q_2, d + Q_1)
//! ```
//!
//! The decisions depend on the difference of the two alone, D = Q_1 - Q_2: switch to the second mapping iff
//! D > c, back iff D < -d. Since V_1 - V_2 is D cut at -d and c, the difference has a recursion of its own:
//!
//! ```text
//! D_n = e_1 - e_2 + s_n P cut(D_{n+1}),   cut(x) = min(max(x, -d), c)
//! ```
//!
//! Its operator is monotone. If the phases last (a + b <= 1) and each mapping suits its phase better than the
//! other's, relatively (e_1 - e_2 rises with p), D rises with p: P keeps rising functions rising, because a
//! greater p_a makes greater reports likelier and every report's map is rising. So there are two thresholds
//! a step, and between them the program keeps the mapping it has: hysteresis. [`solve`] encloses D between
//! two piecewise-linear functions, rounded outward at every step, until what steps still change bounds all
//! that are to come (`rest.rs`); [`long_run`] looks for a function that a step hardly changes.
//!
//! A switch that comes too soon is not noticed: the program goes back when its belief says so. With b = 0 and
//! no way back this is the change of phase of [`crate::phase_change`] with lasting remappings (`Keep`).
//!
//! ```
//! use remapping::belief::Levels;
//! use remapping::decimal::decimal;
//! use remapping::phase_switching::{PhaseSwitching, long_run};
//!
//! let problem = PhaseSwitching {
//!     cycle: [[decimal("1")?, decimal("2")?], [decimal("3")?, decimal("1")?]],
//!     switch: [Some(decimal("4")?), Some(decimal("4")?)],
//!     rates: [decimal("0.02")?, decimal("0.05")?],
//!     detector: Levels::binary(decimal("0.1")?, decimal("0.1")?)?,
//!     initial: decimal("0")?,
//! };
//! let endless = long_run(&problem, 1e-6, &())?;
//! let [to_second, to_first] = [&endless.to_second, &endless.to_first];
//! assert!(to_first.upper < to_second.lower, "between the two the mapping stays");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alone;
mod around;
mod beside;
mod equal_gains;
pub mod evaluation;
pub mod exact;
mod finite;
mod fixed_mesh;
mod from_rest;
mod gain;
mod kinks;
mod long_run;
mod merge;
mod mixed;
mod one_mapping;
mod operator;
mod passed;
mod places;
mod polyline;
mod problem;
mod quiet;
mod recursion;
mod relative;
mod rest;
mod shifted;
mod sweep;
mod value;

pub use finite::{Solution, solve};
pub use long_run::{LongRun, long_run};
pub use passed::{exceeded, undercut};
pub use places::{AtRest, Places};
pub use problem::{PhaseSwitching, SwitchingError};
