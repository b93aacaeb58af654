//! Property-based verification: one property per lemma, named for it.
//!
//! - `shared`: chains, beliefs, distributions of N, piecewise-linear functions.
//! - A folder or file for each kind of problem.
//! - `records`, `advised`, `monitor`: recorded runs, the rule for them, the monitor.
//! - `cliffs`: random models of all sizes that need much work. `families`, `thorough`: what tests
//!   share.

mod advised;
mod cliffs;
mod continuous_drift;
#[path = "../families/mod.rs"]
mod families;
mod load_drift;
mod many_phases;
mod monitor;
mod periodic;
mod phase_change;
mod phase_switching;
mod records;
mod shared;
mod stopping;
#[path = "../thorough.rs"]
mod thorough;
