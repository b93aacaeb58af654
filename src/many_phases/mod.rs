//! Any number of phases that come back, a mapping made for each, a detector that reports by phase.
//!
//! The phase is a Markov chain that nobody sees; the belief p, a law on the phases, moves by its transitions
//! before a report and by Bayes' rule after it, whatever is decided. With e_m(z) the mean time of a cycle in phase
//! z under mapping m, and D(m, j) what a switch costs,
//!
//! ```text
//! Q_m(p) = sum_z p_z e_m(z) + s_n E V_m(next)       V_m = min_j D(m, j) + Q_j          (Chosen)
//!                                                   V_m = min(Q_m, sum_z p_z (D(m, z) + Q_z(z)))   (Fitted)
//! ```
//!
//! The first says which mapping comes next. The second follows \[NR86\]: the new mapping fits the phase at the time
//! of the remap, whichever it is, which is known from then on; a remap that changes nothing costs D(m, m). This is
//! a partially observable Markov decision process: V is concave and piecewise linear, a minimum of vectors.
//! [`exact()`] follows all vectors in fractions. [`solve`] encloses V: any vectors of policies bound it from above,
//! here the best ones at the points of a grid; and since V is concave, what is interpolated between lower bounds
//! at the points of a grid bounds it from below.
//!
//! ```
//! use remapping::decimal::decimal;
//! use remapping::many_phases::{Horizon, ManyPhases, Remap, solve};
//!
//! let exact = |rows: [[&str; 3]; 3]| -> Result<_, _> {
//!     rows.map(|row| row.map(decimal).into_iter().collect::<Result<Vec<_>, _>>()).into_iter().collect()
//! };
//! let problem = ManyPhases {
//!     cycle: exact([["1", "2", "2"], ["2", "1", "2"], ["2", "2", "1"]])?,
//!     switch: exact([["0", "4", "4"], ["4", "0", "4"], ["4", "4", "0"]])?,
//!     remap: Remap::Chosen,
//!     transition: exact([["0.98", "0.01", "0.01"], ["0.01", "0.98", "0.01"], ["0.01", "0.01", "0.98"]])?,
//!     detector: exact([["0.8", "0.1", "0.1"], ["0.1", "0.8", "0.1"], ["0.1", "0.1", "0.8"]])?,
//!     initial: vec![decimal("1")?, decimal("0")?, decimal("0")?],
//! };
//! let found = solve(&problem, &Horizon::Discounted(decimal("0.95")?), 1e-2, 500, &())?;
//! assert!(found.value.lower <= found.value.upper && found.value.lower >= 20.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod exact;
mod grid;
mod problem;

pub use bounds::{Solution, solve};
pub use exact::exact;
pub use problem::{Horizon, ManyPhases, PhasesError, Remap};
