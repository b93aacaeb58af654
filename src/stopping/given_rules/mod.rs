//! What given rules cost, and lower bounds that need no list of the states.

pub(in crate::stopping) mod anywhere;
pub(in crate::stopping) mod blind;
pub(in crate::stopping) mod course;
pub(in crate::stopping) mod once;
