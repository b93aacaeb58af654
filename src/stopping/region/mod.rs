//! Solving on a region around balance, where all other states are known to remap.

pub(in crate::stopping) mod active;
pub(in crate::stopping) mod forecast;
pub(in crate::stopping) mod listed;
pub(in crate::stopping) mod tube;
