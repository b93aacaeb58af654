//! What given rules cost, and lower bounds that need no list of the states.

pub(in crate::stopping) mod open_loop;
pub(in crate::stopping) mod sample_paths;
pub(in crate::stopping) mod single_remap;
pub(in crate::stopping) mod target_relaxation;
