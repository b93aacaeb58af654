//! Any number of recurring phases, one mapping made for each, and a fallible detector: a partially
//! observed Markov decision process.
//!
//! The phase is a hidden Markov chain. The belief p, a distribution on the phases, moves by the
//! transition matrix before an observation and by Bayes' rule after it, whatever is decided. With
//! e_m(z) the mean time of a cycle in phase z under mapping m, and D(m, j) the cost of a switch
//! from m to j, the Bellman equation is
//!
//! ```text
//! Q_m(p) = sum_z p_z e_m(z) + s_n E V_m(next)
//! V_m = min_j D(m, j) + Q_j                            (Chosen)
//! V_m = min(Q_m, sum_z p_z (D(m, z) + Q_z(z)))         (Fitted)
//! ```
//!
//! In the first form the program chooses the next mapping. The second follows \[NR86\]: the new
//! mapping fits the phase at the time of the remap, which is known afterwards; a remap that changes
//! nothing costs D(m, m).
//!
//! V is concave and piecewise linear, a minimum of vectors. [`exact()`] computes all vectors in
//! rationals. [`solve`] encloses V on grids of beliefs (`bounds.rs`): vectors of policies bound it
//! from above, and interpolated lower bounds bound it from below, since V is concave.
//!
//! ```
//! use remapping::decimal::decimal;
//! use remapping::many_phases::{Horizon, ManyPhases, Remap, solve};
//!
//! let exact = |rows: [[&str; 3]; 3]| -> Result<_, _> {
//!     let row = |row: [&str; 3]| row.map(decimal).into_iter().collect::<Result<Vec<_>, _>>();
//!     rows.map(row).into_iter().collect()
//! };
//! let problem = ManyPhases {
//!     cycle: exact([["1", "2", "2"], ["2", "1", "2"], ["2", "2", "1"]])?,
//!     switch: exact([["0", "4", "4"], ["4", "0", "4"], ["4", "4", "0"]])?,
//!     remap: Remap::Chosen,
//!     transition: exact([
//!         ["0.98", "0.01", "0.01"],
//!         ["0.01", "0.98", "0.01"],
//!         ["0.01", "0.01", "0.98"],
//!     ])?,
//!     detector: exact([["0.8", "0.1", "0.1"], ["0.1", "0.8", "0.1"], ["0.1", "0.1", "0.8"]])?,
//!     initial: vec![decimal("1")?, decimal("0")?, decimal("0")?],
//! };
//! let found = solve(&problem, &Horizon::Discounted(decimal("0.95")?), 1e-2, 500, &())?;
//! assert!(found.value.lower <= found.value.upper && found.value.lower >= 20.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod exact;
mod game;
mod grid;
mod problem;

pub use bounds::{Solution, solve};
pub use exact::exact;
pub use problem::{Horizon, ManyPhases, PhasesError, Remap};
