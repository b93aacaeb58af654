//! Several ranks that share a problem.

pub(in crate::problems::stopping) mod gathered;
pub mod ranks;
pub mod shared;
