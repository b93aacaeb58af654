//! Changes of phase and recurring phases: what is proved encloses what following every report
//! gives.
//!
//! - `thresholds`, `steps`: one change of phase, step by step and many steps at once.
//! - `switches`, `beliefs`: recurring phases; any number of phases.
//! - `parts`: functions and grids that proofs use, by themselves.

mod beliefs;
mod parts;
mod steps;
mod switches;
mod thresholds;
